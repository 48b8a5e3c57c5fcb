"""Journeys with the colours of groups: chosen once, the same in all views, kept per program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import node_colors
from tests.profile_text import EXAMPLE
from tests.user_input import (
    choose_action,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    row_menu,
)

CHOSEN = QColor("#7a1fa2")
pytestmark = ignore_offscreen_warnings


def choose_color(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, text: str, color: QColor = CHOSEN
) -> None:
    """Choose an action of the row of the active function, and a colour in the dialog."""
    monkeypatch.setattr(QColorDialog, "getColor", lambda *_: color)
    table = window.views.function_list.table
    choose_action(row_menu(table, table.currentIndex().row()), text)
    process_events()


def swatch(model: TableModel, function: int) -> QColor | None:
    """The colour in front of the name of a function in a list."""
    index = model.index_of_function(NodeId(function))
    found = index.siblingAtColumn(model.place("name")).data(Qt.ItemDataRole.DecorationRole)
    return found if isinstance(found, QColor) else None


def picture_color(window: MainWindow, function: int) -> QColor:
    """The colour of a function in pictures."""
    query = window.session.query
    assert query is not None
    return node_colors(query)(NodeId(function))


def test_chosen_color_is_that_of_all_views(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The functions of a file get shades of the colour chosen for one of them, everywhere."""
    go_to(shown.session, shown.navigation, "main")
    main = function_id(shown.session, "main")
    model = shown.views.function_list.model
    before = swatch(model, main), picture_color(shown, main)
    choose_color(shown, monkeypatch, "Choose Colour of “templ.cpp”…")
    after = swatch(model, main), picture_color(shown, main)

    assert before[0] == before[1]
    assert after[0] == after[1] != before[0]
    assert abs(after[0].hue() - CHOSEN.hue()) <= 2


def test_color_is_kept_for_the_program(
    shown: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    restarted_window: Callable[[Path], MainWindow],
) -> None:
    """Another window of the same program has it, too; *Reset* returns to the computed one."""
    go_to(shown.session, shown.navigation, "main")
    main = function_id(shown.session, "main")
    computed = picture_color(shown, main)
    choose_color(shown, monkeypatch, "Choose Colour of “templ.cpp”…")
    again = restarted_window(EXAMPLE)
    kept = picture_color(again, main)
    go_to(again.session, again.navigation, "main")
    process_events()
    choose_color(again, monkeypatch, "Reset Colour of “templ.cpp”")

    assert abs(kept.hue() - CHOSEN.hue()) <= 2
    assert picture_color(again, main) == computed


def test_cancelled_dialog_changes_nothing(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The invalid colour of a cancelled dialog is no colour."""
    go_to(shown.session, shown.navigation, "main")
    choose_color(shown, monkeypatch, "Choose Colour of “templ.cpp”…", QColor())

    assert shown.navigation.context.group_colors == ()
