"""Stacks: the self costs of functions, divided among the paths of calls that lead to them.

The paths are those of a frame tree. What each function costs by itself is exact, so the stacks of a
function always add up to its self cost, and all stacks to the total; how it divides among several
paths is an estimate, unless the profile proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.estimates import rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """The stacks of a profile in one event: the path to each frame of a tree is one."""

    tree: FrameTree
    self_cost: CostArray  # of each frame: the part of its node's self cost that is spent there
    elsewhere: tuple[FunctionId, ...]  # functions with self costs that no frame of the tree shows

    @property
    def frames(self) -> Int64Array:
        """The frames that have a self cost."""
        return np.flatnonzero(self.self_cost)


def divide_self_costs(tree: FrameTree, self_cost: CostArray) -> Stacks:
    """Divide the self costs of functions, shape (functions,), among the frames of a tree.

    A function with several frames spends in each what the frame costs in proportion. Recursive
    frames have no part in it, as they are not expanded, unless their function has no others.
    """
    functions = len(self_cost)
    rows = _sharing_frames(tree, functions)
    node = tree.node[rows]
    divided = np.zeros(len(tree), self_cost.dtype)
    divided[rows] = _shares(self_cost[node], np.maximum(tree.width[rows], 0), node)
    is_shown = np.zeros(functions, bool)
    is_shown[node] = True
    missing = np.flatnonzero(~is_shown & (self_cost != 0).astype(bool))
    return Stacks(tree, divided, tuple(function_ids(missing)))


def _sharing_frames(tree: FrameTree, functions: int) -> Int64Array:
    """Return the frames that functions spend their self cost in, sorted by function."""
    rows = np.flatnonzero((tree.node >= 0) & (tree.node < functions))
    has_opened = np.zeros(functions, bool)
    has_opened[tree.node[rows[~tree.is_recursion[rows]]]] = True
    rows = rows[~tree.is_recursion[rows] | ~has_opened[tree.node[rows]]]
    return rows[np.argsort(tree.node[rows], kind="stable")]


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
