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
from qcachegrind_py.analysis.calls.transitive_calls import DistantCalls, all_callees, all_callers
from qcachegrind_py.analysis.costs.call_edges import CallPairs
from qcachegrind_py.analysis.costs.estimates import parts, quotients
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """Which entries are shown, and which stand for others; arrays of shape (entries,)."""

    active: int
    start: BoolArray  # the active function; where that is an opened cycle, its members, too
    cycle: Int64Array  # the cycle, as an entry, that each is a member of or is itself; -1: none
    cluster: Int64Array  # the same for members of opened cycles; -1 for all others
    shown: Int64Array  # what is shown in its place: for members of a closed cycle, the cycle
    called: Int64Array  # the same where it is called: the active function is by its cycle only
    is_shown: BoolArray  # not folded away, and no opened cycle itself

    @property
    def cycle_above(self) -> int:
        """The closed cycle that the active function is a member of and called by; -1 for none."""
        called = int(self.called[self.active])
        return called if called != self.active else -1

    def frame(self, entries: Int64Array) -> Int64Array:
        """The entries, but of members of opened cycles the cycle, which has the share of a call."""
        return np.where(self.cluster[entries] >= 0, self.cluster[entries], entries)


def fold_cycles(active: int, cycle: Int32Array, functions: int, opened: Set[int]) -> Folding:
    """How cycles are shown; `cycle` is the number of each entry's cycle."""
    every = np.arange(len(cycle))
    of = np.where(cycle > 0, functions - 1 + cycle.astype(np.int64), -1)
    is_open = np.isin(of, np.array(sorted(opened), np.int64))
    cluster = np.where(is_open & (every < functions), of, -1)
    called = np.where((of >= 0) & ~is_open, of, every)
    shown = np.where(every == active, every, called)
    is_shown = (shown == every) & ~(is_open & (every >= functions))
    start = (every == active) | (cluster == active)
    return Folding(active, start, of, cluster, shown, called, is_shown)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What passed by the callers or by the callees; arrays of shape (entries,).

    The active function is on both sides.
    """

    cost: CostArray  # of the active function's inclusive cost
    self_cost: CostArray
    count: CostArray
    share: Float64Array  # cost / inclusive: what its calls have of their recorded costs
    is_exact: BoolArray  # known without a look at the ways


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Where the active function's cost passed."""

    graph: CallGraph
    folding: Folding
    down: Side
    up: Side


def follow(graph: CallGraph, folding: Folding) -> Passage:
    """Where the cost went: both sides of the active function."""
    down = _side(all_callees(folding.active, graph), graph, folding)
    up = _side(all_callers(folding.active, graph), graph, folding)
    return Passage(graph, folding, down, _with_members(up, graph, folding))


def _side(distant: DistantCalls, graph: CallGraph, folding: Folding) -> Side:
    proof = distant.is_exact | distant.is_all
    columns = distant.cost, distant.self_cost, distant.count, proof
    spread = [np.zeros(len(graph.inclusive), column.dtype) for column in columns]
    for column, every in zip(columns, spread, strict=True):
        every[distant.function] = column
    cost, own, count, exact = spread
    start = folding.start
    cost[start], own[start], exact[start] = graph.inclusive[start], graph.self_cost[start], True
    count[folding.active] = graph.shape.count[graph.calls_of(folding.active)].sum()
    return Side(cost, own, count, quotients(cost, graph.inclusive), exact)


def _with_members(up: Side, graph: CallGraph, folding: Folding) -> Side:
    """The callers, where members of opened cycles have at least their share of the cycle.

    Which ways the cost took between them, nobody knows.
    """
    members = np.flatnonzero((folding.cluster >= 0) & ~folding.start)
    if not len(members):
        return up
    cost, own, exact = up.cost.copy(), up.self_cost.copy(), up.is_exact.copy()
    least = parts(graph.inclusive[members], up.share[folding.cluster[members]])
    cost[members] = np.maximum(cost[members], least)
    share = quotients(cost, graph.inclusive)
    own[members] = parts(graph.self_cost[members], share[members])
    exact[members] = False
    return Side(cost, own, up.count, share, exact)


@dataclass(frozen=True, slots=True, eq=False)
class PassedCalls:
    """A row a caller and callee, in order of the callers: all by which anything passed."""

    caller: Int64Array
    callee: Int64Array
    count: CostArray
    cost: CostArray  # of the active function's inclusive cost
    recorded: CostArray
    share: Float64Array  # of what was recorded
    hangs_on: Int64Array  # the entry that has the same share; for inner calls the cycle
    is_up: BoolArray  # above the active function
    is_inner: BoolArray  # a call inside an opened cycle: counts nothing to the costs

    @property
    def far(self) -> Int64Array:
        """The end that is farther from the active function."""
        return np.where(self.is_up, self.caller, self.callee)


