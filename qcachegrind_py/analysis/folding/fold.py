"""Folding: a profile in which chosen functions are charged to their callers.

The self cost of a folded function becomes self cost of the lines that called it, directly or
through other folded functions; sums over all functions, and those of each part, stay the same. A
function that a folded one calls, such as the comparison that is passed to a sort, keeps its cost;
the functions that called the folded one are its callers now.

The cost of a call is recorded, so what is charged is exact as long as folded functions call none
that remain, or are called from a single place. Otherwise it is divided among the calls in
proportion to their costs, which is an estimate (`charging.py`).

A function remains in a part if nobody calls it there, since there is no caller to charge. So does
one that connects very many callers with very many others: which of them called which is not
recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.scope import Parts, is_active
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.folding.charging import find_owners, pass_up
from qcachegrind_py.analysis.folding.regions import Regions, find_regions
from qcachegrind_py.analysis.folding.rows import (
    call_rows,
    columns,
    joined_calls,
    jumps_without,
    read_only,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    BoolArray,
    Calls,
    Costs,
    Int32Array,
    Int64Array,
    Runs,
    UInt64Array,
)

_Column = TypeVar("_Column", Int32Array, Int64Array, UInt64Array)

_PAIRS_OF_A_REGION = 10_000  # of an entry and a callback: 100 callers of a sort, 100 comparisons
_PAIRS_A_CALL = 8  # so many in all, for each call into a region or out of it
_NUMBERS_OF_PAIRS = 1 << 26  # in all events: 512 MB, of which only what is used takes memory


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """What calls of folded functions cost, now self costs of their callers; one row for each call.

    They are the last rows of the costs of the folded profile, in the same order.
    """

    call: Int64Array  # row of the call in the profile before folding
    part: Int32Array
    caller: Int32Array
    callee: Int32Array  # the folded function
    values: Int64Array  # shape (events, charges)
    is_exact: BoolArray  # whether the sum over all calls of the caller is proven
    is_exact_line: BoolArray  # whether the cost of this call is

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class Callbacks:
    """Calls that take the place of those by folded functions; one row for each.

    They are the last rows of the calls of the folded profile, in the same order.
    """

    first: int  # their first row there
    call: Int64Array  # row, in the profile before folding, of the call at whose site each is
    through: Int32Array  # the folded function that is called at the call site
    is_exact: BoolArray  # whether the sums over all calls of caller and callee are proven
    is_exact_line: BoolArray  # whether count and cost of this call are

    def __len__(self) -> int:
        return len(self.through)


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """A profile with folded functions, and how it came about."""

    profile: Profile  # with the functions of the profile before, none of which has another number
    is_folded: BoolArray  # shape (functions,): occurs no more
    remains: BoolArray  # shape (functions,): was to be folded, and remains in some part
    charges: Charges
    callbacks: Callbacks
    kept_runs: BoolArray  # of the profile before folding, shape (runs,)
    kept_calls: Int64Array  # rows of its calls

    def charged(self, parts: Parts) -> Int64Array:
        """Return what functions are charged with in the active parts, shape (events, functions)."""
        rows = self._active(parts)
        values, caller = self.charges.values[:, rows], self.charges.caller[rows]
        return sums_by_group(values, caller, len(self.is_folded))

    def is_estimated(self, parts: Parts, *, of_lines: bool = False) -> BoolArray:
        """Return whether part of a function's self cost is an estimate, shape (functions,).

        For `of_lines` it is whether part of that of a line is.
        """
        rows = self._active(parts)
        is_exact = self.charges.is_exact_line if of_lines else self.charges.is_exact
        estimated = np.zeros(len(self.is_folded), bool)
        estimated[self.charges.caller[rows][~is_exact[rows]]] = True
        return estimated

    def estimated_lines(self, function: int, parts: Parts) -> Int32Array:
        """Return the lines of a function whose self cost is partly an estimate, in order."""
        chosen = self._active(parts) & ~self.charges.is_exact_line
        chosen &= self.charges.caller == function
        lines = self.profile.costs.line[len(self.profile.costs) - len(self.charges) :]
        return np.unique(lines[chosen])

    def _active(self, parts: Parts) -> BoolArray:
        if parts is None:
            return np.ones(len(self.charges), bool)
        return is_active(self.charges.part, parts)


def fold_functions(profile: Profile, folded: BoolArray) -> Folding:
    """Charge the functions of the mask, shape (functions,), to their callers.

    The result does not depend on an order in which they are folded: it is that of all at once.
    """
    regions = find_regions(profile, folded)
    entries, callbacks = regions.entries, regions.callbacks
    passed = _pass_up(profile, regions, entries, callbacks)
    remains = np.append(passed.remains, True)  # the last one: region -1, functions not folded
    charges, sites = _charges(profile, regions, entries, remains, passed)
    calls, table, kept_calls = _folded_calls(profile, regions, entries, remains, passed)
    is_left = _functions_of_regions(profile, regions, remains) & folded
    is_folded = folded & ~is_left
    kept_runs = remains[regions.of_run]
    runs, costs = _folded_costs(profile, kept_runs, charges, sites)
    jumps = jumps_without(profile.jumps, is_folded)
    targets = profile.call_targets and profile.call_targets.of_calls(kept_calls)
    return Folding(
        replace(profile, runs=runs, costs=costs, calls=calls, jumps=jumps, call_targets=targets),
        is_folded,
        is_left,
        charges,
        table,
        kept_runs,
        kept_calls,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Passed:
    """The results of passing costs up, in order of the entries; calls in place of callbacks."""

    remains: BoolArray  # shape (regions,)
    charge: Int64Array  # shape (events, entries)
    is_exact: BoolArray  # shape (2, entries): of each entry, and of the sums of callers
    entry: Int64Array  # of each call, index of an entry
    callee: Int64Array
    is_exact_call: BoolArray  # shape (2, calls), likewise
    is_entry_itself: BoolArray  # the callee remains, and the call is that of the entry
    weight: Int64Array  # costs, and the count behind them; shape (events + 1, calls)


def _pass_up(
    profile: Profile, regions: Regions, entries: Int64Array, callbacks: Int64Array
) -> _Passed:
    """Divide the costs of the regions among their entries."""
    calls = profile.calls
    into, out_of = regions.of_callee[entries], regions.of_caller[callbacks]
    functions, (callee, back_callee) = _numbered_functions(
        len(profile.functions), calls.callee[entries], calls.callee[callbacks]
    )
    rows = len(calls.values) + 1
    pairs = _PAIRS_A_CALL * (len(entries) + len(callbacks))
    pairs = min(pairs, _NUMBERS_OF_PAIRS // (5 + rows)) + _PAIRS_OF_A_REGION
    charge = np.zeros((rows - 1, len(entries)), np.int64)
    exact = np.zeros((2, len(entries)), np.int64)
    state = np.zeros((4, regions.count), np.int64)
    state[0] = -1
    passed = np.empty((5 + rows, len(entries) + pairs), np.int64)
    first, source, owner = (
        regions.first_rows(into),
        regions.of_caller[entries],
        np.empty(regions.count, np.int64),
    )
    caller = calls.caller[entries].astype(np.int64)
    find_owners(first.data, source.data, caller.data, owner.data)
    used = pass_up(
        first.data,
        source.data,
        owner.data,
        callee.data,
        _weights(calls, entries).data,
        regions.first_rows(out_of).data,
        back_callee.data,
        _weights(calls, callbacks).data,
        regions.self_cost.copy().data,
        charge.data,
        exact.data,
        state.data,
        np.zeros((4 + rows, max(1, len(functions))), np.int64).data,
        passed.data,
        np.array([_PAIRS_OF_A_REGION, pairs], np.int64).data,
    )
    passed = passed[:, :used]
    return _Passed(
        state[3] == 1,
        charge,
        exact == 1,
        passed[0],
        functions[passed[1]],
        passed[2:4] > 0,
        passed[3] == 2,
        passed[5:],
    )


def _weights(calls: Calls, rows: Int64Array) -> Int64Array:
    """Return the costs of these calls, and their counts behind them, shape (events + 1, rows)."""
    return np.concatenate((columns(calls.values, rows), calls.count[None, rows]))


def _numbered_functions(
    count: int, *columns: Int32Array
) -> tuple[Int64Array, tuple[Int64Array, ...]]:
    """Number the functions that occur; return them, and the columns with these numbers.

    Working memory then depends on the calls, and not on the functions of the profile.
    """
    occurs = np.zeros(count, bool)
    for column in columns:
        occurs[column] = True
    number = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), tuple(number[column] for column in columns)


def _charges(
    profile: Profile,
    regions: Regions,
    entries: Int64Array,
    remains: BoolArray,
    passed: _Passed,
) -> tuple[Charges, Calls]:
    """Return what callers that remain are charged with, and the call sites, in file order."""
    is_charged = remains[regions.of_caller[entries]] & ~remains[regions.of_callee[entries]]
    is_charged &= passed.charge.any(axis=0)
    chosen = np.flatnonzero(is_charged)
    chosen = chosen[np.argsort(entries[chosen])]
    sites = call_rows(profile.calls, entries[chosen])
    return (
        Charges(
            entries[chosen],
            sites.part,
            sites.caller,
            sites.callee,
            read_only(columns(passed.charge, chosen)),
            _sum_is_exact(passed.is_exact[:, chosen], regions.of_caller[entries[chosen]]),
            passed.is_exact[0, chosen],
        ),
        sites,
    )


def _folded_calls(
    profile: Profile,
    regions: Regions,
    entries: Int64Array,
    remains: BoolArray,
    passed: _Passed,
) -> tuple[Calls, Callbacks, Int64Array]:
    """Return the calls among functions that remain, and those in place of callbacks behind them.

    The last result are the rows of the former.
    """
    calls = profile.calls
    kept = np.flatnonzero(remains[regions.of_caller] & remains[regions.of_callee])
    source = regions.of_caller[entries[passed.entry]]
    is_new = remains[source] & ~passed.is_entry_itself & passed.weight.any(axis=0)
    new = np.flatnonzero(is_new)
    new = new[np.argsort(entries[passed.entry[new]], kind="stable")]
    rows = entries[passed.entry[new]]
    sites = call_rows(calls, rows)
    added = replace(
        sites,
        callee=passed.callee[new].astype(np.int32),
        count=passed.weight[-1, new],
        values=columns(passed.weight[:-1], new),
    )
    is_exact = passed.is_exact_call[:, new]
    sums = _sum_is_exact(is_exact, source[new])
    callbacks = Callbacks(len(kept), rows, sites.callee, sums, is_exact[0])
    return joined_calls(call_rows(calls, kept), added), callbacks, kept


def _sum_is_exact(is_exact: BoolArray, source: Int64Array) -> BoolArray:
    """Return whether the sums of a caller are proven, by whether single calls and sums are.

    The owner of a region says nothing of callers that were to be folded, and remain: these have
    a region as `source`, while for others it is -1.
    """
    exact: BoolArray = np.where(source < 0, is_exact[1], is_exact[0])
    return exact


def _functions_of_regions(profile: Profile, regions: Regions, remains: BoolArray) -> BoolArray:
    """Return which functions occur in a region that remains, shape (functions,)."""
    occurs = np.zeros(len(profile.functions), bool)
    for region, function in (
        (regions.of_run, profile.runs.function),
        (regions.of_caller, profile.calls.caller),
        (regions.of_callee, profile.calls.callee),
    ):
        occurs[function[(region >= 0) & remains[region]]] = True
    return occurs


def _folded_costs(
    profile: Profile, remains: BoolArray, charges: Charges, sites: Calls
) -> tuple[Runs, Costs]:
    """Return the cost lines of the runs that remain, with those charged behind them."""
    runs, costs = profile.runs, profile.costs
    lengths = np.diff(runs.start)
    kept = np.repeat(remains, lengths)
    first = _run_starts(sites)
    before = int(lengths[remains].sum())
    starts = np.concatenate(
        (np.cumsum(lengths[remains]) - lengths[remains], before + first, [before + len(sites)])
    )
    address = None
    if costs.address is not None:
        charged = sites.address if sites.address is not None else np.zeros(len(sites), np.uint64)
        address = _kept_and_added(costs.address, kept, charged)
    return Runs(
        read_only(starts.astype(np.int64)),
        *(
            read_only(np.concatenate((column[remains], added[first])))
            for column, added in (
                (runs.part, sites.part),
                (runs.function, sites.caller),
                (runs.file, sites.file),
            )
        ),
    ), Costs(
        _kept_and_added(costs.line, kept, sites.line),
        address,
        _kept_and_added(costs.values, kept, charges.values),
    )


def _kept_and_added(column: _Column, kept: BoolArray, added: _Column) -> _Column:
    """Return the rows of the mask, and those added behind them.

    Costs take most of a profile's memory; here they are copied once, and an event at a time.
    """
    count = int(np.count_nonzero(kept))
    result = np.empty((*column.shape[:-1], count + added.shape[-1]), column.dtype)
    for row, before, more in zip(*map(np.atleast_2d, (result, column, added)), strict=True):
        row[:count] = before[kept]
        row[count:] = more
    return read_only(result)


def _run_starts(sites: Calls) -> Int64Array:
    """Return the rows at which part, caller or file differ from those of the row before."""
    if not len(sites):
        return np.zeros(0, np.int64)
    differs = np.ones(len(sites), bool)
    differs[1:] = np.diff(sites.part) != 0
    differs[1:] |= (np.diff(sites.caller) != 0) | (np.diff(sites.file) != 0)
    return np.flatnonzero(differs)
