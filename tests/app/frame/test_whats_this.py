"""What's This help for every view, column, button and field of the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QApplication, QHeaderView, QLabel, QTabBar, QWhatsThis, QWidget

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from tests.app.test_keyboard import all_menus, described
from tests.profile_text import EXAMPLE
from tests.user_input import (
    DOCK_IDS,
    DOCK_TITLES,
    LASTING_DOCKS,
    PICTURES,
    docks_by_title,
    ignore_offscreen_warnings,
    menu_actions,
    process_events,
    without_mnemonic,
)

pytestmark = ignore_offscreen_warnings


@pytest.fixture
def window(window: MainWindow, open_file: Callable[..., None]) -> MainWindow:
    """The window with a profile."""
    open_file(EXAMPLE)
    return window


def answer(widget: QWidget) -> str:
    """The help text of a widget: its own or that of its closest ancestor."""
    above: QWidget | None = widget
    while above is not None and not above.whatsThis():
        above = above.parentWidget()
    return above.whatsThis() if above is not None else ""


def test_every_dock_has_a_text_of_its_own(window: MainWindow) -> None:
    """Each has one to five sentences, no two are equal, and no text is unused."""
    texts = {title: window.docks.by_id[DOCK_IDS[title]].whatsThis() for title in DOCK_TITLES}
    lengths = {title: text.count(". ") + 1 for title, text in texts.items()}

    assert [title for title, text in texts.items() if not text.endswith(".")] == []
    assert len(set(texts.values())) == len(DOCK_TITLES)
    assert max(lengths.values()) <= 5


def test_tabs_answer_for_their_docks(window: MainWindow) -> None:
    """A click on a dock's tab shows the dock's help, even after tabs have moved."""
    window.docks.reset()
    process_events()
    found = {}
    for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        found |= {bar.tabText(tab): bar.tabWhatsThis(tab) for tab in range(bar.count())}

    texts = {title: dock.whatsThis() for title, dock in docks_by_title(window).items()}
    assert found == {title: texts[title] for title in LASTING_DOCKS[1:]}


def test_every_picture_has_a_text_of_its_own(window: MainWindow) -> None:
    """The switch between pictures says what each of them is."""
    texts = {spec.title: spec.help for spec in DockRegistry.specs()}
    choices = window.docks.picture.choices.values()

    assert {choice.text(): choice.whatsThis() for choice in choices} == {
        title: texts[title] for title in PICTURES
    }


def test_every_widget_answers(window: MainWindow) -> None:
    """Every focusable or clickable widget and each field of the status bar has help."""
    silent = [
        described(widget)
        for widget in window.findChildren(QWidget)
        if widget.window() is window
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(widget, QTabBar)
        and not answer(widget)
    ]
    fields = [w for w in window.statusBar().children() if isinstance(w, QLabel)]

    assert silent == []
    assert [label.text() for label in fields if not label.whatsThis()] == []


def test_every_column_answers(window: MainWindow) -> None:
    """Each column header of each list explains the column."""
    silent = [
        f"{title}: {header.model().headerData(column, header.orientation())}"
        for title, dock in docks_by_title(window).items()
        for header in dock.findChildren(QHeaderView)
        if header.orientation() is Qt.Orientation.Horizontal and header.model() is not None
        for column in range(header.count())
        if not header.model().headerData(
            column, header.orientation(), Qt.ItemDataRole.WhatsThisRole
        )
    ]

    assert silent == []


def test_every_action_answers(window: MainWindow) -> None:
    """Each menu entry and toolbar button has help in whole sentences."""
    actions: list[QAction] = [*window.actions_, *window.docks.go_to_actions]
    for menu in all_menus(window):
        recent = menu.title() == "Open Re&cent"
        actions += [] if recent else [a for a in menu_actions(menu) if a.isEnabled()]
    names = [str(path) for path in window.settings.recent_files]
    silent = {
        without_mnemonic(action.text())
        for action in actions
        if not action.whatsThis() and not any(name in action.text() for name in names)
    }

    assert silent == set()


def test_no_text_is_markup(window: MainWindow) -> None:
    """Help texts are plain: Qt must not take them for HTML."""
    texts = [w.whatsThis() for w in window.findChildren(QWidget)]
    texts += [action.whatsThis() for action in window.findChildren(QAction)]

    assert [text for text in texts if QtText.mightBeRichText(text)] == []


def test_shift_f1_starts_the_help_mode(window: MainWindow) -> None:
    """Shift+F1 and the menu start the help mode."""
    window.actions_["whats_this"].trigger()
    begun = QWhatsThis.inWhatsThisMode()
    QWhatsThis.leaveWhatsThisMode()

    assert (begun, window.actions_["whats_this"].shortcut().toString()) == (True, "Shift+F1")


def tells(widget: QWidget, place: QPoint) -> bool:
    """Whether a click there in help mode shows a text."""
    event = QHelpEvent(QEvent.Type.WhatsThis, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    kinds = [w.metaObject().className() for w in QApplication.topLevelWidgets() if w.isVisible()]
    QWhatsThis.hideText()
    process_events()
    return "QWhatsThat" in kinds


def test_clicks_are_answered(window: MainWindow) -> None:
    """Clicks on rows, headers, titles, buttons, pictures and fields show help."""
    window.docks.show("call_graph")
    process_events()
    functions, dock = window.views.function_list, window.docks.by_id["function_list"]
    header = functions.table.horizontalHeader().viewport()
    (canvas,) = window.views.call_graph.shown_canvases()
    asked = {
        "row": (functions.table.viewport(), QPoint(30, 30)),
        "head": (header, QPoint(30, 5)),
        "title": (dock, QPoint(20, 5)),
        "button": (window.views.call_graph.table_button, QPoint(5, 5)),
        "picture": (canvas.viewport(), QPoint(20, 20)),
        "line": (window.filter_bar, QPoint(20, 5)),
        "field": (window.status_bar.total, QPoint(5, 5)),
    }

    assert {name: tells(*place) for name, place in asked.items()} == dict.fromkeys(asked, True)
