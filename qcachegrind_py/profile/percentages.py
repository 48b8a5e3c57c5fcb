"""Percentages of a total: the one place that divides costs by what equals 100 %.

A percentage needs a positive total (docs/design.md, reading rule 6). An event that counts what is
allocated and freed may add up to 0 or less, and so may sums that exceed 64 bits: such costs are
given as numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard


def has_percentages(total: int | float) -> TypeGuard[int]:
    """Return whether costs can be given in percent of a total; ratios, which are floats, cannot."""
    return not isinstance(total, float) and total > 0


def why_no_percentages(event: str, total: int | float) -> str:
    """Return the clause for a user who asks for percentages where there are none."""
    return f"the total of {event} is {total:,}, of which there are no percentages"


def percentage(cost: int | float, total: int | float) -> float | None:
    """Return a cost in percent of a total, rounded once; None if there are no percentages."""
    return 100 * cost / total if has_percentages(total) else None


def percentages(costs: Sequence[int | float], total: int | float) -> list[float] | None:
    """Return costs in percent of a total, each rounded once; None if there are no percentages."""
    return [100 * cost / total for cost in costs] if has_percentages(total) else None


def fraction_of(cost: int | float, total: int | float) -> float:
    """Return a cost as a fraction of a total from 0 to 1, such as the length of a bar.

    It is 0 for ratios, which are floats, and where there are no percentages.
    """
    if isinstance(cost, float) or not has_percentages(total) or cost <= 0:
        return 0.0
    return cost / total if cost < total else 1.0
