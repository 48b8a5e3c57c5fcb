"""The costliest path to a function, and on from it."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import (
    CallStack,
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

PROFILE = """
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
    queries = queries_from(PROFILE)
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
    queries = queries_from(PROFILE, UserEvent("Sum", "", "Ir + 100 Dr"))
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
    queries = queries_from(PROFILE)
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
    queries = queries_from(PROFILE)
    # by itself, work would be reached over run
    stack = CallStack(tuple(node_id(queries, name) for name in ("main", "parse", "leaf")), 1)
    assert shown(queries, step(queries, stack, "work")) == "main parse [work] leaf"


def test_a_jump_elsewhere_starts_a_new_stack() -> None:
    """A function that the active one does not call starts a new stack, its costliest path."""
    queries = queries_from(PROFILE)
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
    queries = queries_from(PROFILE)
    assert path_of(queries, "leaf") == ["main", "run", "leaf"]
    assert path_of(queries, "leaf", event="Dr") == ["main", "parse", "leaf"]
    assert path_of(queries, "main") == ["main"]


def test_a_path_passes_through_calls_without_cost() -> None:
    """A function that costs nothing in the event has a path from a root, too."""
    queries = queries_from("main 5 -> f 1x0\nf 0 -> g 2x0\ng 0")
    assert path_of(queries, "g") == ["main", "f", "g"]


def test_a_path_avoids_functions_that_may_not_be_on_it() -> None:
    """The mask excludes functions above the last one, which is on its path in any case."""
    queries = queries_from(PROFILE)
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
