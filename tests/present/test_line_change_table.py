"""The list of lines whose self cost changed."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.present.contributions import NO_LINE_TABLE, LineChanges, line_change_table
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import LINES
from tests.profile_text import THIN, dump_rows


def lines(*, several_files: bool = False) -> TableModel:
    """Five lines of a function: changed, new, gone, moved and unknown."""
    changes = LineChanges(
        np.array([7, 7, 7, 8, 7]),
        np.array([1, 0, 3, 4, 0]),
        np.array([1, 2, 0, 6, 0]),
        BothSides(np.array([10, 0, 40, 5, 3]), np.array([30, 5, 0, 5, 4])),
        ["  int a;", "int b;", "int c;", "return x < y;", ""],
        {7: "a.c", 8: "b.h"} if several_files else {},
    )
    model = TableModel(NO_LINE_TABLE)
    model.show(line_change_table(changes, Unit("Ir", 1000, wants_percent=False)))
    return model


def cells(model: TableModel, *columns: int) -> list[str]:
    return [row.replace(THIN, " ") for row in dump_rows(model, *columns)]


def test_lines_are_sorted_by_the_size_of_their_change() -> None:
    """Each with its number on both sides; a dash where a side does not have it."""
    assert cells(lines()) == [
        "−40 | 40 |  | 3 → – | int c;",
        "+20 | 10 | 30 | 1 | int a;",
        "+5 |  | 5 | – → 2 | int b;",
        "+1 | 3 | 4 | ? | ",
        " | 5 | 5 | 4 → 6 | return x < y;",
    ]


def test_lines_sort_in_order_of_the_source() -> None:
    """As they stand in the arrays; the bars keep their scale."""
    model = lines()
    model.sort(LINES.LINE, Qt.SortOrder.AscendingOrder)

    assert cells(model, LINES.LINE) == ["1", "– → 2", "3 → –", "4 → 6", "?"]
    assert model.index(2, LINES.CHANGE).data(Role.CHANGE) == -1.0


def test_files_are_named_where_there_are_several() -> None:
    """Inlined code comes from others."""
    text = LINES.TEXT
    assert cells(lines(several_files=True), text)[1::3] == ["a.c: int a;", "b.h: return x < y;"]


def test_tips_show_the_line_and_where_it_is() -> None:
    """Escaped, as sources are full of angle brackets."""
    model = lines()
    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 2, 4)]

    assert [tip.replace(THIN, " ") for tip in tips] == [
        "<qt>int c;<br>Line 3 of the base, gone in the new source"
        "<br>−40 Ir (−4.00 % of the base)</qt>",
        "<qt>int b;<br>Line 2, only in the new source<br>+5 Ir (+0.50 % of the base)</qt>",
        "<qt>return x &lt; y;<br>Line 4 → 6</qt>",
    ]
