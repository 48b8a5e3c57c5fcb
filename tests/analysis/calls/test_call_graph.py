"""The acyclic graph of calls between functions and cycles."""

from __future__ import annotations

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    event_named,
    names_of,
    node_id,
    node_names,
    queries_from,
)

# a and b are cycle 1, x and y cycle 2; both calls of main into cycle 1 are one of the cycle
PROFILE = """
    events: Ir Dr
    main 10,1 -> a 2x100,10, leaf 1x5,0, b 1x17,2
    a 20,2 -> b 5x70,7, leaf 3x9,1
    b 30,3 -> a 4x60,6, b 7x8,1, leaf 1x11,0, x 6x40,4
    x 16,1 -> y 1x25,2, y 4x5,0
    y 24,3 -> x 2x3,1
    leaf 25,1 -> leaf 2x7,0
    """


def rows_of(
    queries: ProfileQueries, scope: Scope, event: str = "Ir"
) -> list[tuple[str, str, int, int]]:
    """Caller, callee, count and cost of each row."""
    graph = queries.call_graph(event_named(queries, event), scope)
    shape = graph.adjacency
    return list(
        zip(
            names_of(queries, shape.caller.tolist(), scope),
            names_of(queries, shape.callee.tolist(), scope),
            shape.count.tolist(),
            graph.cost.tolist(),
            strict=True,
        )
    )


def test_calls_with_cycles() -> None:
    """A call of a member counts as a call of its cycle; calls inside a cycle are left out.

    The cycle itself calls its members.
    """
    assert rows_of(queries_from(PROFILE), CYCLES) == [
        ("main", "leaf", 1, 5),
        ("main", "<1>", 3, 117),
        ("a", "leaf", 3, 9),
        ("b", "leaf", 1, 11),
        ("b", "<2>", 6, 40),
        ("<1>", "a", 0, 29),
        ("<1>", "b", 0, 81),
        ("<2>", "x", 0, 16),
        ("<2>", "y", 0, 24),
    ]


def test_calls_without_cycles() -> None:
    """All calls except direct recursion, summed over call sites."""
    assert rows_of(queries_from(PROFILE), NO_CYCLES) == [
        ("main", "a", 2, 100),
        ("main", "leaf", 1, 5),
        ("main", "b", 1, 17),
        ("a", "leaf", 3, 9),
        ("a", "b", 5, 70),
        ("b", "a", 4, 60),
        ("b", "leaf", 1, 11),
        ("b", "x", 6, 40),
        ("x", "y", 5, 30),
        ("y", "x", 2, 3),
    ]


def test_costs_of_another_event() -> None:
    """Calls and nodes have the costs of the requested event, measured or derived."""
    queries = queries_from(PROFILE, UserEvent("Sum", "", "2 Ir + Dr"))
    calls = [(caller, callee, cost) for caller, callee, _, cost in rows_of(queries, CYCLES, "Dr")]
    assert calls[:2] == [("main", "leaf", 0), ("main", "<1>", 12)]
    graph = queries.call_graph(event_named(queries, "Sum"), CYCLES)
    assert graph.cost.tolist() == [10, 246, 19, 22, 84, 61, 169, 33, 51]
    names = node_names(queries, CYCLES)
    assert dict(zip(names, graph.inclusive.tolist(), strict=True)) == {
        **{"main": 277, "a": 61, "leaf": 51, "b": 169, "x": 33, "y": 51},
        **{"<1>": 230, "<2>": 84},
    }
    assert dict(zip(names, graph.self_cost.tolist(), strict=True)) == {
        **{"main": 21, "a": 42, "leaf": 51, "b": 63, "x": 33, "y": 51},
        **{"<1>": 105, "<2>": 84},
    }


def test_rows_by_caller_and_by_callee() -> None:
    """The rows of each node are found as the caller's and as the callee's, and no others."""
    queries = queries_from(PROFILE)
    graph = queries.call_graph(event_named(queries, "Ir"), CYCLES)
    shape, names = graph.adjacency, node_names(queries, CYCLES)
    for number, name in enumerate(names):
        by = [row for row in range(len(shape.caller)) if names[shape.caller[row]] == name]
        of = [row for row in range(len(shape.caller)) if names[shape.callee[row]] == name]
        assert (graph.outgoing(number).tolist(), graph.incoming(number).tolist()) == (by, of)
    leaf = node_id(queries, "leaf")
    assert names_of(queries, shape.caller[graph.incoming(leaf)].tolist()) == ["main", "a", "b"]


def test_the_graph_is_acyclic() -> None:
    """With cycles detected, no path returns to a node."""
    queries = queries_from(PROFILE + "\nz 1 -> main 1x2\n")
    graph = queries.call_graph(event_named(queries, "Ir"), CYCLES)
    left = set(range(len(graph.inclusive)))
    while left:
        leaves = {
            e for e in left if not left & set(graph.adjacency.callee[graph.outgoing(e)].tolist())
        }
        assert leaves, "the rest calls each other round"
        left -= leaves


def test_a_graph_without_calls() -> None:
    """In a profile without functions, or without calls, the graph is empty."""
    for queries in (queries_from("f 1\ng 2"), queries_from("")):
        graph = queries.call_graph(event_named(queries, "Ir"), CYCLES)
        rows = [graph.outgoing(f).tolist() for f in range(queries.function_count)]
        rows += [graph.incoming(f).tolist() for f in range(queries.function_count)]
        assert (len(graph.cost), any(rows)) == (0, False)
