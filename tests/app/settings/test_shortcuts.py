"""Keys that were stored, and which actions have them."""

from __future__ import annotations

from collections import Counter

import pytest

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import KeyBinding, Settings


@pytest.mark.parametrize(
    ("stored", "keys"),
    [
        ("Ctrl+Alt+R; F2", ["Ctrl+Alt+R", "F2"]),
        ("", []),
        ("no key", ["F5", "Ctrl+R"]),
        ("no key; F2", ["F2"]),
    ],
)
def test_stored_keys_are_those_of_the_next_window(
    settings: Settings, stored: str, keys: list[str]
) -> None:
    """A text that names no key is ignored, and so is an action that is not known."""
    settings.key_bindings = KeyBinding("gone", "F2"), KeyBinding("reload", stored)
    window = MainWindow(Settings())
    found = [key.toString() for key in window.actions_["reload"].shortcuts()]
    window.close()
    window.deleteLater()

    assert found == keys
    assert KeyBinding("gone", "F2") in Settings().key_bindings


def test_every_action_with_keys_can_have_others(window: MainWindow) -> None:
    """The page lists all actions that have keys, each once, by a name that never changes."""
    entries = window.shortcuts.entries
    counts = Counter(entry.name for entry in entries)
    with_keys = {action.text() for action in window.actions() if not action.shortcut().isEmpty()}

    assert [name for name, count in counts.items() if count > 1] == []
    assert with_keys - {entry.action.text() for entry in entries} == set()
    assert {"jump", "go_to_flame_graph", "layout_code", "percent"} <= counts.keys()


def test_entries_say_where_they_are(window: MainWindow) -> None:
    """Titles have no marks of letters or numbers; menus come with those they are in."""
    found = {entry.name: (entry.menu, entry.title) for entry in window.shortcuts.entries}

    assert found["percent"] == ("View ▸ Costs As", "Percent of Total")
    assert found["go_to_callers"] == ("Go", "Callers")
    assert found["open"] == ("File", "Open…")
