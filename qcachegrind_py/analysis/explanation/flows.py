"""How a cost is shared out on all paths at once: in the lists of all callers and callees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import Reached, reached_nodes
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.code import call_key
from qcachegrind_py.analysis.explanation.keys import (
    AnyKey,
    EstimateKey,
    Measure,
    NumberKey,
    NumberKind,
)
from qcachegrind_py.analysis.explanation.paths import Estimate
from qcachegrind_py.analysis.explanation.sharing import Sharing, SharingStep, StepRule
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NodeId, node_at


class ReachedNode:
    """What of the cost of a function reaches another one, over any number of calls."""

    def __init__(
        self, queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope
    ) -> None:
        self._queries, self._key, self._event, self._scope = queries, key, event, scope
        self._graph = queries.call_graph(event, scope)
        self._origin, self._node = key.path[0], key.path[-1]

    def estimate(self) -> Estimate:
        """Return the number and the flows that it is the sum of."""
        ask = self._queries.transitive_callers if self._key.up else self._queries.transitive_callees
        calls = ask(self._origin, self._event, self._scope)
        found = calls.for_nodes(np.array([self._node]))
        columns = {
            Measure.COST: found.cost,
            Measure.SELF: found.self_cost,
            Measure.COUNT: found.count,
        }
        value = as_number(columns[self._key.measure][0])
        is_direct, is_complete = bool(found.is_exact[0]), bool(found.is_complete[0])
        callers = max(1, int(found.max_distance[0]))
        if self._key.measure is Measure.SELF:
            return self._self_share(value, as_number(found.cost[0]), is_complete, callers)
        reached = reached_nodes(self._origin, self._graph, up=self._key.up)
        steps = self._flows(reached)
        arrived = reached.count if self._key.is_count else reached.cost
        total = sum(step.value for step in steps)
        is_complete = is_complete and not self._key.is_count
        counted = value if is_direct or is_complete else float(arrived[self._node])
        if not self._key.is_count:
            counted = min(counted, self._graph.inclusive[self._origin])  # of paths in a circle
        proof: AnyKey | None = None
        if is_direct:
            proof = self._call(self._origin, self._node)
        elif is_complete:
            proof = NumberKey(NumberKind.INCLUSIVE, self._node)
        sharing = Sharing(
            tuple(steps), is_direct, True, float(total - counted), is_complete, callers
        )
        return value, sharing, proof

    def _flows(self, reached: Reached) -> list[SharingStep]:
        """Return what each function that is reached passes on to the node, the most first."""
        graph, node, up = self._graph, self._node, self._key.up
        rows = graph.outgoing(node) if up else graph.incoming(node)
        ends = graph.adjacency.callee if up else graph.adjacency.caller
        parts = graph.adjacency.count if self._key.is_count else graph.cost
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
        amount_key = replace(self._key, path=(self._origin, before), measure=Measure.COST)
        inclusive = NumberKey(NumberKind.INCLUSIVE, before)
        return SharingStep(
            StepRule.RECORDED if is_whole else StepRule.SHARED,
            self._node,
            part if is_whole else part * (amount / whole),
            before,
            amount,
            part,
            whole,
            self._call(before, self._node),
            inclusive if is_whole else amount_key,
            inclusive,
            is_whole,
        )

    def _call(self, before: NodeId, node: NodeId) -> NumberKey:
        ends = (node, before) if self._key.up else (before, node)
        kind = NumberKind.CALL_COUNT if self._key.is_count else NumberKind.CALL_COST
        return call_key(self._queries, self._scope, *ends, kind)

    def _self_share(
        self, value: int | float, cost: int | float, is_complete: bool, callers: int
    ) -> Estimate:
        """Return the self cost, which has the share of the whole self cost that the cost has."""
        node, key = self._node, NumberKey(NumberKind.SELF, self._node)
        step = SharingStep(
            StepRule.RECORDED if is_complete else StepRule.SHARED,
            node,
            value,
            node,
            cost,
            as_number(self._graph.self_cost[node]),
            as_number(self._graph.inclusive[node]),
            key,
            replace(self._key, measure=Measure.COST),
            NumberKey(NumberKind.INCLUSIVE, node),
            is_complete,
        )
        return value, Sharing((step,), is_complete, callers=callers), key if is_complete else None
