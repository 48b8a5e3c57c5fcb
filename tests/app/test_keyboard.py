"""Everything works by keyboard alone and has an accessible name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QMenu,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from qcachegrind_py.app.files.dialogs import PropertiesDialog
from qcachegrind_py.app.palette.dialog import PaletteDialog
from qcachegrind_py.app.saved_views.dialogs import ManageViewsDialog, SaveViewDialog
from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.settings.user_events import EventDialog
from qcachegrind_py.app.style.text_widgets import TextDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.saved_views import SavedView
from qcachegrind_py.views.tables.item_model import Role
from tests.profile_rows import DATA
from tests.user_input import (
    CLOSED_DOCKS,
    PICTURES,
    VIEW_IDS,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

PARTS = DATA / "threads-combined-bb/callgrind.out.22283.xz"
KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings
OF_CODE = ("Source", "Assembler", "Control Flow")


@pytest.fixture
def window(
    window: MainWindow, open_file: Callable[..., None], settle: Settle, qtbot: QtBot
) -> MainWindow:
    """The window with a real profile of several parts, at a function with callers and callees."""
    open_file(PARTS)
    go_to(window.session, window.navigation, "_dl_new_object")
    settle()
    return window


def show(window: MainWindow, title: str, qtbot: QtBot) -> QWidget:
    """Bring a dock to the front, and wait until it is complete."""
    window.docks.show(VIEW_IDS[title])
    process_events()
    if title == "Parts":
        qtbot.waitUntil(lambda: window.views.part_list.panel.timeline is not None)
    qtbot.waitUntil(lambda: not window.jobs.is_running(title))  # a picture is being built
    process_events()
    return window.docks.by_id[window.docks.dock_of(VIEW_IDS[title])]


def is_in(window: QWidget, widget: QWidget) -> bool:
    """Whether a widget is visible and not moved out of the window."""
    place = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
    return widget.isVisible() and window.rect().intersects(place)


def controls(window: QWidget) -> list[QWidget]:
    """All visible widgets that Tab should reach."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isEnabled()
        and is_in(window, widget)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not (isinstance(widget, QTabBar) and not widget.count())
        and widget.window() is window
    ]


def described(widget: QWidget) -> str:
    """A description of a widget for assertion messages."""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    above = [type(widget).__name__]
    parent = widget.parentWidget()
    while parent is not None and len(above) < 3:
        above.append(type(parent).__name__)
        parent = parent.parentWidget()
    return f"{widget.accessibleName() or widget.objectName()}|{text}|{'<'.join(above)}"


def walked(window: QWidget, qtbot: QtBot) -> list[QWidget]:
    """All widgets that Tab visits until it returns to the first."""
    first = QApplication.focusWidget()
    assert first is not None
    found = [first]
    for _ in range(200):
        qtbot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused is first:
            break
        found.append(focused)
    return found


def test_tab_reaches_every_control(window: MainWindow, qtbot: QtBot) -> None:
    """Whatever dock is in front, Tab visits exactly the visible controls."""
    missed, lost = {}, {}
    for title in VIEW_IDS:
        show(window, title, qtbot)
        window.views.function_list.table.setFocus()
        reached = walked(window, qtbot)
        missed[title] = [described(c) for c in controls(window) if c not in reached]
        lost[title] = [described(widget) for widget in reached if not is_in(window, widget)]

    nothing: dict[str, list[str]] = {title: [] for title in VIEW_IDS}
    assert (missed, lost) == (nothing, nothing)


def spoken(widget: QWidget) -> str:
    """The name that a screen reader speaks."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def test_every_control_has_an_accessible_name(window: MainWindow, qtbot: QtBot) -> None:
    """A screen reader has a name for every focusable widget."""
    nameless = {}
    for title in VIEW_IDS:
        show(window, title, qtbot)
        seen = [c for c in controls(window) if not isinstance(c, QTabBar)]
        nameless[title] = [described(c) for c in seen if not spoken(c).strip()]

    assert nameless == {title: [] for title in VIEW_IDS}


@pytest.fixture
def dialogs(window: MainWindow, qtbot: QtBot) -> Iterator[dict[str, QDialog]]:
    """All of the program's dialogs, open."""
    assert window.session.queries is not None
    window.actions_["settings"].trigger()
    window.actions_["new_event"].trigger()
    window.actions_["jump"].trigger()
    window.actions_["properties"].trigger()
    window.actions_["save_view"].trigger()
    window.settings.program(window.session.program).change_views(lambda _: (SavedView("a"),))
    window.actions_["manage_views"].trigger()
    window.file_commands.show_diagnostics(window.session.queries.profile)
    process_events()
    kinds = (
        SettingsDialog, EventDialog, PaletteDialog, TextDialog, PropertiesDialog,
        SaveViewDialog, ManageViewsDialog,
    )  # fmt: skip
    found: dict[str, QDialog] = {kind.__name__: window.findChildren(kind)[0] for kind in kinds}
    yield found
    for dialog in found.values():
        if isValid(dialog):
            dialog.close()


