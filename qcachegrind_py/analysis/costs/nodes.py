"""Nodes: functions, numbered from 0, followed by cycles, numbered from the number of functions.

A cycle is a node of its own with costs, callers and members (KCachegrind's `<cycle N>`). Its self
and inclusive costs are the sums over its members, and its called count is that of the calls from
outside. The cycles depend on the scope, so their numbers are valid in one scope only;
`translate_node` converts them.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.ids import NodeId, cycle_node, function_at, is_function
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


def with_cycles(costs: FunctionCosts, edges: CallEdges) -> FunctionCosts:
    """Append a column for each cycle to the costs, shape (events, nodes)."""
    cycles = int(costs.cycle.max(initial=0))
    if not cycles:
        return costs
    members = np.flatnonzero(costs.cycle)
    cycle = costs.cycle[members] - 1
    is_entering = (costs.cycle[edges.callee] > 0) & ~within_cycle(edges, costs)
    entered = costs.cycle[edges.callee[is_entering]] - 1
    called = sums_by_group(edges.count[is_entering], entered, cycles)
    is_active = np.zeros(cycles, bool)
    is_active[entered[edges.is_recorded[is_entering]]] = True
    is_active &= called == 0
    return FunctionCosts(
        _extended(costs.self_cost, sums_by_group(costs.self_cost[:, members], cycle, cycles)),
        _extended(costs.inclusive, sums_by_group(costs.inclusive[:, members], cycle, cycles)),
        _extended(costs.called, called),
        np.append(costs.cycle, np.arange(1, cycles + 1, dtype=np.int32)),
        np.append(costs.is_active, is_active),
        costs.has_call_counts,
    )


def within_cycle(edges: CallEdges, costs: FunctionCosts) -> BoolArray:
    """Return whether each edge is inside a cycle, which includes direct recursion of a member."""
    return are_within_cycle(edges.caller, edges.callee, costs)


def are_within_cycle(caller: Int64Array, callee: Int64Array, costs: FunctionCosts) -> BoolArray:
    """Return the same of calls from `caller` to `callee`, all of shape (calls,)."""
    inside: BoolArray = costs.cycle[caller] == costs.cycle[callee]
    return inside & (costs.cycle[caller] > 0)


def cycle_members(cycle: NodeId, costs: FunctionCosts, functions: int) -> Int64Array:
    """Return the functions of a cycle."""
    nodes = costs.nodes_of_cycle(cycle - functions + 1)
    return nodes[nodes < functions]


def extended_by_first_member(of_function: Int64Array, cycle: Int32Array) -> Int64Array:
    """Extend values of shape (functions,) to nodes: a cycle has the value of its first member."""
    functions = len(of_function)
    members = np.flatnonzero(cycle[:functions])
    _, first = np.unique(cycle[members], return_index=True)
    return np.concatenate((of_function, of_function[members[first]]))


def translate_node(
    after: FunctionCosts, node: NodeId, before: FunctionCosts, functions: int
) -> NodeId:
    """Translate a node to another scope.

    A cycle becomes the cycle that its first member is in, or that member if it is in none.
    """
    if is_function(node, functions):
        return node
    member = function_at(cycle_members(node, before, functions), 0)
    cycle = int(after.cycle[member])
    return cycle_node(cycle, functions) if cycle else member


def _extended(values: Int64Array, appended: Int64Array) -> Int64Array:
    return np.concatenate((values, appended), axis=-1)


def with_marked_cycles(functions: BoolArray, cycle: Int32Array) -> BoolArray:
    """Return a mask of all nodes: of functions, and of the cycles that have one of these.

    `functions` has the shape (functions,), `cycle` the cycle number of each node; 0: none.
    """
    count = len(functions)
    cycles = np.zeros(len(cycle) - count, bool)
    cycles[cycle[:count][functions & (cycle[:count] > 0)] - 1] = True
    return np.concatenate((functions, cycles))
