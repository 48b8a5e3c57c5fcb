"""How the costs of one event are written: of what percentages are, in which style."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.profile.number_format import (
    DEFAULT_STYLE,
    NumberStyle,
    format_cost,
    format_count,
    format_exact,
    fraction_of,
)
from qcachegrind_py.profile.units import Unit


@dataclass(frozen=True, slots=True)
class CostFormat:
    """Writes costs. `base` is what percentages are of, and what a full bar is."""

    event: str = ""
    base: int | float = 0
    as_percentage: bool = True
    is_ratio: bool = False
    style: NumberStyle = DEFAULT_STYLE
    quantity: Unit | None = None

    def text(self, cost: int | float, base: int | float | None = None) -> str:
        """The cost; of another base, where one is given."""
        base = self.base if base is None else base
        return format_cost(cost, base, self.as_percentage, self.style, self.quantity)

    def with_unit(self, cost: int | float) -> str:
        """The cost where no title says that it is a percentage."""
        unit = "\N{THIN SPACE}%" if self.as_percentage and not self.is_ratio else ""
        return self.text(cost) + unit

    def absolute_text(self, cost: int | float) -> str:
        """The cost as it is."""
        return format_cost(cost, 0, False, self.style, self.quantity)

    def exact_text(self, cost: int | float) -> str:
        """The cost to the last count, where shortened; empty where it is written in full."""
        if isinstance(cost, float) or (self.quantity is None and not self.style.use_si_prefixes):
            return ""
        return format_exact(cost, self.event, self.style, self.quantity)

    def full_text(self, cost: int | float) -> str:
        """The cost with its unit, and to the last count where that is shortened: for tips."""
        shown, exact = self.with_unit(cost), self.exact_text(cost)
        return f"{shown} ({exact})" if exact not in ("", shown) else shown

    def count_text(self, count: int) -> str:
        """A number that is no cost."""
        return format_count(count, self.style)

    def share(self, cost: int | float, base: int | float | None = None) -> float:
        """The length of the cost's bar, from 0 to 1; ratios have none."""
        return 0.0 if self.is_ratio else fraction_of(cost, self.base if base is None else base)

    def heading(self, title: str) -> str:
        """The title of a column of these costs."""
        return f"{title} %" if self.as_percentage and not self.is_ratio else title


NO_FORMAT = CostFormat()
