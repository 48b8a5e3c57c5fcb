"""What each source line of a program costs, over all functions and files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, is_active
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_LINES = 1 << 32  # more than the number of lines in any file


@dataclass(frozen=True, slots=True, eq=False)
class ProgramLines:
    """The source lines with costs or calls, by file and line; costs have the shape (events, lines).

    Costs without a file or a line are in one row for each file, with line 0.
    """

    file: Int32Array  # number in the profile's texts; 0: unknown
    line: Int32Array
    self_cost: Int64Array
    call_cost: Int64Array  # of the calls from the line, recursive ones included
    calls: Int64Array  # how many, shape (lines,)

    def __len__(self) -> int:
        return len(self.line)


def program_lines(
    profile: Profile, parts: Parts = ALL_PARTS, functions: BoolArray | None = None
) -> ProgramLines:
    """Return the lines of some functions, a mask of shape (functions,), by default of all."""
    runs, costs, calls = profile.runs, profile.costs, profile.calls
    run = np.repeat(np.arange(len(runs)), np.diff(runs.start))
    cost_rows = np.flatnonzero(_counted(runs.part, runs.function, parts, functions)[run])
    call_rows = np.flatnonzero(_counted(calls.part, calls.caller, parts, functions))
    keys, number = np.unique(
        np.concatenate(
            (
                _keys(runs.file[run[cost_rows]], costs.line[cost_rows]),
                _keys(calls.file[call_rows], calls.line[call_rows]),
            )
        ),
        return_inverse=True,
    )
    of_costs, of_calls = np.split(number, [len(cost_rows)])
    file, line = np.divmod(keys, _LINES)
    return ProgramLines(
        file.astype(np.int32),
        line.astype(np.int32),
        sums_by_group(costs.values[:, cost_rows], of_costs, len(keys)),
        sums_by_group(calls.values[:, call_rows], of_calls, len(keys)),
        sums_by_group(calls.count[call_rows], of_calls, len(keys)),
    )


def _counted(
    part: Int32Array, function: Int32Array, parts: Parts, functions: BoolArray | None
) -> BoolArray:
    """Return which rows are of active parts and of the functions."""
    counted = np.ones(len(part), bool) if parts is None else is_active(part, parts)
    return counted if functions is None else counted & functions[function]


def _keys(file: Int32Array, line: Int32Array) -> Int64Array:
    """Return a number for each line of each file; lines below 1 are unknown."""
    return file * np.int64(_LINES) + np.maximum(line, 0)
