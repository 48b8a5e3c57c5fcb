"""The list of actions with their keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.settings.shortcuts import ShortcutModel, ShortcutRow
from tests.profile_text import dump_rows

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