def passed_calls(passage: Passage, pairs: CallPairs, pair_cost: CostArray) -> PassedCalls:
    """The calls of both sides; `pair_cost` is the cost of the pairs in the graph's event."""
    folding, down, up = passage.folding, passage.down, passage.up
    caller, callee, count, recorded = _summed(passage, pairs, pair_cost)
    inner = (folding.cluster[caller] >= 0) & (folding.cluster[caller] == folding.cluster[callee])
    above, below = np.where(inner, folding.cluster[caller], caller), folding.frame(callee)
    from_above = np.where(folding.start[callee] & ~inner, 0, down.share[above])
    from_below = np.where(folding.start[caller] & ~inner, 0, up.share[below])
    is_up = from_below > from_above  # both only where calls go round that are in no cycle
    share, hangs_on = np.maximum(from_above, from_below), np.where(is_up, below, above)
    is_only = recorded == passage.graph.inclusive[hangs_on]  # all of it goes along this call
    there = np.where(is_up, up.cost[hangs_on], down.cost[hangs_on])
    cost = np.where(is_only, there, parts(recorded, share))
    counts = parts(count, share)
    return PassedCalls(caller, callee, counts, cost, recorded, share, hangs_on, is_up, inner)


def _summed(
    passage: Passage, pairs: CallPairs, pair_cost: CostArray
) -> tuple[Int64Array, Int64Array, Int64Array, CostArray]:
    """Caller, callee, count and cost, the pairs that are shown between the same two as one."""
    folding, inclusive = passage.folding, passage.graph.inclusive
    rows = np.flatnonzero(_is_passed(passage, pairs))
    caller, callee = folding.shown[pairs.caller[rows]], folding.called[pairs.callee[rows]]
    count, cost = pairs.count[rows], pair_cost[rows]
    if folding.cycle_above >= 0:
        caller, callee = np.append(caller, folding.cycle_above), np.append(callee, folding.active)
        count, cost = np.append(count, 0), np.append(cost, inclusive[[folding.active]])
    keys, place = np.unique(caller * len(inclusive) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, len(inclusive))
    count, cost = (sums_by_group(values, place, len(keys)) for values in (count, cost))
    return caller, callee, count, cost


def _is_passed(passage: Passage, pairs: CallPairs) -> BoolArray:
    """Which pairs hang on an entry that was reached, and are not inside a closed cycle."""
    folding, callee = passage.folding, passage.folding.called[pairs.callee]
    cycle = folding.cycle[pairs.caller]
    inside = (cycle >= 0) & (cycle == folding.cycle[pairs.callee])
    is_open = folding.cluster[pairs.caller] >= 0
    above = np.where(inside & is_open, cycle, folding.shown[pairs.caller])
    passed: BoolArray = passage.down.share[above] > 0
    passed |= passage.up.share[folding.frame(callee)] > 0
    passed &= ~inside | is_open
    passed &= pairs.caller != pairs.callee
    return passed


_MOST_PASSES = 100  # calls one behind the other that prove each other: what is beyond, does not


def proven(passage: Passage, calls: PassedCalls) -> tuple[BoolArray, BoolArray]:
    """Whether the cost of each entry is proven, shape (entries,), and that of each call."""
    inclusive = passage.graph.inclusive
    entries, rows = np.ones(len(inclusive), bool), np.zeros(len(calls.caller), bool)
    for side, is_up in ((passage.down, False), (passage.up, True)):
        mine = np.flatnonzero(calls.is_up == is_up)
        exact = _proven_entries(passage, calls, mine[~calls.is_inner[mine]], side)
        rows[mine] = _proven_calls(calls, mine, inclusive, side, exact)
        entries &= exact | (side.share == 0)
    return entries, rows


def _proven_entries(
    passage: Passage, calls: PassedCalls, rows: Int64Array, side: Side
) -> BoolArray:
    """Whether the cost of each entry of a side is proven, by its calls, which are given.

    Those from or to members of an opened cycle tell of the cycle: calls inside led to the member,
    too.
    """
    inclusive, exact = passage.graph.inclusive, side.is_exact.copy()
    far = passage.folding.frame(calls.far[rows])
    led_to = np.zeros(len(exact), bool)
    led_to[far] = True
    for _ in range(_MOST_PASSES):
        doubtful = np.zeros(len(exact), bool)
        doubtful[far[~_proven_calls(calls, rows, inclusive, side, exact)]] = True
        more = led_to & ~doubtful & ~exact
        if not more.any():
            break
        exact |= more
    return exact


def _proven_calls(
    calls: PassedCalls, rows: Int64Array, inclusive: CostArray, side: Side, exact: BoolArray
) -> BoolArray:
    """Whether the cost of each of these rows is, where that of the entries in `exact` is."""
    hangs_on, recorded = calls.hangs_on[rows], calls.recorded[rows]
    whole = inclusive[hangs_on]
    is_all = (side.cost[hangs_on] == whole) | ((recorded == whole) & ~calls.is_inner[rows])
    proof: BoolArray = (exact[hangs_on] & is_all) | (recorded == 0)
    return proof
