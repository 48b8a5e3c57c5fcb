"""The base of lists with one row for each function or cycle: names, locations, tooltips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import Int64Array


class CallTableRows(Protocol):
    """Rows of a call list, one per function or cycle."""

    @property
    def labels(self) -> Labels | None:
        """Names and locations of the nodes; None for an empty list."""

    @property
    def node(self) -> Int64Array:
        """The node of each row: shape (rows,), int64."""


class CallTableModel(ArrayTableModel):
    """A table with one row per function or cycle; subclasses set `rows` before this initializer."""

    rows: CallTableRows

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        self.first = self.second = NO_FORMAT
        super().__init__(columns, parent)

    def _show(self, rows: CallTableRows, first: CostFormat, second: CostFormat) -> None:
        """Show other rows; resets the model."""
        self.rows, self.first, self.second = rows, first, second
        self._reset(len(rows.node))

    def function_of(self, record: int) -> NodeId:
        """Return the function or cycle of a record."""
        return node_at(self.rows.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the function's first row; an invalid index if it has none."""
        rows = np.flatnonzero(self.rows.node[self.order] == function)
        return self.index_of_record(int(self.order[rows[0]])) if len(rows) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Return the full name and location."""
        labels = self.rows.labels
        return tip_text(*labels.details(self.function_of(record))) if labels else ""
