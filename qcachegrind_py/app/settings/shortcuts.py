"""The keys of all actions in the menus, and the page of the settings on which users change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import shiboken6
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QMenu,
    QMenuBar,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.tips import set_keys
from qcachegrind_py.frozen import frozen
from qcachegrind_py.session.settings.store import KeyBinding, Settings
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.tables.row_delegates import RowDelegate
from qcachegrind_py.views.widgets.controls import dialog_button

_KEY, _STANDARD = Qt.Key, QKeySequence.StandardKey
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_NATIVE = QKeySequence.SequenceFormat.NativeText
SUBMENU = " ▸ "  # between the titles of a menu and of one in it
_COMMANDS = Qt.KeyboardModifier.ControlModifier | (
    Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
_EDITING = {
    _STANDARD.Copy: "copies",
    _STANDARD.Cut: "cuts",
    _STANDARD.Paste: "pastes",
    _STANDARD.SelectAll: "selects everything",
    _STANDARD.Undo: "undoes typing",
}


@frozen(eq=True)
class MenuEntry:
    """An action of the menu bar, and where it is."""

    action: QAction
    menu: str  # titles of its menus, with `SUBMENU` between them

    @property
    def name(self) -> str:
        """The name of the action, which the settings refer to."""
        return self.action.objectName()

    @property
    def title(self) -> str:
        """The text of the action, without its letter and its number."""
        return _plain_title(self.action.text()).strip("0123456789 ")

    @property
    def keys(self) -> str:
        """The keys of the action as users read them; empty if it has none."""
        return ", ".join(key.toString(_NATIVE) for key in self.action.shortcuts())


def _plain_title(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def menu_entries(bar: QMenuBar) -> list[MenuEntry]:
    """Return the actions of a menu bar that have names; an action in two menus comes once."""
    entries: dict[str, MenuEntry] = {}
    for entry in all_entries(bar):
        if entry.name:
            entries.setdefault(entry.name, entry)
    return list(entries.values())


def all_entries(bar: QMenuBar, *, as_opened: bool = False) -> Iterator[MenuEntry]:
    """Yield the actions of a menu bar, also those without names, such as recent files.

    If `as_opened`, menus that are filled when they open are filled now.
    """
    for action in bar.actions():
        menu = QMenu.menuInAction(action)  # before PySide6 6.11.2, action.menu() destroys it
        if isinstance(menu, QMenu):
            yield from _entries(menu, "", as_opened=as_opened)


def _entries(menu: QMenu, parents: str, *, as_opened: bool) -> Iterator[MenuEntry]:
    if as_opened:
        menu.aboutToShow.emit()
    title = f"{parents}{_plain_title(menu.title())}"
    for action in menu.actions():
        inner = QMenu.menuInAction(action)
        if isinstance(inner, QMenu):
            yield from _entries(inner, title + SUBMENU, as_opened=as_opened)
        elif not action.isSeparator():
            yield MenuEntry(action, title)


class Shortcuts:
    """Reads and changes keys; changes are stored and take effect at once."""

    def __init__(self, settings: Settings, bar: QMenuBar) -> None:
        """Create this before the keys of any action are changed."""
        self._settings = settings
        self.entries = menu_entries(bar)
        self._defaults = {entry.name: entry.action.shortcuts() for entry in self.entries}
        self._letters = {
            QKeySequence.mnemonic(action.text()).toString(_PORTABLE): _plain_title(action.text())
            for action in bar.actions()
        }

    def apply(self) -> None:
        """Give all actions the keys that the user has chosen, or else their own.

        A key that the user has chosen is no other action's, as a new version may have given it one.
        """
        chosen = {
            binding.action: _stored_keys(binding.keys, self._defaults[binding.action])
            for binding in self._settings.key_bindings
            if binding.action in self._defaults
        }
        taken = [key for keys in chosen.values() for key in keys]
        for entry in self.entries:
            free = [key for key in self._defaults[entry.name] if key not in taken]
            keys = chosen.get(entry.name, free)
            if entry.action.shortcuts() != keys:
                set_keys(entry.action, keys)

    def is_changed(self, entry: MenuEntry) -> bool:
        return entry.action.shortcuts() != self._defaults[entry.name]

    def set_key(self, entry: MenuEntry, key: QKeySequence) -> list[MenuEntry]:
        """Give one key to an action, or none if it is empty; return the actions that lose it."""
        return self._set_keys(entry, [] if key.isEmpty() else [key])

    def reset(self, entry: MenuEntry) -> list[MenuEntry]:
        """Give an action its own keys again; return the actions that lose them."""
        return self._set_keys(entry, self._defaults[entry.name])

    def _set_keys(self, entry: MenuEntry, keys: list[QKeySequence]) -> list[MenuEntry]:
        owners = (owner for key in keys for owner in self.owners(key))
        losers = [owner for owner in owners if owner.name != entry.name]
        for loser in losers:
            self._store(loser, [key for key in loser.action.shortcuts() if key not in keys])
        self._store(entry, keys)
        return losers

    def reset_all(self) -> None:
        self._settings.key_bindings = ()
        self.apply()

    def owners(self, key: QKeySequence) -> list[MenuEntry]:
        return [entry for entry in self.entries if key in entry.action.shortcuts()]

    def objection(self, key: QKeySequence) -> str:
        """Return why no action can have this key; empty if one can."""
        text = key.toString(_NATIVE)
        if letter := self._letters.get(key.toString(_PORTABLE)):
            return f"{text} opens the {letter} menu."
        for standard, does in _EDITING.items():
            if key in QKeySequence.keyBindings(standard):
                return f"{text} {does} in fields and lists."
        if _is_for_views(key):
            return f"{text} is for typing and for moving in views. Add Ctrl or Alt."
        return ""

    def _store(self, entry: MenuEntry, keys: list[QKeySequence]) -> None:
        others = [each for each in self._settings.key_bindings if each.action != entry.name]
        if keys != self._defaults[entry.name]:
            others.append(KeyBinding(entry.name, QKeySequence.listToString(keys, _PORTABLE)))
        self._settings.key_bindings = tuple(others)
        self.apply()


def _stored_keys(text: str, default: list[QKeySequence]) -> list[QKeySequence]:
    """Return the keys of a stored text, none for an empty one; the default if it names no key."""
    keys = [key for key in QKeySequence.listFromString(text) if key.toString()]
    return default if text and not keys else keys


def _is_for_views(key: QKeySequence) -> bool:
    """Whether views and fields use a key themselves: all but F keys and Esc without Ctrl or Alt."""
    combination = key[0]  # type: ignore[index]  # the stubs lack it
    pressed = combination.key()
    is_function_key = _KEY.Key_F1 <= pressed <= _KEY.Key_F35
    is_free = is_function_key or pressed == _KEY.Key_Escape
    return not combination.keyboardModifiers() & _COMMANDS and not is_free


_TITLES = "Command", "Menu", "Shortcut"
_SEARCHED = "keyboard shortcuts keys bindings hotkeys accelerators"  # what people look for here


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
        text = f"{self.title} {self.menu} {self.keys} {_SEARCHED}".lower()
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
        return len(self.shown)

    def text(self, row: int, column: int) -> str:
        shown = self._rows[self.shown[row]]
        return (shown.title, shown.menu, shown.keys)[column]

    def is_bold(self, row: int) -> bool:
        return self._rows[self.shown[row]].is_changed


_HINT = "Choose a command, then press its new shortcut in the field."


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
        self.edit.setToolTip("Press the new shortcut here")
        self.edit.keySequenceChanged.connect(self._on_key)
        self.label.setBuddy(self.edit)
        self.clear_button = dialog_button(
            "&Clear", "Remove the shortcut of this command", lambda: self._assign(QKeySequence())
        )
        self.reset_button = dialog_button(
            "&Reset", "Restore the original shortcut of this command", self._reset
        )
        self.message = QLabel(_HINT, wordWrap=True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.take_button = dialog_button(
            "&Use Here", "Take the shortcut away from the other command",
            lambda: self._assign(self._wanted),
        )  # fmt: skip
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
        return ShortcutRow(entry.title, entry.menu, entry.keys, self._shortcuts.is_changed(entry))

    def _show_current(self) -> None:
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
            self._say(f"{titles} lost this shortcut.")


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
