"""Calls summed over their sites: one row a pair of caller and callee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.costs.scope import Parts, calls_of_active_parts
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Calls, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class CallEdges:
    """A row a pair, in order of the caller, then the callee."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, pairs)

    def __len__(self) -> int:
        return len(self.caller)


def call_edges(profile: Profile, parts: Parts = None) -> CallEdges:
    """All pairs; `parts` are the active ones, all where it is None."""
    return sum_edges(calls_of_active_parts(profile, parts), len(profile.functions))


def sum_edges(calls: Calls, functions: int) -> CallEdges:
    """The pairs of these calls between that many functions."""
    functions = max(1, functions)
    keys = calls.caller.astype(np.int64) * functions + calls.callee
    pairs, place = np.unique(keys, return_inverse=True)
    return CallEdges(
        caller=pairs // functions,
        callee=pairs % functions,
        count=sums_by_group(calls.count, place, len(pairs)),
        inclusive=sums_by_group(calls.values, place, len(pairs)),
    )
