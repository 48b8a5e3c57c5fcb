"""The calls between entries: functions, and cycles as one.

What lies inside a cycle is left out, as is direct recursion: a call into a cycle is one of the
whole cycle, which in turn calls its members at their inclusive cost (KCachegrind's rule). So the
graph has no way round, as long as cycles are detected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.costs.nodes import within_cycle
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class CallAdjacency:
    """A row a caller and callee, in order of the callers; for all measured events."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array  # 0: a member of the cycle that calls it, or still active
    values: Int64Array  # inclusive cost, shape (events, rows)
    caller_start: Int64Array  # shape (entries + 1,): where the rows of each caller begin
    rows_by_callee: Int64Array  # the rows in order of the callees
    callee_start: Int64Array  # shape (entries + 1,): the same for these


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """The calls with their costs in one event."""

    adjacency: CallAdjacency
    cost: Int64Array  # of each row
    inclusive: Int64Array  # of each entry
    self_cost: Int64Array

    def outgoing(self, node: NodeId) -> Int64Array:
        """The rows of what the entry calls."""
        shape = self.adjacency
        return np.arange(shape.caller_start[node], shape.caller_start[node + 1])

    def incoming(self, node: NodeId) -> Int64Array:
        """The rows of who calls the entry."""
        shape = self.adjacency
        return shape.rows_by_callee[shape.callee_start[node] : shape.callee_start[node + 1]]


def call_adjacency(edges: CallEdges, costs: FunctionCosts, functions: int) -> CallAdjacency:
    """All calls; `costs` have the cycles as entries."""
    kept = (edges.caller != edges.callee) & ~within_cycle(edges, costs)
    caller, callee = edges.caller[kept], edges.callee[kept]
    into = costs.cycle[callee] > 0
    callee[into] = functions - 1 + costs.cycle[callee[into]]
    members = np.flatnonzero(costs.cycle[:functions])
    caller = np.concatenate((caller, functions - 1 + costs.cycle[members].astype(np.int64)))
    callee = np.concatenate((callee, members))
    values = np.concatenate((edges.inclusive[:, kept], costs.inclusive[:, members]), axis=1)
    count = np.concatenate((edges.count[kept], np.zeros(len(members), np.int64)))
    return _merged_edges(caller, callee, count, values, len(costs.cycle))


def call_graph(
    adjacency: CallAdjacency, costs: FunctionCosts, events: EventTypes, event: EventType
) -> CallGraph:
    """The calls in one event. Not for a ratio: that cannot be shared out."""
    return CallGraph(
        adjacency,
        events.evaluate(event, adjacency.values),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
    )


def _merged_edges(
    caller: Int64Array, callee: Int64Array, count: Int64Array, values: Int64Array, nodes: int
) -> CallAdjacency:
    """The rows in order, those of the same two entries as one."""
    keys, place = np.unique(caller * max(1, nodes) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, max(1, nodes))
    by_callee = np.argsort(callee, kind="stable")
    every = np.arange(nodes + 1)
    return CallAdjacency(
        caller,
        callee,
        sums_by_group(count, place, len(keys)),
        sums_by_group(values, place, len(keys)),
        np.searchsorted(caller, every),
        by_callee,
        np.searchsorted(callee[by_callee], every),
    )
