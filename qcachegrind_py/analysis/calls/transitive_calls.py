"""Transitive callers and callees of a function, over any number of calls.

A profile records the cost of single calls, not of paths of several calls. The costs here are
therefore estimates: each node passes on the cost that reaches it in proportion to the costs of its
calls, until less than 0.01 % is left (KCachegrind's rule). Only direct calls are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.propagation import propagate
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.costs.sums import quotients, rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

MIN_SHARE = 0.0001  # of the function's inclusive cost: smaller shares are not passed on
_DISTANCE_LIMIT = 200  # calls on a path; the number of nodes if that is larger
_MAX_PROPAGATIONS = 3_000_000  # calls: without cycle detection, paths may circle endlessly


@dataclass(frozen=True, slots=True, eq=False)
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
    is_estimated: BoolArray  # reached by a direct call whose costs are an estimate

    def __len__(self) -> int:
        return len(self.node)

    def for_nodes(self, nodes: Int64Array) -> TransitiveCalls:
        """Return a row for each of the nodes, ascending; one that is not reached has no cost."""
        order = np.argsort(self.node)
        place = np.searchsorted(self.node, nodes, sorter=order)
        rows = order[np.minimum(place, len(order) - 1)] if len(order) else place
        is_reached = np.isin(nodes, self.node)

        def column(values: CostArray, missing: int = 0) -> CostArray:
            found = values[rows] if len(values) else np.zeros(len(nodes), values.dtype)
            return np.where(is_reached, found, values.dtype.type(missing))

        return TransitiveCalls(
            nodes,
            column(self.cost),
            column(self.self_cost),
            column(self.count),
            column(self.min_distance),
            column(self.max_distance),
            column(self.is_complete, missing=1),
            column(self.is_active),
            column(self.is_estimated),
        )

    @property
    def is_exact(self) -> BoolArray:
        """Whether each row is exact: reached by a direct call and on no other path."""
        exact: BoolArray = self.max_distance == 1
        return exact & ~self.is_estimated


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
        is_estimated=base.is_estimated | new.is_estimated,
    )


def transitive_callees(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Return everything that the function calls, directly or indirectly."""
    return _transitive(node, graph, up=False)


def transitive_callers(node: NodeId, graph: CallGraph) -> TransitiveCalls:
    """Return everything that calls the function, directly or indirectly."""
    return _transitive(node, graph, up=True)


@dataclass(frozen=True, slots=True, eq=False)
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


def _transitive(node: NodeId, graph: CallGraph, *, up: bool) -> TransitiveCalls:
    reached = reached_nodes(node, graph, up=up)
    limited = np.minimum(reached.cost, max(float(graph.inclusive[node]), 0))
    rows = graph.incoming(node) if up else graph.outgoing(node)
    others = _calls_in_order(graph, up=up)[0][rows]
    return _transitive_calls(graph, replace(reached, cost=limited), rows, others)


def _floats(column: CostArray) -> memoryview:
    return np.ascontiguousarray(column, np.float64).data


def _transitive_calls(
    graph: CallGraph, reached: Reached, calls: Int64Array, others: Int64Array
) -> TransitiveCalls:
    """Return the nodes reached, costliest first.

    `calls` are the rows of the function's direct calls, `others` the nodes at their other end.
    """
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
    masks = is_all[order], is_active[nodes], is_estimated[nodes]
    return TransitiveCalls(nodes, *columns, *distances, *masks)


def _is_complete(reached: Reached, graph: CallGraph, cost: CostArray) -> BoolArray:
    """Return whether the whole cost of each node passed: exactly by direct calls, else nearly."""
    whole = graph.inclusive.astype(np.float64)
    nearly = np.isclose(reached.cost, whole, rtol=1e-9, atol=0)
    return np.where(reached.max_distance == 1, (cost == graph.inclusive).astype(bool), nearly)
