"""Changes of costs as text and as bars."""

from __future__ import annotations

import math

import pytest

from qcachegrind_py.present.former.change_format import ChangeFormat, growth_text
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.numbers import NumberStyle
from tests.profile_text import THIN

PERCENT = ChangeFormat("Ir", 1000, style=NumberStyle(), bar_base=200)
COUNTS = ChangeFormat("Ir", 1000, as_percentage=False, style=NumberStyle(), bar_base=200)
PLAIN = CostFormat("Ir", 1000, style=NumberStyle())


@pytest.mark.parametrize(
    ("change", "percent", "count"),
    [
        (123, "+12.30", "+123"),
        (-5000, "−500.00", f"−5{THIN}000"),
        (0, "", ""),
        (2**63, f"+{2**63 * 100 // 1000}.80", f"+{2**63:,}".replace(",", THIN)),
    ],
)
def test_a_change_has_a_sign(change: int, percent: str, count: str) -> None:
    """+ is growth; changes may exceed 100 % of the base's total, and no change is blank."""
    assert (PERCENT.cell(change), COUNTS.cell(change)) == (percent, count)


def test_a_little_change_is_not_rounded_to_nothing() -> None:
    """A change that two decimals cannot show keeps its sign."""
    little = ChangeFormat("Ir", 10**9, style=NumberStyle())

    assert (little.cell(1), little.cell(-1)) == ("+<0.01", "−<0.01")


def test_an_unknown_change_is_a_dash() -> None:
    """What one side has not measured has no change, which is not 0."""
    assert (COUNTS.cell(math.nan), PERCENT.cell(math.nan)) == ("–", "–")


def test_bars_grow_both_ways() -> None:
    """A full half of the cell is the largest change; a longer one is cut."""
    assert [PERCENT.share(change) for change in (50, -100, 0, 900)] == [0.25, -0.5, 0.0, 1.0]


@pytest.mark.parametrize(
    ("base", "new", "text"),
    [
        (200, 250, f"+25.00{THIN}%"),
        (200, 50, f"−75.00{THIN}%"),
        (10**6, 10**6 + 1, f"+<0.01{THIN}%"),
        (0, 5, "new"),
        (5, 0, "gone"),
        (0, 0, ""),
        (7, 7, ""),
        (-5, 5, "–"),
        (0.5, 0.75, f"+50.00{THIN}%"),
        (math.nan, 1.0, "–"),
    ],
)
def test_growth_is_of_the_value_in_the_base(base: float, new: float, text: str) -> None:
    """Percentages are of positive values: what is new or gone says so."""
    assert growth_text(base, new, PLAIN) == text
