"""The frames of both profiles that the page shows, and where they are drawn.

Only the widest are shown, by whichever of the widths that the page offers, so that browsers can
open it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, FrameRoots
from qcachegrind_py.analysis.calls.frame_sides import BoxWidth, build_compared_frames, frame_places
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import EventType, Float64Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array

MIN_SHARE = 1e-3  # of the picture: narrower frames are left out
_WIDTHS = (BoxWidth.NEW, BoxWidth.BASE, BoxWidth.CHANGE)
_MOST_FRAMES = 3000
_MOST_TREE_FRAMES = 30_000  # before those are chosen that are wide enough on one side
_MIN_TREE_SHARE = 2e-5
_MAX_DEPTH = 200
_Places = tuple[Float64Array, Float64Array]


@dataclass(frozen=True, slots=True, eq=False)
class ComparedFrames:
    """The frames to show, level by level; all arrays have the shape (frames,)."""

    node: Int64Array  # function or cycle; -1: the whole program
    parent: Int64Array  # row of the parent; -1 for frame 0
    depth: Int64Array
    cost: BothSides
    is_proven: BoolArray  # exact on both sides, so that the change is known
    is_recursion: BoolArray
    places: tuple[_Places, ...]  # by New, Base and Change: left edge and width as fractions
    omitted: tuple[float, float]  # cost of the frames that are left out, as fractions: base, new

    def __len__(self) -> int:
        return len(self.node)


def compared_frames(
    compared: Comparison, event: EventType, visible: BoolArray | None, progress: Progress
) -> ComparedFrames | None:
    """Return the frames of a measured event; None if there are no calls with cost.

    With `visible`, a mask of shape (nodes,), only calls are followed that lead to such nodes.
    """
    tree = build_compared_frames(
        _side(compared, event, compared.base),
        _side(compared, event, compared.new),
        min_share=_MIN_TREE_SHARE,
        max_frames=_MOST_TREE_FRAMES,
        max_depth=_MAX_DEPTH,
        visible=visible,
        progress=progress,
    )
    return _chosen(tree) if len(tree) > 1 else None  # a frame alone shows nothing


def _side(
    compared: Comparison, event: EventType, scope: Scope
) -> tuple[AccountedCalls, FrameRoots]:
    """Return the calls of one side, and where its whole program begins."""
    calls = compared.queries.program_calls(event, scope)
    return calls, calls.program_roots()


def _chosen(tree: FrameTree) -> ComparedFrames:
    """Return the widest frames; none is wider than its parent, which is therefore among them."""
    places = [_fractions(*frame_places(tree, by)) for by in _WIDTHS]
    widest = np.max([width for _, width in places], axis=0)
    order = np.argsort(-widest, kind="stable")[:_MOST_FRAMES]
    rows = np.sort(order[widest[order] >= MIN_SHARE])
    row = np.zeros(len(tree), np.int64)
    row[rows] = np.arange(len(rows))
    parent = tree.parent[rows]
    sides = tree.sides
    assert sides is not None
    cost, is_left_out = sides.cost, np.ones(len(tree), bool)
    is_left_out[rows] = False
    outermost = is_left_out & ~tree.are_inside(is_left_out)
    omitted = [
        (more + float(side.width[outermost].sum())) / (float(side.width[0]) or 1.0)
        for more, side in zip(sides.omitted_cost, (sides.base, sides.new), strict=True)
    ]
    return ComparedFrames(
        tree.node[rows],
        np.where(parent >= 0, row[parent], -1),
        tree.depth[rows],
        BothSides(cost.base[rows], cost.new[rows]),
        tree.is_exact[rows],
        tree.is_recursion[rows],
        tuple((start[rows], width[rows]) for start, width in places),
        (omitted[0], omitted[1]),
    )


def _fractions(start: Float64Array, width: Float64Array) -> _Places:
    """Return places as fractions of frame 0; all are 0 if the side has no cost, or no change."""
    whole = width[0] or 1.0
    return start / whole, width / whole
