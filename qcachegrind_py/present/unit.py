"""How the costs of an event are written: in percent of what, divided by what, in which style."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    MINUS,
    UNDEFINED,
    NumberStyle,
    Quantity,
    format_cost,
    format_exact,
    format_percentage,
    fraction_of,
    has_percentages,
    smallest_share,
)

BASE, NEW = 0, 1  # the sides of a comparison; a profile alone is the new side
CHANGE_SIGN = "±"  # in titles
ESTIMATE = "≈\N{THIN SPACE}"  # before numbers that are estimates
_FAINT = 10_000  # costs of less than this part of the total are faint
RECURSION = "↻"  # beside calls within calls
_EXACT = 1 << 53  # floats have all integers up to this

# unless more is known of the cost
WHY_EXCESS = "calls within calls are counted again, or a counter of the profile overflowed"


def any_excess() -> str:
    """Say why a percentage is above 100 where nothing is known of the cost."""
    return WHY_EXCESS


@frozen(eq=True)
class Divisors:
    """What the costs of base and new are divided by, so that runs of other lengths compare.

    Each side is divided by its own number, its total or its calls of a function; a number of 0 is
    nothing to divide by. Nothing is scaled.
    """

    numbers: tuple[int, int]
    are_totals: bool  # quotients are percentages then, and else costs per call

    @property
    def factor(self) -> int:
        """What costs are multiplied with: shares are percentages."""
        return 100 if self.are_totals else 1

    @property
    def suffix(self) -> str:
        """What follows the titles of costs."""
        return " %" if self.are_totals else " per call"

    @property
    def change_suffix(self) -> str:
        """What follows the titles of changes, which of shares are percentage points."""
        return " (points)" if self.are_totals else " per call"

    def quotients(self, costs: CostArray, side: int) -> CostArray:
        """Return costs of a side divided, float64; NaN if it has nothing to divide by.

        Each is rounded once, so that equal fractions are equal.
        """
        if (divisor := self.numbers[side]) <= 0:
            return np.full(len(costs), np.nan)
        if divisor > _EXACT or np.any(np.abs(costs) > _EXACT // self.factor):
            return np.array([cost * self.factor / divisor for cost in costs.tolist()])
        quotients: CostArray = np.asarray(costs, np.float64) * self.factor / divisor
        return quotients


@frozen(eq=True)
class Unit:
    """How the costs of an event are written; the one class that formats costs and changes.

    `total` is the cost that equals 100 %, and by default a full bar. Where there are no percentages
    of it, costs are given in absolute numbers. In a comparison it is that of the base, so that
    costs and changes add up.
    """

    event: str = ""
    total: int | float = 0
    wants_percent: bool = True
    is_ratio: bool = False
    style: NumberStyle = DEFAULT_STYLE
    quantity: Quantity | None = None
    bar_total: int | float | None = None  # the cost of a full bar, if it is not `total`
    can_exceed: bool = False  # whether percentages above 100 have a meaning
    divisors: Divisors | None = None
    longest_change: int | float | None = None  # has the longest bar; None: changes have none

    @property
    def in_percent(self) -> bool:
        """Whether costs are given in percent: where that is wanted and has a meaning."""
        return self.wants_percent and not self.is_ratio and has_percentages(self.total)

    @property
    def shortened(self) -> Unit:
        """The unit with at most four digits and a prefix for large numbers."""
        return replace(self, style=replace(self.style, use_si_prefixes=True))

    def is_faint(self, cost: int | float) -> bool:
        """Whether a cost or a change is less than 0.01 % of the total, if there are percentages."""
        if isinstance(cost, float) or not has_percentages(self.total):
            return False
        return abs(cost) * _FAINT < self.total

    # ---------------------------------------------------------------- costs

    def text(self, cost: int | float, total: int | float | None = None, side: int = NEW) -> str:
        """Format a cost; a percentage is of `total` if given, else of the unit's."""
        if self.divisors is not None:
            divisor = self.divisors.numbers[side]
            if divisor <= 0 or cost != cost:
                return UNDEFINED
            return _fixed(cost * self.divisors.factor / divisor, self.style)
        total = self.total if total is None else total
        text = format_cost(cost, total, self.in_percent, self.style, self.quantity)
        if not self.in_percent or isinstance(cost, float) or isinstance(total, float):
            return text
        if (
            0 < total < cost
            and not self.can_exceed
            and text != (whole := format_percentage(1, 1, self.style))
        ):
            return f">{whole}"
        return smallest_share(self.style) if cost > 0 and is_nothing(text) else text

    def cell(self, cost: int | float, total: int | float | None = None, side: int = NEW) -> str:
        """Format a cost for a column: blank for zero, so that the others stand out."""
        return "" if cost == 0 and not self.is_ratio else self.text(cost, total, side)

    def with_unit(self, cost: int | float, side: int = NEW) -> str:
        """Format a cost for use outside a column: with its percent sign."""
        if self.divisors is not None:
            return f"{self.text(cost, side=side)}{self.divisors.suffix}"
        percent = "\N{THIN SPACE}%" if self.in_percent else ""
        return self.text(cost) + percent

    def absolute(self, cost: int | float) -> str:
        return format_cost(cost, 0, False, self.style, self.quantity)

    def per_call(self, cost: int | float, calls: int) -> str:
        """Format an average cost: in whole counts from 10 on, with one or two decimals below."""
        whole = int(cost // calls)
        if abs(cost) >= 10 * calls or self.quantity is not None or whole * calls == cost:
            return self.absolute(whole)
        decimals = 1 if abs(cost) >= calls else 2
        shown = format_percentage(int(cost), calls * 100, replace(self.style, decimals=decimals))
        return smallest_share(self.style) if is_nothing(shown) else shown

    def exact(self, cost: int | float) -> str:
        """Format a cost to the last count; empty if `text` shows it in full anyway."""
        if isinstance(cost, float) or (self.quantity is None and not self.style.use_si_prefixes):
            return ""
        return format_exact(cost, self.event, self.style, self.quantity)

    def full(self, cost: int | float, side: int = NEW) -> str:
        """Format a cost for tooltips: with its unit, and the exact count if that was shortened."""
        shown, exact = self.with_unit(cost, side), self.exact(cost)
        return f"{shown} ({exact})" if exact not in ("", shown) else shown

    def details(self, cost: int | float, *, is_exact: bool = True) -> tuple[str, ...]:
        """Return a cost as percentage and in absolute numbers; one text where it is only one."""
        mark = "" if is_exact else ESTIMATE
        event = "" if self.quantity is not None and not self.is_ratio else f" {self.event}"
        absolute = f"{mark}{self.absolute(cost)}{event}".rstrip()
        if self.is_ratio or not has_percentages(self.total):
            return (absolute,)
        return mark + replace(self, wants_percent=True, divisors=None).with_unit(cost), absolute

    def excess(
        self,
        cost: int | float,
        total: int | float | None = None,
        why: Callable[[], str] = any_excess,
    ) -> str:
        """Return the percentage and `why` it is above 100; empty if it is not."""
        total = self.total if total is None else total
        if not self.text(cost, total).startswith(">"):
            return ""
        share = format_cost(cost, total, self.in_percent, self.style)
        return f"{share}\N{THIN SPACE}%: {why()}"

    def tip(
        self,
        cost: int | float,
        total: int | float | None = None,
        why: Callable[[], str] = any_excess,
    ) -> str:
        """Return what a cell does not say: the exact cost, and its share where that is not shown.

        Empty for ratios and for zero. `why` tells why a percentage is above 100.
        """
        if isinstance(cost, float) or self.is_ratio or not cost:
            return ""
        exact = format_exact(cost, self.event, self.style, self.quantity)
        total = self.total if total is None else total
        if self.in_percent:
            excess = self.excess(cost, total, why)
            return f"{exact} ({excess})" if excess else exact
        if not has_percentages(total):
            return self.exact(cost)
        return f"{exact} ({format_percentage(cost, total, self.style)}\N{THIN SPACE}%)"

    def bar(self, cost: int | float, total: int | float | None = None) -> float:
        """Return the length of the cost's bar, from 0 to 1; 0 for ratios."""
        total = self.total if total is None else total
        whole = total if self.bar_total is None else self.bar_total
        return 0.0 if self.is_ratio else fraction_of(cost, whole)

    def heading(self, title: str) -> str:
        """Return the title of a column of costs, marked if they are percentages or quotients."""
        if self.divisors is not None:
            return f"{title}{self.divisors.suffix}"
        return f"{title} %" if self.in_percent else title

    # ---------------------------------------------------------------- changes

    def change_text(self, change: int | float) -> str:
        """Format a change: +1 234, −2.5, 0; a dash for NaN, one that is not known.

        Changes of divided costs are those of the quotients.
        """
        if change != change:
            return UNDEFINED
        if self.divisors is not None:
            return signed(_fixed(abs(change), self.style), change)
        size = format_cost(abs(change), self.total, self.in_percent, self.style, self.quantity)
        if self.in_percent and change and isinstance(change, int) and is_nothing(size):
            size = smallest_share(self.style)
        return signed(size, change)

    def change_with_unit(self, change: int | float) -> str:
        """Format a change for use outside a column."""
        if self.divisors is not None:
            return f"{self.change_text(change)}{self.divisors.change_suffix}"
        percent = "\N{THIN SPACE}%" if self.in_percent else ""
        return self.change_text(change) + percent

    def change_size(self, size: float) -> str:
        """Format how large a change may be, with its unit."""
        if self.divisors is not None:
            return f"{_fixed(size, self.style)}{self.divisors.change_suffix}"
        text = format_cost(math.ceil(size), self.total, self.in_percent, self.style, self.quantity)
        return f"{text}\N{THIN SPACE}%" if self.in_percent else text

    def absolute_change(self, change: int | float) -> str:
        return UNDEFINED if change != change else signed(self.absolute(abs(change)), change)

    def exact_change(self, change: int | float) -> str:
        """Format a change to the last count; empty for ratios and quotients."""
        if isinstance(change, float):
            return ""
        return signed(format_exact(abs(change), self.event, self.style, self.quantity), change)

    def change_tip(self, change: int | float) -> str:
        """Return the exact change, and its share of the base's total if that is not shown."""
        if isinstance(change, float) or not change or self.divisors is not None:
            return ""
        exact = self.exact_change(change)
        if self.in_percent or not has_percentages(self.total):
            return exact
        share = signed(format_percentage(abs(change), self.total, self.style), change)
        return f"{exact} ({share}\N{THIN SPACE}% of the base)"

    def change_bar(self, change: int | float) -> float:
        """Return the length of a change's bar, from -1 to 1; 0 for ratios."""
        longest = self.longest_change
        if self.is_ratio or not longest or change != change:
            return 0.0
        return max(-1.0, min(1.0, change / longest))

    def change_heading(self, title: str) -> str:
        if self.divisors is not None:
            return f"{title} {CHANGE_SIGN}{self.divisors.change_suffix}"
        return self.heading(f"{title} {CHANGE_SIGN}")

    def growth(self, base: int | float, new: int | float) -> str:
        """Format a change in percent of the cost in the base: +12.5 %, new, gone.

        Empty if there is no change; a dash where there are no percentages of the base.
        """
        if base != base or new != new:
            return UNDEFINED
        if base == new:
            return ""
        if base == 0 or new == 0:
            return "gone" if base else "new"
        if isinstance(base, float) or isinstance(new, float):
            share = f"{abs(new - base) / abs(base) * 100:.{self.style.decimals}f}"
        elif has_percentages(base):
            share = format_percentage(abs(new - base), base, self.style)
        else:
            return UNDEFINED
        if is_nothing(share):
            share = smallest_share(self.style)
        return f"{signed(share, new - base)}\N{THIN SPACE}%"


NO_UNIT = Unit()


def signed(text: str, change: int | float) -> str:
    """Return the text of a size with the sign of the change: + is growth."""
    return f"+{text}" if change > 0 else f"{MINUS}{text}" if change < 0 else text


def share_text(cost: int | float, total: int | float, style: NumberStyle = DEFAULT_STYLE) -> str:
    """Format a cost in percent of a total: 12.50, <0.01; a dash where there are no percentages."""
    share = format_percentage(int(cost), int(total), style)
    return smallest_share(style) if cost > 0 and is_nothing(share) else share


def is_nothing(percentage: str) -> bool:
    """Return whether the text of a percentage is rounded to 0."""
    return percentage[:1] == "0" and not percentage.strip("0.,٫")


def _fixed(number: float, style: NumberStyle) -> str:
    text = f"{number:,.{style.decimals}f}".replace(",", style.group_separator)
    return text.replace("-", MINUS)
