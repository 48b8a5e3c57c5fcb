"""The tables of callers and callees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.direct_calls import CallModel, CallRows
from qcachegrind_py.present.former.cost_format import NO_FORMAT
from qcachegrind_py.profile.events import UserEvent
from tests.profile_text import (
    THIN,
    WHOLE_SCOPE,
    cost_format,
    dump_rows,
    event_named,
    queries_for,
    titles,
)

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
COST, PER_CALL, COUNT = CallModel.COST, CallModel.PER_CALL, CallModel.COUNT
DRAWING = """
    main@a.c@/bin/prog 10 -> fast 4x40, slow 1x50, running 0x7
    fast@b.c 40
    slow@c.c 50
    running 7
    """


def callees_of_main(
    folder: Path,
    *,
    percent: bool = False,
    drawing: str = DRAWING,
    second: str = "",
) -> CallModel:
    """The callees of main as a model, optionally with a second event."""
    return calls_of(queries_for(folder, drawing), "main", percent=percent, second=second)


def calls_of(
    queries: ProfileQueries, name: str, *, percent: bool = False, second: str = "", up: bool = False
) -> CallModel:
    """The callees of a function as a model, or its callers."""
    ask = queries.callers if up else queries.callees
    calls = ask(queries.names.with_name(name)[0], WHOLE_SCOPE)
    model = CallModel("Caller" if up else "Callee")
    other = calls.cost(queries.events, event_named(queries, second or "Ir"))
    rows = CallRows(
        queries.labels(WHOLE_SCOPE),
        calls.node,
        calls.cost(queries.events, event_named(queries, "Ir")),
        other if second else np.zeros(len(calls), np.int64),
        calls.count,
        calls.in_cycle,
        calls.is_active,
    )
    first = cost_format(queries, "Ir", percent=percent)
    other_format = cost_format(queries, second, percent=percent) if second else NO_FORMAT
    model.set_rows(rows, first, other_format)
    return model


def test_call_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks."""
    qtmodeltester.check(callees_of_main(tmp_path))


def test_call_model_shows_cost_cost_per_call_and_count(tmp_path: Path) -> None:
    """Each callee is a row; a call that had not returned is (active), and counts as one."""
    model = callees_of_main(tmp_path)

    assert titles(model) == ["Incl.", "Per call", "Calls", "Callee", "Location"]
    assert dump_rows(model) == [
        "50 | 50 | 1 | slow | c.c",
        "40 | 10 | 4 | fast | b.c",
        "7 | 7 | (active) | running | ???",
    ]


def test_call_model_shows_percentages_but_the_cost_per_call_as_it_is(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total; the cost per call stays absolute."""
    model = callees_of_main(tmp_path, percent=True)

    assert titles(model) == ["Incl. %", "Per call", "Calls", "Callee", "Location"]
    assert dump_rows(model, COST, PER_CALL, COUNT) == [
        "46.73 | 50 | 1",
        "37.38 | 10 | 4",
        "6.54 | 7 | (active)",
    ]


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
    """Equal keys keep their original order in both directions."""
    drawing = "main 0 -> a 9x10, b 2x10, c 1x30, d 2x10\na 10\nb 10\nc 30\nd 10"
    model = callees_of_main(tmp_path, drawing=drawing)

    model.sort(column, order)

    assert dump_rows(model, CallModel.NAME) == expected


def test_current_call_stays_current_when_sorted(tmp_path: Path) -> None:
    """The current row moves with its callee."""
    model = callees_of_main(tmp_path)
    current = QPersistentModelIndex(model.index(1, CallModel.NAME))

    model.sort(CallModel.NAME, DESCENDING)

    assert dump_rows(model, CallModel.NAME) == ["slow", "running", "fast"]
    assert (current.row(), current.data()) == (2, "fast")


def test_call_model_finds_rows_by_function(tmp_path: Path) -> None:
    """A row's function is the one at the other end; a function that is no callee has no row."""
    model = callees_of_main(tmp_path)

    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(3)]

    assert [model.index_of_function(function).row() for function in functions] == [0, 1, 2]
    assert not model.index_of_function(0).isValid()


def test_call_costs_are_shown_to_the_last_digit(tmp_path: Path) -> None:
    """Costs of calls beyond float precision are displayed exactly, as are their averages."""
    cost = 2**53 + 1
    model = callees_of_main(tmp_path, drawing=f"main 0 -> f 1x{cost}\nf {cost}")

    text = f"{cost:,}".replace(",", THIN)
    assert dump_rows(model, COST, PER_CALL, COUNT) == [f"{text} | {text} | 1"]


def test_call_model_is_cleared(tmp_path: Path) -> None:
    """Clearing removes all calls."""
    model = callees_of_main(tmp_path)

    model.clear()

    assert dump_rows(model) == []


def test_call_model_has_the_full_names_in_its_tooltip(tmp_path: Path) -> None:
    """The tooltip has the name and the full paths, escaped."""
    drawing = "main 0 -> vector<int> 1x1\nvector<int>@/src/b&c.h@/lib/x.so 1"
    model = callees_of_main(tmp_path, drawing=drawing)

    tip = model.index(0, model.NAME).data(Qt.ItemDataRole.ToolTipRole)

    assert tip == "<qt>vector&lt;int&gt;<br>File: /src/b&amp;c.h<br>Object: /lib/x.so</qt>"


