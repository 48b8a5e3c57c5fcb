"""A journey through the lists of calls while two profiles are compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from tests.profile_text import THIN
from tests.seen_cell import SeenCell
from tests.user_input import go_to, ignore_offscreen_warnings, settle

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
SHOWN = ("function", "name", "inclusive", "cost", "count", "called")


def test_lists_of_calls_show_both_sides_until_comparing_stops(
    compare: Callable[..., MainWindow], draw: Callable[..., Path], qtbot: QtBot
) -> None:
    """Rows of both sides by the size of their change; the way to what is gone is the base's."""
    window = compare(draw(BASE, "base"), draw(NEW, "new"))
    window.actions_["absolute"].trigger()

    def rows(function: str, dock: str) -> list[str]:
        """What a list says of each row: titles, texts and marks, if there are any."""
        go_to(window.session, window.navigation, function)
        window.docks.show(dock)
        settle(window, qtbot)
        (table,) = window.docks.view(dock).findChildren(RecordTable)
        model = table.model()
        assert isinstance(model, TableModel)
        columns = [number for number, column in enumerate(model.columns) if column.key in SHOWN]
        return [_text(model.index(row, 0), columns) for row in range(model.rowCount())]

    below = {dock: rows("main", dock) for dock in ("callees", "all_callees")}
    above = {dock: rows("h", dock) for dock in ("callers", "all_callers", "call_stack")}
    stack_of_old = rows("old", "call_stack")
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)
    alone = rows("main", "callees")

    direct = ["+300 | 10 → 20 | f", "+10 | 1 | g", "−8 | 2 → 0 | old | gone"]
    young, callers = "+4 | 0 → 1 | young | new", ["+10 | 1 | g", "−6 | 1 → 0 | old | gone"]
    assert below == {
        "callees": [*direct, young],
        "all_callees": [*direct, "≈ +4 | ≈ 2 → 1 | h", young],
    }
    assert above == {
        "callers": callers,
        "all_callers": [*callers, "≈ +4 | ≈ 2 → 1 | main"],
        "call_stack": ["+309 | main", "+10 | 1 | g", "+10 | 1 | h"],
    }
    assert stack_of_old == ["+309 | main", "−8 | 2 → 0 | old | gone", "−6 | 1 → 0 | h"]
    assert alone == ["600 | 20 | f", "60 | 1 | g", "4 | 1 | young"]


def _text(row: QModelIndex, columns: list[int]) -> str:
    cells = [row.siblingAtColumn(column) for column in columns]
    texts = [str(cell.data()) for cell in cells]
    marks = [SeenCell(cell).mark for cell in cells]
    return " | ".join(filter(None, (*texts, *marks))).replace(THIN, " ")
