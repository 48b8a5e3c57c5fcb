"""Costs of one function or cycle in each part."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from tests.analysis.named_queries import NO_CYCLES, node_id
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
