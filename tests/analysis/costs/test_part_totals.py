"""Totals of parts, and the base of percentages."""

from __future__ import annotations

import math

import pytest

from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.costs.totals import Total, part_totals, recorded_totals, total
from qcachegrind_py.profile.events import UserEvent
from tests.profile_rows import profile_from

PARTS = """
    part: 1
    events: Ir Dr
    summary: 110 5
    fn=main
    1 100 4
    part: 2
    events: Dr Ir
    fn=main
    1 3 20
    part: 3
    events: Ir
    summary: 40
    fn=main
    1 50
    """


def test_totals_of_parts() -> None:
    """The total of a part is the sum of its self costs, by event."""
    assert part_totals(profile_from(PARTS)).tolist() == [[100, 20, 50], [4, 3, 0]]


def test_recorded_totals() -> None:
    """The sum of the `summary:` lines, if there are any."""
    assert recorded_totals(profile_from(PARTS), ALL_PARTS) == {"Ir": 150, "Dr": 5}
    assert recorded_totals(profile_from("events: Ir\nfn=f\n1 1\ntotals: 1\n"), ALL_PARTS) is None


@pytest.mark.parametrize(
    ("summary", "wanted", "base"),
    [
        ("", Total(10, None), 10),
        ("summary: 10\n", Total(10, 10), 10),
        ("summary: 12\n", Total(10, 12), 12),
        ("summary: 9\n", Total(10, 9), 10),
        ("summary: 0\n", Total(10, 0), 10),
        (f"summary: {2**64 - 12}\n", Total(10, -12), 10),
    ],
)
def test_the_base_of_percentages(summary: str, wanted: Total, base: int) -> None:
    """The base is the recorded total, unless the sum of the self costs is larger."""
    profile = profile_from(f"events: Ir\n{summary}fn=f\n1 10\n")
    got = total(profile, profile.events.measured[0], ALL_PARTS)
    assert (wanted, base) == (got, got.base)


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (None, Total(170, 170)),
        ({0}, Total(100, 110)),
        ({1}, Total(20, None)),
        ({0, 1}, Total(120, 130)),
        ({2}, Total(50, 40)),
        (set(), Total(0, None)),
    ],
)
def test_a_part_without_a_summary_counts_as_it_is(parts: set[int] | None, wanted: Total) -> None:
    """The recorded total of parts is the sum of theirs; a part without one adds its cost sum."""
    profile = profile_from(PARTS)
    chosen = None if parts is None else frozenset(parts)
    assert wanted == total(profile, profile.events.measured[0], chosen)


def test_the_total_of_a_derived_event() -> None:
    """It is derived from the totals of the measured events."""
    profile = profile_from("events: Ir Bcm\nsummary: 100 4\nfn=f\n1 90 3\n")
    event = profile.events.find("CEst")
    assert event is not None
    assert total(profile, event, ALL_PARTS) == Total(120, 140)


def test_the_total_of_a_ratio() -> None:
    """The total of a ratio is the ratio of the sums; 0 by 0 is no number."""
    profile = profile_from(PARTS)
    events = profile.events.with_user_events([UserEvent("R", "", "Dr / Ir")])
    event = events.find("R")
    assert event is not None
    assert total(profile, event, None, events) == Total(7 / 170, 8 / 170)
    assert total(profile, event, frozenset({0}), events) == Total(4 / 100, 5 / 110)
    nothing = total(profile, event, frozenset(), events)
    assert (math.isnan(nothing.counted), nothing.recorded) == (True, None)


def test_the_total_of_an_event_of_the_users() -> None:
    """User events have totals like others, beyond 64 bits, too."""
    profile = profile_from(f"events: Ir\nsummary: {2**62 + 5}\nfn=f\n1 {2**62}\n")
    definitions = [UserEvent("Big", "", "8 Ir"), UserEvent("Bigger", "", "2 Big")]
    events = profile.events.with_user_events(definitions)
    event = events.find("Bigger")
    assert event is not None
    assert total(profile, event, None, events) == Total(2**66, 2**66 + 80)


def test_a_summary_that_does_not_fit() -> None:
    """An event named twice has two recorded numbers; their sum wraps as costs do."""
    profile = profile_from(f"events: Ir Ir\nsummary: {2**63 - 1} {2**63 - 1}\nfn=f\n1 1 1\n")
    got = total(profile, profile.events.measured[0], ALL_PARTS)
    assert (got, got.base) == (Total(2, -2), 2)
