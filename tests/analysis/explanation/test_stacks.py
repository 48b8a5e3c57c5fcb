"""Numbers of recorded stacks and their paths, compared with sums formed stack by stack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product

import pytest

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    EstimateKey,
    EstimateKind,
    Explanation,
    Measure,
    NumberKey,
    NumberKind,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import FunctionId, NodeId, PartId
from tests.known_stacks import NAMES, KnownStack, profile_of, random_stacks

_NODES = [NodeId(node) for node in range(len(NAMES))]
_SCOPES = (Scope(), Scope(parts=frozenset([PartId(1)])))
_Path = tuple[str, ...]


class _Known:
    """The explanations of a random program, and its stacks that count."""

    def __init__(self, seed: int, scope: Scope) -> None:
        stacks = [*random_stacks(seed, 2), KnownStack(1, ("a", "b", "a"), (7, 70))]
        self.queries, self.scope = ProfileQueries(profile_of(stacks)), scope
        self.stacks = [s for s in stacks if scope.parts is None or s.part in scope.parts]

    def explain(self, key: AnyKey) -> Explanation:
        event = self.queries.events.measured[0]
        return explain(self.queries, key, event, self.scope)

    def assert_sum(self, key: AnyKey, path_to: Callable[[_Path], _Path | None]) -> None:
        """Assert the paths of a number, given how each stack leads to it."""
        expected = Counter[_Path]()
        for stack in self.stacks:
            path = path_to(stack.functions)
            if path is not None and stack.costs[0]:
                expected[path] += stack.costs[0]
        found = self.explain(key)
        paths = {_named(path.functions): path.value for path in found.paths}
        assert found.value == found.sums[0] == expected.total()
        assert sum(paths.values()) + found.more[1] == expected.total()
        assert len(paths) + found.more[0] == len(expected)
        assert all(expected[path] == value for path, value in paths.items())


@pytest.fixture(params=list(product(range(10), _SCOPES)), ids=str)
def known(request: pytest.FixtureRequest) -> _Known:
    return _Known(*request.param)


def _named(nodes: Iterable[NodeId]) -> _Path:
    return tuple(NAMES[node] for node in nodes)


def _to(function: str) -> Callable[[_Path], _Path | None]:
    """Return the path to the outermost call of a function."""
    return lambda stack: stack[: stack.index(function) + 1] if function in stack else None


def test_costs_of_functions_are_sums_of_paths(known: _Known) -> None:
    for node, name in zip(_NODES, NAMES, strict=True):
        known.assert_sum(NumberKey(NumberKind.INCLUSIVE, node), _to(name))
        known.assert_sum(
            NumberKey(NumberKind.SELF, node),
            lambda stack, n=name: stack if stack[-1] == n else None,
        )


def test_costs_of_calls_are_sums_of_paths(known: _Known) -> None:
    for caller, callee in product(_NODES, repeat=2):
        pair = NAMES[caller], NAMES[callee]

        def path_to_call(stack: _Path, pair: _Path = pair) -> _Path | None:
            places = [end for end in range(2, len(stack) + 1) if stack[end - 2 : end] == pair]
            return stack[: places[0]] if places else None

        known.assert_sum(NumberKey(NumberKind.CALL_COST, caller, callee), path_to_call)


def test_frames_and_branches_are_explained_by_their_paths(known: _Known) -> None:
    for kind in (EstimateKind.FRAME, EstimateKind.BRANCH):
        for nodes in product(_NODES, repeat=2):
            first, second = _named(nodes)

            def down(stack: _Path, first: str = first, second: str = second) -> _Path | None:
                begin = stack.index(first) if first in stack else len(stack)
                is_there = stack[begin + 1 : begin + 2] == (second,)
                return stack[: begin + 2] if is_there else None

            def up(stack: _Path, first: str = first, second: str = second) -> _Path | None:
                begin = stack.index(first) if first in stack else 0
                return stack[: begin + 1] if begin and stack[begin - 1] == second else None

            def program(stack: _Path, pair: _Path = (first, second)) -> _Path | None:
                return pair if stack[:2] == pair else None

            def inverted(stack: _Path, pair: _Path = (second, first)) -> _Path | None:
                return stack if stack[-2:] == pair else None

            known.assert_sum(EstimateKey(kind, nodes), down)
            known.assert_sum(EstimateKey(kind, nodes, up=True), up)
            known.assert_sum(EstimateKey(kind, nodes, is_program=True), program)
            known.assert_sum(EstimateKey(kind, nodes, is_program=True, up=True), inverted)


def test_all_callers_and_callees_are_explained_as_the_lists_show_them(known: _Known) -> None:
    event = known.queries.events.measured[0]
    for node in _NODES:
        for up, ask in (
            (True, known.queries.transitive_callers),
            (False, known.queries.transitive_callees),
        ):
            shown = ask(node, event, known.scope)
            for row, other in enumerate(shown.node.tolist()):
                for measure, column in (
                    (Measure.COST, shown.cost),
                    (Measure.SELF, shown.self_cost),
                ):
                    path = node, NodeId(other)
                    found = known.explain(EstimateKey(EstimateKind.REACHED, path, measure, up=up))
                    assert found.value == column[row]
                    assert found.sharing is None


def test_the_call_graph_is_explained_as_it_is_drawn(known: _Known) -> None:
    event = known.queries.events.measured[0]
    limits = SubgraphLimits(caller_depth=None, min_node_share=0.0)
    for node in _NODES:
        graph = known.queries.subgraph(FunctionId(node), event, [known.scope], limits)
        for other, cost, own in zip(
            graph.node.tolist(), graph.cost.tolist(), graph.self_cost.tolist(), strict=True
        ):
            path = node, NodeId(other)
            box = EstimateKey(EstimateKind.GRAPH_NODE, path)
            assert known.explain(box).value == cost
            box = EstimateKey(EstimateKind.GRAPH_NODE, path, Measure.SELF)
            assert known.explain(box).value == own
        for row, cost in enumerate(graph.call_cost.tolist()):
            ends = graph.node[[graph.caller[row], graph.callee[row]]].tolist()
            arrow = EstimateKey(EstimateKind.GRAPH_CALL, (node, *map(NodeId, ends)))
            assert known.explain(arrow).value == cost


def test_the_number_of_calls_is_not_known(known: _Known) -> None:
    for key in (
        NumberKey(NumberKind.CALLED, _NODES[0]),
        NumberKey(NumberKind.CALL_COUNT, *_NODES[:2]),
        EstimateKey(EstimateKind.REACHED, (_NODES[0], _NODES[1]), Measure.COUNT),
    ):
        found = known.explain(key)
        assert (found.terms, found.paths, found.contexts, found.sharing) == ((), (), None, None)
