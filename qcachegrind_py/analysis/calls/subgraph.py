"""The excerpt of the call graph around the active function: what is worth drawing of it.

Costs are those of the active function: what of its inclusive cost passed by its callers, its
callees and the calls between them (KCachegrind's rule, as for its call graph). They are the
estimates of `distant_calls`; the limits here only choose. How it is drawn, others say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    call_flow,
    exact_costs,
    fold_cycles,
    trace,
)
from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.estimates import float_sums, rounded_like
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True)
class SubgraphLimits:
    """How much of the graph is wanted."""

    caller_depth: int | None = 2  # calls up; None: no limit
    callee_depth: int | None = None  # calls down
    min_node_share: float = 0.05  # of the active function's inclusive cost; 0: no minimum
    min_call_share: float = 1.0  # of least_node
    include_inner_calls: bool = True  # show the calls inside opened cycles
    expanded_cycles: frozenset[NodeId] = (
        frozenset()
    )  # cycles, as entries, that are shown as their members
    max_nodes: int = 250
    max_calls: int = 500


@dataclass(frozen=True, slots=True, eq=False)
class Subgraph:
    """The active function with those around it: rows of nodes and of calls, costliest first.

    Of a closed cycle, no members are there but the active function, which is called by its cycle.
    Of an opened one members are there, too, that cost little themselves, but by which a costly call
    enters or leaves: a member's cost is only what left the cycle by it, much less than what came.
    A node's costliest call towards the active function is there though it may cost less than the
    others must: else the node would hang in the air. Calls of a function to itself are left out.
    """

    active: int  # row of the active function; of its costliest member where it is an opened cycle

    node: Int64Array  # function or cycle of each node
    cost: CostArray  # of the active function's inclusive cost, what passed here
    self_cost: CostArray  # of this, what was spent here itself
    count: CostArray  # how often it was called on the way
    recorded_cost: (
        CostArray  # inclusive cost as recorded, whatever it has to do with the active function
    )
    is_exact: BoolArray  # cost is proven, not shared out in proportion
    cluster: Int64Array  # the opened cycle, as an entry, that the node is a member of; -1: none

    caller: Int64Array  # rows of nodes
    callee: Int64Array
    call_cost: CostArray  # of the active function's inclusive cost, what passed along the call
    call_count: CostArray  # 0: a cycle that calls its member, or less than half a call
    recorded_call_cost: CostArray  # cost as recorded
    call_is_exact: BoolArray  # call_cost is proven
    is_inner: BoolArray  # inside an opened cycle: counts nothing to the costs

    omitted_incoming_cost: (
        CostArray  # for each node: cost of calls to it that are not drawn; 0: none
    )
    omitted_outgoing_cost: CostArray  # the same for calls by it

    node_threshold: int | float  # costs in force: what is below is left out
    call_threshold: int | float
    omitted_nodes: int  # above the wanted minimum, but too many
    omitted_calls: int
    max_omitted_cost: int | float  # of the costliest node that was too many; 0: none
    filtered_nodes: int  # nodes that the filter hides

    @property
    def self_is_exact(self) -> BoolArray:
        """Whether the self cost of each node is proven: where all that the node cost passed."""
        exact: BoolArray = self.is_exact & (self.cost == self.recorded_cost).astype(bool)
        return exact

    @property
    def count_is_exact(self) -> BoolArray:
        """Whether the count of each node is proven; its cost may be where this is not.

        It is where all that the node cost passed here, or all that the calls cost which it counts:
        on the way down those to the node, on the way up those by it.
        """
        exact, whole = self.self_is_exact, self.call_count_is_exact
        for end, skipped in (
            (self.callee, self.omitted_incoming_cost),
            (self.caller, self.omitted_outgoing_cost),
        ):
            counted = sums_by_group(self.call_count[whole], end[whole], len(self.node))
            exact |= ((counted == self.count) & (skipped == 0)).astype(bool)
        return exact

    @property
    def call_count_is_exact(self) -> BoolArray:
        """Whether the count of each call is proven: where all that the call cost passed here."""
        exact: BoolArray = self.call_is_exact & (self.call_cost == self.recorded_call_cost).astype(
            bool
        )
        return exact


def build_subgraph(
    active: NodeId,
    graph: CallGraph,
    edges: CallEdges,
    edge_cost: CostArray,
    cycle: Int32Array,
    functions: int,
    limits: SubgraphLimits,
    visible: BoolArray | None = None,
) -> Subgraph:
    """The surroundings of a function or cycle, in the graph's event.

    `passing` says of each entry whether the filter lets it be seen; None for all. The active one is
    seen in any case.

    `pairs` are the calls between functions, with their costs in that event; `cycle` is the number
    of each entry's cycle.
    """
    ways = trace(graph, fold_cycles(active, cycle, functions, limits.expanded_cycles))
    calls = call_flow(ways, edges, edge_cost)
    nodes = _select_nodes(ways, calls, limits, visible)
    drawn = _select_calls(ways, calls, nodes, limits)
    return _assemble(ways, calls, nodes, drawn)


@dataclass(frozen=True, slots=True, eq=False)
class _Selection:
    """Entries, or rows of calls: costliest first."""

    rows: Int64Array
    threshold: int | float  # cost in force
    omitted: int = 0
    max_omitted_cost: int | float = 0
    filtered: int = 0


def _select_nodes(
    ways: CostFlow, calls: CallFlow, extent: SubgraphLimits, passing: BoolArray | None
) -> _Selection:
    """The entries that are costly and near enough; the active one in any case."""
    first = _anchor_node(ways)
    near = _within_depth(ways, calls, extent.callee_depth, up=False)
    near |= _within_depth(ways, calls, extent.caller_depth, up=True)
    near &= ways.folding.is_shown
    worth = _node_relevance(ways, calls, near, extent)
    if passing is None:
        return _costliest(ways, worth, first, extent)
    found = worth > 0
    found[first] = False
    near &= passing | (np.arange(len(near)) == first)
    worth = _node_relevance(ways, calls, near, extent)
    hidden = int((found & (worth <= 0)).sum())
    return replace(_costliest(ways, worth, first, extent), filtered=hidden)


def _node_relevance(
    ways: CostFlow, calls: CallFlow, near: BoolArray, extent: SubgraphLimits
) -> CostArray:
    """What each entry is there for: its cost, or a costly call; 0 for those that are not there.

    Costly calls are for members of opened cycles only: elsewhere none costs more than its ends.
    """
    cost = np.maximum(ways.down.cost, ways.up.cost)
    enough = (cost >= _threshold(ways, extent.min_node_share)).astype(bool)
    is_costly = near & enough & ((ways.down.share > 0) | (ways.up.share > 0))
    worth = np.where(is_costly, cost, 0)
    is_there = is_costly | (near & (ways.folding.cluster >= 0))
    rows = np.flatnonzero(~calls.is_inner & is_there[calls.caller] & is_there[calls.callee])
    rows = rows[
        calls.cost[rows] >= max(1, _threshold(ways, extent.min_node_share * extent.min_call_share))
    ]
    for end in (calls.caller[rows], calls.callee[rows]):
        is_cheap = ~is_costly[end]
        np.maximum.at(worth, end[is_cheap], calls.cost[rows[is_cheap]])
    return worth


def _costliest(
    ways: CostFlow, worth: CostArray, first: NodeId, extent: SubgraphLimits
) -> _Selection:
    """As many nodes as are wanted, the active one among them."""
    cost = np.maximum(ways.down.cost, ways.up.cost)
    worth[first] = cost[first]
    found = np.flatnonzero(worth > 0)
    found = np.concatenate(([first], found[found != first]))
    ranked = _sorted_by_cost(worth, found)
    kept, left = ranked[: extent.max_nodes], ranked[extent.max_nodes :]
    least: int | float = _threshold(ways, extent.min_node_share)
    if not len(left):
        return _Selection(_sorted_by_cost(cost, kept), least)
    if first in left:
        kept, left = np.append(kept[:-1], first), np.append(kept[-1:], left[left != first])
    least = max(least, as_number(worth[kept[-1]]))
    return _Selection(_sorted_by_cost(cost, kept), least, len(left), as_number(cost[left].max()))


def _anchor_node(ways: CostFlow) -> NodeId:
    """The active function, or the costliest member of the opened cycle that is active."""
    starts = np.flatnonzero(ways.folding.is_start & ways.folding.is_shown)
    return node_at(starts, int(np.argmax(ways.down.cost[starts])))


def _threshold(ways: CostFlow, share: float) -> int:
    """The least cost that is at least that share of the active function's inclusive cost.

    A little less will do, as a share is not the number that was written: 0.07 * 100 is above 7.
    """
    whole = float(ways.graph.inclusive[ways.folding.active])
    return max(0, math.ceil(share * whole * (1 - 1e-12)))


def _within_depth(ways: CostFlow, calls: CallFlow, depth: int | None, *, up: bool) -> BoolArray:
    """Which callers or callees are at most so many calls away; those inside cycles count, too.

    All members of an opened cycle are reached where it is, those without cost, too.
    """
    frame = ways.folding.flow_nodes(np.arange(len(ways.folding.shown)))
    reached: BoolArray = (ways.up if up else ways.down).share[frame] > 0
    if depth is None:
        return reached
    rows = np.flatnonzero(((calls.is_up == up) & (calls.cost > 0)) | calls.is_inner)
    caller, callee = calls.caller[rows], calls.callee[rows]
    here, there = (callee, caller) if up else (caller, callee)
    near = ways.folding.is_start.copy()
    for _ in range(depth):
        new = there[near[here] & ~near[there]]
        if not len(new):
            break
        near[new] = True
    return near & reached


def _select_calls(
    ways: CostFlow, calls: CallFlow, nodes: _Selection, extent: SubgraphLimits
) -> _Selection:
    """The rows of costly calls between nodes, first those that hold the nodes together."""
    is_node = np.zeros(len(ways.graph.inclusive), bool)
    is_node[nodes.rows] = True
    least: int | float = _threshold(ways, extent.min_node_share * extent.min_call_share)
    between = (
        is_node[calls.caller]
        & is_node[calls.callee]
        & (~calls.is_inner | extent.include_inner_calls)
    )
    enough = calls.cost >= min(least, 1)  # one that cost nothing is no link between nodes
    found = _sorted_by_cost(calls.cost, np.flatnonzero(between & enough))
    ranks = _call_priority(found, calls)
    wanted = np.flatnonzero((ranks == 0) | (calls.cost[found] >= least))
    wanted = wanted[np.argsort(ranks[wanted], kind="stable")]
    kept, left = wanted[: extent.max_calls], wanted[extent.max_calls :]
    if len(left):
        more = kept[ranks[kept] > 0]  # these went by cost
        least = as_number(calls.cost[found[more[-1] if len(more) else left.min()]])
    return _Selection(found[np.sort(kept)], least, len(left))


def _sorted_by_cost(cost: CostArray, rows: Int64Array) -> Int64Array:
    """The rows, costliest first."""
    return rows[np.argsort(-cost[rows], kind="stable")]


def _call_priority(rows: Int64Array, calls: CallFlow) -> Int64Array:
    """0 for each node's costliest call towards the active one, 1 for others, 2 inside cycles.

    The rows are in order of cost.
    """
    ranks = np.where(calls.is_inner[rows], 2, 1)
    proper = np.flatnonzero(ranks == 1)
    _, costliest = np.unique(calls.far_end[rows[proper]], return_index=True)
    ranks[proper[costliest]] = 0
    return ranks


def _assemble(ways: CostFlow, calls: CallFlow, nodes: _Selection, drawn: _Selection) -> Subgraph:
    entry_is_exact, call_is_exact = exact_costs(ways, calls)
    place = np.full(len(ways.graph.inclusive), -1)
    place[nodes.rows] = np.arange(len(nodes.rows))
    return Subgraph(
        active=int(place[_anchor_node(ways)]),
        omitted_incoming_cost=_omitted_cost(
            calls, drawn.rows, place[calls.callee], len(nodes.rows)
        ),
        omitted_outgoing_cost=_omitted_cost(
            calls, drawn.rows, place[calls.caller], len(nodes.rows)
        ),
        is_exact=entry_is_exact[nodes.rows],
        call_is_exact=call_is_exact[drawn.rows],
        node_threshold=nodes.threshold,
        call_threshold=drawn.threshold,
        omitted_nodes=nodes.omitted,
        omitted_calls=drawn.omitted,
        max_omitted_cost=nodes.max_omitted_cost,
        filtered_nodes=nodes.filtered,
        **_node_columns(ways, nodes.rows),
        **_call_columns(calls, drawn.rows, place),
    )


def _node_columns(ways: CostFlow, entry: Int64Array) -> dict[str, CostArray]:
    """What passed by these entries, on the side where that was more."""
    down, up = ways.down, ways.up
    is_up = up.cost[entry] > down.cost[entry]
    return {
        "node": entry,
        "cost": np.where(is_up, up.cost[entry], down.cost[entry]),
        "self_cost": np.where(is_up, up.self_cost[entry], down.self_cost[entry]),
        "count": np.where(is_up, up.count[entry], down.count[entry]),
        "recorded_cost": ways.graph.inclusive[entry],
        "cluster": ways.folding.cluster[entry],
    }


def _call_columns(calls: CallFlow, rows: Int64Array, place: Int64Array) -> dict[str, CostArray]:
    """What passed along these calls; `place` is the row of each entry among the nodes."""
    return {
        "caller": place[calls.caller[rows]],
        "callee": place[calls.callee[rows]],
        "call_cost": calls.cost[rows],
        "call_count": calls.count[rows],
        "recorded_call_cost": calls.recorded[rows],
        "is_inner": calls.is_inner[rows],
    }


def _omitted_cost(calls: CallFlow, drawn: Int64Array, node: Int64Array, nodes: int) -> CostArray:
    """For each node, the cost of the calls at one of their ends that are not drawn."""
    skipped = (node >= 0) & ~calls.is_inner
    skipped[drawn] = False
    rows = np.flatnonzero(skipped)
    costs = calls.recorded[rows].astype(np.float64) * calls.share[rows]
    sums = float_sums(costs, node[rows], nodes)
    return rounded_like(np.maximum(sums, 0))
