"""Journeys of a user who looks for the revision that made a program slower: the dock History."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.files.dialogs import OpenHistoryDialog
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.columns import HISTORY
from tests.profile_text import THIN, dump_rows
from tests.user_input import active_name, go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
DOCK = DockRegistry.history.id
CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
Ask = Callable[..., OpenHistoryDialog]
SLOWER = 8  # the revision from which on f costs more


@pytest.fixture
def files(draw: Callable[..., Path]) -> list[Path]:
    """Twelve revisions of a program, of which `f` became slower in v8."""
    return [
        draw(
            f"main@a.c 10 -> f 1x{cost}, g 2x50\nf@a.c {cost}\ng@a.c 50",
            f"callgrind.out.v{number}",
        )
        for number, cost in enumerate([100] * SLOWER + [170] * (12 - SLOWER))
    ]


@pytest.fixture
def ask(shown: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that opens the dialog by its key, and chooses files in the first one."""

    def ask(files: list[Path]) -> OpenHistoryDialog:
        chosen = [str(path) for path in reversed(files)], ""
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: chosen)
        QTest.keyClick(shown, Qt.Key.Key_H, CTRL_SHIFT)
        process_events()
        (dialog,) = shown.findChildren(OpenHistoryDialog)
        return dialog

    return ask


