"""The border to Qt's item models: indexes, cell values, roles, and short lists of texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QFont


def make_index(model: QAbstractItemModel, row: int, column: int, node: int = 0) -> QModelIndex:
    """Return an index; `node` identifies the item in a tree. Accepts numpy integers."""
    return model.createIndex(int(row), int(column), int(node))


def cell_value(value: object) -> object:
    """Return the value in a type Qt accepts: numpy scalars as Python's, large integers as text."""
    item = getattr(value, "item", None)
    if item is not None:
        value = item()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    return value


AnyIndex = QModelIndex | QPersistentModelIndex
_NUMBERS_STAND = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TEXTS_STAND = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Role(IntEnum):
    """Item data roles in addition to Qt's own."""

    FUNCTION = Qt.ItemDataRole.UserRole  # int: the function or cycle of the row


def alignment(is_number: bool) -> Qt.AlignmentFlag:
    """Return the alignment of a cell or title: numbers to the right."""
    return _NUMBERS_STAND if is_number else _TEXTS_STAND


_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole


class TextTableModel(QAbstractTableModel):
    """A list with a title for each column; subclasses keep the rows and say their texts."""

    def __init__(
        self,
        titles: Sequence[str],
        numbers: Collection[int] = (),
        parent: QObject | None = None,
        *,
        edited: int | None = None,
    ) -> None:
        """`numbers` are the columns with numbers, which are aligned to the right.

        The texts of the column `edited` can be changed; `setData` of the subclass takes them.
        """
        super().__init__(parent)
        self._titles, self._numbers, self._edited = titles, numbers, edited

    def row_count(self) -> int:
        raise NotImplementedError

    def text(self, row: int, column: int) -> str:
        raise NotImplementedError

    def tip(self, row: int) -> str:
        """Return the tooltip of all cells of a row; empty if it has none."""
        return ""

    def is_bold(self, row: int) -> bool:
        return False

    @contextmanager
    def replacing_rows(self, *, keeps_places: bool) -> Iterator[None]:
        """Announce that the rows are replaced; the selection stays if they keep their places."""
        if not keeps_places:
            self.beginResetModel()
        yield
        if not keeps_places:
            self.endResetModel()
        elif count := self.row_count():
            last = self.index(count - 1, len(self._titles) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    # ---------------------------------------------------------------- Qt's model interface

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else self.row_count()

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._titles)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.column() == self._edited:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: AnyIndex, role: int = _Role.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case _Role.DisplayRole:
                return self.text(row, column)
            case _Role.EditRole if self._edited is not None:
                return self.text(row, column)
            case _Role.TextAlignmentRole:
                return alignment(is_number=column in self._numbers)
            case _Role.ToolTipRole:
                return self.tip(row) or None
            case _Role.FontRole if self.is_bold(row):
                return bold_font()
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal:
            if role == _Role.DisplayRole:
                return self._titles[section]
            if role == _Role.TextAlignmentRole:
                return alignment(is_number=section in self._numbers)
        return None


def bold_font() -> QFont:
    """Return a font that only says that a text is bold; a view adds the rest."""
    font = QFont()
    font.setBold(True)
    return font
