"""What the cost of each part consists of: groups of functions, or callees of one function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.sums import segment_sums, sums_by_group
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes
from qcachegrind_py.profile.ids import NodeId, is_function
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class PartBreakdown:
    """The costliest shares of the parts' costs, the costliest in all parts first."""

    key: Int64Array  # a row of `Groups`, or a function, shape (shares,)
    cost: CostArray  # shape (shares, parts)


def costs_by_group(
    profile: Profile, event: EventType, events: EventTypes, group: Int64Array, limit: int
) -> PartBreakdown:
    """Sum the self costs of the `limit` costliest groups in each part.

    `group` is the row of each function's group, shape (functions,); the event is no ratio.
    """
    runs = profile.runs
    values = segment_sums(profile.costs.values, runs.start)
    return _costliest(profile, event, events, group[runs.function], runs.part, values, limit)


def costs_by_callee(
    profile: Profile,
    event: EventType,
    events: EventTypes,
    node: NodeId,
    costs: FunctionCosts,
    limit: int,
) -> PartBreakdown:
    """Sum the calls of a function or cycle to its `limit` costliest callees in each part.

    Its calls to itself and within its cycle have no cost of their own; `costs` defines the cycles.
    With its self cost the calls to all callees add up to the inclusive cost of `part_costs`, except
    for a recursive function whose calls from others were recorded with another cost.
    """
    functions, calls = len(profile.functions), profile.calls
    cycle = int(costs.cycle[node])
    is_inside = costs.cycle[:functions] == cycle if cycle else np.arange(functions) == node
    is_caller = np.arange(functions) == node if is_function(node, functions) else is_inside
    rows = np.flatnonzero(is_caller[calls.caller] & ~is_inside[calls.callee])
    callee, part, values = calls.callee[rows], calls.part[rows], calls.values[:, rows]
    return _costliest(profile, event, events, callee.astype(np.int64), part, values, limit)


def _costliest(
    profile: Profile,
    event: EventType,
    events: EventTypes,
    key: Int64Array,
    part: Int32Array,
    values: Int64Array,
    limit: int,
) -> PartBreakdown:
    """Sum the rows of the costliest keys by part; rows have a key, a part and values."""
    keys, number = np.unique(key, return_inverse=True)
    total = events.evaluate(event, sums_by_group(values, number, len(keys)))
    order = np.argsort(-total, kind="stable")[:limit]
    chosen = order[np.asarray(total[order] > 0, bool)]
    position = np.full(len(keys), -1, np.int64)
    position[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(position[number] >= 0)
    parts = len(profile.parts)
    cell = position[number[rows]] * parts + part[rows]
    sums = sums_by_group(values[:, rows], cell, len(chosen) * parts)
    cost = events.evaluate(event, sums).reshape(len(chosen), parts)
    return PartBreakdown(keys[chosen], cost)
