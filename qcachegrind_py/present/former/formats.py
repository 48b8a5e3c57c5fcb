"""Formats of both sides and of changes, in all units."""

from __future__ import annotations

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.former.change_format import ChangeFormat
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.measures import Measure
from qcachegrind_py.present.former.quotient_format import QuotientChangeFormat, QuotientFormat
from qcachegrind_py.profile.events import CostArray, as_number

# of titles: of costs, of changes
_SUFFIXES = {CostUnit.SHARES: (" %", " (points)"), CostUnit.PER_CALL: (" per call",) * 2}


def side_format(costs: CostFormat, divided: Measure | None, side: int) -> CostFormat:
    """Return the format for costs of the base, side 0, or of the new side, 1."""
    if divided is None:
        return costs
    return QuotientFormat(
        costs.event,
        costs.base,
        False,
        style=costs.style,
        quantity=costs.quantity,
        can_exceed=True,
        factor=divided.factor,
        divisor=divided.divisors[side],
        suffix=_SUFFIXES[divided.unit][0],
    )


def change_format(
    costs: CostFormat, divided: Measure | None, largest_change: int | float | None
) -> ChangeFormat:
    """Return the format for changes; without a largest one they have no bars.

    `costs` is the format of the new side.
    """
    values = (
        costs.event,
        costs.base,
        costs.as_percentage,
        largest_change is None,
        costs.style,
        costs.quantity,
        largest_change,
    )
    if divided is None:
        return ChangeFormat(*values)
    return QuotientChangeFormat(*values, suffix=_SUFFIXES[divided.unit][1])


def largest(changes: CostArray) -> int | float:
    """Return the size of the largest change, which has the longest bar; 0 without any."""
    known = changes[changes == changes]  # without NaN
    if not len(known):
        return 0
    # the ends of a column of 100,000 take 0.1 ms, a list of all sizes 5
    return max(abs(as_number(known.max())), abs(as_number(known.min())))
