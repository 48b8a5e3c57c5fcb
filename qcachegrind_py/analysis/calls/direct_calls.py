"""The callers and the callees of one function or cycle, summed over call sites.

Calls inside a cycle have no cost of their own: what they cost is in the cycle's (KCachegrind's
rule). Of a cycle, the callers are those outside, and the callees its members.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.costs.nodes import cycle_members, within_cycle
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class DirectCalls:
    """A row an entry at the other end of the calls."""

    node: Int64Array
    count: Int64Array  # 0: still active when the profile was written, or a cycle's member
    in_cycle: BoolArray  # a call inside a cycle, or one from a cycle to its member
    values: Int64Array  # inclusive cost of the calls between the two, shape (events, rows)

    def __len__(self) -> int:
        return len(self.node)

    def cost(self, events: EventTypes, event: EventType) -> Int64Array:
        """The inclusive cost of the calls in one event."""
        return events.evaluate(event, self.values)


def direct_callers(
    node: NodeId, pairs: CallEdges, costs: FunctionCosts, functions: int
) -> DirectCalls:
    """Who called the function, itself included where it is recursive; or the cycle."""
    if node >= functions:
        into = np.isin(pairs.callee, cycle_members(node, costs, functions))
        rows = np.flatnonzero(into)
        rows = rows[~within_cycle(pairs, costs)[rows]]
        return _summed_by_caller(rows, pairs)
    rows = np.flatnonzero(pairs.callee == node)
    return _direct_calls(pairs.caller[rows], rows, pairs, costs)


def direct_callees(
    node: NodeId, pairs: CallEdges, costs: FunctionCosts, functions: int
) -> DirectCalls:
    """Whom the function called; or the members of the cycle."""
    if node >= functions:
        members = cycle_members(node, costs, functions)
        inside = np.ones(len(members), bool)
        nothing = np.zeros(len(members), np.int64)
        return DirectCalls(members, nothing, inside, costs.inclusive[:, members])
    start, stop = np.searchsorted(pairs.caller, (node, node + 1))
    rows = np.arange(start, stop)
    return _direct_calls(pairs.callee[rows], rows, pairs, costs)


def _direct_calls(
    others: Int64Array, rows: Int64Array, pairs: CallEdges, costs: FunctionCosts
) -> DirectCalls:
    inside = costs.cycle[pairs.caller[rows]] == costs.cycle[pairs.callee[rows]]
    inside &= costs.cycle[others] > 0
    values = pairs.inclusive[:, rows]
    values[:, inside] = 0
    return DirectCalls(others, pairs.count[rows], inside, values)


def _summed_by_caller(rows: Int64Array, pairs: CallEdges) -> DirectCalls:
    """One row a caller, over all members that it called."""
    callers, place = np.unique(pairs.caller[rows], return_inverse=True)
    return DirectCalls(
        callers,
        sums_by_group(pairs.count[rows], place, len(callers)),
        np.zeros(len(callers), bool),
        sums_by_group(pairs.inclusive[:, rows], place, len(callers)),
    )
