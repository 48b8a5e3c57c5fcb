"""Numbers that are shared out along calls, since a profile records no paths of several calls."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls, CallGraph
from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    Reached,
    call_flow,
    exact_costs,
    fold_cycles,
    reached_nodes,
    trace,
)
from qcachegrind_py.analysis.calls.frame_branches import FrameCosts, inner_costs
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.sums import quotients, scaled_costs
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    Sharing,
    SharingStep,
    StepRule,
    call_key,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NOT_ATTRIBUTED, OTHER_CALLERS, NodeId, node_at, node_ids
from qcachegrind_py.profile.tables import BoolArray

_Estimate = tuple[int | float, Sharing, AnyKey | None]  # the last is the number that it equals


def estimate(
    queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope
) -> _Estimate:
    """Return the number, how it was shared out, and the number that it equals if it is exact.

    The event is no ratio.
    """
    match key.kind:
        case EstimateKind.FRAME | EstimateKind.BRANCH:
            return _PathWalk(queries, key, event, scope).estimate()
        case EstimateKind.REACHED:
            return _ReachedNode(queries, key, event, scope).estimate()
    return _GraphNumber(queries, key, event, scope).estimate()


@frozen(eq=True, slots=False)
class _Asked:
    """The number that is asked for."""

    queries: ProfileQueries
    key: EstimateKey
    event: EventType
    scope: Scope

    @cached_property
    def graph(self) -> CallGraph:
        """The calls as they were recorded."""
        return self.queries.call_graph(self.event, self.scope)

    def ends(self, before: NodeId, node: NodeId) -> tuple[NodeId, NodeId]:
        """Return caller and callee of a step."""
        return (node, before) if self.key.up else (before, node)

    def calls_key(self, caller: NodeId, callee: NodeId, *, is_count: bool = False) -> NumberKey:
        """Return the name of cost or number of the calls between both."""
        kind = NumberKind.CALL_COUNT if is_count else NumberKind.CALL_COST
        return call_key(self.queries, self.scope, caller, callee, kind)


def _inclusive(node: NodeId) -> NumberKey:
    return NumberKey(NumberKind.INCLUSIVE, node)


# ---------------------------------------------------------------- along one path


@frozen(eq=True)
class _Place:
    """What a function has at a place of the path."""

    value: int | float
    amount: int | float  # before rounding
    is_exact: bool
    proof: AnyKey | None  # the number that it equals


class _PathWalk(_Asked):
    """Goes along a path from its beginning, and notes each step."""

    @cached_property
    def _calls(self) -> AccountedCalls:
        queries, event, scope = self.queries, self.event, self.scope
        if not self.key.is_program and self.key.path:
            return queries.accounted_calls(event, scope)
        total = queries.total(event, scope.parts)
        whole = int(total.base if self.key.of_recorded else total.counted)
        return queries.program_calls(event, scope, whole)

    @cached_property
    def graph(self) -> CallGraph:
        """The calls with what accounts for the cost of each function."""
        return self._calls.graph

    def estimate(self) -> _Estimate:
        """Return the number at the end of the path, and how it got there."""
        key = self.key
        if not key.path:
            return self._whole_program()
        walked = key.path[:-1] if key.is_count else key.path
        place, steps = self._along(walked)
        if key.measure is not Measure.COST:
            place, step = self._last_step(place, walked[-1])
            steps.append(step)
        is_exact = place.is_exact and steps[-1].is_exact
        sharing = Sharing(tuple(steps), is_exact, callers=max(1, len(key.path) - 1))
        return place.value, sharing, place.proof

    def _whole_program(self) -> _Estimate:
        roots = self._calls.program_roots()
        steps = [self._root(node)[1] for node in node_ids(roots.node)]
        return sum(step.value for step in steps), Sharing(tuple(steps), True, is_flow=True), None

    def _along(self, path: tuple[NodeId, ...]) -> tuple[_Place, list[SharingStep]]:
        place, step = self._root(path[0])
        steps = [step]
        for length, (before, node) in enumerate(pairwise(path), start=1):
            place, step = self._next(place, before, node, path[:length])
            steps.append(step)
        return place, steps

    # ---------------------------------------------------------------- the beginning

    def _root(self, node: NodeId) -> tuple[_Place, SharingStep]:
        """Return what the first function has: all of it, or what no call accounts for."""
        is_inverted = self.key.is_inverted and not self.key.is_count  # all calls are counted
        if node < 0:
            is_rest = node == NOT_ATTRIBUTED and not is_inverted
            value = self._calls.remainder if is_rest else self._whole(node)
            step = SharingStep(StepRule.STAND_IN, node, value, is_exact=True)
            return _Place(value, value, True, None), step
        if is_inverted:
            value, own = int(self.graph.self_cost[node]), NumberKey(NumberKind.SELF, node)
            step = SharingStep(StepRule.OWN, node, value, part=value, part_key=own, is_exact=True)
            return _Place(value, value, True, own), step
        value = whole = self._whole(node)
        if not self.key.is_inverted and (self.key.is_program or not self.key.path):
            value = int(self._calls.begun[node])
        key, is_recorded = self._whole_key(node), not self._calls.is_reduced[node]
        if value == whole and key is not None:
            rule, proof = StepRule.WHOLE, key
        else:
            rule, proof = StepRule.INSIDE if value == whole else StepRule.REST, None
        step = SharingStep(rule, node, value, part_key=proof, is_exact=bool(is_recorded))
        if rule is StepRule.REST:
            step = replace(step, part=whole - value, whole=whole, whole_key=key)
        return _Place(value, value, True, proof), step

    # ---------------------------------------------------------------- one call

    def _next(
        self, place: _Place, before: NodeId, node: NodeId, path: tuple[NodeId, ...]
    ) -> tuple[_Place, SharingStep]:
        """Return what the next function has of the cost of the one before."""
        whole, (part, is_estimated, is_reduced) = self._whole(before), self._part(before, node)
        is_whole = place.is_exact and place.value == whole
        is_all = place.is_exact and part == whole and not is_whole
        call = self.calls_key(*self.ends(before, node)) if before >= 0 and node >= 0 else None
        value: int | float
        amount: int | float
        if self.key.kind is EstimateKind.FRAME:
            value, amount, is_exact = self._inner_frame(place, before, part)
            is_all, is_whole = is_all and is_exact, is_whole or (part == 0 and is_exact)
        else:
            value = place.value if is_all else part * self._factor(place, whole)
            amount, is_exact = value, is_whole or is_all
        is_exact &= not is_estimated
        here = _Place(value, amount, is_exact, None)
        if is_whole and call is None:
            return here, self._balance(value, before, node, is_exact=not is_reduced)
        if is_whole and is_reduced:
            recorded = self._recorded(before, node)
            return here, SharingStep(StepRule.LIMITED, node, value, part=recorded, part_key=call)
        proof = call if is_whole else place.proof if is_all else None
        rule = StepRule.RECORDED if is_whole else StepRule.ALL if is_all else StepRule.SHARED
        step = SharingStep(
            rule, node, value, before, place.amount, part, whole, None if is_reduced else call,
            self._amount_key(path), self._whole_key(before), is_exact and not is_reduced,
        )  # fmt: skip
        return _Place(value, amount, is_exact, None if is_reduced else proof), step

    def _balance(
        self, value: int | float, before: NodeId, node: NodeId, *, is_exact: bool
    ) -> SharingStep:
        """Return the step to or from a stand-in: what a function has beyond something else."""
        function = node if before == OTHER_CALLERS else before
        whole = self._whole(function)
        return SharingStep(
            StepRule.BALANCE, node, value, before, part=whole - value, whole=whole,
            whole_key=self._whole_key(function), is_exact=is_exact,
        )  # fmt: skip

    def _whole(self, node: NodeId) -> int:
        """Return all that a node or stand-in has."""
        whole = self.graph.inclusive if node >= 0 else self._calls.stand_in_costs
        return int(whole[node])

    def _whole_key(self, node: NodeId) -> NumberKey | None:
        """Return the name of what a node has; None if that is not its inclusive cost."""
        if node < 0 or self._whole(node) != int(self._calls.recorded.inclusive[node]):
            return None
        return _inclusive(node)

    def _part(self, before: NodeId, node: NodeId) -> tuple[int, bool, bool]:
        """Return what the calls between both cost, whether that is estimated, and reduced.

        It is 0 where there is no call, as in one side of a comparison.
        """
        if before >= 0 and node >= 0 and not self._rows(before, node):
            return 0, False, False
        ends = np.array([before], np.int64), np.array([node], np.int64)
        cost, is_estimated, is_reduced = self._calls.between(*ends, up=self.key.up)
        return int(cost[0]), bool(is_estimated[0]), bool(is_reduced[0])

    def _inner_frame(
        self, place: _Place, before: NodeId, recorded: int
    ) -> tuple[int, int | float, bool]:
        """Return cost, amount before rounding and exactness by the rule of frame trees."""
        if recorded == 0 or (place.is_exact and place.value == 0):
            return 0, 0, True
        large = object if max(recorded, place.value) >= 1 << 62 else np.int64
        around = FrameCosts(
            np.array([place.value], large), np.array([place.amount], np.float64),
            np.array([place.is_exact]),
        )  # fmt: skip
        whole = np.array([self._whole(before)], large)
        inner = inner_costs(around, whole, np.array([recorded], large))
        cost, is_exact = int(inner.cost[0]), bool(inner.is_exact[0])
        return cost, cost if is_exact else float(inner.amount[0]), is_exact

    def _factor(self, place: _Place, whole: int) -> int | float:
        """Return the share of its function's cost that a branch of a call tree has."""
        if place.is_exact and place.value == whole:
            return 1
        return min(place.value / max(1, int(whole)), 1.0)

    def _last_step(self, place: _Place, node: NodeId) -> tuple[_Place, SharingStep]:
        """Return the self cost or the number of calls, which the share of the cost is taken of."""
        whole, proof = self._whole(node), self._part_key(node)
        if self.key.measure is Measure.SELF:
            part = int(self.graph.self_cost[node])
        else:
            part = self._count(node, self.key.path[-1])
        is_whole = place.is_exact and place.value == whole
        value = self._share_of(place, part, whole)
        is_exact = is_whole or (part == 0 and self.key.measure is Measure.SELF)
        step = SharingStep(
            StepRule.RECORDED if is_whole else StepRule.SHARED, self.key.path[-1], value, node,
            place.value, part, whole, proof, self._amount_key(self._walked),
            self._whole_key(node), is_exact,
        )  # fmt: skip
        return _Place(value, value, is_exact, proof if is_whole else None), step

    def _share_of(self, place: _Place, part: int, whole: int) -> int | float:
        if self.key.kind is EstimateKind.BRANCH:
            return part * self._factor(place, whole)
        share = np.minimum(quotients(np.array([place.value]), np.array([whole])), 1)
        return as_number(scaled_costs(np.array([part]), share)[0])

    # ---------------------------------------------------------------- names and numbers

    @property
    def _walked(self) -> tuple[NodeId, ...]:
        return self.key.path[:-1] if self.key.is_count else self.key.path

    def _part_key(self, node: NodeId) -> NumberKey | None:
        if self.key.measure is Measure.SELF:
            return NumberKey(NumberKind.SELF, node)
        key = self.calls_key(*self.ends(node, self.key.path[-1]), is_count=True)
        return key if key.is_count else None

    def _amount_key(self, path: tuple[NodeId, ...]) -> EstimateKey:
        is_program = self.key.is_program and not (self.key.is_inverted and self.key.is_count)
        return replace(self.key, path=path, measure=Measure.COST, is_program=is_program)

    def _recorded(self, before: NodeId, node: NodeId) -> int:
        return int(self._calls.recorded.cost[self._rows(before, node)].sum())

    def _count(self, before: NodeId, node: NodeId) -> int:
        return int(self.graph.adjacency.count[self._rows(before, node)].sum())

    def _rows(self, before: NodeId, node: NodeId) -> list[int]:
        caller, callee = self.ends(before, node)
        rows = self.graph.outgoing(caller)
        found: list[int] = rows[self.graph.adjacency.callee[rows] == callee].tolist()
        return found


