"""The Qt model of all flat lists: renders a table, sorted and filtered by a numpy permutation.

An index has a position on the screen, its *row*, and one in the table, its *record*. Sorting moves
the persistent indexes along, or another record would silently become the current one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from qcachegrind_py.present.table import BarPart, Column, Table
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.tables.item_model import (
    AnyIndex,
    Role,
    alignment,
    cell_value,
    make_index,
)
from qcachegrind_py.views.widgets.controls import tip_text

if TYPE_CHECKING:
    _Model = QAbstractItemModel
else:  # a class of Python, as each model has a base of its own in Qt
    _Model = object

_NO_INDEX = QModelIndex()
_SORT_HINT = "Click the title to sort, click again to reverse the order."
_ASCENDING, _DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


class TableCells(_Model):
    """What both models of tables say of a cell: its texts, colours and bars, and the titles."""

    is_sortable = True

    def __init__(self, empty: Table, parent: QObject | None = None) -> None:
        """`empty` has the columns, and no rows."""
        super().__init__(parent)
        self.empty = self.table = empty
        self._sorted_by = (0, _DESCENDING)
        self._highlighted = self._active = NO_NODE
        self._color: Callable[[int], QColor | None] | None = None
        self._tells_events_apart = False
        self._role_handlers: dict[int, Callable[[int, Column], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda r, c: c.cells.text(r),
            Qt.ItemDataRole.TextAlignmentRole: lambda _r, c: alignment(c.is_number),
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Role.FUNCTION: lambda r, _c: cell_value(self.table.node(r)),
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
        }

    def redraw(self) -> None:
        """Announce that all cells and titles may have changed."""
        last = len(self.columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        if rows := self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, last))

    def set_colors(self, color: Callable[[int], QColor | None] | None) -> None:
        """Mark names with the colours that they have in pictures, too, by record."""
        self._color = color
        self.redraw()

    def tell_events_apart(self, several: bool) -> None:
        """Give bars the colours of their events, where costs of several stand side by side."""
        self._tells_events_apart = several

    def set_node_colors(self, color: Callable[[NodeId], QColor | None]) -> None:
        """Mark the names of functions with the colours that they have in pictures, too."""

        def color_of(record: int) -> QColor | None:
            node = self.table.node(record)
            return None if node == NO_NODE else color(node)

        self.set_colors(color_of)

    def highlight(self, function: NodeId) -> None:
        """Highlight the rows of this function or cycle; `NO_NODE` for none."""
        if function != self._highlighted:
            before, self._highlighted = self._highlighted, function
            self._redraw_rows_of(before, function)

    def mark_active(self, function: NodeId) -> None:
        """Mark the rows of the active function or cycle; `NO_NODE` for none."""
        if function != self._active:
            before, self._active = self._active, function
            self._redraw_rows_of(before, function)

    def _redraw_rows_of(self, *_nodes: NodeId) -> None:
        """Announce that the rows of these functions or cycles look different."""
        self.redraw()

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns

    def place(self, key: str) -> int:
        return self.table.place(key)

    def places(self, *keys: str) -> tuple[int, ...]:
        """Return the positions of the columns with these keys."""
        return tuple(map(self.place, keys))

    # ---------------------------------------------------------------- cells and titles

    def _tip(self, record: int, column: Column) -> str:
        """Return the tip of the row, extended by what the cell does not say."""
        lines = self.table.tip(record)
        if not lines:
            return ""
        cells = column.cells
        more = cells.tip(record)
        return tip_text(*lines, more) if more else tip_text(*lines)

    def is_active(self, record: int) -> bool:
        return self._active != NO_NODE and self.table.node(record) == self._active

    def is_highlighted(self, record: int) -> bool:
        return self._highlighted != NO_NODE and self.table.node(record) == self._highlighted

    def is_faint(self, record: int, column: Column) -> bool:
        """Whether a cell is next to nothing, less than 0.01 %."""
        return self.table.is_faint(record) or column.cells.is_faint(record)

    def is_bold(self, _record: int, _column: Column) -> bool:
        return False

    def bar_parts(self, record: int, column: Column) -> tuple[BarPart, ...]:
        """Return the events that a bar is the cost of, if they have colours here."""
        return column.cells.bar_parts(record) if self._tells_events_apart else ()

    def mark(self, record: int, column: Column) -> str:
        """Return a word behind the name, such as "new", or the sign beside a number."""
        if column.stretches:
            return self.table.mark(record)
        sign = column.cells.sign(record)
        return "" if sign is None else sign.text

    def color(self, record: int, column: Column) -> QColor | None:
        """Return the colour before a name."""
        return self._color(record) if self._color is not None and column.stretches else None

    def _spoken(self, record: int, column: Column) -> str | None:
        """Return what screen readers say of what has a mark; None for all that is seen as text."""
        sign = column.cells.sign(record)
        said = self.mark(record, column) if sign is None else sign.spoken
        return f"{column.cells.text(record)}, {said}" if said else None

    def record(self, index: AnyIndex) -> int:
        """Return the record of an index; -1 for an invalid one."""
        raise NotImplementedError

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.heading
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == Qt.ItemDataRole.WhatsThisRole:
            return f"{column.tip}. {_SORT_HINT}" if self.is_sortable else column.tip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column.is_number)
        return None


class TableModel(TableCells, QAbstractTableModel):
    """A flat list that shows a `Table`; all tables that it shows have the same columns."""

    def __init__(self, empty: Table, parent: QObject | None = None) -> None:
        """`empty` has the columns, and no rows."""
        super().__init__(empty, parent)
        self._mask: BoolArray | None = None
        self._order = np.empty(0, np.int64)  # record of each row
        self._sorted: Int64Array | None = None  # all records in order; None: not sorted yet

    # ---------------------------------------------------------------- content

    def show(self, table: Table) -> None:
        """Show another table; resets the model and drops the filter."""
        self.beginResetModel()
        self.table, self._mask, self._sorted = table, None, None
        self._order = self._sorted_order()
        self.endResetModel()

    def show_numbers(self, table: Table) -> None:
        """Show other numbers of the same rows: sort again, keep filter and persistent indexes."""
        self.table, self._sorted = table, None
        self._update_order()
        self.redraw()

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.show(self.empty)

    def set_filter(self, mask: BoolArray | None) -> None:
        """Show only the records of the mask, shape (records,); all if it is None."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self._update_order()

    # ---------------------------------------------------------------- rows and records

    @property
    def order(self) -> Int64Array:
        """The record of each row, from the top: shape (rows,), int64."""
        return self._order

    def record(self, index: AnyIndex) -> int:
        """Return the record of an index; -1 for an invalid one."""
        return int(self._order[index.row()]) if index.isValid() else -1

    def index_of_record(self, record: int, column: int = 0) -> QModelIndex:
        """Return the index of a record; invalid if it is filtered out."""
        rows = np.flatnonzero(self._order == record)
        return make_index(self, rows[0], column) if len(rows) else QModelIndex()

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the function's first row; an invalid index if it has none."""
        nodes = self.table.nodes
        if nodes is None or function == NO_NODE:
            return QModelIndex()
        rows = np.flatnonzero(nodes[self._order] == function)
        return make_index(self, rows[0], 0) if len(rows) else QModelIndex()

    def _redraw_rows_of(self, *nodes: NodeId) -> None:
        known, wanted = self.table.nodes, [node for node in nodes if node != NO_NODE]
        if known is None or not wanted:
            return
        last = len(self.columns) - 1
        for row in np.flatnonzero(np.isin(known[self._order], wanted)).tolist():
            self.dataChanged.emit(self.index(row, 0), self.index(row, last))

    def _update_order(self) -> None:
        _say_of_rows(self.layoutAboutToBeChanged)
        persistent = self.persistentIndexList()
        records = [(self.record(index), index.column()) for index in persistent]
        self._order = self._sorted_order()
        if persistent:
            rows = np.full(self.table.length, -1, np.int64)
            rows[self._order] = np.arange(len(self._order))
            moved = [
                make_index(self, rows[record], column) if rows[record] >= 0 else QModelIndex()
                for record, column in records
            ]
            self.changePersistentIndexList(persistent, moved)
        _say_of_rows(self.layoutChanged)

    def _sorted_order(self) -> Int64Array:
        """Return the records shown, in order; only other keys are sorted, not another filter."""
        if self._sorted is None and self.table.is_in_order:
            self._sorted = np.arange(self.table.length)
        elif self._sorted is None:
            column, direction = self._sorted_by
            key = self.columns[column].cells.order()
            if direction == _DESCENDING:
                # as -key, but right for the smallest integer, too; ratios that are NaN come last
                # both ways
                key = -key if key.dtype.kind in "fO" else ~key
            rows = self._ties()
            self._sorted = rows[np.argsort(key[rows], kind="stable")]
        assert self._sorted is not None
        return self._sorted if self._mask is None else self._sorted[self._mask[self._sorted]]

    def _ties(self) -> Int64Array:
        """Return the order of records that are equal in the sorted column: the costliest first."""
        if (costs := self.table.costs) is None:
            return np.arange(self.table.length)
        return np.argsort(-costs if costs.dtype.kind in "fO" else ~costs, kind="stable")

    # ---------------------------------------------------------------- Qt's model interface

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._order)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # called some 2,000 times per paint, mostly for roles without a handler
        handler = self._role_handlers.get(role)
        if handler is None or not 0 <= index.row() < len(self._order):
            return None
        return handler(int(self._order[index.row()]), self.table.columns[index.column()])

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        is_sorted = self.table.is_in_order or self._sorted_by == (column, order)
        if is_sorted or not 0 <= column < len(self.columns):
            return  # Qt asks twice, and rows are always in order
        self._sorted_by, self._sorted = (column, order), None
        self._update_order()


def _say_of_rows(signal: Any) -> None:
    """Emit a signal of another layout, in which only rows move.

    Where columns may move, the header hides its hidden ones again, and the list is painted twice.
    """
    signal["QList<QPersistentModelIndex>,QAbstractItemModel::LayoutChangeHint"].emit(
        [], QAbstractItemModel.LayoutChangeHint.VerticalSortHint
    )
