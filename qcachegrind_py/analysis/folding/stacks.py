"""Folding of recorded stacks: chosen functions are taken out of each, exactly.

What a function costs that is taken out of a stack becomes self cost of the one above it that
remains, at the line from which it called. The outermost function of a stack always remains.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts
from qcachegrind_py.profile.tables import BoolArray, Int64Array, at_rows, read_only


@frozen
class FoldedStacks:
    """Contexts without those that are folded, and where these were."""

    contexts: Contexts
    charged: Int64Array  # contexts that are charged, before folding, ascending
    callee: Int64Array  # of each: the outermost context that is folded into it
    values: Int64Array  # shape (events, charges)


def fold_stacks(contexts: Contexts, folded: BoolArray) -> FoldedStacks:
    """Take the functions of the mask, shape (functions,), out of all stacks."""
    is_folded = folded[contexts.function] & (contexts.parent >= 0)
    rows, parent = np.arange(len(contexts)), contexts.parent
    remaining = _topmost(np.where(is_folded, parent, rows))
    is_inside = is_folded & is_folded[parent]  # -1: the last row, of which nothing is folded there
    entry = _topmost(np.where(is_inside, parent, rows))[is_folded]

    values = contexts.values.copy()
    values[:, is_folded] = 0
    taken = contexts.values[:, is_folded]
    callee, place = np.unique(entry, return_inverse=True)
    charges = np.zeros((len(values), len(callee)), np.int64)
    for event, costs in enumerate(taken):
        np.add.at(values[event], remaining[is_folded], costs)
        np.add.at(charges[event], place, costs)

    kept = np.flatnonzero(~is_folded)
    before = np.append(0, np.cumsum(~is_folded))  # how many of the rows above remain
    above = parent[kept]
    chosen = at_rows(contexts, kept)
    return FoldedStacks(
        Contexts(
            parent=read_only(np.where(above < 0, above, before[remaining[above]]).astype(np.int32)),
            end=read_only(before[contexts.end[kept]].astype(np.int32)),
            function=read_only(chosen.function),
            line=read_only(chosen.line),
            address=chosen.address,
            part=read_only(chosen.part),
            values=read_only(np.take(values, kept, axis=-1)),
        ),
        remaining[callee],
        callee,
        charges,
    )


def _topmost(above: Int64Array) -> Int64Array:
    """Follow the rows above until one is above itself."""
    while (above[above] != above).any():
        above = above[above]
    return above
