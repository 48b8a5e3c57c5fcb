"""Formats for the costs of one event, in each unit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.numbers import NumberStyle, Unit

SI = NumberStyle(use_si_prefixes=True)
GERMAN = NumberStyle(decimals=1, group_separator=".", decimal_point=",")
NANOSECONDS = Unit("s", Fraction(1, 10**9))
PERCENT = CostFormat("Ir", 40000, True, False, GERMAN)
ABSOLUTE = CostFormat("Ir", 40000, False, False, GERMAN)
RATIO = CostFormat("Rate", 0.5, True, True, GERMAN)
TIME = CostFormat("Time_(ns)", 40000, False, False, SI, NANOSECONDS)


@pytest.mark.parametrize(
    ("format_", "cost", "base", "text"),
    [
        (PERCENT, 10000, None, "25,0"),
        (PERCENT, 10000, 20000, "50,0"),
        (PERCENT, 10000, 0, "–"),
        (PERCENT, 40020, None, ">100,0"),
        (PERCENT, 40001, None, "100,0"),
        (PERCENT, 1, None, "<0,1"),
        (PERCENT, 0, None, "0,0"),
        (replace(PERCENT, can_exceed=True), 80000, None, "200,0"),
        (ABSOLUTE, 10000, None, "10.000"),
        (ABSOLUTE, 10000, 20000, "10.000"),
        (RATIO, 0.25, None, "0,2500"),
        (RATIO, 0.25, 0.5, "0,2500"),
        (RATIO, math.nan, None, "–"),
        (TIME, 12345, None, "12.35 µs"),
        (replace(PERCENT, base=0), 10000, None, "10.000"),
        (replace(PERCENT, base=-5), 10000, None, "10.000"),
        (NO_FORMAT, 7, None, "7"),
    ],
)
def test_costs(format_: CostFormat, cost: float, base: int | None, text: str) -> None:
    """Percentages are of the base, or of another one passed in; ratios are never percentages.

    Where the base is 0 or negative, all costs are absolute.
    """
    assert format_.text(cost, base) == text


@pytest.mark.parametrize("base", [0, -40000])
def test_costs_without_percentages(base: int) -> None:
    """A base that is not positive leaves no percent sign in titles, texts and tips."""
    format_ = replace(PERCENT, base=base)
    assert not format_.in_percent
    assert format_.heading("Incl.") == "Incl."
    assert format_.with_unit(12345) == "12.345"
    assert format_.tip(12345) == ""
    assert format_.excess_text(12345) == ""
    assert format_.share(12345) == 0.0


@pytest.mark.parametrize(
    ("format_", "cost", "base", "length"),
    [
        (PERCENT, 10000, None, 0.25),
        (PERCENT, 10000, 20000, 0.5),
        (PERCENT, 10000, 0, 0.0),
        (ABSOLUTE, 10000, None, 0.25),
        (RATIO, 0.25, None, 0.0),
        (RATIO, math.nan, None, 0.0),
    ],
)
def test_bars(format_: CostFormat, cost: float, base: int | None, length: float) -> None:
    """A bar is the share of the base in any unit; ratios have none."""
    assert format_.share(cost, base) == length


def test_absolute_cost_of_a_percentage_format() -> None:
    """A column that is always absolute has the same number style, with its unit of time."""
    assert [PERCENT.absolute_text(12345), TIME.absolute_text(12345)] == ["12.345", "12.35 µs"]


def test_costs_to_the_last_count() -> None:
    """A tooltip has the exact number if a cell shortens it, or else nothing."""
    assert [f.exact_text(12345) for f in (PERCENT, ABSOLUTE, TIME)] == ["", "", "12\u2009345 ns"]
    assert [f.full_text(12345) for f in (ABSOLUTE, TIME)] == [
        "12.345",
        "12.35 µs (12\u2009345 ns)",
    ]
    assert TIME.full_text(12) == "12 ns"
    assert TIME.exact_text(0.5) == ""


def test_a_percentage_above_100_says_why() -> None:
    """The number is impossible, so the cell only says that; its tip has number and reason."""
    why = "calls within calls are counted again, or a counter of the profile overflowed"
    texts = PERCENT.excess_text(400_000), PERCENT.excess_text(40_000), ABSOLUTE.excess_text(80_000)
    assert texts == (f"1000,0\N{THIN SPACE}%: {why}", "", "")


def test_a_tip_has_what_the_cell_does_not_say() -> None:
    """The exact count beside a percentage, and the percentage beside a count; nothing for zero."""
    thin = "\N{THIN SPACE}"
    excess = f"400.000 Ir ({PERCENT.excess_text(400_000)})"
    assert PERCENT.tip(10_000) == "10.000 Ir"
    assert PERCENT.tip(400_000) == excess
    assert ABSOLUTE.tip(10_000) == f"10.000 Ir (25,0{thin}%)"
    assert ABSOLUTE.tip(10_000, 20_000) == f"10.000 Ir (50,0{thin}%)"
    assert (PERCENT.tip(0), RATIO.tip(0.5)) == ("", "")


def test_counts_have_no_unit() -> None:
    """A count has groups or prefixes, and is never a percentage or a duration."""
    assert [PERCENT.count_text(12345), TIME.count_text(12345)] == ["12.345", "12.35 k"]


def test_titles_of_percentages_have_a_percent_sign() -> None:
    """A column's title has the percent sign that its cells leave out."""
    headings = [format_.heading("Self") for format_ in (PERCENT, ABSOLUTE, RATIO)]

    assert headings == ["Self %", "Self", "Self"]
