"""The list of actions with their keys, in the order of the menus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qcachegrind_py.views.tables.item_model import TextTableModel

_TITLES = "Command", "Menu", "Shortcut"


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


class ShortcutModel(TextTableModel):
    """The rows that match a search; keys that the user has chosen are bold."""

    def __init__(self) -> None:
        super().__init__(_TITLES)
        self._rows: Sequence[ShortcutRow] = ()
        self.shown: list[int] = []  # the rows that match, by their number

    def set_rows(self, rows: Sequence[ShortcutRow], words: Sequence[str] = ()) -> None:
        """Show the rows that contain all of the words; the same rows keep their place."""
        shown = [number for number, row in enumerate(rows) if row.contains(words)]
        with self.replacing_rows(keeps_places=shown == self.shown):
            self._rows, self.shown = rows, shown

    def row_count(self) -> int:
        """Return the number of rows that match."""
        return len(self.shown)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        shown = self._rows[self.shown[row]]
        return (shown.title, shown.menu, shown.keys)[column]

    def is_bold(self, row: int) -> bool:
        """Return whether the user has changed the keys."""
        return self._rows[self.shown[row]].is_changed
