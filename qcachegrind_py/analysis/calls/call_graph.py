"""Calls between functions: callers and callees, the call graph, stacks, and where costs end.

The nodes are functions and cycles. The lists of direct calls have all calls of a function; those
inside its cycle have no cost, since their cost is part of the cycle's (KCachegrind's rule). The
callers of a cycle are the callers from outside; its callees are its members.

The graph leaves out calls inside a cycle and direct recursion. A call to a member of a cycle is an
edge to the cycle, and the cycle has an edge to each of its members, which costs the member's
inclusive cost (KCachegrind's rule). The graph is therefore acyclic whenever cycle detection is on.

The calls of a program, made to account for all of its cost: what pictures and trees unfold.

A function has its self cost and the costs of the calls that it makes, and calls to it pass that on.
Where a profile says otherwise, the difference is kept, and has a place of its own:

- A function whose self cost and calls cost more than all calls to it has an *excess*: `clone` costs
  54, and the thread that it starts 29 million. It stands below `OTHER_CALLERS`. If nobody called
  the function, or nobody in one of the parts, the program *begins* there.
- In a function that costs less by itself and by its calls than by the calls to it, costs are
  *missing*: a program ended inside of it, or a tool waited there. They are `NOT_ATTRIBUTED`.
- Calls may cost more together than the function that they call, as in profiles without call counts.
  They are then reduced in proportion.

Functions and cycles therefore have what is inside of them, and the program has the sum of its self
costs and of what is missing. If that is more than its total, the missing costs cannot have been
spent: calls are reduced to what the functions that they call account for. All sums are exact.

An inverted tree begins with self costs and what is missing (`self_roots`). Calls upwards divide
each among the callers in proportion to what they account for, so that all places of a function
together have its inclusive cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import (
    CallEdges,
    FunctionCosts,
    are_within_cycle,
    components,
    cycle_members,
    within_cycle,
)
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes
from qcachegrind_py.profile.ids import (
    NO_NODE,
    NOT_ATTRIBUTED,
    OTHER_CALLERS,
    STAND_INS,
    NodeId,
    node_at,
    node_ids,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array

MAX_CHAIN = 50  # callers above a node, or callees below it, in a stack

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
    return direct_calls(pairs.caller[rows], rows, pairs, costs)


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
    return direct_calls(pairs.callee[rows], rows, pairs, costs)


def direct_calls(
    others: Int64Array, rows: Int64Array, edges: CallEdges, costs: FunctionCosts
) -> DirectCalls:
    """Return rows of the edges as the calls from or to `others`, their callers or callees."""
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
        shape = self.adjacency
        return np.arange(shape.caller_start[node], shape.caller_start[node + 1])

    def incoming(self, node: NodeId) -> Int64Array:
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
    """A stack: the costliest callers above a node, and the costliest callees below it.

    It is a guess where a profile has no contexts, as it does not record then which functions were
    on the stack together. `nodes` begin with the topmost caller; `active_index` is the position of
    the active one.
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
    for _ in range(MAX_CHAIN):
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


_MAX_SUM = 2.0**61  # sums of costs from here on may need more than 64 bits
_MOST_PASSES = 20  # over the calls of circles that are not detected


@frozen
class FrameRoots:
    """The nodes that a frame tree begins with, and the cost of each there: shape (roots,)."""

    node: Int64Array
    cost: CostArray
    are_self_costs: bool = False  # the tree is inverted: the costs are no part of calls

    def __len__(self) -> int:
        return len(self.node)


@frozen
class CallEnds:
    """Calls as one direction sees them, shape (calls,); ids below 0 are stand-ins."""

    near: Int64Array
    far: Int64Array
    cost: CostArray
    is_estimated: BoolArray
    is_reduced: BoolArray  # the cost is less than is recorded


