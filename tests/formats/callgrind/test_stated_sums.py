"""`summary:` and `totals:` are compared with the cost lines of their part, in every event."""

from __future__ import annotations

import pytest

import qcachegrind_py as q
from tests.profile_rows import DATA, cost_table, profile_from


def stated_sum_messages(drawing: str) -> list[tuple[int, str, str]]:
    """Line, kind and quoted text of each diagnostic of a profile."""
    return [
        (odd.line, odd.kind, odd.message.partition("“")[2].removesuffix("”."))
        for odd in profile_from(drawing).diagnostics
    ]


@pytest.mark.parametrize(
    ("summary", "messages"),
    [
        ("8 9", []),
        ("80 9", []),
        ("80 90", []),
        ("7 9", [(2, "summary-too-small", "Ir: 7, summed 8")]),
        ("0x8 8", [(2, "summary-too-small", "Dr: 8, summed 9")]),
        ("80", []),
        ("7", [(2, "summary-too-small", "Ir: 7, summed 8")]),
        (
            "1 2",
            [
                (2, "summary-too-small", "Ir: 1, summed 8"),
                (2, "summary-too-small", "Dr: 2, summed 9"),
            ],
        ),
        ("8 9 10", [(2, "surplus-costs", "summary: 8 9 10")]),
    ],
)
def test_a_summary_is_at_least_the_sum_of_the_cost_lines(
    summary: str, messages: list[tuple[int, str, str]]
) -> None:
    """It may be larger, since costs need not be attributed; a missing number was not recorded."""
    drawing = f"events: Ir Dr\nsummary: {summary}\nfn=f\n1 5 6\nfn=g\n2 3 3\n"
    assert stated_sum_messages(drawing) == messages


@pytest.mark.parametrize(
    ("totals", "messages"),
    [
        ("8 9", []),
        ("7 9", [(5, "totals-differ", "Ir: 7, summed 8")]),
        ("8 10", [(5, "totals-differ", "Dr: 10, summed 9")]),
        ("8", [(5, "totals-differ", "Dr: 0, summed 9")]),
        (
            "",
            [
                (5, "totals-differ", "Ir: 0, summed 8"),
                (5, "totals-differ", "Dr: 0, summed 9"),
            ],
        ),
        ("8 9 0", [(5, "surplus-costs", "totals: 8 9 0")]),
    ],
)
def test_totals_are_the_sum_of_the_cost_lines(
    totals: str, messages: list[tuple[int, str, str]]
) -> None:
    """They are equal in each event; missing numbers are 0, and surplus ones are reported."""
    drawing = f"events: Ir Dr\nfn=f\n1 5 6\n2 3 3\ntotals: {totals}\n"
    assert stated_sum_messages(drawing) == messages
    assert cost_table(profile_from(drawing)) == {"f": (8, 8, 0)}  # costs never follow the totals


def test_trailing_zeros_may_be_missing() -> None:
    """Callgrind omits them in `summary:` and `totals:`."""
    assert stated_sum_messages("events: Ir Dr\nsummary: 5\nfn=f\n1 5\ntotals: 5\n") == []


@pytest.mark.parametrize(
    ("totals", "messages"),
    [
        ("5 6 7", []),
        ("12 6", []),
        ("5 6", [(4, "totals-differ", "Ir: 5, summed 12")]),
        ("5 9 7", [(4, "totals-differ", "Dr: 9, summed 6")]),
    ],
)
def test_a_repeated_event_is_compared_as_a_whole(
    totals: str, messages: list[tuple[int, str, str]]
) -> None:
    """The numbers of an event that `events:` names twice are added, in costs and in totals."""
    assert stated_sum_messages(f"events: Ir Dr Ir\nfn=f\n1 5 6 7\ntotals: {totals}\n") == messages


def test_each_part_has_its_own_sums() -> None:
    """A part that takes its events from the part before is compared by these."""
    drawing = """
        events: Ir Dr
        summary: 5 6
        fn=f
        1 5 6
        totals: 5 6
        part: 2
        summary: 7 7
        fn=f
        1 7 8
        totals: 7 9
        """
    assert stated_sum_messages(drawing) == [
        (7, "summary-too-small", "Dr: 7, summed 8"),
        (10, "totals-differ", "Dr: 9, summed 8"),
    ]


def test_a_summary_behind_its_body() -> None:
    """The diagnostic names its line, and compares it with the body before."""
    drawing = "part: 1\nevents: Ir\nfn=f\n1 5\nsummary: 4\npart: 2\nevents: Ir\nfn=f\n1 7\n"
    assert stated_sum_messages(drawing) == [(5, "summary-too-small", "Ir: 4, summed 5")]


@pytest.mark.parametrize(
    ("first", "last", "kinds"),
    [
        ("", "totals: 30", []),
        ("", "totals: 20", []),
        ("totals: 10\n", "totals: 20\ntotals: 30", []),
        ("", "totals: 31", ["totals-differ"]),
        ("totals: 10\n", "totals: 30", ["totals-differ"]),
    ],
)
def test_totals_of_all_parts(first: str, last: str, kinds: list[str]) -> None:
    """At the end of a file, `totals:` may be the sum of all parts, which then have none."""
    profile = profile_from(
        f"part: 1\nevents: Ir\nfn=f\n1 10\n{first}part: 2\nevents: Ir\nfn=f\n1 20\n{last}\n"
    )
    assert [odd.kind for odd in profile.diagnostics] == kinds
    assert profile.parts[1].totals == (
        None if last.endswith("30") and not kinds else {"Ir": int(last.split()[-1])}
    )


def test_the_wrapped_summary_of_a_real_profile() -> None:
    """Where collecting is switched off, Callgrind may write a summary that fell below 0."""
    profile = q.load(DATA / "toggle" / "callgrind.out.22360.2")
    assert [(odd.line, odd.kind) for odd in profile.diagnostics] == [(18, "summary-too-small")]
    assert "Ir: -123424, summed 1798" in profile.diagnostics[0].message
