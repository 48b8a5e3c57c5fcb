"""Journeys of a user who splits the window: two sets of views, each with its active function."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.panel_window import PanelWindow
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT
from tests.columns import CALLS
from tests.profile_text import EXAMPLE
from tests.user_input import (
    NONE,
    active_name,
    choose_action,
    click_row,
    double_click_row,
    enabled_texts,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
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
    """Its views are as wide as the first ones; the key shows and hides it."""
    functions_before = shown.docks.by_id["function_list"].width()
    panel = split(shown)
    first, second = shown.docks.by_id["call_graph"], shown.split_dock
    seen = [dock_id for dock_id in panel.docks.by_id if panel.docks.is_seen(dock_id)]

    assert seen == ["callees", "call_graph"]
    assert abs(first.width() - second.width()) < 20
    assert first.x() < second.x()
    assert second.y() < shown.docks.by_id["callers"].y()  # from the toolbar to the status bar
    assert shown.actions_["split"].isChecked()

    QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
    process_events()
    assert (second.isVisible(), shown.actions_["split"].isChecked()) == (False, False)
    assert abs(shown.docks.by_id["function_list"].width() - functions_before) < 5


def test_a_taller_window_gives_its_space_to_the_views(shown: MainWindow) -> None:
    """The header of the split keeps its height, as the one of the window does."""
    panel = split(shown)
    before = panel.header.height() + panel.header.y(), panel.docks.by_id["call_graph"].height()
    shown.resize(1920, 1080)
    process_events()

    assert panel.header.height() + panel.header.y() == before[0]
    assert panel.docks.by_id["call_graph"].height() > before[1] + 100


def test_the_split_follows_the_selection(shown: MainWindow) -> None:
    """A click on a callee shows it in the split, while the first views stay where they are."""
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


def test_the_split_keeps_its_function_without_following(shown: MainWindow) -> None:
    """A function stays in the split when *Follow Selection* is off."""
    panel = split(shown)
    panel.follow_box.click()
    click_row(shown.views.callees.table, 0)

    assert panel.follow_box.isChecked() is False
    assert active(panel.session) == "main"


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
    """F10 goes to the other panel; keys of views then lead to the views of that panel."""
    panel = split(shown)
    found = []
    for key in (Qt.Key.Key_F10, Qt.Key.Key_F8, Qt.Key.Key_F10):
        QTest.keyClick(shown, key)
        process_events()
        focused = QApplication.focusWidget()
        assert focused is not None
        inner = [i for i, dock in panel.docks.by_id.items() if dock.isAncestorOf(focused)]
        found.append(inner or [i for i, d in shown.docks.by_id.items() if d.isAncestorOf(focused)])

    assert found == [["callees"], ["call_graph"], ["function_list"]]
    assert shown.panels.current.session is shown.session


def test_the_name_of_the_current_panel_is_bold(shown: MainWindow) -> None:
    """The headers show to which panel commands apply: to the first one when the split closes."""
    panel, found = split(shown), []
    for key, modifiers in (
        (Qt.Key.Key_F10, NONE),
        (Qt.Key.Key_F10, NONE),
        (Qt.Key.Key_F10, NONE),
        (Qt.Key.Key_S, CTRL_ALT),
    ):
        QTest.keyClick(shown, key, modifiers)
        process_events()
        headers = shown.panels.first.header, panel.header
        found.append([header.name_label.font().bold() for header in headers])

    assert found == [[False, True], [True, False], [False, True], [True, False]]


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

    def choose(menu: object) -> list[str]:
        texts = enabled_texts(menu)  # type: ignore[arg-type]
        (action,) = [a for a in menu.actions() if a.text() == "Show in Sou&rce"]  # type: ignore[attr-defined]
        action.trigger()
        return texts

    texts = inspect_menu(row_menu(table, 0), choose)
    process_events()

    assert "Show in Source" in texts
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
    """No built-in layout has the split; maximizing it and back restores both panels."""
    split(shown)
    before = shown.split_dock.geometry()
    shown.docks.maximizer.toggle("split")
    process_events()
    alone = shown.split_dock.width(), shown.docks.by_id["call_graph"].isVisible()
    shown.docks.maximizer.toggle("split")
    process_events()
    after = shown.split_dock.geometry()
    QTest.keyClick(shown, Qt.Key.Key_2, CTRL_ALT)
    process_events()

    assert alone == (shown.width(), False)
    assert after == before
    assert shown.split_dock.isHidden()
    assert not shown.actions_["split"].isChecked()


def test_a_layout_from_before_the_split_hides_it(shown: MainWindow) -> None:
    """Saved layouts that do not know of the split leave no dock lying over the others."""
    saved = shown.docks.save_state()
    split(shown)
    assert shown.docks.restore_state(saved)
    process_events()
    assert shown.split_dock.isHidden()
    split(shown)
    assert shown.split_dock.isVisible()
    assert shown.split_dock.x() > shown.docks.by_id["call_graph"].x()


def test_the_split_is_restored_at_the_next_start(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """An open split, and the arrangement of its views, are there again."""
    panel = split(shown)
    panel.docks.show("source")
    process_events()
    again = restarted_window(EXAMPLE)
    process_events()
    panel_again = again.split_dock.panel

    assert again.split_dock.isVisible()
    assert panel_again is not None
    assert [i for i in panel_again.docks.by_id if panel_again.docks.is_seen(i)] == [
        "callees",
        "source",
    ]


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


def test_the_split_has_columns_of_its_own(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """They are first those of the window; a restart restores those of both."""
    column = CALLS.COST
    shown.views.callees.table.horizontalHeader().resizeSection(column, 131)
    shown.window_state.save()
    panel = split(shown)
    there = panel.views.callees.table
    first = there.columnWidth(column)
    there.horizontalHeader().resizeSection(column, 157)
    again = restarted_window(*shown.session.paths)
    second = again.split_dock.panel
    assert second is not None
    second.docks.show("callees")
    process_events()

    widths = [views.callees.table.columnWidth(column) for views in (again.views, second.views)]
    assert (first, widths) == (131, [131, 157])