@pytest.fixture
def settle(shown: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that waits until the window shows what was opened."""

    def settle() -> None:
        process_events()
        qtbot.waitUntil(lambda: not shown.session.is_opening and shown.jobs.is_idle)
        process_events()
        qtbot.waitUntil(lambda: shown.jobs.is_idle)
        shown.activateWindow()  # which the dialog may still seem to be
        qtbot.waitUntil(shown.isActiveWindow)
        process_events()

    return settle


def accept(dialog: OpenHistoryDialog) -> None:
    """Press *Open*."""
    dialog.buttons.button(QDialogButtonBox.StandardButton.Open).click()


@pytest.fixture
def opened(
    shown: MainWindow, ask: Ask, files: list[Path], settle: Callable[[], None]
) -> MainWindow:
    """The window with the history of the twelve revisions."""
    accept(ask(files))
    settle()
    return shown


def notice_buttons(window: MainWindow) -> dict[str, QPushButton]:
    found = window.notices.findChildren(QPushButton)
    return {button.text(): button for button in found if button.isVisible()}


def test_from_many_files_to_the_cause(
    opened: MainWindow, settle: Callable[[], None], qtbot: QtBot
) -> None:
    """The dock comes to the front, names the step, and two keys compare the revisions around it."""
    view, window = opened.views.history, opened
    in_front = window.docks.is_seen(DOCK)
    names = [row.replace(THIN, " ") for row in dump_rows(view.model, *range(2), HISTORY.NAME)]
    window.views.function_list.table.setFocus()
    QTest.keyClick(window, Qt.Key.Key_H, CTRL_ALT)
    process_events()
    assert QApplication.focusWidget() is view.table
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    process_events()
    active = active_name(window.session, window.navigation)
    assert view.panel.chart is not None
    plot = view.panel.chart.plot
    plot.setFocus()
    for key in (Qt.Key.Key_Home, *[Qt.Key.Key_Right] * (SLOWER - 1), Qt.Key.Key_B):
        QTest.keyClick(plot, key)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(plot, key)
    qtbot.waitUntil(lambda: window.session.comparison is not None)
    settle()

    assert in_front
    assert names == ["+70 | v8 | main", "+70 | v8 | f", " |  | g"]
    assert active == "f"
    assert view.headline.text().startswith("Total: largest step +70 (+43.75")
    assert window.session.history.open_places() == (SLOWER, SLOWER - 1)
    assert [path.name for path in window.session.paths] == [f"callgrind.out.v{SLOWER}"]


def test_files_are_ordered_and_labelled_by_keys(ask: Ask, files: list[Path]) -> None:
    """The order is by name, v9 before v10; keys move, rename and remove a file."""
    dialog = ask(files)
    table, model = dialog.table, dialog.model
    first = dump_rows(model, 0)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down, ALT)
    process_events()
    QTest.keyClick(table, Qt.Key.Key_Up, ALT)
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Up, ALT)
    moved = dump_rows(model, 0)[:3]
    QTest.keyClick(table, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "release")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    process_events()
    table.setCurrentIndex(model.index(11, 0))
    QTest.keyClick(table, Qt.Key.Key_Delete)
    process_events()
    last = dump_rows(model, 0)
    dialog.reject()

    assert first == [f"v{number}" for number in range(12)]
    assert moved == ["v1", "v0", "v2"]
    assert (last[:2], last[-1], len(last)) == (["release", "v0"], "v10", 11)


def test_a_history_needs_two_files(ask: Ask, files: list[Path]) -> None:
    """With one file left, *Open* is disabled, and so is moving."""
    dialog = ask(files[:1])
    is_enabled = [
        button.isEnabled()
        for button in (
            dialog.buttons.button(QDialogButtonBox.StandardButton.Open),
            dialog.up_button,
            dialog.down_button,
            dialog.remove_button,
        )
    ]
    dialog.accept()
    is_open = dialog.isVisible()
    dialog.reject()

    assert (is_enabled, is_open) == ([False, False, False, True], True)


def test_a_bad_file_can_be_left_out(
    shown: MainWindow, ask: Ask, files: list[Path], settle: Callable[[], None], qtbot: QtBot
) -> None:
    """The error names it, nothing is lost, and a button opens the history without it."""
    files[3].write_text("no profile")
    before = shown.session.loaded
    accept(ask(files))
    qtbot.waitUntil(lambda: "Leave It Out" in notice_buttons(shown))
    process_events()
    stays = shown.session.loaded is before and shown.session.history.state.opened is None
    notice_buttons(shown)["Leave It Out"].click()
    settle()
    history = shown.session.history.state.history

    assert stays
    assert history is not None
    assert history.labels == tuple(f"v{number}" for number in range(12) if number != 3)


def test_the_active_function_is_pinned(opened: MainWindow, settle: Callable[[], None]) -> None:
    """The command is in a menu, has a key, and says whether the function is pinned."""
    action, window = opened.actions_["pin"], opened
    go_to(window.session, window.navigation, "g")
    process_events()
    states = [(action.isEnabled(), action.isChecked())]
    QTest.keyClick(window, Qt.Key.Key_P, CTRL_ALT)
    process_events()
    states.append((action.isEnabled(), action.isChecked()))
    go_to(window.session, window.navigation, "f")
    settle()
    states.append((action.isEnabled(), action.isChecked()))
    names = [line.name for line in window.views.history._lines]

    assert states == [(True, False), (True, True), (True, False)]
    assert names[-1] == "g, inclusive"


def test_layouts_leave_the_dock_open(opened: MainWindow) -> None:
    """While a history is open, built-in layouts have its dock; without it, they close it."""
    opened.actions_["reset_layout"].trigger()
    process_events()
    is_open = [not opened.docks.by_id[DOCK].isHidden()]
    opened.session.history.close()
    process_events()
    is_open.append(not opened.docks.by_id[DOCK].isHidden())

    assert is_open == [True, False]
    assert opened.session.queries is not None


def test_the_dock_fits_a_laptop(opened: MainWindow) -> None:
    """At 1366 × 768 the chart and the list are both there, with nothing cut off."""
    view = opened.views.history
    chart = view.panel.chart
    assert chart is not None
    line = view.fontMetrics().height()

    assert (opened.width(), opened.height()) == (1366, 768)
    assert chart.plot.height() > 6 * line
    assert view.table.viewport().height() >= 3 * view.table.rowHeight(0)
    assert chart.plot.getPlotItem().getAxis("bottom").height() >= 2 * line
