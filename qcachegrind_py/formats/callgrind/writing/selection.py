"""Selection of what to write: parts, separate or merged, and functions.

An omitted function loses its self cost and its calls to other omitted functions. Calls are written
if their caller or callee is selected, or if they are inside a recursion cycle with a selected
function. The callers, callees, called counts and inclusive costs of the selected functions are
therefore unchanged, since the inclusive cost is that of the calls received.
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
    """The parts and functions to write; by default everything."""

    parts: tuple[PartId, ...] | None = None  # indexes of parts, in ascending order; None: all
    merged: bool = False  # merge the parts into one, adding rows of the same position
    functions: BoolArray | None = None  # mask of the functions, shape (functions,); None: all

    def chosen_parts(self, profile: Profile) -> tuple[PartId, ...]:
        """Return the indexes of the parts in ascending order; raise `IndexError` if invalid."""
        count = len(profile.parts)
        if self.parts is None:
            return tuple(map(PartId, range(count)))
        if wrong := [part for part in self.parts if not 0 <= part < count]:
            raise IndexError(f"there is no part {wrong[0]}: the profile has {count}, from 0 on")
        return tuple(sorted(set(self.parts)))


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """The rows of one part to write, in file order, and functions without rows."""

    part: PartId
    runs: Int64Array
    calls: Int64Array
    jumps: Int64Array
    targets: Int64Array  # target functions of jumps, since jumps cannot define functions
    unreferenced: Int64Array  # functions with a name and nothing else


def select_rows(profile: Profile, selection: Selection) -> Iterator[PartRows]:
    """Yield the rows of each chosen part, in order of the parts."""
    keep_run, keep_call, keep_jump = _selected_rows(profile, selection)
    runs = _rows_by_part(profile.runs.part, keep_run, len(profile.parts))
    calls = _rows_by_part(profile.calls.part, keep_call, len(profile.parts))
    jumps = _rows_by_part(profile.jumps.part, keep_jump, len(profile.parts))
    unreferenced = _unreferenced_functions(profile, selection)
    for part in selection.chosen_parts(profile):
        targets = _jump_targets_elsewhere(profile, jumps[part])
        yield PartRows(part, runs[part], calls[part], jumps[part], targets, unreferenced)
        unreferenced = unreferenced[:0]


def _selected_rows(
    profile: Profile, selection: Selection
) -> tuple[BoolArray | None, BoolArray | None, BoolArray | None]:
    """Return masks of the runs, calls and jumps to write; None for all."""
    selected = selection.functions
    if selected is None:
        return None, None, None
    caller, callee = profile.calls.caller, profile.calls.callee
    parts = None if selection.parts is None else frozenset(selection.parts)
    cycle = function_costs(profile, parts=parts).cycle
    is_selected_cycle = np.zeros(int(cycle.max(initial=0)) + 1, bool)
    is_selected_cycle[cycle[selected]] = True
    is_selected_cycle[0] = False  # no cycle
    inside_cycle = (cycle[caller] == cycle[callee]) & is_selected_cycle[cycle[caller]]
    return (
        selected[profile.runs.function],
        selected[caller] | selected[callee] | inside_cycle,
        selected[profile.jumps.function],
    )


def _rows_by_part(part: Int32Array, keep: BoolArray | None, parts: int) -> list[Int64Array]:
    """Return the rows of each part."""
    rows = np.arange(len(part)) if keep is None else np.flatnonzero(keep)
    of_rows = part[rows]
    if len(rows) and (np.diff(of_rows) < 0).any():
        order = np.argsort(of_rows, kind="stable")
        rows, of_rows = rows[order], of_rows[order]
    return np.split(rows, np.searchsorted(of_rows, np.arange(1, parts)))


def _jump_targets_elsewhere(profile: Profile, rows: Int64Array) -> Int64Array:
    """Return the target functions of these jumps, other than their own function."""
    jumps = profile.jumps
    target = jumps.target_function[rows]
    return np.unique(target[target != jumps.function[rows]]).astype(np.int64)


def _unreferenced_functions(profile: Profile, selection: Selection) -> Int64Array:
    """Return the functions without cost, call or jump, which belong to no particular part."""
    is_referenced = np.zeros(len(profile.functions), bool)
    is_referenced[profile.runs.function] = True
    for column in (profile.calls.caller, profile.calls.callee):
        is_referenced[column] = True
    for column in (profile.jumps.function, profile.jumps.target_function):
        is_referenced[column] = True
    if selection.functions is not None:
        is_referenced |= ~selection.functions
    return np.flatnonzero(~is_referenced)
