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
    Passage,
    PassedCalls,
    fold_cycles,
    follow,
    passed_calls,
    proven,
)
from qcachegrind_py.analysis.costs.call_edges import CallPairs
from qcachegrind_py.analysis.costs.estimates import float_sums, rounded
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of the graph is wanted."""

    caller_depth: int | None = 2  # calls up; None: no limit
    callee_depth: int | None = None  # calls down
    least_node: float = 0.05  # of the active function's inclusive cost; 0: no minimum
    least_call: float = 1.0  # of least_node
    inner_calls: bool = True  # show the calls inside opened cycles
    opened: frozenset[int] = frozenset()  # cycles, as entries, that are shown as their members
    most_nodes: int = 250
    most_calls: int = 500


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The active function with those around it: rows of nodes and of calls, costliest first.

    Of a closed cycle, no members are there but the active function, which is called by its cycle.
    Of an opened one members are there, too, that cost little themselves, but by which a costly call
    enters or leaves: a member's cost is only what left the cycle by it, much less than what came.
    A node's costliest call towards the active function is there though it may cost less than the
    others must: else the node would hang in the air. Calls of a function to itself are left out.
    """

    active: int  # row of the active function; of its costliest member where it is an opened cycle

    entry: Int64Array  # function or cycle of each node
    cost: CostArray  # of the active function's inclusive cost, what passed here
    self_cost: CostArray  # of this, what was spent here itself
    count: CostArray  # how often it was called on the way
    whole: CostArray  # inclusive cost as recorded, whatever it has to do with the active function
    is_exact: BoolArray  # cost is proven, not shared out in proportion
    cluster: Int64Array  # the opened cycle, as an entry, that the node is a member of; -1: none

    caller: Int64Array  # rows of nodes
    callee: Int64Array
    call_cost: CostArray  # of the active function's inclusive cost, what passed along the call
    call_count: CostArray  # 0: a cycle that calls its member, or less than half a call
    call_whole: CostArray  # cost as recorded
    call_is_exact: BoolArray  # call_cost is proven
    is_inner: BoolArray  # inside an opened cycle: counts nothing to the costs

    skipped_in: CostArray  # for each node: cost of calls to it that are not drawn; 0: none
    skipped_out: CostArray  # the same for calls by it

    least_node: int | float  # costs in force: what is below is left out
    least_call: int | float
    nodes_left_out: int  # above the wanted minimum, but too many
    calls_left_out: int
    cost_left_out: int | float  # of the costliest node that was too many; 0: none
    hidden: int  # nodes that the filter hides

    @property
    def self_is_exact(self) -> BoolArray:
        """Whether the self cost of each node is proven: where all that the node cost passed."""
        exact: BoolArray = self.is_exact & (self.cost == self.whole).astype(bool)
        return exact

    @property
    def count_is_exact(self) -> BoolArray:
        """Whether the count of each node is proven; its cost may be where this is not.

        It is where all that the node cost passed here, or all that the calls cost which it counts:
        on the way down those to the node, on the way up those by it.
        """
        exact, whole = self.self_is_exact, self.call_count_is_exact
        for end, skipped in ((self.callee, self.skipped_in), (self.caller, self.skipped_out)):
            counted = sums_by_group(self.call_count[whole], end[whole], len(self.entry))
            exact |= ((counted == self.count) & (skipped == 0)).astype(bool)
        return exact

    @property
    def call_count_is_exact(self) -> BoolArray:
        """Whether the count of each call is proven: where all that the call cost passed here."""
        exact: BoolArray = self.call_is_exact & (self.call_cost == self.call_whole).astype(bool)
        return exact


def surroundings(
    active: int,
    graph: CallGraph,
    pairs: CallPairs,
    pair_cost: CostArray,
    cycle: Int32Array,
    functions: int,
    extent: Extent,
    passing: BoolArray | None = None,
) -> Surroundings:
    """The surroundings of a function or cycle, in the graph's event.

    `passing` says of each entry whether the filter lets it be seen; None for all. The active one is
    seen in any case.

    `pairs` are the calls between functions, with their costs in that event; `cycle` is the number
    of each entry's cycle.
    """
    ways = follow(graph, fold_cycles(active, cycle, functions, extent.opened))
    calls = passed_calls(ways, pairs, pair_cost)
    nodes = _chosen_nodes(ways, calls, extent, passing)
    drawn = _chosen_calls(ways, calls, nodes, extent)
    return _put_together(ways, calls, nodes, drawn)


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """Entries, or rows of calls: costliest first."""

    rows: Int64Array
    least: int | float  # cost in force
    left_out: int = 0
    cost_left_out: int | float = 0
    hidden: int = 0


