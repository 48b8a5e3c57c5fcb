"""The nodes of the call graph as a list: what of the active function's cost passed where."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_graph import NO_GRAPH_NODES, call_graph, node_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.table import Shown
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.analysis.named_queries import CYCLES, event_named, node_id, queries_from
from tests.columns import GRAPH_NODES
from tests.profile_text import dump_rows, lasting_columns, titles, view_query

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."

ABOUT = "≈\N{THIN SPACE}"
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
EVERYTHING = SubgraphLimits(caller_depth=None, min_node_share=0)
SHARED = """
    main@a.c@/bin/prog 10 -> a 2x60, b 1x130, d 1x7
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c@c.c@/lib/c.so 100
    d 67
    """


def model_of(
    drawing: str, active: str, *, percent: bool = False, extent: SubgraphLimits = EVERYTHING
) -> TableModel:
    """The nodes around a function; percentages are of its inclusive cost."""
    queries = queries_from(drawing)
    return model_around(queries, active, extent, percent=percent)


def model_around(
    queries: ProfileQueries, active: str, extent: SubgraphLimits, *, percent: bool
) -> TableModel:
    unit = CostUnit.PERCENT_OF_PARENT if percent else CostUnit.ABSOLUTE
    query = view_query(queries, function=node_id(queries, active), unit=unit, scope=CYCLES)
    model = TableModel(NO_GRAPH_NODES)
    model.show(node_table(call_graph(query, event_named(queries, "Ir"), extent, "")))
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(SHARED, "b"))
    qtmodeltester.check(TableModel(NO_GRAPH_NODES))


def test_nodes_show_passed_and_recorded_cost(qapp: object) -> None:
    """Costs shared in proportion are marked; a self cost is exact only for a whole function.

    The recorded inclusive cost is beside it, independent of the active function.
    """
    model = model_of(SHARED, "b")

    assert titles(model) == ["Incl.", "Self", "Called", "Recorded", "Function", "Location"]
    assert dump_rows(model) == [
        "130 | 10 | 1 | 130 | b | ???",
        f"130 | {ABOUT}6 | 1 | 207 | main | prog: a.c",
        f"60 | {ABOUT}10 | 6 | 120 | a | ???",
        f"60 | {ABOUT}60 | 3 | 67 | d | ???",
        f"{ABOUT}50 | {ABOUT}50 | {ABOUT}2 | 100 | c | c.so: c.c",
    ]


def test_nothing_is_an_estimate_on_the_only_path(qapp: object) -> None:
    """If the whole program is below the active function, every number is as recorded.

    Nobody called main, so it has no count.
    """
    assert dump_rows(model_of(SHARED, "main")) == [
        "207 | 10 | – | 207 | main | prog: a.c",
        "130 | 10 | 1 | 130 | b | ???",
        "120 | 20 | 8 | 120 | a | ???",
        "100 | 100 | 4 | 100 | c | c.so: c.c",
        "67 | 67 | 4 | 67 | d | ???",
    ]


def test_cycle_is_a_node_that_was_not_called_by_its_member(qapp: object) -> None:
    """A closed cycle is one node; as the caller of its own member it has no count.

    The number of its calls that reached the member is unknown.
    """
    drawing = """
        main 1 -> a 2x55
        a 10 -> b 3x50, leaf 1x5
        b 20 -> a 1x25, leaf 1x20
        leaf 25
        """
    assert dump_rows(model_of(drawing, "main")) == [
        "56 | 1 | – | 56 | main | ???",
        "55 | 30 | 2 | 55 | <cycle 1> | 2 members",
        "25 | 25 | 2 | 25 | leaf | ???",
    ]
    assert dump_rows(model_of(drawing, "a"), 0, GRAPH_NODES.COUNT, GRAPH_NODES.NAME) == [
        "15 | – | a <cycle 1>",
        f"15 | {ABOUT}1 | main",
        "15 | – | <cycle 1>",
        "5 | 1 | leaf",
    ]


def test_percentages_are_marked_and_copied_as_numbers(qapp: object) -> None:
    """A percentage is marked like a number, its bar is its share; the plain number is copied."""
    model = model_of(SHARED, "b", percent=True)
    first = lasting_columns(model)[:4]
    copied = [[model.plain_text(model.index(row, n)) for n in first] for row in (1, 4)]

    assert titles(model)[:4] == ["Incl. %", "Self %", "Called", "Recorded %"]
    columns = GRAPH_NODES.INCLUSIVE, GRAPH_NODES.COUNT, GRAPH_NODES.RECORDED
    assert dump_rows(model, *columns) == [
        "100.00 | 1 | 100.00",
        "100.00 | 1 | 159.23",
        "46.15 | 6 | 92.31",
        "46.15 | 3 | 51.54",
        f"{ABOUT}38.46 | {ABOUT}2 | 76.92",
    ]
    assert model.index(4, 0).data(Role.SHARE) == 50 / 130
    assert copied == [["130", "6", "1", "207"], ["50", "50", "2", "100"]]


def test_copied_rows_tell_exact_costs(qapp: object) -> None:
    """As copied numbers have no marks, a hidden column tells which ones are estimates."""
    model = model_of(SHARED, "b")

    assert dump_rows(model, GRAPH_NODES.NAME, GRAPH_NODES.EXACT) == [
        *("b | yes", "main | cost only", "a | cost only", "d | cost only", "c | no")
    ]
    column = model.columns[GRAPH_NODES.EXACT]
    assert column.shown is Shown.EXPORTED
    model.sort(GRAPH_NODES.EXACT, ASCENDING)
    assert dump_rows(model, GRAPH_NODES.NAME) == ["c", "main", "a", "d", "b"]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (GRAPH_NODES.INCLUSIVE, ASCENDING, "cadbmain"),
        (GRAPH_NODES.SELF, DESCENDING, "dcbamain"),
        (GRAPH_NODES.COUNT, DESCENDING, "adcbmain"),
        (GRAPH_NODES.RECORDED, DESCENDING, "mainbacd"),
        (GRAPH_NODES.NAME, DESCENDING, "maindcba"),
    ],
)
def test_rows_are_sorted_by_number_not_by_text(
    qapp: object, column: int, order: Qt.SortOrder, expected: str
) -> None:
    """Marks do not disturb the order; equal rows keep the graph's order."""
    model = model_of(SHARED, "b")

    model.sort(column, order)

    assert "".join(dump_rows(model, GRAPH_NODES.NAME)) == expected


