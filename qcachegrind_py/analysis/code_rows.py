"""Which rows of a profile are of one function, or of one source file, in the active parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.active_parts import Parts, is_active
from qcachegrind_py.analysis.segments import rows_of
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


def rows_of_function(profile: Profile, function: int, parts: Parts = None) -> ProfileRows:
    """The costs of a function, the calls it makes and the jumps in it."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _rows(
        profile, runs.function == function, calls.caller == function, jumps.function == function,
        parts,
    )  # fmt: skip


def rows_of_file(profile: Profile, file: int, parts: Parts = None) -> ProfileRows:
    """The same of the lines of a source file, in whatever function they are."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _rows(profile, runs.file == file, calls.file == file, jumps.file == file, parts)


def _rows(
    profile: Profile, of_runs: BoolArray, of_calls: BoolArray, of_jumps: BoolArray, parts: Parts
) -> ProfileRows:
    runs = profile.runs
    if parts is not None:
        of_runs = of_runs & is_active(runs.part, parts)
        of_calls = of_calls & is_active(profile.calls.part, parts)
        of_jumps = of_jumps & is_active(profile.jumps.part, parts)
    chosen = np.flatnonzero(of_runs)
    rows, lengths = rows_of(runs.start, chosen)
    return ProfileRows(
        rows,
        np.repeat(runs.file[chosen], lengths),
        np.repeat(runs.part[chosen], lengths),
        np.flatnonzero(of_calls),
        np.flatnonzero(of_jumps),
    )
