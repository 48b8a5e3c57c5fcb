"""Journeys of a user who compares two folders of benchmarks: by keys, by a drop, and again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.profile_text import profile_text
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
DOCK = DockRegistry.benchmarks.id
CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Two folders with three benchmarks each, of which the second became slower."""
    both = [tmp_path / "before", tmp_path / "after"]
    for folder, cost in zip(both, (100, 150), strict=True):
        folder.mkdir()
        for name, own in (("copy", 100), ("parse", cost), ("sort", 100)):
            text = profile_text(f"main@a.c 10 -> f 1x{own}\nf@a.c {own}")
            (folder / f"{name}.out").write_text(text, encoding="utf-8")
    return both


@pytest.fixture
def settle(shown: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that waits until the window shows what was opened."""

    def settle() -> None:
        process_events()
        qtbot.waitUntil(lambda: shown.jobs.is_idle and shown.session.suite.is_open)
        process_events()

    return settle


def test_folders_are_chosen_by_a_key(
    shown: MainWindow,
    folders: list[Path],
    settle: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two dialogs ask for them; the dock comes to the front beside the open comparison."""
    asked = [str(folder) for folder in reversed(folders)]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_arguments: asked.pop())
    QTest.keyClick(shown, Qt.Key.Key_K, CTRL_ALT)
    settle()
    assert shown.docks.is_seen(DOCK)
    assert [path.name for path in shown.session.paths] == ["parse.out"]
    assert shown.session.comparing.is_of_files
    recent = shown.settings.recent[0]
    assert (recent.base, recent.files) == ((folders[0],), (folders[1],))


def test_folders_that_are_dropped_together(
    shown: MainWindow, folders: list[Path], settle: Callable[[], None]
) -> None:
    """The one that was written first is the base, whatever the order."""
    shown.file_commands.open([folders[1], folders[0]])
    settle()
    assert shown.session.suite.state.folders == (folders[0], folders[1])


def test_a_recent_comparison_of_folders_opens_again(
    shown: MainWindow, folders: list[Path], settle: Callable[[], None]
) -> None:
    """It is one entry, and its pairs are none."""
    shown.file_commands.open_here([folders[1]], base=[folders[0]])
    settle()
    view = shown.views.benchmarks
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_End)
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    settle()
    shown.file_commands.remember_opened()
    recent, *example = shown.settings.recent
    assert (recent.base, len(example)) == ((folders[0],), 1)
    before = shown.session.suite.state
    shown.file_commands.open_recent(recent)
    process_events()
    settle()
    assert shown.session.suite.state is not before
    assert shown.docks.is_seen(DOCK)
