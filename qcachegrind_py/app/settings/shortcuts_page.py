"""The page of the settings on which the keys of actions are changed."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.settings.shortcuts import MenuEntry, Shortcuts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.tables.row_delegates import RowDelegate

_TITLES = "Command", "Menu", "Shortcut"


@frozen(eq=True)
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


_NATIVE = QKeySequence.SequenceFormat.NativeText
_HINT = "Choose a command, then press its new keys in the field."


class ShortcutsPage(QWidget):
    """The actions with their keys; below them, a field for the keys of the current one."""

    def __init__(self, shortcuts: Shortcuts) -> None:
        super().__init__()
        self._shortcuts = shortcuts
        self._words: list[str] = []
        self._wanted = QKeySequence()  # a key that belongs to another action
        self.model = ShortcutModel()
        self.table = _Table(self.model)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_current())
        self.label = QLabel("Shortcut:")
        self.edit = QKeySequenceEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setAccessibleName("Shortcut")
        self.edit.setToolTip("Press the new keys here")
        self.edit.keySequenceChanged.connect(self._on_key)
        self.label.setBuddy(self.edit)
        self.clear_button = _button("&Clear", "Leave this command without keys")
        self.clear_button.clicked.connect(lambda: self._assign(QKeySequence()))
        self.reset_button = _button("&Reset", "Give this command its original keys")
        self.reset_button.clicked.connect(self._reset)
        self.message = QLabel(_HINT, wordWrap=True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.take_button = _button("&Use Here", "Take the keys away from the other command")
        self.take_button.clicked.connect(lambda: self._assign(self._wanted))
        self.table.edit_requested.connect(self.edit.setFocus)
        self._arrange()
        self._fill()
        self.table.selectRow(0)

    def _arrange(self) -> None:
        row, below = QHBoxLayout(), QHBoxLayout()
        for widget in (self.label, self.edit, self.clear_button, self.reset_button):
            row.addWidget(widget)
        row.setStretch(1, 1)
        below.addWidget(self.message, 1)
        below.addWidget(self.take_button)
        column = QVBoxLayout(self)
        column.addWidget(self.table, 1)
        column.addLayout(row)
        column.addLayout(below)
        self.message.setMinimumHeight(self.take_button.sizeHint().height())

    def search(self, text: str) -> bool:
        """Show the actions that contain all words; return whether there are any."""
        self._words = text.lower().split()
        self._fill()
        if not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self._show_current()
        return bool(self.model.shown)

    def reset_all(self) -> None:
        """Give all actions their original keys."""
        self._shortcuts.reset_all()
        self._fill()
        self._show_current()

    @property
    def _current(self) -> MenuEntry | None:
        index = self.table.currentIndex()
        return self._shortcuts.entries[self.model.shown[index.row()]] if index.isValid() else None

    def _fill(self) -> None:
        self.model.set_rows([self._row(entry) for entry in self._shortcuts.entries], self._words)

    def _row(self, entry: MenuEntry) -> ShortcutRow:
        keys = ", ".join(key.toString(_NATIVE) for key in entry.action.shortcuts())
        return ShortcutRow(entry.title, entry.menu, keys, self._shortcuts.is_changed(entry))

    def _show_current(self) -> None:
        """Show the key of the current action in the field."""
        entry = self._current
        for widget in (self.edit, self.label):
            widget.setEnabled(entry is not None)
        self.clear_button.setEnabled(entry is not None and bool(entry.action.shortcuts()))
        self.reset_button.setEnabled(entry is not None and self._shortcuts.is_changed(entry))
        self.edit.blockSignals(True)
        self.edit.setKeySequence(QKeySequence() if entry is None else entry.action.shortcut())
        self.edit.blockSignals(False)
        self._say(_HINT)

    def _say(self, text: str, *, wanted: QKeySequence | None = None) -> None:
        """Show a message; with a wanted key, also the button that takes it."""
        self.message.setText(text)
        self._wanted = QKeySequence() if wanted is None else wanted
        self.take_button.setVisible(wanted is not None)

    def _on_key(self, key: QKeySequence) -> None:
        """Store the key at once, unless it belongs to something else."""
        entry = self._current
        if key.isEmpty():  # so it is as long as a key is held down
            return
        if entry is None or not shiboken6.isValid(entry.action):
            return  # Qt announces the key again as it deletes the window, after its actions
        if key in entry.action.shortcuts():
            return
        others = self._shortcuts.owners(key)
        if objection := self._shortcuts.objection(key):
            self._say(objection)
        elif others:
            text = key.toString(_NATIVE)
            self._say(f"{text} belongs to “{others[0].title}” ({others[0].menu}).", wanted=key)
        else:
            self._assign(key)

    def _assign(self, key: QKeySequence) -> None:
        if (entry := self._current) is not None:
            self._show_change(self._shortcuts.set_key(entry, key))

    def _reset(self) -> None:
        if (entry := self._current) is not None:
            self._show_change(self._shortcuts.reset(entry))

    def _show_change(self, losers: list[MenuEntry]) -> None:
        self._fill()
        self._show_current()
        if losers:
            titles = " and ".join(f"“{loser.title}”" for loser in losers)
            self._say(f"{titles} lost these keys.")


class _Table(QTableView):
    edit_requested = Signal()  # by Return, F2 or a double click

    def __init__(self, model: ShortcutModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(RowDelegate(self))
        apply_list_style(self, "Shortcuts")
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        header, digit = self.horizontalHeader(), self.fontMetrics().horizontalAdvance("0")
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, digits in ((1, 24), (2, 24)):
            header.resizeSection(column, digits * digit)
        self.doubleClicked.connect(lambda _index: self.edit_requested.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.edit_requested.emit()
        else:
            super().keyPressEvent(event)


def _button(text: str, tip: str) -> QPushButton:
    """Return a button that Return in a field does not press."""
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button
