"""The base of all flat lists: columns over arrays, sorted and filtered by a numpy permutation.

A *row* is a position on the screen, a *record* is a position in the arrays. Sorting moves the
persistent indexes along, or another record would silently become the current one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from math import isfinite
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
from PySide6.QtGui import QBrush, QColor

from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.index import cell_value, make_index
from qcachegrind_py.models.base.plain_text import tip_with
from qcachegrind_py.present.former.change_format import CHANGE_SIGN
from qcachegrind_py.present.table import LONGEST_RATIO
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, TextId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
ARROW_ROOM = "\N{EM SPACE}"  # styles draw the sort arrow above the title
_SORT_HINT = "Click the title to sort, click again to reverse the order."
_TITLE_GAP = "\N{THIN SPACE}"  # keeps a right-aligned title clear of the next column's
_NUMBERS_STAND = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TEXTS_STAND = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_OWN_FUNCTIONS = ("columns", "_role_handlers")  # attributes whose functions refer to the model
_TEXTS_PER_CHECK = 5000  # some 10 ms
_NO_PROGRESS = NoProgress()
_ASCENDING, _DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


class Role(IntEnum):
    """Item data roles in addition to Qt's own."""

    FUNCTION = Qt.ItemDataRole.UserRole  # int: the function or cycle of the row
    SHARE = Qt.ItemDataRole.UserRole + 1  # float from 0 to 1: the length of the cost bar
    # bool: the row belongs to the function selected elsewhere
    HIGHLIGHT = Qt.ItemDataRole.UserRole + 2
    ACTIVE = Qt.ItemDataRole.UserRole + 3  # bool: the row is that of the active function
    # float from -1 to 1: the length of the bar of a change, which grows from the middle
    CHANGE = Qt.ItemDataRole.UserRole + 4
    MARK = Qt.ItemDataRole.UserRole + 5  # str: a word behind the name, such as "new"


