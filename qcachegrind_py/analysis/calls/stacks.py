"""Stacks: the self costs of functions, divided among the paths of calls that lead to them.

The paths are those of a frame tree. What each function costs by itself is exact, so the stacks of a
function always add up to its self cost, and all stacks to the total, with those of costs that no
function has; how they divide among several paths is an estimate, unless the profile proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.sums import rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, NodeId
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """The stacks of a profile in one event: the path to each frame of a tree is one."""

    tree: FrameTree
    self_cost: CostArray  # of each frame: the part of its node's self cost that is spent there
    # what has self costs that no frame of the tree shows: functions and `NOT_ATTRIBUTED`
    elsewhere: dict[NodeId, int]

    @property
    def frames(self) -> Int64Array:
        """The frames that have a self cost."""
        return np.flatnonzero(self.self_cost)


def divide_self_costs(tree: FrameTree, self_cost: CostArray, not_attributed: int = 0) -> Stacks:
    """Divide the self costs of functions, shape (functions,), among the frames of a tree.

    A function with several frames spends in each what the frame costs in proportion. Recursive
    frames have no part in it, as they are not expanded, unless their function has no others. What
    is not attributed to any function is divided as if it were one.
    """
    functions = len(self_cost)
    owner = np.where(tree.node == NOT_ATTRIBUTED, functions, tree.node)
    owner[tree.node >= functions] = NO_NODE  # cycles
    large = self_cost.dtype == object or not_attributed >= 1 << 62
    whole = np.append(self_cost, not_attributed).astype(object if large else np.int64)
    rows = _sharing_frames(tree, owner, len(whole))
    divided = np.zeros(len(tree), whole.dtype)
    divided[rows] = _shares(whole[owner[rows]], np.maximum(tree.width[rows], 0), owner[rows])
    is_shown = np.zeros(len(whole), bool)
    is_shown[owner[rows]] = True
    hidden = np.flatnonzero(~is_shown & (whole != 0).astype(bool)).tolist()
    return Stacks(
        tree,
        divided,
        {NodeId(row if row < functions else NOT_ATTRIBUTED): int(whole[row]) for row in hidden},
    )


def _sharing_frames(tree: FrameTree, owner: Int64Array, owners: int) -> Int64Array:
    """Return the frames that each owner spends its self cost in, sorted by owner."""
    rows = np.flatnonzero(owner >= 0)
    has_opened = np.zeros(owners, bool)
    has_opened[owner[rows[~tree.is_recursion[rows]]]] = True
    rows = rows[~tree.is_recursion[rows] | ~has_opened[owner[rows]]]
    return rows[np.argsort(owner[rows], kind="stable")]


def _shares(whole: CostArray, weight: Float64Array, node: Int64Array) -> CostArray:
    """Divide `whole` by weight among the adjacent rows of each node; all have the shape (rows,).

    Each part is the difference of two rounded sums, so the parts of a node add up exactly.
    """
    if not len(node):
        return whole
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    lengths = np.diff(starts, append=len(node))
    has_weight = np.repeat(np.add.reduceat(weight, starts) > 0, lengths)
    weight = np.where(has_weight, weight, 1)
    summed = np.cumsum(weight)
    before = np.repeat(summed[starts] - weight[starts], lengths)
    total = np.repeat(np.add.reduceat(weight, starts), lengths)
    until = rounded_like(whole.astype(np.float64) * np.minimum((summed - before) / total, 1))
    ends = starts + lengths - 1
    until = np.where(np.isin(np.arange(len(node)), ends), whole, until)
    parts = np.diff(until, prepend=0)
    parts[starts] = until[starts]
    return parts
