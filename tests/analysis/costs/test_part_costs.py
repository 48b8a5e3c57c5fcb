"""Costs of one function or cycle in each part."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from tests.analysis.named_queries import NO_CYCLES, node_id
from tests.profile_rows import profile_from

# part 1: main calls a, a and b each other; part 2: a was entered before it began;
# part 3: other events, b calls itself; part 4 has nothing of them
PARTS = """
    part: 1
    events: Ir Dr
    fn=main
    1 10 1
    cfn=a
    calls=2 1
    1 90 9
    fn=a
    1 20 2
    cfn=b
    calls=3 1
    1 70 7
    fn=b
    1 30 3
    cfn=a
    calls=1 1
    1 15 1
    cfn=leaf
    calls=4 1
    1 40 4
    fn=leaf
    1 40 4
    part: 2
    events: Ir Dr
    fn=a
    1 5
    1 6
    cfn=b
    calls=0 1
    1 8
    fn=b
    1 8
    part: 3
    events: Dr Ir
    fn=b
    1 2 50
    cfn=b
    calls=6 1
    1 1 20
    cfn=leaf
    calls=1 1
    1 3 30
    fn=leaf
    1 3 30
    part: 4
    events: Ir
    fn=other
    1 7
    """


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
