"""Random numbers of all views, as the views get them, with the requests for their explanations."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.calls.call_tree import CallBranches, InvertedBranches
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.code.location_costs import function_lines, instruction_costs
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    CodePlace,
    EstimateKey,
    EstimateKind,
    GroupKey,
    Measure,
    NumberKey,
    NumberKind,
    call_key,
)
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FURTHER, NO_NODE, NodeId, PartId, TextId, function_id

_SELF, _INCLUSIVE, _CALLED = NumberKind.SELF, NumberKind.INCLUSIVE, NumberKind.CALLED
_FEW = 6  # numbers of a view at a time


@dataclass(frozen=True)
class Cell:
    """A number as a view has it."""

    view: str
    value: int | float
    key: AnyKey
    event: EventType
    scope: Scope
    is_exact: bool = True


@dataclass(frozen=True)
class Views:
    """The views of a profile in one context."""

    queries: ProfileQueries
    event: EventType
    scope: Scope
    chance: random.Random

    def cells(self) -> Iterator[Cell]:
        """Some numbers of each view, around one active function."""
        active = self._node()
        for view in _ANY_EVENT:
            yield from view(self, active)
        counted = replace(self, event=self.queries.measured_event(self.event))
        for view in _COUNTED_EVENT:
            yield from view(counted, active)

    def _node(self) -> NodeId:
        """A function or cycle, rather a costly one."""
        costs = self.queries.inclusive(self.queries.measured_event(self.event), self.scope)
        weights = np.maximum(costs.astype(np.float64), 0) + 1e-9
        return NodeId(self.chance.choices(range(len(costs)), weights.tolist())[0])

    def _some(self, count: int) -> list[int]:
        return self.chance.sample(range(count), min(_FEW, count))

    def _cell(self, view: str, value: object, key: AnyKey, *, is_exact: bool = True) -> Cell:
        return Cell(view, as_number(value), key, self.event, self.scope, is_exact)

    # ---------------------------------------------------------------- lists

    def functions(self, active: NodeId) -> Iterator[Cell]:
        """The list of functions."""
        queries, costs = self.queries, self.queries.costs(self.scope)
        for node in (active, *map(NodeId, self._some(len(costs.cycle)))):
            inclusive = queries.inclusive(self.event, self.scope)[node]
            self_cost = queries.self_cost(self.event, self.scope)[node]
            yield self._cell("functions", inclusive, NumberKey(_INCLUSIVE, node))
            yield self._cell("functions", self_cost, NumberKey(_SELF, node))
            yield self._cell("functions", costs.called[node], NumberKey(_CALLED, node))

    def groups(self, _active: NodeId) -> Iterator[Cell]:
        """The groups above that list."""
        chosen = (Grouping.OBJECT, Grouping.FILE, Grouping.CLASS, Grouping.CYCLE)
        grouping = self.chance.choice(chosen)
        names = self.queries.groups(grouping, self.scope).names
        costs = self.queries.group_costs(grouping, self.event, self.scope)
        for row in self._some(len(names))[:2]:
            if names.count(names[row]) == 1:
                group = GroupKey(grouping, names[row])
                key = NumberKey(NumberKind.GROUP_SELF, NO_NODE, group=group)
                yield self._cell("groups", costs[row], key)

    def direct_calls(self, active: NodeId) -> Iterator[Cell]:
        """Callers and callees."""
        queries, scope = self.queries, self.scope
        for is_caller, ask in ((True, queries.callers), (False, queries.callees)):
            calls = ask(active, scope)
            costs = calls.cost(queries.events, self.event)
            for row in self._some(len(calls)):
                other = NodeId(int(calls.node[row]))
                ends = (other, active) if is_caller else (active, other)
                key = call_key(queries, scope, *ends)
                yield self._cell("calls", costs[row], key)
                if calls.count[row]:
                    key = call_key(queries, scope, *ends, NumberKind.CALL_COUNT)
                    yield self._cell("calls", calls.count[row], key)

    def events(self, active: NodeId) -> Iterator[Cell]:
        """The list of events."""
        for event in self.queries.events.all:
            inclusive, self_cost = self.queries.node_costs(active, event, self.scope)
            there = replace(self, event=event)
            yield there._cell("events", inclusive, NumberKey(_INCLUSIVE, active))
            yield there._cell("events", self_cost, NumberKey(_SELF, active))

    def parts(self, active: NodeId) -> Iterator[Cell]:
        """The list of parts, and the timeline."""
        queries, events = self.queries, self.queries.events
        costs = queries.part_costs(active, self.scope)
        totals = events.evaluate(self.event, queries.part_totals)
        inclusive = events.evaluate(self.event, costs.inclusive)
        self_cost = events.evaluate(self.event, costs.self_cost)
        every = frozenset(map(PartId, range(len(totals))))
        frame = self.scope.frame or self.scope.parts or every
        for part in self._some(len(totals))[:3]:
            there = replace(
                self, scope=replace(self.scope, parts=frozenset({PartId(part)}), frame=frame)
            )
            yield there._cell("parts", totals[part], NumberKey(NumberKind.TOTAL, NO_NODE))
            yield there._cell("parts", inclusive[part], NumberKey(_INCLUSIVE, active))
            yield there._cell("parts", self_cost[part], NumberKey(_SELF, active))
            yield there._cell("parts", costs.called[part], NumberKey(_CALLED, active))

    def call_stack(self, active: NodeId) -> Iterator[Cell]:
        """A path of calls that goes on from the active function, each with its recorded cost."""
        graph, node = self.queries.call_graph(self.event, self.scope), active
        for _ in range(3):
            rows = graph.outgoing(node)
            if not len(rows):
                return
            row = int(self.chance.choice(rows.tolist()))
            callee = NodeId(int(graph.adjacency.callee[row]))
            key = call_key(self.queries, self.scope, node, callee)
            yield self._cell("call stack", graph.cost[row], key)
            node = callee

    # ---------------------------------------------------------------- code

    def code(self, active: NodeId) -> Iterator[Cell]:
        """Lines and instructions."""
        queries = self.queries
        if not queries.is_function(active):
            return
        function = function_id(active)
        lines = function_lines(queries.profile, function, self.scope.parts)
        costs = queries.events.evaluate(self.event, lines.self_cost)
        for row in self._some(len(lines)):
            place = CodePlace(TextId(int(lines.file[row])), int(lines.line[row]))
            yield self._cell(
                "source", costs[row], NumberKey(NumberKind.LINE_SELF, active, place=place)
            )
        if queries.profile.costs.address is None:
            return
        code = instruction_costs(queries.profile, function, self.scope.parts)
        costs = queries.events.evaluate(self.event, code.self_cost)
        for row in self._some(len(code)):
            file, line = TextId(int(code.file[row])), int(code.line[row])
            place = CodePlace(file, line, int(code.address[row]))
            key = NumberKey(NumberKind.INSTRUCTION_SELF, active, place=place)
            yield self._cell("assembler", costs[row], key)

    # ---------------------------------------------------------------- paths

    def reached(self, active: NodeId) -> Iterator[Cell]:
        """The lists of all callers and all callees."""
        queries = self.queries
        for up, ask in ((True, queries.transitive_callers), (False, queries.transitive_callees)):
            calls = ask(active, self.event, self.scope)
            for row in self._some(len(calls)):
                node, is_exact = NodeId(int(calls.node[row])), bool(calls.is_exact[row])
                key = EstimateKey(EstimateKind.REACHED, (active, node), up=up)
                yield self._cell("all calls", calls.cost[row], key, is_exact=is_exact)
                key = replace(key, measure=Measure.COUNT)
                yield self._cell("all calls", calls.count[row], key, is_exact=is_exact)
                key = replace(key, measure=Measure.SELF)
                exact = bool(calls.is_complete[row])
                yield self._cell("all calls", calls.self_cost[row], key, is_exact=exact)

    def frames(self, active: NodeId) -> Iterator[Cell]:
        """The flame graph of callees and callers, and both maps."""
        graph = self.queries.accounted_calls(self.event, self.scope)
        for up in (False, True):
            yield from self._boxes(build_frame_tree(graph, [active], up=up, max_depth=500), up=up)

    def program(self, _active: NodeId) -> Iterator[Cell]:
        """The flame graph of the whole program, and that upside down."""
        calls = self.queries.program_calls(self.event, self.scope)
        roots = calls.program_roots()
        if len(roots):
            yield from self._boxes(build_frame_tree(calls, roots), is_program=True)
            inverted = build_frame_tree(calls, calls.self_roots(), up=True)
            yield from self._boxes(inverted, up=True, is_program=True)

    def _boxes(
        self, tree: FrameTree, *, up: bool = False, is_program: bool = False
    ) -> Iterator[Cell]:
        for box in self._some(len(tree)):
            path = tuple(NodeId(int(tree.node[row])) for row in tree.path(box))
            path = tuple(node for node in path if node != NO_NODE)
            key = EstimateKey(EstimateKind.FRAME, path, up=up, is_program=is_program)
            yield self._cell("boxes", tree.cost[box], key, is_exact=bool(tree.is_exact[box]))
            if len(path) > 1 and tree.new.calls[box]:
                key = replace(key, measure=Measure.COUNT)
                exact = bool(tree.new.has_exact_calls[box])
                yield self._cell("boxes", tree.new.calls[box], key, is_exact=exact)

    def branches(self, active: NodeId) -> Iterator[Cell]:
        """The call tree, some branches deep."""
        graph = self.queries.accounted_calls(self.event, self.scope)
        program = self.queries.program_calls(self.event, self.scope)
        trees = (
            CallBranches(graph, None, up=False),
            CallBranches(graph, None, up=True),
            InvertedBranches(program, None),
        )
        for up, tree in zip((False, True, True), trees, strict=True):
            is_program = tree is trees[2]
            path = [] if is_program else [active]
            branch = tree.root(NO_NODE if is_program else active)
            for _ in range(self.chance.randint(0, 7)):
                below = [each for each in tree.below(branch, 0, 50)[0] if each.function != FURTHER]
                if not below:
                    break
                branch = self.chance.choice(below)
                path.append(branch.function)
                key = EstimateKey(EstimateKind.BRANCH, tuple(path), up=up, is_program=is_program)
                yield self._cell("call tree", branch.cost, key, is_exact=branch.is_proven)
                if branch.function < 0:
                    break
                if len(path) > 1:
                    key = replace(key, measure=Measure.COUNT)
                    exact = not branch.is_shared
                    yield self._cell("call tree", branch.count, key, is_exact=exact)
                self_cost, exact = tree.self_cost(branch)
                if self_cost is not None:
                    key = replace(key, measure=Measure.SELF)
                    yield self._cell("call tree", self_cost, key, is_exact=exact)

    def graph(self, active: NodeId) -> Iterator[Cell]:
        """The boxes and arrows of the call graph, some of whose cycles are open."""
        count, nodes = self.queries.function_count, len(self.queries.costs(self.scope).cycle)
        cycles = map(NodeId, range(count, nodes))
        expanded = frozenset(cycle for cycle in cycles if self.chance.random() < 0.5)
        limits = SubgraphLimits(None, min_node_share=0.001, expanded_cycles=expanded)
        shown = self.queries.subgraph(active, self.event, [self.scope], limits)
        for row in self._some(len(shown.node)):
            node = NodeId(int(shown.node[row]))
            key = EstimateKey(EstimateKind.GRAPH_NODE, (active, node), expanded=expanded)
            yield self._cell("graph", shown.cost[row], key, is_exact=bool(shown.is_exact[row]))
        for row in self._some(len(shown.caller)):
            ends = shown.node[shown.caller[row]], shown.node[shown.callee[row]]
            path = (active, *(NodeId(int(end)) for end in ends))
            key = EstimateKey(EstimateKind.GRAPH_CALL, path, expanded=expanded)
            exact = bool(shown.call_is_exact[row])
            yield self._cell("graph", shown.call_cost[row], key, is_exact=exact)
            key, exact = replace(key, measure=Measure.COUNT), bool(shown.call_count_is_exact[row])
            yield self._cell("graph", shown.call_count[row], key, is_exact=exact)


_View = Callable[[Views, NodeId], Iterator[Cell]]
_ANY_EVENT: tuple[_View, ...] = (
    Views.functions, Views.groups, Views.direct_calls, Views.events, Views.parts, Views.code,
)  # fmt: skip
_COUNTED_EVENT: tuple[_View, ...] = (
    Views.call_stack, Views.reached, Views.frames, Views.program, Views.branches, Views.graph,
)  # fmt: skip
