"""The line at which a function's code begins."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.profile import Profile


def first_line(profile: Profile, function: FunctionId) -> int:
    """Return the first line with cost, in file order, of a function's own file; 0: unknown.

    Callgrind writes costs in order of address, so this is the line where the function is entered.
    The smallest line may be that of a function that was inlined.
    """
    runs, lines = profile.runs, profile.costs.line
    own_file = runs.file == profile.functions.file[function]
    for run in np.flatnonzero((runs.function == function) & own_file):
        known = lines[runs.start[run] : runs.start[run + 1]]
        known = known[known > 0]
        if len(known):
            return int(known[0])
    return 0
