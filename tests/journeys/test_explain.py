"""Journeys of a user who asks why the program became slower: the dock Explain Change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.columns import CONTRIBUTIONS
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    COMPARISON_DOCK,
    active_name,
    ignore_offscreen_warnings,
    process_events,
)

pytestmark = ignore_offscreen_warnings
FOLDER = DATA / "comparison"
EXPLAIN = DockRegistry.explain_change.id
CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
Compare = Callable[..., MainWindow]


@pytest.fixture
def stop(shown: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that stops comparing."""

    def stop() -> None:
        shown.session.comparing.stop()
        qtbot.waitUntil(lambda: shown.session.comparison is None)
        qtbot.waitUntil(lambda: not shown.session.is_opening)
        process_events()

    return stop


def active(window: MainWindow) -> str:
    """The name of the active function, without arguments."""
    return active_name(window.session, window.navigation).partition("(")[0]


def explained(window: MainWindow) -> list[str]:
    """What the change consists of, and why."""
    model = window.views.explain_change.model
    columns = CONTRIBUTIONS.NAME, CONTRIBUTIONS.WHY
    return [row.replace(THIN, " ").partition("(")[0] for row in dump_rows(model, *columns)]


def press(window: MainWindow, key: Qt.Key) -> None:
    """Press a key in the list."""
    QTest.keyClick(window.views.explain_change.table, key)
    process_events()


def test_down_to_the_cause_and_back(compare: Compare) -> None:
    """Return goes to the costliest change of each function, Backspace back to where it was."""
    window = compare()
    table = window.views.explain_change.table
    assert window.docks.is_seen(EXPLAIN)
    assert not any(map(table.isColumnHidden, range(table.model().columnCount())))
    assert table.horizontalScrollBar().maximum() == 0  # all columns fit beside the functions
    QTest.keyClick(window, Qt.Key.Key_E, CTRL_ALT)
    process_events()
    assert QApplication.focusWidget() is window.views.explain_change.table

    path = [active(window)]
    while path[-1] != "order":
        press(window, Qt.Key.Key_Return)
        path.append(active(window))
    at_order = explained(window)
    press(window, Qt.Key.Key_Return)
    below = active(window)
    press(window, Qt.Key.Key_Backspace)
    came_back = active(window), window.views.explain_change.table.current_function()

    assert path[-2:] == ["main", "order"]
    assert at_order[0] == "std::__introsort_loop<…> | costlier calls"
    assert at_order[2] == "Self | "
    assert below == "std::__introsort_loop<…>"
    assert came_back[0] == "order"
    assert window.session.queries is not None
    assert window.session.queries.names.name(came_back[1]) == below  # type: ignore[arg-type]


def test_the_dock_comes_and_goes_with_a_comparison(
    compare: Compare, stop: Callable[[], None]
) -> None:
    """In front of the pictures, without taking the keyboard; closed when nothing is compared.

    All layouts keep it as a tab among other views.
    """
    window = compare()
    functions = window.views.function_list.table
    during = window.docks.is_seen(EXPLAIN), functions.hasFocus()
    for key in (Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4, Qt.Key.Key_1):
        QTest.keyClick(window, key, CTRL_ALT)
        process_events()
        bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
        assert COMPARISON_DOCK in [bar.tabText(tab) for bar in bars for tab in range(bar.count())]
    stop()
    after = window.docks.by_id[EXPLAIN].isHidden()

    assert (during, after) == ((True, True), True)
    assert window.docks.is_seen("call_graph")


def test_a_user_who_closes_the_dock_is_not_bothered_again(
    compare: Compare, stop: Callable[[], None], restarted_window: Callable[..., MainWindow]
) -> None:
    """Not in the next comparison, nor after a restart; its key brings it back for good."""
    window = compare()
    window.docks.by_id[EXPLAIN].close()
    stop()
    compare()
    closed = window.docks.by_id[EXPLAIN].isHidden()
    QTest.keyClick(window, Qt.Key.Key_E, CTRL_ALT)
    process_events()
    stop()
    compare()
    back = window.docks.is_seen(EXPLAIN)

    assert (closed, back) == (True, True)
    assert restarted_window().docks.by_id[EXPLAIN].isHidden()


def test_without_a_comparison_the_view_offers_one(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Opened by its key, it says that nothing is compared; a button asks for the base."""
    base = FOLDER / "callgrind.out.sort-plain.xz"
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(base)], ""))
    QTest.keyClick(shown, Qt.Key.Key_E, CTRL_ALT)
    process_events()
    view = shown.views.explain_change

    assert shown.docks.is_seen(EXPLAIN)
    assert view.message.startswith("Nothing is compared.")
    (button,) = (b for b in view.findChildren(QPushButton) if b.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown.session.comparison is not None)
    qtbot.waitUntil(lambda: not shown.session.is_opening)
    process_events()
    assert (view.message, shown.docks.is_seen(EXPLAIN)) == ("", True)
