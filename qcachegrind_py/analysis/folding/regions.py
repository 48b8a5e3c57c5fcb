"""The folded functions of a profile as regions, with the calls that lead into and out of them.

A region is a set of folded functions of one part that call each other in a circle, directly or
through others of the set; most consist of one function. Regions are numbered with callees first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import components
from qcachegrind_py.analysis.costs.sums import numbered, segment_sums, sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
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


def find_regions(profile: Profile, folded: BoolArray) -> Regions:
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
    return Regions(
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
