"""Call edges: the calls summed over call sites, one row for each pair of caller and callee.

Self cost, inclusive cost and called count of all functions and cycles, for every measured event.

The rules are KCachegrind's, with the differences of docs/design.md, reading rule 8. In each part, a
function called by others has the cost of these calls; any other function has its self cost plus the
cost of the calls it makes. Direct recursion does not count. Parts are summed. A member of a cycle
has its self cost plus the cost of the calls that leave the cycle.

A cycle is a strongly connected component of two or more functions. All calls count, whatever their
cost, unless a cut excludes cheap ones (see `Scope`). A function that only calls itself is no cycle.
Large cycles are not split.

Nodes are the functions, numbered from 0, followed by the cycles, numbered from the number of
functions. A cycle is a node of its own with costs, callers and members (KCachegrind's `<cycle N>`).
Its self and inclusive costs are the sums over its members, and its called count is that of the
calls from outside. The cycles depend on the scope, so their numbers are valid in one scope only;
`translate_node` converts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.components import find_components
from qcachegrind_py.analysis.costs.scope import (
    Parts,
    Scope,
    calls_of_active_parts,
    counted_calls,
    is_active,
)
from qcachegrind_py.analysis.costs.sums import numbered, segment_sums, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts
from qcachegrind_py.profile.ids import NodeId, cycle_node, function_at, is_function
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array, Int64Array


@frozen(slots=False)
class CallEdges:
    """The calls between each pair of functions, sorted by caller, then callee."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, edges)
    has_counts: bool = True  # False: the profile counts no calls, as those by Go's pprof
    # shape (edges,): called in the counted parts, and not only in others of the frame; None: all
    occurs: BoolArray | None = None
    # shape (edges,): divided among several callers, as calls through folded functions; None: none
    is_estimated: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.caller)

    @property
    def is_recorded(self) -> BoolArray:
        """Whether the calls of each edge were counted: then a count of 0 means they still ran."""
        counted = np.full(len(self), self.has_counts)
        if self.is_estimated is not None:
            counted &= ~self.is_estimated
        return counted if self.occurs is None else counted & self.occurs

    def are_estimated(self, rows: Int64Array) -> BoolArray:
        none = np.zeros(len(rows), bool)
        return none if self.is_estimated is None else self.is_estimated[rows]

    @cached_property
    def rows_by_callee(self) -> Int64Array:
        """The rows sorted by callee, in order of the callers for each."""
        return np.argsort(self.callee, kind="stable")

    @cached_property
    def _sorted_callees(self) -> Int64Array:
        return self.callee[self.rows_by_callee]

    def rows_to(self, functions: Int64Array) -> Int64Array:
        """Return the rows of the calls to these functions, in order of the callers for each."""
        begin = np.searchsorted(self._sorted_callees, functions)
        lengths = np.searchsorted(self._sorted_callees, functions, side="right") - begin
        before = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(begin - before, lengths)
        rows: Int64Array = self.rows_by_callee[places]
        return rows


@frozen
class CallPairs:
    """The pairs of caller and callee that occur in some calls, and the pair of each call."""

    key: Int64Array  # caller · number of functions + callee, in ascending order
    of_call: Int64Array


def call_pairs(calls: Calls, functions: int) -> CallPairs:
    keys = calls.caller.astype(np.int64) * max(1, functions) + calls.callee
    return CallPairs(*np.unique(keys, return_inverse=True))


def call_edges(
    profile: Profile, parts: Parts = None, frame: Parts = None, pairs: CallPairs | None = None
) -> CallEdges:
    """Sum the calls of the active `parts`, or of all if it is None.

    With a `frame` there is a row for each pair in its parts, described in `Scope`; `pairs` are
    those of its calls, if they are known. Of contexts, an edge costs what all stacks cost together
    that have it, once each.
    """
    if profile.contexts is not None:
        return _edges_of_contexts(profile.contexts, len(profile.functions), parts, frame)
    calls, counted = counted_calls(profile, parts, frame)
    functions = len(profile.functions)
    has_counts = has_call_counts(profile, None if frame is None else parts)
    pairs = pairs or call_pairs(calls, functions)
    return sum_edges(calls, functions, pairs, has_counts=has_counts, counted=counted)


def has_call_counts(profile: Profile, side: Parts = None) -> bool:
    """Return whether the profile counts calls; otherwise a count of 0 is unknown, shown as a dash.

    Callgrind always does, even if all calls were active when it wrote the profile. `side` is the
    parts of one side of a comparison, which may be of another program than the other side.
    """
    if side is None:
        return profile.creator.startswith("callgrind") or bool(profile.calls.count.any())
    if any(profile.parts[part].creator.startswith("callgrind") for part in side):
        return True
    counts = profile.calls.count[is_active(profile.calls.part, side)]
    return bool(counts.any())


