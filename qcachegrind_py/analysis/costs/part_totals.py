"""Totals of events and parts, counted and recorded, and costs of one node in each part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import segment_rows, segment_sums, sums_by_group
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import FunctionId, NodeId, is_function
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True)
class Total:
    """The total of one event; percentages are of `base` (docs/design.md, reading rule 6)."""

    counted: int | float  # sum of the self costs; a ratio is computed from such sums
    recorded: int | float | None  # from the `summary:` lines; None: they do not have the event

    @property
    def base(self) -> int | float:
        """The recorded total if it is at least the counted one, otherwise the counted one."""
        if self.recorded is not None and self.recorded >= self.counted:
            return self.recorded
        return self.counted


def part_totals(profile: Profile) -> Int64Array:
    """Sum the self costs of each part, shape (events, parts)."""
    runs = segment_sums(profile.costs.values, profile.runs.start)
    return sums_by_group(runs, profile.runs.part, len(profile.parts))


def recorded_totals(profile: Profile, counted: Parts) -> dict[str, int] | None:
    """Sum the `summary:` lines of the counted parts by event; None if none of them has one.

    An event of which no line has a number was not recorded, and is left out.
    """
    parts = profile.parts if counted is None else [profile.parts[i] for i in sorted(counted)]
    summaries = [part.summary for part in parts if part.summary is not None]
    if not summaries:
        return None
    names = [name for name in profile.events.names if any(name in line for line in summaries)]
    return {name: sum(summary.get(name, 0) for summary in summaries) for name in names}


def total(
    profile: Profile,
    event: EventType,
    parts: Parts,
    events: EventTypes | None = None,
    counted: Int64Array | None = None,
) -> Total:
    """Compute the total of an event over the active `parts`, or over all if it is None.

    Where a part has no summary, or none of an event, its counted total is added to the recorded
    one. `events` is the event table, by default the profile's; `counted` are the part totals, if
    already computed.
    """
    counted = part_totals(profile) if counted is None else counted
    active = sorted(range(len(profile.parts)) if parts is None else parts)
    recorded = counted.copy()
    has_summary = False
    for index in active:
        summary = profile.parts[index].summary
        if summary is not None:
            has_summary = has_summary or event.is_derived or event.name in summary
            for row, name in enumerate(profile.events.names):
                recorded[row, index] = summary.get(name, counted[row, index])
    sums = np.stack((counted[:, active].sum(axis=1), recorded[:, active].sum(axis=1)), axis=1)
    both = (events or profile.events).evaluate(event, sums)
    number = float if event.is_ratio else int  # Python's int is unbounded
    return Total(number(both[0]), number(both[1]) if has_summary else None)


@dataclass(frozen=True, slots=True, eq=False)
class PartCosts:
    """The costs of one node in each part, shape (events, parts)."""

    self_cost: Int64Array
    inclusive: Int64Array
    called: Int64Array  # shape (parts,)
    is_active: BoolArray  # shape (parts,): called, but by calls alone that had not returned


def part_costs(profile: Profile, costs: FunctionCosts, node: NodeId) -> PartCosts:
    """Compute the costs of a function or cycle in each part, active or not.

    `costs` defines the cycles. The active parts add up to the costs of the node.
    """
    functions = len(profile.functions)
    if is_function(node, functions) and not costs.cycle[node]:
        return _part_costs_of_function(profile, node)
    cycle = int(costs.cycle[node])
    is_inside = costs.cycle[:functions] == cycle
    chosen = is_inside if node >= functions else np.arange(functions) == node
    self_cost, calls = _part_self_cost(profile, chosen), profile.calls
    is_leaving = chosen[calls.caller] & ~is_inside[calls.callee]
    is_entering = chosen[calls.callee] & (~is_inside[calls.caller] if node >= functions else True)
    parts = len(profile.parts)
    spent = sums_by_group(calls.values[:, is_leaving], calls.part[is_leaving], parts)
    return PartCosts(self_cost, self_cost + spent, *_called(profile, is_entering))


def _part_costs_of_function(profile: Profile, function: FunctionId) -> PartCosts:
    calls, parts = profile.calls, len(profile.parts)
    self_cost = _part_self_cost(profile, np.arange(len(profile.functions)) == function)
    is_incoming, is_outgoing = calls.callee == function, calls.caller == function
    called, is_active = _called(profile, is_incoming)
    from_others, to_others = is_incoming & ~is_outgoing, is_outgoing & ~is_incoming
    received = sums_by_group(calls.values[:, from_others], calls.part[from_others], parts)
    spent = self_cost + sums_by_group(calls.values[:, to_others], calls.part[to_others], parts)
    by_others = np.zeros(parts, bool)
    by_others[calls.part[from_others]] = True
    inclusive = np.where((called > 0) & by_others, received, spent)
    return PartCosts(self_cost, inclusive, called, is_active)


def _called(profile: Profile, chosen: BoolArray) -> tuple[Int64Array, BoolArray]:
    """Return the count of the chosen calls in each part, and whether all of them were active."""
    part = profile.calls.part[chosen]
    called = sums_by_group(profile.calls.count[chosen], part, len(profile.parts))
    is_active = np.zeros(len(profile.parts), bool)
    is_active[part] = has_call_counts(profile)
    return called, is_active & (called == 0)


def _part_self_cost(profile: Profile, chosen: BoolArray) -> Int64Array:
    """Sum the self cost of the chosen functions in each part, reading only their rows."""
    runs = np.flatnonzero(chosen[profile.runs.function])
    rows, lengths = segment_rows(profile.runs.start, runs)
    part = np.repeat(profile.runs.part[runs], lengths)
    return sums_by_group(profile.costs.values[:, rows], part, len(profile.parts))
