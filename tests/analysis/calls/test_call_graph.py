"""Direct callers and callees, the call graph, and likely call stacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import (
    CallStack,
    costliest_callers,
    costliest_path,
    costliest_stack,
    extended_stack,
)
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
from tests.profile_text import WHOLE_SCOPE, queries_for

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


DRAWING = """
    events: Ir Dr
    main 1,1 -> a 1x60,1, b 9x30,90
    a 1,1 -> b 1x40,1, leaf 1x5,1
    b 1,1 -> leaf 3x50,50
    leaf 55,51
    """
ROUND = """
    main 1 -> start 1x60
    start 1 -> f 2x55
    f 10 -> g 3x50, leaf 1x5
    g 20 -> f 1x25, leaf 1x20
    leaf 25
    """


def chain(
    folder: Path, drawing: str, name: str, most: int = 3, *, event: str = "Ir", scope: Scope
) -> list[str]:
    """The names of the costliest callers of a function or cycle, from below."""
    queries = queries_for(folder, drawing)
    labels, kind = queries.labels(scope), event_named(queries, event)
    names = [labels.name(node) for node in range(len(labels))]
    found = costliest_callers(
        names.index(name),
        lambda node: queries.callers(node, scope),
        lambda calls: calls.cost(queries.events, kind),
        lambda node: queries.cycle_of(node, scope),
        most,
    )
    return [names[node] for node in found]


def test_each_is_the_costliest_caller_of_the_one_before(tmp_path: Path) -> None:
    """The event decides, and the chain ends at a root or when it is long enough."""
    assert chain(tmp_path, DRAWING, "leaf", scope=WHOLE_SCOPE) == ["b", "a", "main"]
    assert chain(tmp_path, DRAWING, "leaf", 2, scope=WHOLE_SCOPE) == ["b", "a"]
    assert chain(tmp_path, DRAWING, "leaf", event="Dr", scope=WHOLE_SCOPE) == ["b", "main"]
    assert chain(tmp_path, DRAWING, "main", scope=WHOLE_SCOPE) == []


def test_members_of_a_cycle_are_called_by_it(tmp_path: Path) -> None:
    """Calls inside a cycle have no cost; the cycle is called from outside."""
    inner, entered = (
        chain(tmp_path, ROUND, name, scope=WHOLE_SCOPE) for name in ("g <cycle 1>", "f <cycle 1>")
    )
    assert (inner, entered) == (["<cycle 1>", "start", "main"], ["start", "main"])


def test_recursion_does_not_repeat_a_function(tmp_path: Path) -> None:
    """Without detection of cycles a function is named once, and the chain goes on outside."""
    assert chain(tmp_path, ROUND, "g", scope=Scope(cycles=False)) == ["f", "start", "main"]
    recursive = "main 1 -> f 1x50\nf 50 -> f 9x400"
    assert chain(tmp_path, recursive, "f", scope=WHOLE_SCOPE) == ["main"]


STACKED = """
    events: Ir Dr
    main 10,1 -> parse 1x300,50, run 2x600,9
    run 100,2 -> work 5x400,2, leaf 3x120,5
    parse 50,20 -> work 1x150,10, leaf 9x100,20
    work 500,10 -> leaf 2x50,2
    leaf 250,27
    other 1,1 -> leaf 1x0,0
    alone 4,4
    """


def shown(queries: ProfileQueries, stack: CallStack, scope: Scope = CYCLES) -> str:
    """The names from the top down, the active one in brackets."""
    names = names_of(queries, stack.nodes, scope)
    active = [f"[{name}]" if n == stack.active_index else name for n, name in enumerate(names)]
    return " ".join(active)


def stack_of(
    queries: ProfileQueries, name: str, scope: Scope = CYCLES, event: str = "Ir"
) -> CallStack:
    graph = queries.call_graph(event_named(queries, event), scope)
    return costliest_stack(node_id(queries, name, scope), graph)


def test_the_costliest_callers_above_and_callees_below() -> None:
    """From the function, the path follows the costliest call in both directions."""
    queries = queries_from(STACKED)
    stacks = {
        name: shown(queries, stack_of(queries, name))
        for name in ("main", "run", "work", "leaf", "parse", "other", "alone")
    }
    assert stacks == {
        "main": "[main] run work leaf",
        "run": "main [run] work leaf",
        "work": "main run [work] leaf",
        "leaf": "main run [leaf]",
        "parse": "main [parse] work leaf",
        "other": "[other]",  # its call cost nothing
        "alone": "[alone]",
    }


def test_in_another_event() -> None:
    """The path follows the costs of the requested event."""
    queries = queries_from(STACKED, UserEvent("Sum", "", "Ir + 100 Dr"))
    assert shown(queries, stack_of(queries, "main", event="Dr")) == "[main] parse leaf"
    assert shown(queries, stack_of(queries, "leaf", event="Sum")) == "main parse [leaf]"


def test_the_first_of_two_equal_calls() -> None:
    """Of calls with equal cost, the path takes the one with the first function."""
    queries = queries_from("main 0 -> a 1x5, b 1x5\nb 0 -> c 1x5\na 0 -> c 1x5\nc 10")
    assert shown(queries, stack_of(queries, "main")) == "[main] a c"
    assert shown(queries, stack_of(queries, "c")) == "main a [c]"


def test_a_stack_through_a_cycle() -> None:
    """The cycle is above its costliest member, from which the path leaves the cycle."""
    queries = queries_from("main 5 -> a 1x95\na 10 -> b 2x70\nb 20 -> a 1x30, leaf 1x60\nleaf 65")
    assert shown(queries, stack_of(queries, "main")) == "[main] <1> b leaf"
    assert shown(queries, stack_of(queries, "a")) == "main <1> [a]"
    assert shown(queries, stack_of(queries, "leaf")) == "main <1> b [leaf]"
    assert shown(queries, stack_of(queries, "<1>")) == "main [<1>] b leaf"


def test_no_function_is_in_a_stack_twice() -> None:
    """Without cycles, the path takes the next best call instead of repeating a function."""
    queries = queries_from(
        "main 5 -> a 1x95\na 10 -> b 2x700\nb 20 -> a 1x600, a2 1x50, leaf 1x60\na2 50\nleaf 60"
    )
    assert shown(queries, stack_of(queries, "main", NO_CYCLES), NO_CYCLES) == "[main] a b leaf"
    assert shown(queries, stack_of(queries, "b", NO_CYCLES), NO_CYCLES) == "main a [b] leaf"
    assert shown(queries, stack_of(queries, "a", NO_CYCLES), NO_CYCLES) == "b [a]"


def test_the_length_of_a_stack_is_limited() -> None:
    """Of a very long path the 50 nearest callers and callees are shown."""
    lines = [f"f{n} 1 -> f{n + 1} 1x{200 - n - 1}" for n in range(199)]
    queries = queries_from("\n".join([*lines, "f199 1"]))
    names = names_of(queries, stack_of(queries, "f100").nodes)
    assert names == [f"f{n}" for n in range(50, 151)]


# ---------------------------------------------------------------- steps


def step(
    queries: ProfileQueries, stack: CallStack, name: str, scope: Scope = CYCLES, event: str = "Ir"
) -> CallStack:
    graph = queries.call_graph(event_named(queries, event), scope)
    return extended_stack(stack, node_id(queries, name, scope), graph)


def test_a_step_on_the_stack_keeps_it() -> None:
    """A step within the stack keeps it; only the active position moves."""
    queries = queries_from(STACKED)
    stack = stack_of(queries, "parse")
    walk = [stack := step(queries, stack, name) for name in ("leaf", "main", "work", "parse")]
    assert [shown(queries, moved) for moved in walk] == [
        "main parse work [leaf]",
        "[main] parse work leaf",
        "main parse [work] leaf",
        "main [parse] work leaf",
    ]


def test_a_step_to_a_callee_keeps_the_path_so_far() -> None:
    """A callee that is not on the stack replaces everything below the active function."""
    queries = queries_from(STACKED)
    # by itself, work would be reached over run
    stack = CallStack(tuple(node_id(queries, name) for name in ("main", "parse", "leaf")), 1)
    assert shown(queries, step(queries, stack, "work")) == "main parse [work] leaf"


def test_a_jump_elsewhere_starts_a_new_stack() -> None:
    """A function that the active one does not call starts a new stack, its costliest path."""
    queries = queries_from(STACKED)
    stack = stack_of(queries, "parse")
    assert shown(queries, step(queries, stack, "run")) == "main [run] work leaf"
    assert shown(queries, step(queries, stack, "alone")) == "[alone]"
    assert shown(queries, step(queries, CallStack(), "work")) == "main run [work] leaf"


def test_positions_on_a_stack() -> None:
    """The path to the active node ends with it; another node is found by its number only."""
    stack = CallStack((7, 3, 5), 1)
    assert stack.path_to_active == (7, 3)
    assert stack.with_active(5) == CallStack((7, 3, 5), 2)
    assert stack.with_active(4) is None
    assert (CallStack().path_to_active, CallStack().with_active(0)) == ((), None)


def test_a_step_into_a_cycle_keeps_the_path_so_far() -> None:
    """A call of a member extends the path by its cycle, even if others call it at more cost."""
    queries = queries_from("""
        main 0 -> f 1x100, g 1x900
        f 0 -> m 1x100
        g 0 -> m 1x900
        m 400 -> n 5x600
        n 600 -> m 5x100
        """)
    stack, graph = stack_of(queries, "f"), queries.call_graph(event_named(queries, "Ir"), CYCLES)
    cycle = node_id(queries, "<1>")

    in_m = extended_stack(stack, node_id(queries, "m"), graph, cycle)
    in_n = extended_stack(in_m, node_id(queries, "n"), graph, cycle)

    assert names_of(queries, in_m.path_to_active) == ["main", "f", "<1>", "m"]
    assert names_of(queries, in_n.path_to_active) == ["main", "f", "<1>", "n"]


# ---------------------------------------------------------------- paths


def path_of(
    queries: ProfileQueries,
    name: str,
    scope: Scope = CYCLES,
    event: str = "Ir",
    without: str = "",
) -> list[str]:
    """The names on the path to a function, which may not lead through one of them."""
    graph = queries.call_graph(event_named(queries, event), scope)
    passable = np.array([node != without for node in node_names(queries, scope)])
    path = costliest_path(node_id(queries, name, scope), graph, passable if without else None)
    return names_of(queries, path, scope)


def test_a_path_leads_from_a_root_through_the_costliest_callers() -> None:
    """The path to a function is the stack above it, in the event that is asked for."""
    queries = queries_from(STACKED)
    assert path_of(queries, "leaf") == ["main", "run", "leaf"]
    assert path_of(queries, "leaf", event="Dr") == ["main", "parse", "leaf"]
    assert path_of(queries, "main") == ["main"]


def test_a_path_passes_through_calls_without_cost() -> None:
    """A function that costs nothing in the event has a path from a root, too."""
    queries = queries_from("main 5 -> f 1x0\nf 0 -> g 2x0\ng 0")
    assert path_of(queries, "g") == ["main", "f", "g"]


def test_a_path_avoids_functions_that_may_not_be_on_it() -> None:
    """The mask excludes functions above the last one, which is on its path in any case."""
    queries = queries_from(STACKED)
    assert path_of(queries, "leaf", without="run") == ["main", "parse", "leaf"]
    assert path_of(queries, "leaf", without="leaf") == ["main", "run", "leaf"]
    assert path_of(queries, "run", without="main") == ["run"]


def test_a_path_has_the_cycle_above_its_member() -> None:
    """A member of a cycle is reached through its cycle, and left by the member that calls."""
    queries = queries_from("main 5 -> a 1x95\na 10 -> b 2x70\nb 20 -> a 1x30, leaf 1x60\nleaf 65")
    assert path_of(queries, "leaf") == ["main", "<1>", "b", "leaf"]
    assert path_of(queries, "a") == ["main", "<1>", "a"]


def test_a_path_turns_back_where_the_costliest_caller_leads_to_no_root() -> None:
    """Without cycle detection, calls around a loop are left for the caller that a root reaches."""
    queries = queries_from("main 5 -> a 1x9\na 10 -> b 2x700\nb 20 -> a 1x600, b 3x900")
    assert path_of(queries, "a", NO_CYCLES) == ["main", "a"]
    assert path_of(queries, "b", NO_CYCLES) == ["main", "a", "b"]


def test_a_path_in_a_loop_without_a_root() -> None:
    """A loop that nobody enters has no root: the path ends before a function comes twice."""
    queries = queries_from("a 10 -> b 2x70\nb 20 -> c 1x60\nc 30 -> a 1x50")
    assert path_of(queries, "a", NO_CYCLES) == ["b", "c", "a"]


def test_a_path_of_any_length() -> None:
    """A path begins at its root, however far that is."""
    lines = [f"f{n} 1 -> f{n + 1} 1x{200 - n - 1}" for n in range(199)]
    queries = queries_from("\n".join([*lines, "f199 1"]))
    assert path_of(queries, "f199") == [f"f{n}" for n in range(200)]
