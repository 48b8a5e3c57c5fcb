"""How wide the frames of a comparison are drawn: as the new side, the base, or what changed.

By change, a frame is as wide as growth and shrinkage of all that is inside it, so that changes that
cancel out are seen. Only proven changes count; frames with estimates share what the frame around
them has left. Frames without width stay in the tree and are not drawn.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.calls.frame_branches import MAX_SUM
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.sums import float_sums
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array


class BoxWidth(Enum):
    """What the boxes of a comparison are as wide as."""

    NEW = "new"
    BASE = "base"
    CHANGE = "change"


@frozen(eq=True)
class Undrawn:
    """Frames of a comparison that have no width, and how much they changed together."""

    count: int
    change: int
    is_exact: bool


def frames_by_width(tree: FrameTree, by: BoxWidth) -> FrameTree:
    """Return the frames of a tree of both sides as they are drawn, widest siblings first."""
    width = _drawn_widths(tree, by)
    net = _net_shares(tree, width) if by is BoxWidth.CHANGE else None
    return _arranged(replace(tree, width=width, net=net), _order(tree, width))


def frame_places(tree: FrameTree, by: BoxWidth) -> tuple[Float64Array, Float64Array]:
    """Return left edge and width of each frame in units of cost, shape (frames,).

    Siblings keep the order that they have in the tree, by whatever they are as wide as.
    """
    width = _drawn_widths(tree, by)
    return _starts(tree.parent, width, tree.levels()), width


def undrawn_frames(tree: FrameTree) -> Undrawn:
    """Return the frames without width; of nested ones the change of the outermost counts."""
    hidden = tree.width <= 0
    counted = hidden & ~tree.are_inside(hidden)
    change = sum(tree.both_costs.change[counted].tolist())
    return Undrawn(int(hidden.sum()), change, bool(tree.is_exact[counted].all()))


def _drawn_widths(tree: FrameTree, by: BoxWidth) -> Float64Array:
    if by is BoxWidth.CHANGE:
        return _gross_changes(tree)
    return (tree.new if by is BoxWidth.NEW else tree.base).width


# ---------------------------------------------------------------- growth and shrinkage


def _gross_changes(tree: FrameTree) -> Float64Array:
    """Return growth and shrinkage inside each frame, shape (frames,)."""
    change = tree.both_costs.change
    if float(np.abs(change.astype(np.float64)).sum()) >= MAX_SUM:
        change = change.astype(object)
    counted = _counted_frames(tree)
    own, inner = change.copy(), np.flatnonzero(counted & (tree.parent >= 0))
    np.subtract.at(own, tree.parent[inner], change[inner])
    gross = np.where(counted, np.abs(own), 0)
    for begin, end in tree.levels()[:0:-1]:
        rows = np.flatnonzero(counted[begin:end]) + begin
        np.add.at(gross, tree.parent[rows], gross[rows])
    width = gross.astype(np.float64)
    _share_rest(tree, counted, change, np.abs(own.astype(np.float64)), width)
    return width


def _counted_frames(tree: FrameTree) -> BoolArray:
    """Return the frames whose change is proven, and those of all frames around them."""
    counted = tree.is_exact.copy()
    for begin, end in tree.levels()[1:]:
        counted[begin:end] &= counted[tree.parent[begin:end]]
    return counted


def _share_rest(
    tree: FrameTree, counted: BoolArray, change: CostArray, rest: Float64Array, width: Float64Array
) -> None:
    """Give estimates the width that the frame around them has left, at most their own size."""
    size = np.where(counted, 0.0, np.abs(change.astype(np.float64)))
    wanted = float_sums(size[1:], tree.parent[1:], len(tree))
    for begin, end in tree.levels()[1:]:
        rows = np.flatnonzero(~counted[begin:end]) + begin
        around = tree.parent[rows]
        room = np.where(counted[around], rest[around], width[around])
        whole = np.maximum(wanted[around], 1.0)
        width[rows] = size[rows] * np.minimum(room / whole, 1.0)


def _net_shares(tree: FrameTree, width: Float64Array) -> Float64Array:
    """Return how much of each width is a proven net change, from 0 to 1."""
    change = np.abs(tree.both_costs.change.astype(np.float64))
    net = np.where(tree.is_exact, change, 0.0)
    shares = np.divide(net, width, out=np.zeros(len(width)), where=width > 0)
    return np.minimum(shares, 1.0)


# ---------------------------------------------------------------- arranging


def _order(tree: FrameTree, width: Float64Array) -> Int64Array:
    """Return the rows level by level, siblings together and the widest first."""
    place = np.zeros(len(tree), np.int64)
    rows = np.arange(len(tree))
    for begin, end in tree.levels()[1:]:
        level = np.arange(begin, end)
        rows[begin:end] = level[np.lexsort((-width[level], place[tree.parent[level]]))]
        place[rows[begin:end]] = level
    return rows


def _arranged(tree: FrameTree, rows: Int64Array) -> FrameTree:
    """Return the frames in this order, siblings side by side."""
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    parent = np.where(tree.parent[rows] >= 0, place[tree.parent[rows]], -1)
    width, count = tree.width[rows], tree.child_count[rows]
    return replace(
        tree,
        node=tree.node[rows],
        parent=parent,
        depth=tree.depth[rows],
        start=_starts(parent, width, tree.levels()),
        width=width,
        first_child=1 + np.cumsum(count) - count,
        child_count=count,
        is_recursion=tree.is_recursion[rows],
        base=tree.base.of(rows),
        new=tree.new.of(rows),
        net=None if tree.net is None else tree.net[rows],
    )


def _starts(parent: Int64Array, width: Float64Array, levels: list[tuple[int, int]]) -> Float64Array:
    """Return the left edges: the first child begins where its parent does."""
    start = np.zeros(len(parent))
    for begin, end in levels[1:]:
        around, inside = parent[begin:end], width[begin:end]
        before = np.concatenate((np.zeros(1), np.cumsum(inside)[:-1]))
        first = np.searchsorted(around, around)
        start[begin:end] = start[around] + before - before[first]
    return start
