"""The base of short lists whose cells are texts, in the order that they are given in.

Lists of functions, which are long and can be sorted, build on `table.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont

from qcachegrind_py.models.base.table import AnyIndex, alignment

_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole


class TextTableModel(QAbstractTableModel):
    """A list with a title for each column; subclasses keep the rows and say their texts."""

    def __init__(
        self, titles: Sequence[str], numbers: Collection[int] = (), parent: QObject | None = None
    ) -> None:
        """`numbers` are the columns with numbers, which are aligned to the right."""
        super().__init__(parent)
        self._titles, self._numbers = titles, numbers

    def row_count(self) -> int:
        """Return the number of rows."""
        raise NotImplementedError

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def tip(self, row: int) -> str:
        """Return the tooltip of all cells of a row; empty if it has none."""
        return ""

    def is_bold(self, row: int) -> bool:
        """Return whether the texts of a row are bold."""
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

    def data(self, index: AnyIndex, role: int = _Role.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case _Role.DisplayRole:
                return self.text(row, column)
            case _Role.TextAlignmentRole:
                return alignment(is_number=column in self._numbers)
            case _Role.ToolTipRole:
                return self.tip(row) or None
            case _Role.FontRole if self.is_bold(row):
                return _bold_font()
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


def _bold_font() -> QFont:
    font = QFont()
    font.setBold(True)
    return font
