"""The lists of callers and callees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from qcachegrind_py.analysis.neighbours import Neighbours
from qcachegrind_py.models.calls import CallModel
from qcachegrind_py.models.table import Role
from tests.drawn import THIN, asked, dump, titles

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
DRAWING = """
    main@a.c@/bin/prog 10 -> fast 4x40, slow 1x50, running 0x7
    fast@b.c 40
    slow@c.c 50
    running 7
    """


def callees_of_main(folder: Path, *, percent: bool = False, drawing: str = DRAWING) -> CallModel:
    questions = asked(folder, drawing)
    event = questions.profile.events.all[0]
    model = CallModel("Callee")
    model.set_unit(questions.total(event).base, percent)
    model.set_calls(questions.names, questions.callees(questions.names.named("main")[0], event))
    return model


def test_call_model_keeps_all_promises_that_qt_asks_of_a_model(
    qtmodeltester: Any, tmp_path: Path
) -> None:
    """A model answers every question of Qt without contradiction."""
    qtmodeltester.check(callees_of_main(tmp_path))


def test_call_model_shows_cost_cost_per_call_and_count(tmp_path: Path) -> None:
    """Each callee is a row; a call that had not returned is (active), and counts as one."""
    model = callees_of_main(tmp_path)

    assert titles(model) == ["Cost", "Per call", "Count", "Callee", "Location"]
    assert dump(model) == [
        "50 | 50 | 1 | slow | c.c",
        "40 | 10 | 4 | fast | b.c",
        "7 | 7 | (active) | running | ???",
    ]


def test_call_model_shows_percentages_but_the_cost_per_call_as_it_is(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total; the cost of one call stays absolute."""
    model = callees_of_main(tmp_path, percent=True)

    assert titles(model) == ["Cost %", "Per call", "Count", "Callee", "Location"]
    assert dump(model, 0, 1, 2) == ["46.73 | 50 | 1", "37.38 | 10 | 4", "6.54 | 7 | (active)"]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (CallModel.COST, ASCENDING, ["a", "b", "d", "c"]),
        (CallModel.COST, DESCENDING, ["c", "a", "b", "d"]),
        (CallModel.COUNT, ASCENDING, ["c", "b", "d", "a"]),
        (CallModel.COUNT, DESCENDING, ["a", "b", "d", "c"]),
        (CallModel.NAME, ASCENDING, ["a", "b", "c", "d"]),
        (CallModel.NAME, DESCENDING, ["d", "c", "b", "a"]),
    ],
)
def test_call_model_sorts_stably(
    tmp_path: Path, column: int, order: Qt.SortOrder, expected: list[str]
) -> None:
    """Equal keys keep the order in which they came, whichever way one sorts."""
    drawing = "main 0 -> a 9x10, b 2x10, c 1x30, d 2x10\na 10\nb 10\nc 30\nd 10"
    model = callees_of_main(tmp_path, drawing=drawing)

    model.sort(column, order)

    assert dump(model, CallModel.NAME) == expected


def test_current_call_stays_current_when_sorted(tmp_path: Path) -> None:
    """The current row moves with its callee."""
    model = callees_of_main(tmp_path)
    current = QPersistentModelIndex(model.index(1, CallModel.NAME))

    model.sort(CallModel.NAME, DESCENDING)

    assert dump(model, CallModel.NAME) == ["slow", "running", "fast"]
    assert (current.row(), current.data()) == (2, "fast")


def test_call_model_finds_rows_by_function(tmp_path: Path) -> None:
    """The function of a row is the one at the other end; who is no callee has no row."""
    model = callees_of_main(tmp_path)

    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(3)]

    assert [model.index_of_function(function).row() for function in functions] == [0, 1, 2]
    assert not model.index_of_function(0).isValid()


def test_call_costs_are_shown_to_the_last_digit(tmp_path: Path) -> None:
    """A cost of a call that no float holds is shown exactly, its average too."""
    cost = 2**53 + 1
    model = callees_of_main(tmp_path, drawing=f"main 0 -> f 1x{cost}\nf {cost}")

    text = f"{cost:,}".replace(",", THIN)
    assert dump(model, 0, 1, 2) == [f"{text} | {text} | 1"]


def test_call_model_is_emptied(tmp_path: Path) -> None:
    """Nothing is left of the calls that were shown."""
    model = callees_of_main(tmp_path)

    model.clear()

    assert dump(model) == []


def test_call_model_has_the_full_names_in_its_tooltip(tmp_path: Path) -> None:
    """The tooltip has the name and the full paths, escaped."""
    drawing = "main 0 -> vector<int> 1x1\nvector<int>@/src/b&c.h@/lib/x.so 1"
    model = callees_of_main(tmp_path, drawing=drawing)

    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)

    assert tip == "<qt>vector&lt;int&gt;<br>File: /src/b&amp;c.h<br>Object: /lib/x.so</qt>"


def test_call_model_shows_neighbours_of_any_kind() -> None:
    """Calls without names are shown as costs without names, not as an error."""
    model = CallModel("Caller")
    column = np.array([3], np.int64)

    model.set_calls(None, Neighbours(column, column, column))

    assert dump(model) == ["– | 1 | 3 |  | "]
