"""Journeys through the real window, as a user takes them from end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QElapsedTimer, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.files.properties_dialog import PropertiesDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.tables.record_table import FunctionTable
from tests.columns import CALLS, FUNCTIONS
from tests.profile_text import EXAMPLE, THIN, dump_rows, write_slow_file

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

    def click_title(self, table: FunctionTable, column: int) -> None:
        """Sort by a column."""
        header = table.horizontalHeader()
        place = QPoint(header.sectionViewportPosition(column) + 9, header.height() // 2)
        self._qtbot.mouseClick(header.viewport(), LEFT, pos=place)

    def click_row(self, table: FunctionTable, row: int, *, double: bool = False) -> None:
        """Click on a row, and wait until all views follow."""
        place = QPoint(9, table.rowViewportPosition(row) + table.rowHeight(row) // 2)
        with self._qtbot.waitSignal(self._window.navigation.changed):
            self._qtbot.mouseClick(table.viewport(), LEFT, pos=place)
            if double:
                self._qtbot.mouseDClick(table.viewport(), LEFT, pos=place)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key in the focused widget, and wait until all views follow."""
        with self._qtbot.waitSignal(self._window.navigation.changed):
            self.touch(key, modifier)

    def touch(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key that only moves the focus."""
        self._qtbot.keyClick(QApplication.focusWidget() or self._window, key, modifier)

    def choose(self, name: str) -> None:
        """Choose an action in its menu or on the toolbar."""
        with self._qtbot.waitSignal(self._window.navigation.changed):
            self._window.actions_[name].trigger()


def test_from_the_costliest_function_to_its_caller_and_back(
    window: MainWindow, open_file: OpenFile, user: User
) -> None:
    """Open a profile, find the highest self cost, go to its caller, back and forward."""
    open_file(EXAMPLE)
    began = user.active
    user.click_title(window.views.function_list.table, FUNCTIONS.SELF)
    user.click_row(window.views.function_list.table, 0)
    costliest = user.active
    callers = dump_rows(window.views.callers.model, CALLS.COST, CALLS.NAME)
    user.click_row(window.views.callers.table, 0, double=True)
    visited = [user.active]
    callees = dump_rows(window.views.callees.model, CALLS.NAME)
    for step in ("back", "back", "forward", "forward", "up"):
        user.choose(step)
        visited.append(user.active)

    assert (began, costliest) == ("main", "_dl_lookup_symbol_x")
    assert callers == [
        "67.26 | _dl_relocate_object",
        "1.84 | _dl_fixup",
        "0.13 | lookup_malloc_symbol",
    ]
    assert callees[0] == "_dl_lookup_symbol_x"
    assert visited == [
        "_dl_relocate_object",
        "_dl_lookup_symbol_x",
        "main",
        "_dl_lookup_symbol_x",
        "_dl_relocate_object",
        "dl_main",
    ]
    assert [window.actions_[n].isEnabled() for n in ("back", "forward")] == [True, False]


def test_everything_by_keyboard(window: MainWindow, open_file: OpenFile, user: User) -> None:
    """Search, choose, callers, back, forward, up, event and unit, all without a mouse."""
    open_file(EXAMPLE)
    user.touch(KEY.Key_F, CTRL)
    searching = QApplication.focusWidget()
    for letter in (KEY.Key_S, KEY.Key_T, KEY.Key_R, KEY.Key_C, KEY.Key_M, KEY.Key_P):
        user.touch(letter)
    found = dump_rows(window.views.function_list.model, FUNCTIONS.NAME)
    user.touch(KEY.Key_Down)
    listed = QApplication.focusWidget()
    user.press(KEY.Key_Return)
    visited = [user.active]
    user.touch(KEY.Key_F, CTRL)
    user.touch(KEY.Key_Escape)
    for key in (KEY.Key_Left, KEY.Key_Right, KEY.Key_Up):
        user.press(key, ALT)
        visited.append(user.active)
    user.press(KEY.Key_E, CTRL)
    event = (window.event_combo.currentText(), window.status_bar.total.text())
    user.press(KEY.Key_3, CTRL)
    costs = dump_rows(window.views.function_list.model, 0, FUNCTIONS.NAME)

    assert (searching, listed) == (
        window.views.function_list.search,
        window.views.function_list.table,
    )
    assert found[0] == "strcmp"
    assert visited == ["strcmp", "main", "strcmp", "check_match"]
    assert window.views.function_list.model.rowCount() == 430
    assert event == (
        "Dr – Data Read Access",
        f"Total Data Read Access: 462{THIN}872",
    )
    assert costs[0].startswith(f"462{THIN}8")


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
    for _ in range(30):
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


def test_opening_is_cancelled(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot, user: User, tmp_path: Path
) -> None:
    """Escape stops loading at once; the old profile stays, and another can be opened."""
    open_file(EXAMPLE)
    before = (
        dump_rows(window.views.function_list.model),
        window.windowTitle(),
        window.status_bar.total.text(),
    )
    with qtbot.waitSignal(window.session.progressed):
        window.open([write_slow_file(tmp_path / "slow.gz", 300)])
    with qtbot.waitSignal(window.session.ended):
        user.touch(KEY.Key_Escape)
    after = (
        dump_rows(window.views.function_list.model),
        window.windowTitle(),
        window.status_bar.total.text(),
    )
    notices = window.notices.notice_texts()
    open_file(EXAMPLE)

    assert (after, notices) == (before, {})
    assert window.status_bar.file.text() == EXAMPLE.name


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


def test_which_run_is_this(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot, user: User
) -> None:
    """Open a profile, press Alt+Return, find caches and totals, and copy a line."""
    open_file(EXAMPLE)
    qtbot.waitUntil(lambda: window.views.function_list.table.hasFocus())
    user.touch(KEY.Key_Return, ALT)
    (dialog,) = window.findChildren(PropertiesDialog)
    qtbot.waitUntil(dialog.page.hasFocus)
    shown = dialog.page.toPlainText().splitlines()
    assert "32 KiB, 64 B, 8-way associative" in shown
    assert shown[shown.index("Ir") :][:4] == [
        "Ir",
        f"1{THIN}866{THIN}859",
        f"1{THIN}866{THIN}861",
        "Instruction Fetch",
    ]
    dialog.page.find("Program termination")
    user.touch(KEY.Key_C, CTRL)
    user.touch(KEY.Key_Escape)

    assert QApplication.clipboard().text() == "Program termination"
    qtbot.waitUntil(lambda: not window.findChildren(PropertiesDialog))
