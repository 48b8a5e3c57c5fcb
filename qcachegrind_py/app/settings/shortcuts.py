"""The keys of all actions in the menus: those they come with, or those that the user has chosen."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from qcachegrind_py.app.style.action_keys import set_keys
from qcachegrind_py.frozen import frozen
from qcachegrind_py.session.settings.store import KeyBinding, Settings

_KEY, _STANDARD = Qt.Key, QKeySequence.StandardKey
_PORTABLE = QKeySequence.SequenceFormat.PortableText
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
    menu: str  # titles of its menus: "View ▸ Costs As"

    @property
    def name(self) -> str:
        """The name of the action, which the settings refer to."""
        return self.action.objectName()

    @property
    def title(self) -> str:
        """The text of the action, without its letter and its number."""
        return plain_title(self.action.text()).strip("0123456789 ")


def plain_title(text: str) -> str:
    """Return the text of an action or menu without the mark of its letter."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def menu_entries(bar: QMenuBar) -> list[MenuEntry]:
    """Return the actions of a menu bar that have names; an action in two menus comes once."""
    entries: dict[str, MenuEntry] = {}
    for action in bar.actions():
        menu = QMenu.menuInAction(action)  # before PySide6 6.11.2, action.menu() destroys it
        for entry in _entries(menu, "") if isinstance(menu, QMenu) else ():
            entries.setdefault(entry.name, entry)
    return list(entries.values())


def _entries(menu: QMenu, parents: str) -> Iterator[MenuEntry]:
    title = f"{parents}{plain_title(menu.title())}"
    for action in menu.actions():
        inner = QMenu.menuInAction(action)
        if isinstance(inner, QMenu):
            yield from _entries(inner, f"{title} ▸ ")
        elif action.objectName():
            yield MenuEntry(action, title)


class Shortcuts:
    """Reads and changes keys; changes are stored and take effect at once."""

    def __init__(self, settings: Settings, bar: QMenuBar) -> None:
        """Create this before the keys of any action are changed."""
        self._settings = settings
        self.entries = menu_entries(bar)
        self._defaults = {entry.name: entry.action.shortcuts() for entry in self.entries}
        self._letters = {
            QKeySequence.mnemonic(action.text()).toString(_PORTABLE): plain_title(action.text())
            for action in bar.actions()
        }

    def apply(self) -> None:
        """Give all actions the keys that the user has chosen, or else their own."""
        chosen = {binding.action: binding.keys for binding in self._settings.key_bindings}
        for entry in self.entries:
            keys = self._defaults[entry.name]
            if entry.name in chosen:
                keys = _stored_keys(chosen[entry.name], keys)
            if entry.action.shortcuts() != keys:
                set_keys(entry.action, keys)

    def is_changed(self, entry: MenuEntry) -> bool:
        """Whether the user has given other keys to an action."""
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
        """Give all actions their own keys again."""
        self._settings.key_bindings = ()
        self.apply()

    def owners(self, key: QKeySequence) -> list[MenuEntry]:
        """Return the actions that have this key."""
        return [entry for entry in self.entries if key in entry.action.shortcuts()]

    def objection(self, key: QKeySequence) -> str:
        """Return why no action can have this key; empty if one can."""
        text = key.toString(QKeySequence.SequenceFormat.NativeText)
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
