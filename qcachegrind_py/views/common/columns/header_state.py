"""Saved headers: order, widths and sorting of the columns of a list, by the keys of the columns.

A saved header stays valid when a later version adds, removes or moves columns.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView

_MAX_WIDTH = 100_000  # pixels; anything wider is not a valid state
_DESCENDING, _ASCENDING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


@dataclass(frozen=True, slots=True)
class ColumnState:
    """One column as it is saved."""

    key: str
    width: int  # pixels; 0: unknown, as for a hidden column
    is_user_width: bool  # the user dragged it to this width
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class HeaderState:
    """The columns of a list, from the left, and the column it is sorted by."""

    columns: tuple[ColumnState, ...]
    sorted_by: str  # a key
    is_descending: bool

    @property
    def sort_order(self) -> Qt.SortOrder:
        """The direction in which the list is sorted."""
        return _DESCENDING if self.is_descending else _ASCENDING

    def to_bytes(self) -> QByteArray:
        """Return the state as JSON, the form in settings."""
        # dataclasses.asdict copies deeply: 16 ms for all lists of a window
        columns = [
            {
                "key": column.key,
                "width": column.width,
                "is_user_width": column.is_user_width,
                "is_hidden": column.is_hidden,
            }
            for column in self.columns
        ]
        saved = {
            "columns": columns,
            "sorted_by": self.sorted_by,
            "is_descending": self.is_descending,
        }
        return QByteArray(json.dumps(saved).encode())

    @classmethod
    def from_bytes(cls, data: QByteArray) -> HeaderState | None:
        """Return the saved state; None if the bytes are not a valid one."""
        try:
            saved = json.loads(bytes(data.data()))
            columns = tuple(_column_state(column) for column in saved["columns"])
            return cls(columns, str(saved["sorted_by"]), bool(saved["is_descending"]))
        except (ValueError, LookupError, TypeError, RecursionError):
            return None


def _column_state(saved: Mapping[str, Any]) -> ColumnState:
    width = saved["width"]
    if not isinstance(width, int) or not 0 <= width <= _MAX_WIDTH:
        raise ValueError("no width of a column")
    is_user_width, is_hidden = bool(saved["is_user_width"]), bool(saved["is_hidden"])
    return ColumnState(str(saved["key"]), width, is_user_width, is_hidden)


def header_state(
    header: QHeaderView,
    keys: Sequence[str],
    user_widths: Mapping[int, int],
    narrow: Collection[int] = (),
) -> HeaderState:
    """Return the current state of a header.

    `keys` are the keys of its sections. `user_widths` are the widths in pixels that the user has
    set, by section; a hidden section keeps its own. Those in `narrow` are hidden for lack of room
    only, and saved as shown.
    """
    columns = tuple(
        ColumnState(
            keys[section],
            user_widths.get(section, header.sectionSize(section)),
            section in user_widths,
            header.isSectionHidden(section) and section not in narrow,
        )
        for section in map(header.logicalIndex, range(header.count()))
    )
    is_descending = header.sortIndicatorOrder() == _DESCENDING
    sorted_by = header.sortIndicatorSection()
    is_known = 0 <= sorted_by < len(keys)
    return HeaderState(columns, keys[sorted_by] if is_known else "", is_descending)


def apply_header_state(header: QHeaderView, keys: Sequence[str], state: HeaderState) -> None:
    """Restore order, widths and visibility of the sections; sorting is up to the list.

    A column that the state lacks keeps its width and follows its left neighbour.
    """
    saved = {column.key: column for column in state.columns if column.key in keys}
    for section, key in enumerate(keys):
        if column := saved.get(key):
            header.setSectionHidden(section, False)
            if column.width:
                header.resizeSection(section, column.width)
            header.setSectionHidden(section, column.is_hidden)
    for position, key in enumerate(_merged_order(keys, list(saved))):
        header.moveSection(header.visualIndex(keys.index(key)), position)


def former_state(saved: QByteArray, keys: Sequence[str]) -> HeaderState | None:
    """Return a state that was saved by position, before columns had keys; None if it is invalid.

    It is the positions of the columns whose width the user has set, `:`, and Qt's state of the
    header. `keys` are those of the columns that the list had then.
    """
    user_columns, _, columns = bytes(saved.data()).partition(b":")
    model, header = _Sections(len(keys)), QHeaderView(Qt.Orientation.Horizontal)
    header.setModel(model)
    if not header.restoreState(QByteArray(columns)):
        return None
    widths = {
        column: _shown_width(header, column)
        for column in range(header.count())
        if str(column).encode() in user_columns.split(b",")
    }
    return header_state(header, keys, widths)


class _Sections(QAbstractTableModel):
    """A table of so many columns and no rows."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self._columns = columns

    def rowCount(  # noqa: N802
        self, _parent: QModelIndex | QPersistentModelIndex | None = None
    ) -> int:
        return 0

    def columnCount(  # noqa: N802
        self, _parent: QModelIndex | QPersistentModelIndex | None = None
    ) -> int:
        return self._columns


def _shown_width(header: QHeaderView, section: int) -> int:
    """Return the width of a section, or the width a hidden one has when it is shown again."""
    is_hidden = header.isSectionHidden(section)
    header.setSectionHidden(section, False)
    width = header.sectionSize(section)
    header.setSectionHidden(section, is_hidden)
    return width


def _merged_order(keys: Sequence[str], saved: Sequence[str]) -> list[str]:
    """Return the saved order, with each missing key after the key it is declared after."""
    order = list(saved)
    for position, key in enumerate(keys):
        if key not in saved:
            order.insert(order.index(keys[position - 1]) + 1 if position else 0, key)
    return order
