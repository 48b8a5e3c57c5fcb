"""The values of header lines, as the format's grammar and single writers have them."""

from __future__ import annotations

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.profile.numbers import unit_of
from tests.formats.callgrind.test_reference_reader import EXTENDED
from tests.profile_rows import cost_rows, cost_table, diagnostic_rows, profile_from

BODY = "fn=f\n1 5\n"


def odd_lines(text: str | bytes) -> list[int]:
    """The line of each diagnostic."""
    return [line for line, _kind in diagnostic_rows(profile_from(text))]


# ------------------------------------------------------------ what a file begins with


@pytest.mark.parametrize("version", ["0", "1", "0.9.6", "0x1", ""])
def test_versions_that_are_understood(version: str) -> None:
    """A major version of 0 or 1 is this format; without `version:`, 1 is assumed."""
    header = f"version: {version}\n" if version else ""
    profile = profile_from(f"{header}events: Ir\n{BODY}")
    assert cost_table(profile) == {"f": (5, 5, 0)}
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("version", ["2", "17", "0x2"])
def test_a_newer_version_is_read_with_a_diagnostic(version: str) -> None:
    """A later major version may mean another format: what can be read is read, and it is said."""
    text = f"# callgrind format\nversion: {version}\nevents: Ir\n{BODY}"
    assert cost_table(profile_from(text)) == {"f": (5, 5, 0)}
    assert odd_lines(text) == [2]


@pytest.mark.parametrize(
    "text", [EXTENDED, b"version: 1\nevents: Ir\nfn=f\n1 5\n", b"events: Ir\nfn=f\n1 5\n"]
)
def test_a_byte_order_mark_is_skipped(text: bytes) -> None:
    """Editors put it before UTF-8 text; the profile is the same, and there is nothing odd."""
    marked = profile_from(b"\xef\xbb\xbf" + text)
    assert cost_rows(marked) == cost_rows(profile_from(text))
    assert marked.parts[0].header == profile_from(text).parts[0].header
    assert diagnostic_rows(marked) == []


# ------------------------------------------------------------ descriptions and events


@pytest.mark.parametrize(
    "line",
    ["desc: Trigger: x", "desc:Trigger : x", "desc:Trigger:x", "desc: \tTrigger \t:  x"],
)
def test_blanks_around_the_type_of_a_description(line: str) -> None:
    """`"desc:" Space* Name Space* ":"`: blanks before the colon are not of the name."""
    (part,) = profile_from(f"{line}\nevents: Ir\n{BODY}").parts
    assert (part.trigger, part.description("Trigger")) == ("x", "x")


def test_a_description_keeps_its_text() -> None:
    """All behind the first colon is the value, further colons too."""
    (part,) = profile_from(f"desc:Timerange : Basic block 0 - 9: a : b\nevents: Ir\n{BODY}").parts
    assert part.description("Timerange") == "Basic block 0 - 9: a : b"


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


# ------------------------------------------------------------ summary and totals


@pytest.mark.parametrize(
    ("summary", "is_odd"),
    [("7 9", False), ("8 9", False), ("7 10", False), ("6 9", True), ("7 8", True), ("9 1", True)],
)
def test_a_summary_is_at_least_the_sum(summary: str, is_odd: bool) -> None:
    """It may be larger than the sum of self costs; if any event is smaller, it is reported."""
    text = f"events: Ir Dr\nsummary: {summary}\nfn=f\n1 5 6\n2 2 3\ncfn=g\ncalls=1 1\n3 50 50\n"
    assert odd_lines(text) == ([2] if is_odd else [])
    assert cost_table(profile_from(text)) == {"f": (7, 57, 0), "g": (0, 50, 1)}


@pytest.mark.parametrize(
    ("totals", "is_odd"),
    [("7 9", False), ("6 9", True), ("8 9", True), ("7 8", True), ("7 10", True), ("7", True)],
)
def test_totals_are_the_sum(totals: str, is_odd: bool) -> None:
    """They must be the sum of self costs in each event; a missing number is 0."""
    text = f"events: Ir Dr\nfn=f\n1 5 6\n2 2 3\ncfn=g\ncalls=1 1\n3 50 50\ntotals: {totals}\n"
    assert odd_lines(text) == ([8] if is_odd else [])


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
