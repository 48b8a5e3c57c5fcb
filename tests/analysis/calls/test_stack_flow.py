"""Costs of functions and calls from recorded stacks, compared with sums formed stack by stack."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import FunctionId, PartId
from tests.known_stacks import (
    EVENTS,
    NAMES,
    KnownStack,
    call_costs,
    halves,
    inclusive_costs,
    profile_of,
    random_stacks,
    self_costs,
)

SEEDS = range(25)
_SCOPES = (Scope(), Scope(parts=frozenset([PartId(1)]), frame=frozenset([PartId(0), PartId(1)])))


class _Known:
    """The queries on a random program, and its stacks that count."""

    def __init__(self, seed: int, scope: Scope) -> None:
        stacks = [*random_stacks(seed, 2), KnownStack(1, ("a", "b", "a"), (7, 70))]
        self.queries = ProfileQueries(profile_of(stacks))
        self.scope = scope
        self.all = stacks
        self.stacks = [s for s in stacks if scope.parts is None or s.part in scope.parts]
        self.events = self.queries.events.measured


@pytest.fixture(params=[(seed, scope) for seed in SEEDS for scope in _SCOPES], ids=str)
def known(request: pytest.FixtureRequest) -> _Known:
    return _Known(*request.param)


def _named(values: CostArray) -> dict[str, int]:
    return dict(zip(NAMES, values.tolist(), strict=True))


def test_functions_cost_what_the_stacks_cost_that_contain_them(known: _Known) -> None:
    for number, event in enumerate(known.events):
        inclusive = inclusive_costs(known.stacks, number)
        own = self_costs(known.stacks, number)
        assert _named(known.queries.inclusive(event, known.scope)) == {
            name: inclusive[name] for name in NAMES
        }
        assert _named(known.queries.self_cost(event, known.scope)) == {n: own[n] for n in NAMES}
    costs = known.queries.costs(known.scope)
    assert not costs.cycle.any()
    assert not costs.has_call_counts


def test_calls_cost_what_the_stacks_cost_that_contain_them(known: _Known) -> None:
    edges = known.queries.call_edges(known.scope)
    calls = [
        (NAMES[caller], NAMES[callee])
        for caller, callee in zip(edges.caller.tolist(), edges.callee.tolist(), strict=True)
    ]
    in_frame = known.all if known.scope.frame else known.stacks
    assert set(calls) == {call for stack in in_frame for call in stack.calls()}
    for number in range(len(EVENTS)):
        expected = call_costs(known.stacks, number)
        assert dict(zip(calls, edges.inclusive[number].tolist(), strict=True)) == {
            call: expected[call] for call in calls
        }
    if edges.occurs is not None:
        occurring = {call for stack in known.stacks for call in stack.calls()}
        assert {c for c, o in zip(calls, edges.occurs, strict=True) if o} == occurring


@pytest.mark.parametrize("up", [True, False])
def test_all_callers_and_callees_have_what_passes_on_the_stacks(known: _Known, up: bool) -> None:
    event = known.events[0]
    for active, name in enumerate(NAMES):
        ask = known.queries.transitive_callers if up else known.queries.transitive_callees
        found = ask(FunctionId(active), event, known.scope)
        names = [NAMES[node] for node in found.node.tolist()]
        in_frame = halves(known.all if known.scope.frame else known.stacks, name, up=up)
        assert set(names) == {other for stack in in_frame for other in stack.functions} - {name}

        costs = inclusive_costs(halves(known.stacks, name, up=up), 0)
        assert dict(zip(names, found.cost.tolist(), strict=True)) == {n: costs[n] for n in names}
        own = self_costs(halves(known.stacks, name, up=False), 0)
        assert dict(zip(names, found.self_cost.tolist(), strict=True)) == {n: own[n] for n in names}
        assert found.is_exact.all()
        assert found.is_self_exact.all()

        distances = [
            (other, len(stack.functions) - place if up else place)
            for stack in in_frame
            for place, other in enumerate(stack.functions)
            if other != name
        ]
        for other, nearest, farthest in zip(
            names, found.min_distance.tolist(), found.max_distance.tolist(), strict=True
        ):
            of_other = [distance for each, distance in distances if each == other]
            assert (nearest, farthest) == (min(of_other), max(of_other))


def test_the_call_graph_has_what_passes_on_the_stacks(known: _Known) -> None:
    limits = SubgraphLimits(caller_depth=None, min_node_share=0.0)
    for active, name in enumerate(NAMES):
        graph = known.queries.subgraph(FunctionId(active), known.events[0], [known.scope], limits)
        below, above = (halves(known.stacks, name, up=up) for up in (False, True))
        down, up = inclusive_costs(below, 0), inclusive_costs(above, 0)
        names = [NAMES[node] for node in graph.node.tolist()]
        assert dict(zip(names, graph.cost.tolist(), strict=True)) == {
            other: max(down[other], up[other]) for other in names
        }
        assert set(names) == {n for n in NAMES if down[n] or up[n]} | {name}

        leading = [stack._replace(functions=(*stack.functions, name)) for stack in above]
        down_calls, up_calls = call_costs(below, 0), call_costs(leading, 0)
        calls = [
            (names[caller], names[callee])
            for caller, callee in zip(graph.caller.tolist(), graph.callee.tolist(), strict=True)
        ]
        assert dict(zip(calls, graph.call_cost.tolist(), strict=True)) == {
            call: max(down_calls[call], up_calls[call]) for call in calls
        }
        expected = {call for call, cost in (down_calls + up_calls).items() if cost}
        costly = {c for c, cost in zip(calls, graph.call_cost.tolist(), strict=True) if cost}
        assert costly == {call for call in expected if call[0] != call[1]}
        assert graph.is_exact.all()
        assert graph.call_is_exact.all()
        assert not graph.omitted_incoming_cost.any()


def test_both_sides_of_a_comparison_have_the_same_rows() -> None:
    stacks = [
        KnownStack(0, ("a", "b", "c"), (5, 0)),
        KnownStack(1, ("a", "c"), (3, 0)),
        KnownStack(1, ("a", "b"), (1, 0)),
    ]
    queries, both = ProfileQueries(profile_of(stacks)), frozenset(map(PartId, (0, 1)))
    base, new = (Scope(parts=frozenset([PartId(part)]), frame=both) for part in (0, 1))
    limits = SubgraphLimits(min_node_share=0.0)
    graph = queries.subgraph(FunctionId(0), queries.events.measured[0], [base, new], limits)
    assert graph.compared is not None
    sides = [
        {
            NAMES[node]: cost
            for node, cost in zip(side.node.tolist(), side.cost.tolist(), strict=True)
        }
        for side in graph.compared
    ]
    assert sides == [{"a": 5, "b": 5, "c": 5}, {"a": 4, "b": 1, "c": 3}]
    names = [NAMES[node] for node in graph.node.tolist()]
    calls = list(zip(graph.caller.tolist(), graph.callee.tolist(), strict=True))
    found = {(names[caller], names[callee]) for caller, callee in calls}
    assert found == {("a", "b"), ("b", "c"), ("a", "c")}
