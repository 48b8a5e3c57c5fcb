"""Simulate a user's mouse and keyboard input, for tests of views and of the window."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent, QDragEnterEvent, QDragMoveEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDockWidget,
    QMenu,
    QPushButton,
    QTableView,
    QWidget,
)

from qcachegrind_py.app.frame.docks.picture_dock import TITLE
from qcachegrind_py.app.frame.docks.registry import PICTURE, DockRegistry
from qcachegrind_py.session.context import at_function
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.tables.record_table import RecordTable

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from qcachegrind_py.app.window import MainWindow

# the platform without a display says that menus and floating docks are not as on a display
ignore_offscreen_warnings = pytest.mark.qt_log_ignore("does not support (raise|grabbing)")
LEFT = Qt.MouseButton.LeftButton
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
Result = TypeVar("Result")
VIEW_IDS = {spec.title: spec.id for spec in DockRegistry.specs()}
PICTURES = [spec.title for spec in DockRegistry.specs() if spec.dock == PICTURE]
DOCK_IDS = {  # in the order of the menu
    TITLE if spec.dock == PICTURE else spec.title: spec.dock for spec in DockRegistry.specs()
}
DOCK_TITLES = list(DOCK_IDS)
COMPARISON_DOCK = "Explain Change"  # closed in the built-in layouts while nothing is compared
HISTORY_DOCK = "History"  # closed in them, and opened with a history
CLOSED_DOCKS = [COMPARISON_DOCK, "Explanation", HISTORY_DOCK, "Benchmarks"]
LASTING_DOCKS = [title for title in DOCK_TITLES if title not in CLOSED_DOCKS]
LASTING_VIEWS = [title for title in VIEW_IDS if title not in CLOSED_DOCKS]


class WindowUser:
    """A user of the window, who acts when it is ready."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot

    def wait(self, until: Callable[[], object]) -> None:
        """Wait until something holds, and for what follows from it."""
        self._qtbot.waitUntil(lambda: bool(until()))
        process_events()

    def click(self, button: QPushButton) -> None:
        """Click a button as soon as it is enabled."""
        self.wait(button.isEnabled)
        QTest.mouseClick(button, LEFT)
        process_events()


def docks_by_title(window: MainWindow) -> dict[str, QDockWidget]:
    """The docks of a window by title, in the order of the menu."""
    return {dock.windowTitle(): dock for dock in window.docks.by_id.values()}


def without_mnemonic(text: str) -> str:
    """The text of a menu or button as displayed, without the mnemonic marker."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def process_events() -> None:
    """Process pending events until all signals are delivered."""
    for _ in range(3):
        QApplication.processEvents()


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for all jobs of a window, and for what they change."""
    process_events()
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    process_events()


def begin_at_main(session: Session) -> None:
    """Go to `main` from the start of a profile, without a step in the history.

    Most tests tell what follows from there, where functions have callees and a path.
    """
    queries, context = session.queries, session.navigation.context
    if queries is None or context.event is None:
        return
    start = queries.initial_function(context.event, context.scope, context.base)
    costs = queries.inclusive(queries.measured_event(context.event), context.scope)
    mains = [main for main in queries.names.with_name("main") if costs[main] > 0]
    if context.function == start and mains and len(queries.profile.calls):
        main = max(mains, key=costs.__getitem__)
        session.navigation.change(lambda now: at_function(now, main))
        process_events()


