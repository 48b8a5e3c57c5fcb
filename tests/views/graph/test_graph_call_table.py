"""The calls of the call graph as a table: the part of the active function's cost along each."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_graph import NO_GRAPH_CALLS, call_graph, call_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.analysis.named_queries import CYCLES, event_named, node_id, queries_from
from tests.columns import GRAPH_CALLS
from tests.profile_text import dump_rows, lasting_columns, titles, view_query

EXACT = "The cost is exact: it follows from the recorded calls."

ABOUT = "≈\N{THIN SPACE}"
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
SHARED = """
    main 10 -> a 2x60, b 1x130, d 1x7
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c 100
    d 67
    """
CYCLE = """
    main 1 -> a 2x55
    a 10 -> b 3x50, leaf 1x5
    b 20 -> a 1x25, leaf 1x20
    leaf 25
    """


def model_of(drawing: str, active: str, *opened: str, percent: bool = False) -> TableModel:
    """All calls around a function, with these cycles expanded; percentages are of its cost."""
    queries = queries_from(drawing)
    cycles = frozenset(node_id(queries, name) for name in opened)
    extent = SubgraphLimits(caller_depth=None, min_node_share=0, expanded_cycles=cycles)
    return model_around(queries, active, extent, percent=percent)


def model_around(
    queries: ProfileQueries, active: str, extent: SubgraphLimits, *, percent: bool
) -> TableModel:
    unit = CostUnit.PERCENT_OF_PARENT if percent else CostUnit.ABSOLUTE
    query = view_query(queries, function=node_id(queries, active), unit=unit, scope=CYCLES)
    model = TableModel(NO_GRAPH_CALLS)
    model.show(call_table(call_graph(query, event_named(queries, "Ir"), extent, "")))
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(SHARED, "c"))
    qtmodeltester.check(TableModel(NO_GRAPH_CALLS))


def test_calls_show_passed_and_recorded_cost(qapp: object) -> None:
    """Costs shared in proportion are marked, even a call count that rounds to none."""
    model = model_of(SHARED, "c")

    assert titles(model) == ["Incl.", "Calls", "Recorded", "Caller", "Callee"]
    assert [model.columns[n].stretches for n in lasting_columns(model)] == [False] * 4 + [
        True,
        False,
    ]
    assert dump_rows(model) == [
        "100 | 4 | 100 | a | c",
        f"{ABOUT}50 | {ABOUT}2 | 60 | main | a",
        f"{ABOUT}50 | {ABOUT}0 | 130 | main | b",
        f"{ABOUT}50 | {ABOUT}5 | 60 | b | a",
    ]


def test_calls_of_the_whole_program_are_exact(qapp: object) -> None:
    """Below the top function every call has its recorded cost."""
    assert dump_rows(model_of(SHARED, "main")) == [
        "130 | 1 | 130 | main | b",
        "100 | 4 | 100 | a | c",
        "60 | 2 | 60 | main | a",
        "60 | 6 | 60 | b | a",
        "60 | 3 | 60 | b | d",
        "7 | 1 | 7 | main | d",
    ]


def test_cycle_calls_its_member_without_a_count(qapp: object) -> None:
    """The calls from a cycle to its member have no count.

    The number of calls to the cycle that reached the member is unknown.
    """
    assert dump_rows(model_of(CYCLE, "a")) == [
        f"15 | {ABOUT}1 | 55 | main | <cycle 1>",
        "15 | – | 15 | <cycle 1> | a <cycle 1>",
        "5 | 1 | 5 | a <cycle 1> | leaf",
    ]
    assert dump_rows(model_of(CYCLE, "a"), GRAPH_CALLS.EXACT) == ["cost only", "yes", "yes"]


def test_calls_inside_an_opened_cycle_say_so(qapp: object) -> None:
    """In an expanded cycle members call each other; tooltips mark such costs as inner."""
    model = model_of(CYCLE, "main", "<1>")

    assert dump_rows(model) == [
        "55 | 2 | 55 | main | a <cycle 1>",
        "50 | 3 | 50 | a <cycle 1> | b <cycle 1>",
        "25 | 1 | 25 | b <cycle 1> | a <cycle 1>",
        "20 | 1 | 20 | b <cycle 1> | leaf",
        "5 | 1 | 5 | a <cycle 1> | leaf",
    ]
    tips = [
        model.index(row, GRAPH_CALLS.CALLER).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 1)
    ]
    assert tips == [
        f"<qt>main<br>→ a<br>{EXACT}</qt>",
        f"<qt>a<br>→ b<br>{EXACT}<br>"
        "A call inside a cycle; its cost is counted where the cycle is entered.</qt>",
    ]


def test_percentages_are_marked_and_copied_as_numbers(qapp: object) -> None:
    """A percentage is marked like a number, its bar is its share; the plain number is copied."""
    model = model_of(SHARED, "c", percent=True)

    assert titles(model)[:3] == ["Incl. %", "Calls", "Recorded %"]
    columns = GRAPH_CALLS.COST, GRAPH_CALLS.COUNT, GRAPH_CALLS.RECORDED
    assert dump_rows(model, *columns)[1:3] == [
        f"{ABOUT}50.00 | {ABOUT}2 | 60.00",
        f"{ABOUT}50.00 | {ABOUT}0 | 130.00",
    ]
    assert model.index(1, 0).data(Role.SHARE) == 0.5
    assert [
        [model.plain_text(model.index(row, n)) for n in lasting_columns(model)] for row in (0, 2)
    ] == [
        ["100", "4", "100", "a", "c", "yes"],
        ["50", "0", "130", "main", "b", "no"],
    ]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (GRAPH_CALLS.COST, ASCENDING, "main>a main>b b>a a>c"),
        (GRAPH_CALLS.COUNT, DESCENDING, "b>a a>c main>a main>b"),
        (GRAPH_CALLS.RECORDED, DESCENDING, "main>b a>c main>a b>a"),
        (GRAPH_CALLS.CALLER, DESCENDING, "main>a main>b b>a a>c"),
        (GRAPH_CALLS.CALLEE, ASCENDING, "main>a b>a main>b a>c"),
    ],
)
def test_rows_are_sorted(qapp: object, column: int, order: Qt.SortOrder, expected: str) -> None:
    """Numbers sort as numbers, names by letters; equal rows keep the graph's order."""
    model = model_of(SHARED, "c")

    model.sort(column, order)

    names = dump_rows(model, GRAPH_CALLS.CALLER, GRAPH_CALLS.CALLEE)
    assert [name.replace(" | ", ">") for name in names] == expected.split()


