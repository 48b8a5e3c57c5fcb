"""What a user does with mouse and keyboard, for tests of views and of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTableView, QWidget

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.record_table import RecordTable

# the platform without a display says that menus and floating docks are not as on a display
no_display = pytest.mark.qt_log_ignore("does not support (raise|grabbing)")
LEFT = Qt.MouseButton.LeftButton
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
Result = TypeVar("Result")
TITLES = [
    "Functions",
    "Callers",
    "Callees",
    "All Callers",
    "All Callees",
    "Call Tree",
    "Call Stack",
    "Event Types",
    "Parts",
    "Caller Map",
    "Callee Map",
    "Call Graph",
    "Flame Graph",
    "Source",
    "Assembler",
    "Control Flow",
]  # of the docks, in the order of the menu
PICTURES = TITLES[9:13]


def plain(text: str) -> str:
    """The text of a menu or a button as it is seen: without the mark of its key."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def turn() -> None:
    """Let everybody hear of what was done."""
    for _ in range(3):
        QApplication.processEvents()


def row_place(table: QTableView, row: int) -> QPoint:
    """Where in the list a row is: in its first column that is seen."""
    return QPoint(9, table.rowViewportPosition(row) + table.rowHeight(row) // 2)


def click_row(table: QTableView, row: int, keys: Qt.KeyboardModifier = NONE) -> None:
    """Click on a row."""
    QTest.mouseClick(table.viewport(), LEFT, keys, row_place(table, row))
    turn()


def double_click_row(table: QTableView, row: int) -> None:
    """Click twice on a row, as fast as a double click is."""
    place = row_place(table, row)
    QTest.mouseClick(table.viewport(), LEFT, NONE, place)
    QTest.mouseDClick(table.viewport(), LEFT, NONE, place)
    turn()


def in_menu(open_menu: Callable[[], object], look: Callable[[QMenu], Result]) -> Result:
    """What `look` finds in the menu that opens and waits for a choice."""
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
    turn()
    (result,) = found
    return result


def ask_for_menu(widget: QWidget, place: QPoint | None = None) -> Callable[[], None]:
    """Opens the context menu: by the right mouse button at a place, or by its key."""
    by_mouse, by_key = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard
    reason = by_key if place is None else by_mouse
    point = QPoint(1, 1) if place is None else place
    event = QContextMenuEvent(reason, point, widget.mapToGlobal(point))
    return lambda: QApplication.sendEvent(widget, event)


def row_menu(table: RecordTable, row: int) -> Callable[[], None]:
    """Opens the menu of a row by the right mouse button."""
    return ask_for_menu(table.viewport(), row_place(table, row))


def entries(menu: QMenu) -> list[QAction]:
    """What can be chosen in a menu, that of menus in it included."""
    found: list[QAction] = []
    for action in menu.actions():
        inner = QMenu.menuInAction(action)  # action.menu() before 6.11.2: deletes it in the end
        if isinstance(inner, QMenu):
            found += entries(inner)
        elif not action.isSeparator():
            found.append(action)
    return found


def texts(menu: QMenu) -> list[str]:
    """What stands in a menu and can be chosen now."""
    return [plain(action.text()) for action in entries(menu) if action.isEnabled()]


def choose(open_menu: Callable[[], object], text: str) -> None:
    """Open a menu and choose the entry that is called so."""

    def trigger(menu: QMenu) -> None:
        (action,) = [action for action in entries(menu) if plain(action.text()) == text]
        action.trigger()

    in_menu(open_menu, trigger)


def filled(menu: QMenu) -> QMenu:
    """A menu of a button as it is when it opens."""
    menu.aboutToShow.emit()
    return menu


def number_of(session: Session, name: str) -> int:
    """The function of that name."""
    assert session.questions is not None
    return session.questions.names.named(name)[0]


def go_to(session: Session, navigation: Navigation, name: str) -> None:
    """Make a function active, and let everybody hear of it."""
    navigation.select_function(number_of(session, name))
    turn()


def active(session: Session, navigation: Navigation) -> str:
    """The name of the active function or cycle."""
    questions, context = session.questions, navigation.context
    assert questions is not None
    return questions.labels(context.scope).name(context.function)