def sum_edges(
    calls: Calls,
    functions: int,
    pairs: CallPairs,
    *,
    has_counts: bool = True,
    counted: BoolArray | None = None,
) -> CallEdges:
    """Sum calls by caller and callee; `functions` is the number of functions.

    `counted` tells which calls are of counted parts, shape (calls,); None if all are.
    """
    functions, edge_keys, edge = max(1, functions), pairs.key, pairs.of_call
    occurs = None
    if counted is not None:
        occurs = np.zeros(len(edge_keys), bool)
        occurs[edge[counted]] = True
    return CallEdges(
        caller=edge_keys // functions,
        callee=edge_keys % functions,
        count=sums_by_group(calls.count, edge, len(edge_keys)),
        inclusive=sums_by_group(calls.values, edge, len(edge_keys)),
        has_counts=has_counts,
        occurs=occurs,
    )


# ---------------------------------------------------------------- cycles


def find_cycles(caller: Int32Array, callee: Int32Array, functions: int) -> Int32Array:
    """Return the cycle number of each function, int32 of shape (functions,); 0: none.

    `caller` and `callee` are the ends of each call. Cycles are numbered from 1 in order of their
    first function.
    """
    return _cycle_numbers(components(caller, callee, functions))


def components(caller: Int32Array, callee: Int32Array, nodes: int) -> Int32Array:
    """Return the number of each node's component, int32 of shape (nodes,).

    Nodes of one component reach each other. A component has a higher number than those that it
    calls.
    """
    component = np.zeros(nodes, np.int32)
    find_components(
        np.ascontiguousarray(caller).data,
        np.ascontiguousarray(callee).data,
        np.zeros(nodes + 1, np.int32).data,
        np.zeros(len(caller), np.int32).data,
        np.zeros((5, nodes), np.int32).data,
        component.data,
    )
    return component


