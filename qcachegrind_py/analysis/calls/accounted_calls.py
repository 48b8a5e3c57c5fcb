"""The calls of a program, made to account for all of its cost: what pictures and trees unfold.

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.function_costs import components
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NOT_ATTRIBUTED, OTHER_CALLERS, STAND_INS, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_SUM = 2.0**61  # sums of costs from here on may need more than 64 bits
_MOST_PASSES = 20  # over the calls of circles that are not detected


@frozen
class FrameRoots:
    """The nodes that a frame tree begins with, and the cost of each there: shape (roots,)."""

    node: Int64Array
    cost: CostArray

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
        node = np.flatnonzero((self.begun > 0).astype(bool))
        others = (OTHER_CALLERS, sum(self.excess.tolist())), (NOT_ATTRIBUTED, self.remainder)
        stand_ins = [(stand_in, cost) for stand_in, cost in others if cost > 0]
        costs = [*self.begun[node].tolist(), *(cost for _, cost in stand_ins)]
        large = self.begun.dtype == object or max(costs, default=0) >= _MAX_SUM
        return FrameRoots(
            np.append(node, np.array([stand_in for stand_in, _ in stand_ins], np.int64)),
            np.array(costs, object if large else np.int64),
        )

    def roots_at(self, nodes: Sequence[NodeId]) -> FrameRoots:
        """Return nodes as roots, each with all that it has."""
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
        others = np.full(len(extra), OTHER_CALLERS, np.int64)
        if up:
            near, far = [shape.callee, extra], [shape.caller, others]
            costs = [self.graph.cost, self.excess[extra]]
        else:
            lacking = np.flatnonzero((self.missing > 0).astype(bool))
            nothing = np.full(len(lacking), NOT_ATTRIBUTED, np.int64)
            near, far = [shape.caller, others, lacking], [shape.callee, extra, nothing]
            costs = [self.graph.cost, self.excess[extra], self.missing[lacking]]
        cost = np.concatenate(costs)
        more = np.zeros(len(cost) - len(self.graph.cost), bool)
        more[: len(extra)] = self.is_reduced[extra]
        return CallEnds(
            np.concatenate(near),
            np.concatenate(far),
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
        is_call = (near >= 0) & (far >= 0)
        shape = self.graph.adjacency
        rows = call_rows(self.graph, near[is_call], far[is_call], up=up)
        cost = np.zeros(len(near), self.graph.cost.dtype)
        is_estimated, is_reduced = np.zeros((2, len(near)), bool)
        cost[is_call], is_estimated[is_call] = self.graph.cost[rows], shape.is_estimated[rows]
        is_reduced[is_call] = self.is_reduced_call[rows]
        is_missing = (near >= 0) & (far == NOT_ATTRIBUTED)
        cost[is_missing] = self.missing[near[is_missing]]
        is_excess = ~is_call & ~is_missing
        function = (near if up else far)[is_excess]
        cost[is_excess], is_reduced[is_excess] = self.excess[function], self.is_reduced[function]
        return cost, is_estimated, is_reduced

    @cached_property
    def stand_in_costs(self) -> CostArray:
        """What the stand-ins have, shape (STAND_INS,), in the order of their negative ids."""
        return np.array([0, sum(self.excess.tolist()), 0], self.graph.inclusive.dtype)


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
