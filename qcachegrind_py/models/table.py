"""The base of all flat lists: columns over arrays, sorted and filtered by a numpy permutation.

Rows are numbered twice: a *row* is where the user sees it, a *record* is its place in the arrays.
Sorting moves the persistent indexes along, or another record would silently become the current one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from qcachegrind_py.models.index import cell, make_index
from qcachegrind_py.models.numbers import cost_text, share
from qcachegrind_py.profile.tables import BoolArray, Int64Array

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_ARROW_ROOM = "\N{EM SPACE}"  # styles draw the arrow of the sorted column over its title
_TITLE_GAP = "\N{THIN SPACE}"  # or a title on the right touches the next one on the left
_ASCENDING, _DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


class Role(IntEnum):
    """What a cell is asked for besides Qt's own roles."""

    FUNCTION = Qt.ItemDataRole.UserRole  # int: the function of the row
    SHARE = Qt.ItemDataRole.UserRole + 1  # float from 0 to 1: the length of the cost bar


@dataclass(frozen=True, slots=True)
class Column:
    """One column, declared: what it is called and how a record is shown and sorted in it."""

    title: str
    tip: str
    text: Callable[[int], str]
    sort_key: Callable[[], Int64Array]
    share: Callable[[int], float] | None = None
    is_number: bool = True
    width: int = 14  # at first, in digits
    stretches: bool = False  # takes the room that is left


class ArrayTableModel(QAbstractTableModel):
    """A flat list. Subclasses give it columns and say of which function a record is."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._records = 0
        self._mask: BoolArray | None = None
        self._order = np.empty(0, np.int64)  # record of each row
        self._sorted_by = (0, _DESCENDING)
        self._base = 0
        self._as_percentage = True

    def function_of(self, record: int) -> int:
        """The function that the record is about."""
        raise NotImplementedError

    def tip_of(self, record: int) -> str:
        """The tooltip of all cells of the record."""
        raise NotImplementedError

    # ---------------------------------------------------------------- rows and records

    @property
    def record_count(self) -> int:
        """How many records there are, shown or not."""
        return self._records

    @property
    def order(self) -> Int64Array:
        """The record of each row, from the top."""
        return self._order

    def record(self, index: AnyIndex) -> int:
        """The record of an index; -1 for an invalid one."""
        return int(self._order[index.row()]) if index.isValid() else -1

    def index_of_record(self, record: int, column: int = 0) -> QModelIndex:
        """Where the record is shown; an invalid index where it is not."""
        rows = np.flatnonzero(self._order == record)
        return make_index(self, rows[0], column) if len(rows) else QModelIndex()

    def index_of_function(self, function: int) -> QModelIndex:
        """The first row about the function; an invalid index where there is none."""
        for row, record in enumerate(self._order.tolist()):
            if self.function_of(record) == function:
                return make_index(self, row, 0)
        return QModelIndex()

    # ---------------------------------------------------------------- changes

    def set_unit(self, base: int, as_percentage: bool) -> None:
        """Say what percentages are of, and whether costs are shown as such; redraw afterwards."""
        self._base = base
        if as_percentage != self._as_percentage:
            self._as_percentage = as_percentage
            last = len(self.columns) - 1
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def cost_text(self, cost: int) -> str:
        """A cost in the unit chosen."""
        return cost_text(cost, self._base, self._as_percentage)

    def largest_text(self, column: int) -> str:
        """The text of the largest number in the column; empty where there is none."""
        key = self.columns[column].sort_key()
        if not len(key):
            return ""
        ends = int(key.argmax()), int(key.argmin())
        return self.columns[column].text(max(ends, key=lambda record: abs(int(key[record]))))

    def share(self, cost: int) -> float:
        """The length of the bar of a cost."""
        return share(cost, self._base)

    def _reset(self, records: int) -> None:
        """Other records altogether; the filter is gone with the old ones."""
        self.beginResetModel()
        self._records, self._mask = records, None
        self._order = self._sorted_order()
        self.endResetModel()

    def _costs_changed(self) -> None:
        """The same records with other costs: sort again, keep every row's index."""
        self._rearrange()
        if len(self._order):
            last = make_index(self, len(self._order) - 1, len(self.columns) - 1)
            self.dataChanged.emit(make_index(self, 0, 0), last)

    def set_filter(self, mask: BoolArray | None) -> None:
        """Show only these records; all where it is None."""
        self._mask = mask
        self._rearrange()

    def _rearrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        persistent = self.persistentIndexList()
        records = [(self.record(index), index.column()) for index in persistent]
        self._order = self._sorted_order()
        if persistent:
            rows = np.full(self._records, -1, np.int64)
            rows[self._order] = np.arange(len(self._order))
            moved = [
                make_index(self, rows[record], column) if rows[record] >= 0 else QModelIndex()
                for record, column in records
            ]
            self.changePersistentIndexList(persistent, moved)
        self.layoutChanged.emit()

    def _sorted_order(self) -> Int64Array:
        shown = np.arange(self._records) if self._mask is None else np.flatnonzero(self._mask)
        column, direction = self._sorted_by
        key = self.columns[column].sort_key()[shown]
        if direction == _DESCENDING:
            key = ~key  # as -key, and right for the smallest integer, too
        return shown[np.argsort(key, kind="stable")]

    # ---------------------------------------------------------------- Qt's questions

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, record = self.columns[index.column()], int(self._order[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(record)
        if role == Role.SHARE:
            return cell(column.share(record)) if column.share else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip_of(record)
        if role == Role.FUNCTION:
            return cell(self.function_of(record))
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            title = f"{column.title} %" if column.share and self._as_percentage else column.title
            if section == self._sorted_by[0]:
                return title + _ARROW_ROOM
            return title + _TITLE_GAP if column.is_number else title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        if not 0 <= column < len(self.columns):
            return
        self._sorted_by = (column, order)
        self._rearrange()
