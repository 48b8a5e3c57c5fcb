"""Units of a comparison: shares of the totals, in points, and costs per call of a function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array
from qcachegrind_py.profile.numbers import has_percentages


@dataclass(frozen=True, slots=True)
class Measure:
    """What the costs of base and new are divided by; 0 if a side has nothing to divide by."""

    unit: CostUnit
    divisors: tuple[int, int]

    @property
    def factor(self) -> int:
        """What costs are multiplied with: shares are percentages."""
        return 100 if self.unit is CostUnit.SHARES else 1

    def change(self, sides: BothSides) -> Float64Array:
        """Return the change of the quotients; NaN if a side has nothing to divide by."""
        base, new = (
            self._quotients(side, divisor)
            for side, divisor in zip((sides.base, sides.new), self.divisors, strict=True)
        )
        change: Float64Array = new - base
        return change

    def _quotients(self, costs: CostArray, divisor: int) -> Float64Array:
        if divisor <= 0:
            return np.full(len(costs), np.nan)
        return np.asarray(costs, np.float64) * self.factor / divisor


def measure(queries: ProfileQueries, context: Context, event: EventType) -> Measure | None:
    """Return what both sides are divided by; None in other units, and for ratios.

    None, too, if there are no shares, as a total is 0 or negative.
    """
    base, unit = context.base, context.unit
    if base is None or event.is_ratio or unit not in (CostUnit.SHARES, CostUnit.PER_CALL):
        return None
    sides = base, context.scope
    if unit is CostUnit.SHARES:
        before, now = (int(queries.total(event, side.parts).base) for side in sides)
        if not (has_percentages(before) and has_percentages(now)):
            return None
    else:
        before, now = (int(queries.costs(side).called[context.function]) for side in sides)
    return Measure(unit, (before, now))
