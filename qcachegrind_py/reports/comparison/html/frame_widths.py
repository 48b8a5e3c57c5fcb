"""How wide the boxes of a flame graph of two profiles are: by the new side, the base, the change.

A box of the change is as wide as the growth and the shrinkage within it, as far as they are proven:
costs that are estimates seem to change although nothing did. Where the boxes inside are estimates,
a box is therefore only as wide as its own change, which they share.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray


def cost_widths(cost: CostArray) -> Float64Array:
    """Return widths in units of cost; costs below 0 have none. All shapes are (frames,)."""
    widths: Float64Array = np.maximum(cost.astype(np.float64), 0)
    return widths


def change_widths(tree: FrameTree, change: CostArray, proven: BoolArray) -> Float64Array:
    """Return the widths of the changes of frames in units of cost; all shapes are (frames,)."""
    own, widths = change.astype(np.float64), np.abs(change.astype(np.float64))
    inside, apart = np.zeros(len(tree)), np.zeros(len(tree))  # proven: net, and its parts
    has_estimates = np.zeros(len(tree), bool)
    for level in reversed(levels_of(tree)):
        gross = np.abs(own[level] - inside[level]) + apart[level]
        some = np.maximum(np.abs(own[level]), apart[level])
        widths[level] = np.where(has_estimates[level], some, gross)
        widths[level][~proven[level]] = np.abs(own[level])[~proven[level]]
        parent = tree.parent[level]
        if parent[0] < 0:
            break
        is_proven = proven[level]
        np.add.at(inside, parent[is_proven], own[level][is_proven])
        np.add.at(apart, parent[is_proven], widths[level][is_proven])
        has_estimates[parent[~is_proven]] = True
    return widths


def placed(tree: FrameTree, widths: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return left edge and width of each frame as fractions of frame 0, which has a width.

    Children are from left to right as in the tree. Where they have more width than their parent,
    they share what it has.
    """
    called = np.zeros(len(tree))
    np.add.at(called, tree.parent[1:], widths[1:])
    start, width = np.zeros(len(tree)), np.ones(len(tree))
    for level in levels_of(tree)[1:]:
        parent = tree.parent[level]
        whole = np.maximum(widths[parent], called[parent])
        scale = np.divide(width[parent], whole, out=np.zeros(len(parent)), where=whole > 0)
        width[level] = np.minimum(widths[level] * scale, width[parent])
        before = np.cumsum(width[level]) - width[level]
        first = tree.first_child[parent] - level.start
        start[level] = start[parent] + before - before[first]
    return start, width


def levels_of(tree: FrameTree) -> list[slice]:
    """Return the rows of each level, from frame 0 down."""
    ends = np.searchsorted(tree.depth, np.arange(tree.level_count + 1)).tolist()
    return [slice(begin, end) for begin, end in pairwise(ends)]
