"""Journeys of a user who splits the window: two sets of views, each with its active function."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.panels import PanelWindow
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT
from tests.columns import CALLS
from tests.profile_text import EXAMPLE
from tests.user_input import (
    active_name,
    choose_action,
    click_row,
    double_click_row,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    row_menu,
)

pytestmark = ignore_offscreen_warnings
OpenFile = Callable[..., None]
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
CTRL_ALT = CTRL | ALT


def split(window: MainWindow) -> PanelWindow:
    """The second panel, opened by its key."""
    QTest.keyClick(window, Qt.Key.Key_S, CTRL_ALT)
    process_events()
    panel = window.split_dock.panel
    assert panel is not None
    panel.docks.create_shown_views()
    process_events()
    return panel


def active(session: Session) -> str:
    """The name of the active function of a panel."""
    return active_name(session, session.navigation)


def names(panel: PanelWindow | MainWindow, dock_id: str) -> list[str]:
    """The functions in the list of callers or callees of a panel."""
    model = panel.docks.view(dock_id).model  # type: ignore[attr-defined]
    column = model.columnCount() - 2
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_split_shows_a_second_set_of_views(shown: MainWindow) -> None:
    """Its views are as wide as the first ones, also in a larger window; a key shows and hides it.

    The header of the split keeps its height, as the one of the window does.
    """
    functions_before = shown.docks.by_id["function_list"].width()
    panel = split(shown)
    first, second = shown.docks.by_id["picture"], shown.split_dock
    seen = [dock_id for dock_id in panel.docks.by_id if panel.docks.is_seen(dock_id)]

    assert seen == ["callees", "picture"]
    assert abs(first.width() - second.width()) < 20
    assert first.x() < second.x()
    assert second.y() < shown.docks.by_id["callers"].y()  # from the toolbar to the status bar
    assert shown.actions_["split"].isChecked()

    QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
    process_events()
    assert (second.isVisible(), shown.actions_["split"].isChecked()) == (False, False)
    assert abs(shown.docks.by_id["function_list"].width() - functions_before) < 5

    split(shown)
    before = panel.header.height() + panel.header.y(), panel.docks.by_id["picture"].height()
    shown.resize(1920, 1080)
    process_events()
    assert panel.header.height() + panel.header.y() == before[0]
    assert panel.docks.by_id["picture"].height() > before[1] + 100


def test_the_split_follows_the_selection(shown: MainWindow) -> None:
    """A click on a callee shows it in the split, while the first views stay where they are.

    Without *Follow Selection* the split keeps its function.
    """
    panel = split(shown)
    before = active(shown.session), active(panel.session)
    callees = names(shown, "callees")
    click_row(shown.views.callees.table, 0)

    assert before == ("main", "main")
    assert (active(shown.session), active(panel.session)) == ("main", callees[0])
    assert panel.header.name_label.text() == callees[0]
    assert names(panel, "callees") != callees
    panel.docks.show("callers")
    assert names(panel, "callers") == ["main"]

    panel.follow_box.click()
    click_row(shown.views.callees.table, 1)
    assert (panel.follow_box.isChecked(), active(panel.session)) == (False, callees[0])


def test_each_panel_has_its_history(shown: MainWindow) -> None:
    """Back and the other commands apply to the panel that has the keyboard focus."""
    panel = split(shown)
    callee = names(shown, "callees")[0]
    double_click_row(panel.docks.view("callees").table, 0)  # type: ignore[attr-defined]
    after = active(shown.session), active(panel.session)
    in_split = shown.panels.current.session is panel.session
    QTest.keyClick(shown.window(), Qt.Key.Key_Left, ALT)
    process_events()

    assert (after, in_split) == (("main", callee), True)
    assert (active(shown.session), active(panel.session)) == ("main", "main")
    assert shown.navigation.back_history == ()


def test_the_keyboard_moves_between_the_panels(shown: MainWindow) -> None:
    """F10 goes to the other panel; keys of views then lead to the views of that panel.

    The bold header shows to which panel commands apply: to the first one when the split closes.
    """
    panel = split(shown)
    headers = [shown.panels.first.header, panel.header]
    found, bold = [], []
    for key in (Qt.Key.Key_F10, Qt.Key.Key_F8, Qt.Key.Key_F10, Qt.Key.Key_F10):
        QTest.keyClick(shown, key)
        process_events()
        focused = QApplication.focusWidget()
        assert focused is not None
        inner = [i for i, dock in panel.docks.by_id.items() if dock.isAncestorOf(focused)]
        found.append(inner or [i for i, d in shown.docks.by_id.items() if d.isAncestorOf(focused)])
        bold.append([header.name_label.font().bold() for header in headers])
    QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
    process_events()
    bold.append([header.name_label.font().bold() for header in headers])

    assert found[:3] == [["callees"], ["picture"], ["function_list"]]
    first, second = [True, False], [False, True]
    assert bold == [second, second, first, second, first]
    assert shown.panels.current.session is shown.session


def test_both_panels_show_the_same_costs(shown: MainWindow, qtbot: QtBot) -> None:
    """Event, filter and units are those of the window, whichever panel they are changed in."""
    panel = split(shown)
    events = shown.navigation.context.events.all
    panel.session.navigation.set(event=events[1])
    shown.filter_bar.set_text("main")
    qtbot.waitUntil(lambda: bool(panel.session.navigation.context.filter))

    contexts = [session.navigation.context for session in (shown.session, panel.session)]
    assert [context.event for context in contexts] == [events[1]] * 2
    assert [str(context.filter) for context in contexts] == [str(contexts[0].filter)] * 2
    assert contexts[0].filter


def test_menus_of_the_split_act_in_the_split(shown: MainWindow) -> None:
    """*Show in Source* opens the source of the panel in which the menu was opened."""
    panel = split(shown)
    table = panel.docks.view("callees").table  # type: ignore[attr-defined]
    choose_action(row_menu(table, 0), "Show in Source")
    process_events()

    assert panel.docks.is_seen("source")
    assert not shown.docks.is_seen("source")
    assert active(shown.session) == "main" != active(panel.session)


def test_the_split_survives_another_profile(
    shown: MainWindow, open_file: OpenFile, draw: Callable[..., object]
) -> None:
    """Reloading keeps its function; another program begins where the first views do."""
    panel = split(shown)
    callee = names(shown, "callees")[0]
    go_to(panel.session, panel.session.navigation, callee)
    open_file(EXAMPLE)
    process_events()
    reloaded = active(panel.session)
    open_file(draw("events: Ir\nstart 1 -> other 1x9\nother 9"))
    process_events()

    assert reloaded == callee
    assert active(panel.session) == active(shown.session)
    assert panel.session.queries is shown.session.queries
    assert panel.session.navigation.back_history == ()


def test_layouts_close_and_restore_the_split(shown: MainWindow) -> None:
    """No built-in layout has the split, and none that was saved before there was one.

    Maximizing the split, which takes the keyboard along, and back restores both panels.
    """
    saved = shown.docks.save_state()
    split(shown)
    before = shown.split_dock.geometry()
    shown.views.function_list.table.setFocus()
    shown.docks.maximizer.toggle("split")
    process_events()
    alone = shown.split_dock.width(), shown.docks.by_id["picture"].isVisible()
    keyboard_is_there = shown.split_dock.isAncestorOf(QApplication.focusWidget())
    is_current = shown.panels.current is not shown.panels.first
    shown.docks.maximizer.toggle("split")
    process_events()
    after = shown.split_dock.geometry()
    QTest.keyClick(shown, Qt.Key.Key_2, CTRL_ALT)
    process_events()

    assert alone == (shown.width(), False)
    assert (keyboard_is_there, is_current) == (True, True)
    assert after == before
    assert shown.split_dock.isHidden()
    assert not shown.actions_["split"].isChecked()
    for _ in range(2):
        split(shown)
        assert shown.split_dock.isVisible()
        assert shown.docks.restore_state(saved)
        process_events()
        assert shown.split_dock.isHidden()
    split(shown)
    assert shown.split_dock.x() > shown.docks.by_id["picture"].x()


def test_the_split_is_restored_at_the_next_start(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """An open split is there again, with the arrangement and the columns of its views.

    Its columns are first those of the window.
    """
    shown.views.callees.table.horizontalHeader().resizeSection(CALLS.COST, 131)
    shown.window_state.save()
    panel = split(shown)
    first = panel.views.callees.table.columnWidth(CALLS.COST)
    panel.views.callees.table.horizontalHeader().resizeSection(CALLS.COST, 157)
    panel.docks.show("source")
    process_events()
    again = restarted_window(EXAMPLE)
    process_events()
    second = again.split_dock.panel
    assert second is not None

    assert again.split_dock.isVisible()
    seen = [dock_id for dock_id in second.docks.by_id if second.docks.is_seen(dock_id)]
    assert seen == ["callees", "source"]
    widths = [v.callees.table.columnWidth(CALLS.COST) for v in (again.views, second.views)]
    assert (first, widths) == (131, [131, 157])


def test_closing_asks_for_a_table_saved_in_the_split(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """A list of the split that is being written is not dropped without a question."""
    asked: list[str] = []

    def refuse(box: QMessageBox) -> int:
        asked.append(box.text())
        return 0

    monkeypatch.setattr(QMessageBox, "exec", refuse)
    panel, goes_on = split(shown), threading.Event()
    panel.session.jobs.start(SAVE_SLOT, lambda _progress: goes_on.wait(20))
    may_close = shown.confirm_close()
    goes_on.set()
    qtbot.waitUntil(lambda: not panel.session.jobs.is_running(SAVE_SLOT))  # or closing asks again

    assert (may_close, asked) == (False, ["A table is still being saved."])


def test_views_of_a_hidden_split_rest(shown: MainWindow) -> None:
    """Nobody waits for views that cannot be seen: they catch up when the split is shown again."""
    panel = split(shown)
    QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
    process_events()
    click_row(shown.views.callees.table, 0)
    asleep = active(panel.session), panel.docks.view("callees").isEnabled()
    QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
    process_events()

    assert asleep == ("main", False)
    assert panel.docks.view("callees").isEnabled()


def test_a_function_is_shown_in_the_other_panel(shown: MainWindow) -> None:
    """From the menu of a function, in either direction; the split opens and keeps the function."""
    table = shown.views.callees.table
    name = str(table.model().index(0, CALLS.NAME).data())
    choose_action(row_menu(table, 0), "Show in Other Panel")
    process_events()
    panel = shown.split_dock.panel
    assert panel is not None
    second = panel.session
    first = active_name(shown.session, shown.navigation), active_name(second, second.navigation)
    shown.navigation.set(selected=function_id(shown.session, "main"))
    process_events()
    kept = active_name(second, second.navigation)
    panel.docks.show("callers")
    process_events()
    there = panel.views.callers.table
    caller = str(there.model().index(0, CALLS.NAME).data())
    choose_action(row_menu(there, 0), "Show in Other Panel")
    process_events()

    assert (first, kept) == (("main", name), name)
    assert active_name(shown.session, shown.navigation) == caller
    assert active_name(second, second.navigation) == name
