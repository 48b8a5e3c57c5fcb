"""Docks can be closed, floated, tabbed and restored; defaults fit small and large screens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabBar
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.profile_text import EXAMPLE
from tests.user_input import (
    CLOSED_DOCKS,
    DOCK_IDS,
    DOCK_TITLES,
    VIEW_IDS,
    choose_action,
    docks_by_title,
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    move_mouse,
    process_events,
    without_mnemonic,
)

KEYS = {spec.title: spec.shortcut for spec in DockRegistry.specs()}
_IN_FRONT = {"function_list", "callers", "callees", "call_graph"}  # in the default layout
pytestmark = ignore_offscreen_warnings


def switches(window: MainWindow) -> dict[str, QAction]:
    """The menu of the docks."""
    (view,) = [
        QMenu.menuInAction(a)
        for a in window.menuBar().actions()
        if without_mnemonic(a.text()) == "View"
    ]
    assert isinstance(view, QMenu)
    (menu,) = [
        QMenu.menuInAction(a) for a in view.actions() if without_mnemonic(a.text()) == "Views"
    ]
    assert isinstance(menu, QMenu)
    return {without_mnemonic(action.text()): action for action in menu.actions()}


def tab_of(window: MainWindow, title: str) -> tuple[QTabBar, QPoint]:
    """The tab bar with the tab of a dock, and its index there."""
    for bar in window.findChildren(QTabBar):
        names = [bar.tabText(tab) for tab in range(bar.count())]
        if title in names and bar.isVisible() and bar.y() > 0:
            return bar, bar.tabRect(names.index(title)).center()
    raise AssertionError(title)


def is_seen(window: MainWindow, title: str) -> bool:
    """Whether a dock is visible and not behind another's tab."""
    dock = window.docks.by_id[DOCK_IDS[title]]
    area = window.screen().geometry() if dock.isFloating() else window.rect()
    return dock.isVisible() and area.intersects(dock.geometry())


def menu_texts(window: MainWindow) -> list[str]:
    """The texts of all menus of the menu bar."""
    tops = [QMenu.menuInAction(action) for action in window.menuBar().actions()]
    return [text for menu in tops if isinstance(menu, QMenu) for text in enabled_texts(menu)]


def test_all_docks_are_in_the_menus(window: MainWindow, open_file: Callable[..., None]) -> None:
    """Every dock has a switch to show and hide it, and a key that leads to it."""
    open_file(EXAMPLE)
    keys = {
        path.shortcut().toString(): without_mnemonic(path.text())
        for path in window.docks.go_to_actions
    }

    assert list(switches(window)) == DOCK_TITLES
    assert keys == {
        key: f"{key[-1] if key.startswith('Alt') else '  '}  {title}" for title, key in KEYS.items()
    }
    assert set(keys.values()) <= set(menu_texts(window))
    assert [a for a in switches(window).values() if not a.statusTip()] == []


def test_rows_of_the_table_are_distinct() -> None:
    """No two docks share an id, a title or a key; ids are the names of the rows."""
    specs = DockRegistry.specs()

    for values in (
        [spec.id for spec in specs],
        [spec.title for spec in specs],
        [spec.shortcut for spec in specs],
    ):
        assert len(set(values)) == len(specs)
    assert [spec for spec in specs if getattr(DockRegistry, spec.id) is not spec] == []


def test_docks_are_closed_and_brought_back(
    window: MainWindow, open_file: Callable[..., None]
) -> None:
    """The menu restores a closed dock to the front and moves the focus into it."""
    open_file(EXAMPLE)
    closed, back = {}, {}
    for title in DOCK_TITLES:
        dock, switch = window.docks.by_id[DOCK_IDS[title]], switches(window)[title]
        dock.close()
        process_events()
        closed[title] = (dock.isHidden(), switch.isChecked())
        switch.trigger()
        process_events()
        focused = QApplication.focusWidget()
        has_keyboard = focused is not None and dock.isAncestorOf(focused)
        back[title] = (is_seen(window, title), switch.isChecked(), has_keyboard)

    assert closed == dict.fromkeys(DOCK_TITLES, (True, False))
    assert back == dict.fromkeys(DOCK_TITLES, (True, True, True))


def test_docks_are_floated_and_put_back(window: MainWindow) -> None:
    """A floating dock is on the screen in a usable size; Reset puts it back."""
    floats, back = {}, {}
    for title in DOCK_TITLES:
        dock = window.docks.by_id[DOCK_IDS[title]]
        dock.show()
        dock.raise_()
        process_events()
        dock.setFloating(True)
        process_events()
        floats[title] = (dock.isFloating(), is_seen(window, title), dock.width() >= 150)
    window.actions_["reset_layout"].trigger()
    process_events()
    back = {title: (d.isFloating(), d.isHidden()) for title, d in docks_by_title(window).items()}

    assert floats == dict.fromkeys(DOCK_TITLES, (True, True, True))
    closed = dict.fromkeys(CLOSED_DOCKS, (False, True))
    assert back == dict.fromkeys(DOCK_TITLES, (False, False)) | closed


