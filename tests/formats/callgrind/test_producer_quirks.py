"""Units that follow from the writer of a file, not from an event's name."""

from __future__ import annotations

import pytest

from qcachegrind_py.profile.numbers import unit_of
from tests.profile_rows import diagnostic_rows, profile_from

XDEBUG, YAPPI = "creator: xdebug 2.5.0 (PHP 7.0.17)", "creator: yappi"


def profile_with(header: str, events: str) -> str:
    return f"{header}\nevents: {events}\nfn=f\n1{' 5' * len(events.split())}\n"


@pytest.mark.parametrize(
    ("header", "events", "units"),
    [
        (XDEBUG, "Time", ["1/1000000 s"]),
        (XDEBUG, "Time Memory", ["1/1000000 s", "1 B"]),
        (YAPPI, "Ticks", ["1/1000000 s"]),
        (YAPPI, "Time", [""]),
        ("version: 0.9.6", "Time", [""]),  # an older Xdebug: 100 ns, and nothing says so
        ("creator: xdebug 3.2.0 (PHP 8.2.35)", "Time_(10ns)", ["1/100000000 s"]),
        ("creator: xdebug 22.0", "Time", [""]),
        ("event: Time : Hours\n" + XDEBUG, "Time", [""]),  # the file's own word goes before
    ],
)
def test_units(header: str, events: str, units: list[str]) -> None:
    """A unit is known if the header names a writer that counts in it."""
    measured = profile_from(profile_with(header, events)).events.measured
    found = (unit_of(event.name, event.long_name) for event in measured)

    assert units == [f"{q.factor} {q.symbol}" if q else "" for q in found]


def test_parts_of_several_writers() -> None:
    """An event that another file without a known writer has, too, is a plain count."""
    xdebug, other = profile_with(XDEBUG, "Time"), profile_with("version: 1", "Time")

    assert profile_from(xdebug, xdebug).events.measured[0].long_name == "Time (µs)"
    assert profile_from(xdebug, other).events.measured[0].long_name == ""


def test_files_that_yappi_ends_in_mid_line() -> None:
    """yappi writes no line end at the end of a file, which is accepted."""
    whole = profile_with(YAPPI, "Ticks").removesuffix("\n")

    assert diagnostic_rows(profile_from(whole)) == []
    assert diagnostic_rows(profile_from(whole.replace("yappi", "yap"))) == [(4, "no-line-end")]
