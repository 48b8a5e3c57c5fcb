"""The flow of a function's inclusive cost to all that it calls, and from all that calls it.

A profile records the cost of single calls, not of paths of several calls. The costs here are
therefore estimates: each node passes on the cost that reaches it in proportion to the costs of its
calls, until less than 0.01 % is left (KCachegrind's rule). Only direct calls are exact.

`transitive_callers` and `transitive_callees` have the functions that the cost reaches, over any
number of calls. `trace` and `call_flow` also have the calls on the way, each of which takes its
share from the end nearer to the active function: the caller for calls below it, the callee for
calls above it. The call has the same share of its recorded cost as that end has of its own
inclusive cost; `exact_costs` tells which values are exact.

A collapsed cycle is one node that makes the calls of its members (unlike in `call_graph`, where it
calls the members). An expanded cycle is replaced by its members and the calls between them.
`subgraph` selects the part of the flow to draw.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import fields, replace
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.propagation import propagate
from qcachegrind_py.analysis.costs.function_costs import CallEdges
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.analysis.costs.sums import quotients, rounded_like, scaled_costs, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

MIN_SHARE = 0.0001  # of the function's inclusive cost: smaller shares are not passed on
_DISTANCE_LIMIT = 200  # calls on a path; the number of nodes if that is larger
_MAX_PROPAGATIONS = 3_000_000  # calls: without cycle detection, paths may circle endlessly


# ---------------------------------------------------------------- transitive callers and callees


@frozen
class TransitiveCalls:
    """The transitive callers or callees of a node: one row for each, costliest first."""

    node: Int64Array
    cost: CostArray  # the part of the function's inclusive cost that passes through this node
    self_cost: CostArray  # the part of `cost` spent in this node itself; for callees only
    count: Int64Array
    min_distance: Int64Array  # calls on the shortest path
    max_distance: Int64Array  # calls on the longest path with a sufficient share
    is_complete: BoolArray  # the node's whole cost passes on these paths
    is_active: BoolArray  # reached by direct calls alone, none of which had returned in the end
    is_exact: BoolArray  # `cost` is: reached by a direct call and on no other path
    is_self_exact: BoolArray

    def __len__(self) -> int:
        return len(self.node)

    def for_nodes(self, nodes: Int64Array) -> TransitiveCalls:
        """Return a row for each of the nodes, ascending; one that is not reached has no cost."""
        order = np.argsort(self.node)
        place = np.searchsorted(self.node, nodes, sorter=order)
        rows = order[np.minimum(place, len(order) - 1)] if len(order) else place
        is_reached = np.isin(nodes, self.node)

        def column(values: CostArray, missing: int = 0) -> Any:
            found = values[rows] if len(values) else np.zeros(len(nodes), values.dtype)
            return np.where(is_reached, found, values.dtype.type(missing))

        columns = {each.name: column(getattr(self, each.name)) for each in fields(self)}
        known = ("is_complete", "is_exact", "is_self_exact")
        columns |= {name: column(getattr(self, name), missing=1) for name in known}
        return TransitiveCalls(**columns | {"node": nodes})


def change_of_calls(base: TransitiveCalls, new: TransitiveCalls) -> TransitiveCalls:
    """Return the changes of costs from the base, with a row for each node reached on either side.

    Counts are those of the new side. A change is exact if the costs of both sides are; changes of
    estimates may be none, since a caller that costs more gets a larger share of all its callees.
    """
    return replace(
        new,
        cost=BothSides(base.cost, new.cost).change,
        self_cost=BothSides(base.self_cost, new.self_cost).change,
        min_distance=np.where(new.min_distance > 0, new.min_distance, base.min_distance),
        max_distance=np.maximum(base.max_distance, new.max_distance),
        is_complete=base.is_complete & new.is_complete,
        is_exact=base.is_exact & new.is_exact,
        is_self_exact=base.is_self_exact & new.is_self_exact,
    )


def transitive_callees(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Return everything that the function calls, directly or indirectly."""
    return _transitive(node, graph, up=False)


