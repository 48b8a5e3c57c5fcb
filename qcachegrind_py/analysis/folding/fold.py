"""Folding: a profile in which chosen functions are folded into their callers.

The self cost of a folded function becomes self cost of the lines that called it, directly or
through other folded functions; sums over all functions, and those of each part, stay the same. A
function that a folded one calls, such as the comparison that is passed to a sort, keeps its cost;
the functions that called the folded one are its callers now.

The cost of a call is recorded, so what is charged is exact as long as folded functions call none
that remain, or are called from a single place. Otherwise it is divided among the calls in
proportion to their costs, which is an estimate (`charging.py`).

A function remains in a part if nobody calls it there, since there is no caller to charge. So does
one that connects very many callers with very many others: which of them called which is not
recorded. Where whole stacks are recorded, it is (`stacks.py`).

Folded functions are charged by *region*: a set of folded functions of one part that call each other
in a circle, directly or through others of the set; most consist of one function. Regions are
numbered with callees first.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import components
from qcachegrind_py.analysis.costs.scope import Parts, is_active
from qcachegrind_py.analysis.costs.sums import (
    find_rows,
    numbered,
    segment_sums,
    sums_by_group,
)
from qcachegrind_py.analysis.folding.charging import find_owners, pass_up
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts, tables_of_contexts
from qcachegrind_py.profile.ids import FunctionId, function_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    BoolArray,
    Calls,
    Costs,
    HalvedColumn,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    read_only,
)

if TYPE_CHECKING:
    import numpy.typing as npt

_Rows = TypeVar("_Rows", Calls, Jumps)

_Number = TypeVar("_Number", bound="np.generic")

_NONE = -1  # the region of what is not folded
_PAIRS_OF_A_REGION = 10_000  # of an entry and a callback: 100 callers of a sort, 100 comparisons
_PAIRS_A_CALL = 8  # so many in all, for each call into a region or out of it
_NUMBERS_OF_PAIRS = 1 << 26  # in all events: 512 MB, of which only what is used takes memory


@frozen
class Charges:
    """What calls of folded functions cost, now self costs of their callers; one row for each call.

    They are the last rows of the costs of the folded profile, in the same order. Of stacks, there
    is one for each folded context that another calls, and it is no row of the profile.
    """

    call: Int64Array  # row of the call in the profile before folding
    part: Int32Array
    caller: Int32Array
    callee: Int32Array  # the folded function
    values: Int64Array  # shape (events, charges)
    is_exact: BoolArray  # whether the sum over all calls of the caller is proven
    is_exact_line: BoolArray  # whether the cost of this call is

    def __len__(self) -> int:
        return len(self.callee)


@frozen
class Callbacks:
    """Calls that take the place of those by folded functions; one row for each.

    They are the last rows of the calls of the folded profile, in the same order. Of stacks, there
    is one for each context that a folded one calls, and it is no row of the profile.
    """

    first: int  # their first row there
    call: Int64Array  # row, in the profile before folding, of the call at whose site each is
    caller: Int32Array
    callee: Int32Array
    through: Int32Array  # the folded function that is called at the call site
    is_exact: BoolArray  # whether the sums over all calls of caller and callee are proven
    is_exact_line: BoolArray  # whether count and cost of this call are

    def __len__(self) -> int:
        return len(self.through)


@frozen
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
        first = len(self.profile.costs) - len(self.charges)
        return np.unique(self.profile.costs.line[first + np.flatnonzero(chosen)])

    def _active(self, parts: Parts) -> BoolArray:
        if parts is None:
            return np.ones(len(self.charges), bool)
        return is_active(self.charges.part, parts)


def fold_functions(profile: Profile, folded: BoolArray) -> Folding:
    """Charge the functions of the mask, shape (functions,), to their callers.

    The result does not depend on an order in which they are folded: it is that of all at once.
    """
    if profile.contexts is not None:
        return _fold_contexts(profile, profile.contexts, folded)
    regions = _find_regions(profile, folded)
    entries, callbacks = regions.entries, regions.callbacks
    passed = _pass_up(profile, regions, entries, callbacks)
    remains = np.append(passed.remains, True)  # the last one: region -1, functions not folded
    charges, sites = _charges(profile, regions, entries, remains, passed)
    calls, table, kept_calls = _folded_calls(profile, regions, entries, remains, passed)
    is_left = _functions_of_regions(profile, regions, remains) & folded
    is_folded = folded & ~is_left
    kept_runs = remains[regions.of_run]
    runs, costs = _folded_costs(profile, kept_runs, charges, sites)
    jumps = _jumps_without(profile.jumps, is_folded)
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


def _fold_contexts(profile: Profile, contexts: Contexts, folded: BoolArray) -> Folding:
    """Fold recorded stacks, of which all costs are known: nothing is an estimate."""
    from qcachegrind_py.analysis.folding.stacks import fold_stacks  # few profiles have stacks

    stacks = fold_stacks(contexts, folded)
    runs, costs, calls = tables_of_contexts(stacks.contexts, profile.functions)
    occurs = np.zeros(len(profile.functions), bool)
    occurs[stacks.contexts.function] = True
    function, none = contexts.function, np.zeros(0, np.int64)
    are_charged, are_called = (
        np.ones(len(rows), bool) for rows in (stacks.charged, stacks.reached)
    )
    return Folding(
        replace(profile, runs=runs, costs=costs, calls=calls, contexts=stacks.contexts),
        folded & ~occurs,
        folded & occurs,
        Charges(
            none,
            contexts.part[stacks.charged],
            function[stacks.charged],
            function[stacks.callee],
            stacks.values,
            are_charged,
            are_charged,
        ),
        Callbacks(
            len(calls),
            none,
            function[stacks.caller],
            function[stacks.reached],
            function[stacks.through],
            are_called,
            are_called,
        ),
        np.ones(len(profile.runs), bool),
        none,
    )


@frozen
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
    profile: Profile, regions: _Regions, entries: Int64Array, callbacks: Int64Array
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
    return np.concatenate((_taken(calls.values, rows), calls.count[None, rows]))


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
    regions: _Regions,
    entries: Int64Array,
    remains: BoolArray,
    passed: _Passed,
) -> tuple[Charges, Calls]:
    """Return what callers that remain are charged with, and the call sites, in file order."""
    is_charged = remains[regions.of_caller[entries]] & ~remains[regions.of_callee[entries]]
    is_charged &= passed.charge.any(axis=0)
    chosen = np.flatnonzero(is_charged)
    chosen = chosen[np.argsort(entries[chosen])]
    sites = _chosen(profile.calls, entries[chosen])
    return (
        Charges(
            entries[chosen],
            sites.part,
            sites.caller,
            sites.callee,
            read_only(_taken(passed.charge, chosen)),
            _sum_is_exact(passed.is_exact[:, chosen], regions.of_caller[entries[chosen]]),
            passed.is_exact[0, chosen],
        ),
        sites,
    )


def _folded_calls(
    profile: Profile,
    regions: _Regions,
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
    sites = _chosen(calls, rows)
    added = replace(
        sites,
        callee=passed.callee[new].astype(np.int32),
        count=passed.weight[-1, new],
        values=_taken(passed.weight[:-1], new),
    )
    is_exact = passed.is_exact_call[:, new]
    sums = _sum_is_exact(is_exact, source[new])
    callbacks = Callbacks(
        len(kept), rows, added.caller, added.callee, sites.callee, sums, is_exact[0]
    )
    return _joined_calls(_chosen(calls, kept), added), callbacks, kept


def _sum_is_exact(is_exact: BoolArray, source: Int64Array) -> BoolArray:
    """Return whether the sums of a caller are proven, by whether single calls and sums are.

    The owner of a region says nothing of callers that were to be folded, and remain: these have
    a region as `source`, while for others it is -1.
    """
    exact: BoolArray = np.where(source < 0, is_exact[1], is_exact[0])
    return exact


def _functions_of_regions(profile: Profile, regions: _Regions, remains: BoolArray) -> BoolArray:
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


def _kept_and_added(
    column: npt.NDArray[_Number] | HalvedColumn[_Number],
    kept: BoolArray,
    added: npt.NDArray[_Number],
) -> npt.NDArray[_Number]:
    """Return the rows of the mask, and those added behind them.

    Costs take most of a profile's memory; here they are copied once, and an event at a time.
    """
    count = int(np.count_nonzero(kept))
    result = np.empty((*column.shape[:-1], count + added.shape[-1]), column.dtype)
    for event in np.ndindex(column.shape[:-1]):
        result[event][:count] = column[(*event, kept)]
        result[event][count:] = added[event]
    return read_only(result)


def _run_starts(sites: Calls) -> Int64Array:
    """Return the rows at which part, caller or file differ from those of the row before."""
    if not len(sites):
        return np.zeros(0, np.int64)
    differs = np.ones(len(sites), bool)
    differs[1:] = np.diff(sites.part) != 0
    differs[1:] |= (np.diff(sites.caller) != 0) | (np.diff(sites.file) != 0)
    return np.flatnonzero(differs)


# ---------------------------------------------------------------- regions


@frozen
class _Regions:
    """The regions, and where they are in the tables of the profile.

    Numbers of regions are int64, -1 where a function is not folded.
    """

    count: int
    of_run: Int64Array  # shape (runs,)
    of_caller: Int64Array  # shape (calls,)
    of_callee: Int64Array  # shape (calls,)
    self_cost: Int64Array  # shape (events, regions)

    @property
    def entries(self) -> Int64Array:
        """The rows of calls into a region from elsewhere, by region called and in file order."""
        return _by_region(self.of_callee, self.of_caller != self.of_callee)

    @property
    def callbacks(self) -> Int64Array:
        """The rows of calls from a region to a function that remains, by region that calls."""
        return _by_region(self.of_caller, self.of_callee == _NONE)

    def first_rows(self, regions: Int64Array) -> Int64Array:
        """Return where each region begins in a sorted column, and where the last one ends."""
        return np.searchsorted(regions, np.arange(self.count + 1))


def _by_region(region: Int64Array, chosen: BoolArray) -> Int64Array:
    """Return the chosen rows that belong to a region, sorted by it."""
    rows = np.flatnonzero(chosen & (region != _NONE))
    return rows[np.argsort(region[rows], kind="stable")]


def _find_regions(profile: Profile, folded: BoolArray) -> _Regions:
    """Find the regions of the folded functions, a mask of shape (functions,)."""
    runs, calls, functions = profile.runs, profile.calls, max(1, len(profile.functions))
    columns = [
        (runs.part, runs.function),
        (calls.part, calls.caller),
        (calls.part, calls.callee),
    ]
    rows = [np.flatnonzero(folded[function]) for _, function in columns]
    keys = [
        part[row].astype(np.int64) * functions + function[row]
        for (part, function), row in zip(columns, rows, strict=True)
    ]
    highest = max((int(key.max(initial=0)) for key in keys), default=0)
    distinct, nodes = numbered(keys, highest + 1)
    node_of_run, node_of_caller, node_of_callee = (
        _spread(node, row, len(function))
        for node, row, (_, function) in zip(nodes, rows, columns, strict=True)
    )
    inner = np.flatnonzero((node_of_caller != _NONE) & (node_of_callee != _NONE))
    region = components(
        node_of_caller[inner].astype(np.int32),
        node_of_callee[inner].astype(np.int32),
        len(distinct),
    ).astype(np.int64)
    region = np.append(region, _NONE)  # the last one, at index -1: of functions that remain
    count = int(region.max(initial=_NONE)) + 1
    return _Regions(
        count,
        region[node_of_run],
        region[node_of_caller],
        region[node_of_callee],
        _self_costs(profile, region[node_of_run], count),
    )


def _spread(values: Int64Array, rows: Int64Array, length: int) -> Int64Array:
    """Return a column with the values in these rows, and -1 in all others."""
    column = np.full(length, _NONE, np.int64)
    column[rows] = values
    return column


def _self_costs(profile: Profile, region_of_run: Int64Array, count: int) -> Int64Array:
    """Sum the self costs of the regions, shape (events, regions)."""
    runs = np.flatnonzero(region_of_run != _NONE)
    costs = segment_sums(profile.costs.values, profile.runs.start)[:, runs]
    return sums_by_group(costs, region_of_run[runs], count)


# ---------------------------------------------------------------- rows of tables


def _joined_calls(calls: Calls, added: Calls) -> Calls:
    """Return both tables as one, the added rows last."""
    more, joined = _columns_of(added), _columns_of(calls)
    for name, column in joined.items():
        if column is not None:
            joined[name] = read_only(np.concatenate((column, more[name]), axis=-1))
    return Calls(**joined)


def _jumps_without(jumps: Jumps, left_out: BoolArray) -> Jumps:
    """Return the jumps that neither start nor end in the functions of the mask."""
    kept = ~left_out[jumps.function] & ~left_out[jumps.target_function]
    return jumps if kept.all() else _chosen(jumps, np.flatnonzero(kept))


def _taken(values: Int64Array, rows: Int64Array) -> Int64Array:
    """Return `values[..., rows]` with the rows of each event contiguous, as tables have them."""
    return np.take(values, rows, axis=-1)


def _chosen(table: _Rows, rows: Int64Array) -> _Rows:
    chosen = _columns_of(table)
    for name, column in chosen.items():
        if column is not None:
            chosen[name] = read_only(_taken(column, rows))
    return type(table)(**chosen)


def _columns_of(table: Calls | Jumps) -> dict[str, Any]:
    return {field.name: getattr(table, field.name) for field in fields(table)}


# ---------------------------------------------------------------- questions to a folded profile


@frozen
class CallbackPairs:
    """The callbacks of a folded profile, one row for each pair of caller and callee."""

    functions: int
    key: Int64Array  # caller * functions + callee, in ascending order
    through: Int32Array  # the folded function that the caller calls, or the first of several
    is_exact: BoolArray  # whether counts and costs of all its calls are proven

    @classmethod
    def of(cls, folding: Folding) -> Self:
        callbacks, functions = folding.callbacks, len(folding.profile.functions)
        keys = callbacks.caller.astype(np.int64) * functions + callbacks.callee
        order = np.argsort(keys, kind="stable")
        key, start = np.unique(keys[order], return_index=True)
        exact = callbacks.is_exact[order]
        if len(start):
            exact = np.logical_and.reduceat(exact, start)
        return cls(functions, key, callbacks.through[order][start], exact)

    def rows(self, caller: Int64Array, callee: Int64Array) -> Int64Array:
        """Return the row of each pair; -1 if there is none, as if one of the two is a cycle."""
        are_functions = (caller < self.functions) & (callee < self.functions)
        keys = caller.astype(np.int64) * self.functions + callee
        return np.where(are_functions, find_rows(self.key, keys), -1)

    def folded(self, row: int) -> FunctionId:
        return function_at(self.through, row)


@frozen
class Origins:
    """The origins of some rows, int64, shape (rows,).

    What is charged, and a call in place of one by a folded function, comes from the call of the
    folded function at that place.
    """

    row: Int64Array  # of the same table before folding, or of the call of a folded function
    through: Int64Array  # the folded function; -1 where there is none
    is_exact: BoolArray  # whether the value of this row is proven
    is_exact_sum: BoolArray  # whether that of all such rows of the caller is, and the callee


def cost_origins(folding: Folding, before: Profile, rows: Int64Array) -> Origins:
    start = folding.profile.runs.start
    run = np.searchsorted(start, rows, side="right") - 1
    first_charge = len(folding.profile.costs) - len(folding.charges)
    kept = rows < first_charge
    origin = np.zeros(len(rows), np.int64)
    before_run = np.flatnonzero(folding.kept_runs)[run[kept]]
    origin[kept] = before.runs.start[before_run] + rows[kept] - start[run[kept]]
    return _with_added(origin, folding.charges, folding.charges.callee, rows - first_charge)


def call_origins(folding: Folding, rows: Int64Array) -> Origins:
    callbacks = folding.callbacks
    kept = rows < callbacks.first
    origin = np.zeros(len(rows), np.int64)
    origin[kept] = folding.kept_calls[rows[kept]]
    return _with_added(origin, callbacks, callbacks.through, rows - callbacks.first)


def _with_added(
    origin: Int64Array, added: Charges | Callbacks, callee: Int32Array, places: Int64Array
) -> Origins:
    """Return the origins with those of the rows that folding added, at places from 0 on."""
    through = np.full(len(origin), _NONE, np.int64)
    is_exact, is_exact_sum = np.ones(len(origin), bool), np.ones(len(origin), bool)
    is_added = places >= 0
    places = places[is_added]
    origin[is_added] = added.call[places]
    through[is_added] = callee[places]
    is_exact[is_added] = added.is_exact_line[places]
    is_exact_sum[is_added] = added.is_exact[places]
    return Origins(origin, through, is_exact, is_exact_sum)
