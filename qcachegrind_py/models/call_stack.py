"""The list of the costliest call path through the active function, from the top caller down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.call_table import CallTableModel
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import ACTIVE_TIP, cost_column, name_columns
from qcachegrind_py.models.base.comparison_columns import (
    ComparedRows,
    base_counts,
    count_text,
    side_columns,
)
from qcachegrind_py.present.folds import no_mark
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class StackRows:
    """Rows of the list, one per node of the path."""

    labels: Labels | None
    node: Int64Array
    cost: CostArray  # of the call from the row above; the first row has its inclusive cost
    second_cost: CostArray
    count: Int64Array
    is_active: BoolArray  # the call from the row above had not returned
    compared: ComparedRows | None = None  # costs are changes then
    mark: Callable[[NodeId], str] = no_mark  # words behind names


NO_ROWS = StackRows(None, _NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))


class StackModel(CallTableModel):
    """A table with one record per node, in the path's order: it cannot be sorted."""

    rows: StackRows

    COST, BASE, NEW, GROWTH, SECOND_COST, COUNT, NAME, LOCATION = range(8)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        tip = "Cost of the calls from the function above"
        columns = (
            cost_column("cost", "Incl.", tip, lambda: self.rows.cost, lambda: self.first),
            *side_columns(lambda: self.rows.compared, tip),
            cost_column(
                "cost",
                "Incl.",
                tip,
                lambda: self.rows.second_cost,
                lambda: self.second,
                is_second=True,
            ),
            Column(
                "count",
                "Calls",
                f"How often it was called from the function above. {ACTIVE_TIP}",
                self._count_text,
                lambda: self.rows.count,
                base_values=lambda: base_counts(self.rows.compared),
            ),
            *name_columns("Function", lambda: self.rows.labels, lambda: self.rows.node),
        )
        super().__init__(columns, parent)

    def _count_text(self, record: int) -> str:
        """Return the count of calls; empty without a call, as at the top and inside a cycle."""
        compared = self.rows.compared
        if compared is not None and compared.is_called(record):
            return count_text(compared, record)
        count, is_active = int(self.rows.count[record]), bool(self.rows.is_active[record])
        return self.first.call_count_text(count, is_active) if count or is_active else ""

    def mark_of(self, record: int) -> str:
        """Return the word that marks a function in a comparison."""
        return self.rows.mark(self.function_of(record))

    def set_rows(self, rows: StackRows, first: CostFormat, second: CostFormat) -> None:
        """Show this path; resets the model."""
        self._show(rows, first, second)

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ignore the request: the path stays in order."""

    def _sorted_order(self) -> Int64Array:
        return np.arange(self.record_count)
