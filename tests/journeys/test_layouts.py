"""Journeys of a user who arranges the window: built-in layouts, a view alone, notices."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar, QTableView

from qcachegrind_py.app.frame.docks.arrangements import arrangements
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.profile_text import EXAMPLE
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def seen(window: MainWindow) -> list[str]:
    """The docks that can be seen, in the order of the menu."""
    area = window.rect()
    return [
        dock_id
        for dock_id, dock in window.docks.by_id.items()
        if dock.isVisible() and area.intersects(dock.geometry())  # tabs behind are moved away
    ]


def share(window: MainWindow, dock_id: str) -> tuple[float, float]:
    """The part of the window's width and height that a dock has."""
    dock = window.docks.by_id[dock_id]
    return dock.width() / window.width(), dock.height() / window.height()


def test_every_layout_has_a_key(shown: MainWindow) -> None:
    """Ctrl+Alt and a digit arrange the window; the arrow keys step through all layouts."""
    wanted = {
        Qt.Key.Key_2: ["function_list", "callers", "callees", "source", "assembler"],
        Qt.Key.Key_3: ["function_list", "call_tree", "picture"],
        Qt.Key.Key_4: ["function_list", "callees", "event_list"],
        Qt.Key.Key_1: ["function_list", "callers", "callees", "picture"],
    }
    found = {}
    for key in wanted:
        QTest.keyClick(shown, key, CTRL_ALT)
        process_events()
        found[key] = seen(shown)
    assert found == wanted

    QTest.keyClick(shown, Qt.Key.Key_Right, CTRL_ALT)
    process_events()
    after = seen(shown)
    QTest.keyClick(shown, Qt.Key.Key_Left, CTRL_ALT)
    process_events()
    assert (after, seen(shown)) == (wanted[Qt.Key.Key_2], wanted[Qt.Key.Key_1])


@pytest.mark.parametrize("width", [1366, 2560])
def test_layouts_name_existing_docks_once(width: int) -> None:
    """No dock is in two places, the functions have their own, and the default has all others.

    Explain Change joins them while profiles are compared, History and Benchmarks while there are
    some, and Explain This Number when it is asked for.
    """
    ids = {spec.dock for spec in DockRegistry.specs()} - {DockRegistry.function_list.id}
    layouts = [each.views.docks() for each in arrangements(width)]
    assert [docks for docks in layouts if len(set(docks)) != len(docks) or set(docks) - ids] == []
    comparing = DockRegistry.explain_change, DockRegistry.history, DockRegistry.benchmarks
    closed = {dock.id for dock in (*comparing, DockRegistry.explain_number)}
    assert set(layouts[0]) == ids - closed


def tab_of(window: MainWindow, title: str) -> tuple[QTabBar, QPoint]:
    """The tab of a dock."""
    for bar in window.findChildren(QTabBar):
        for tab in range(bar.count()):
            if bar.tabText(tab) == title and bar.isVisible():
                return bar, bar.tabRect(tab).center()
    raise AssertionError(title)


def places(window: MainWindow) -> dict[str, tuple[int, int, int, int]]:
    return {
        dock_id: window.docks.by_id[dock_id].geometry().getRect()  # type: ignore[misc]
        for dock_id in seen(window)
    }


def test_a_view_is_maximized_by_its_tab_and_restored(shown: MainWindow) -> None:
    """A double click on a tab shows that view alone; one on its title brings all others back."""
    before = places(shown)
    bar, place = tab_of(shown, "Source")
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    process_events()
    with_source = places(shown)
    QTest.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    process_events()
    alone = seen(shown)
    width, height = share(shown, "source")

    title = QPoint(60, 8)
    QTest.mouseDClick(shown.docks.by_id["source"], Qt.MouseButton.LeftButton, pos=title)
    process_events()
    assert alone == ["source"]
    assert width > 0.95
    assert height > 0.75
    assert places(shown) == with_source
    assert with_source["callers"] == before["callers"]


def test_maximize_without_a_focused_view(shown: MainWindow) -> None:
    """The view used last is maximized: closing the split leaves the focus in none."""
    shown.docks.show("callees")
    shown.split_dock.show()
    process_events()
    shown.split_dock.close()
    focus = shown.focusWidget()
    if focus is not None:
        focus.clearFocus()
    process_events()
    QTest.keyClick(shown, Qt.Key.Key_Return, CTRL_SHIFT)
    process_events()
    maximized = seen(shown)
    shown.actions_["maximize"].trigger()
    for dock in shown.docks.by_id.values():
        dock.close()
    shown.actions_["maximize"].trigger()

    assert maximized == ["callees"]
    assert shown.statusBar().currentMessage() == "No view is open. View ▸ Views opens one."