@frozen(slots=False)
class AccountedCalls:
    """The call graph with the costs that are accounted for; arrays of nodes have shape (nodes,).

    `graph.inclusive` is what a node has inside: what the calls to it cost, what begins there and
    its excess.
    """

    recorded: CallGraph
    functions: int  # the nodes from there on are cycles
    graph: CallGraph
    begun: CostArray
    excess: CostArray
    missing: CostArray
    is_reduced: BoolArray  # of each node: it accounts for less than is recorded
    is_reduced_call: BoolArray  # shape (calls,)
    remainder: int = 0  # of the program's total, beyond all that functions and calls have

    @property
    def accounted(self) -> int:
        """What all functions have, with what is missing in them."""
        accounted: int = sum(self.begun.tolist()) + sum(self.excess.tolist())
        return accounted

    @property
    def not_attributed(self) -> int:
        """What no function has: missing costs and the remainder."""
        missing: int = sum(self.missing.tolist())
        return missing + self.remainder

    def of_program(self, total: int) -> AccountedCalls:
        """Return the calls so that they and the remainder add up to the total of the program."""
        calls = self
        if self.accounted > total and (self.missing > 0).any():
            calls = _balanced(self.recorded, self.functions, keeps_missing=False)
        return replace(calls, remainder=max(0, total - calls.accounted))

    def program_roots(self) -> FrameRoots:
        """Return where the program begins, with the stand-ins that have cost."""
        excess: int = sum(self.excess.tolist())
        return _roots(self.begun, {OTHER_CALLERS: excess, NOT_ATTRIBUTED: self.remainder})

    def self_roots(self) -> FrameRoots:
        """Return where the inverted program begins: functions by self cost, and what none has.

        Trees of the callers of these (`up`) divide the self cost of each among its callers.
        """
        own = self.graph.self_cost[: self.functions]  # cycles call their members, which have it
        roots = _roots(own, {NOT_ATTRIBUTED: self.not_attributed})
        return replace(roots, are_self_costs=True)

    def roots_at(self, nodes: Sequence[NodeId]) -> FrameRoots:
        node = np.array(nodes, np.int64)
        return FrameRoots(node, self.graph.inclusive[node])

    def are_reduced(self, nodes: Int64Array) -> BoolArray:
        """Return which of these nodes account for less than is recorded; no stand-in does."""
        return np.append(self.is_reduced, np.zeros(STAND_INS, bool))[nodes]

    def ends(self, *, up: bool) -> CallEnds:
        """Return the calls from callers down to callees, or `up` from callees to callers.

        Those of the graph, in its order, are followed by those of the stand-ins.
        """
        shape = self.graph.adjacency
        extra = np.flatnonzero((self.excess > 0).astype(bool))
        lacking = np.flatnonzero((self.missing > 0).astype(bool))
        others = np.full(len(extra), OTHER_CALLERS, np.int64)
        nothing = np.full(len(lacking), NOT_ATTRIBUTED, np.int64)
        caller = np.concatenate((shape.caller, others, lacking))
        callee = np.concatenate((shape.callee, extra, nothing))
        cost = np.concatenate((self.graph.cost, self.excess[extra], self.missing[lacking]))
        more = np.zeros(len(cost) - len(self.graph.cost), bool)
        more[: len(extra)] = self.is_reduced[extra]
        return CallEnds(
            callee if up else caller,
            caller if up else callee,
            cost,
            np.append(shape.is_estimated, np.zeros(len(more), bool)),
            np.append(self.is_reduced_call, more),
        )

    def between(
        self, near: Int64Array, far: Int64Array, *, up: bool
    ) -> tuple[CostArray, BoolArray, BoolArray]:
        """Return what the calls between these nodes cost, shape (pairs,), as `ends` has them.

        The masks tell which costs are estimates, and which are less than recorded.
        """
        caller, callee = (far, near) if up else (near, far)
        is_call = (near >= 0) & (far >= 0)
        shape = self.graph.adjacency
        rows = call_rows(self.graph, near[is_call], far[is_call], up=up)
        cost = np.zeros(len(near), self.graph.cost.dtype)
        is_estimated, is_reduced = np.zeros((2, len(near)), bool)
        cost[is_call], is_estimated[is_call] = self.graph.cost[rows], shape.is_estimated[rows]
        is_reduced[is_call] = self.is_reduced_call[rows]
        is_missing = (caller >= 0) & (callee == NOT_ATTRIBUTED)
        cost[is_missing] = self.missing[caller[is_missing]]
        is_excess = ~is_call & ~is_missing
        function = callee[is_excess]
        cost[is_excess], is_reduced[is_excess] = self.excess[function], self.is_reduced[function]
        return cost, is_estimated, is_reduced

    @cached_property
    def stand_in_costs(self) -> CostArray:
        """What the stand-ins have, shape (STAND_INS,), in the order of their negative ids."""
        costs = self.not_attributed, sum(self.excess.tolist()), 0
        return np.array(costs, object if max(costs) >= _MAX_SUM else self.graph.inclusive.dtype)


def _roots(costs: CostArray, stand_ins: dict[NodeId, int]) -> FrameRoots:
    """Return the nodes that have cost, by their costs of shape (nodes,), with these stand-ins."""
    node = np.flatnonzero((costs > 0).astype(bool))
    others = {stand_in: cost for stand_in, cost in stand_ins.items() if cost > 0}
    large = costs.dtype == object or max(others.values(), default=0) >= _MAX_SUM
    return FrameRoots(
        np.append(node, np.array(list(others), np.int64)),
        np.array([*costs[node].tolist(), *others.values()], object if large else np.int64),
    )


def call_rows(graph: CallGraph, near: Int64Array, far: Int64Array, *, up: bool) -> Int64Array:
    """Return the rows of the calls between these nodes: the adjacency is sorted by both ends."""
    shape, nodes = graph.adjacency, len(graph.inclusive)
    caller, callee = (far, near) if up else (near, far)
    return np.searchsorted(shape.caller * nodes + shape.callee, caller * nodes + callee)


