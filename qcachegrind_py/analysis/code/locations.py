"""What source lines and instructions have in common: sites in the code, their costs and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.grouped_sums import Index, segment_rows, sums_by_group
from qcachegrind_py.analysis.costs.scope import Parts, is_active
from qcachegrind_py.profile.ids import FunctionId, TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class ProfileRows:
    """Rows of the profile's tables, in file order."""

    costs: Int64Array
    cost_file: Int32Array  # of each of them: the inlined one
    cost_part: Int32Array
    calls: Int64Array
    jumps: Int64Array


def rows_of_function(profile: Profile, function: FunctionId, parts: Parts = None) -> ProfileRows:
    """The costs of a function, the calls it makes and the jumps in it."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _active_rows(
        profile, runs.function == function, calls.caller == function, jumps.function == function,
        parts,
    )  # fmt: skip


def rows_of_file(profile: Profile, file: TextId, parts: Parts = None) -> ProfileRows:
    """The same of the lines of a source file, in whatever function they are."""
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
    """A row a (site, callee), in order of the site, then of the first call."""

    location: Int64Array  # row of the line or instruction
    callee: Int64Array
    count: Int64Array  # 0: still active when the profile was written
    inclusive: Int64Array  # shape (events, rows)

    def __len__(self) -> int:
        return len(self.location)


@dataclass(frozen=True, slots=True, eq=False)
class LocationCosts:
    """What each site cost; costs have the shape (events, sites)."""

    self_cost: Int64Array
    inclusive: Int64Array  # self cost and that of all calls from there, of itself included
    calls: LocationCalls


def location_costs(
    profile: Profile,
    rows: ProfileRows,
    cost_location: Index,
    call_location: Index,
    location_count: int,
) -> LocationCosts:
    """The costs of so many sites; `cost_site` and `call_site` say at which site each row is."""
    self_cost = sums_by_group(profile.costs.values[:, rows.costs], cost_location, location_count)
    calls = profile.calls
    values = calls.values[:, rows.calls]
    inclusive = self_cost + sums_by_group(values, call_location, location_count)
    callee = calls.callee[rows.calls].astype(np.int64)
    pairs, first, place = np.unique(
        call_location * max(1, len(profile.functions)) + callee,
        return_index=True,
        return_inverse=True,
    )
    in_order = np.lexsort((first, call_location[first]))
    rank = np.empty(len(pairs), np.int64)
    rank[in_order] = np.arange(len(pairs))
    place, first = rank[place], first[in_order]
    return LocationCosts(
        self_cost,
        inclusive,
        LocationCalls(
            location=call_location[first].astype(np.int64),
            callee=callee[first],
            count=sums_by_group(calls.count[rows.calls], place, len(pairs)),
            inclusive=sums_by_group(values, place, len(pairs)),
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class JumpSums:
    """Jumps that are the same in all columns, added up: a row each, in order of the columns."""

    first: Int64Array  # one of the rows added up
    executed: Int64Array
    followed: Int64Array


def jump_sums(profile: Profile, rows: Int64Array, *columns: npt.NDArray[Any]) -> JumpSums:
    """The jumps of these rows, added up where `columns` (site, target, kind) are the same."""
    order = np.lexsort(columns[::-1])
    is_other = np.ones(len(order), bool)
    if len(order):
        differs = [column[order][1:] != column[order][:-1] for column in columns]
        is_other[1:] = np.any(differs, axis=0)
    group, first = np.cumsum(is_other) - 1, np.flatnonzero(is_other)
    executed, followed = profile.jumps.executed[rows], profile.jumps.followed[rows]
    return JumpSums(
        order[first],
        sums_by_group(executed[order], group, len(first)),
        sums_by_group(followed[order], group, len(first)),
    )
