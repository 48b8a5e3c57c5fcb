"""The Qt model of the call tree, whose branches are created when they are opened."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor, QFont

from qcachegrind_py.present.call_tree import NO_CALL_TREE, BranchTree, CallTreeTable
from qcachegrind_py.present.table import Column
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.tables.item_model import AnyIndex, bold_font, make_index
from qcachegrind_py.views.tables.table_model import TableCells
from qcachegrind_py.views.widgets.labels import tip_text

_NO_INDEX = QModelIndex()


class TreeModel(TableCells, QAbstractItemModel):
    """Shows a `CallTreeTable`; the internal id of an index is the row of the table."""

    is_sortable = False
    table: CallTreeTable

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(NO_CALL_TREE, parent)
        self._matches: BoolArray | None = None  # of each function and cycle; None: no search
        self._role_handlers[Qt.ItemDataRole.FontRole] = self._font

    @property
    def tree(self) -> BranchTree:
        """The branches that were opened."""
        return self.table.tree

    def show(self, table: CallTreeTable) -> None:
        """Show another tree; resets the model."""
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def show_numbers(self, table: CallTreeTable) -> None:
        """Show the same tree in other words and units; open branches stay open."""
        self.table = table
        self.redraw()

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.show(NO_CALL_TREE)

    def set_matches(self, matches: BoolArray | None) -> None:
        """Emphasize the names of these functions, shape (nodes,); of none if it is None."""
        self._matches = matches

    # ---------------------------------------------------------------- branches

    def record(self, index: AnyIndex) -> int:
        """Return the row of an index in the table."""
        return int(index.internalId())

    def branch_to(self, index: AnyIndex, function: NodeId) -> QModelIndex:
        """Return the branch of a node to a function, which it has; costlier ones are created."""
        place, below = 0, self.tree.below(self.record(index))
        while self.tree.function(below[place]) != function:
            if below[place] in self.tree.further:
                self.show_more(self.index(place, 0, index))
            else:
                place += 1
        return self.index(place, 0, index)

    def show_more(self, index: AnyIndex) -> None:
        """Replace a node for further branches by the next ones."""
        above, place, parent = self.tree.above[self.record(index)], index.row(), index.parent()
        siblings = self.tree.below(above)
        self.beginRemoveRows(parent, place, place)
        siblings.pop()
        self.endRemoveRows()
        created = self.tree.create(above, place)
        self.beginInsertRows(parent, place, place + len(created) - 1)
        siblings.extend(created)
        self.endInsertRows()

    # ---------------------------------------------------------------- cells

    def _tip(self, record: int, column: Column) -> str:
        lines = self.table.cell_tip(record, column)
        return tip_text(*lines) if lines else ""

    def _decoration(self, record: int, column: Column) -> QColor | None:
        return super()._decoration(record, column) if self.table.node(record) >= 0 else None

    def _font(self, record: int, column: Column) -> QFont | None:
        function, matches = self.table.node(record), self._matches
        if matches is None or function < 0 or not column.stretches:
            return None
        return bold_font() if matches[function] else None

    # ---------------------------------------------------------------- Qt's model interface

    def index(self, row: int, column: int, parent: AnyIndex = _NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        record = self.tree.below(self.record(parent))[row] if parent.isValid() else 0
        return make_index(self, row, column, record)

    def parent(self, index: AnyIndex = _NO_INDEX) -> QModelIndex:  # type: ignore[override]
        above = self.tree.above[self.record(index)] if index.isValid() else -1
        return make_index(self, self.tree.place[above], 0, above) if above >= 0 else QModelIndex()

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        if not parent.isValid():
            return min(1, len(self.tree.branch))
        return len(self.tree.below(self.record(parent))) if parent.column() == 0 else 0

    def hasChildren(self, parent: AnyIndex = _NO_INDEX) -> bool:  # noqa: N802
        if not parent.isValid():
            return bool(self.tree.branch)
        return parent.column() == 0 and self.tree.has_branches(self.record(parent))

    def columnCount(self, _parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        handler = self._role_handlers.get(role)
        if handler is None or not index.isValid():
            return None
        record = self.record(index)
        is_there = record < len(self.tree.branch)
        return handler(record, self.columns[index.column()]) if is_there else None
