"""The callers and the callees of one function or cycle, summed over call sites.

Calls inside a cycle have no cost of their own: what they cost is in the cycle's (KCachegrind's
rule). Of a cycle, the callers are those outside, and the callees its members.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallPairs
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.costs.nodes import inside_cycle, members_of
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """A row an entry at the other end of the calls."""

    function: Int64Array
    count: Int64Array  # 0: still active when the profile was written, or a cycle's member
    inside: BoolArray  # a call inside a cycle, or one from a cycle to its member
    values: Int64Array  # inclusive cost of the calls between the two, shape (events, rows)

    def __len__(self) -> int:
        return len(self.function)

    def cost(self, events: EventTypes, event: EventType) -> Int64Array:
        """The inclusive cost of the calls in one event."""
        return events.evaluate(event, self.values)


def callers_of(entry: int, pairs: CallPairs, costs: FunctionCosts, functions: int) -> Neighbours:
    """Who called the function, itself included where it is recursive; or the cycle."""
    if entry >= functions:
        into = np.isin(pairs.callee, members_of(entry, costs, functions))
        rows = np.flatnonzero(into)
        rows = rows[~inside_cycle(pairs, costs)[rows]]
        return _summed(rows, pairs)
    rows = np.flatnonzero(pairs.callee == entry)
    return _neighbours(pairs.caller[rows], rows, pairs, costs)


def callees_of(entry: int, pairs: CallPairs, costs: FunctionCosts, functions: int) -> Neighbours:
    """Whom the function called; or the members of the cycle."""
    if entry >= functions:
        members = members_of(entry, costs, functions)
        inside = np.ones(len(members), bool)
        nothing = np.zeros(len(members), np.int64)
        return Neighbours(members, nothing, inside, costs.inclusive[:, members])
    start, stop = np.searchsorted(pairs.caller, (entry, entry + 1))
    rows = np.arange(start, stop)
    return _neighbours(pairs.callee[rows], rows, pairs, costs)


def _neighbours(
    others: Int64Array, rows: Int64Array, pairs: CallPairs, costs: FunctionCosts
) -> Neighbours:
    inside = costs.cycle[pairs.caller[rows]] == costs.cycle[pairs.callee[rows]]
    inside &= costs.cycle[others] > 0
    values = pairs.inclusive[:, rows]
    values[:, inside] = 0
    return Neighbours(others, pairs.count[rows], inside, values)


def _summed(rows: Int64Array, pairs: CallPairs) -> Neighbours:
    """One row a caller, over all members that it called."""
    callers, place = np.unique(pairs.caller[rows], return_inverse=True)
    return Neighbours(
        callers,
        sums_by_group(pairs.count[rows], place, len(callers)),
        np.zeros(len(callers), bool),
        sums_by_group(pairs.inclusive[:, rows], place, len(callers)),
    )
