"""The keys of actions: those stored, the actions that have them, and their list in the settings."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.settings.shortcuts import ShortcutModel, ShortcutRow
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import KeyBinding, Settings
from tests.profile_rows import DATA
from tests.profile_text import dump_rows


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
    qapp: QApplication, settings: Settings, stored: str, keys: list[str]
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
    assert found["go_to_callers"] == ("Go ▸ View", "Callers")
    assert found["swap_sides"] == ("Command Palette", "Swap Base and New")
    assert found["open"] == ("File", "Open…")


ROWS = [
    ShortcutRow("Open…", "File", "Ctrl+O", False),
    ShortcutRow("Percent of Total", "View ▸ Costs As", "Ctrl+1", False),
    ShortcutRow("Back", "Go", "", True),
]


def test_rows_are_found_by_all_their_texts(qapp: QApplication) -> None:
    """Words may be of the command, the menu and the keys; all rows are keyboard shortcuts."""
    model = ShortcutModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    found = {}
    for words in ("", "percent costs", "ctrl+o", "keyboard shortcut", "nothing"):
        model.set_rows(ROWS, words.split())
        found[words] = model.shown

    assert found == {
        "": [0, 1, 2],
        "percent costs": [1],
        "ctrl+o": [0],
        "keyboard shortcut": [0, 1, 2],
        "nothing": [],
    }


def test_changed_rows_are_bold_and_keep_the_selection(qapp: QApplication) -> None:
    """New keys of the same commands reset nothing."""
    model, resets = ShortcutModel(), []
    model.set_rows(ROWS)
    model.modelReset.connect(lambda: resets.append("reset"))
    model.set_rows([*ROWS[:2], replace(ROWS[2], keys="Alt+Left", is_changed=False)])

    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3)]
    bold = [model.index(row, 0).data(Qt.ItemDataRole.FontRole) for row in range(3)]
    assert titles == ["Command", "Menu", "Shortcut"]
    assert (dump_rows(model, 2), bold, resets) == (["Ctrl+O", "Ctrl+1", "Alt+Left"], [None] * 3, [])
    model.set_rows(ROWS)
    assert model.index(2, 0).data(Qt.ItemDataRole.FontRole).bold()


def test_keys_that_a_user_assigned_stay(qapp: QApplication, tmp_path: Path) -> None:
    """The palette came later, with a key that one of them has; a key never does two things."""
    path = tmp_path / "assigned_keys.ini"
    shutil.copy(DATA / "settings" / path.name, path)
    window = MainWindow(Settings(QSettings(str(path), QSettings.Format.IniFormat)))
    names = "jump", "record", "reload", "palette"
    found = {name: [key.toString() for key in window.actions_[name].shortcuts()] for name in names}
    window.close()
    window.deleteLater()

    assert found == {
        "jump": ["Ctrl+Shift+P"],
        "record": ["Ctrl+P", "Ctrl+Alt+J"],
        "reload": ["Ctrl+Alt+R"],
        "palette": [],
    }