def test_record_is_the_node(qapp: object) -> None:
    """A node is found under its own number, and by its function, in any sort order."""
    model = model_of(SHARED, "b")
    model.sort(GRAPH_NODES.NAME, ASCENDING)
    nodes = [model.record(model.index(row, 0)) for row in range(5)]
    functions = [model.table.node(node) for node in nodes]
    model.highlight(functions[3])

    assert nodes == [2, 0, 4, 3, 1]
    assert [model.index_of_record(node).row() for node in nodes] == list(range(5))
    assert [model.index(row, 0).data(Role.FUNCTION) for row in range(5)] == functions
    assert [model.index_of_function(function).row() for function in functions] == list(range(5))
    assert not model.index_of_function(999).isValid()
    assert [model.index(row, 0).data(Role.HIGHLIGHT) for row in range(5)] == [
        *(False, False, False, True, False)
    ]


def test_tooltip_says_what_is_an_estimate(qapp: object) -> None:
    """The tooltip has full names, and tells whether the cost is exact."""
    model = model_of(SHARED, "b")

    tips = [model.index(row, GRAPH_NODES.NAME).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 4)]

    assert tips == [
        f"<qt>b<br>{EXACT}</qt>",
        f"<qt>c<br>File: c.c<br>Object: /lib/c.so<br>{ESTIMATED}</qt>",
    ]


def test_model_is_cleared(qapp: object) -> None:
    """Clearing removes all rows."""
    model = model_of(SHARED, "main")

    model.clear()

    assert (dump_rows(model), model.table.length, 0) == ([], 0, 0)
    assert not model.index_of_function(0).isValid()
