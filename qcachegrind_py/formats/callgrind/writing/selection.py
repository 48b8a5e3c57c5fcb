"""What of a profile is written: which parts, apart or as one, and which functions.

A function that is left out loses its self cost, and the calls between it and others that are left
out. A call stays where its caller or its callee is kept, as does one within a recursion cycle that
a kept function is in: so the callers, callees, called counts and inclusive costs of the functions
that are kept stay what they were, as inclusive cost is that of the calls received.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What is to be written; as it stands here, all of it."""

    parts: tuple[PartId, ...] | None = None  # indexes of the profile's parts, rising; None for all
    merged: bool = False  # into one part, rows of the same place added up
    functions: BoolArray | None = None  # those that are kept, shape (functions,); None for all

    def chosen_parts(self, profile: Profile) -> tuple[PartId, ...]:
        """The indexes of the parts, rising. Raises IndexError where there is no such part."""
        count = len(profile.parts)
        if self.parts is None:
            return tuple(map(PartId, range(count)))
        if wrong := [part for part in self.parts if not 0 <= part < count]:
            raise IndexError(f"there is no part {wrong[0]}: the profile has {count}, from 0 on")
        return tuple(sorted(set(self.parts)))


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """The rows of one part that are written, in file order, and functions that have no row."""

    part: PartId
    runs: Int64Array
    calls: Int64Array
    jumps: Int64Array
    targets: Int64Array  # functions that jumps lead to, which no jump can define
    unreferenced: Int64Array  # functions that the file names and nothing else is known of


def select_rows(profile: Profile, selection: Selection) -> Iterator[PartRows]:
    """The rows of each chosen part, in order of the parts."""
    keep_run, keep_call, keep_jump = _kept_rows(profile, selection)
    runs = _rows_by_part(profile.runs.part, keep_run, len(profile.parts))
    calls = _rows_by_part(profile.calls.part, keep_call, len(profile.parts))
    jumps = _rows_by_part(profile.jumps.part, keep_jump, len(profile.parts))
    unmentioned = _unreferenced_functions(profile, selection)
    for part in selection.chosen_parts(profile):
        targets = _jump_targets_elsewhere(profile, jumps[part])
        yield PartRows(part, runs[part], calls[part], jumps[part], targets, unmentioned)
        unmentioned = unmentioned[:0]


def _kept_rows(
    profile: Profile, selection: Selection
) -> tuple[BoolArray | None, BoolArray | None, BoolArray | None]:
    """Which runs, calls and jumps stay; None for all."""
    kept = selection.functions
    if kept is None:
        return None, None, None
    caller, callee = profile.calls.caller, profile.calls.callee
    parts = None if selection.parts is None else frozenset(selection.parts)
    cycle = function_costs(profile, parts=parts).cycle
    touched = np.zeros(int(cycle.max(initial=0)) + 1, bool)
    touched[cycle[kept]] = True
    touched[0] = False  # no cycle
    within = (cycle[caller] == cycle[callee]) & touched[cycle[caller]]
    return (
        kept[profile.runs.function],
        kept[caller] | kept[callee] | within,
        kept[profile.jumps.function],
    )


def _rows_by_part(part: Int32Array, keep: BoolArray | None, parts: int) -> list[Int64Array]:
    """The rows of each part."""
    rows = np.arange(len(part)) if keep is None else np.flatnonzero(keep)
    of_rows = part[rows]
    if len(rows) and (np.diff(of_rows) < 0).any():
        order = np.argsort(of_rows, kind="stable")
        rows, of_rows = rows[order], of_rows[order]
    return np.split(rows, np.searchsorted(of_rows, np.arange(1, parts)))


def _jump_targets_elsewhere(profile: Profile, rows: Int64Array) -> Int64Array:
    """The functions other than their own that jumps of these rows lead to."""
    jumps = profile.jumps
    target = jumps.target_function[rows]
    return np.unique(target[target != jumps.function[rows]]).astype(np.int64)


def _unreferenced_functions(profile: Profile, selection: Selection) -> Int64Array:
    """Functions without cost, call or jump in any part: nothing says of which part they are."""
    seen = np.zeros(len(profile.functions), bool)
    seen[profile.runs.function] = True
    for column in (profile.calls.caller, profile.calls.callee):
        seen[column] = True
    for column in (profile.jumps.function, profile.jumps.target_function):
        seen[column] = True
    if selection.functions is not None:
        seen |= ~selection.functions
    return np.flatnonzero(~seen)
