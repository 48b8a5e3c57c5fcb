"""How costs are given: as they are, as shares of the totals, or per call of a function.

Nothing is scaled for that: each side is divided by its own total, or its own number of calls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_exact,
    format_percentage,
    percentages,
    signed_text,
)
from qcachegrind_py.reports.comparison.contents import EventComparison

MeasureKind = Literal["cost", "share", "per call"]
Number = int | float
_UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class MeasuredCosts:
    """A cost of functions on both sides and its change, each a list of shape (functions,).

    They are integers, or fractions as floats; NaN where a side has nothing to divide by.
    """

    base: Sequence[Number]
    new: Sequence[Number]
    change: Sequence[Number]


@dataclass(frozen=True, slots=True)
class Measure:
    """How costs are given; `calls` are those of `function` in the base and the new profile."""

    kind: MeasureKind = "cost"
    function: str = ""
    calls: tuple[int, int] = (1, 1)

    @property
    def is_cost(self) -> bool:
        """Whether costs are given as they are."""
        return self.kind == "cost"

    @property
    def unit(self) -> str:
        """What is said of a column of costs, empty for costs as they are."""
        return {"cost": "", "share": "%", "per call": f"per call of {self.function}"}[self.kind]

    def measured(self, costs: BothSides, event: EventComparison) -> MeasuredCosts:
        """Return costs in an event; ratios are as they are, having no total and no calls."""
        if self.is_cost or event.event.is_ratio:
            return MeasuredCosts(costs.base.tolist(), costs.new.tolist(), costs.change.tolist())
        divide, divisors = (
            (percentages, event.total) if self.kind == "share" else (_per_call, self.calls)
        )
        base, new = (
            divide(side.tolist(), int(divisor)) or [math.nan] * len(side)
            for side, divisor in zip((costs.base, costs.new), divisors, strict=True)
        )
        return MeasuredCosts(base, new, [b - a for a, b in zip(base, new, strict=True)])

    def text(self, number: Number, style: NumberStyle, *, signed: bool = False) -> str:
        """Format one of the numbers of an event without a ratio."""
        if isinstance(number, float):
            return fixed_text(number, style, signed=signed)
        return (
            signed_text(format_exact(number, "", style), number)
            if signed
            else format_exact(number, "", style)
        )


def _per_call(costs: Sequence[Number], calls: int) -> list[float] | None:
    """Return costs per call, each rounded once, so that equal fractions are equal."""
    return [cost / calls for cost in costs] if calls > 0 else None


def fixed_text(number: float, style: NumberStyle, *, signed: bool = False) -> str:
    """Format a fraction with the decimals of the style: +12.35."""
    if number != number:
        return _UNDEFINED
    rounded = f"{abs(number):,.{style.decimals}f}".replace(",", style.group_separator)
    if not any(digit in rounded for digit in "123456789"):
        return rounded
    return f"{'-' if number < 0 else '+' if signed else ''}{rounded}"


def percentage_text(change: Number, base: Number, style: NumberStyle) -> str:
    """Format a change in percent of a value in the base; a dash if there are no percentages."""
    if isinstance(change, float) or isinstance(base, float):
        return fixed_text(100 * change / abs(base), style, signed=True) if base else _UNDEFINED
    text = format_percentage(change, base, style)
    return signed_text(text, change) if any(digit in text for digit in "123456789") else text
