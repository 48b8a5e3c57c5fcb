"""The list of the costliest call path through the active function, from the top caller down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import cost_column, count_column, name_columns
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.table import CallTableModel
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class StackRows:
    """Rows of the list, one per node of the path."""

    labels: Labels | None
    node: Int64Array
    cost: CostArray  # of the call from the row above; the first row has its inclusive cost
    second_cost: CostArray
    count: Int64Array


NO_ROWS = StackRows(None, *(_NOTHING for _ in range(4)))


class StackModel(CallTableModel):
    """A table with one record per node, in the path's order: it cannot be sorted."""

    rows: StackRows

    COST, SECOND_COST, COUNT, NAME, LOCATION = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        tip = "Cost of the calls from the function above"
        columns = (
            cost_column("cost", "Cost", tip, lambda: self.rows.cost, lambda: self.first),
            cost_column(
                "cost",
                "Cost",
                tip,
                lambda: self.rows.second_cost,
                lambda: self.second,
                is_second=True,
            ),
            count_column(
                "count",
                "Calls",
                "How often it was called from the function above",
                lambda: self.rows.count,
                lambda count: self.first.count_text(count) if count else "",
            ),
            *name_columns("Function", lambda: self.rows.labels, lambda: self.rows.node),
        )
        super().__init__(columns, parent)

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