def _chosen_nodes(
    ways: Passage, calls: PassedCalls, extent: Extent, passing: BoolArray | None
) -> _Choice:
    """The entries that are costly and near enough; the active one in any case."""
    first = _first(ways)
    near = _near(ways, calls, extent.callee_depth, up=False)
    near |= _near(ways, calls, extent.caller_depth, up=True)
    near &= ways.folding.is_shown
    worth = _worth(ways, calls, near, extent)
    if passing is None:
        return _costliest(ways, worth, first, extent)
    found = worth > 0
    found[first] = False
    near &= passing | (np.arange(len(near)) == first)
    worth = _worth(ways, calls, near, extent)
    hidden = int((found & (worth <= 0)).sum())
    return replace(_costliest(ways, worth, first, extent), hidden=hidden)


def _worth(ways: Passage, calls: PassedCalls, near: BoolArray, extent: Extent) -> CostArray:
    """What each entry is there for: its cost, or a costly call; 0 for those that are not there.

    Costly calls are for members of opened cycles only: elsewhere none costs more than its ends.
    """
    cost = np.maximum(ways.down.cost, ways.up.cost)
    enough = (cost >= _least(ways, extent.least_node)).astype(bool)
    is_costly = near & enough & ((ways.down.share > 0) | (ways.up.share > 0))
    worth = np.where(is_costly, cost, 0)
    is_there = is_costly | (near & (ways.folding.cluster >= 0))
    rows = np.flatnonzero(~calls.is_inner & is_there[calls.caller] & is_there[calls.callee])
    rows = rows[calls.cost[rows] >= max(1, _least(ways, extent.least_node * extent.least_call))]
    for end in (calls.caller[rows], calls.callee[rows]):
        is_cheap = ~is_costly[end]
        np.maximum.at(worth, end[is_cheap], calls.cost[rows[is_cheap]])
    return worth


def _costliest(ways: Passage, worth: CostArray, first: int, extent: Extent) -> _Choice:
    """As many nodes as are wanted, the active one among them."""
    cost = np.maximum(ways.down.cost, ways.up.cost)
    worth[first] = cost[first]
    found = np.flatnonzero(worth > 0)
    found = np.concatenate(([first], found[found != first]))
    ranked = _by(worth, found)
    kept, left = ranked[: extent.most_nodes], ranked[extent.most_nodes :]
    least: int | float = _least(ways, extent.least_node)
    if not len(left):
        return _Choice(_by(cost, kept), least)
    if first in left:
        kept, left = np.append(kept[:-1], first), np.append(kept[-1:], left[left != first])
    least = max(least, as_number(worth[kept[-1]]))
    return _Choice(_by(cost, kept), least, len(left), as_number(cost[left].max()))


def _first(ways: Passage) -> int:
    """The active function, or the costliest member of the opened cycle that is active."""
    starts = np.flatnonzero(ways.folding.start & ways.folding.is_shown)
    return int(starts[np.argmax(ways.down.cost[starts])])


def _least(ways: Passage, share: float) -> int:
    """The least cost that is at least that share of the active function's inclusive cost.

    A little less will do, as a share is not the number that was written: 0.07 * 100 is above 7.
    """
    whole = float(ways.graph.inclusive[ways.folding.active])
    return max(0, math.ceil(share * whole * (1 - 1e-12)))


def _near(ways: Passage, calls: PassedCalls, depth: int | None, *, up: bool) -> BoolArray:
    """Which callers or callees are at most so many calls away; those inside cycles count, too.

    All members of an opened cycle are reached where it is, those without cost, too.
    """
    frame = ways.folding.frame(np.arange(len(ways.folding.shown)))
    reached: BoolArray = (ways.up if up else ways.down).share[frame] > 0
    if depth is None:
        return reached
    rows = np.flatnonzero(((calls.is_up == up) & (calls.cost > 0)) | calls.is_inner)
    caller, callee = calls.caller[rows], calls.callee[rows]
    here, there = (callee, caller) if up else (caller, callee)
    near = ways.folding.start.copy()
    for _ in range(depth):
        new = there[near[here] & ~near[there]]
        if not len(new):
            break
        near[new] = True
    return near & reached


