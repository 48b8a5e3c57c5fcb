"""Code locations, which are source lines or instructions: their costs, calls and jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.analysis.costs.scope import Parts, is_active
from qcachegrind_py.analysis.costs.sums import Index, segment_rows, sums_by_group
from qcachegrind_py.profile.ids import FunctionId, TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class ProfileRows:
    """Selected rows of the profile's tables, in file order."""

    costs: Int64Array
    cost_file: Int32Array  # source file of each cost row; for inlined code the file it came from
    cost_part: Int32Array  # part of each cost row
    calls: Int64Array
    jumps: Int64Array


def rows_of_function(profile: Profile, function: FunctionId, parts: Parts) -> ProfileRows:
    """Return the rows of a function: its costs, the calls it makes and its jumps."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _active_rows(
        profile, runs.function == function, calls.caller == function, jumps.function == function,
        parts,
    )  # fmt: skip


def rows_of_file(profile: Profile, file: TextId, parts: Parts) -> ProfileRows:
    """Return the rows of a source file, over all functions."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _active_rows(profile, runs.file == file, calls.file == file, jumps.file == file, parts)


def _active_rows(
    profile: Profile, of_runs: BoolArray, of_calls: BoolArray, of_jumps: BoolArray, parts: Parts
) -> ProfileRows:
    runs = profile.runs
    if parts is not None:
        of_runs = of_runs & is_active(runs.part, parts)
        of_calls = of_calls & is_active(profile.calls.part, parts)
        of_jumps = of_jumps & is_active(profile.jumps.part, parts)
    chosen = np.flatnonzero(of_runs)
    rows, lengths = segment_rows(runs.start, chosen)
    return ProfileRows(
        rows,
        np.repeat(runs.file[chosen], lengths),
        np.repeat(runs.part[chosen], lengths),
        np.flatnonzero(of_calls),
        np.flatnonzero(of_jumps),
    )


@dataclass(frozen=True, slots=True, eq=False)
class LocationCalls:
    """The calls at each location: one row for each location and callee.

    Rows are sorted by location, then by the first call in the file.
    """

    location: Int64Array  # row of the line or instruction
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, rows)
    is_active: BoolArray  # all calls of the row were still running when the profile was written

    def __len__(self) -> int:
        return len(self.location)


@dataclass(frozen=True, slots=True, eq=False)
class LocationCosts:
    """The costs of each location, shape (events, locations), and its calls."""

    self_cost: Int64Array
    inclusive: Int64Array  # self cost and the cost of all calls from there, recursive ones included
    calls: LocationCalls


def location_costs(
    profile: Profile,
    rows: ProfileRows,
    cost_location: Index,
    call_location: Index,
    location_count: int,
) -> LocationCosts:
    """Sum costs and calls by location.

    `cost_location` and `call_location` hold the location of each row of costs and calls, as
    numbers from 0 to `location_count` - 1.
    """
    self_cost = sums_by_group(profile.costs.values[:, rows.costs], cost_location, location_count)
    calls = profile.calls
    values = calls.values[:, rows.calls]
    inclusive = self_cost + sums_by_group(values, call_location, location_count)
    callee = calls.callee[rows.calls].astype(np.int64)
    location_callees, first, group = np.unique(
        call_location * max(1, len(profile.functions)) + callee,
        return_index=True,
        return_inverse=True,
    )
    in_order = np.lexsort((first, call_location[first]))
    rank = np.empty(len(location_callees), np.int64)
    rank[in_order] = np.arange(len(location_callees))
    group, first = rank[group], first[in_order]
    count = sums_by_group(calls.count[rows.calls], group, len(location_callees))
    return LocationCosts(
        self_cost,
        inclusive,
        LocationCalls(
            location=call_location[first].astype(np.int64),
            callee=callee[first],
            count=count,
            inclusive=sums_by_group(values, group, len(location_callees)),
            is_active=(count == 0) & has_call_counts(profile),
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class JumpSums:
    """Jumps summed over equal columns: one row for each combination, sorted by the columns."""

    first: Int64Array  # a representative of the summed rows
    executed: Int64Array
    followed: Int64Array


def jump_sums(profile: Profile, rows: Int64Array, *columns: npt.NDArray[Any]) -> JumpSums:
    """Sum the jumps of these rows that agree in all `columns` (location, target, kind)."""
    order = np.lexsort(columns[::-1])
    is_new = np.ones(len(order), bool)
    if len(order):
        differs = [column[order][1:] != column[order][:-1] for column in columns]
        is_new[1:] = np.any(differs, axis=0)
    group, first = np.cumsum(is_new) - 1, np.flatnonzero(is_new)
    executed, followed = profile.jumps.executed[rows], profile.jumps.followed[rows]
    return JumpSums(
        order[first],
        sums_by_group(executed[order], group, len(first)),
        sums_by_group(followed[order], group, len(first)),
    )
