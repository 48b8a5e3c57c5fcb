"""The values of header lines, as the format's grammar and single writers have them."""

from __future__ import annotations

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.profile.numbers import unit_of
from tests.profile_rows import cost_rows, diagnostic_rows, profile_from

BODY = "fn=f\n1 5\n"


# ------------------------------------------------------------ descriptions and events


def test_a_time_is_no_kind_of_description() -> None:
    """A colon between digits ends no kind: the text is shown as it was written."""
    profile = profile_from(
        f"desc: Fri Jun 30 12:00:00 2017\ndesc: I1 cache:3 B\nevents: Ir\n{BODY}"
    )
    facts = profile_facts(profile)
    assert facts.descriptions == (("", "Fri Jun 30 12:00:00 2017"), ("I1 cache", "3 B"))


@pytest.mark.parametrize("formula", ["0x10 A", "0x10*A", "0x10 * A", "16 A", "0xA A + 0x6 A"])
def test_factors_of_a_formula(formula: str) -> None:
    """`Number Space* ("*" Space*)? Name`: a number is decimal or hexadecimal, here 16 in all."""
    profile = profile_from(f"events: A\nevent: X = {formula}\n{BODY}")
    derived = profile.events.find("X")
    assert derived is not None
    assert profile.events.evaluate(derived, q.function_costs(profile).self_cost).tolist() == [80]
    assert diagnostic_rows(profile) == []


# ------------------------------------------------------------ subpositions


@pytest.mark.parametrize(
    ("line", "address", "number"),
    [
        ("+3 * 2", 0x13, 90),
        ("+3* 2", 0x13, 90),
        ("+3+1 2", 0x13, 91),
        ("-3+0x1 2", 0x0D, 91),
        ("*+1 2", 0x10, 91),
        ("** 2", 0x10, 90),
        ("0x20* 2", 0x20, 90),
        ("0x20-4 2", 0x20, 86),
    ],
)
def test_subpositions_without_a_space(line: str, address: int, number: int) -> None:
    """`(SubPosition+ Space+)+`: a sign begins the next subposition, with or without a space."""
    text = f"positions: instr line\nevents: Ir\nfn=f\n0x10 90 1\n{line}\n"
    profile = profile_from(text)
    assert [(row.address, row.line, row.costs) for row in cost_rows(profile)] == [
        (0x10, 90, (1,)),
        (address, number, (2,)),
    ]
    assert diagnostic_rows(profile) == []


# ------------------------------------------------ quirks of single writers

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
