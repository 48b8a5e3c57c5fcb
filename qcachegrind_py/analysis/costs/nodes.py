"""Functions and cycles as the views number them: behind n functions stand the cycles as n, n + 1, …

A cycle is an entry of its own, with costs, callers and members (KCachegrind's `<cycle N>`): its
self and inclusive costs are the sums of its members', it was called as often as its members were
from outside. Which cycles there are depends on the scope, so their numbers hold for one scope only;
`entry_in` translates.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.ids import NodeId, cycle_node, function_at, is_function, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


def with_cycles(costs: FunctionCosts, pairs: CallEdges) -> FunctionCosts:
    """The costs with an entry more for each cycle; its own number stands in `cycle`."""
    cycles = int(costs.cycle.max(initial=0))
    if not cycles:
        return costs
    members = np.flatnonzero(costs.cycle)
    cycle = costs.cycle[members] - 1
    entering = (costs.cycle[pairs.callee] > 0) & ~within_cycle(pairs, costs)
    called = sums_by_group(pairs.count[entering], costs.cycle[pairs.callee[entering]] - 1, cycles)
    return FunctionCosts(
        _extended(costs.self_cost, sums_by_group(costs.self_cost[:, members], cycle, cycles)),
        _extended(costs.inclusive, sums_by_group(costs.inclusive[:, members], cycle, cycles)),
        _extended(costs.called, called),
        np.append(costs.cycle, np.arange(1, cycles + 1, dtype=np.int32)),
    )


def within_cycle(pairs: CallEdges, costs: FunctionCosts) -> BoolArray:
    """Whether each pair is a call inside a cycle; direct recursion of a member is one."""
    inside: BoolArray = costs.cycle[pairs.caller] == costs.cycle[pairs.callee]
    return inside & (costs.cycle[pairs.caller] > 0)


def root_cycles(costs: FunctionCosts, pairs: CallEdges, functions: int) -> list[Int64Array]:
    """The members of each cycle that nobody called from outside."""
    entering = (costs.cycle[pairs.callee] > 0) & ~within_cycle(pairs, costs)
    cycles = np.arange(functions, len(costs.cycle))
    entered = np.isin(cycles, functions - 1 + costs.cycle[pairs.callee[entering]])
    return [cycle_members(cycle, costs, functions) for cycle in node_ids(cycles[~entered])]


def cycle_members(cycle: NodeId, costs: FunctionCosts, functions: int) -> Int64Array:
    """The functions of a cycle, which is given as an entry."""
    return np.flatnonzero(costs.cycle[:functions] == cycle - functions + 1)


def extended_by_first_member(of_function: Int64Array, cycle: Int32Array) -> Int64Array:
    """What is known of each function, and for each cycle the same as of its first member."""
    functions = len(of_function)
    members = np.flatnonzero(cycle[:functions])
    _, first = np.unique(cycle[members], return_index=True)
    return np.concatenate((of_function, of_function[members[first]]))


def translate_node(
    after: FunctionCosts, node: NodeId, before: FunctionCosts, functions: int
) -> NodeId:
    """The entry of another scope: a cycle is the one that its first member is in now.

    Where that is in none any more, it is the member itself.
    """
    if is_function(node, functions):
        return node
    member = function_at(cycle_members(node, before, functions), 0)
    cycle = int(after.cycle[member])
    return cycle_node(cycle, functions) if cycle else member


def _extended(values: Int64Array, more: Int64Array) -> Int64Array:
    return np.concatenate((values, more), axis=-1)
