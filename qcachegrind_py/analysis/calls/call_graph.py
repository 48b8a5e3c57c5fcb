"""The call graph: nodes are functions and cycles, edges are the calls between them.

Calls inside a cycle and direct recursion are left out. A call to a member of a cycle is an edge to
the cycle, and the cycle has an edge to each of its members, which costs the member's inclusive cost
(KCachegrind's rule). The graph is therefore acyclic whenever cycle detection is on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, within_cycle
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class CallAdjacency:
    """The edges of the call graph with their costs in all measured events.

    One row for each pair of caller and callee, sorted by caller.
    """

    caller: Int64Array
    callee: Int64Array
    count: Int64Array  # 0: an edge from a cycle to its member, or a call that had not returned
    is_active: BoolArray  # all calls of the row were still running when the profile was written
    values: Int64Array  # inclusive cost, shape (events, rows)
    caller_start: Int64Array  # shape (nodes + 1,): index of each caller's first row
    rows_by_callee: Int64Array  # the rows, sorted by callee
    callee_start: Int64Array  # shape (nodes + 1,): each callee's first index in `rows_by_callee`
    is_estimated: BoolArray  # the costs of the row are an estimate: `CallEdges.is_estimated`


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """The call graph with its costs in one event."""

    adjacency: CallAdjacency
    cost: Int64Array  # of each row of `adjacency`
    inclusive: Int64Array  # of each node
    self_cost: Int64Array  # of each node

    def outgoing(self, node: NodeId) -> Int64Array:
        """Return the rows of the calls from a node."""
        shape = self.adjacency
        return np.arange(shape.caller_start[node], shape.caller_start[node + 1])

    def incoming(self, node: NodeId) -> Int64Array:
        """Return the rows of the calls to a node."""
        shape = self.adjacency
        return shape.rows_by_callee[shape.callee_start[node] : shape.callee_start[node + 1]]


def call_adjacency(edges: CallEdges, costs: FunctionCosts, functions: int) -> CallAdjacency:
    """Build the edges of the call graph from the calls between functions.

    `costs` must include the cycles, which follow the `functions` functions.
    """
    is_edge = (edges.caller != edges.callee) & ~within_cycle(edges, costs)
    caller, callee = edges.caller[is_edge], edges.callee[is_edge]
    is_to_cycle = costs.cycle[callee] > 0
    callee[is_to_cycle] = functions - 1 + costs.cycle[callee[is_to_cycle]]
    members = np.flatnonzero(costs.cycle[:functions])
    caller = np.concatenate((caller, functions - 1 + costs.cycle[members].astype(np.int64)))
    callee = np.concatenate((callee, members))
    values = np.concatenate((edges.inclusive[:, is_edge], costs.inclusive[:, members]), axis=1)
    count = np.concatenate((edges.count[is_edge], np.zeros(len(members), np.int64)))
    is_call, is_estimated = caller < functions, np.zeros(len(caller), bool)
    is_call[: int(is_edge.sum())] &= edges.is_recorded[is_edge]
    is_estimated[: int(is_edge.sum())] = edges.are_estimated(np.flatnonzero(is_edge))
    return _merged_edges(caller, callee, count, is_call, is_estimated, values, len(costs.cycle))


def call_graph(
    adjacency: CallAdjacency, costs: FunctionCosts, events: EventTypes, event: EventType
) -> CallGraph:
    """Evaluate the call graph in one event.

    Ratios are not supported, because they cannot be distributed over calls.
    """
    return CallGraph(
        adjacency,
        events.evaluate(event, adjacency.values),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
    )


def _merged_edges(
    caller: Int64Array,
    callee: Int64Array,
    count: Int64Array,
    is_call: BoolArray,
    is_estimated: BoolArray,
    values: Int64Array,
    nodes: int,
) -> CallAdjacency:
    """Sort the rows and merge those with the same caller and callee."""
    keys, group = np.unique(caller * max(1, nodes) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, max(1, nodes))
    count = sums_by_group(count, group, len(keys))
    is_active = np.zeros(len(keys), bool)
    is_active[group[is_call]] = True
    has_estimates = np.zeros(len(keys), bool)
    has_estimates[group[is_estimated]] = True
    by_callee = np.argsort(callee, kind="stable")
    boundaries = np.arange(nodes + 1)
    return CallAdjacency(
        caller,
        callee,
        count,
        is_active & (count == 0),
        sums_by_group(values, group, len(keys)),
        np.searchsorted(caller, boundaries),
        by_callee,
        np.searchsorted(callee[by_callee], boundaries),
        has_estimates,
    )


def leading_nodes(visible: BoolArray, near: Int64Array, far: Int64Array) -> BoolArray:
    """Return the nodes that are visible, or from which calls lead to such a one: shape (nodes,).

    `near` and `far` are the ends of the calls, shape (calls,). The number of steps is that of the
    calls, however long a path is.
    """
    order = np.argsort(far, kind="stable")
    begin = np.searchsorted(far[order], np.arange(len(visible) + 1)).tolist()
    owners = near[order].tolist()
    leading = visible.tolist()
    waiting = np.flatnonzero(visible).tolist()
    while waiting:
        node = waiting.pop()
        for owner in owners[begin[node] : begin[node + 1]]:
            if owner < len(leading) and not leading[owner]:
                leading[owner] = True
                waiting.append(owner)
    return np.array(leading, bool)
