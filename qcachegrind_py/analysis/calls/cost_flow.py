"""The calls by which a function's inclusive cost passed, above it and below, and how much by each.

A call hangs on one of its ends: on the caller where the cost was spent below the active function,
on the callee where it came from above. It has as much of its recorded cost as the end it hangs on
has of its own, which is an estimate as in `distant_calls`; where it is more, `proof` says.

A cycle is one entry that calls what its members call (in `call_graph` it calls the members), or is
opened: then its members stand for it, with the calls between them. What of all this is worth
drawing, `surroundings` says.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.transitive_calls import (
    TransitiveCalls,
    transitive_callees,
    transitive_callers,
)
from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.estimates import quotients, scaled_costs
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class CycleFolding:
    """Which entries are shown, and which stand for others; arrays of shape (entries,)."""

    active: NodeId
    is_start: BoolArray  # the active function; where that is an opened cycle, its members, too
    cycle: Int64Array  # the cycle, as an entry, that each is a member of or is itself; -1: none
    cluster: Int64Array  # the same for members of opened cycles; -1 for all others
    shown: Int64Array  # what is shown in its place: for members of a closed cycle, the cycle
    called: Int64Array  # the same where it is called: the active function is by its cycle only
    is_shown: BoolArray  # not folded away, and no opened cycle itself

    @property
    def cycle_above(self) -> NodeId:
        """The closed cycle that the active function is a member of and called by; -1 for none."""
        called = node_at(self.called, self.active)
        return called if called != self.active else NO_NODE

    def flow_nodes(self, nodes: Int64Array) -> Int64Array:
        """The entries, but of members of opened cycles the cycle, which has the share of a call."""
        return np.where(self.cluster[nodes] >= 0, self.cluster[nodes], nodes)


def fold_cycles(
    active: NodeId, cycle: Int32Array, functions: int, expanded: Set[NodeId]
) -> CycleFolding:
    """How cycles are shown; `cycle` is the number of each entry's cycle."""
    every = np.arange(len(cycle))
    of = np.where(cycle > 0, functions - 1 + cycle.astype(np.int64), -1)
    is_open = np.isin(of, np.array(sorted(expanded), np.int64))
    cluster = np.where(is_open & (every < functions), of, -1)
    called = np.where((of >= 0) & ~is_open, of, every)
    shown = np.where(every == active, every, called)
    is_shown = (shown == every) & ~(is_open & (every >= functions))
    start = (every == active) | (cluster == active)
    return CycleFolding(active, start, of, cluster, shown, called, is_shown)


@dataclass(frozen=True, slots=True, eq=False)
class FlowSide:
    """What passed by the callers or by the callees; arrays of shape (entries,).

    The active function is on both sides.
    """

    cost: CostArray  # of the active function's inclusive cost
    self_cost: CostArray
    count: CostArray
    share: Float64Array  # cost / inclusive: what its calls have of their recorded costs
    is_exact: BoolArray  # known without a look at the ways


@dataclass(frozen=True, slots=True, eq=False)
class CostFlow:
    """Where the active function's cost passed."""

    graph: CallGraph
    folding: CycleFolding
    down: FlowSide
    up: FlowSide


def trace(graph: CallGraph, folding: CycleFolding) -> CostFlow:
    """Where the cost went: both sides of the active function."""
    down = _flow_side(transitive_callees(folding.active, graph), graph, folding)
    up = _flow_side(transitive_callers(folding.active, graph), graph, folding)
    return CostFlow(graph, folding, down, _with_cycle_members(up, graph, folding))


def _flow_side(distant: TransitiveCalls, graph: CallGraph, folding: CycleFolding) -> FlowSide:
    proof = distant.is_exact | distant.is_complete
    columns = distant.cost, distant.self_cost, distant.count, proof
    spread = [np.zeros(len(graph.inclusive), column.dtype) for column in columns]
    for column, every in zip(columns, spread, strict=True):
        every[distant.node] = column
    cost, own, count, exact = spread
    start = folding.is_start
    cost[start], own[start], exact[start] = graph.inclusive[start], graph.self_cost[start], True
    count[folding.active] = graph.adjacency.count[graph.incoming(folding.active)].sum()
    return FlowSide(cost, own, count, quotients(cost, graph.inclusive), exact)


def _with_cycle_members(up: FlowSide, graph: CallGraph, folding: CycleFolding) -> FlowSide:
    """The callers, where members of opened cycles have at least their share of the cycle.

    Which ways the cost took between them, nobody knows.
    """
    members = np.flatnonzero((folding.cluster >= 0) & ~folding.is_start)
    if not len(members):
        return up
    cost, own, exact = up.cost.copy(), up.self_cost.copy(), up.is_exact.copy()
    least = scaled_costs(graph.inclusive[members], up.share[folding.cluster[members]])
    cost[members] = np.maximum(cost[members], least)
    share = quotients(cost, graph.inclusive)
    own[members] = scaled_costs(graph.self_cost[members], share[members])
    exact[members] = False
    return FlowSide(cost, own, up.count, share, exact)


@dataclass(frozen=True, slots=True, eq=False)
class CallFlow:
    """A row a caller and callee, in order of the callers: all by which anything passed."""

    caller: Int64Array
    callee: Int64Array
    count: CostArray
    cost: CostArray  # of the active function's inclusive cost
    recorded: CostArray
    share: Float64Array  # of what was recorded
    flow_source: Int64Array  # the entry that has the same share; for inner calls the cycle
    is_up: BoolArray  # above the active function
    is_inner: BoolArray  # a call inside an opened cycle: counts nothing to the costs

    @property
    def far_end(self) -> Int64Array:
        """The end that is farther from the active function."""
        return np.where(self.is_up, self.caller, self.callee)


