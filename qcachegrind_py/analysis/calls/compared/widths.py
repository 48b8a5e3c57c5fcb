"""How wide the frames of a comparison are: by the new side, by the base, or by what changed.

By change, a frame is as wide as growth and shrinkage of all that is inside it, so that changes that
cancel out are seen. Only proven changes count; frames with estimates share what the frame around
them has left. Frames without width stay in the tree and are not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.calls.compared.sides import FrameSides
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.sums import float_sums
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_EXACT = 2.0**61  # sums of sizes from here on need more than 64 bits


class BoxWidth(Enum):
    """What the boxes of a comparison are as wide as."""

    NEW = "new"
    BASE = "base"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Undrawn:
    """Frames of a comparison that have no width, and how much they changed together."""

    count: int
    change: int
    is_exact: bool


def frames_by_width(tree: FrameTree, by: BoxWidth) -> FrameTree:
    """Return the frames of a tree of both sides as they are drawn, widest siblings first."""
    sides = tree.sides
    assert sides is not None
    cost, width = _drawn_costs(tree, sides, by)
    if by is BoxWidth.CHANGE:
        sides = replace(sides, net=_net_shares(sides, width))
    rows = _order(tree, width)
    return _arranged(replace(tree, cost=cost, width=width, sides=sides), rows)


def frame_places(tree: FrameTree, by: BoxWidth) -> tuple[Float64Array, Float64Array]:
    """Return left edge and width of each frame in units of cost, shape (frames,).

    Siblings keep the order that they have in the tree, by whatever they are as wide as.
    """
    assert tree.sides is not None
    _, width = _drawn_costs(tree, tree.sides, by)
    return _starts(tree.parent, width, tree.levels()), width


def undrawn_frames(tree: FrameTree) -> Undrawn:
    """Return the frames without width; of nested ones the change of the outermost counts."""
    assert tree.sides is not None
    hidden = tree.width <= 0
    counted = hidden & ~tree.are_inside(hidden)
    change = sum(tree.sides.cost.change[counted].tolist())
    return Undrawn(int(hidden.sum()), change, bool(tree.is_exact[counted].all()))


def combined_sides(tree: FrameTree, nodes: BoolArray) -> tuple[int, int, bool]:
    """Return what all frames of these nodes cost in the base and now, and whether it is exact.

    `nodes` is a mask of shape (nodes,). No cost is counted twice.
    """
    assert tree.sides is not None
    counted, cost = tree.outermost(nodes), tree.sides.cost
    base, new = (sum(side[counted].tolist()) for side in (cost.base, cost.new))
    return base, new, bool(tree.is_exact[counted].all())


def _drawn_costs(
    tree: FrameTree, sides: FrameSides, by: BoxWidth
) -> tuple[CostArray, Float64Array]:
    """Return what the frames are as wide as, and their widths; both of shape (frames,)."""
    if by is BoxWidth.CHANGE:
        return _gross_changes(tree, sides)
    side = sides.new if by is BoxWidth.NEW else sides.base
    return side.cost, side.width


# ---------------------------------------------------------------- growth and shrinkage


def _gross_changes(tree: FrameTree, sides: FrameSides) -> tuple[CostArray, Float64Array]:
    """Return growth and shrinkage inside each frame, and its width; both of shape (frames,)."""
    change = sides.cost.change
    if float(np.abs(change.astype(np.float64)).sum()) >= _MAX_EXACT:
        change = change.astype(object)
    counted = _counted_frames(tree, sides.is_proven)
    own, inner = change.copy(), np.flatnonzero(counted & (tree.parent >= 0))
    np.subtract.at(own, tree.parent[inner], change[inner])
    gross = np.where(counted, np.abs(own), 0)
    for begin, end in tree.levels()[:0:-1]:
        rows = np.flatnonzero(counted[begin:end]) + begin
        np.add.at(gross, tree.parent[rows], gross[rows])
    width = gross.astype(np.float64)
    _share_rest(tree, counted, change, np.abs(own.astype(np.float64)), width)
    return np.where(counted, gross, np.rint(width).astype(np.int64)), width


def _counted_frames(tree: FrameTree, is_proven: BoolArray) -> BoolArray:
    """Return the frames whose change is proven, and those of all frames around them."""
    counted = is_proven.copy()
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


def _net_shares(sides: FrameSides, width: Float64Array) -> Float64Array:
    """Return how much of each width is a proven net change, from 0 to 1."""
    net = np.where(sides.is_proven, np.abs(sides.cost.change.astype(np.float64)), 0.0)
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
    sides = tree.sides
    assert sides is not None
    columns = ("node", "depth", "cost", "is_exact", "is_recursion", "calls", "has_exact_calls")
    return replace(
        tree,
        parent=parent,
        width=width,
        start=_starts(parent, width, tree.levels()),
        first_child=1 + np.cumsum(count) - count,
        child_count=count,
        sides=replace(
            sides,
            base=sides.base.of(rows),
            new=sides.new.of(rows),
            net=None if sides.net is None else sides.net[rows],
        ),
        **{name: getattr(tree, name)[rows] for name in columns},
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