@pytest.mark.parametrize(
    "name",
    [
        "SettingsDialog",
        "EventDialog",
        "PaletteDialog",
        "TextDialog",
        "PropertiesDialog",
        "SaveViewDialog",
        "ManageViewsDialog",
    ],
)
def test_dialogs_are_worked_by_keyboard(
    dialogs: dict[str, QDialog], qtbot: QtBot, name: str
) -> None:
    """Tab visits every control, each has a name, and Escape closes the dialog."""
    dialog = dialogs[name]
    for other in dialogs.values():
        if other is not dialog:
            other.hide()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    wanted = controls(dialog)
    if QApplication.focusWidget() is None:
        wanted[0].setFocus()
    reached = walked(dialog, qtbot)
    missed = [described(widget) for widget in wanted if widget not in reached]
    nameless = [described(widget) for widget in wanted if not spoken(widget).strip()]
    titled = dialog.windowTitle()
    closed: list[int] = []
    dialog.finished.connect(closed.append)
    qtbot.keyClick(dialog, KEY.Key_Escape)
    process_events()

    assert (missed, nameless, bool(titled), len(closed)) == ([], [], True, 1)


@pytest.mark.parametrize("title", [title for title in VIEW_IDS if title not in CLOSED_DOCKS])
def test_arrow_keys_and_return_work_in_every_list(
    window: MainWindow, qtbot: QtBot, title: str
) -> None:
    """In every dock, Down and Up move among the rows, and Return activates one."""
    dock = show(window, title, qtbot)
    if title in (*PICTURES, "Control Flow"):
        window.docks.view(VIEW_IDS[title]).table_button.setChecked(True)  # type: ignore[attr-defined]
        process_events()
    lists = [
        view
        for view in dock.findChildren(QAbstractItemView)
        if view.isVisible() and view.accessibleName()
    ]
    view = lists[0]  # the graph has two tables, of functions and of calls
    view.setFocus(Qt.FocusReason.TabFocusReason)
    rows = []
    qtbot.keyClick(view, KEY.Key_Home, CTRL)
    for key in (KEY.Key_Down, KEY.Key_Down, KEY.Key_Up):
        qtbot.keyClick(view, key)
        process_events()
        index = view.currentIndex()
        rows.append(index.row() if not index.parent().isValid() else index.row() + 1)
    last = view.model().rowCount() - 1
    last = 9 if title == "Call Tree" else last
    index = view.currentIndex().siblingAtColumn(0)
    function, name = index.data(Role.FUNCTION), str(index.data())
    before = window.navigation.context.function
    qtbot.keyClick(view, KEY.Key_Return)
    process_events()
    context = window.navigation.context

    assert len(lists) == (2 if title in ("Call Graph", "Control Flow") else 1)
    assert rows == [min(1, last), min(2, last), max(0, min(2, last) - 1)]
    if title == "Parts":  # keys choose parts, whose costs are computed by a job
        qtbot.waitUntil(lambda: window.navigation.context.scope.parts == {1})
    elif title == "Event Types":
        assert context.event is not None
        assert context.event.name == name
    else:  # a line of code activates no function
        assert context.function == (before if title in OF_CODE else function)


def all_menus(window: MainWindow) -> list[QMenu]:
    """The menus of the menu bar."""
    return [
        menu for a in window.menuBar().actions() if isinstance(menu := QMenu.menuInAction(a), QMenu)
    ]


def test_no_key_means_two_things(window: MainWindow, qtbot: QtBot) -> None:
    """Keys of actions, menus and visible buttons are all different."""
    twice = {}
    for title in VIEW_IDS:
        dock = show(window, title, qtbot)
        actions = {id(a): a for a in window.findChildren(QAction)}.values()
        keys = Counter(key.toString() for action in actions for key in action.shortcuts())
        for action in window.menuBar().actions():
            keys[QKeySequence.mnemonic(action.text()).toString()] += 1
        for button in dock.findChildren(QAbstractButton):
            if button.isVisible() and not button.shortcut().isEmpty():
                keys[button.shortcut().toString()] += 1
        twice[title] = [key for key, count in keys.items() if count > 1 and key]

    assert twice == {title: [] for title in VIEW_IDS}
