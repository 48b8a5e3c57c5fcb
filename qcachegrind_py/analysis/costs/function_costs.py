"""Self cost, inclusive cost and called count of every function, for every measured event.

The rules are KCachegrind's, with the differences of docs/design.md, reading rule 8. In each part, a
function called by others has the cost of these calls; any other function has its self cost plus the
cost of the calls it makes. Direct recursion does not count. Parts are summed. A member of a cycle
has its self cost plus the cost of the calls that leave the cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import has_call_counts, sum_edges
from qcachegrind_py.analysis.costs.function_costs import find_cycles
from qcachegrind_py.analysis.costs.scope import Parts, calls_of_active_parts, is_active
from qcachegrind_py.analysis.costs.sums import numbered, segment_sums, sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array, Int64Array


@dataclass(frozen=True, eq=False)
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

    `cycles` enables cycle detection; `cut` and `frame` are described in `Scope`.
    """
    functions = len(profile.functions)
    runs, calls = profile.runs, calls_of_active_parts(profile, parts)
    run_costs = segment_sums(profile.costs.values, runs.start)
    if parts is not None:
        run_costs[:, ~is_active(runs.part, parts)] = 0
    self_cost = sums_by_group(run_costs, runs.function, functions)
    called = sums_by_group(calls.count, calls.callee, functions)
    waiting = np.zeros(functions, bool)
    has_counts = has_call_counts(profile, None if frame is None else parts)
    waiting[calls.callee] = has_counts
    waiting &= called == 0
    structure = calls if frame is None else calls_of_active_parts(profile, frame)
    cycle = _cycles(structure, functions, cut) if cycles else np.zeros(functions, np.int32)
    part_functions = _PartFunctions(runs.part, runs.function, calls, functions)
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

    `cut` is described in `Scope`.
    """
    return _cycles(calls_of_active_parts(profile, parts), len(profile.functions), cut)


def _cycles(calls: Calls, functions: int, cut: float = 0.0) -> Int32Array:
    return find_cycles(*_calls_of_cycles(calls, functions, cut), functions)


def _calls_of_cycles(calls: Calls, functions: int, cut: float) -> tuple[Int32Array, Int32Array]:
    """Return caller and callee of the calls that may form a cycle: with a cut, the costly ones."""
    if cut <= 0 or not len(calls):
        return calls.caller, calls.callee
    edges = sum_edges(calls, functions)
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
        run = run_part.astype(np.int64) * functions + run_function
        caller = calls.part.astype(np.int64) * functions + calls.caller
        callee = calls.part.astype(np.int64) * functions + calls.callee
        if not run_part.any() and not calls.part.any():  # one part: the pairs are the functions
            self.count = functions
            self.function = np.arange(functions)
            self._run, self._caller, self._callee = run, caller, callee
        else:
            highest = max(int(key.max(initial=0)) for key in (run, caller, callee))
            keys, (self._run, self._caller, self._callee) = numbered(
                (run, caller, callee), highest + 1
            )
            self.count = len(keys)
            self.function = keys % max(1, functions)
        self._calls = calls

    def inclusive(self, run_costs: Int64Array) -> Int64Array:
        """Return the inclusive cost of each pair, shape (events, pairs)."""
        calls = self._calls
        is_outer = calls.caller != calls.callee
        values = calls.values if is_outer.all() else calls.values[:, is_outer]
        self_cost = sums_by_group(run_costs, self._run, self.count)
        received = sums_by_group(values, self._callee[is_outer], self.count)
        spent = self_cost + sums_by_group(values, self._caller[is_outer], self.count)
        is_called = sums_by_group(calls.count, self._callee, self.count) > 0
        called_by_others = np.zeros(self.count, bool)
        called_by_others[self._callee[is_outer]] = True
        return np.where(is_called & called_by_others, received, spent)
