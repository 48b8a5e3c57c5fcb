"""Journeys with the colours of groups: chosen once, the same in all views, kept per program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import node_colors
from tests.profile_text import EXAMPLE
from tests.seen_cell import SeenCell
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
    return SeenCell(index.siblingAtColumn(model.place("name"))).color


def picture_color(window: MainWindow, function: int) -> QColor:
    """The colour of a function in pictures."""
    query = window.session.query
    assert query is not None
    return node_colors(query)(NodeId(function))


def test_a_chosen_color_is_that_of_all_views_and_kept_for_the_program(
    shown: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    restarted_window: Callable[[Path], MainWindow],
) -> None:
    """All functions of a library get shades of it, until *Reset*; a cancelled dialog has none."""
    go_to(shown.session, shown.navigation, "main")
    main = function_id(shown.session, "main")
    model = shown.views.function_list.model
    before = swatch(model, main), picture_color(shown, main)
    choose_color(shown, monkeypatch, "Choose Colour of “templ-O2”…", QColor())
    cancelled = shown.navigation.context.group_colors
    choose_color(shown, monkeypatch, "Choose Colour of “templ-O2”…")
    after = swatch(model, main), picture_color(shown, main)
    again = restarted_window(EXAMPLE)
    kept = picture_color(again, main)
    go_to(again.session, again.navigation, "main")
    process_events()
    choose_color(again, monkeypatch, "Reset Colour of “templ-O2”")

    assert cancelled == ()
    assert before[0] == before[1]
    assert after[0] == after[1] != before[0]
    assert abs(after[0].hue() - CHOSEN.hue()) <= 2
    assert kept == after[0]
    assert picture_color(again, main) == before[1]
