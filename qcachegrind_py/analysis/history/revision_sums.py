"""The sums of one revision, by the rows of the history."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.profile.events import EventTypes
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Functions, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class RevisionSums:
    """What remains of a profile; `values` have the shape (events, rows)."""

    row_of_function: Int64Array  # shape (functions,): the row in the history of each function
    rows: Int64Array  # the rows that the revision has, in the history
    members: Int64Array  # how many of its functions are in each of them, shape (rows,)
    self_values: Int64Array
    inclusive_values: Int64Array
    called: Int64Array  # shape (rows,)
    events: EventTypes
    recorded: tuple[int, ...] | None  # the total of each measured event by the summaries


def revision_sums(profile: Profile, row_of_function: Int64Array, *, cycles: bool) -> RevisionSums:
    """Sum up a profile by the rows that its functions have in the history, shape (functions,).

    Functions of one row are one function, so that calls between them are recursive.
    """
    rows, first, place, members = np.unique(
        row_of_function, return_index=True, return_inverse=True, return_counts=True
    )
    if len(rows) == len(row_of_function):
        rows = row_of_function
    else:
        profile = _with_functions(profile, first, place.astype(np.int32))
    costs = function_costs(profile, cycles=cycles)
    return RevisionSums(
        row_of_function,
        rows,
        members,
        costs.self_cost,
        costs.inclusive,
        costs.called,
        profile.events,
        _recorded(profile),
    )


def _with_functions(profile: Profile, first: Int64Array, place: Int32Array) -> Profile:
    """Return the profile with the functions `first` only; `place` is the new one of each."""
    old, runs, calls = profile.functions, profile.runs, profile.calls
    return replace(
        profile,
        functions=Functions(old.name[first], old.file[first], old.object[first]),
        runs=replace(runs, function=place[runs.function]),
        calls=replace(calls, caller=place[calls.caller], callee=place[calls.callee]),
    )


def _recorded(profile: Profile) -> tuple[int, ...] | None:
    totals = [total(profile, event, ALL_PARTS) for event in profile.events.measured]
    if all(event_total.recorded is None for event_total in totals):
        return None
    return tuple(int(item.counted if item.recorded is None else item.recorded) for item in totals)
