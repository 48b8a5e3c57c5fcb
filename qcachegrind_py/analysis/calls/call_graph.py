"""Calls between functions: direct callers and callees, the call graph, and likely call stacks.

The nodes are functions and cycles. The lists of direct calls have all calls of a function; those
inside its cycle have no cost, since their cost is part of the cycle's (KCachegrind's rule). The
callers of a cycle are the callers from outside; its callees are its members.

The graph leaves out calls inside a cycle and direct recursion. A call to a member of a cycle is an
edge to the cycle, and the cycle has an edge to each of its members, which costs the member's
inclusive cost (KCachegrind's rule). The graph is therefore acyclic whenever cycle detection is on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import (
    FunctionCosts,
    are_within_cycle,
    cycle_members,
    within_cycle,
)
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_CHAIN = 50  # callers above a node, or callees below it, in a stack

# ---------------------------------------------------------------- direct callers and callees


@frozen
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


# ---------------------------------------------------------------- the call graph


@frozen
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


@frozen
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
    nodes = len(costs.cycle)
    # rows with the same caller and callee are one
    keys, group = np.unique(caller * max(1, nodes) + callee, return_inverse=True)
    caller, callee = np.divmod(keys, max(1, nodes))
    count = sums_by_group(count, group, len(keys))
    is_active, has_estimates = np.zeros((2, len(keys)), bool)
    is_active[group[is_call]] = True
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


# ---------------------------------------------------------------- call stacks


@frozen(eq=True)
class CallStack:
    """A likely stack: the costliest callers above a node, and the costliest callees below it.

    It is a guess, since a profile without calling contexts does not record which functions were on
    the stack together. `nodes` begin with the topmost caller; `active_index` is the position of the
    active one.
    """

    nodes: tuple[NodeId, ...] = ()
    active_index: int = -1

    def with_active(self, node: NodeId) -> CallStack | None:
        """Return the same stack with another node active, or None if it is not on the stack."""
        if node not in self.nodes:
            return None
        return CallStack(self.nodes, self.nodes.index(node))

    @property
    def path_to_active(self) -> tuple[NodeId, ...]:
        """The nodes from the top down to the active one, which is last."""
        return self.nodes[: self.active_index + 1]


def costliest_stack(node: NodeId, graph: CallGraph) -> CallStack:
    """Build the stack of the costliest callers above a node and the costliest callees below it."""
    above = tuple(reversed(_extended_chain((node,), graph, up=True)[1:]))
    return CallStack(_extended_chain((*above, node), graph, up=False), len(above))


def costliest_path(
    node: NodeId, graph: CallGraph, passable: BoolArray | None = None
) -> tuple[NodeId, ...]:
    """Return the path from a root down to the node, which is last, by the costliest calls.

    Unlike a stack, it has any length, passes through calls without cost where there are no others,
    and turns to the next best caller where the costliest leads to no root, as happens in a cycle
    that is not detected. `passable` is the mask of nodes that it may contain above the last one,
    shape (nodes,); None for all.
    """
    untried = {node: _callers_by_cost(node, graph, passable)}  # its keys are the path
    visited = {node}
    dead_end: tuple[NodeId, ...] = ()
    while untried:
        callers = untried[next(reversed(untried))]
        while callers and callers[-1] in visited:
            callers.pop()
        if not callers:
            dead_end = dead_end or tuple(reversed(untried))
            untried.popitem()
            continue
        caller = callers.pop()
        visited.add(caller)
        untried[caller] = _callers_by_cost(caller, graph, passable)
        if not untried[caller]:
            return tuple(reversed(untried))
    return dead_end


def _callers_by_cost(node: NodeId, graph: CallGraph, passable: BoolArray | None) -> list[NodeId]:
    """Return the callers of a node, the costliest last."""
    rows = graph.incoming(node)
    if passable is not None:
        rows = rows[passable[graph.adjacency.caller[rows]]]
    costliest_first = rows[np.argsort(-graph.cost[rows], kind="stable")]
    return node_ids(graph.adjacency.caller[costliest_first[::-1]])


def extended_stack(
    stack: CallStack, node: NodeId, graph: CallGraph, cycle: NodeId = NO_NODE
) -> CallStack:
    """Return the stack after a step to `node`, keeping the path to it where possible.

    `cycle` is the cycle that the function belongs to. The graph has calls to members as edges to
    their cycle, so a step to a member passes through its cycle.
    """
    moved = stack.with_active(node)
    if moved is not None:
        return moved
    path = stack.path_to_active
    if cycle in path:
        path = path[: path.index(cycle) + 1]
    if path:
        called = graph.adjacency.callee[graph.outgoing(path[-1])]
        step = (node,) if node in called else (cycle, node)
        if step[0] in called:
            return CallStack(
                _extended_chain((*path, *step), graph, up=False), len(path) + len(step) - 1
            )
    return costliest_stack(node, graph)


def _extended_chain(chain: tuple[NodeId, ...], graph: CallGraph, *, up: bool) -> tuple[NodeId, ...]:
    """Extend a chain from its last node along the costliest calls, each node at most once."""
    visited, extended = set(chain), list(chain)
    for _ in range(_MAX_CHAIN):
        rows = graph.incoming(extended[-1]) if up else graph.outgoing(extended[-1])
        others = graph.adjacency.caller[rows] if up else graph.adjacency.callee[rows]
        for index in np.argsort(-graph.cost[rows], kind="stable").tolist():
            if graph.cost[rows[index]] > 0 and node_at(others, index) not in visited:
                extended.append(node_at(others, index))
                visited.add(extended[-1])
                break
        else:
            break
    return tuple(extended)
