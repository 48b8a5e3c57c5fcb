"""The base of lists whose records are functions at the other end of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel, Column
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import Int64Array


class CallTableRows(Protocol):
    """What such a list shows: a row a function or cycle."""

    @property
    def labels(self) -> Labels | None:
        """What they are called; None where there are none."""

    @property
    def node(self) -> Int64Array:
        """Which they are."""


class CallTableModel(ArrayTableModel):
    """A record a function or cycle; `rows` is set by the subclass, before this is made."""

    rows: CallTableRows

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        self.first = self.second = NO_FORMAT
        super().__init__(columns, parent)

    def _show(self, rows: CallTableRows, first: CostFormat, second: CostFormat) -> None:
        """Show other rows. Resets the model."""
        self.rows, self.first, self.second = rows, first, second
        self._reset(len(rows.node))

    def function_of(self, record: int) -> NodeId:
        """The function or cycle."""
        return node_at(self.rows.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """The first row about the function; an invalid index where there is none."""
        rows = np.flatnonzero(self.rows.node[self.order] == function)
        return self.index_of_record(int(self.order[rows[0]])) if len(rows) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Name and place in full."""
        labels = self.rows.labels
        return tip_text(*labels.details(self.function_of(record))) if labels else ""
