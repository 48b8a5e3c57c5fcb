"""Format costs that are divided: by the total of their side, or by the calls of a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qcachegrind_py.present.former.change_format import CHANGE_SIGN, ChangeFormat, signed
from qcachegrind_py.present.former.cost_format import WHY_EXCESS, CostFormat
from qcachegrind_py.profile.numbers import NumberStyle

_UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class QuotientFormat(CostFormat):
    """Formats costs · `factor` / `divisor`; a dash if the divisor is 0."""

    factor: int = 1
    divisor: int = 1
    suffix: str = ""  # of titles

    def text(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a quotient with the decimals of the style."""
        if self.divisor <= 0 or cost != cost:
            return _UNDEFINED
        return _fixed(cost * self.factor / self.divisor, self.style)

    def with_unit(self, cost: int | float) -> str:
        """Format a quotient for use outside a column."""
        return f"{self.text(cost)}{self.suffix}"

    def heading(self, title: str) -> str:
        """Return the title of a column of quotients."""
        return f"{title}{self.suffix}"


@dataclass(frozen=True, slots=True)
class QuotientChangeFormat(ChangeFormat):
    """Formats changes of quotients, which are floats."""

    suffix: str = ""  # of titles

    def text(self, cost: int | float, base: int | float | None = None) -> str:
        """Format a change: +0.03; a dash if a side has nothing to divide by."""
        return _UNDEFINED if cost != cost else signed(_fixed(abs(cost), self.style), cost)

    def with_unit(self, cost: int | float) -> str:
        """Format a change for use outside a column."""
        return f"{self.text(cost)}{self.suffix}"

    def tip(
        self,
        cost: int | float,
        base: int | float | None = None,
        why: Callable[[], str] = lambda: WHY_EXCESS,
    ) -> str:
        """A quotient has no exact count."""
        return ""

    def share(self, cost: int | float, base: int | float | None = None) -> float:
        """Return the length of the bar, from -1 to 1."""
        if not self.bar_base or cost != cost:
            return 0.0
        return max(-1.0, min(1.0, cost / self.bar_base))

    def heading(self, title: str) -> str:
        """Return the title of a column of changes."""
        return f"{title} {CHANGE_SIGN}{self.suffix}"


def _fixed(number: float, style: NumberStyle) -> str:
    return f"{number:,.{style.decimals}f}".replace(",", style.group_separator)
