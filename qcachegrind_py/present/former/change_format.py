"""Format how costs changed: with a sign, and with bars that grow from the middle of the cell."""

from __future__ import annotations

from collections.abc import Callable

from qcachegrind_py.present.former.cost_format import WHY_EXCESS, CostFormat
from qcachegrind_py.profile.numbers import (
    format_cost,
    format_exact,
    format_percentage,
    fraction_of,
    has_percentages,
    smallest_share,
)

CHANGE_SIGN = "±"  # in titles
_MINUS = "\N{MINUS SIGN}"
_UNDEFINED = "–"


class ChangeFormat(CostFormat):
    """Formats changes; percentages are of `base`, the total of the base of the comparison.

    A full bar, half a cell wide, is the change `bar_base`.
    """

    __slots__ = ()

    def text(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a change: +1 234, −2.5, 0."""
        if cost != cost:
            return _UNDEFINED
        base = self.base if base is None else base
        size = format_cost(abs(cost), base, self.in_percent, self.style, self.quantity)
        if self.in_percent and cost and isinstance(cost, int) and _is_nothing(size):
            size = smallest_share(self.style)
        return signed(size, cost)

    def cell(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a change for a column: blank for none, so that changes stand out."""
        return "" if cost == 0 else self.text(cost, base)

    def absolute_text(self, cost: int | float) -> str:
        """Format a change in absolute numbers."""
        if cost != cost:
            return _UNDEFINED
        return signed(format_cost(abs(cost), 0, False, self.style, self.quantity), cost)

    def excess_text(
        self,
        cost: int | float,
        base: int | float | None = None,
        why: Callable[[], str] = lambda: WHY_EXCESS,
    ) -> str:
        """Changes may exceed 100 %."""
        return ""

    def tip(
        self,
        cost: int | float,
        base: int | float | None = None,
        why: Callable[[], str] = lambda: WHY_EXCESS,
    ) -> str:
        """Return the exact change, and its share of the base's total if that is not shown."""
        if isinstance(cost, float) or not cost:
            return ""
        exact = self.exact_text(cost)
        whole = self.base if base is None else base
        if self.in_percent or not has_percentages(whole):
            return exact
        share = signed(format_percentage(abs(cost), whole, self.style), cost)
        return f"{exact} ({share}\N{THIN SPACE}% of the base)"

    def exact_text(self, cost: int | float) -> str:
        """Format a change to the last count."""
        if isinstance(cost, float):
            return ""
        return signed(format_exact(abs(cost), self.event, self.style, self.quantity), cost)

    def share(self, cost: int | float, base: int | float | None = None) -> float:
        """Return the length of the bar, from -1 to 1; 0 for ratios."""
        whole = self.base if self.bar_base is None else self.bar_base
        if self.is_ratio or cost == 0:
            return 0.0
        return fraction_of(abs(cost), whole) * (1 if cost > 0 else -1)

    def heading(self, title: str) -> str:
        """Return the title of a column of changes."""
        return super().heading(f"{title} {CHANGE_SIGN}")


def signed(text: str, cost: int | float) -> str:
    """Return the text of a size with the sign of the change: + is growth."""
    return f"+{text}" if cost > 0 else f"{_MINUS}{text}" if cost < 0 else text


def growth_text(base: int | float, new: int | float, style_format: CostFormat) -> str:
    """Format a change in percent of the value in the base: +12.5 %, new, gone."""
    if base != base or new != new:
        return _UNDEFINED
    if base == new:
        return ""
    if base == 0:
        return "new"
    if new == 0:
        return "gone"
    if isinstance(base, float) or isinstance(new, float):
        share = f"{abs(new - base) / abs(base) * 100:.{style_format.style.decimals}f}"
    elif has_percentages(base):
        share = format_percentage(abs(new - base), base, style_format.style)
    else:
        return _UNDEFINED
    if _is_nothing(share):
        share = smallest_share(style_format.style)
    return f"{signed(share, new - base)}\N{THIN SPACE}%"


def _is_nothing(text: str) -> bool:
    """Whether a percentage is rounded to 0."""
    return text[:1] == "0" and not text.strip("0.,٫")
