"""What one function cost in each part, by the rules of `function_costs`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.function_costs import FunctionCosts
from qcachegrind_py.analysis.segments import rows_of, sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class PartCosts:
    """A column a part, in the profile's order; costs have the shape (events, parts)."""

    self_cost: Int64Array
    inclusive: Int64Array
    called: Int64Array


def part_costs(profile: Profile, costs: FunctionCosts, entry: int) -> PartCosts:
    """The costs of a function or a cycle; `costs` say which cycles there are.

    Every part is counted, active or not. Over the active ones they sum up to the entry's costs.
    """
    functions = len(profile.functions)
    if entry < functions and not costs.cycle[entry]:
        return _of_function(profile, entry)
    cycle = int(costs.cycle[entry])
    inside = costs.cycle[:functions] == cycle
    chosen = inside if entry >= functions else np.arange(functions) == entry
    own, calls = _self_cost(profile, chosen), profile.calls
    leaving = chosen[calls.caller] & ~inside[calls.callee]
    entering = chosen[calls.callee] & (~inside[calls.caller] if entry >= functions else True)
    parts = len(profile.parts)
    spent = sums_by_group(calls.values[:, leaving], calls.part[leaving], parts)
    called = sums_by_group(calls.count[entering], calls.part[entering], parts)
    return PartCosts(own, own + spent, called)


def _of_function(profile: Profile, function: int) -> PartCosts:
    calls, parts = profile.calls, len(profile.parts)
    own = _self_cost(profile, np.arange(len(profile.functions)) == function)
    to, by = calls.callee == function, calls.caller == function
    called = sums_by_group(calls.count[to], calls.part[to], parts)
    from_others, to_others = to & ~by, by & ~to
    received = sums_by_group(calls.values[:, from_others], calls.part[from_others], parts)
    spent = own + sums_by_group(calls.values[:, to_others], calls.part[to_others], parts)
    by_others = np.zeros(parts, bool)
    by_others[calls.part[from_others]] = True
    return PartCosts(own, np.where((called > 0) & by_others, received, spent), called)


def _self_cost(profile: Profile, chosen: BoolArray) -> Int64Array:
    """The self cost of the chosen functions in each part; only their rows are looked at."""
    runs = np.flatnonzero(chosen[profile.runs.function])
    rows, lengths = rows_of(profile.runs.start, runs)
    part = np.repeat(profile.runs.part[runs], lengths)
    return sums_by_group(profile.costs.values[:, rows], part, len(profile.parts))