class ArrayTableModel(QAbstractTableModel):
    """A flat list; subclasses supply the columns and the function of each record.

    A subclass has a constant for each column: the position of the column whose key is that name in
    small letters, such as `NAME = 2`.
    """

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = self._in_order(columns)
        # source files whose text is shown, and not written into other files
        self.withheld: Mapping[TextId, WithheldFile] = {}
        self._records = 0
        self._mask: BoolArray | None = None
        self._order = np.empty(0, np.int64)  # record of each row
        self._sorted: Int64Array | None = None  # all records in order; None: not sorted yet
        self._sorted_by = (0, _DESCENDING)
        self._highlighted = self._active = NO_NODE
        self._node_color: Callable[[NodeId], QColor | None] | None = None
        self._callers_line: Callable[[NodeId], str] = lambda _node: ""
        # background of highlighted rows; set by the view, which knows the palette
        self.tint = QBrush()
        self._role_handlers: dict[int, Callable[[int, int], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda r, c: self.columns[c].text(r),
            Qt.ItemDataRole.TextAlignmentRole: lambda _r, c: alignment(self.columns[c].is_number),
            Qt.ItemDataRole.DecorationRole: self.decoration_of,
            Qt.ItemDataRole.BackgroundRole: self._background,
            Qt.ItemDataRole.ToolTipRole: self._tip_of_cell,
            Role.FUNCTION: lambda r, _c: cell_value(self.function_of(r)),
            Role.SHARE: self._share_of,
            Role.CHANGE: self._change_of,
            Role.MARK: self._mark_of,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
            Role.HIGHLIGHT: self._is_highlighted,
            Role.ACTIVE: self._is_active,
        }

    def _in_order(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Return the columns at the positions that the constants with their keys have."""
        placed: dict[int, Column] = {
            getattr(self, column.key.upper()): column for column in columns
        }
        if sorted(placed) != list(range(len(columns))):
            raise ValueError("columns and their positions do not match")
        return tuple(placed[position] for position in range(len(columns)))

    def function_of(self, record: int) -> NodeId:
        """Return the function or cycle of the record; `NO_NODE` if it has none."""
        raise NotImplementedError

    def tip_of(self, record: int) -> str:
        """Return the tooltip of all cells of the record."""
        raise NotImplementedError

    def decoration_of(self, record: int, column: int) -> object:
        """Return the colour in front of a function's name; None in other columns and lists."""
        if self._node_color is None or not self.columns[column].stretches:
            return None
        return self._node_color(self.function_of(record))

    def set_colors(self, node_color: Callable[[NodeId], QColor | None] | None) -> None:
        """Mark the names of functions with the colours that they have in pictures, too."""
        self._node_color = node_color
        self.redraw()

    def set_callers(self, callers: Callable[[NodeId], str]) -> None:
        """Name the callers of functions in tips; computed only for a tip that is shown."""
        self._callers_line = callers

    # ---------------------------------------------------------------- rows and records

    @property
    def record_count(self) -> int:
        """The number of records, shown or filtered out."""
        return self._records

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
        for row, record in enumerate(self._order.tolist()):
            if self.function_of(record) == function:
                return make_index(self, row, 0)
        return QModelIndex()

    def plain_text(self, index: AnyIndex) -> str:
        """Return a cell's text for export: numbers without digit groups, names in full."""
        column, record = self.columns[index.column()], self.record(index)
        if column.export_text is not None:
            return column.export_text(record)
        if column.is_number:
            number = cell_value(column.numbers()[record])
            return "" if isinstance(number, float) and not isfinite(number) else str(number)
        return column.text(record)

    def snapshot(self) -> ArrayTableModel:
        """Return a model with the present records and order, for a job to read.

        The state of a model is replaced and never modified, so the snapshot refers to the same.
        """
        snapshot = self._empty_copy()
        state = vars(self).items()
        vars(snapshot).update({name: value for name, value in state if name not in _OWN_FUNCTIONS})
        return snapshot

    def written_snapshot(self) -> ArrayTableModel:
        """Return a snapshot without the texts of withheld files."""
        snapshot = self.snapshot()
        if snapshot.withheld:
            snapshot._drop_withheld_texts()
        return snapshot

    def _drop_withheld_texts(self) -> None:
        """Replace what has source text by the same without that of withheld files."""
        raise NotImplementedError

    def _empty_copy(self) -> ArrayTableModel:
        """Return a model of the same class without records."""
        return type(self)()  # type: ignore[call-arg]  # subclasses provide the columns

    def plain_values(
        self, column: int, progress: Progress = _NO_PROGRESS
    ) -> list[int | float | str | None]:
        """Return a column's values for export, from the top; missing numbers are None.

        Computed for the whole column at once, as sort keys may be sums over all records.
        """
        spec, records = self.columns[column], self._order.tolist()
        if spec.export_text is not None:
            texts = _texts(spec.export_text, records, progress)
            return list(map(_parsed_number, texts)) if spec.is_number else list(texts)
        if not spec.is_number:
            return list(_texts(spec.text, records, progress))
        return _known_numbers(spec.numbers()[self._order])

    def plain_title(self, column: int) -> str:
        """Return the title of a column for export, which tells changes from costs."""
        spec = self.columns[column]
        is_marked = spec.heading is not None and CHANGE_SIGN in spec.heading()
        is_said = "change" in spec.title.lower()
        is_change = is_marked or (spec.is_change() and not is_said)
        return f"{spec.title} {CHANGE_SIGN}" if is_change else spec.title

    def plain_base_values(self, column: int) -> list[int | float | str | None] | None:
        """Return the numbers of the base beside a column's values; None if there are none."""
        base_values = self.columns[column].base_values
        values = base_values() if base_values is not None else None
        return None if values is None else _known_numbers(values[self._order])

    def shown_text(self, record: int, column: int) -> str:
        """Return the text of a cell, by record."""
        return self.columns[column].text(record)

    def has_bars(self, column: int) -> bool:
        """Return whether a column has bars beside its numbers."""
        return self.columns[column].share is not None

    def is_hidden(self, column: int) -> bool:
        """Return whether a column is hidden until the user, or a comparison, shows it."""
        return self.columns[column].is_optional

    # ---------------------------------------------------------------- changes

    def highlight(self, function: NodeId) -> None:
        """Highlight the rows of this function or cycle; `NO_NODE` for none."""
        if function != self._highlighted:
            self._highlighted = function
            self.redraw()

    def mark_active(self, function: NodeId) -> None:
        """Mark the rows of the active function or cycle; `NO_NODE` for none."""
        if function != self._active:
            self._active = function
            self.redraw()

    def redraw(self) -> None:
        """Announce that all cells and titles may have changed."""
        last = len(self.columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        if len(self._order):
            self.dataChanged.emit(
                make_index(self, 0, 0), make_index(self, len(self._order) - 1, last)
            )

    def largest_text(self, column: int) -> str:
        """Return the text of the column's largest number; empty if there is none."""
        key = self.columns[column].numbers()
        if not len(key):
            return ""
        if key.dtype.kind == "f":
            return LONGEST_RATIO
        ends = int(key.argmax()), int(key.argmin())
        largest = max(ends, key=lambda record: abs(as_number(key[record])))
        return self.columns[column].text(largest)

    def _reset(self, records: int) -> None:
        """Replace all records and drop the filter."""
        self.beginResetModel()
        self._records, self._mask, self._sorted = records, None, None
        self._order = self._sorted_order()
        self.endResetModel()

    def _costs_changed(self) -> None:
        """Announce other costs of the same records: sort again, keep the persistent indexes."""
        self._sorted = None
        self._update_order()
        self.redraw()

    def set_filter(self, mask: BoolArray | None) -> None:
        """Show only the records of the mask, shape (records,); all if it is None."""
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
        """Return the records shown, in order; only other keys are sorted, not another filter."""
        if self._sorted is None:
            column, direction = self._sorted_by
            key = self.columns[column].sort_key()
            if direction == _DESCENDING:
                # as -key, but right for the smallest integer, too; ratios that are NaN come last
                # both ways
                key = -key if key.dtype.kind in "fO" else ~key
            self._sorted = np.argsort(key[: self._records], kind="stable")
        return self._sorted if self._mask is None else self._sorted[self._mask[self._sorted]]

    # ---------------------------------------------------------------- Qt's model interface

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # called some 2,000 times per paint, mostly for roles without a handler
        handler = self._role_handlers.get(role)
        if handler is None or not 0 <= index.row() < len(self._order):
            return None
        return handler(int(self._order[index.row()]), index.column())

    def _tip_of_cell(self, record: int, column: int) -> str:
        """Return the record's tooltip, extended by the exact cost if the cell shortens it."""
        exact = self.columns[column].exact_text
        tip = tip_with(self.tip_of(record), self._callers_line(self.function_of(record)))
        return tip_with(tip, exact(record) if exact is not None else "")

    def _share_of(self, record: int, column: int) -> object:
        share = self.columns[column].share
        if share is None or self.columns[column].is_change():
            return None
        return cell_value(share(record))

    def _change_of(self, record: int, column: int) -> object:
        spec = self.columns[column]
        return cell_value(spec.share(record)) if spec.share and spec.is_change() else None

    def _mark_of(self, record: int, column: int) -> str:
        return self.mark_of(record) if self.columns[column].stretches else ""

    def _spoken(self, record: int, column: int) -> str | None:
        """Return what screen readers say of a marked name; None for all that is seen as text."""
        mark = self._mark_of(record, column)
        return f"{self.columns[column].text(record)}, {mark}" if mark else None

    def mark_of(self, record: int) -> str:
        """Return a word that is shown behind the name of a record; empty for none."""
        return ""

    def _is_highlighted(self, record: int, _column: int) -> bool:
        return self._highlighted != NO_NODE and self.function_of(record) == self._highlighted

    def _is_active(self, record: int, _column: int) -> bool:
        return self._active != NO_NODE and self.function_of(record) == self._active

    def _background(self, record: int, column: int) -> QBrush | None:
        return self.tint if self._is_highlighted(record, column) else None

    def title(self, column: int) -> str:
        """Return the present title of a column, as `headerData` does with room around it."""
        declared = self.columns[column]
        return declared.heading() if declared.heading is not None else declared.title

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            title = self.title(section)
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
        self._sorted_by, self._sorted = (column, order), None
        self._update_order()


def _texts(text: Callable[[int], str], records: Sequence[int], progress: Progress) -> Iterator[str]:
    """Yield the texts of the records."""
    for begin in range(0, len(records), _TEXTS_PER_CHECK):
        progress.check(begin / len(records))
        yield from map(text, records[begin : begin + _TEXTS_PER_CHECK])


def _known_numbers(values: npt.NDArray[Any]) -> list[int | float | str | None]:
    """Return the numbers for export: None for those that are unknown or have no limit."""
    return [
        None if isinstance(value, float) and not isfinite(value) else value
        for value in values.tolist()
    ]


def _parsed_number(text: str) -> int | str | None:
    """Return a number column's text as a number; None if empty, the text itself if not a number."""
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def alignment(is_number: bool) -> Qt.AlignmentFlag:
    """Return the alignment of a cell or title: numbers to the right."""
    return _NUMBERS_STAND if is_number else _TEXTS_STAND
