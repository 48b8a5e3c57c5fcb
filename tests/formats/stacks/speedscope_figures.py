"""What speedscope shows of the frames of a file, in NAME.figures beside it: self and total weight.

Written by its importer, run by Node: for each frame, `name|file|line`, the sums of `getSelfWeight`
and `getTotalWeight` over all profiles of the file.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from qcachegrind_py.profile.profile import Profile

DATA = Path(__file__).parents[2] / "data" / "stacks"
_NANOSECONDS = {"seconds": 10**9, "microseconds": 10**3}


def speedscope_figures(name: str) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return the total of a file of the test data, and the costs of frames, in nanoseconds."""
    figures = json.loads((DATA / f"{name}.figures").read_text())
    factor = _NANOSECONDS[figures["unit"]]
    frames = {
        frame: (round(own * factor), round(inclusive * factor))
        for frame, (own, inclusive) in figures["frames"].items()
    }
    return round(figures["total"] * factor), frames


def frame_costs(profile: Profile) -> dict[str, tuple[int, int]]:
    """Return the self and the inclusive cost of each frame, stack by stack."""
    contexts = profile.contexts
    assert contexts is not None
    names = profile.named_functions(range(len(profile.functions)))
    frames = [
        f"{names['name'][function]}|{names['file'][function].replace('???', '')}|{line}"
        for function, line in zip(contexts.function.tolist(), contexts.line.tolist(), strict=True)
    ]
    own, inclusive = defaultdict[str, int](int), defaultdict[str, int](int)
    for row, cost in enumerate(contexts.values[0].tolist()):
        own[frames[row]] += cost
        stack = set()
        while row >= 0:
            stack.add(frames[row])
            row = int(contexts.parent[row])
        for frame in stack:
            inclusive[frame] += cost
    return {frame: (own[frame], cost) for frame, cost in inclusive.items()}