def account_for_calls(graph: CallGraph, functions: int) -> AccountedCalls:
    """Return the calls of a graph, of which the first `functions` nodes are no cycles.

    Costs that are missing in functions are kept: see `AccountedCalls.of_program`.
    """
    return _balanced(graph, functions, keeps_missing=True)


def _balanced(recorded: CallGraph, functions: int, *, keeps_missing: bool) -> AccountedCalls:
    graph = _in_room_for_sums(recorded)
    shape, nodes = graph.adjacency, len(graph.inclusive)
    own = graph.self_cost.copy()
    own[functions:] = 0  # a cycle calls its members, which have it
    cost = graph.cost
    spent = own + sums_by_group(cost, shape.caller, nodes)
    whole = np.maximum(graph.inclusive, spent)
    received = sums_by_group(np.maximum(cost, 0), shape.callee, nodes)
    missing = whole - spent
    begins = np.maximum(graph.inclusive - received, 0)
    inclusive, is_reduced_call = whole, np.zeros(len(cost), bool)
    is_exceeded = received > np.maximum(whole, 0)
    if is_exceeded.any() or (not keeps_missing and (missing > 0).any()):
        cost, inclusive = _Reduction(graph, spent, keeps_missing=keeps_missing).result()
        is_reduced_call = (cost != graph.cost).astype(bool)
        spent = own + sums_by_group(cost, shape.caller, nodes)
        received = sums_by_group(np.maximum(cost, 0), shape.callee, nodes)
        missing = np.maximum(inclusive - spent, 0)
    rest = np.maximum(inclusive - received, 0)
    is_called = np.diff(shape.callee_start) > 0
    begins[functions:][is_called[functions:]] = 0  # sums over members, to which calls do not add up
    begun = np.where(is_called, np.minimum(begins, rest), rest)
    callers = np.bincount(shape.callee[(cost > 0).astype(bool)], minlength=nodes)
    is_divided = is_reduced_call & (callers[shape.callee] > 1)
    return AccountedCalls(
        recorded=recorded,
        functions=functions,
        graph=CallGraph(
            replace(shape, is_estimated=shape.is_estimated | is_divided),
            cost,
            inclusive,
            graph.self_cost,
        ),
        begun=begun,
        excess=rest - begun,
        missing=missing,
        is_reduced=(inclusive < whole).astype(bool),
        is_reduced_call=is_reduced_call,
    )


def _in_room_for_sums(graph: CallGraph) -> CallGraph:
    """Return the graph with Python integers if sums of its costs may need more than 64 bits."""
    columns = graph.cost, graph.inclusive, graph.self_cost
    size = sum(float(np.abs(column.astype(np.float64)).sum()) for column in columns)
    if size < _MAX_SUM:
        return graph
    return CallGraph(graph.adjacency, *(column.astype(object) for column in columns))


class _Reduction:
    """Reduces calls that cost more than the function that they call accounts for.

    Functions are visited before their callers, so that one pass is enough; circles that are not
    detected take several.
    """

    def __init__(self, graph: CallGraph, spent: CostArray, *, keeps_missing: bool) -> None:
        shape, nodes = graph.adjacency, len(graph.inclusive)
        self._dtype = graph.cost.dtype
        self._cost, self._caller = graph.cost.tolist(), shape.caller.tolist()
        self._rows, self._start = shape.rows_by_callee.tolist(), shape.callee_start.tolist()
        self._spent, self._inclusive = spent.tolist(), graph.inclusive.tolist()
        self._keeps_missing = keeps_missing
        ends = shape.caller.astype(np.int32), shape.callee.astype(np.int32)
        component = components(*ends, nodes)
        self._order = np.argsort(component, kind="stable").tolist()
        self._has_circles = int(component.max(initial=-1)) + 1 < nodes

    def result(self) -> tuple[CostArray, CostArray]:
        """Return the costs of the calls, shape (calls,), and what each node has."""
        whole = self._pass()
        for _ in range(_MOST_PASSES if self._has_circles else 0):
            before, whole = whole, self._pass()
            if before == whole:
                break
        return np.array(self._cost, self._dtype), np.array(whole, self._dtype)

    def _pass(self) -> list[int]:
        whole = [0] * len(self._spent)
        for node in self._order:
            spent = self._spent[node]
            whole[node] = max(spent, self._inclusive[node]) if self._keeps_missing else spent
            rows = self._rows[self._start[node] : self._start[node + 1]]
            costs = [max(0, self._cost[row]) for row in rows]
            if sum(costs) > max(0, whole[node]):
                self._reduce(rows, costs, max(0, whole[node]))
        return whole

    def _reduce(self, rows: list[int], costs: list[int], limit: int) -> None:
        """Divide the limit among calls in proportion to their costs, so that they add up to it."""
        received, before, passed = sum(costs), 0, 0
        for row, cost in zip(rows, costs, strict=True):
            if cost:
                passed += cost
                until = limit * passed // received
                self._spent[self._caller[row]] -= cost - (until - before)
                self._cost[row], before = until - before, until
