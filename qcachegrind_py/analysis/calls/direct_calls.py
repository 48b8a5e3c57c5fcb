"""Direct callers and callees of a function or cycle, summed over call sites.

Calls inside a cycle have no cost, since their cost is part of the cycle's (KCachegrind's rule).
The callers of a cycle are the callers from outside; its callees are its members.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import (
    FunctionCosts,
    are_within_cycle,
    cycle_members,
)
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class DirectCalls:
    """The direct callers or callees of a node: one row for each."""

    node: Int64Array
    count: Int64Array  # 0: still running when the profile was written, or a cycle's member
    in_cycle: BoolArray  # a call inside a cycle, or one from a cycle to its member
    is_active: BoolArray  # all calls of the row were still running when the profile was written
    values: Int64Array  # inclusive cost of the calls between the two nodes, shape (events, rows)

    def __len__(self) -> int:
        return len(self.node)

    def cost(self, events: EventTypes, event: EventType) -> Int64Array:
        """Return the inclusive cost of the calls in one event, shape (rows,)."""
        return events.evaluate(event, self.values)


def direct_callers(
    node: NodeId, pairs: CallEdges, costs: FunctionCosts, functions: int
) -> DirectCalls:
    """Return the callers of a function (including itself if it is recursive) or of a cycle."""
    if node >= functions:
        rows = pairs.rows_to(cycle_members(node, costs, functions))
        inside = are_within_cycle(pairs.caller[rows], pairs.callee[rows], costs)
        return _summed_by_caller(rows[~inside], pairs)
    rows = pairs.rows_to(np.array([node]))
    return _direct_calls(pairs.caller[rows], rows, pairs, costs)


def costliest_callers(
    node: NodeId,
    callers: Callable[[NodeId], DirectCalls],
    cost: Callable[[DirectCalls], Int64Array],
    cycle_of: Callable[[NodeId], NodeId],
    most: int,
) -> list[NodeId]:
    """Return the costliest caller of a node, the costliest one of that, and so on, up to `most`.

    Members of a cycle are called by their cycle. The list ends before a node that is in it.
    """
    chain = [node]
    while len(chain) <= most:
        calls = callers(chain[-1])
        costs = np.where(np.isin(calls.node, chain), 0, cost(calls))
        cycle = cycle_of(chain[-1])
        if costs.any():
            chain.append(NodeId(int(calls.node[costs.argmax()])))
        elif cycle != NO_NODE and cycle not in chain:
            chain.append(cycle)
        else:
            break
    return chain[1:]


def direct_callees(
    node: NodeId, pairs: CallEdges, costs: FunctionCosts, functions: int
) -> DirectCalls:
    """Return the callees of a function, or the members of a cycle."""
    if node >= functions:
        members = cycle_members(node, costs, functions)
        in_cycle, is_active = np.ones(len(members), bool), np.zeros(len(members), bool)
        no_count = np.zeros(len(members), np.int64)
        return DirectCalls(members, no_count, in_cycle, is_active, costs.inclusive[:, members])
    start, stop = np.searchsorted(pairs.caller, (node, node + 1))
    rows = np.arange(start, stop)
    return _direct_calls(pairs.callee[rows], rows, pairs, costs)


def _direct_calls(
    others: Int64Array, rows: Int64Array, edges: CallEdges, costs: FunctionCosts
) -> DirectCalls:
    in_cycle = costs.cycle[edges.caller[rows]] == costs.cycle[edges.callee[rows]]
    in_cycle &= costs.cycle[others] > 0
    values = edges.inclusive[:, rows]
    values[:, in_cycle] = 0
    count = edges.count[rows]
    is_active = (count == 0) & edges.is_recorded[rows]
    return DirectCalls(others, count, in_cycle, is_active, values)


def _summed_by_caller(rows: Int64Array, edges: CallEdges) -> DirectCalls:
    """Sum the calls of each caller over all members that it called."""
    callers, group = np.unique(edges.caller[rows], return_inverse=True)
    count = sums_by_group(edges.count[rows], group, len(callers))
    is_recorded = np.zeros(len(callers), bool)
    is_recorded[group[edges.is_recorded[rows]]] = True
    return DirectCalls(
        callers,
        count,
        np.zeros(len(callers), bool),
        (count == 0) & is_recorded,
        sums_by_group(edges.inclusive[:, rows], group, len(callers)),
    )