def transitive_callers(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Return everything that calls the function, directly or indirectly."""
    return _transitive(node, graph, up=True)


@frozen
class Reached:
    """What reached each node over any number of calls; arrays of shape (nodes,)."""

    cost: Float64Array  # circular paths count repeatedly
    count: Float64Array
    min_distance: Int64Array  # calls on the shortest path; 0: not reached
    max_distance: Int64Array


def reached_nodes(node: NodeId, graph: CallGraph, *, up: bool) -> Reached:
    """Pass the cost of the function on, call by call; `up` to callers."""
    target, start, order = _calls_in_order(graph, up=up)
    nodes = len(graph.inclusive)
    whole = float(graph.inclusive[node])
    distance = max(_DISTANCE_LIMIT, nodes + 1) - 1
    limits = np.array([MIN_SHARE * whole, distance, _MAX_PROPAGATIONS], np.float64)
    amounts, steps = np.zeros((5, nodes)), np.zeros((5, nodes), np.int64)
    propagate(
        start.data,
        order.data,
        target.data,
        _floats(graph.cost),
        _floats(graph.adjacency.count),
        _floats(graph.inclusive),
        node,
        limits.data,
        amounts.data,
        steps.data,
    )
    return Reached(amounts[0], amounts[1], steps[0], steps[1])


def _calls_in_order(graph: CallGraph, *, up: bool) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return the node that each call leads to, and where the calls of each node are in an order."""
    shape = graph.adjacency
    if up:
        return shape.caller, shape.callee_start, shape.rows_by_callee
    return shape.callee, shape.caller_start, np.arange(len(shape.caller))


def _floats(column: CostArray) -> memoryview:
    return np.ascontiguousarray(column, np.float64).data


def _transitive(node: NodeId, graph: CallGraph, *, up: bool) -> TransitiveCalls:
    """Return the nodes reached, costliest first."""
    reached = reached_nodes(node, graph, up=up)
    limited = np.minimum(reached.cost, max(float(graph.inclusive[node]), 0))
    reached = replace(reached, cost=limited)
    calls = graph.incoming(node) if up else graph.outgoing(node)
    others = _calls_in_order(graph, up=up)[0][calls]  # at the other end of the direct calls
    like = graph.cost if graph.cost.dtype == object else graph.inclusive
    cost, count = rounded_like(reached.cost, like.dtype), rounded_like(reached.count)
    is_direct = reached.max_distance[others] == 1  # the recorded values of these are exact
    cost[others[is_direct]] = graph.cost[calls[is_direct]]
    count[others[is_direct]] = graph.adjacency.count[calls[is_direct]]
    nodes = np.flatnonzero(reached.min_distance)
    is_all = _is_complete(reached, graph, cost)[nodes]
    cost[nodes[is_all]] = graph.inclusive[nodes[is_all]]
    self_share = quotients(graph.self_cost[nodes], graph.inclusive[nodes])
    self_cost = rounded_like(cost[nodes].astype(np.float64) * self_share, graph.self_cost.dtype)
    self_cost[is_all] = graph.self_cost[nodes[is_all]]
    by_distance = np.argsort(reached.min_distance[nodes], kind="stable")
    order = by_distance[np.argsort(-cost[nodes[by_distance]], kind="stable")]
    nodes = nodes[order]
    distances = reached.min_distance[nodes], reached.max_distance[nodes]
    is_active = np.zeros(len(graph.inclusive), bool)
    is_active[others[is_direct]] = graph.adjacency.is_active[calls[is_direct]]
    is_estimated = np.zeros(len(graph.inclusive), bool)
    is_estimated[others] = graph.adjacency.is_estimated[calls]
    columns = cost[nodes], self_cost[order], count[nodes]
    is_exact = (distances[1] == 1) & ~is_estimated[nodes]
    is_all = is_all[order]
    masks = is_all, is_active[nodes], is_exact, is_exact & is_all
    return TransitiveCalls(nodes, *columns, *distances, *masks)


def _is_complete(reached: Reached, graph: CallGraph, cost: CostArray) -> BoolArray:
    """Return whether the whole cost of each node passed: exactly by direct calls, else nearly."""
    whole = graph.inclusive.astype(np.float64)
    nearly = np.isclose(reached.cost, whole, rtol=1e-9, atol=0)
    return np.where(reached.max_distance == 1, (cost == graph.inclusive).astype(bool), nearly)


# ---------------------------------------------------------------- the flow above and below


@frozen
class CycleFolding:
    """Which nodes are shown, and which node represents each; arrays of shape (nodes,)."""

    active: NodeId
    is_start: BoolArray  # the active node and, if that is an expanded cycle, its members
    cycle: Int64Array  # the cycle node that each node belongs to, or is itself; -1: none
    cluster: Int64Array  # the cycle node of each member of an expanded cycle; -1: all other nodes
    shown: Int64Array  # the node shown in its place: its cycle for members of a collapsed cycle
    called: Int64Array  # the node shown as callee: the cycle even for the active function
    is_shown: BoolArray  # represents itself, and is no expanded cycle

    @property
    def cycle_above(self) -> NodeId:
        """The collapsed cycle of the active function, shown as its caller; -1: none."""
        called = node_at(self.called, self.active)
        return called if called != self.active else NO_NODE

    def flow_nodes(self, nodes: Int64Array) -> Int64Array:
        """Return the nodes whose share the calls take: the cycle for members of expanded cycles.

        `nodes` and the result have the same shape.
        """
        return np.where(self.cluster[nodes] >= 0, self.cluster[nodes], nodes)


def fold_cycles(
    active: NodeId, cycle: Int32Array, functions: int, expanded: Set[NodeId]
) -> CycleFolding:
    """Decide which nodes represent the cycles.

    `cycle` has the cycle number of each node (0: none), shape (nodes,); the nodes from `functions`
    on are cycles. `expanded` holds the cycles to be replaced by their members.
    """
    nodes = np.arange(len(cycle))
    cycle_node = np.where(cycle > 0, functions - 1 + cycle.astype(np.int64), -1)
    is_expanded = np.isin(cycle_node, np.array(sorted(expanded), np.int64))
    cluster = np.where(is_expanded & (nodes < functions), cycle_node, -1)
    called = np.where((cycle_node >= 0) & ~is_expanded, cycle_node, nodes)
    shown = np.where(nodes == active, nodes, called)
    is_shown = (shown == nodes) & ~(is_expanded & (nodes >= functions))
    start = (nodes == active) | (cluster == active)
    return CycleFolding(active, start, cycle_node, cluster, shown, called, is_shown)


@frozen
class FlowSide:
    """The flow through the callers or through the callees; arrays of shape (nodes,).

    The active function is on both sides.
    """

    cost: CostArray  # the part of the active function's inclusive cost that flows through the node
    self_cost: CostArray
    count: CostArray
    is_active: BoolArray  # none of the counted calls had returned when the profile was written
    share: Float64Array  # cost / inclusive: the share that its calls have of their recorded costs
    is_exact: BoolArray  # known to be exact without following the calls


@frozen
class CostFlow:
    """The flow of the active function's cost to its callees and from its callers."""

    graph: CallGraph
    folding: CycleFolding
    down: FlowSide
    up: FlowSide
    is_exact: bool = False  # of stacks: nothing is an estimate


def trace(graph: CallGraph, folding: CycleFolding) -> CostFlow:
    """Trace the inclusive cost of the active function on both sides of it."""
    down = _flow_side(transitive_callees(folding.active, graph), graph, folding)
    up = _flow_side(transitive_callers(folding.active, graph), graph, folding)
    return CostFlow(graph, folding, down, _with_cycle_members(up, graph, folding))


def _flow_side(transitive: TransitiveCalls, graph: CallGraph, folding: CycleFolding) -> FlowSide:
    is_exact = transitive.is_exact | transitive.is_complete
    numbers = transitive.cost, transitive.self_cost, transitive.count
    columns = *numbers, transitive.is_active, is_exact
    by_node = [np.zeros(len(graph.inclusive), column.dtype) for column in columns]
    for column, values in zip(columns, by_node, strict=True):
        values[transitive.node] = column
    cost, self_cost, count, active, exact = by_node
    start = folding.is_start
    cost[start], self_cost[start] = graph.inclusive[start], graph.self_cost[start]
    exact[start] = True
    incoming = graph.incoming(folding.active)
    count[folding.active] = graph.adjacency.count[incoming].sum()
    is_called = len(incoming) > 0
    active[folding.active] = is_called and bool(graph.adjacency.is_active[incoming].all())
    return FlowSide(cost, self_cost, count, active, quotients(cost, graph.inclusive), exact)


def _with_cycle_members(up: FlowSide, graph: CallGraph, folding: CycleFolding) -> FlowSide:
    """Give members of expanded cycles among the callers at least their share of the cycle.

    The paths of the cost inside a cycle are unknown, so these values are never exact.
    """
    members = np.flatnonzero((folding.cluster >= 0) & ~folding.is_start)
    if not len(members):
        return up
    cost, self_cost, exact = up.cost.copy(), up.self_cost.copy(), up.is_exact.copy()
    min_cost = scaled_costs(graph.inclusive[members], up.share[folding.cluster[members]])
    cost[members] = np.maximum(cost[members], min_cost)
    share = quotients(cost, graph.inclusive)
    self_cost[members] = scaled_costs(graph.self_cost[members], share[members])
    exact[members] = False
    return FlowSide(cost, self_cost, up.count, up.is_active, share, exact)


@frozen
class CallFlow:
    """All calls through which cost flows: one row for each caller and callee, sorted by caller."""

    caller: Int64Array
    callee: Int64Array
    count: CostArray
    is_active: BoolArray  # the calls were still running when the profile was written
    cost: CostArray  # the part of the active function's inclusive cost that flows along the call
    recorded: CostArray  # inclusive cost of the call as recorded
    share: Float64Array  # the part of the recorded cost that belongs to the flow
    flow_source: Int64Array  # the node that the call takes its share from; the cycle if inner
    is_up: BoolArray  # above the active function
    is_inner: BoolArray  # inside an expanded cycle: adds nothing to the costs
    carries: BoolArray  # False: no cost flows along the calls, only on another side compared
    is_estimated: BoolArray  # the recorded costs are an estimate: `CallEdges.is_estimated`

    @property
    def far_end(self) -> Int64Array:
        """The end that is farther from the active function."""
        return np.where(self.is_up, self.caller, self.callee)


def call_flow(
    flow: CostFlow, edges: CallEdges, edge_cost: CostArray, carries: BoolArray | None = None
) -> CallFlow:
    """Return the calls above and below; `edge_cost` is the cost of `edges` in the graph's event.

    `carries` selects the edges, shape (edges,); by default those of `carrying_edges`.
    """
    folding, inclusive, down, up = flow.folding, flow.graph.inclusive, flow.down, flow.up
    own = carrying_edges(flow, edges)  # along which cost flows
    rows = np.flatnonzero(own if carries is None else carries)
    caller, callee = folding.shown[edges.caller[rows]], folding.called[edges.callee[rows]]
    count, recorded = edges.count[rows], edge_cost[rows]
    masks = [edges.is_recorded[rows], own[rows], edges.are_estimated(rows)]
    if folding.cycle_above >= 0:
        caller, callee = np.append(caller, folding.cycle_above), np.append(callee, folding.active)
        count, recorded = np.append(count, 0), np.append(recorded, inclusive[[folding.active]])
        # it is no call, cost flows along it, and it is no estimate
        masks = [
            np.append(mask, more) for mask, more in zip(masks, (False, True, False), strict=True)
        ]
    # edges that are shown between the same nodes are one call
    keys, group = np.unique(caller * len(inclusive) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, len(inclusive))
    count, recorded = (sums_by_group(values, group, len(keys)) for values in (count, recorded))
    is_active, flows, is_estimated = np.zeros((3, len(keys)), bool)
    for mask, chosen in zip((is_active, flows, is_estimated), masks, strict=True):
        mask[group[chosen]] = True
    inner = (folding.cluster[caller] >= 0) & (folding.cluster[caller] == folding.cluster[callee])
    above, below = np.where(inner, folding.cluster[caller], caller), folding.flow_nodes(callee)
    from_above = np.where(folding.is_start[callee] & ~inner, 0, down.share[above])
    from_below = np.where(folding.is_start[caller] & ~inner, 0, up.share[below])
    is_up = from_below > from_above  # both are positive only in circles without cycle detection
    share, source = np.maximum(from_above, from_below), np.where(is_up, below, above)
    is_only = recorded == inclusive[source]  # the call carries the node's whole cost
    source_cost = np.where(is_up, up.cost[source], down.cost[source])
    return CallFlow(
        caller=caller,
        callee=callee,
        count=scaled_costs(count, share),
        is_active=is_active & (count == 0),
        cost=np.where(is_only, source_cost, scaled_costs(recorded, share)),
        recorded=recorded,
        share=share,
        flow_source=source,
        is_up=is_up,
        is_inner=inner,
        carries=flows,
        is_estimated=is_estimated,
    )


def carrying_edges(flow: CostFlow, edges: CallEdges) -> BoolArray:
    """Return which edges touch the flow and are not inside a collapsed cycle, shape (edges,)."""
    folding, callee = flow.folding, flow.folding.called[edges.callee]
    cycle = folding.cycle[edges.caller]
    inside = (cycle >= 0) & (cycle == folding.cycle[edges.callee])
    is_expanded = folding.cluster[edges.caller] >= 0
    above = np.where(inside & is_expanded, cycle, folding.shown[edges.caller])
    carries: BoolArray = flow.down.share[above] > 0
    carries |= flow.up.share[folding.flow_nodes(callee)] > 0
    carries &= ~inside | is_expanded
    carries &= edges.caller != edges.callee
    return carries


_MAX_PASSES = 100  # length of a chain of calls along which exactness is propagated


def exact_costs(flow: CostFlow, calls: CallFlow) -> tuple[BoolArray, BoolArray]:
    """Return whether the cost of each node is exact, shape (nodes,), and that of each call."""
    if flow.is_exact:
        return np.ones(len(flow.graph.inclusive), bool), np.ones(len(calls.caller), bool)
    inclusive = flow.graph.inclusive
    nodes, calls_exact = np.ones(len(inclusive), bool), np.zeros(len(calls.caller), bool)
    for side, is_up in ((flow.down, False), (flow.up, True)):
        on_side = np.flatnonzero(calls.is_up == is_up)
        exact = _exact_nodes(flow, calls, on_side[~calls.is_inner[on_side]], side)
        calls_exact[on_side] = _exact_calls(calls, on_side, inclusive, side, exact)
        nodes &= exact | (side.share == 0)
    return nodes, calls_exact


def _exact_nodes(flow: CostFlow, calls: CallFlow, rows: Int64Array, side: FlowSide) -> BoolArray:
    """Return whether the cost of each node on one side is exact; `rows` are the calls on that side.

    Calls from or to members of an expanded cycle count for the cycle as a whole, because the
    member was also reached by calls inside the cycle.
    """
    inclusive, exact = flow.graph.inclusive, side.is_exact.copy()
    far = flow.folding.flow_nodes(calls.far_end[rows])
    has_calls = np.zeros(len(exact), bool)
    has_calls[far] = True
    for _ in range(_MAX_PASSES):
        is_doubtful = np.zeros(len(exact), bool)
        is_doubtful[far[~_exact_calls(calls, rows, inclusive, side, exact)]] = True
        newly_exact = has_calls & ~is_doubtful & ~exact
        if not newly_exact.any():
            break
        exact |= newly_exact
    return exact


def _exact_calls(
    calls: CallFlow, rows: Int64Array, inclusive: CostArray, side: FlowSide, exact: BoolArray
) -> BoolArray:
    """Return whether the cost of each call is exact, if the nodes in the mask `exact` are."""
    source, recorded = calls.flow_source[rows], calls.recorded[rows]
    whole = inclusive[source]
    is_all = (side.cost[source] == whole) | ((recorded == whole) & ~calls.is_inner[rows])
    is_known = (exact[source] & is_all) | (recorded == 0)
    result: BoolArray = (is_known & ~calls.is_estimated[rows]) | ~calls.carries[rows]
    return result
