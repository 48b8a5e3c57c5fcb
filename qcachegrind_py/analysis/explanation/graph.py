"""The numbers of the call graph: what of the active function's cost is in a box, or in an arrow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    call_flow,
    exact_costs,
    fold_cycles,
    trace,
)
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.code import call_key
from qcachegrind_py.analysis.explanation.flows import ReachedNode
from qcachegrind_py.analysis.explanation.keys import (
    EstimateKey,
    EstimateKind,
    NumberKey,
    NumberKind,
)
from qcachegrind_py.analysis.explanation.paths import Estimate
from qcachegrind_py.analysis.explanation.sharing import Sharing, SharingStep, StepRule
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NodeId, node_at

GRAPH_CALLERS = 10  # levels of callers that the call graph advises to record


class GraphNumber:
    """The numbers of the call graph: of its boxes, and of its arrows."""

    def __init__(
        self, queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope
    ) -> None:
        self._queries, self._key, self._event, self._scope = queries, key, event, scope
        self._graph, cycle = queries.call_graph(event, scope), queries.costs(scope).cycle
        folding = fold_cycles(key.path[0], cycle, queries.function_count, key.expanded)
        self._flow: CostFlow = trace(self._graph, folding)
        edges = queries.call_edges(scope)
        self._calls: CallFlow = call_flow(
            self._flow, edges, queries.events.evaluate(event, edges.inclusive)
        )
        self._exact = exact_costs(self._flow, self._calls)

    def estimate(self) -> Estimate:
        """Return the number of the box or arrow."""
        if self._key.kind is EstimateKind.GRAPH_CALL:
            return self._of_call()
        return self._of_node(self._key.path[-1])

    def _of_node(self, node: NodeId) -> Estimate:
        flow = self._flow
        is_up = bool(flow.up.cost[node] > flow.down.cost[node])
        side, is_exact = flow.up if is_up else flow.down, bool(self._exact[0][node])
        if flow.folding.is_start[node]:
            key = NumberKey(NumberKind.INCLUSIVE, node)
            value = as_number(side.cost[node])
            step = SharingStep(StepRule.WHOLE, node, value, part_key=key, is_exact=True)
            return value, Sharing((step,), True), key
        reached = EstimateKey(EstimateKind.REACHED, (self._key.path[0], node), up=is_up)
        value, sharing, proof = ReachedNode(
            self._queries, reached, self._event, self._scope
        ).estimate()
        if value != side.cost[node]:
            return self._of_member(node, as_number(side.cost[node]))
        return value, replace(sharing, is_exact=is_exact, callers=GRAPH_CALLERS), proof

    def _of_member(self, node: NodeId, value: int | float) -> Estimate:
        """Return the share of a member of an expanded cycle in the cost of this."""
        cycle = node_at(self._flow.folding.cluster, node)
        step = SharingStep(
            StepRule.SHARED,
            node,
            value,
            cycle,
            as_number(self._flow.up.cost[cycle]),
            as_number(self._graph.inclusive[node]),
            as_number(self._graph.inclusive[cycle]),
            NumberKey(NumberKind.INCLUSIVE, node),
            replace(self._key, path=(self._key.path[0], cycle)),
            NumberKey(NumberKind.INCLUSIVE, cycle),
        )
        return value, Sharing((step,), False, callers=GRAPH_CALLERS), None

    def _of_call(self) -> Estimate:
        _, caller, callee = self._key.path
        calls, is_count = self._calls, self._key.is_count
        found = np.flatnonzero((calls.caller == caller) & (calls.callee == callee))
        if not len(found):
            return 0, Sharing((), True), None
        row = int(found[0])
        source, is_exact = node_at(calls.flow_source, row), bool(self._exact[1][row])
        side = self._flow.up if calls.is_up[row] else self._flow.down
        whole, amount = as_number(self._graph.inclusive[source]), as_number(side.cost[source])
        value = as_number((calls.count if is_count else calls.cost)[row])
        kind = NumberKind.CALL_COUNT if is_count else NumberKind.CALL_COST
        recorded: NumberKey | None = call_key(self._queries, self._scope, caller, callee, kind)
        if is_count and recorded is not None and not recorded.is_count:
            recorded = None
        if calls.is_inner[row] and not is_count:
            recorded = NumberKey(NumberKind.INNER_CALL_COST, caller, callee)
        part = as_number(calls.recorded[row])
        if is_count:
            part = self._recorded_count(caller, callee)
        is_whole, is_all = amount == whole, calls.recorded[row] == whole and not is_count
        rule = StepRule.RECORDED if is_whole else StepRule.ALL if is_all else StepRule.SHARED
        step = SharingStep(
            rule,
            node_at(calls.far_end, row),
            value,
            source,
            amount,
            part,
            whole,
            recorded,
            EstimateKey(
                EstimateKind.GRAPH_NODE, (self._key.path[0], source), expanded=self._key.expanded
            ),
            NumberKey(NumberKind.INCLUSIVE, source),
            is_exact,
        )
        return (
            value,
            Sharing((step,), is_exact and (is_whole or not is_count), callers=GRAPH_CALLERS),
            recorded if is_whole else None,
        )

    def _recorded_count(self, caller: NodeId, callee: NodeId) -> int:
        """Return the number of calls that are shown between two nodes."""
        edges, folding = self._queries.call_edges(self._scope), self._flow.folding
        shown = (folding.shown[edges.caller] == caller) & (folding.called[edges.callee] == callee)
        return int(edges.count[shown].sum())