def test_a_key_maximizes_the_view_with_the_focus(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """Ctrl+Shift+Return toggles; the key of another view restores the layout and goes there.

    So does a restart. The list of functions takes the whole width, too.
    """
    before = places(shown)
    for alone in (True, False, True):
        if alone:
            shown.docks.show("callees")
        QTest.keyClick(shown, Qt.Key.Key_Return, CTRL_SHIFT)
        process_events()
        assert seen(shown) == (["callees"] if alone else list(before))
        assert alone or places(shown) == before
    shown.docks.show("callers")
    process_events()
    assert places(shown) == before

    for alone in (True, False):
        shown.docks.maximizer.toggle("function_list")
        process_events()
        assert seen(shown) == (["function_list"] if alone else list(before))
        assert not alone or share(shown, "function_list")[0] == 1.0
    assert places(shown) == before
    assert shown.centralWidget().isVisible()

    shown.docks.show("callees")
    shown.actions_["maximize"].trigger()
    process_events()
    assert seen(shown) == ["callees"]
    again = restarted_window(EXAMPLE)
    process_events()
    assert seen(again) == list(before)


def test_a_notice_stays_when_the_layout_changes(shown: MainWindow) -> None:
    """A layout that was saved without notices does not hide one, nor lie over it."""
    saved = shown.docks.save_state()
    shown.notices.show_notice("information", "News", topic="news")
    shown.docks.restore_state(saved)
    process_events()
    place = shown.notices.geometry().center()
    kept = shown.notices.isAncestorOf(shown.childAt(place))
    shown.notices.close_notice("news")
    process_events()

    assert (kept, shown.notices.isVisible()) == (True, False)


def test_views_that_a_layout_lacks_open_in_tabs(shown: MainWindow) -> None:
    """A view that is opened in the layouts Code and Pictures lies over no other one."""
    for key, layout in zip((Qt.Key.Key_2, Qt.Key.Key_3), arrangements(1366)[1:3], strict=True):
        QTest.keyClick(shown, key, CTRL_ALT)
        process_events()
        before = seen(shown)
        lacking = [i for i, dock in shown.docks.by_id.items() if dock.isHidden()]
        for dock_id in lacking:
            shown.docks.show(dock_id)
        process_events()
        front = shown.docks.by_id[lacking[-1]]
        tabs = {dock.objectName() for dock in shown.tabifiedDockWidgets(front)}
        assert tabs & set(layout.views.docks())
        assert len(seen(shown)) == len(before)


def test_pictures_share_a_dock(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """A key, or a button before the tools, chooses the picture; the others rest meanwhile.

    A layout and the next start have the picture that was chosen.
    """
    pictures = shown.docks.picture.choices
    before = places(shown)
    awake = {}
    for view_id, key in zip(pictures, ("F8", "F9", "F6", "F7"), strict=True):
        QTest.keySequence(shown, key)
        process_events()
        views = shown.views.created
        awake[view_id] = [name for name in pictures if name in views and views[name].isEnabled()]
    assert awake == {view_id: [view_id] for view_id in pictures}
    assert places(shown) == before

    QTest.mouseClick(shown.views.callee_map.tools.switch[1], Qt.MouseButton.LeftButton)
    process_events()
    focus = shown.focusWidget()
    assert focus is not None
    assert shown.views.flame_graph.isAncestorOf(focus)
    assert shown.docks.is_seen("flame_graph")

    saved = shown.docks.save_state()
    shown.docks.show("call_graph")
    assert shown.docks.restore_state(saved)
    assert shown.docks.picture.chosen == "flame_graph"
    assert restarted_window(EXAMPLE).docks.picture.chosen == "flame_graph"


def scrolling_bars(window: MainWindow) -> list[str]:
    """The first tabs of the bars whose arrows are shown, as not all tabs fit."""
    bars = [bar for bar in window.docks.tab_bars() if bar.isVisible() and bar.count()]
    return [bar.tabText(0) for bar in bars if bar.sizeHint().width() > bar.width()]


def rows_seen(window: MainWindow, dock_id: str) -> float:
    table = window.docks.view(dock_id).findChild(QTableView)
    assert table is not None
    return table.viewport().height() / table.verticalHeader().defaultSectionSize()


def test_the_default_layout_fits_a_laptop(shown: MainWindow) -> None:
    """At 1366 × 768, four rows of callers and callees are seen, and a picture of some height."""
    shown.resize(1366, 768)
    shown.docks.reset()
    process_events()
    rows = [rows_seen(shown, dock_id) for dock_id in ("callers", "callees")]

    assert min(rows) >= 4, rows
    assert shown.docks.picture.height() >= 280  # below its tabs
    assert scrolling_bars(shown) == []


def test_the_default_layout_fits_half_a_screen(shown: MainWindow) -> None:
    """A screen of 1920 × 1080 with a scale of 2: the status bar and all tabs are seen."""
    shown.resize(960, 540)
    shown.docks.reset()
    process_events()
    status = shown.statusBar()

    assert (shown.width(), shown.height()) == (960, 540)
    assert status.geometry().bottom() == shown.rect().bottom()
    assert min(rows_seen(shown, dock_id) for dock_id in ("callers", "callees")) >= 1
    assert scrolling_bars(shown) == []
