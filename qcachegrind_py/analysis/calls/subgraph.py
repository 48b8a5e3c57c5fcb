"""The subgraph around the active function: the nodes and calls that the call graph view draws.

All costs are parts of the active function's inclusive cost: the part that passes through each
caller, callee and call (KCachegrind's rule for its call graph). They are estimates of `cost_flow`;
this module only selects by `SubgraphLimits`.

Both sides of a comparison have the same nodes and calls: those that cost enough on the side where
they cost more, so that what is new and what is gone is there, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph, leading_nodes
from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    CycleFolding,
    FlowSide,
    call_flow,
    carrying_edges,
    exact_costs,
    fold_cycles,
    trace,
)
from qcachegrind_py.analysis.costs.function_costs import CallEdges
from qcachegrind_py.analysis.costs.sums import float_sums, rounded_like, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

if TYPE_CHECKING:
    from qcachegrind_py.analysis.calls.stack_flow import Stacks


@frozen(eq=True)
class SubgraphLimits:
    """How much of the call graph to include."""

    caller_depth: int | None = 2  # calls up; None: no limit
    callee_depth: int | None = None  # calls down; None: no limit
    min_node_share: float = 0.05  # of the active function's inclusive cost; 0: no minimum
    min_call_share: float = 1.0  # of the minimum for nodes
    include_inner_calls: bool = True  # include the calls inside expanded cycles
    expanded_cycles: frozenset[NodeId] = frozenset()  # cycles to replace by their members
    max_nodes: int = 250
    max_calls: int = 500


@frozen
class Subgraph:
    """The selected nodes and the selected calls between them, costliest first.

    In a comparison, each number is the larger one of both sides, and is exact where both are; what
    a side lacks costs 0 there.

    A collapsed cycle includes no members, except for the active function, which the cycle calls.
    An expanded cycle also includes cheap members through which a costly call enters or leaves it,
    since a member's cost counts only calls that leave the cycle and may be far less than the cost
    of calls that enter. The costliest call of each node towards the active function is included
    even below the minimum, so that each node is connected. Direct recursion is left out.
    """

    active: int  # row of the active function; of the costliest member if it is an expanded cycle

    node: Int64Array  # function or cycle of each node
    cost: CostArray  # the part of the active function's inclusive cost that passes through the node
    self_cost: CostArray  # the part of `cost` spent in the node itself
    count: CostArray  # number of calls on these paths
    node_is_active: BoolArray  # none of these calls had returned when the profile was written
    recorded_cost: CostArray  # inclusive cost as recorded, in whatever context
    is_exact: BoolArray  # of `cost`; False: an estimate in proportion to the costs of calls
    cluster: Int64Array  # the expanded cycle that the node is a member of; -1: none

    caller: Int64Array  # rows of nodes
    callee: Int64Array
    call_cost: CostArray  # the part of the active function's inclusive cost on this call
    call_count: CostArray  # 0: a cycle that calls its member, or less than half a call
    call_is_active: BoolArray  # still running when the profile was written
    recorded_call_cost: CostArray  # cost as recorded
    call_is_exact: BoolArray  # of `call_cost`
    is_inner: BoolArray  # inside an expanded cycle: adds nothing to the costs

    omitted_incoming_cost: CostArray  # for each node: cost of the omitted calls to it; 0: none
    omitted_outgoing_cost: CostArray  # for each node: cost of the omitted calls from it; 0: none

    node_threshold: int | float  # effective minimum cost of nodes
    call_threshold: int | float  # effective minimum cost of calls
    omitted_nodes: int  # number above the requested minimum that exceed the maximum
    omitted_calls: int  # the same for calls
    max_omitted_cost: int | float  # of the costliest node among `omitted_nodes`; 0: none
    filtered_nodes: int  # nodes that the filter hides

    # whether the numbers of calls on both sides are known to explain the change of each node and
    # call: with exact costs and counts, outside cycles, and without recursion
    is_split: BoolArray
    call_is_split: BoolArray
    compared: tuple[Subgraph, Subgraph] | None = None  # base and new, with the same rows

    @property
    def sides(self) -> tuple[Subgraph, Subgraph]:
        """Base and new: both the graph itself if nothing is compared."""
        return self.compared or (self, self)

    @property
    def self_is_exact(self) -> BoolArray:
        """Whether the self cost of each node is exact: its whole recorded cost passes."""
        return _on_all(self.sides, lambda side: side.is_exact & (side.cost == side.recorded_cost))

    @property
    def call_count_is_exact(self) -> BoolArray:
        """Whether the count of each call is exact: its whole recorded cost passes."""
        return _on_all(
            self.sides,
            lambda side: side.call_is_exact & (side.call_cost == side.recorded_call_cost),
        )

    @property
    def count_is_exact(self) -> BoolArray:
        """Whether the count of each node is exact, which may be False where the cost is exact.

        A count is exact if the node's whole recorded cost passes, or the whole recorded cost of
        the calls it counts: the calls to a callee, or the calls from a caller.
        """
        return _on_all(self.sides, _counts_are_exact)


def _on_all(sides: Sequence[Subgraph], is_exact: Callable[[Subgraph], CostArray]) -> BoolArray:
    exact: BoolArray = np.logical_and.reduce([is_exact(side).astype(bool) for side in sides])
    return exact


def _counts_are_exact(side: Subgraph) -> BoolArray:
    exact, whole = side.self_is_exact, side.call_count_is_exact
    for end, skipped in (
        (side.callee, side.omitted_incoming_cost),
        (side.caller, side.omitted_outgoing_cost),
    ):
        counted = sums_by_group(side.call_count[whole], end[whole], len(side.node))
        exact |= ((counted == side.count) & (skipped == 0)).astype(bool)
    return exact


@frozen
class SideCalls:
    """All calls of a profile, or of one side of a comparison, in one event."""

    graph: CallGraph
    edges: CallEdges
    edge_cost: CostArray  # of `edges`, shape (edges,)
    stacks: Stacks | None = None  # those with the active function, if stacks were recorded

    def trace(self, folding: CycleFolding) -> CostFlow:
        """Trace the cost of the active function."""
        if self.stacks is not None:
            return self.stacks.trace(self.graph, folding)
        return trace(self.graph, folding)

    def carrying(self, flow: CostFlow) -> BoolArray:
        """Return along which edges cost flows, shape (edges,)."""
        if self.stacks is not None:
            return self.stacks.carrying_edges(self.edges)
        return carrying_edges(flow, self.edges)

    def calls(self, flow: CostFlow, carries: BoolArray) -> CallFlow:
        """Return the calls along these edges with what flows there."""
        if self.stacks is not None:
            return self.stacks.call_flow(self.edges, self.edge_cost, carries)
        return call_flow(flow, self.edges, self.edge_cost, carries)


def build_subgraph(
    active: NodeId,
    sides: Sequence[SideCalls],
    cycle: Int32Array,
    functions: int,
    limits: SubgraphLimits,
    visible: BoolArray | None = None,
) -> Subgraph:
    """Build the subgraph around a function or cycle; two sides, base and new, are compared.

    The sides are in one frame. `cycle` has the cycle number of each node, shape (nodes,). `visible`
    is the mask of nodes that the filter shows, shape (nodes,); None shows all. The active node is
    always shown, and so are the nodes on the paths from it to those of the filter.
    """
    folding = fold_cycles(active, cycle, functions, limits.expanded_cycles)
    flows = [side.trace(folding) for side in sides]
    both = list(zip(flows, sides, strict=True))
    carries = np.logical_or.reduce([side.carrying(flow) for flow, side in both])
    calls = [side.calls(flow, carries) for flow, side in both]
    larger = _larger_flow(flows[0], flows[-1]), _larger_calls(calls[0], calls[-1])
    chosen = _choose(*larger, limits, visible)
    graphs = [_assemble(*each, chosen) for each in zip(flows, calls, strict=True)]
    if len(graphs) == 1:
        return graphs[0]
    return _compared(graphs[0], graphs[1], _is_plain(sides[-1].edges, cycle))


@frozen
class _Chosen:
    """What the limits choose: the active node, or its costliest member, the nodes and the calls."""

    anchor: NodeId
    nodes: _Selection
    calls: _Selection


def _choose(
    flow: CostFlow, calls: CallFlow, limits: SubgraphLimits, visible: BoolArray | None
) -> _Chosen:
    """Choose nodes and calls; `visible` is that of `build_subgraph`."""
    nodes = _select_nodes(flow, calls, limits, visible)
    return _Chosen(_anchor_node(flow), nodes, _select_calls(flow, calls, nodes, limits))


@frozen
class _Selection:
    """The selected nodes, or rows of calls, costliest first."""

    rows: Int64Array
    threshold: int | float  # effective minimum cost
    omitted: int = 0
    max_omitted_cost: int | float = 0
    filtered: int = 0


def _select_nodes(
    flow: CostFlow, calls: CallFlow, limits: SubgraphLimits, visible: BoolArray | None
) -> _Selection:
    """Select nodes that are costly and near enough, and always the active one."""
    first = _anchor_node(flow)
    near = _within_depth(flow, calls, limits.callee_depth, up=False)
    near |= _within_depth(flow, calls, limits.caller_depth, up=True)
    near &= flow.folding.is_shown
    relevance = _node_relevance(flow, calls, near, limits)
    if visible is None:
        return _costliest(flow, relevance, first, limits)
    unfiltered = relevance > 0
    unfiltered[first] = False
    near &= _on_paths_to(visible, flow, calls) | (np.arange(len(near)) == first)
    relevance = _node_relevance(flow, calls, near, limits)
    filtered = int((unfiltered & (relevance <= 0)).sum())
    return replace(_costliest(flow, relevance, first, limits), filtered=filtered)


def _on_paths_to(visible: BoolArray, flow: CostFlow, calls: CallFlow) -> BoolArray:
    """Return the nodes that are visible or between the active node and a visible one."""
    below, above = flow.down.share > 0, flow.up.share > 0
    down = leading_nodes(visible & below, calls.caller[~calls.is_up], calls.callee[~calls.is_up])
    up = leading_nodes(visible & above, calls.callee[calls.is_up], calls.caller[calls.is_up])
    return (visible | (down & below) | (up & above)).astype(bool)


def _node_relevance(
    flow: CostFlow, calls: CallFlow, near: BoolArray, limits: SubgraphLimits
) -> CostArray:
    """Return the cost that each node is selected for, its own or that of a call; 0: not selected.

    Only members of expanded cycles can be selected for a costly call; elsewhere no call costs more
    than its ends.
    """
    cost = np.maximum(flow.down.cost, flow.up.cost)
    is_above_min = (cost >= _threshold(flow, limits.min_node_share)).astype(bool)
    is_costly = near & is_above_min & ((flow.down.share > 0) | (flow.up.share > 0))
    relevance = np.where(is_costly, cost, 0)
    is_candidate = is_costly | (near & (flow.folding.cluster >= 0))
    rows = np.flatnonzero(~calls.is_inner & is_candidate[calls.caller] & is_candidate[calls.callee])
    rows = rows[
        calls.cost[rows] >= max(1, _threshold(flow, limits.min_node_share * limits.min_call_share))
    ]
    for end in (calls.caller[rows], calls.callee[rows]):
        is_cheap = ~is_costly[end]
        np.maximum.at(relevance, end[is_cheap], calls.cost[rows[is_cheap]])
    return relevance


def _costliest(
    flow: CostFlow, relevance: CostArray, first: NodeId, limits: SubgraphLimits
) -> _Selection:
    """Select the `max_nodes` most relevant nodes, and always the active one."""
    cost = np.maximum(flow.down.cost, flow.up.cost)
    relevance[first] = cost[first]
    candidates = np.flatnonzero(relevance > 0)
    candidates = np.concatenate(([first], candidates[candidates != first]))
    ranked = _sorted_by_cost(relevance, candidates)
    selected, omitted = ranked[: limits.max_nodes], ranked[limits.max_nodes :]
    threshold: int | float = _threshold(flow, limits.min_node_share)
    if not len(omitted):
        return _Selection(_sorted_by_cost(cost, selected), threshold)
    if first in omitted:
        selected, omitted = (
            np.append(selected[:-1], first),
            np.append(selected[-1:], omitted[omitted != first]),
        )
    threshold = max(threshold, as_number(relevance[selected[-1]]))
    return _Selection(
        _sorted_by_cost(cost, selected), threshold, len(omitted), as_number(cost[omitted].max())
    )


def _anchor_node(flow: CostFlow) -> NodeId:
    """Return the active node, or its costliest member if it is an expanded cycle."""
    starts = np.flatnonzero(flow.folding.is_start & flow.folding.is_shown)
    return node_at(starts, int(np.argmax(flow.down.cost[starts])))


def _threshold(flow: CostFlow, share: float) -> int:
    """Return the minimum cost for a share of the active function's inclusive cost.

    It is rounded down slightly, since shares are inexact in floating point: 0.07 * 100 is above 7.
    """
    whole = float(flow.graph.inclusive[flow.folding.active])
    return max(0, math.ceil(share * whole * (1 - 1e-12)))


def _within_depth(flow: CostFlow, calls: CallFlow, depth: int | None, *, up: bool) -> BoolArray:
    """Return the mask of callers or callees at most `depth` calls away, shape (nodes,).

    Calls inside cycles count. If an expanded cycle is reached, all its members are, even those
    without cost.
    """
    flow_node = flow.folding.flow_nodes(np.arange(len(flow.folding.shown)))
    reached: BoolArray = (flow.up if up else flow.down).share[flow_node] > 0
    if depth is None:
        return reached
    rows = np.flatnonzero(((calls.is_up == up) & (calls.cost > 0)) | calls.is_inner)
    caller, callee = calls.caller[rows], calls.callee[rows]
    here, there = (callee, caller) if up else (caller, callee)
    near = flow.folding.is_start.copy()
    for _ in range(depth):
        new = there[near[here] & ~near[there]]
        if not len(new):
            break
        near[new] = True
    return near & reached


def _select_calls(
    flow: CostFlow, calls: CallFlow, nodes: _Selection, limits: SubgraphLimits
) -> _Selection:
    """Select the costly calls between nodes, with priority for those that connect the nodes."""
    is_node = np.zeros(len(flow.graph.inclusive), bool)
    is_node[nodes.rows] = True
    threshold: int | float = _threshold(flow, limits.min_node_share * limits.min_call_share)
    between = (
        is_node[calls.caller]
        & is_node[calls.callee]
        & (~calls.is_inner | limits.include_inner_calls)
    )
    is_link = calls.cost >= min(threshold, 1)  # a call without cost does not connect nodes
    candidates = _sorted_by_cost(calls.cost, np.flatnonzero(between & is_link))
    ranks = _call_priority(candidates, calls)
    requested = np.flatnonzero((ranks == 0) | (calls.cost[candidates] >= threshold))
    requested = requested[np.argsort(ranks[requested], kind="stable")]
    selected, omitted = requested[: limits.max_calls], requested[limits.max_calls :]
    if len(omitted):
        by_cost = selected[ranks[selected] > 0]  # selected for their cost
        threshold = as_number(
            calls.cost[candidates[by_cost[-1] if len(by_cost) else omitted.min()]]
        )
    return _Selection(candidates[np.sort(selected)], threshold, len(omitted))


def _sorted_by_cost(cost: CostArray, rows: Int64Array) -> Int64Array:
    return rows[np.argsort(-cost[rows], kind="stable")]


def _call_priority(rows: Int64Array, calls: CallFlow) -> Int64Array:
    """Rank the calls: 0 for each node's costliest call towards the active node, 2 inside cycles.

    All others have rank 1. `rows` must be in order of cost.
    """
    ranks = np.where(calls.is_inner[rows], 2, 1)
    outer = np.flatnonzero(ranks == 1)
    _, costliest = np.unique(calls.far_end[rows[outer]], return_index=True)
    ranks[outer[costliest]] = 0
    return ranks


def _assemble(flow: CostFlow, calls: CallFlow, chosen: _Chosen) -> Subgraph:
    nodes, rows, down, up = chosen.nodes.rows, chosen.calls.rows, flow.down, flow.up
    node_is_exact, call_is_exact = exact_costs(flow, calls)
    position = np.full(len(flow.graph.inclusive), -1)  # of each node in the subgraph
    position[nodes] = np.arange(len(nodes))
    caller, callee = position[calls.caller], position[calls.callee]
    is_up = up.cost[nodes] > down.cost[nodes]  # the side with the greater cost

    def passed(column: str) -> Any:
        return np.where(is_up, getattr(up, column)[nodes], getattr(down, column)[nodes])

    return Subgraph(
        active=int(position[chosen.anchor]),
        node=nodes,
        cost=passed("cost"),
        self_cost=passed("self_cost"),
        count=passed("count"),
        node_is_active=passed("is_active"),
        recorded_cost=flow.graph.inclusive[nodes],
        is_exact=node_is_exact[nodes],
        cluster=flow.folding.cluster[nodes],
        caller=caller[rows],
        callee=callee[rows],
        call_cost=calls.cost[rows],
        call_count=calls.count[rows],
        call_is_active=calls.is_active[rows],
        recorded_call_cost=calls.recorded[rows],
        call_is_exact=call_is_exact[rows],
        is_inner=calls.is_inner[rows],
        omitted_incoming_cost=_omitted_cost(calls, rows, callee, len(nodes)),
        omitted_outgoing_cost=_omitted_cost(calls, rows, caller, len(nodes)),
        node_threshold=chosen.nodes.threshold,
        call_threshold=chosen.calls.threshold,
        omitted_nodes=chosen.nodes.omitted,
        omitted_calls=chosen.calls.omitted,
        max_omitted_cost=chosen.nodes.max_omitted_cost,
        filtered_nodes=chosen.nodes.filtered,
        is_split=np.zeros(len(nodes), bool),
        call_is_split=np.zeros(len(rows), bool),
    )


def _omitted_cost(calls: CallFlow, selected: Int64Array, node: Int64Array, nodes: int) -> CostArray:
    """Sum the cost of omitted calls for each node; `node` is the row of one end of each call."""
    is_omitted = (node >= 0) & ~calls.is_inner
    is_omitted[selected] = False
    rows = np.flatnonzero(is_omitted)
    costs = calls.recorded[rows].astype(np.float64) * calls.share[rows]
    sums = float_sums(costs, node[rows], nodes)
    return rounded_like(np.maximum(sums, 0))


# ---------------------------------------------------------------- both sides of a comparison

_LARGER_COLUMNS = (
    "cost", "self_cost", "count", "recorded_cost", "omitted_incoming_cost", "omitted_outgoing_cost",
    "call_cost", "call_count", "recorded_call_cost",
)  # fmt: skip
_EXACT_COLUMNS = "is_exact", "call_is_exact"


def _compared(base: Subgraph, new: Subgraph, is_plain: BoolArray) -> Subgraph:
    """Return the graph of two sides with the same rows."""
    columns: dict[str, CostArray] = {
        name: np.maximum(getattr(base, name), getattr(new, name)) for name in _LARGER_COLUMNS
    }
    columns |= {name: getattr(base, name) & getattr(new, name) for name in _EXACT_COLUMNS}
    both = replace(new, compared=(base, new), **columns)  # type: ignore[arg-type]  # arrays only
    nodes = is_plain[new.node] & (base.count > 0) & (new.count > 0)
    calls = is_plain[new.node[new.caller]] & is_plain[new.node[new.callee]]
    calls &= (base.call_count > 0) & (new.call_count > 0)
    return replace(
        both,
        is_split=nodes & both.is_exact & both.count_is_exact,
        call_is_split=calls & both.call_is_exact & both.call_count_is_exact,
    )


def _larger_flow(base: CostFlow, new: CostFlow) -> CostFlow:
    """Return the flow of the larger costs, by which nodes are chosen."""
    whole = np.maximum(base.graph.inclusive, new.graph.inclusive)
    return CostFlow(
        replace(new.graph, inclusive=whole),
        new.folding,
        _larger_side(base.down, new.down),
        _larger_side(base.up, new.up),
    )


def _larger_side(base: FlowSide, new: FlowSide) -> FlowSide:
    return replace(
        new, cost=np.maximum(base.cost, new.cost), share=np.maximum(base.share, new.share)
    )


def _larger_calls(base: CallFlow, new: CallFlow) -> CallFlow:
    """Return the calls with the larger costs, in the direction of the larger share."""
    is_up = np.where(base.share > new.share, base.is_up, new.is_up)
    return replace(new, cost=np.maximum(base.cost, new.cost), is_up=is_up)


def _is_plain(edges: CallEdges, cycle: Int32Array) -> BoolArray:
    """Return which nodes neither are nor belong to a cycle nor call themselves, shape (nodes,)."""
    is_plain: BoolArray = cycle == 0
    is_plain[edges.caller[edges.caller == edges.callee]] = False
    return is_plain
