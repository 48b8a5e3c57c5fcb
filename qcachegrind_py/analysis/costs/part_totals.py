"""What the parts cost, counted and recorded, and what percentages are of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.grouped_sums import segment_rows, segment_sums, sums_by_group
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import FunctionId, NodeId, is_function
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True)
class Total:
    """The total of one event. `base` is what percentages are of (DESIGN 4.6)."""

    counted: int | float  # the sum of the self costs; of a ratio, that of the sums
    recorded: int | float | None  # by the `summary:` lines, where there are any

    @property
    def base(self) -> int | float:
        """The recorded total where it is at least the counted one, else the counted one."""
        if self.recorded is not None and self.recorded >= self.counted:
            return self.recorded
        return self.counted


def part_totals(profile: Profile) -> Int64Array:
    """The sum of self costs of each part, shape (events, parts)."""
    runs = segment_sums(profile.costs.values, profile.runs.start)
    return sums_by_group(runs, profile.runs.part, len(profile.parts))


def recorded_totals(profile: Profile) -> dict[str, int] | None:
    """The sum of the `summary:` lines by event; None where no part has one."""
    summaries = [part.summary for part in profile.parts if part.summary is not None]
    if not summaries:
        return None
    names = profile.events.names
    return {name: sum(summary.get(name, 0) for summary in summaries) for name in names}


def total(
    profile: Profile,
    event: EventType,
    parts: Parts = None,
    events: EventTypes | None = None,
    counted: Int64Array | None = None,
) -> Total:
    """The total of an event over the active parts; a part without a summary counts as it is.

    `events` is the table that the event is of, where it is not the profile's own; `counted` are
    the part totals, where they are known.
    """
    counted = part_totals(profile) if counted is None else counted
    active = sorted(range(len(profile.parts)) if parts is None else parts)
    recorded = counted.copy()
    known = False
    for index in active:
        summary = profile.parts[index].summary
        if summary is not None:
            known = True
            recorded[:, index] = [summary.get(name, 0) for name in profile.events.names]
    sums = np.stack((counted[:, active].sum(axis=1), recorded[:, active].sum(axis=1)), axis=1)
    both = (events or profile.events).evaluate(event, sums)
    number = float if event.is_ratio else int  # int: Python's, which has no bound
    return Total(number(both[0]), number(both[1]) if known else None)


@dataclass(frozen=True, slots=True, eq=False)
class PartCosts:
    """A column a part, in the profile's order; costs have the shape (events, parts)."""

    self_cost: Int64Array
    inclusive: Int64Array
    called: Int64Array


def part_costs(profile: Profile, costs: FunctionCosts, node: NodeId) -> PartCosts:
    """The costs of a function or a cycle; `costs` say which cycles there are.

    Every part is counted, active or not. Over the active ones they sum up to the entry's costs.
    """
    functions = len(profile.functions)
    if is_function(node, functions) and not costs.cycle[node]:
        return _part_costs_of_function(profile, node)
    cycle = int(costs.cycle[node])
    inside = costs.cycle[:functions] == cycle
    chosen = inside if node >= functions else np.arange(functions) == node
    own, calls = _part_self_cost(profile, chosen), profile.calls
    leaving = chosen[calls.caller] & ~inside[calls.callee]
    entering = chosen[calls.callee] & (~inside[calls.caller] if node >= functions else True)
    parts = len(profile.parts)
    spent = sums_by_group(calls.values[:, leaving], calls.part[leaving], parts)
    called = sums_by_group(calls.count[entering], calls.part[entering], parts)
    return PartCosts(own, own + spent, called)


def _part_costs_of_function(profile: Profile, function: FunctionId) -> PartCosts:
    calls, parts = profile.calls, len(profile.parts)
    own = _part_self_cost(profile, np.arange(len(profile.functions)) == function)
    to, by = calls.callee == function, calls.caller == function
    called = sums_by_group(calls.count[to], calls.part[to], parts)
    from_others, to_others = to & ~by, by & ~to
    received = sums_by_group(calls.values[:, from_others], calls.part[from_others], parts)
    spent = own + sums_by_group(calls.values[:, to_others], calls.part[to_others], parts)
    by_others = np.zeros(parts, bool)
    by_others[calls.part[from_others]] = True
    return PartCosts(own, np.where((called > 0) & by_others, received, spent), called)


def _part_self_cost(profile: Profile, chosen: BoolArray) -> Int64Array:
    """The self cost of the chosen functions in each part; only their rows are looked at."""
    runs = np.flatnonzero(chosen[profile.runs.function])
    rows, lengths = segment_rows(profile.runs.start, runs)
    part = np.repeat(profile.runs.part[runs], lengths)
    return sums_by_group(profile.costs.values[:, rows], part, len(profile.parts))
