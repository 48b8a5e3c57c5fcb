"""Calls by pair of caller and callee, and the direct calls of one function."""

from __future__ import annotations

from collections import defaultdict

import qcachegrind_py as q
from qcachegrind_py.analysis.calls.call_graph import DirectCalls, direct_callees, direct_callers
from qcachegrind_py.analysis.costs.function_costs import (
    CallEdges,
    call_edges,
    function_costs,
    with_cycles,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from tests.profile_rows import DATA, call_rows, function_rows, profile_from
from tests.profile_text import profile_text

DRAWING = profile_text("""
    part: 1
    events: Ir Dr
    main 1 -> work 2x100,1, leaf 5x30,9, work 1x20,2
    work 50 -> work 4x60, leaf 0x7
    part: 2
    events: Dr Ir
    other 1,1 -> leaf 1x40,30
    """)


def pairs_of(profile: Profile, pairs: CallEdges) -> dict[tuple[str, str], tuple[int, list[int]]]:
    names = [name for name, _file, _object in function_rows(profile)]
    return {
        (names[int(pairs.caller[row])], names[int(pairs.callee[row])]): (
            int(pairs.count[row]),
            pairs.inclusive[:, row].tolist(),
        )
        for row in range(len(pairs))
    }


Row = tuple[str, int, int]


def rows_of(
    profile: Profile, neighbours: DirectCalls, event: str = "Ir", *, inside: bool = False
) -> list[Row]:
    """Name, cost and count; all of them calls inside a cycle, or none."""
    names = [name for name, _file, _object in function_rows(profile)]
    kind = profile.events.find(event)
    assert kind is not None
    assert set(neighbours.in_cycle.tolist()) <= {inside}
    costs, counts = neighbours.cost(profile.events, kind).tolist(), neighbours.count.tolist()
    others = neighbours.node.tolist()
    return [(names[o], cost, n) for o, cost, n in zip(others, costs, counts, strict=True)]


def number_of(profile: Profile, name: str) -> int:
    return [known for known, _file, _object in function_rows(profile)].index(name)


def test_calls_are_summed_over_their_sites() -> None:
    """There is one row per pair, with the counts and costs of all its call sites and parts."""
    profile = profile_from(DRAWING)
    assert pairs_of(profile, call_edges(profile)) == {
        ("main", "work"): (3, [120, 3]),
        ("main", "leaf"): (5, [30, 9]),
        ("work", "work"): (4, [60, 0]),
        ("work", "leaf"): (0, [7, 0]),
        ("other", "leaf"): (1, [30, 40]),
    }


def test_pairs_are_in_order_of_the_caller_then_the_callee() -> None:
    """The callees of one function are consecutive rows."""
    pairs = call_edges(profile_from(DRAWING))
    keys = list(zip(pairs.caller.tolist(), pairs.callee.tolist(), strict=True))
    assert keys == sorted(set(keys))


def test_pairs_of_active_parts() -> None:
    """Calls in inactive parts are left out, and pairs that have no others with them."""
    profile = profile_from(DRAWING)
    assert pairs_of(profile, call_edges(profile, frozenset({1}))) == {
        ("other", "leaf"): (1, [30, 40])
    }
    assert len(call_edges(profile, frozenset())) == 0


def test_pairs_of_a_real_profile() -> None:
    """The pairs of a real profile are the sums of its calls."""
    profile = q.load(DATA / "recur-everything" / "callgrind.out.21921.xz")
    wanted: dict[tuple[object, object], list[int]] = defaultdict(
        lambda: [0] * (1 + len(profile.events.names))
    )
    for call in call_rows(profile):
        sums = wanted[call.caller, call.callee]
        sums[:] = [a + b for a, b in zip(sums, (call.call_count, *call.costs), strict=True)]
    pairs, known = call_edges(profile), function_rows(profile)
    got = {
        (known[caller], known[callee]): [count, *pairs.inclusive[:, row].tolist()]
        for row, (caller, callee, count) in enumerate(
            zip(pairs.caller.tolist(), pairs.callee.tolist(), pairs.count.tolist(), strict=True)
        )
    }
    assert wanted == got
    assert len(got) == len(pairs)


def around(profile: Profile, name: str) -> tuple[DirectCalls, DirectCalls]:
    """The callers and the callees of a function, or of the cycle `<1>`."""
    pairs, count = call_edges(profile), len(profile.functions)
    costs = with_cycles(function_costs(profile), pairs)
    entry = count - 1 + int(name[1]) if name.startswith("<") else number_of(profile, name)
    return direct_callers(entry, pairs, costs, count), direct_callees(entry, pairs, costs, count)


def test_callers() -> None:
    """All callers of the function, with their call counts and the cost on their behalf."""
    profile = profile_from(DRAWING)
    callers, _ = around(profile, "leaf")
    assert rows_of(profile, callers) == [("main", 30, 5), ("work", 7, 0), ("other", 30, 1)]
    assert rows_of(profile, callers, "Dr") == [("main", 9, 5), ("work", 0, 0), ("other", 40, 1)]
    assert rows_of(profile, around(profile, "main")[0]) == []


def test_callees() -> None:
    """All callees with their costs, including the function itself if it is recursive."""
    profile = profile_from(DRAWING)
    callees = {name: around(profile, name)[1] for name in ("main", "work", "leaf")}
    assert rows_of(profile, callees["main"]) == [("work", 120, 3), ("leaf", 30, 5)]
    assert rows_of(profile, callees["work"]) == [("work", 60, 4), ("leaf", 7, 0)]
    assert rows_of(profile, callees["leaf"]) == []
    assert rows_of(profile, around(profile, "work")[0]) == [("main", 120, 3), ("work", 60, 4)]


def test_neighbours_in_a_derived_event() -> None:
    """Costs of a derived event are computed for calls as for functions."""
    profile = profile_from("event: Sum = 2 Ir + Dr\n" + "\n".join(DRAWING.split("\n    ")))
    _, callees = around(profile, "main")
    assert rows_of(profile, callees, "Sum") == [("work", 243, 3), ("leaf", 69, 5)]


def test_neighbours_without_calls() -> None:
    """A profile without calls has no pairs, and no function has direct calls."""
    profile = profile_from("events: Ir\nfn=f\n1 1\n")
    assert len(call_edges(profile)) == 0
    assert [len(neighbours) for neighbours in around(profile, "f")] == [0, 0]


# a and b are cycle 1, and b calls itself; x and y are cycle 2
CYCLE = profile_text(
    """
    events: Ir Dr
    main 10,1 -> a 2x100,10, b 1x17,2
    other 3,0 -> b 4x20,1
    a 20,2 -> b 5x70,7, leaf 3x9,1
    b 30,3 -> a 4x60,6, b 7x8,1, leaf 1x11,0, x 6x40,4
    x 16,1 -> y 1x25,2
    y 24,3 -> x 2x3,1
    leaf 20,1
    """
)


def split(profile: Profile, neighbours: DirectCalls, event: str = "Ir") -> tuple[list[Row], ...]:
    """The rows of calls from outside cycles, then those of calls inside."""
    return tuple(
        rows_of(profile, chosen(neighbours, neighbours.in_cycle == inside), event, inside=inside)
        for inside in (False, True)
    )


def chosen(neighbours: DirectCalls, rows: BoolArray) -> DirectCalls:
    return DirectCalls(
        neighbours.node[rows],
        neighbours.count[rows],
        neighbours.in_cycle[rows],
        neighbours.is_active[rows],
        neighbours.values[:, rows],
    )


def test_calls_inside_a_cycle_have_no_cost() -> None:
    """Their cost is part of the cycle's; counts stay, and calls between cycles keep their costs."""
    profile = profile_from(CYCLE)
    callers, callees = around(profile, "b")
    assert split(profile, callers) == (
        [("main", 17, 1), ("other", 20, 4)],
        [("a", 0, 5), ("b", 0, 7)],
    )
    assert split(profile, callees) == (
        [("leaf", 11, 1), ("x", 40, 6)],
        [("a", 0, 4), ("b", 0, 7)],
    )
    assert split(profile, callees, "Dr")[1] == [("a", 0, 4), ("b", 0, 7)]
    assert split(profile, around(profile, "x")[0]) == ([("b", 40, 6)], [("y", 0, 2)])


def test_nothing_is_inside_where_cycles_are_not_looked_for() -> None:
    """Without cycle detection all calls have their costs."""
    profile = profile_from(CYCLE)
    pairs, count = call_edges(profile), len(profile.functions)
    costs = function_costs(profile, cycles=False)
    callers = direct_callers(number_of(profile, "b"), pairs, costs, count)
    assert split(profile, callers) == (
        [("main", 17, 1), ("a", 70, 5), ("b", 8, 7), ("other", 20, 4)],
        [],
    )


def test_direct_calls_of_a_cycle() -> None:
    """Its callers are functions outside; its callees are its members, without counts."""
    profile = profile_from(CYCLE)
    callers, callees = around(profile, "<1>")
    assert split(profile, callers) == ([("main", 117, 3), ("other", 20, 4)], [])
    assert split(profile, callers, "Dr") == ([("main", 12, 3), ("other", 1, 4)], [])
    assert split(profile, callees) == ([], [("a", 29, 0), ("b", 81, 0)])
    callers, callees = around(profile, "<2>")
    assert split(profile, callers) == ([("b", 40, 6)], [])
    assert split(profile, callees, "Dr") == ([], [("x", 1, 0), ("y", 3, 0)])


def test_neighbours_change_nothing_in_the_pairs() -> None:
    """Zeroed costs of inner calls are local: the shared pairs stay as they were."""
    profile = profile_from(CYCLE)
    pairs = call_edges(profile)
    before = pairs.inclusive.tolist()
    costs = with_cycles(function_costs(profile), pairs)
    for entry in range(len(costs.cycle)):
        direct_callers(entry, pairs, costs, len(profile.functions))
        direct_callees(entry, pairs, costs, len(profile.functions))
    assert pairs.inclusive.tolist() == before
