"""Format the costs of one event: the base of percentages, the number style, the unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    NumberStyle,
    Unit,
    format_call_count,
    format_cost,
    format_count,
    format_exact,
    format_percentage,
    fraction_of,
    has_percentages,
    smallest_share,
)

# unless more is known of the cost
WHY_EXCESS = "calls within calls are counted again, or a counter of the profile overflowed"


@dataclass(frozen=True, slots=True)
class CostFormat:
    """Formats costs; `base` is the cost that equals 100 %, and by default a full bar.

    Where there are no percentages of it, costs are given in absolute numbers.
    """

    event: str = ""
    base: int | float = 0
    as_percentage: bool = True
    is_ratio: bool = False
    style: NumberStyle = DEFAULT_STYLE
    quantity: Unit | None = None
    bar_base: int | float | None = None  # the cost of a full bar, if it is not `base`
    can_exceed: bool = False  # whether percentages above 100 have a meaning

    @property
    def in_percent(self) -> bool:
        """Whether costs are given in percent: where that is wanted and has a meaning."""
        return self.as_percentage and not self.is_ratio and has_percentages(self.base)

    def text(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a cost; a percentage is of `base` if given, else of the format's base."""
        base = self.base if base is None else base
        text = format_cost(cost, base, self.in_percent, self.style, self.quantity)
        if not self.in_percent or isinstance(cost, float) or isinstance(base, float):
            return text
        if (
            0 < base < cost
            and not self.can_exceed
            and text != (whole := format_percentage(1, 1, self.style))
        ):
            return f">{whole}"
        return smallest_share(self.style) if cost > 0 and _is_zero(text) else text

    def cell(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a cost for a column: blank for zero, so that the others stand out."""
        return "" if cost == 0 and not self.is_ratio else self.text(cost, base)

    def with_unit(self, cost: int | float) -> str:
        """Format a cost, with a percent sign if it is a percentage: for use outside a column."""
        unit = "\N{THIN SPACE}%" if self.in_percent else ""
        return self.text(cost) + unit

    def absolute_text(self, cost: int | float) -> str:
        """Format a cost in absolute numbers."""
        return format_cost(cost, 0, False, self.style, self.quantity)

    def excess_text(
        self,
        cost: int | float,
        base: int | float | None = None,
        why: Callable[[], str] = lambda: WHY_EXCESS,
    ) -> str:
        """Return the percentage and `why` it is above 100; empty if it is not."""
        base = self.base if base is None else base
        if not self.text(cost, base).startswith(">"):
            return ""
        share = format_cost(cost, base, self.in_percent, self.style)
        return f"{share}\N{THIN SPACE}%: {why()}"

    def tip(
        self,
        cost: int | float,
        base: int | float | None = None,
        why: Callable[[], str] = lambda: WHY_EXCESS,
    ) -> str:
        """Return what a cell does not say: the exact cost, and its share where that is not shown.

        Empty for ratios and for zero. `why` tells why a percentage is above 100.
        """
        if isinstance(cost, float) or self.is_ratio or not cost:
            return ""
        exact = format_exact(cost, self.event, self.style, self.quantity)
        whole = self.base if base is None else base
        if self.in_percent:
            excess = self.excess_text(cost, base, why)
            return f"{exact} ({excess})" if excess else exact
        if not has_percentages(whole):
            return self.exact_text(cost)
        return f"{exact} ({format_percentage(cost, whole, self.style)}\N{THIN SPACE}%)"

    def exact_text(self, cost: int | float) -> str:
        """Format a cost to the last count; empty if `text` shows it in full anyway."""
        if isinstance(cost, float) or (self.quantity is None and not self.style.use_si_prefixes):
            return ""
        return format_exact(cost, self.event, self.style, self.quantity)

    def full_text(self, cost: int | float) -> str:
        """Format a cost for tooltips: with its unit, and the exact count if that was shortened."""
        shown, exact = self.with_unit(cost), self.exact_text(cost)
        return f"{shown} ({exact})" if exact not in ("", shown) else shown

    def count_text(self, count: int) -> str:
        """Format a count, which has no unit."""
        return format_count(count, self.style)

    def call_count_text(self, count: int | None, is_active: bool) -> str:
        """Format a count of calls, None if they were not counted.

        An active call was still running when the profile was written.
        """
        return format_call_count(count, self.style, is_active=is_active)

    def share(self, cost: int | float, base: int | float | None = None) -> float:
        """Return the length of the cost's bar, from 0 to 1; 0 for ratios."""
        base = self.base if base is None else base
        whole = base if self.bar_base is None else self.bar_base
        return 0.0 if self.is_ratio else fraction_of(cost, whole)

    def heading(self, title: str) -> str:
        """Return a column title, marked as percentage if the costs are."""
        return f"{title} %" if self.in_percent else title


def _is_zero(text: str) -> bool:
    """Whether a percentage is rounded to nothing."""
    return text[:1] == "0" and not text.strip("0.,٫")


NO_FORMAT = CostFormat()