# ---------------------------------------------------------------- on all paths


class _ReachedNode(_Asked):
    """What of the cost of a function reaches another one, over any number of calls."""

    @property
    def _origin(self) -> NodeId:
        return self.key.path[0]

    @property
    def _node(self) -> NodeId:
        return self.key.path[-1]

    def estimate(self) -> _Estimate:
        """Return the number and the flows that it is the sum of."""
        ask = self.queries.transitive_callers if self.key.up else self.queries.transitive_callees
        calls = ask(self._origin, self.event, self.scope)
        found = calls.for_nodes(np.array([self._node]))
        columns = {
            Measure.COST: found.cost,
            Measure.SELF: found.self_cost,
            Measure.COUNT: found.count,
        }
        value = as_number(columns[self.key.measure][0])
        is_direct, is_complete = bool(found.is_exact[0]), bool(found.is_complete[0])
        callers = max(1, int(found.max_distance[0]))
        if self.key.measure is Measure.SELF:
            return self._self_share(value, as_number(found.cost[0]), is_complete, callers)
        reached = reached_nodes(self._origin, self.graph, up=self.key.up)
        steps = self._flows(reached)
        arrived = reached.count if self.key.is_count else reached.cost
        total = sum(step.value for step in steps)
        is_complete = is_complete and not self.key.is_count
        counted = value if is_direct or is_complete else float(arrived[self._node])
        if not self.key.is_count:
            counted = min(counted, self.graph.inclusive[self._origin])  # of paths in a circle
        proof: AnyKey | None = None
        if is_direct:
            proof = self._call(self._origin)
        elif is_complete:
            proof = _inclusive(self._node)
        sharing = Sharing(
            tuple(steps), is_direct, True, float(total - counted), is_complete, callers
        )
        return value, sharing, proof

    def _flows(self, reached: Reached) -> list[SharingStep]:
        """Return what each function that is reached passes on to the node, the most first."""
        graph, node, up = self.graph, self._node, self.key.up
        rows = graph.outgoing(node) if up else graph.incoming(node)
        ends = graph.adjacency.callee if up else graph.adjacency.caller
        parts = graph.adjacency.count if self.key.is_count else graph.cost
        steps = []
        for row in rows.tolist():
            before, part = node_at(ends, row), int(parts[row])
            whole = int(graph.inclusive[before])
            amount = whole if before == self._origin else float(reached.cost[before])
            if whole > 0 and amount > 0 and part:
                steps.append(self._flow(before, amount, part, whole))
        return sorted(steps, key=lambda step: -step.value)

    def _flow(self, before: NodeId, amount: int | float, part: int, whole: int) -> SharingStep:
        is_whole = before == self._origin
        amount_key = replace(self.key, path=(self._origin, before), measure=Measure.COST)
        return SharingStep(
            StepRule.RECORDED if is_whole else StepRule.SHARED, self._node,
            part if is_whole else part * (amount / whole), before, amount, part, whole,
            self._call(before), _inclusive(before) if is_whole else amount_key,
            _inclusive(before), is_whole,
        )  # fmt: skip

    def _call(self, before: NodeId) -> NumberKey:
        return self.calls_key(*self.ends(before, self._node), is_count=self.key.is_count)

    def _self_share(
        self, value: int | float, cost: int | float, is_complete: bool, callers: int
    ) -> _Estimate:
        node, key = self._node, NumberKey(NumberKind.SELF, self._node)
        own, whole = (
            as_number(costs[node]) for costs in (self.graph.self_cost, self.graph.inclusive)
        )
        step = SharingStep(
            StepRule.RECORDED if is_complete else StepRule.SHARED, node, value, node, cost, own,
            whole, key, replace(self.key, measure=Measure.COST), _inclusive(node), is_complete,
        )  # fmt: skip
        return value, Sharing((step,), is_complete, callers=callers), key if is_complete else None


