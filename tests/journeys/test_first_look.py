"""Journeys through the real window, as a user takes them from end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QElapsedTimer, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.tables.record_table import FunctionTable
from tests.columns import FUNCTIONS
from tests.profile_text import EXAMPLE, write_slow_file

KEY, CTRL, ALT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
OpenFile = Callable[..., None]


@pytest.fixture
def user(window: MainWindow, qtbot: QtBot) -> User:
    return User(window, qtbot)


class User:
    """A user with mouse and keyboard who reads the window."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self._window, self._qtbot = window, qtbot

    @property
    def active(self) -> str:
        """The name of the active function, as shown in the list."""
        index = self._window.views.function_list.table.currentIndex()
        return str(index.siblingAtColumn(FUNCTIONS.NAME).data())

    def click_row(self, table: FunctionTable, row: int, *, double: bool = False) -> None:
        """Click on a row, and wait until all views follow."""
        place = QPoint(9, table.rowViewportPosition(row) + table.rowHeight(row) // 2)
        with self._qtbot.waitSignal(self._window.navigation.changed):
            self._qtbot.mouseClick(table.viewport(), LEFT, pos=place)
            if double:
                self._qtbot.mouseDClick(table.viewport(), LEFT, pos=place)

    def touch(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key that only moves the focus."""
        self._qtbot.keyClick(QApplication.focusWidget() or self._window, key, modifier)


def test_tab_reaches_every_list_and_the_events(
    window: MainWindow, open_file: OpenFile, user: User
) -> None:
    """Tab cycles through search, functions, callers, callees and events."""
    open_file(EXAMPLE)
    wanted: dict[str, QWidget] = {
        "search": window.views.function_list.search,
        "functions": window.views.function_list.table,
        "callers": window.views.callers.table,
        "callees": window.views.callees.table,
        "events": window.event_combo,
    }
    window.views.function_list.search.setFocus()
    reached: list[str] = []
    for _ in range(60):
        focused = QApplication.focusWidget()
        name = next((name for name, widget in wanted.items() if widget is focused), "")
        if name in reached:
            break
        if name:
            reached.append(name)
        user.touch(KEY.Key_Tab)

    assert set(reached) == set(wanted)
    order = [name for name in reached if name != "events"]
    assert order == ["search", "functions", "callers", "callees"]


def test_window_responds_while_loading(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot, user: User, tmp_path: Path
) -> None:
    """While a large file loads, timers fire, the old profile works, and progress advances."""
    open_file(EXAMPLE)
    slow = write_slow_file(tmp_path / "slow.gz", 120)
    fractions: list[float] = []
    gaps: list[int] = []
    clock, ticking = QElapsedTimer(), QTimer(interval=5)

    def tick() -> None:
        gaps.append(clock.restart())

    ticking.timeout.connect(tick)
    window.session.progressed.connect(fractions.append)
    visited: list[str] = []
    with qtbot.waitSignal(window.session.ended):
        window.open([slow])
        clock.start()
        ticking.start()
        for row in (5, 6, 7):
            user.click_row(window.views.function_list.table, row)
            visited.append(user.active)
        still_opening = window.session.is_opening
    ticking.stop()
    qtbot.waitUntil(lambda: window.views.function_list.model.rowCount() == 300)

    print(f"{len(gaps)} ticks, longest gap {max(gaps)} ms, {len(fractions)} reports")
    assert (still_opening, len(set(visited))) == (True, 3)
    assert len(gaps) > 10
    assert fractions == sorted(fractions)
    assert (len(fractions) > 1, {0 <= fraction <= 1 for fraction in fractions}) == (True, {True})
    assert (window.status_bar.progress.isVisible(), window.session.is_opening) == (False, False)
    assert window.windowTitle() == "slow.gz – QCachegrind.py"


def test_focus_is_seen(window: MainWindow, open_file: OpenFile, user: User) -> None:
    """Each list looks different while it has the focus."""
    open_file(EXAMPLE)
    tables = (
        window.views.function_list.table,
        window.views.callers.table,
        window.views.callees.table,
    )
    window.views.function_list.search.setFocus()
    without = [table.grab().toImage() for table in tables]
    looks_the_same = []
    for table, before in zip(tables, without, strict=True):
        for _ in range(30):
            if QApplication.focusWidget() is not table:
                user.touch(KEY.Key_Tab)
        if table.grab().toImage() == before:
            looks_the_same.append(table.accessibleName())

    assert looks_the_same == []
