"""Which part of a box in a call map is frame, which is covered, and which is free for a name.

Strips of own cost alone lie below each other as if they were siblings. So what a box holds is moved
inwards, and the strip becomes a frame: areas stay as they are, as the frame takes from the strip
what it needs, and boxes without own cost have none. No Qt here: all is in logical pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.calls.treemap import TreemapLayout
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_FRAME_FRACTION = 1 / 8  # of a box's shorter side, for its frame
_TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class MapGeometry:
    """The boxes that are shown, outer ones first. Edges are left, top, right and bottom."""

    boxes: Int64Array  # rows of the nesting
    edges: Float64Array  # shape (4, boxes)
    content_edges: (
        Float64Array  # edges of what is not own cost; without extent where all of a box is
    )
    is_covered: BoolArray  # the room is, by boxes that are shown
    free_edges: Float64Array  # edges of parts that nothing covers, shape (parts, 4, boxes)


def compute_geometry(tree: FrameTree, treemap: TreemapLayout) -> MapGeometry:
    """What is where."""
    boxes = np.flatnonzero(treemap.is_shown)
    x, y = treemap.x[boxes], treemap.y[boxes]
    edges = np.stack((x, y, x + treemap.width[boxes], y + treemap.height[boxes]))
    rooms = _content_edges(tree, treemap, boxes, edges)
    row = np.full(len(tree) + 1, -1)  # in these arrays; the last one is of box 0's parent
    row[boxes] = np.arange(len(boxes))
    around = row[tree.parent[boxes]]
    held = np.flatnonzero(around >= 0)
    in_use = np.zeros(len(boxes))
    np.add.at(in_use, around[held], ((edges[2] - edges[0]) * (edges[3] - edges[1]))[held])
    is_covered = in_use > (rooms[2] - rooms[0]) * (rooms[3] - rooms[1]) - 1.0
    return MapGeometry(
        boxes, edges, rooms, is_covered, _free_edges(edges, rooms, held, around[held])
    )


def _content_edges(
    tree: FrameTree, treemap: TreemapLayout, boxes: Int64Array, edges: Float64Array
) -> Float64Array:
    """The first box inside begins where the room does; the frame is as wide on the right."""
    left, top, right, bottom = edges
    first = np.minimum(tree.first_child[boxes], len(tree) - 1)
    holds = tree.child_count[boxes] > 0
    is_open = holds & treemap.is_shown[first]
    frame = np.where(is_open, treemap.x[first] - left, 0.0)
    below = np.where(is_open, treemap.y[first], top + treemap.self_area[boxes])
    return np.stack((left + frame, np.where(holds, below, bottom), right - frame, bottom - frame))


def _free_edges(
    edges: Float64Array, content_edges: Float64Array, children: Int64Array, parents: Int64Array
) -> Float64Array:
    """The strip, what is below or beside all boxes inside, and what is so of the last of them.

    Each lies right of or below those before it, in all ways to split. `held` are boxes inside
    others, `around` those they are in.
    """
    left, top, right, bottom = edges
    _, room_top, room_right, room_bottom = content_edges
    is_open = np.zeros(len(left), bool)
    is_open[parents] = True
    last = np.arange(len(left))
    last[parents] = children  # of several, the last one stays
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
    treemap: TreemapLayout, tree: FrameTree, frame: float, strip: float
) -> TreemapLayout:
    """The same areas, with what a box holds moved inwards by `frame`, or as far as that goes.

    Strips as high as `strip`, that of a line of text, stay as high. Level by level: what a box
    holds is drawn out from the room that it had to the room that it has.
    """
    x, y, width, height = (
        column.copy() for column in (treemap.x, treemap.y, treemap.width, treemap.height)
    )
    own = treemap.self_area / np.maximum(treemap.height, _TINY)  # as a share of the box
    shown = np.flatnonzero(treemap.is_shown)
    inside = np.arange(int(tree.depth[treemap.root]) + 1, tree.level_count + 1)
    levels = np.searchsorted(tree.depth[shown], inside).tolist()
    for begin, end in pairwise(levels):
        boxes = shown[begin:end]
        around, which = np.unique(tree.parent[boxes], return_inverse=True)
        thick = _frame_thickness(width[around], height[around], own[around], frame, strip)
        wide = width[around] - 2 * thick
        high = width[around] * height[around] * (1 - own[around]) / wide
        left, top = x[around] + thick, y[around] + height[around] - thick - high
        was_left, was_top = treemap.x[around], treemap.y[around] + treemap.self_area[around]
        across = wide / treemap.width[around]
        down = high / (treemap.height[around] - treemap.self_area[around])
        x[boxes] = left[which] + (x[boxes] - was_left[which]) * across[which]
        y[boxes] = top[which] + (y[boxes] - was_top[which]) * down[which]
        width[boxes] *= across[which]
        height[boxes] *= down[which]
        own[around] = (top - y[around]) / height[around]
    return replace(treemap, x=x, y=y, width=width, height=height, self_area=own * height)


def _frame_thickness(
    width: Float64Array,
    height: Float64Array,
    self_share: Float64Array,
    max_thickness: float,
    strip: float,
) -> Float64Array:
    """How thick the frames of boxes are whose own cost is this share of them.

    The frame f takes 2f of the width, and f of the height below the strip s, so what is held keeps
    its area with f in (width - 2f) (height - s - f) = (1 - own) width height. A strip that is too
    low for text becomes as low as the frame is wide: s = f.
    """
    area = self_share * width * height
    has_line = self_share * height >= strip
    sides = width + 2 * (height - strip)
    left = np.maximum(area - width * strip, 0.0)
    below_line = (sides - np.sqrt(np.maximum(sides**2 - 8 * left, 0.0))) / 4
    half = width + height
    all_round = (half - np.sqrt(np.maximum(half**2 - 4 * area, 0.0))) / 4
    most = np.minimum(max_thickness, _MAX_FRAME_FRACTION * np.minimum(width, height))
    return np.minimum(np.where(has_line, below_line, all_round), most)