# ---------------------------------------------------------------- in the call graph

_GRAPH_CALLERS = 10  # levels of callers that the call graph advises to record


class _GraphNumber(_Asked):
    """The numbers of the call graph: of its boxes, and of its arrows."""

    @cached_property
    def _flow(self) -> CostFlow:
        cycle, count = self.queries.costs(self.scope).cycle, self.queries.function_count
        folding = fold_cycles(self.key.path[0], cycle, count, self.key.expanded)
        return trace(self.graph, folding)

    @cached_property
    def _calls(self) -> CallFlow:
        edges = self.queries.call_edges(self.scope)
        costs = self.queries.events.evaluate(self.event, edges.inclusive)
        return call_flow(self._flow, edges, costs)

    @cached_property
    def _exact(self) -> tuple[BoolArray, BoolArray]:
        return exact_costs(self._flow, self._calls)

    def estimate(self) -> _Estimate:
        """Return the number of the box or arrow."""
        if self.key.kind is EstimateKind.GRAPH_CALL:
            return self._of_call()
        return self._of_node(self.key.path[-1])

    def _of_node(self, node: NodeId) -> _Estimate:
        flow = self._flow
        is_up = bool(flow.up.cost[node] > flow.down.cost[node])
        side, is_exact = flow.up if is_up else flow.down, bool(self._exact[0][node])
        if flow.folding.is_start[node]:
            key, value = _inclusive(node), as_number(side.cost[node])
            step = SharingStep(StepRule.WHOLE, node, value, part_key=key, is_exact=True)
            return value, Sharing((step,), True), key
        reached = EstimateKey(EstimateKind.REACHED, (self.key.path[0], node), up=is_up)
        asked = _ReachedNode(self.queries, reached, self.event, self.scope)
        value, sharing, proof = asked.estimate()
        if value != side.cost[node]:
            return self._of_member(node, as_number(side.cost[node]))
        return value, replace(sharing, is_exact=is_exact, callers=_GRAPH_CALLERS), proof

    def _of_member(self, node: NodeId, value: int | float) -> _Estimate:
        """Return the share of a member of an expanded cycle in the cost of this."""
        cycle = node_at(self._flow.folding.cluster, node)
        step = SharingStep(
            StepRule.SHARED, node, value, cycle, as_number(self._flow.up.cost[cycle]),
            as_number(self.graph.inclusive[node]), as_number(self.graph.inclusive[cycle]),
            _inclusive(node), replace(self.key, path=(self.key.path[0], cycle)), _inclusive(cycle),
        )  # fmt: skip
        return value, Sharing((step,), False, callers=_GRAPH_CALLERS), None

    def _of_call(self) -> _Estimate:
        _, caller, callee = self.key.path
        calls, is_count = self._calls, self.key.is_count
        found = np.flatnonzero((calls.caller == caller) & (calls.callee == callee))
        if not len(found):
            return 0, Sharing((), True), None
        row = int(found[0])
        source, is_exact = node_at(calls.flow_source, row), bool(self._exact[1][row])
        side = self._flow.up if calls.is_up[row] else self._flow.down
        whole, amount = as_number(self.graph.inclusive[source]), as_number(side.cost[source])
        value = as_number((calls.count if is_count else calls.cost)[row])
        key = self.calls_key(caller, callee, is_count=is_count)
        recorded = key if key.is_count or not is_count else None
        if calls.is_inner[row] and not is_count:
            recorded = NumberKey(NumberKind.INNER_CALL_COST, caller, callee)
        part = as_number(calls.recorded[row])
        if is_count:
            part = self._recorded_count(caller, callee)
        is_whole, is_all = amount == whole, calls.recorded[row] == whole and not is_count
        rule = StepRule.RECORDED if is_whole else StepRule.ALL if is_all else StepRule.SHARED
        amount_key = EstimateKey(
            EstimateKind.GRAPH_NODE, (self.key.path[0], source), expanded=self.key.expanded
        )
        step = SharingStep(
            rule, node_at(calls.far_end, row), value, source, amount, part, whole, recorded,
            amount_key, _inclusive(source), is_exact,
        )  # fmt: skip
        is_proven = is_exact and (is_whole or not is_count)
        sharing = Sharing((step,), is_proven, callers=_GRAPH_CALLERS)
        return value, sharing, recorded if is_whole else None

    def _recorded_count(self, caller: NodeId, callee: NodeId) -> int:
        """Return the number of calls that are shown between two nodes."""
        edges, folding = self.queries.call_edges(self.scope), self._flow.folding
        shown = (folding.shown[edges.caller] == caller) & (folding.called[edges.callee] == callee)
        return int(edges.count[shown].sum())
