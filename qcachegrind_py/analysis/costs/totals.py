"""Totals of events and parts, what parts consist of, and how a reload changed them."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, has_call_counts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import segment_rows, segment_sums, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes
from qcachegrind_py.profile.ids import FunctionId, NodeId, is_function
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

# ---------------------------------------------------------------- events


@frozen(eq=True)
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


# ---------------------------------------------------------------- one node in each part


@frozen
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
    if profile.contexts is not None:
        return _part_costs_of_stacks(profile, profile.contexts, node)
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
    is_called_by_others = np.zeros(parts, bool)
    is_called_by_others[calls.part[from_others]] = True
    # the cost of calls that are still active is not recorded with them
    inclusive = np.where((called > 0) & is_called_by_others, received, spent)
    return PartCosts(self_cost, inclusive, called, is_active)


def _part_costs_of_stacks(profile: Profile, contexts: Contexts, node: NodeId) -> PartCosts:
    own = np.flatnonzero(contexts.function == node)
    outermost = own[contexts.are_outermost(np.zeros(len(own), np.int64), own)]
    parts = len(profile.parts)
    return PartCosts(
        sums_by_group(contexts.values[:, own], contexts.part[own], parts),
        sums_by_group(contexts.stack_values[:, outermost], contexts.part[outermost], parts),
        called=np.zeros(parts, np.int64),
        is_active=np.zeros(parts, bool),
    )


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


# ---------------------------------------------------------------- what parts consist of


@frozen
class PartBreakdown:
    """The costliest shares of the parts' costs, the costliest in all parts first."""

    key: Int64Array  # a row of `Groups`, or a function, shape (shares,)
    cost: CostArray  # shape (shares, parts)


def costs_by_group(
    profile: Profile, event: EventType, events: EventTypes, group: Int64Array, limit: int
) -> PartBreakdown:
    """Sum the self costs of the `limit` costliest groups in each part.

    `group` is the row of each function's group, shape (functions,); the event is no ratio.
    """
    runs = profile.runs
    values = segment_sums(profile.costs.values, runs.start)
    return _costliest(profile, event, events, group[runs.function], runs.part, values, limit)


def costs_by_callee(
    profile: Profile,
    event: EventType,
    events: EventTypes,
    node: NodeId,
    costs: FunctionCosts,
    limit: int,
) -> PartBreakdown:
    """Sum the calls of a function or cycle to its `limit` costliest callees in each part.

    Its calls to itself and within its cycle have no cost of their own; `costs` defines the cycles.
    With its self cost the calls to all callees add up to the inclusive cost of `part_costs`, except
    for a recursive function whose calls from others were recorded with another cost. Of stacks that
    contain the function several times, the innermost one counts.
    """
    if profile.contexts is not None:
        below, called = _called_innermost(profile.contexts, node)
        columns = profile.contexts.part[below], profile.contexts.values[:, below]
        return _costliest(profile, event, events, called, *columns, limit)
    functions, calls = len(profile.functions), profile.calls
    cycle = int(costs.cycle[node])
    is_inside = costs.cycle[:functions] == cycle if cycle else np.arange(functions) == node
    is_caller = np.arange(functions) == node if is_function(node, functions) else is_inside
    rows = np.flatnonzero(is_caller[calls.caller] & ~is_inside[calls.callee])
    callee, part, values = calls.callee[rows], calls.part[rows], calls.values[:, rows]
    return _costliest(profile, event, events, callee.astype(np.int64), part, values, limit)


def _called_innermost(contexts: Contexts, function: NodeId) -> tuple[Int64Array, Int64Array]:
    """Return the contexts below a function, and what its innermost call on each stack calls."""
    is_own = contexts.function == function
    is_called = ~is_own & (contexts.parent >= 0) & is_own[contexts.parent]
    nearest = contexts.nearest(is_own | is_called)
    rows = np.flatnonzero(is_called[nearest])
    return rows, contexts.function[nearest[rows]].astype(np.int64)


