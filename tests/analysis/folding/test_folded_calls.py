"""Estimated calls through folded functions are estimates wherever paths of calls are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.call_tree import CallBranches
from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree
from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries, with_folds
from qcachegrind_py.profile.ids import NodeId
from tests.profile_text import WHOLE_SCOPE, event_named, queries_for

DRAWING = """
    main 0 -> a 1x30, b 1x61
    a 0 -> qsort 1x30
    b 1 -> qsort 1x60
    qsort 30 -> compare 2x60
    compare 60
    """


@pytest.fixture
def queries(tmp_path: Path) -> ProfileQueries:
    return with_folds(queries_for(tmp_path, DRAWING), parse_filter("fold:qsort").folds)


def node(queries: ProfileQueries, name: str) -> NodeId:
    return queries.names.with_name(name)[0]


def test_calls_between_two_functions(queries: ProfileQueries) -> None:
    """A count that was divided is no sign of calls that had not returned."""
    edges = queries.call_edges(WHOLE_SCOPE)
    names = [queries.names.name(NodeId(callee)) for callee in edges.callee]
    assert edges.is_estimated is not None
    assert list(zip(names, edges.is_estimated.tolist(), strict=True)) == [
        ("a", False),
        ("b", False),
        ("compare", True),
        ("compare", True),
    ]
    assert (edges.is_recorded == ~edges.is_estimated).all()


def test_all_callees(queries: ProfileQueries) -> None:
    event = event_named(queries, "Ir")
    reached = queries.transitive_callees(node(queries, "b"), event, WHOLE_SCOPE)
    assert reached.node.tolist() == [node(queries, "compare")]
    assert reached.cost.tolist() == [40]
    assert reached.is_exact.tolist() == [False]


def test_call_tree(queries: ProfileQueries) -> None:
    graph = queries.accounted_calls(event_named(queries, "Ir"), WHOLE_SCOPE)
    branches = CallBranches(graph, None, up=False)
    (branch,), _ = branches.below(branches.root(node(queries, "b")), 0, 10)
    assert (branch.cost, branch.count, branch.is_exact, branch.is_shared) == (40, 1, False, True)


def test_flame_graph(queries: ProfileQueries) -> None:
    graph = queries.accounted_calls(event_named(queries, "Ir"), WHOLE_SCOPE)
    tree = build_frame_tree(graph, [node(queries, "b")])
    compare = int(np.flatnonzero(tree.node == node(queries, "compare"))[0])
    assert not tree.is_exact[compare]
    assert not tree.new.has_exact_calls[compare]


def test_call_graph(queries: ProfileQueries) -> None:
    event, b = event_named(queries, "Ir"), node(queries, "b")
    graph = queries.subgraph(b, event, [WHOLE_SCOPE], SubgraphLimits())
    names = [queries.names.name(NodeId(n)) for n in graph.node]
    calls = zip(graph.caller, graph.callee, graph.call_is_exact.tolist(), strict=True)
    assert {(names[a], names[b]): exact for a, b, exact in calls} == {
        ("main", "b"): True,
        ("b", "compare"): False,
    }
