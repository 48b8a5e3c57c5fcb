"""Journeys through the lists of calls while two profiles are compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import FUNCTIONS
from tests.journeys.test_comparing import function_list, settle
from tests.profile_text import THIN
from tests.user_input import LEFT, ignore_offscreen_warnings

pytestmark = ignore_offscreen_warnings
BASE = """
    main@a.c 10 -> f 10x300, g 1x50, old 2x8
    f@a.c 300
    g@a.c 20 -> h 1x30
    h@a.c 30
    old@a.c 2 -> h 1x6
    """
NEW = """
    main@a.c 13 -> f 20x600, g 1x60, young 1x4
    f@a.c 600
    g@a.c 20 -> h 1x40
    h@a.c 40
    young@a.c 4
    """


@pytest.fixture
def compared(window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]) -> MainWindow:
    """The window on a laptop's screen, with absolute changes from `BASE` to `NEW`."""
    window.resize(1366, 768)
    base = draw(BASE, "base")
    window.open([draw(NEW, "new")], with_siblings=False)
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([base])
    settle(window, qtbot)
    window.actions_["absolute"].trigger()
    settle(window, qtbot)
    return window


def click_function(window: MainWindow, name: str, qtbot: QtBot) -> None:
    """Click a function in the list of functions."""
    table, model = function_list(window).table, function_list(window).model
    rows = [model.index(row, FUNCTIONS.NAME) for row in range(model.rowCount())]
    (index,) = [row for row in rows if row.data() == name]
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())
    settle(window, qtbot)


def rows_of(window: MainWindow, dock: str, qtbot: QtBot) -> list[str]:
    """What the list of a dock says of each row: titles, texts and marks, if there are any."""
    window.docks.show(dock)
    settle(window, qtbot)
    (table,) = window.views.view(getattr(DockRegistry, dock)).findChildren(RecordTable)
    model = table.model()
    assert isinstance(model, TableModel)
    keys = ("function", "name", "inclusive", "cost", "count", "called")
    shown = [number for number, column in enumerate(model.columns) if column.key in keys]
    return [_text(model.index(row, 0), shown) for row in range(model.rowCount())]


def _text(row: QModelIndex, columns: list[int]) -> str:
    cells = [row.siblingAtColumn(column) for column in columns]
    texts = [str(cell.data()) for cell in cells]
    marks = [str(cell.data(Role.MARK) or "") for cell in cells]
    return " | ".join(filter(None, (*texts, *marks))).replace(THIN, " ")


def test_lists_of_calls_show_what_changed(compared: MainWindow, qtbot: QtBot) -> None:
    """Every list has the rows of both sides, sorted by the size of the change, with its sign."""
    click_function(compared, "main", qtbot)
    below = {dock: rows_of(compared, dock, qtbot) for dock in ("callees", "all_callees")}
    click_function(compared, "h", qtbot)
    above = {dock: rows_of(compared, dock, qtbot) for dock in ("callers", "all_callers")}

    direct = ["+300 | 10 → 20 | f", "+10 | 1 | g", "−8 | 2 → 0 | old | gone"]
    young = "+4 | 0 → 1 | young | new"
    assert below == {
        "callees": [*direct, young],
        "all_callees": [*direct, young, "≈ +4 | ≈ 2 → 1 | h"],
    }
    callers = ["+10 | 1 | g", "−6 | 1 → 0 | old | gone"]
    assert above == {
        "callers": callers,
        "all_callers": [*callers, "≈ +4 | ≈ 2 → 1 | main"],
    }


def test_the_call_stack_leads_to_what_is_gone(compared: MainWindow, qtbot: QtBot) -> None:
    """The path to a function of the base alone is that in the base, with what it costs less."""
    click_function(compared, "h", qtbot)
    stack = rows_of(compared, "call_stack", qtbot)
    click_function(compared, "old", qtbot)
    stack_of_old = rows_of(compared, "call_stack", qtbot)

    assert stack == ["+309 | main", "+10 | 1 | g", "+10 | 1 | h"]
    assert stack_of_old == ["+309 | main", "−8 | 2 → 0 | old | gone", "−6 | 1 → 0 | h"]


def test_lists_of_calls_are_as_before_when_comparing_stops(
    compared: MainWindow, qtbot: QtBot
) -> None:
    """Without a base, the lists have costs of the open profile, and no rows of the other."""
    click_function(compared, "main", qtbot)

    compared.actions_["stop_comparing"].trigger()
    settle(compared, qtbot)

    assert rows_of(compared, "callees", qtbot) == ["600 | 20 | f", "60 | 1 | g", "4 | 1 | young"]


def test_the_functions_do_not_scroll_sideways_in_a_small_window(
    compared: MainWindow, qtbot: QtBot
) -> None:
    """On a small screen, the list has room for both changes and the names."""
    compared.resize(1024, 700)
    settle(compared, qtbot)
    table = function_list(compared).table

    assert table.horizontalScrollBar().maximum() == 0
    assert shown_titles(table) == ["Incl. ±", "Self ±", "Function"]


def shown_titles(table: RecordTable) -> list[str]:
    """The titles of the columns that are seen."""
    model = table.model()
    assert isinstance(model, TableModel)
    return [
        model.title(column)
        for column in range(len(model.columns))
        if not table.isColumnHidden(column)
    ]
