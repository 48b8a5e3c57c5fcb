"""Costs of functions and cycles in each part, and what they consist of."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.totals import (
    PartBreakdown,
    costs_by_callee,
    costs_by_group,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import NO_CYCLES, event_named, names_of, node_id
from tests.known_stacks import (
    NAMES,
    KnownStack,
    inclusive_costs,
    profile_of,
    random_stacks,
    self_costs,
)
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

# part 1: main calls a, a and b each other; part 2: a was entered before it began;
# part 3: other events, b calls itself; part 4 has nothing of them
PARTS = profile_text("""
    part: 1
    events: Ir Dr
    main 10,1 -> a 2x90,9
    a 20,2 -> b 3x70,7
    b 30,3 -> a 1x15,1, leaf 4x40,4
    leaf 40,4
    part: 2
    events: Ir Dr
    a 11 -> b 0x8
    b 8
    part: 3
    events: Dr Ir
    b 2,50 -> b 6x1,20, leaf 1x3,30
    leaf 3,30
    part: 4
    events: Ir
    other 7
    """)


@pytest.mark.parametrize(
    ("name", "scope", "self_cost", "inclusive", "called"),
    [
        # called in parts 1 and 3 only; in part 2 it did not occur
        ("leaf", Scope(), [40, 0, 30, 0], [40, 0, 30, 0], [4, 0, 1, 0]),
        # never called: self cost and calls, in each part
        ("main", Scope(), [10, 0, 0, 0], [100, 0, 0, 0], [0, 0, 0, 0]),
        # members: self cost and what leaves the cycle; calls inside are calls
        ("a", Scope(), [20, 11, 0, 0], [20, 11, 0, 0], [3, 0, 0, 0]),
        ("b", Scope(), [30, 8, 50, 0], [70, 8, 80, 0], [3, 0, 6, 0]),
        # the cycle: its members together; only calls from outside are calls of it
        ("<1>", Scope(), [50, 19, 50, 0], [90, 19, 80, 0], [2, 0, 0, 0]),
        # without cycles: in part 1 what its callers spent, in part 2 self cost and calls
        ("a", NO_CYCLES, [20, 11, 0, 0], [105, 19, 0, 0], [3, 0, 0, 0]),
        ("b", NO_CYCLES, [30, 8, 50, 0], [70, 8, 80, 0], [3, 0, 6, 0]),
        # in parts 2 and 3 alone there is no cycle, so nobody is a member in part 1 either
        ("a", Scope(frozenset({1, 2})), [20, 11, 0, 0], [105, 19, 0, 0], [3, 0, 0, 0]),
        ("other", Scope(frozenset({0})), [0, 0, 0, 7], [0, 0, 0, 7], [0, 0, 0, 0]),
    ],
)
def test_costs_of_each_part(
    name: str, scope: Scope, self_cost: list[int], inclusive: list[int], called: list[int]
) -> None:
    """Each part is summed from its own calls, active or not; active parts define the cycles."""
    queries = ProfileQueries(profile_from(PARTS))
    costs = queries.part_costs(node_id(queries, name, scope), scope)
    got = (costs.self_cost[0].tolist(), costs.inclusive[0].tolist(), costs.called.tolist())
    assert got == (self_cost, inclusive, called)


def test_costs_of_each_event() -> None:
    """Each measured event is counted in each part; it is 0 if the part does not have it."""
    queries = ProfileQueries(profile_from(PARTS))
    costs = queries.part_costs(node_id(queries, "<1>"), Scope())
    assert costs.self_cost.tolist() == [[50, 19, 50, 0], [5, 0, 2, 0]]
    assert costs.inclusive.tolist() == [[90, 19, 80, 0], [9, 0, 5, 0]]


def test_a_root_that_calls_itself_has_its_self_cost_in_each_part() -> None:
    """For a function that nobody else calls, the part counts its self cost and its other calls."""
    part = "part: {}\nevents: Ir\nfn=f\n1 5\ncfn=f\ncalls=3 1\n1 40\ncfn=g\ncalls=1 1\n1 2\n"
    queries = ProfileQueries(profile_from(part.format(1) + part.format(2)))
    costs = queries.part_costs(0, Scope())
    assert (costs.inclusive.tolist(), costs.called.tolist()) == ([[7, 7]], [3, 3])


# ---------------------------------------------------------------- groups of functions, and callees


# main calls a and b; b and c call each other; part 2 has no call of a
TWO_PARTS = profile_text("""
    part: 1
    events: Ir Dr
    main 10,1 -> a 2x30,2, b 1x20,1, main 1x5,5
    a 30,2
    b 12,1 -> c 1x8,0
    c 8,0 -> b 1x1,0
    part: 2
    events: Ir Dr
    main 1,0 -> b 1x90,7
    b 90,7
    """)


def queries_from(*definitions: UserEvent) -> ProfileQueries:
    """The queries of the profile, with these user events."""
    queries = ProfileQueries(profile_from(TWO_PARTS))
    queries.set_user_events(definitions)
    return queries


def rows(breakdown: PartBreakdown) -> dict[int, list[int]]:
    """The costs in the parts of each key, in order."""
    return dict(zip(breakdown.key.tolist(), breakdown.cost.tolist(), strict=True))


@pytest.mark.parametrize(
    ("event", "limit", "expected"),
    [
        ("Ir", 9, {0: [12, 90], 1: [30, 0], 2: [10, 1], 3: [8, 0]}),
        ("Ir", 2, {0: [12, 90], 1: [30, 0]}),
        ("Dr", 9, {0: [1, 7], 1: [2, 0], 2: [1, 0]}),  # group 3 has no cost
        ("Both", 1, {0: [25, 187]}),
    ],
)
def test_groups_of_each_part(event: str, limit: int, expected: dict[int, list[int]]) -> None:
    """The self costs of the costliest groups by part, also in a derived event."""
    queries = queries_from(UserEvent("Both", "", "2 Ir + Dr"))
    order = {"b": 0, "a": 1, "main": 2, "c": 3}
    group = np.array([order[name] for name in names_of(queries, range(4))])
    kind = event_named(queries, event)

    found = costs_by_group(queries.profile, kind, queries.events, group, limit)

    assert (rows(found), list(rows(found))) == (expected, list(expected))


@pytest.mark.parametrize(
    ("node", "scope", "expected"),
    [
        ("main", Scope(), {"b": [20, 90], "a": [30, 0]}),  # its call of itself has no cost
        ("b", Scope(), {}),  # it calls only a member of its cycle
        ("b", Scope(cycles=False), {"c": [8, 0]}),
    ],
)
def test_callees_of_each_part(node: str, scope: Scope, expected: dict[str, list[int]]) -> None:
    """The calls to the costliest callees by part; a cycle's inner calls are no calls."""
    queries = queries_from()
    function, ir = node_id(queries, node, scope), event_named(queries, "Ir")

    found = costs_by_callee(
        queries.profile, ir, queries.events, function, queries.costs(scope), limit=9
    )

    names = names_of(queries, found.key.tolist(), scope)
    assert dict(zip(names, found.cost.tolist(), strict=True)) == expected