def _costliest(
    profile: Profile,
    event: EventType,
    events: EventTypes,
    key: Int64Array,
    part: Int32Array,
    values: Int64Array,
    limit: int,
) -> PartBreakdown:
    """Sum the rows of the costliest keys by part; rows have a key, a part and values."""
    keys, number = np.unique(key, return_inverse=True)
    total = events.evaluate(event, sums_by_group(values, number, len(keys)))
    order = np.argsort(-total, kind="stable")[:limit]
    chosen = order[np.asarray(total[order] > 0, bool)]
    position = np.full(len(keys), -1, np.int64)
    position[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(position[number] >= 0)
    parts = len(profile.parts)
    cell = position[number[rows]] * parts + part[rows]
    sums = sums_by_group(values[:, rows], cell, len(chosen) * parts)
    cost = events.evaluate(event, sums).reshape(len(chosen), parts)
    return PartBreakdown(keys[chosen], cost)


# ---------------------------------------------------------------- changes after a reload


@frozen(eq=True)
class ReloadSummary:
    """The differences between a profile and its reloaded version."""

    totals: tuple[tuple[str, int, int], ...]  # event, total before, total after
    new_functions: int
    removed_functions: int
    new_parts: int
    removed_parts: int
    same_costs: bool  # all rows of costs and calls are equal

    @property
    def is_empty(self) -> bool:
        return self.same_costs and not (
            self.new_functions or self.removed_functions or self.new_parts or self.removed_parts
        )


def summarize_reload(before: Profile, after: Profile) -> ReloadSummary:
    """Compare a profile before and after a reload, but not function by function."""
    new, removed = _function_changes(before, after)
    parts_before, parts_after = (set(map(part_key, p.parts)) for p in (before, after))
    return ReloadSummary(
        totals=_totals(before, after),
        new_functions=new,
        removed_functions=removed,
        new_parts=len(parts_after - parts_before),
        removed_parts=len(parts_before - parts_after),
        same_costs=_have_same_costs(before, after),
    )


def part_key(part: Part) -> tuple[str, int, int, int]:
    """Return the key that identifies a part across reloads: path, pid, part and thread."""
    return part.path, part.pid, part.part, part.thread


def _totals(before: Profile, after: Profile) -> tuple[tuple[str, int, int], ...]:
    """Return the totals of the events of both profiles, those of the later one first."""
    old, new = _total_costs(before), _total_costs(after)
    names = dict.fromkeys(name for p in (after, before) for name in p.events.names)
    return tuple((name, old.get(name, 0), new.get(name, 0)) for name in names)


def _total_costs(profile: Profile) -> dict[str, int]:
    totals = part_totals(profile).sum(axis=1).tolist()
    return dict(zip(profile.events.names, totals, strict=True))


def _function_changes(before: Profile, after: Profile) -> tuple[int, int]:
    """Count the functions only in the later profile and those only in the earlier one."""
    numbers = {text: number for number, text in enumerate(before.texts.raw_strings())}
    new = iter(range(len(numbers), len(numbers) + len(after.texts)))
    translated = np.array(
        [numbers.get(text, next(new)) for text in after.texts.raw_strings()], np.int64
    )
    old, current = (
        _function_identities(before, np.arange(len(numbers))),
        _function_identities(after, translated),
    )
    return len(current - old), len(old - current)


def _function_identities(profile: Profile, numbers: Int64Array) -> set[tuple[int, ...]]:
    """Return name, file and object of each function, mapped by `numbers`, shape (texts,)."""
    functions = profile.functions
    columns = (functions.name, functions.file, functions.object)
    return set(zip(*(numbers[column].tolist() for column in columns), strict=True))


def _have_same_costs(before: Profile, after: Profile) -> bool:
    same = np.array_equal
    return (
        before.events.names == after.events.names
        and same(before.costs.line, after.costs.line)
        and same(before.costs.values, after.costs.values)
        and same(before.calls.values, after.calls.values)
        and same(before.calls.count, after.calls.count)
    )