def test_a_dock_dropped_on_a_floating_one_floats_alone(window: MainWindow) -> None:
    """Qt 6.11 crashes when docks leave a window that floats with several of them."""
    moved, below = (window.docks.by_id[name] for name in ("function_list", "callees"))
    below.setFloating(True)
    below.move(window.geometry().topRight() + QPoint(50, 0))
    process_events()
    title = QPoint(moved.width() // 3, moved.fontMetrics().height() // 2)
    QTest.mousePress(moved, Qt.MouseButton.LeftButton, pos=title)
    for _ in range(3):  # the first one begins the drag
        place = moved.mapFromGlobal(below.mapToGlobal(below.rect().center()))
        move_mouse(moved, place, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(moved, Qt.MouseButton.LeftButton, pos=place)
    process_events()

    assert [(dock.isWindow(), dock.parent() is window) for dock in (moved, below)] == [
        (True, True),
        (True, True),
    ]


@pytest.mark.parametrize("title", ["All Callers", "Parts", "Call Tree"])
def test_dock_is_floated_and_closed_by_its_tab(
    window: MainWindow, open_file: Callable[..., None], title: str
) -> None:
    """Every tab has a menu, in front or not; a dock floated by it shows its content."""
    open_file(EXAMPLE)
    bar, place = tab_of(window, title)
    offered = inspect_menu(lambda: bar.customContextMenuRequested.emit(place), enabled_texts)
    choose_action(lambda: bar.customContextMenuRequested.emit(place), "Float")
    process_events()
    dock, view = window.docks.by_id[DOCK_IDS[title]], window.docks.view(VIEW_IDS[title])
    floating = (dock.isFloating(), is_seen(window, title), dock.width() >= 150)
    shown = view.model.rowCount() > 0 or view.message != ""  # type: ignore[attr-defined]
    awake = "No profile" not in view.message
    window.actions_["reset_layout"].trigger()
    process_events()
    bar, place = tab_of(window, title)
    choose_action(lambda: bar.customContextMenuRequested.emit(place), "Close")
    process_events()

    assert offered == ["Maximize", "Float", "Close"]
    assert (floating, shown, awake) == ((True, True, True), True, True)
    assert dock.isHidden()


def test_keys_lead_to_docks_wherever_they_are(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot
) -> None:
    """One key shows a dock that is tabbed or closed and moves the focus into it."""
    open_file(EXAMPLE)
    found: dict[str, list[tuple[bool, bool]]] = {title: [] for title in KEYS}
    for title, key in KEYS.items():
        dock = window.docks.by_id[window.docks.dock_of(VIEW_IDS[title])]
        for _ in range(2):
            window.filter_bar.setFocus()
            qtbot.keySequence(window.filter_bar, key)
            process_events()
            focused = QApplication.focusWidget()
            has_keyboard = focused is not None and dock.isAncestorOf(focused)
            found[title].append((is_seen(window, dock.windowTitle()), has_keyboard))
            dock.close()
            process_events()

    assert found == {title: [(True, True), (True, True)] for title in KEYS}


def test_all_docks_closed_can_be_brought_back(window: MainWindow) -> None:
    """A window without any dock can still restore them."""
    for dock in window.docks.by_id.values():
        dock.close()
    process_events()
    window.actions_["reset_layout"].trigger()
    process_events()

    hidden = [title for title in DOCK_TITLES if window.docks.by_id[DOCK_IDS[title]].isHidden()]
    assert hidden == CLOSED_DOCKS
    assert [title for title in DOCK_TITLES if is_seen(window, title)] == [
        "Functions",
        "Callers",
        "Callees",
        "Picture",
    ]


@pytest.mark.parametrize("size", [(1280, 800), (3840, 2160)], ids=["small", "4K"])
def test_defaults_fit_the_screen(window: MainWindow, size: tuple[int, int]) -> None:
    """Callers, callees and a picture fit beside the functions; at 4K, the picture beside both."""
    window.resize(*size)
    process_events()
    window.actions_["reset_layout"].trigger()
    process_events()
    width, height = size
    is_wide = width > 3000
    docks = docks_by_title(window)
    seen = [title for title in DOCK_TITLES if is_seen(window, title)]
    callers, callees, graph = docks["Callers"], docks["Callees"], docks["Picture"]

    assert (window.width(), window.height()) == size
    assert seen == ["Functions", "Callers", "Callees", "Picture"]
    assert 0.2 < docks["Functions"].width() / width < 0.4
    assert docks["Functions"].height() / height > 0.8
    assert (callers.x(), callers.y() < callees.y()) == (callees.x(), True)
    assert (graph.x() > callers.x()) is is_wide
    assert 0.8 < callers.width() / callees.width() < 1.25
    assert graph.width() * graph.height() > callers.width() * callers.height() * 2


def test_views_are_created_when_their_dock_is_shown(
    window: MainWindow, open_file: Callable[..., None]
) -> None:
    """A dock behind a tab has no view until it comes to the front."""
    open_file(EXAMPLE)
    process_events()
    found = [set(window.views.created)]
    window.docks.by_id["call_tree"].raise_()
    process_events()
    found.append(set(window.views.created))

    assert found == [_IN_FRONT, _IN_FRONT | {"call_tree"}]
    assert window.views.call_tree.tree.model().rowCount() > 0


def test_a_job_imports_all_views(window: MainWindow) -> None:
    """Before the user asks for them; a declaration says them by what its function imports."""
    imported = {module for spec in DockRegistry.specs() for module in spec.modules}
    created = {type(window.docks.view(spec.id)).__module__ for spec in DockRegistry.specs()}

    assert created <= imported