def call_flow(flow: CostFlow, edges: CallEdges, edge_cost: CostArray) -> CallFlow:
    """The calls of both sides; `pair_cost` is the cost of the pairs in the graph's event."""
    folding, down, up = flow.folding, flow.down, flow.up
    caller, callee, count, recorded = _summed_edges(flow, edges, edge_cost)
    inner = (folding.cluster[caller] >= 0) & (folding.cluster[caller] == folding.cluster[callee])
    above, below = np.where(inner, folding.cluster[caller], caller), folding.flow_nodes(callee)
    from_above = np.where(folding.is_start[callee] & ~inner, 0, down.share[above])
    from_below = np.where(folding.is_start[caller] & ~inner, 0, up.share[below])
    is_up = from_below > from_above  # both only where calls go round that are in no cycle
    share, hangs_on = np.maximum(from_above, from_below), np.where(is_up, below, above)
    is_only = recorded == flow.graph.inclusive[hangs_on]  # all of it goes along this call
    there = np.where(is_up, up.cost[hangs_on], down.cost[hangs_on])
    cost = np.where(is_only, there, scaled_costs(recorded, share))
    counts = scaled_costs(count, share)
    return CallFlow(caller, callee, counts, cost, recorded, share, hangs_on, is_up, inner)


def _summed_edges(
    passage: CostFlow, pairs: CallEdges, pair_cost: CostArray
) -> tuple[Int64Array, Int64Array, Int64Array, CostArray]:
    """Caller, callee, count and cost, the pairs that are shown between the same two as one."""
    folding, inclusive = passage.folding, passage.graph.inclusive
    rows = np.flatnonzero(_carries_flow(passage, pairs))
    caller, callee = folding.shown[pairs.caller[rows]], folding.called[pairs.callee[rows]]
    count, cost = pairs.count[rows], pair_cost[rows]
    if folding.cycle_above >= 0:
        caller, callee = np.append(caller, folding.cycle_above), np.append(callee, folding.active)
        count, cost = np.append(count, 0), np.append(cost, inclusive[[folding.active]])
    keys, place = np.unique(caller * len(inclusive) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, len(inclusive))
    count, cost = (sums_by_group(values, place, len(keys)) for values in (count, cost))
    return caller, callee, count, cost


def _carries_flow(passage: CostFlow, pairs: CallEdges) -> BoolArray:
    """Which pairs hang on an entry that was reached, and are not inside a closed cycle."""
    folding, callee = passage.folding, passage.folding.called[pairs.callee]
    cycle = folding.cycle[pairs.caller]
    inside = (cycle >= 0) & (cycle == folding.cycle[pairs.callee])
    is_open = folding.cluster[pairs.caller] >= 0
    above = np.where(inside & is_open, cycle, folding.shown[pairs.caller])
    passed: BoolArray = passage.down.share[above] > 0
    passed |= passage.up.share[folding.flow_nodes(callee)] > 0
    passed &= ~inside | is_open
    passed &= pairs.caller != pairs.callee
    return passed


_MAX_PASSES = 100  # calls one behind the other that prove each other: what is beyond, does not


def exact_costs(flow: CostFlow, calls: CallFlow) -> tuple[BoolArray, BoolArray]:
    """Whether the cost of each entry is proven, shape (entries,), and that of each call."""
    inclusive = flow.graph.inclusive
    entries, rows = np.ones(len(inclusive), bool), np.zeros(len(calls.caller), bool)
    for side, is_up in ((flow.down, False), (flow.up, True)):
        mine = np.flatnonzero(calls.is_up == is_up)
        exact = _exact_nodes(flow, calls, mine[~calls.is_inner[mine]], side)
        rows[mine] = _exact_calls(calls, mine, inclusive, side, exact)
        entries &= exact | (side.share == 0)
    return entries, rows


def _exact_nodes(flow: CostFlow, calls: CallFlow, rows: Int64Array, side: FlowSide) -> BoolArray:
    """Whether the cost of each entry of a side is proven, by its calls, which are given.

    Those from or to members of an opened cycle tell of the cycle: calls inside led to the member,
    too.
    """
    inclusive, exact = flow.graph.inclusive, side.is_exact.copy()
    far = flow.folding.flow_nodes(calls.far_end[rows])
    led_to = np.zeros(len(exact), bool)
    led_to[far] = True
    for _ in range(_MAX_PASSES):
        doubtful = np.zeros(len(exact), bool)
        doubtful[far[~_exact_calls(calls, rows, inclusive, side, exact)]] = True
        more = led_to & ~doubtful & ~exact
        if not more.any():
            break
        exact |= more
    return exact


def _exact_calls(
    calls: CallFlow, rows: Int64Array, inclusive: CostArray, side: FlowSide, exact: BoolArray
) -> BoolArray:
    """Whether the cost of each of these rows is, where that of the entries in `exact` is."""
    hangs_on, recorded = calls.flow_source[rows], calls.recorded[rows]
    whole = inclusive[hangs_on]
    is_all = (side.cost[hangs_on] == whole) | ((recorded == whole) & ~calls.is_inner[rows])
    proof: BoolArray = (exact[hangs_on] & is_all) | (recorded == 0)
    return proof