def row_position(table: QTableView, row: int) -> QPoint:
    """The position of a row in the list, within its first visible column."""
    return QPoint(9, table.rowViewportPosition(row) + table.rowHeight(row) // 2)


def move_mouse(
    widget: QWidget,
    place: QPoint,
    pressed: Qt.MouseButton = Qt.MouseButton.NoButton,
    keys: Qt.KeyboardModifier = NONE,
) -> None:
    """Move the mouse over a widget, also where another window covers it.

    `QTest.mouseMove` moves the pointer of the screen and runs the event loop.
    """
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(place), QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton, pressed, keys,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


DragT = TypeVar("DragT", QDragEnterEvent, QDragMoveEvent)


def drag_event(
    kind: type[DragT], place: QPoint, data: QMimeData, keys: Qt.KeyboardModifier = NONE
) -> DragT:
    """An event of dragging data over a widget."""
    with warnings.catch_warnings():  # Qt 6.12 wants a QPointF, which older versions reject
        warnings.simplefilter("ignore", DeprecationWarning)
        return kind(place, Qt.DropAction.CopyAction, data, LEFT, keys)


def click_row(table: QTableView, row: int, keys: Qt.KeyboardModifier = NONE) -> None:
    """Click on a row."""
    QTest.mouseClick(table.viewport(), LEFT, keys, row_position(table, row))
    process_events()


def double_click_row(table: QTableView, row: int) -> None:
    """Double-click on a row."""
    place = row_position(table, row)
    QTest.mouseClick(table.viewport(), LEFT, NONE, place)
    QTest.mouseDClick(table.viewport(), LEFT, NONE, place)
    process_events()


def inspect_menu(open_menu: Callable[[], object], look: Callable[[QMenu], Result]) -> Result:
    """The result of `look`, which inspects the menu while it is open."""
    found: list[Result] = []

    def meet() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        try:
            found.append(look(menu))
        finally:
            while (popup := QApplication.activePopupWidget()) is not None:
                popup.close()

    QTimer.singleShot(0, meet)
    open_menu()
    process_events()
    (result,) = found
    return result


def context_menu_opener(widget: QWidget, place: QPoint | None = None) -> Callable[[], None]:
    """Open the context menu, by the right mouse button at a position, or by its key."""
    by_mouse, by_key = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard
    reason = by_key if place is None else by_mouse
    point = QPoint(1, 1) if place is None else place
    event = QContextMenuEvent(reason, point, widget.mapToGlobal(point))
    return lambda: QApplication.sendEvent(widget, event)


def row_menu(table: RecordTable, row: int) -> Callable[[], None]:
    """Open the menu of a row by the right mouse button."""
    return context_menu_opener(table.viewport(), row_position(table, row))


def menu_actions(menu: QMenu) -> list[QAction]:
    """All actions of a menu, those of submenus included."""
    found: list[QAction] = []
    for action in menu.actions():
        inner = QMenu.menuInAction(action)  # action.menu() before 6.11.2: deletes it in the end
        if isinstance(inner, QMenu):
            found += menu_actions(inner)
        elif not action.isSeparator():
            found.append(action)
    return found


def enabled_texts(menu: QMenu) -> list[str]:
    """The texts of a menu's enabled actions."""
    return [without_mnemonic(action.text()) for action in menu_actions(menu) if action.isEnabled()]


def choose_action(open_menu: Callable[[], object], text: str) -> None:
    """Open a menu and choose the action with this text."""

    def trigger(menu: QMenu) -> None:
        (action,) = [
            action for action in menu_actions(menu) if without_mnemonic(action.text()) == text
        ]
        action.trigger()

    inspect_menu(open_menu, trigger)


def choose_in_box(box: QComboBox, text: str) -> None:
    """Choose an entry of a box by its name, with the arrow keys."""
    steps = box.findText(text) - box.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    assert box.currentText() == text


def opened_menu(menu: QMenu) -> QMenu:
    """The menu of a button as filled when it opens."""
    menu.aboutToShow.emit()
    return menu


def function_id(session: Session, name: str) -> int:
    """The number of the function with this name."""
    assert session.queries is not None
    return session.queries.names.with_name(name)[0]


def go_to(session: Session, navigation: Navigation, name: str) -> None:
    """Make a function active, and wait until the change is delivered."""
    navigation.select_function(function_id(session, name))
    process_events()


def active_name(session: Session, navigation: Navigation) -> str:
    """The name of the active function or cycle."""
    queries, context = session.queries, navigation.context
    assert queries is not None
    return queries.labels(context.scope).name(context.function)
