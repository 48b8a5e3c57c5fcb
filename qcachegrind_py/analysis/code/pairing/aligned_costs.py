"""The costs of a function's instructions on both sides, in the same rows.

Rows are those of `align_rows`. Both sides have the same calls, too, with costs and counts of 0
where a side lacks them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedCosts, AnnotatedInstructions
from qcachegrind_py.analysis.code.instructions import NO_ROW, AlignedRows
from qcachegrind_py.analysis.code.location_costs import LocationCalls
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class AlignedCosts:
    """Costs and calls by row; those of all rows are the function's on that side."""

    base: AnnotatedCosts  # shape (events, rows)
    new: AnnotatedCosts
    has_cost: BoolArray  # whether a side has recorded the instruction
    file: Int32Array  # source file of each row on the new side, of which the texts are; 0: unknown
    line: Int32Array


def align_costs(
    base: AnnotatedInstructions, new: AnnotatedInstructions, rows: AlignedRows
) -> AlignedCosts:
    """Put the costs of both sides into the same rows; both are of one profile and its events."""
    sides = _Side(base, rows.base), _Side(new, rows.new)
    keys = [side.call_keys() for side in sides]
    key = np.union1d(*keys)
    before, after = (side.costs(key, own) for side, own in zip(sides, keys, strict=True))
    within = before.within_cycle | after.within_cycle  # as calls lead to the same functions
    return AlignedCosts(
        replace(before, within_cycle=within),
        replace(after, within_cycle=within),
        sides[0].has_cost | sides[1].has_cost,
        sides[1].column("file"),
        sides[1].column("line"),
    )


class _Side:
    """One side, whose instructions are at `position` of each row; NO_ROW where it has none."""

    def __init__(self, annotated: AnnotatedInstructions, position: Int64Array) -> None:
        self._annotated = annotated
        self._size = len(position)
        cost_row = np.append(annotated.cost_row, NO_ROW)[position]
        self._rows = np.flatnonzero(cost_row != NO_ROW)
        self._cost_row = cost_row[self._rows]
        self._row_of_cost = np.zeros(len(annotated.recorded), np.int64)
        self._row_of_cost[self._cost_row] = self._rows
        self._functions = len(annotated.profile.functions)

    @property
    def has_cost(self) -> BoolArray:
        """Whether each row was recorded on this side."""
        return np.isin(np.arange(self._size), self._rows)

    def column(self, name: str) -> Int32Array:
        """Return a column of the recorded instructions by row, 0 where there is none."""
        values = np.zeros(self._size, np.int32)
        values[self._rows] = getattr(self._annotated.recorded, name)[self._cost_row]
        return values

    def call_keys(self) -> Int64Array:
        """Return a number for row and callee of each call."""
        calls = self._annotated.costs.calls
        return self._row_of_cost[calls.location] * self._functions + calls.callee

    def costs(self, key: Int64Array, own: Int64Array) -> AnnotatedCosts:
        """Return the costs by row, with the calls of these keys; `own` are those of this side."""
        costs, calls = self._annotated.costs, self._annotated.costs.calls
        place = find_rows(key, own)
        count, active = np.zeros(len(key), np.int64), np.zeros(len(key), bool)
        within, inclusive = active.copy(), np.zeros((len(calls.inclusive), len(key)), np.int64)
        count[place], active[place] = calls.count, calls.is_active
        within[place], inclusive[:, place] = costs.within_cycle, calls.inclusive
        return AnnotatedCosts(
            self._by_row(costs.self_cost),
            self._by_row(costs.inclusive),
            LocationCalls(key // self._functions, key % self._functions, count, inclusive, active),
            within,
        )

    def _by_row(self, costs: Int64Array) -> Int64Array:
        result = np.zeros((len(costs), self._size), np.int64)
        result[:, self._rows] = costs[:, self._cost_row]
        return result