def test_row_is_about_the_callee(qapp: object) -> None:
    """A call is found under its own number and by its callee, whose first row it is."""
    model = model_of(SHARED, "c")
    model.sort(GRAPH_CALLS.CALLEE, ASCENDING)
    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(4)]
    model.highlight(functions[0])

    assert [model.record(model.index(row, 0)) for row in range(4)] == [1, 3, 2, 0]
    assert [model.index_of_record(call).row() for call in (1, 3, 2, 0)] == [0, 1, 2, 3]
    assert [model.index_of_function(function).row() for function in functions] == [0, 0, 2, 3]
    assert not model.index_of_function(999).isValid()
    assert [model.index(row, 0).data(Role.HIGHLIGHT) for row in range(4)] == [
        *(True, True, False, False)
    ]


def test_names_are_shown_as_text(qapp: object) -> None:
    """A name with markup is text, in the table and in its tooltip."""
    model = model_of("<b>x</b> 1 -> <i>y</i> 1x5\n<i>y</i> 5", "<b>x</b>")
    call = model.index(0, GRAPH_CALLS.CALLEE)

    assert dump_rows(model) == ["5 | 1 | 5 | <b>x</b> | <i>y</i>"]
    assert call.data(Qt.ItemDataRole.ToolTipRole) == (
        f"<qt>&lt;b&gt;x&lt;/b&gt;<br>→ &lt;i&gt;y&lt;/i&gt;<br>{EXACT}</qt>"
    )


def test_model_is_cleared(qapp: object) -> None:
    """Clearing removes all rows."""
    model = model_of(SHARED, "main")

    model.clear()

    assert (dump_rows(model), model.table.length, 0) == ([], 0, 0)
    assert not model.index_of_function(0).isValid()
