"""The base of all flat lists: columns over arrays, sorted and filtered by a numpy permutation.

Rows are numbered twice: a *row* is where the user sees it, a *record* is its place in the arrays.
Sorting moves the persistent indexes along, or another record would silently become the current one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QBrush

from qcachegrind_py.models.base.index import cell_value, make_index
from qcachegrind_py.models.base.plain_text import tip_with
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
ARROW_ROOM = "\N{EM SPACE}"  # styles draw the arrow of the sorted column over its title
_SORT_HINT = "A click on its title sorts by it, another one the other way round."
_TITLE_GAP = "\N{THIN SPACE}"  # or a title on the right touches the next one on the left
_NUMBERS_STAND = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TEXTS_STAND = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
LONGEST_RATIO = "0.00000000"  # the largest ratio need not have the longest text
_ASCENDING, _DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


class Role(IntEnum):
    """What a cell is asked for besides Qt's own roles."""

    FUNCTION = Qt.ItemDataRole.UserRole  # int: the function or cycle of the row
    SHARE = Qt.ItemDataRole.UserRole + 1  # float from 0 to 1: the length of the cost bar
    HIGHLIGHT = Qt.ItemDataRole.UserRole + 2  # bool: the row is of what is selected elsewhere


@dataclass(frozen=True, slots=True)
class Column:
    """One column, declared: what it is called and how a record is shown and sorted in it."""

    title: str
    tip: str
    text: Callable[[int], str]
    sort_key: Callable[[], npt.NDArray[Any]]  # of all records; numbers are copied from it, too
    share: Callable[[int], float] | None = None
    heading: Callable[[], str] | None = None  # the title at the moment, where it changes
    export_text: Callable[[int], str] | None = (
        None  # for other programs, where the key is not right
    )
    exact_text: Callable[[int], str] | None = None  # for the tip, where the text may be shortened
    is_number: bool = True
    is_optional: bool = False  # not shown at first
    is_export_only: bool = False  # other programs get it, shown or not
    elides_start: bool = True  # where it is too narrow for its text, as is right for places
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
        self._highlighted = NO_NODE
        self.tint = QBrush()  # behind what is highlighted; the view's, which knows the palette
        self._role_handlers: dict[int, Callable[[int, int], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda r, c: self.columns[c].text(r),
            Qt.ItemDataRole.TextAlignmentRole: lambda _r, c: alignment(self.columns[c].is_number),
            Qt.ItemDataRole.DecorationRole: self.decoration_of,
            Qt.ItemDataRole.BackgroundRole: self._background,
            Qt.ItemDataRole.ToolTipRole: self._tip_of_cell,
            Role.FUNCTION: lambda r, _c: cell_value(self.function_of(r)),
            Role.SHARE: self._share_of,
            Role.HIGHLIGHT: self._is_highlighted,
        }

    def function_of(self, record: int) -> NodeId:
        """The function or cycle that the record is about; `NO_NODE` for none."""
        raise NotImplementedError

    def tip_of(self, record: int) -> str:
        """The tooltip of all cells of the record."""
        raise NotImplementedError

    def decoration_of(self, record: int, column: int) -> object:
        """What stands before the text of a cell: nothing, or a colour."""
        return None

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

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """The first row about the function; an invalid index where there is none."""
        for row, record in enumerate(self._order.tolist()):
            if self.function_of(record) == function:
                return make_index(self, row, 0)
        return QModelIndex()

    def plain_text(self, index: AnyIndex) -> str:
        """What the cell holds, for other programs: a whole number without groups, a name."""
        column, record = self.columns[index.column()], self.record(index)
        if column.export_text is not None:
            return column.export_text(record)
        if column.is_number:
            return str(cell_value(column.sort_key()[record]))
        return column.text(record)

    def plain_values(self, column: int) -> list[int | float | str | None]:
        """The same of a whole column, from the top: numbers as numbers, None where there is none.

        Made at once, as keys of sorting may be sums over all records.
        """
        spec, records = self.columns[column], self._order.tolist()
        if spec.export_text is not None:
            texts = map(spec.export_text, records)
            return list(map(_parsed_number, texts)) if spec.is_number else list(texts)
        if not spec.is_number:
            return list(map(spec.text, records))
        values: list[int | float] = spec.sort_key()[self._order].tolist()
        return [None if isinstance(value, float) and isnan(value) else value for value in values]

    # ---------------------------------------------------------------- changes

    def highlight(self, function: NodeId) -> None:
        """Mark the rows about this function or cycle; `NO_NODE` for none."""
        if function != self._highlighted:
            self._highlighted = function
            self.redraw()

    def redraw(self) -> None:
        """Say that all cells may look otherwise, and titles, too."""
        last = len(self.columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        if len(self._order):
            self.dataChanged.emit(
                make_index(self, 0, 0), make_index(self, len(self._order) - 1, last)
            )

    def largest_text(self, column: int) -> str:
        """The text of the largest number in the column; empty where there is none."""
        key = self.columns[column].sort_key()
        if not len(key):
            return ""
        if key.dtype.kind == "f":
            return LONGEST_RATIO
        ends = int(key.argmax()), int(key.argmin())
        largest = max(ends, key=lambda record: abs(as_number(key[record])))
        return self.columns[column].text(largest)

    def _reset(self, records: int) -> None:
        """Other records altogether; the filter is gone with the old ones."""
        self.beginResetModel()
        self._records, self._mask = records, None
        self._order = self._sorted_order()
        self.endResetModel()

    def _costs_changed(self) -> None:
        """The same records with other costs: sort again, keep every row's index."""
        self._update_order()
        self.redraw()

    def set_filter(self, mask: BoolArray | None) -> None:
        """Show only these records; all where it is None."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self._update_order()

    def _update_order(self) -> None:
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
            # as -key, and right for the smallest integer, too; NaN is the last of ratios both ways
            key = -key if key.dtype.kind in "fO" else ~key
        return shown[np.argsort(key, kind="stable")]

    # ---------------------------------------------------------------- Qt's questions

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # asked some 2,000 times a picture, mostly for roles that nobody answers
        answer = self._role_handlers.get(role)
        if answer is None or not 0 <= index.row() < len(self._order):
            return None
        return answer(int(self._order[index.row()]), index.column())

    def _tip_of_cell(self, record: int, column: int) -> str:
        """The tip of the record, and at a cost what it is to the last count."""
        exact = self.columns[column].exact_text
        return tip_with(self.tip_of(record), exact(record) if exact is not None else "")

    def _share_of(self, record: int, column: int) -> object:
        share = self.columns[column].share
        return cell_value(share(record)) if share is not None else None

    def _is_highlighted(self, record: int, _column: int) -> bool:
        return self._highlighted != NO_NODE and self.function_of(record) == self._highlighted

    def _background(self, record: int, column: int) -> QBrush | None:
        return self.tint if self._is_highlighted(record, column) else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            title = column.heading() if column.heading is not None else column.title
            if section == self._sorted_by[0]:
                return title + ARROW_ROOM
            return title + _TITLE_GAP if column.is_number else title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == Qt.ItemDataRole.WhatsThisRole:
            return f"{column.tip}. {_SORT_HINT}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column.is_number)
        return None

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        if not 0 <= column < len(self.columns) or self._sorted_by == (column, order):
            return  # Qt asks twice, and rows are always in order
        self._sorted_by = (column, order)
        self._update_order()


def _parsed_number(text: str) -> int | str | None:
    """The number that a text of a column of numbers is, if it is one."""
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def alignment(is_number: bool) -> Qt.AlignmentFlag:
    """Where a cell or title stands: numbers on the right."""
    return _NUMBERS_STAND if is_number else _TEXTS_STAND
