"""The callers or the callees of one function: cost, cost per call, count, name and location."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.call_table import CallTableModel
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import (
    ACTIVE_TIP,
    ESTIMATE,
    cost_column,
    name_columns,
    per_call_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.comparison_columns import (
    ComparedRows,
    base_counts,
    comparison_columns,
    count_text,
)
from qcachegrind_py.present.folds import no_mark
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import IN_CYCLE
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CallRows:
    """Rows of the list, one per function or cycle at the other end of the calls."""

    labels: Labels | None
    node: Int64Array
    cost: CostArray
    second_cost: CostArray
    count: Int64Array
    # whether the call stays inside a cycle: such calls have no cost of their own
    in_cycle: BoolArray
    is_active: BoolArray  # still running when the profile was written
    compared: ComparedRows | None = None  # costs are changes then
    compared_second: ComparedRows | None = None  # likewise of the second event
    mark: Callable[[NodeId], str] = no_mark  # words behind names
    # calls through folded functions that were divided among their callers; None: there are none
    is_estimated: BoolArray | None = None

    @property
    def cost_now(self) -> CostArray:
        """The costs; in a comparison those of the new side."""
        return self.cost if self.compared is None else self.compared.cost.new

    @property
    def second_cost_now(self) -> CostArray:
        """The costs of the second event; in a comparison those of the new side."""
        second = self.compared_second
        return self.second_cost if second is None else second.cost.new


_NEVER = np.empty(0, bool)
NO_ROWS = CallRows(None, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NEVER, _NEVER)


class CallModel(CallTableModel):
    """A table with one record per function or cycle at the other end of the calls."""

    rows: CallRows

    (
        COST, BASE, NEW, GROWTH, PER_CALL, SECOND_COST, SECOND_PER_CALL, COUNT, WHY, NAME, LOCATION,
    ) = range(11)  # fmt: skip

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        """`title` names the functions of the list: Caller or Callee."""
        self._title = title
        self.rows = NO_ROWS
        super().__init__(
            (
                *self._cost_columns(),
                *comparison_columns(lambda: self.rows.compared, "Inclusive cost of the calls"),
                Column(
                    "count",
                    "Calls",
                    f"How often it was called. {ACTIVE_TIP}",
                    self._count,
                    self._count_order,
                    values=lambda: self.rows.count,
                    base_values=lambda: base_counts(self.rows.compared),
                ),
                *name_columns(title, lambda: self.rows.labels, lambda: self.rows.node),
            ),
            parent,
        )

    def _empty_copy(self) -> CallModel:
        return CallModel(self._title)

    def _cost_columns(self) -> tuple[Column, ...]:
        cost, second_cost = (lambda: self.rows.cost), (lambda: self.rows.second_cost)
        count, first, second = (
            (lambda: self.rows.count),
            (lambda: self.first),
            (lambda: self.second),
        )
        tip, per_call = (
            "Inclusive cost of the calls; (cycle): included in the cost of the cycle",
            "Average inclusive cost of one call, always absolute",
        )
        return (
            self._without_cycles(
                with_estimate_mark(cost_column("cost", "Incl.", tip, cost, first), self._is_exact)
            ),
            self._per_call(
                per_call_column(
                    "per_call",
                    "Per call",
                    per_call,
                    lambda: self.rows.cost_now,
                    count,
                    self._format_now,
                    gives_way=3,
                )
            ),
            self._without_cycles(
                with_estimate_mark(
                    cost_column("cost", "Incl.", tip, second_cost, second, is_second=True),
                    self._is_exact,
                )
            ),
            self._per_call(
                per_call_column(
                    "per_call",
                    "Per call",
                    per_call,
                    lambda: self.rows.second_cost_now,
                    count,
                    self._second_format_now,
                    is_second=True,
                    gives_way=2,
                )
            ),
        )

    def _without_cycles(self, column: Column) -> Column:
        """Return the column with a word instead of the cost of a call inside a cycle."""
        text = column.text
        return replace(column, text=lambda r: IN_CYCLE if self._is_in_cycle(r) else text(r))

    def _per_call(self, column: Column) -> Column:
        """Return the column, with a dash where there are no calls, or where none was counted.

        Members of the active cycle are not called by it, and calls may be gone.
        """
        column = self._without_cycles(column)
        text = column.text
        return replace(column, text=lambda r: text(r) if self._is_called(r) else "–")

    def _format_now(self) -> CostFormat:
        """Return the format of costs, in a comparison those of the new side."""
        compared = self.rows.compared
        return self.first if compared is None else compared.cost_format

    def _second_format_now(self) -> CostFormat:
        """Return the format of costs of the second event, in a comparison of the new side."""
        second = self.rows.compared_second
        return self.second if second is None else second.cost_format

    def mark_of(self, record: int) -> str:
        """Return the word that marks a function in a comparison."""
        return self.rows.mark(self.function_of(record))

    def _count_order(self) -> Int64Array:
        compared = self.rows.compared
        return self.rows.count if compared is None else np.abs(compared.count.change)

    def _count(self, record: int) -> str:
        compared = self.rows.compared
        if compared is not None and compared.is_called(record):
            return count_text(compared, record)
        count, is_active = int(self.rows.count[record]), bool(self.rows.is_active[record])
        if not self._is_exact(record):
            return ESTIMATE + self.first.count_text(count)
        return self.first.call_count_text(count if self._is_called(record) else None, is_active)

    def _is_exact(self, record: int) -> bool:
        estimated = self.rows.is_estimated
        return estimated is None or not estimated[record]

    def _is_called(self, record: int) -> bool:
        """Whether calls were counted, or still ran when the profile was written."""
        return bool(self.rows.count[record] or self.rows.is_active[record])

    def _is_in_cycle(self, record: int) -> bool:
        return bool(self.rows.in_cycle[record]) and not self.rows.cost_now[record]

    def set_rows(self, rows: CallRows, first: CostFormat, second: CostFormat) -> None:
        """Show these calls; resets the model."""
        self._show(rows, first, second)

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)
