"""The tools above a picture: what has no room is behind *More*, and nothing is cut off."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QIcon, QPixmap
from PySide6.QtWidgets import QMenu, QToolButton

from qcachegrind_py.views.pictures.box_view import BoxView
from qcachegrind_py.views.pictures.tool_row import ToolRow
from tests.present.boxes_text import PROGRAM
from tests.user_input import (
    PICTURES,
    choose_action,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    without_mnemonic,
)
from tests.views.pictures.conftest import ShowBoxes

ICON = Qt.ToolButtonStyle.ToolButtonIconOnly


@pytest.fixture
def view(show_boxes: ShowBoxes) -> BoxView:
    """A flame graph, with the choice of pictures before its tools."""
    view: BoxView = show_boxes("flame", PROGRAM, "main")
    icon = QIcon(QPixmap(16, 16))
    choices = [QAction(icon, title, view, checkable=True) for title in PICTURES]
    choices[1].setChecked(True)
    view.tools.add_switch(choices)
    return view


def shown(row: ToolRow) -> list[QToolButton]:
    """The buttons in a row, from left to right."""
    seen = [button for button in row.findChildren(QToolButton) if button.isVisible()]
    return sorted(seen, key=lambda button: button.mapTo(row, button.rect().topLeft()).x())


def word(button: QToolButton) -> str:
    """The text of a button, or a dot for an icon without one."""
    is_icon = not button.icon().isNull() and button.toolButtonStyle() is ICON
    return "." if is_icon else without_mnemonic(button.text()).replace(" ", "_")


def in_more(row: ToolRow) -> dict[str, bool]:
    """The entries behind *More*, and whether they are checked."""
    entries = {}

    def look(menu: QMenu) -> None:
        entries.update({action.text(): action.isChecked() for action in menu.actions()})

    inspect_menu(row.more.click, look)
    return entries


def test_a_narrow_row_loses_words_then_zooming_then_other_buttons(view: BoxView) -> None:
    """The choice of a picture and the search stay at any width, and each button is whole."""
    row, found = view.tools, list[str]()
    for width in range(1200, row.minimumSizeHint().width() - 1, -4):
        view.resize(width, 300)
        process_events()
        text = " ".join(map(word, shown(row)))
        found += [text] if text not in found else []
        cut = [word(each) for each in shown(row) if each.width() < each.sizeHint().width()]
        assert not cut, width
        assert view.search.width() >= view.search.minimumWidth(), width

    pictures = "Call_Graph Flame_Graph Caller_Map Callee_Map"
    assert found == [
        f"{pictures} Whole_Program − + Fit Table Export",
        ". Flame_Graph . . Whole_Program − + Fit Table Export",
        ". . . . Whole_Program − + Fit Table Export",
        ". . . . Whole_Program Table Export More",
        ". . . . Whole_Program More",
        ". . . . More",
    ]
    assert row.minimumSizeHint().width() < 400, "a picture has its place beside a list"


@ignore_offscreen_warnings
def test_what_has_no_room_is_behind_more(view: BoxView) -> None:
    """Its entries do what the buttons do, with their state and their menus."""
    row = view.tools
    view.resize(row.minimumSizeHint().width(), 300)
    process_events()
    zoom = ["Zoom out", "Zoom in", "Show the whole picture"]
    assert list(in_more(row)) == ["Whole Program", *zoom, "&Table", "E&xport"]
    choose_action(row.more.click, "Table")
    assert [text for text, is_checked in in_more(row).items() if is_checked] == ["&Table"]
    assert view.table_button.isChecked()
    view.options.set("mode", "callees")
    assert next(iter(in_more(row))) == "Callees"
