"""Percentages of a total, and which totals have none."""

from __future__ import annotations

import math

import pytest

from qcachegrind_py.profile.numbers import (
    fraction_of,
    has_percentages,
    percentage,
    percentages,
)

LARGEST = (1 << 63) - 1


@pytest.mark.parametrize("total", [0, -1, -LARGEST - 1, 0.5, math.nan])
def test_a_percentage_needs_a_positive_total(total: float) -> None:
    """Of nothing, of what was freed, of a sum that wrapped, and of a ratio there is no share."""
    assert not has_percentages(total)
    assert percentage(50, total) is None
    assert percentages([50, 0], total) is None


def test_percentages_are_rounded_once() -> None:
    """Costs of 64 bits are multiplied as unbounded integers."""
    assert percentage(1, 8) == 12.5
    assert percentage(LARGEST, LARGEST) == 100.0
    assert percentage(-LARGEST - 1, 1 << 62) == -200.0
    assert percentages([LARGEST, 3, -2], 4) == [100 * LARGEST / 4, 75.0, -50.0]


@pytest.mark.parametrize(
    ("cost", "base", "length"),
    [
        (1, 4, 0.25),
        (5, 4, 1.0),
        (-1, 4, 0.0),
        (1, 0, 0.0),
        (0, 0, 0.0),
        (2**2000, 1, 1.0),
        (1, 2**2000, 0.0),
        (0.5, 1.0, 0.0),
        (math.nan, 4, 0.0),
        (1, math.nan, 0.0),
    ],
)
def test_share(cost: float, base: float, length: float) -> None:
    """The length of a bar is from 0 to 1; ratios have no bar."""
    assert fraction_of(cost, base) == length