def _cycle_numbers(component: Int32Array) -> Int32Array:
    """Number the components of two or more from 1 in order of their first member."""
    if not len(component):
        return component
    size = np.bincount(component)
    members = np.flatnonzero(size[component] > 1)
    cycles = np.zeros(len(component), np.int32)
    _, first, inverse = np.unique(component[members], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    cycles[members] = rank[inverse]
    return cycles


# ---------------------------------------------------------------- costs of functions


@frozen(slots=False)
class FunctionCosts:
    """The costs of each function in the active parts, shape (events, functions)."""

    self_cost: Int64Array
    inclusive: Int64Array
    called: Int64Array  # shape (functions,), recursive calls included
    cycle: Int32Array  # shape (functions,): number of the cycle; 0: none
    # shape (functions,): called, but by calls alone that had not returned in the end
    is_active: BoolArray
    has_call_counts: bool = True  # False: how often functions were called is not known

    @cached_property
    def _members(self) -> Int64Array:
        """The functions and cycles that are or belong to a cycle, sorted by its number."""
        members = np.flatnonzero(self.cycle)
        return members[np.argsort(self.cycle[members], kind="stable")]

    @cached_property
    def _cycle_of_member(self) -> Int32Array:
        return self.cycle[self._members]

    def nodes_of_cycle(self, number: int) -> Int64Array:
        """Return the functions of a cycle, in order, and its own node behind them if it has one."""
        start, stop = np.searchsorted(self._cycle_of_member, (number, number + 1))
        return self._members[start:stop]

    @cached_property
    def less_than_self(self) -> Int64Array:
        """How many functions and cycles have less inclusive than self cost, shape (events,).

        That is a fault of the writer, or calls are missing. Of an event with negative costs, such
        as freed memory, nothing is said.
        """
        is_less = (self.inclusive < self.self_cost).sum(axis=1)
        is_negative = ((self.self_cost < 0) | (self.inclusive < 0)).any(axis=1)
        counts: Int64Array = np.where(is_negative, 0, is_less)
        return counts

    @property
    def totals(self) -> Int64Array:
        """The sum of the self costs, shape (events,)."""
        totals: Int64Array = self.self_cost.sum(axis=1)
        return totals


def function_costs(
    profile: Profile,
    *,
    cycles: bool = True,
    parts: Parts = None,
    cut: float = 0.0,
    frame: Parts = None,
) -> FunctionCosts:
    """Compute the costs of all functions in the active `parts`; None stands for all parts.

    `cycles` enables cycle detection; `cut` and `frame` are described in `Scope`. With contexts
    there are no cycles: what a function costs inclusively is what all stacks cost that contain it.
    """
    functions = len(profile.functions)
    if profile.contexts is not None:
        return _costs_of_contexts(profile.contexts, functions, parts)
    runs, calls = profile.runs, calls_of_active_parts(profile, parts)
    active = np.ones(len(runs.part), bool) if parts is None else is_active(runs.part, parts)
    rows = np.flatnonzero(active)
    around = slice(int(rows[0]), int(rows[-1]) + 1) if len(rows) else slice(0, 0)
    starts = runs.start[around.start : around.stop + 1]
    run_costs = segment_sums(profile.costs.values, starts)
    run_costs[:, ~active[around]] = 0
    run_part, run_function = runs.part[around], runs.function[around]
    self_cost = sums_by_group(run_costs, run_function, functions)
    called = sums_by_group(calls.count, calls.callee, functions)
    waiting = np.zeros(functions, bool)
    has_counts = has_call_counts(profile, None if frame is None else parts)
    waiting[calls.callee] = has_counts
    waiting &= called == 0
    structure = calls if frame is None else calls_of_active_parts(profile, frame)
    cycle = _cycles(structure, functions, cut) if cycles else np.zeros(functions, np.int32)
    part_functions = _PartFunctions(run_part, run_function, calls, functions)
    inclusive = sums_by_group(
        part_functions.inclusive(run_costs), part_functions.function, functions
    )
    is_member = cycle > 0
    if is_member.any():
        leaving = is_member[calls.caller] & (cycle[calls.caller] != cycle[calls.callee])
        outside = sums_by_group(calls.values[:, leaving], calls.caller[leaving], functions)
        inclusive[:, is_member] = (self_cost + outside)[:, is_member]
    return FunctionCosts(self_cost, inclusive, called, cycle, waiting, has_counts)


def function_cycles(profile: Profile, parts: Parts = None, cut: float = 0.0) -> Int32Array:
    """Return the cycle of each function over these parts, in the form of `FunctionCosts.cycle`.

    `cut` is described in `Scope`. A profile with contexts needs none.
    """
    if profile.contexts is not None:
        return np.zeros(len(profile.functions), np.int32)
    return _cycles(calls_of_active_parts(profile, parts), len(profile.functions), cut)


def _cycles(calls: Calls, functions: int, cut: float) -> Int32Array:
    return find_cycles(*_calls_of_cycles(calls, functions, cut), functions)


def _calls_of_cycles(calls: Calls, functions: int, cut: float) -> tuple[Int32Array, Int32Array]:
    """Return caller and callee of the calls that may form a cycle: with a cut, the costly ones."""
    if cut <= 0 or not len(calls):
        return calls.caller, calls.callee
    edges = sum_edges(calls, functions, call_pairs(calls, functions))
    cost = edges.inclusive[0]
    received = np.zeros(functions, np.int64)
    np.maximum.at(received, edges.callee, cost)
    is_costly = cost >= received[edges.caller] * cut
    return edges.caller[is_costly].astype(np.int32), edges.callee[is_costly].astype(np.int32)


class _PartFunctions:
    """The pairs of part and function that occur, since the inclusive rule applies to each part."""

    def __init__(
        self, run_part: Int32Array, run_function: Int32Array, calls: Calls, functions: int
    ) -> None:
        if not run_part.any() and not calls.part.any():  # one part: the pairs are the functions
            self.count = functions
            self.function = np.arange(functions)
            self._run, self._caller, self._callee = (
                column.astype(np.intp) for column in (run_function, calls.caller, calls.callee)
            )
        else:
            run = run_part.astype(np.int64) * functions + run_function
            caller = calls.part.astype(np.int64) * functions + calls.caller
            callee = calls.part.astype(np.int64) * functions + calls.callee
            highest = max(int(key.max(initial=0)) for key in (run, caller, callee))
            keys, (self._run, self._caller, self._callee) = numbered(
                (run, caller, callee), highest + 1
            )
            self.count = len(keys)
            self.function = keys % max(1, functions)
        self._calls = calls

    def inclusive(self, run_costs: Int64Array) -> Int64Array:
        """Return the inclusive cost of each pair, shape (events, pairs)."""
        calls, count = self._calls, self.count
        own = np.flatnonzero(calls.caller == calls.callee)  # of few; others are not copied
        recursive = sums_by_group(calls.values[:, own], self._callee[own], count)
        received = sums_by_group(calls.values, self._callee, count) - recursive
        spent = sums_by_group(run_costs, self._run, count) - recursive
        spent += sums_by_group(calls.values, self._caller, count)
        is_called = sums_by_group(calls.count, self._callee, count) > 0
        lines = np.bincount(self._callee, minlength=count)
        called_by_others = lines > np.bincount(self._callee[own], minlength=count)
        return np.where(is_called & called_by_others, received, spent)


# ---------------------------------------------------------------- costs of stacks


def _costs_of_contexts(contexts: Contexts, functions: int, parts: Parts) -> FunctionCosts:
    values = values_of_parts(contexts, parts)
    rows = np.flatnonzero(contexts.are_outermost(contexts.function))
    below = contexts.sums_below(values)[:, rows]
    return FunctionCosts(
        sums_by_group(values, contexts.function, functions),
        sums_by_group(below, contexts.function[rows], functions),
        called=np.zeros(functions, np.int64),
        cycle=np.zeros(functions, np.int32),
        is_active=np.zeros(functions, bool),
        has_call_counts=False,
    )


def _edges_of_contexts(contexts: Contexts, functions: int, parts: Parts, frame: Parts) -> CallEdges:
    is_inner = contexts.parent >= 0
    if frame is not None or parts is not None:
        is_inner &= is_active(contexts.part, frame or parts or frozenset())
    rows = np.flatnonzero(is_inner)
    caller = contexts.function[contexts.parent[rows]].astype(np.int64)
    keys, edge = np.unique(caller * functions + contexts.function[rows], return_inverse=True)
    counted = np.flatnonzero(contexts.are_outermost(edge, rows))
    below = contexts.sums_below(values_of_parts(contexts, parts))[:, rows[counted]]
    occurs = None
    if frame is not None and parts is not None:
        occurs = np.zeros(len(keys), bool)
        occurs[edge[is_active(contexts.part[rows], parts)]] = True
    return CallEdges(
        caller=keys // max(1, functions),
        callee=keys % max(1, functions),
        count=np.zeros(len(keys), np.int64),
        inclusive=sums_by_group(below, edge[counted], len(keys)),
        has_counts=False,
        occurs=occurs,
    )


def values_of_parts(contexts: Contexts, parts: Parts) -> Int64Array:
    """Return the self costs of contexts, 0 in other parts, shape (events, contexts)."""
    if parts is None:
        return contexts.values
    values: Int64Array = np.where(is_active(contexts.part, parts), contexts.values, 0)
    return values


# ---------------------------------------------------------------- nodes


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


# ---------------------------------------------------------------- cycles of a comparison


@frozen(eq=True)
class SplitCycle:
    """A cycle over all selections, and what its functions are in each of them alone."""

    number: int  # from 1
    functions: int
    alone: tuple[tuple[int, ...], ...]  # for each selection the sizes of its cycles, largest first


def split_cycles(
    profile: Profile, cycle: Int32Array, scopes: Sequence[Scope]
) -> tuple[SplitCycle, ...]:
    """Return the cycles of which the functions form other cycles, or none, in one of the scopes.

    Cycles of a comparison are found over both sides together: a member has no cost of the calls
    within its cycle, also on a side where these calls alone would be no cycle. `cycle` is the cycle
    of each function over all scopes, shape (functions,). Functions that neither call nor are called
    in a scope make no difference there.
    """
    if not cycle.any():
        return ()
    sides = [_Side(profile, cycle, scope) for scope in scopes]
    numbers = np.flatnonzero(np.any([side.is_split for side in sides], axis=0)).tolist()
    sizes = np.bincount(cycle)
    return tuple(
        SplitCycle(number, int(sizes[number]), tuple(side.sizes(number) for side in sides))
        for number in numbers
    )


class _Side:
    """The cycles of one scope alone, within those over all scopes."""

    def __init__(self, profile: Profile, cycle: Int32Array, scope: Scope) -> None:
        alone = function_cycles(profile, scope.parts, scope.cut)
        members, count = np.flatnonzero((alone > 0) & (cycle > 0)), int(cycle.max()) + 1
        pairs = np.stack((cycle[members], alone[members]))
        (self._cycle, _), self._sizes = np.unique(pairs, axis=1, return_counts=True)
        largest = np.zeros(count, np.int64)
        np.maximum.at(largest, self._cycle, self._sizes)
        calls = calls_of_active_parts(profile, scope.parts)
        occurs = np.zeros(len(cycle), bool)
        occurs[calls.caller] = occurs[calls.callee] = True
        # shape (cycles + 1,): the functions that occur are not all in one cycle
        self.is_split = np.bincount(cycle[occurs], minlength=count) != largest
        self.is_split[0] = False  # functions that are in no cycle

    def sizes(self, number: int) -> tuple[int, ...]:
        """Return the sizes of the cycles within this one, largest first."""
        return tuple(sorted(self._sizes[self._cycle == number].tolist(), reverse=True))
