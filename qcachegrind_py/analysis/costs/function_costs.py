"""Self and inclusive cost and called count of every function, for every measured event.

The rules are KCachegrind's (reference in DESIGN 4.8): in each part, a function that was called has
the cost of the calls it received, its own calls of itself left out; one that was not, its self cost
and that of the calls it makes. Parts are summed. A member of a cycle has its self cost and that of
the calls which leave the cycle. Better than KCachegrind: a root that only calls itself has at least
its self cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import sum_edges
from qcachegrind_py.analysis.costs.cycles import find_cycles
from qcachegrind_py.analysis.costs.grouped_sums import segment_sums, sums_by_group
from qcachegrind_py.analysis.costs.scope import Parts, calls_of_active_parts, is_active
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Calls, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class FunctionCosts:
    """What each function cost in the active parts; costs have the shape (events, functions)."""

    self_cost: Int64Array
    inclusive: Int64Array
    called: Int64Array  # shape (functions,), calls of itself included
    cycle: Int32Array  # shape (functions,): number of the cycle, 0 for none

    @property
    def totals(self) -> Int64Array:
        """The sum of all self costs, shape (events,)."""
        totals: Int64Array = self.self_cost.sum(axis=1)
        return totals


def function_costs(
    profile: Profile, *, cycles: bool = True, parts: Parts = None, cut: float = 0.0
) -> FunctionCosts:
    """Costs of all functions; `parts` are the active ones, all where it is None.

    `cut` is as in `Scope`.
    """
    functions = len(profile.functions)
    runs, calls = profile.runs, calls_of_active_parts(profile, parts)
    run_costs = segment_sums(profile.costs.values, runs.start)
    if parts is not None:
        run_costs[:, ~is_active(runs.part, parts)] = 0
    self_cost = sums_by_group(run_costs, runs.function, functions)
    called = sums_by_group(calls.count, calls.callee, functions)
    cycle = _cycles(calls, functions, cut) if cycles else np.zeros(functions, np.int32)
    places = _PartFunctions(runs.part, runs.function, calls, functions)
    inclusive = sums_by_group(places.inclusive(run_costs), places.function, functions)
    members = cycle > 0
    if members.any():
        leaving = members[calls.caller] & (cycle[calls.caller] != cycle[calls.callee])
        outside = sums_by_group(calls.values[:, leaving], calls.caller[leaving], functions)
        inclusive[:, members] = (self_cost + outside)[:, members]
    return FunctionCosts(self_cost, inclusive, called, cycle)


def function_cycles(profile: Profile) -> Int32Array:
    """The cycle of each function over all parts, shape (functions,): as `FunctionCosts.cycle`."""
    return _cycles(profile.calls, len(profile.functions))


def _cycles(calls: Calls, functions: int, cut: float = 0.0) -> Int32Array:
    return find_cycles(*_calls_of_cycles(calls, functions, cut), functions)


def _calls_of_cycles(calls: Calls, functions: int, cut: float) -> tuple[Int32Array, Int32Array]:
    """Caller and callee of the calls that may make a cycle: with a cut, only the costly ones."""
    if cut <= 0 or not len(calls):
        return calls.caller, calls.callee
    pairs = sum_edges(calls, functions)
    cost = pairs.inclusive[0]
    received = np.zeros(functions, np.int64)
    np.maximum.at(received, pairs.callee, cost)
    costly = cost >= received[pairs.caller] * cut
    return pairs.caller[costly].astype(np.int32), pairs.callee[costly].astype(np.int32)


class _PartFunctions:
    """The (part, function) pairs that occur: the inclusive rule is one of each part."""

    def __init__(
        self, run_part: Int32Array, run_function: Int32Array, calls: Calls, functions: int
    ) -> None:
        run = run_part.astype(np.int64) * functions + run_function
        caller = calls.part.astype(np.int64) * functions + calls.caller
        callee = calls.part.astype(np.int64) * functions + calls.callee
        if not run_part.any() and not calls.part.any():  # one part: a place a function
            self.count = functions
            self.function = np.arange(functions)
            self._run, self._caller, self._callee = run, caller, callee
        else:
            keys, place = np.unique(np.concatenate((run, caller, callee)), return_inverse=True)
            self.count = len(keys)
            self.function = keys % max(1, functions)
            self._run, self._caller, self._callee = np.split(
                place, [len(run), len(run) + len(caller)]
            )
        self._calls = calls

    def inclusive(self, run_costs: Int64Array) -> Int64Array:
        """The inclusive cost in each place, shape (events, places)."""
        calls = self._calls
        others = calls.caller != calls.callee
        values = calls.values if others.all() else calls.values[:, others]
        own = sums_by_group(run_costs, self._run, self.count)
        received = sums_by_group(values, self._callee[others], self.count)
        spent = own + sums_by_group(values, self._caller[others], self.count)
        counted = sums_by_group(calls.count, self._callee, self.count) > 0
        called_by_others = np.zeros(self.count, bool)
        called_by_others[self._callee[others]] = True
        return np.where(counted & called_by_others, received, spent)
