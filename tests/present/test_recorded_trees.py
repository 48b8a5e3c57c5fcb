"""Trees and lists of recorded stacks: nothing is estimated, and calls are not counted."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_tree import BranchTree, CallTreeTable, call_tree_table
from qcachegrind_py.present.calls import call_stack_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from tests.analysis.calls.known_stacks import Stack, profile_of
from tests.present.table_text import node_named
from tests.profile_text import view_query

# `b` calls itself, and costs more where `a` called it; what it calls is not the same on both paths
STACKS: list[Stack] = [
    (0, ("a", "b", "b", "c"), (6, 0)),
    (0, ("a", "b"), (2, 0)),
    (0, ("d", "b", "e"), (3, 0)),
]


def query_in(name: str) -> ViewQuery:
    """A query with absolute costs and an active function."""
    queries = ProfileQueries(profile_of(STACKS, 1))
    query = view_query(queries, "samples", unit=CostUnit.ABSOLUTE)
    return view_query(
        queries,
        "samples",
        unit=CostUnit.ABSOLUTE,
        function=node_named(query, name),
        stack=queries.costliest_stack(
            node_named(query, name), queries.events.measured[0], query.context.scope
        ),
    )


def opened(tree: BranchTree, row: int = 0) -> list[int]:
    """The rows of a tree, of which all branches are opened."""
    return [row, *(each for below in tree.below(row) for each in opened(tree, below))]


def rows_of(table: CallTreeTable) -> list[str]:
    rows = opened(table.tree)
    keys = ("cost", "self", "count", "name")
    return [
        "  " * (len(table.tree.path(row)) - 1)
        + " | ".join(table.column(key).cells.text(row) for key in keys)
        for row in rows
    ]


def test_a_function_on_its_own_branch_is_unfolded_once_more() -> None:
    query = query_in("a")
    source = query.call_branches(NO_NODE, query.context.scope, None, up=False)
    table = call_tree_table(query, BranchTree(source, NO_NODE), is_program=True)
    assert rows_of(table)[1:] == [
        "  8 |  | – | a",
        "    8 | 2 | – | b",
        "      6 |  | – | b  ↻",
        "        6 | 6 | – | c",
        "  3 |  | – | d",
        "    3 |  | – | b",
        "      3 | 3 | – | e",
    ]
    assert all("≈" not in column.tip for column in table.columns)


def test_no_number_of_calls_is_written_to_files() -> None:
    query = query_in("a")
    source = query.call_branches(query.context.function, query.context.scope, None, up=False)
    table = call_tree_table(query, BranchTree(source, query.context.function), is_program=False)
    rows = np.array(opened(table.tree))
    assert table.column("count").cells.values(rows) == [None] * len(rows)


def test_the_stack_lists_what_a_function_costs_that_calls_itself() -> None:
    table = call_stack_table(query_in("c"))
    keys = ("cost", "count", "name")
    assert [
        " | ".join(table.column(key).cells.text(row) for key in keys) for row in range(table.length)
    ] == ["8 | – | a", "8 | – | b", "6 | – | b", "6 | – | c"]
