"""The geometry of a call map: frames, covered parts, and areas free for labels.

With strips of self cost alone, nested boxes would look like siblings. So the contents of a box are
moved inwards and its strip becomes a frame. Areas stay the same, because the frame's area is taken
from the strip; boxes without self cost have no frame. Only a header, a strip for the name of a
large box, takes space from the contents if the self cost is less. All lengths are in logical
pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.calls.treemap import TreemapLayout
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_FRAME_FRACTION = 1 / 8  # of a box's shorter side
_MIN_HEADED_LINES = 3  # height, in header heights, of boxes with a header
_MIN_HEADED_WIDTH = 4  # in header heights: some eight letters
_CHAIN_SHARE = 0.9  # of the parent's cost: from there on, a box counts as part of a chain
_TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class MapGeometry:
    """The shown boxes, outer ones first. Edges are left, top, right and bottom."""

    boxes: Int64Array  # rows of the frame tree
    edges: Float64Array  # shape (4, boxes)
    content_edges: (
        Float64Array  # edges of the part below the self cost, shape (4, boxes); may be empty
    )
    is_covered: BoolArray  # whether shown boxes cover the contents
    free_edges: Float64Array  # edges of uncovered parts, shape (parts, 4, boxes)


def compute_geometry(tree: FrameTree, treemap: TreemapLayout) -> MapGeometry:
    """Return the geometry of the shown boxes."""
    boxes = np.flatnonzero(treemap.is_shown)
    x, y = treemap.x[boxes], treemap.y[boxes]
    edges = np.stack((x, y, x + treemap.width[boxes], y + treemap.height[boxes]))
    content_edges = _content_edges(tree, treemap, boxes, edges)
    row = np.full(len(tree) + 1, -1)  # by box; the last one is for box 0's parent, -1
    row[boxes] = np.arange(len(boxes))
    parents = row[tree.parent[boxes]]
    children = np.flatnonzero(parents >= 0)
    covered_area = np.zeros(len(boxes))
    np.add.at(
        covered_area, parents[children], ((edges[2] - edges[0]) * (edges[3] - edges[1]))[children]
    )
    is_covered = (
        covered_area
        > (content_edges[2] - content_edges[0]) * (content_edges[3] - content_edges[1]) - 1.0
    )
    return MapGeometry(
        boxes,
        edges,
        content_edges,
        is_covered,
        _free_edges(edges, content_edges, children, parents[children]),
    )


def _content_edges(
    tree: FrameTree, treemap: TreemapLayout, boxes: Int64Array, edges: Float64Array
) -> Float64Array:
    """Return the edges of the contents, shape (4, boxes).

    The contents begin at the first child; the frame is equally wide on the right.
    """
    left, top, right, bottom = edges
    first = np.minimum(tree.first_child[boxes], len(tree) - 1)
    has_children = tree.child_count[boxes] > 0
    is_open = has_children & treemap.is_shown[first]
    frame = np.where(is_open, treemap.x[first] - left, 0.0)
    below = np.where(is_open, treemap.y[first], top + treemap.self_area[boxes])
    return np.stack(
        (left + frame, np.where(has_children, below, bottom), right - frame, bottom - frame)
    )


def _free_edges(
    edges: Float64Array, content_edges: Float64Array, children: Int64Array, parents: Int64Array
) -> Float64Array:
    """Return the free parts: the strip, and those below and beside all children or the last one.

    With all split rules, each child lies right of or below the previous ones. `children` are rows
    of boxes inside others, `parents` the rows of those others.
    """
    left, top, right, bottom = edges
    _, room_top, room_right, room_bottom = content_edges
    is_open = np.zeros(len(left), bool)
    is_open[parents] = True
    last = np.arange(len(left))
    last[parents] = children  # with several children, the last assignment wins
    far_right, far_bottom = content_edges[0].copy(), room_top.copy()
    np.maximum.at(far_right, parents, right[children])
    np.maximum.at(far_bottom, parents, bottom[children])
    strip = np.stack((left, top, right, np.where(is_open, room_top, bottom)))
    corners = (
        (content_edges[0], far_bottom),
        (far_right, room_top),
        (left[last], bottom[last]),
        (right[last], top[last]),
    )
    others = [is_open * np.stack((x, y, room_right, room_bottom)) for x, y in corners]
    return np.stack((strip, *others))


# -------------------------------------------------------------------- frames


def inset_frames(
    treemap: TreemapLayout, tree: FrameTree, frame: float, strip: float, headers: int = 0
) -> TreemapLayout:
    """Return the layout with the contents of boxes moved inwards by up to `frame` pixels.

    Areas stay the same. Strips keep at least `strip` pixels, the height of a line of text, if they
    have them. Level by level, the contents are scaled from their former area to the new one.

    With `headers`, large boxes inside the root always get such a strip, for their name: those of
    the first level, and `headers` levels of those much smaller than the box around them. So does
    a root inside the tree. Their contents become smaller for it, all by one factor.
    """
    x, y, width, height = (
        column.copy() for column in (treemap.x, treemap.y, treemap.width, treemap.height)
    )
    self_share = treemap.self_area / np.maximum(treemap.height, _TINY)  # share of the box
    shown = np.flatnonzero(treemap.is_shown)
    header_level = np.zeros(len(tree), np.int64)
    inside = np.arange(int(tree.depth[treemap.root]) + 1, tree.level_count + 1)
    levels = np.searchsorted(tree.depth[shown], inside).tolist()
    for level, (begin, end) in enumerate(pairwise(levels)):
        boxes = shown[begin:end]
        parents, parent_index = np.unique(tree.parent[boxes], return_inverse=True)
        thickness = _frame_thickness(
            width[parents], height[parents], self_share[parents], frame, strip
        )
        room = np.full(len(parents), np.inf)  # height left for the contents
        if headers:
            is_headed = _has_header(tree, parents, header_level, level, headers)
            is_headed &= height[parents] >= _MIN_HEADED_LINES * strip
            is_headed &= width[parents] >= _MIN_HEADED_WIDTH * strip
            thickness[is_headed] = frame
            room[is_headed] = (height[parents] - thickness - strip)[is_headed]
        new_width = width[parents] - 2 * thickness
        new_height = np.minimum(
            width[parents] * height[parents] * (1 - self_share[parents]) / new_width, room
        )
        left, top = x[parents] + thickness, y[parents] + height[parents] - thickness - new_height
        old_left, old_top = treemap.x[parents], treemap.y[parents] + treemap.self_area[parents]
        across = new_width / treemap.width[parents]
        down = new_height / (treemap.height[parents] - treemap.self_area[parents])
        x[boxes] = left[parent_index] + (x[boxes] - old_left[parent_index]) * across[parent_index]
        y[boxes] = top[parent_index] + (y[boxes] - old_top[parent_index]) * down[parent_index]
        width[boxes] *= across[parent_index]
        height[boxes] *= down[parent_index]
        self_share[parents] = (top - y[parents]) / height[parents]
    return replace(treemap, x=x, y=y, width=width, height=height, self_area=self_share * height)


def _has_header(
    tree: FrameTree, boxes: Int64Array, header_level: Int64Array, level: int, headers: int
) -> BoolArray:
    """Return which boxes of a level, counted from the root, have a header, shape (boxes,).

    Sets their `header_level`, which grows only where a box is much smaller than its parent: in a
    chain of calls, each with nearly the whole cost, headers would take the space of the contents.
    """
    if level == 0:
        return boxes > 0
    parents = tree.parent[boxes]
    is_smaller = tree.width[boxes] < _CHAIN_SHARE * tree.width[parents]
    header_level[boxes] = header_level[parents] + is_smaller
    has_header: BoolArray = (level == 1) | (is_smaller & (header_level[boxes] <= headers))
    return has_header


def _frame_thickness(
    width: Float64Array,
    height: Float64Array,
    self_share: Float64Array,
    max_thickness: float,
    strip: float,
) -> Float64Array:
    """Return the frame thickness of boxes, shape (boxes,), for these shares of self cost.

    The frame f takes 2f of the width, and f of the height below the strip s. So the contents keep
    their area if (width - 2f) (height - s - f) = (1 - self_share) width height. A strip too low for
    text becomes as thin as the frame: s = f.
    """
    area = self_share * width * height
    has_line = self_share * height >= strip
    sides = width + 2 * (height - strip)
    left = np.maximum(area - width * strip, 0.0)
    below_line = (sides - np.sqrt(np.maximum(sides**2 - 8 * left, 0.0))) / 4
    half = width + height
    all_round = (half - np.sqrt(np.maximum(half**2 - 4 * area, 0.0))) / 4
    max_thickness_of_box = np.minimum(
        max_thickness, _MAX_FRAME_FRACTION * np.minimum(width, height)
    )
    return np.minimum(np.where(has_line, below_line, all_round), max_thickness_of_box)
