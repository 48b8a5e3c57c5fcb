"""Call edges: the calls summed over call sites, one row for each pair of caller and callee."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.costs.scope import Parts, calls_of_active_parts
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Calls, Int64Array


@dataclass(frozen=True, eq=False)
class CallEdges:
    """The calls between each pair of functions, sorted by caller, then callee."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, edges)
    has_counts: bool = True  # False: the profile counts no calls, as those by Go's pprof

    def __len__(self) -> int:
        return len(self.caller)

    @cached_property
    def rows_by_callee(self) -> Int64Array:
        """The rows sorted by callee, in order of the callers for each."""
        return np.argsort(self.callee, kind="stable")

    @cached_property
    def _sorted_callees(self) -> Int64Array:
        return self.callee[self.rows_by_callee]

    def rows_to(self, functions: Int64Array) -> Int64Array:
        """Return the rows of the calls to these functions, in order of the callers for each."""
        begin = np.searchsorted(self._sorted_callees, functions)
        lengths = np.searchsorted(self._sorted_callees, functions, side="right") - begin
        before = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(begin - before, lengths)
        rows: Int64Array = self.rows_by_callee[places]
        return rows


def call_edges(profile: Profile, parts: Parts = None) -> CallEdges:
    """Sum the calls of the active `parts`, or of all if it is None."""
    calls = calls_of_active_parts(profile, parts)
    return sum_edges(calls, len(profile.functions), has_counts=has_call_counts(profile))


def has_call_counts(profile: Profile) -> bool:
    """Return whether the profile counts calls; otherwise a count of 0 means nothing.

    Callgrind always does, even if all calls were active when it wrote the profile.
    """
    return profile.creator.startswith("callgrind") or bool(profile.calls.count.any())


def sum_edges(calls: Calls, functions: int, *, has_counts: bool = True) -> CallEdges:
    """Sum calls by caller and callee; `functions` is the number of functions."""
    functions = max(1, functions)
    keys = calls.caller.astype(np.int64) * functions + calls.callee
    edge_keys, edge = np.unique(keys, return_inverse=True)
    return CallEdges(
        caller=edge_keys // functions,
        callee=edge_keys % functions,
        count=sums_by_group(calls.count, edge, len(edge_keys)),
        inclusive=sums_by_group(calls.values, edge, len(edge_keys)),
        has_counts=has_counts,
    )
