"""Why an inclusive cost is above 100 % of the total."""

from __future__ import annotations

from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import cycle_members, function_cycles
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import Int64Array


class ExcessCause(Enum):
    """A cause, as a clause that follows the percentage."""

    UNATTRIBUTED = "the recorded total, which includes costs of no function, is larger"
    NESTED = "calls within calls are counted again, as cycles are not detected"
    OTHER_PARTS = "it includes costs of parts that are not selected"
    WRONG = "more than these calls can cost; a counter overflowed, or costs were counted twice"


def excess_cause(
    queries: ProfileQueries, node: NodeId, event: EventType, scope: Scope
) -> ExcessCause:
    """Return why the inclusive cost of a function or cycle is above 100 %.

    Outside of cycles no two calls of a function overlap, as direct recursion does not count: its
    cost is at most the total. In a cycle that is not detected, each call costs at most the total.
    """
    cost, _ = queries.node_costs(node, event, scope)
    total = queries.total(event, scope.parts).base
    if cost <= total:
        return ExcessCause.UNATTRIBUTED
    if _is_nested(queries, node, scope):
        counts = _call_counts(queries, node, scope)
        # a count of 0 is of running calls: it is not known how many
        is_impossible = counts.all() and cost > total * max(1, int(counts.sum()))
        return ExcessCause.WRONG if is_impossible else ExcessCause.NESTED
    # with a frame, all parts are two sides of a comparison
    if scope.frame is None and cost <= queries.total(event, ALL_PARTS).base:
        return ExcessCause.OTHER_PARTS
    return ExcessCause.WRONG


def _is_nested(queries: ProfileQueries, node: NodeId, scope: Scope) -> bool:
    """Whether calls of the node can overlap: it is in a cycle that is not fully detected."""
    if scope.cycles and not scope.cut:
        return False
    return bool(function_cycles(queries.profile)[queries.first_member(node, scope)])


def _call_counts(queries: ProfileQueries, node: NodeId, scope: Scope) -> Int64Array:
    """Return the counts of all calls of the node, in any part: a call may begin in an earlier one.

    The shape is (calls,).
    """
    functions = queries.function_count
    is_function = queries.is_function(node)
    members = [node] if is_function else cycle_members(node, queries.costs(scope), functions)
    calls = queries.profile.calls
    counts: Int64Array = calls.count[np.isin(calls.callee, members)]
    return counts
