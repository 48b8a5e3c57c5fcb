"""The list of actions with their keys, in the order of the menus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QFont

from qcachegrind_py.models.base.table import AnyIndex

_TITLES = "Command", "Menu", "Shortcut"
_NO_INDEX = QModelIndex()
_DISPLAYED = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


@dataclass(frozen=True, slots=True)
class ShortcutRow:
    """An action: its title, its menu, its keys as text, and whether the user has chosen them."""

    title: str
    menu: str
    keys: str
    is_changed: bool

    def contains(self, words: Sequence[str]) -> bool:
        """Return whether title, menu and keys contain all of the words, in small letters.

        Every row is found as a keyboard shortcut.
        """
        text = f"{self.title} {self.menu} {self.keys} keyboard shortcuts".lower()
        return all(word in text for word in words)


class ShortcutModel(QAbstractTableModel):
    """The rows that match a search; keys that the user has chosen are bold."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ShortcutRow] = ()
        self.shown: list[int] = []  # the rows that match, by their number

    def set_rows(self, rows: Sequence[ShortcutRow], words: Sequence[str] = ()) -> None:
        """Show the rows that contain all of the words; the same rows keep their place."""
        shown = [number for number, row in enumerate(rows) if row.contains(words)]
        is_same = shown == self.shown
        if not is_same:
            self.beginResetModel()
        self._rows, self.shown = rows, shown
        if not is_same:
            self.endResetModel()
        elif shown:
            last = self.index(len(shown) - 1, len(_TITLES) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        """Return the number of rows that match."""
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the title of a column."""
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return _TITLES[section] if is_title else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, bold in rows that the user has changed."""
        if not index.isValid():
            return None
        row = self._rows[self.shown[index.row()]]
        if role in _DISPLAYED:
            return (row.title, row.menu, row.keys)[index.column()]
        if role == Qt.ItemDataRole.FontRole and row.is_changed:
            font = QFont()
            font.setBold(True)
            return font
        return None