def test_call_model_shows_calls_without_names() -> None:
    """Calls without labels are shown without names, not as an error."""
    model = CallModel("Caller")
    column = np.array([3], np.int64)

    model.set_rows(
        CallRows(None, column, column, column, column, *(np.array([False]),) * 2),
        NO_FORMAT,
        NO_FORMAT,
    )

    assert dump_rows(model) == ["3 | 1 | 3 |  | "]


TWO_EVENTS = """
    events: Ir Dr
    main 10,1 -> fast 4x40,9, slow 1x50,30
    fast 40,9
    slow 50,30
    """


def test_second_event_has_two_columns_of_its_own(tmp_path: Path) -> None:
    """A second event has its own name beside the first, and percentages of its own total."""
    model = callees_of_main(tmp_path, drawing=TWO_EVENTS, percent=True, second="Dr")

    assert titles(model, all_columns=True) == [
        "Incl. %",
        "Per call",
        "Dr incl. %",
        "Dr per call",
        "Calls",
        "Callee",
        "Location",
    ]
    assert dump_rows(model, all_columns=True) == [
        "50.00 | 50 | 75.00 | 30 | 1 | slow | ???",
        "40.00 | 10 | 22.50 | 2 | 4 | fast | ???",
    ]
    model.sort(CallModel.SECOND_PER_CALL, ASCENDING)
    assert dump_rows(model, CallModel.NAME) == ["fast", "slow"]


def test_calls_of_a_ratio_have_no_average(tmp_path: Path) -> None:
    """Ratios are no percentages, have no bar and no cost per call; a division by 0 is a dash."""
    drawing = "events: Dr Ir\nmain 1,1 -> f 2x3,4, g 1x5,0, h 4x9,4\nf 3,4\ng 5,0\nh 9,4"
    queries = queries_for(tmp_path, drawing)
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])

    model = calls_of(queries, "main", percent=True, second="Rate")
    model.sort(CallModel.SECOND_COST, DESCENDING)

    shown = (CallModel.NAME, CallModel.SECOND_COST, CallModel.SECOND_PER_CALL)
    assert dump_rows(model, *shown) == ["h | 2.250 | –", "f | 0.7500 | –", "g | – | –"]
    assert model.title(CallModel.SECOND_COST) == "Rate incl."
    shares = [model.index(row, CallModel.SECOND_COST).data(Role.SHARE) for row in range(3)]
    assert shares == [0.0, 0.0, 0.0]


ROUND = """
    main 1 -> a 2x55
    a 10 -> b 3x50, leaf 1x5
    b 20 -> a 1x25, leaf 1x20
    leaf 25
    """


def test_calls_inside_a_cycle_have_a_word_for_a_cost(tmp_path: Path) -> None:
    """The cost of a call inside a cycle is part of the cycle's: a word replaces the number."""
    model = calls_of(queries_for(tmp_path, ROUND), "a")

    assert dump_rows(model) == [
        "5 | 5 | 1 | leaf | ???",
        "(cycle) | (cycle) | 3 | b <cycle 1> | ???",
    ]


def test_cycle_calls_its_members_at_their_costs(tmp_path: Path) -> None:
    """A cycle's callers are functions outside, its callees its members with inclusive costs."""
    queries = queries_for(tmp_path, ROUND)
    cycle = queries.function_count
    by_name = {queries.names.name(f): f for f in range(cycle)}
    shown = {}
    for up, ask in ((True, queries.callers), (False, queries.callees)):
        calls = ask(cycle, WHOLE_SCOPE)
        cost = calls.cost(queries.events, event_named(queries, "Ir"))
        rows = CallRows(
            queries.labels(WHOLE_SCOPE),
            calls.node,
            cost,
            cost,
            calls.count,
            calls.in_cycle,
            calls.is_active,
        )
        model = CallModel("Caller")
        model.set_rows(rows, cost_format(queries), NO_FORMAT)
        shown[up] = dump_rows(model)
        functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(model.rowCount())]
        assert functions == [by_name[line.split(" | ")[3].split()[0]] for line in shown[up]]

    assert shown[True] == ["55 | 27 | 2 | main | ???"]
    assert shown[False] == [
        "40 | – | – | b <cycle 1> | ???",
        "15 | – | – | a <cycle 1> | ???",
    ]


def test_selected_function_is_highlighted(tmp_path: Path, qtbot: Any) -> None:
    """All cells of the selected function's rows are highlighted, and no others."""
    model = callees_of_main(tmp_path)
    selected = model.index(1, 0).data(Role.FUNCTION)

    with qtbot.waitSignal(model.dataChanged):
        model.highlight(selected)
    marked = [model.index(row, 3).data(Role.HIGHLIGHT) for row in range(3)]
    model.highlight(-1)

    assert marked == [False, True, False]
    assert [model.index(row, 3).data(Role.HIGHLIGHT) for row in range(3)] == [False] * 3


def test_cells_for_other_programs_are_whole_numbers(tmp_path: Path) -> None:
    """Copied costs have no groups, percent signs or words: a call in a cycle costs 0, active is 0.

    Copied cells can be summed in a spreadsheet.
    """
    drawing = "main 1 -> a 2000x60000000, run 0x7\na 10 -> b 3x50\nb 20 -> a 1x25\nrun 7"
    model = callees_of_main(tmp_path, drawing=drawing, percent=True)

    cells = [
        [model.plain_text(model.index(row, column)) for column in (COST, PER_CALL, COUNT)]
        for row in range(2)
    ]

    assert cells == [["60000000", "30000", "2000"], ["7", "7", "0"]]
