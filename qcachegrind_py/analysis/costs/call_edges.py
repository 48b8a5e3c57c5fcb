"""Call edges: the calls summed over call sites, one row for each pair of caller and callee."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.scope import Parts, counted_calls, is_active
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int64Array


@frozen(slots=False)
class CallEdges:
    """The calls between each pair of functions, sorted by caller, then callee."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, edges)
    has_counts: bool = True  # False: the profile counts no calls, as those by Go's pprof
    # shape (edges,): called in the counted parts, and not only in others of the frame; None: all
    occurs: BoolArray | None = None
    # shape (edges,): divided among several callers, as calls through folded functions; None: none
    is_estimated: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.caller)

    @property
    def is_recorded(self) -> BoolArray:
        """Whether the calls of each edge were counted: then a count of 0 means they still ran."""
        counted = np.full(len(self), self.has_counts)
        if self.is_estimated is not None:
            counted &= ~self.is_estimated
        return counted if self.occurs is None else counted & self.occurs

    def are_estimated(self, rows: Int64Array) -> BoolArray:
        """Return whether the costs and counts of these rows are estimates."""
        none = np.zeros(len(rows), bool)
        return none if self.is_estimated is None else self.is_estimated[rows]

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


def call_edges(profile: Profile, parts: Parts = None, frame: Parts = None) -> CallEdges:
    """Sum the calls of the active `parts`, or of all if it is None.

    With a `frame` there is a row for each pair in its parts, described in `Scope`.
    """
    calls, counted = counted_calls(profile, parts, frame)
    functions = len(profile.functions)
    has_counts = has_call_counts(profile, None if frame is None else parts)
    return sum_edges(calls, functions, has_counts=has_counts, counted=counted)


def has_call_counts(profile: Profile, side: Parts = None) -> bool:
    """Return whether the profile counts calls; otherwise a count of 0 is unknown, shown as a dash.

    Callgrind always does, even if all calls were active when it wrote the profile. `side` is the
    parts of one side of a comparison, which may be of another program than the other side.
    """
    if side is None:
        return profile.creator.startswith("callgrind") or bool(profile.calls.count.any())
    if any(profile.parts[part].creator.startswith("callgrind") for part in side):
        return True
    counts = profile.calls.count[is_active(profile.calls.part, side)]
    return bool(counts.any())


def sum_edges(
    calls: Calls, functions: int, *, has_counts: bool = True, counted: BoolArray | None = None
) -> CallEdges:
    """Sum calls by caller and callee; `functions` is the number of functions.

    `counted` tells which calls are of counted parts, shape (calls,); None if all are.
    """
    functions = max(1, functions)
    keys = calls.caller.astype(np.int64) * functions + calls.callee
    edge_keys, edge = np.unique(keys, return_inverse=True)
    occurs = None
    if counted is not None:
        occurs = np.zeros(len(edge_keys), bool)
        occurs[edge[counted]] = True
    return CallEdges(
        caller=edge_keys // functions,
        callee=edge_keys % functions,
        count=sums_by_group(calls.count, edge, len(edge_keys)),
        inclusive=sums_by_group(calls.values, edge, len(edge_keys)),
        has_counts=has_counts,
        occurs=occurs,
    )