def _chosen_calls(ways: Passage, calls: PassedCalls, nodes: _Choice, extent: Extent) -> _Choice:
    """The rows of costly calls between nodes, first those that hold the nodes together."""
    is_node = np.zeros(len(ways.graph.inclusive), bool)
    is_node[nodes.rows] = True
    least: int | float = _least(ways, extent.least_node * extent.least_call)
    between = is_node[calls.caller] & is_node[calls.callee] & (~calls.is_inner | extent.inner_calls)
    enough = calls.cost >= min(least, 1)  # one that cost nothing is no link between nodes
    found = _by(calls.cost, np.flatnonzero(between & enough))
    ranks = _ranks(found, calls)
    wanted = np.flatnonzero((ranks == 0) | (calls.cost[found] >= least))
    wanted = wanted[np.argsort(ranks[wanted], kind="stable")]
    kept, left = wanted[: extent.most_calls], wanted[extent.most_calls :]
    if len(left):
        more = kept[ranks[kept] > 0]  # these went by cost
        least = as_number(calls.cost[found[more[-1] if len(more) else left.min()]])
    return _Choice(found[np.sort(kept)], least, len(left))


def _by(cost: CostArray, rows: Int64Array) -> Int64Array:
    """The rows, costliest first."""
    return rows[np.argsort(-cost[rows], kind="stable")]


def _ranks(rows: Int64Array, calls: PassedCalls) -> Int64Array:
    """0 for each node's costliest call towards the active one, 1 for others, 2 inside cycles.

    The rows are in order of cost.
    """
    ranks = np.where(calls.is_inner[rows], 2, 1)
    proper = np.flatnonzero(ranks == 1)
    _, costliest = np.unique(calls.far[rows[proper]], return_index=True)
    ranks[proper[costliest]] = 0
    return ranks


def _put_together(
    ways: Passage, calls: PassedCalls, nodes: _Choice, drawn: _Choice
) -> Surroundings:
    entry_is_exact, call_is_exact = proven(ways, calls)
    place = np.full(len(ways.graph.inclusive), -1)
    place[nodes.rows] = np.arange(len(nodes.rows))
    return Surroundings(
        active=int(place[_first(ways)]),
        skipped_in=_skipped(calls, drawn.rows, place[calls.callee], len(nodes.rows)),
        skipped_out=_skipped(calls, drawn.rows, place[calls.caller], len(nodes.rows)),
        is_exact=entry_is_exact[nodes.rows],
        call_is_exact=call_is_exact[drawn.rows],
        least_node=nodes.least,
        least_call=drawn.least,
        nodes_left_out=nodes.left_out,
        calls_left_out=drawn.left_out,
        cost_left_out=nodes.cost_left_out,
        hidden=nodes.hidden,
        **_node_columns(ways, nodes.rows),
        **_call_columns(calls, drawn.rows, place),
    )


def _node_columns(ways: Passage, entry: Int64Array) -> dict[str, CostArray]:
    """What passed by these entries, on the side where that was more."""
    down, up = ways.down, ways.up
    is_up = up.cost[entry] > down.cost[entry]
    return {
        "entry": entry,
        "cost": np.where(is_up, up.cost[entry], down.cost[entry]),
        "self_cost": np.where(is_up, up.self_cost[entry], down.self_cost[entry]),
        "count": np.where(is_up, up.count[entry], down.count[entry]),
        "whole": ways.graph.inclusive[entry],
        "cluster": ways.folding.cluster[entry],
    }


def _call_columns(calls: PassedCalls, rows: Int64Array, place: Int64Array) -> dict[str, CostArray]:
    """What passed along these calls; `place` is the row of each entry among the nodes."""
    return {
        "caller": place[calls.caller[rows]],
        "callee": place[calls.callee[rows]],
        "call_cost": calls.cost[rows],
        "call_count": calls.count[rows],
        "call_whole": calls.recorded[rows],
        "is_inner": calls.is_inner[rows],
    }


def _skipped(calls: PassedCalls, drawn: Int64Array, node: Int64Array, nodes: int) -> CostArray:
    """For each node, the cost of the calls at one of their ends that are not drawn."""
    skipped = (node >= 0) & ~calls.is_inner
    skipped[drawn] = False
    rows = np.flatnonzero(skipped)
    costs = calls.recorded[rows].astype(np.float64) * calls.share[rows]
    sums = float_sums(costs, node[rows], nodes)
    return rounded(np.maximum(sums, 0))