def test_self_cost_and_callees_are_the_inclusive_cost_of_each_part() -> None:
    """What the bars of a function consist of adds up to its bar."""
    queries, scope = queries_from(), Scope()
    main, ir = node_id(queries, "main"), event_named(queries, "Ir")
    costs = queries.part_costs(main, scope)

    found = costs_by_callee(
        queries.profile, ir, queries.events, main, queries.costs(scope), limit=9
    )

    assert (costs.self_cost[0] + found.cost.sum(axis=0)).tolist() == [60, 91]
    assert costs.inclusive[0].tolist() == [60, 91]


@pytest.mark.parametrize("seed", range(15))
def test_parts_of_recorded_stacks_have_what_their_stacks_cost(seed: int) -> None:
    """A stack on which the function recurs belongs to what its innermost call calls."""
    stacks = [*random_stacks(seed, 3), KnownStack(2, ("a", "b", "a", "c"), (7, 70))]
    queries, scope = ProfileQueries(profile_of(stacks)), Scope()
    for node, name in enumerate(NAMES):
        of_part = [[stack for stack in stacks if stack.part == part] for part in range(3)]
        costs = queries.part_costs(NodeId(node), scope)
        for event, measured in enumerate(queries.events.measured):
            own = [self_costs(each, event)[name] for each in of_part]
            assert costs.self_cost[event].tolist() == own
            inclusive = [inclusive_costs(each, event)[name] for each in of_part]
            assert costs.inclusive[event].tolist() == inclusive

            callees = costs_by_callee(
                queries.profile, measured, queries.events, NodeId(node), queries.costs(scope), 9
            )
            expected = {other: [0, 0, 0] for other in NAMES}
            for stack in stacks:
                _, found, below = "".join(stack.functions).rpartition(name)
                if found and below:
                    expected[below[0]][stack.part] += stack.costs[event]
            shown = dict(zip(callees.key.tolist(), callees.cost.tolist(), strict=True))
            assert {NAMES[key]: cost for key, cost in shown.items()} == {
                other: cost for other, cost in expected.items() if any(cost)
            }
            assert [sum(each) for each in zip(own, *shown.values(), strict=True)] == inclusive
        assert not costs.called.any()
        assert not costs.is_active.any()
