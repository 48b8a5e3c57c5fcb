"""Journeys of a user who arranges the window: built-in layouts, a view alone, notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QTabBar, QToolBar

from qcachegrind_py.app.frame.docks.arrangements import arrangements
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.profile_text import EXAMPLE
from tests.user_input import ignore_offscreen_warnings, process_events, without_mnemonic

pytestmark = ignore_offscreen_warnings
OpenFile = Callable[..., None]
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


def test_the_default_layout_shows_a_large_picture(shown: MainWindow) -> None:
    """A third for the functions, callers beside callees, and below them the call graph."""
    assert seen(shown) == ["function_list", "callers", "callees", "call_graph"]
    assert 0.30 < share(shown, "function_list")[0] < 0.38
    width, height = share(shown, "call_graph")
    assert width > 0.6
    assert height > 0.45
    callers, callees = shown.docks.by_id["callers"], shown.docks.by_id["callees"]
    assert callers.y() == callees.y() < shown.docks.by_id["call_graph"].y()
    assert abs(callers.width() - callees.width()) < 20
    hidden = [dock_id for dock_id, dock in shown.docks.by_id.items() if dock.isHidden()]
    assert hidden == ["explain_change", "explain_number", "history"]


def test_every_layout_has_a_key(shown: MainWindow) -> None:
    """Ctrl+Alt and a digit arrange the window; the arrow keys step through all layouts."""
    wanted = {
        Qt.Key.Key_2: ["function_list", "callers", "callees", "source", "assembler"],
        Qt.Key.Key_3: ["function_list", "call_graph", "flame_graph"],
        Qt.Key.Key_4: ["function_list", "callees", "event_list"],
        Qt.Key.Key_1: ["function_list", "callers", "callees", "call_graph"],
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


def test_layouts_are_in_the_view_menu(shown: MainWindow) -> None:
    """Each built-in layout is an item with its key and a tip."""
    items = {without_mnemonic(item.text()): item for item in shown.layouts.menu.actions()}
    keys = {
        title: items[title].shortcut().toString()
        for title in ("Overview", "Code", "Pictures", "Like KCachegrind")
    }
    assert keys == {
        "Overview": "Ctrl+Alt+1",
        "Code": "Ctrl+Alt+2",
        "Pictures": "Ctrl+Alt+3",
        "Like KCachegrind": "Ctrl+Alt+4",
    }
    assert [title for title in keys if not items[title].statusTip()] == []
    assert isinstance(shown.layouts.menu, QMenu)


@pytest.mark.parametrize("width", [1366, 2560])
def test_layouts_name_existing_docks_once(width: int) -> None:
    """No dock is in two places, the functions have their own, and the default has all others.

    Explain Change joins them while profiles are compared, History while one is open, and Explain
    This Number when it is asked for.
    """
    ids = {spec.id for spec in DockRegistry.specs()} - {DockRegistry.function_list.id}
    layouts = [each.views.docks() for each in arrangements(width)]
    assert [docks for docks in layouts if len(set(docks)) != len(docks) or set(docks) - ids] == []
    closed = DockRegistry.explain_change, DockRegistry.explain_number, DockRegistry.history
    assert set(layouts[0]) == ids - {dock.id for dock in closed}


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
    bar, place = tab_of(shown, "Flame Graph")
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    process_events()
    with_flames = places(shown)
    QTest.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    process_events()
    alone = seen(shown)
    width, height = share(shown, "flame_graph")

    title = QPoint(60, 8)
    QTest.mouseDClick(shown.docks.by_id["flame_graph"], Qt.MouseButton.LeftButton, pos=title)
    process_events()
    assert alone == ["flame_graph"]
    assert width > 0.95
    assert height > 0.75
    assert places(shown) == with_flames
    assert with_flames["callers"] == before["callers"]


def test_a_key_maximizes_the_view_with_the_focus(shown: MainWindow) -> None:
    """Ctrl+Shift+Return toggles; the key of another view restores the layout and goes there."""
    before = places(shown)
    shown.docks.show("callees")
    QTest.keyClick(shown, Qt.Key.Key_Return, CTRL_SHIFT)
    process_events()
    alone = seen(shown)
    QTest.keyClick(shown, Qt.Key.Key_Return, CTRL_SHIFT)
    process_events()
    again = places(shown)
    QTest.keyClick(shown, Qt.Key.Key_Return, CTRL_SHIFT)
    shown.docks.show("callers")
    process_events()

    assert alone == ["callees"]
    assert again == before
    assert places(shown) == before


def test_a_maximized_view_is_not_saved_as_the_layout(
    shown: MainWindow, restarted_window: Callable[..., MainWindow]
) -> None:
    """After a restart, the layout is that from before a view was maximized."""
    shown.docks.show("callees")
    shown.actions_["maximize"].trigger()
    process_events()
    assert seen(shown) == ["callees"]

    again = restarted_window(EXAMPLE)
    process_events()
    assert seen(again) == ["function_list", "callers", "callees", "call_graph"]


def test_no_empty_strip_is_left_of_a_notice(
    window: MainWindow,
    open_file: OpenFile,
    restarted_window: Callable[..., MainWindow],
    tmp_path: Path,
) -> None:
    """A window closed with a notice leaves no room for it in the next one."""
    odd, good = tmp_path / "callgrind.out.1", tmp_path / "callgrind.out.2"
    good.write_text("cmd: ./prog\nevents: Ir\nfn=main\n1 7\n")
    odd.write_text(f"{good.read_text()}what is this\n")
    open_file(odd)
    window.show()
    process_events()
    assert set(window.notices.notice_texts()) == {"warning"}
    (bar,) = [bar for bar in window.findChildren(QToolBar) if bar.objectName() == "Messages"]
    assert bar.isVisible()

    again = restarted_window(good)
    process_events()
    (bar,) = [bar for bar in again.findChildren(QToolBar) if bar.objectName() == "Messages"]
    assert not again.notices.notice_texts()
    assert not bar.isVisible()


def test_a_notice_stays_when_the_layout_changes(shown: MainWindow) -> None:
    """A layout that was saved without notices does not hide one, and takes no room for it."""
    (bar,) = [bar for bar in shown.findChildren(QToolBar) if bar.objectName() == "Messages"]
    saved = shown.docks.save_state()
    shown.notices.show_notice("information", "News", topic="news")
    shown.docks.restore_state(saved)
    process_events()
    kept = bar.isVisible()
    shown.notices.close_notice("news")
    process_events()

    assert (kept, bar.isVisible()) == (True, False)


@pytest.mark.parametrize("key", [Qt.Key.Key_2, Qt.Key.Key_3])
def test_views_that_a_layout_lacks_open_in_tabs(shown: MainWindow, key: Qt.Key) -> None:
    """A view that is opened in the layouts Code and Pictures lies over no other one."""
    QTest.keyClick(shown, key, CTRL_ALT)
    process_events()
    before = seen(shown)
    lacking = [i for i, dock in shown.docks.by_id.items() if dock.isHidden()]
    for dock_id in lacking:
        shown.docks.show(dock_id)
        process_events()
    front = shown.docks.by_id[lacking[-1]]
    layout = arrangements(1366)[1 if key == Qt.Key.Key_2 else 2]
    tabs = {dock.objectName() for dock in shown.tabifiedDockWidgets(front)}

    assert lacking
    assert tabs & set(layout.views.docks())
    assert len(seen(shown)) == len(before)


def test_the_functions_are_maximized(shown: MainWindow) -> None:
    """The list beside the header of the active function takes the whole width, too."""
    before = places(shown)
    shown.docks.maximizer.toggle("function_list")
    process_events()
    alone = seen(shown), share(shown, "function_list")[0]
    shown.docks.maximizer.toggle("function_list")
    process_events()

    assert alone == (["function_list"], 1.0)
    assert places(shown) == before
    assert shown.centralWidget().isVisible()
