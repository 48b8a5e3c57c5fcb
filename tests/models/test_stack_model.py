"""The costliest way: entries from the top, each with what the one above spent in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.call_stack import StackModel, StackRows
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from tests.profile_text import WHOLE_SCOPE, dump_rows, queries_for, titles

DRAWING = """
    main@a.c@/bin/prog 10 -> <b>it</b> 2x60
    <b>it</b>@b.c@/lib/b.so 20 -> leaf 4x40
    leaf 40
    """


def model_of(folder: Path, *, percent: bool = False, second: bool = False) -> StackModel:
    """The path from main to the leaf."""
    queries = queries_for(folder, DRAWING)
    by_name = {queries.names.name(f): f for f in range(queries.function_count)}
    rows = StackRows(
        queries.labels(WHOLE_SCOPE),
        np.array([by_name[name] for name in ("main", "<b>it</b>", "leaf")], np.int64),
        np.array([70, 60, 40], np.int64),
        np.array([7, 6, 5000], np.int64) if second else np.zeros(3, np.int64),
        np.array([0, 2, 4000], np.int64),
        np.zeros(3, bool),
    )
    model = StackModel()
    other = CostFormat("Dr", 10000, percent) if second else NO_FORMAT
    model.set_rows(rows, CostFormat("Ir", 70, percent), other)
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(tmp_path))
    qtmodeltester.check(StackModel())


def test_path_is_listed_from_the_top(tmp_path: Path) -> None:
    """Each node has the cost and count of its calls from above; nobody called the first."""
    model = model_of(tmp_path)

    assert titles(model) == ["Incl.", "Calls", "Function", "Location"]
    assert dump_rows(model) == [
        "70 |  | main | prog: a.c",
        "60 | 2 | <b>it</b> | b.so: b.c",
        "40 | 4\N{THIN SPACE}000 | leaf | ???",
    ]


def test_second_event_and_percentages(tmp_path: Path) -> None:
    """Both events are side by side, each as a percentage of its own total."""
    model = model_of(tmp_path, percent=True, second=True)

    assert titles(model, all_columns=True)[:2] == ["Incl. %", "Dr incl. %"]
    assert dump_rows(model, StackModel.COST, StackModel.SECOND_COST, StackModel.NAME) == [
        "100.00 | 0.07 | main",
        "85.71 | 0.06 | <b>it</b>",
        "57.14 | 50.00 | leaf",
    ]
    assert [model.index(row, 0).data(Role.SHARE) for row in range(3)] == [1.0, 6 / 7, 4 / 7]


def test_path_stays_in_order(tmp_path: Path) -> None:
    """A path has one order: no column sorts it."""
    model = model_of(tmp_path, second=True)

    for column in range(model.columnCount()):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            model.sort(column, order)

    assert dump_rows(model, StackModel.NAME) == ["main", "<b>it</b>", "leaf"]


def test_selected_node_is_highlighted_and_found(tmp_path: Path) -> None:
    """The row of the selected function is highlighted; each row has its function."""
    model = model_of(tmp_path)
    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(3)]

    model.highlight(functions[2])

    assert [model.index(row, 0).data(Role.HIGHLIGHT) for row in range(3)] == [False, False, True]
    assert [model.index_of_function(function).row() for function in functions] == [0, 1, 2]


def test_tooltip_has_the_names_in_full(tmp_path: Path) -> None:
    """The tooltip displays names as text, even if they look like HTML."""
    tip = model_of(tmp_path).index(1, StackModel.NAME).data(Qt.ItemDataRole.ToolTipRole)

    assert tip == "<qt>&lt;b&gt;it&lt;/b&gt;<br>File: b.c<br>Object: /lib/b.so</qt>"


def test_model_is_cleared(tmp_path: Path) -> None:
    """Clearing removes the path."""
    model = model_of(tmp_path)

    model.clear()

    assert (dump_rows(model), model.rows.labels) == ([], None)
