"""Everybody who led to a function, and everything it led to, over any number of calls.

A profile knows what was spent along single calls, not along ways of several. So this is an
estimate: each entry hands on what reaches it in proportion to the costs of its calls, until less
than 0.01 % is left (KCachegrind's rule). Only what is a single call away is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.estimates import float_sums, quotients, rounded_like
from qcachegrind_py.analysis.costs.grouped_sums import segment_rows
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

MIN_SHARE = 0.0001  # of the function's inclusive cost: less is not handed on
_DISTANCE_LIMIT = 200  # calls that a way may have, and as many as there are functions
_MAX_PROPAGATIONS = 3_000_000  # calls: where cycles are not detected, ways may go round and round


@dataclass(frozen=True, slots=True, eq=False)
class TransitiveCalls:
    """A row an entry at the other end, costliest first."""

    node: Int64Array
    cost: CostArray  # of the function's inclusive cost, that which passed here
    self_cost: CostArray  # of this, what was spent here itself; for callees
    count: Int64Array
    min_distance: Int64Array  # calls on the shortest way
    max_distance: Int64Array  # calls on the longest one that matters
    is_complete: BoolArray  # all that the entry cost passed on these ways

    def __len__(self) -> int:
        return len(self.node)

    @property
    def is_exact(self) -> BoolArray:
        """Whether the row is no estimate: a single call away, and on no other way."""
        exact: BoolArray = self.max_distance == 1
        return exact


def transitive_callees(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Everything that the function led to."""
    shape = graph.adjacency
    every = np.arange(len(shape.caller))
    return _propagate(node, graph, shape.callee, shape.caller_start, every)


def transitive_callers(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Everybody who led to the function."""
    shape = graph.adjacency
    return _propagate(node, graph, shape.caller, shape.callee_start, shape.rows_by_callee)


class _Propagation:
    """What was handed on to each entry so far, and over how many calls."""

    def __init__(self, entries: int) -> None:
        self.cost, self.count = np.zeros(entries), np.zeros(entries)
        self.min_distance, self.max_distance = (
            np.zeros(entries, np.int64),
            np.zeros(entries, np.int64),
        )

    def add(
        self, entries: Int64Array, cost: Float64Array, count: Float64Array, distance: int
    ) -> None:
        """Costs and counts that came over one more call."""
        self.cost[entries] += cost
        self.count[entries] += count
        self.min_distance[entries[self.min_distance[entries] == 0]] = distance
        self.max_distance[entries] = distance


def _propagate(
    node: NodeId, graph: CallGraph, target: Int64Array, start: Int64Array, order: Int64Array
) -> TransitiveCalls:
    """Hand shares on, call by call, from the function at distance 0."""
    reached = _Propagation(len(graph.inclusive))
    whole = float(graph.inclusive[node])
    here, share = np.array([node]), np.array([whole])
    handed_on = 0
    for distance in range(1, max(_DISTANCE_LIMIT, len(graph.inclusive) + 1)):
        places, lengths = segment_rows(start, here)
        rows = order[places]
        factor = np.repeat(quotients(share, graph.inclusive[here]), lengths)
        there, place = np.unique(target[rows], return_inverse=True)
        share = float_sums(graph.cost[rows].astype(np.float64) * factor, place, len(there))
        count = float_sums(graph.adjacency.count[rows] * factor, place, len(there))
        enough = (share >= MIN_SHARE * whole) & (share > 0) & (there != node)
        here, share = there[enough], share[enough]
        handed_on += len(rows)
        if not len(here) or handed_on > _MAX_PROPAGATIONS:
            break
        reached.add(here, share, count[enough], distance)
    np.minimum(reached.cost, max(whole, 0), out=reached.cost)  # ways round count again and again
    rows = order[start[node] : start[node + 1]]
    return _transitive_calls(graph, reached, rows, target[rows])


def _transitive_calls(
    graph: CallGraph, reached: _Propagation, calls: Int64Array, others: Int64Array
) -> TransitiveCalls:
    """The entries that were reached, costliest first; `calls` are those of the function itself."""
    like = graph.cost if graph.cost.dtype == object else graph.inclusive
    cost, count = rounded_like(reached.cost, like.dtype), rounded_like(reached.count)
    single = reached.max_distance[others] == 1  # these are known to the last count
    cost[others[single]] = graph.cost[calls[single]]
    count[others[single]] = graph.adjacency.count[calls[single]]
    found = np.flatnonzero(reached.min_distance)
    is_all = _is_complete(reached, graph, cost)[found]
    cost[found[is_all]] = graph.inclusive[found[is_all]]
    own = quotients(graph.self_cost[found], graph.inclusive[found])
    self_cost = rounded_like(cost[found].astype(np.float64) * own, graph.self_cost.dtype)
    self_cost[is_all] = graph.self_cost[found[is_all]]
    by_distance = np.argsort(reached.min_distance[found], kind="stable")
    order = by_distance[np.argsort(-cost[found[by_distance]], kind="stable")]
    found = found[order]
    places = reached.min_distance[found], reached.max_distance[found]
    return TransitiveCalls(
        found, cost[found], self_cost[order], count[found], *places, is_all[order]
    )


def _is_complete(reached: _Propagation, graph: CallGraph, cost: CostArray) -> BoolArray:
    """Whether all that an entry cost passed: to the last count over single calls, else nearly."""
    whole = graph.inclusive.astype(np.float64)
    nearly = np.isclose(reached.cost, whole, rtol=1e-9, atol=0)
    return np.where(reached.max_distance == 1, (cost == graph.inclusive).astype(bool), nearly)
