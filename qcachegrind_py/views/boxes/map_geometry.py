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

_MOST = 1 / 8  # of a box's shorter side, for its frame
_TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class MapGeometry:
    """The boxes that are shown, outer ones first. Edges are left, top, right and bottom."""

    boxes: Int64Array  # rows of the nesting
    edges: Float64Array  # shape (4, boxes)
    rooms: Float64Array  # edges of what is not own cost; without extent where all of a box is
    is_covered: BoolArray  # the room is, by boxes that are shown
    free: Float64Array  # edges of parts that nothing covers, shape (parts, 4, boxes)


def map_geometry(nesting: FrameTree, places: TreemapLayout) -> MapGeometry:
    """What is where."""
    boxes = np.flatnonzero(places.is_shown)
    x, y = places.x[boxes], places.y[boxes]
    edges = np.stack((x, y, x + places.width[boxes], y + places.height[boxes]))
    rooms = _rooms(nesting, places, boxes, edges)
    row = np.full(len(nesting) + 1, -1)  # in these arrays; the last one is of box 0's parent
    row[boxes] = np.arange(len(boxes))
    around = row[nesting.parent[boxes]]
    held = np.flatnonzero(around >= 0)
    in_use = np.zeros(len(boxes))
    np.add.at(in_use, around[held], ((edges[2] - edges[0]) * (edges[3] - edges[1]))[held])
    is_covered = in_use > (rooms[2] - rooms[0]) * (rooms[3] - rooms[1]) - 1.0
    return MapGeometry(boxes, edges, rooms, is_covered, _free(edges, rooms, held, around[held]))


def _rooms(
    nesting: FrameTree, places: TreemapLayout, boxes: Int64Array, edges: Float64Array
) -> Float64Array:
    """The first box inside begins where the room does; the frame is as wide on the right."""
    left, top, right, bottom = edges
    first = np.minimum(nesting.first_child[boxes], len(nesting) - 1)
    holds = nesting.child_count[boxes] > 0
    is_open = holds & places.is_shown[first]
    frame = np.where(is_open, places.x[first] - left, 0.0)
    below = np.where(is_open, places.y[first], top + places.self_area[boxes])
    return np.stack((left + frame, np.where(holds, below, bottom), right - frame, bottom - frame))


def _free(
    edges: Float64Array, rooms: Float64Array, held: Int64Array, around: Int64Array
) -> Float64Array:
    """The strip, what is below or beside all boxes inside, and what is so of the last of them.

    Each lies right of or below those before it, in all ways to split. `held` are boxes inside
    others, `around` those they are in.
    """
    left, top, right, bottom = edges
    _, room_top, room_right, room_bottom = rooms
    is_open = np.zeros(len(left), bool)
    is_open[around] = True
    last = np.arange(len(left))
    last[around] = held  # of several, the last one stays
    far_right, far_bottom = rooms[0].copy(), room_top.copy()
    np.maximum.at(far_right, around, right[held])
    np.maximum.at(far_bottom, around, bottom[held])
    strip = np.stack((left, top, right, np.where(is_open, room_top, bottom)))
    corners = (
        (rooms[0], far_bottom),
        (far_right, room_top),
        (left[last], bottom[last]),
        (right[last], top[last]),
    )
    others = [is_open * np.stack((x, y, room_right, room_bottom)) for x, y in corners]
    return np.stack((strip, *others))


# -------------------------------------------------------------------- frames


def framed(places: TreemapLayout, nesting: FrameTree, frame: float, strip: float) -> TreemapLayout:
    """The same areas, with what a box holds moved inwards by `frame`, or as far as that goes.

    Strips as high as `strip`, that of a line of text, stay as high. Level by level: what a box
    holds is drawn out from the room that it had to the room that it has.
    """
    x, y, width, height = (
        column.copy() for column in (places.x, places.y, places.width, places.height)
    )
    own = places.self_area / np.maximum(places.height, _TINY)  # as a share of the box
    shown = np.flatnonzero(places.is_shown)
    inside = np.arange(int(nesting.depth[places.root]) + 1, nesting.level_count + 1)
    levels = np.searchsorted(nesting.depth[shown], inside).tolist()
    for begin, end in pairwise(levels):
        boxes = shown[begin:end]
        around, which = np.unique(nesting.parent[boxes], return_inverse=True)
        thick = _thickness(width[around], height[around], own[around], frame, strip)
        wide = width[around] - 2 * thick
        high = width[around] * height[around] * (1 - own[around]) / wide
        left, top = x[around] + thick, y[around] + height[around] - thick - high
        was_left, was_top = places.x[around], places.y[around] + places.self_area[around]
        across = wide / places.width[around]
        down = high / (places.height[around] - places.self_area[around])
        x[boxes] = left[which] + (x[boxes] - was_left[which]) * across[which]
        y[boxes] = top[which] + (y[boxes] - was_top[which]) * down[which]
        width[boxes] *= across[which]
        height[boxes] *= down[which]
        own[around] = (top - y[around]) / height[around]
    return replace(places, x=x, y=y, width=width, height=height, self_area=own * height)


def _thickness(
    width: Float64Array, height: Float64Array, own: Float64Array, wanted: float, strip: float
) -> Float64Array:
    """How thick the frames of boxes are whose own cost is this share of them.

    The frame f takes 2f of the width, and f of the height below the strip s, so what is held keeps
    its area with f in (width - 2f) (height - s - f) = (1 - own) width height. A strip that is too
    low for text becomes as low as the frame is wide: s = f.
    """
    area = own * width * height
    has_line = own * height >= strip
    sides = width + 2 * (height - strip)
    left = np.maximum(area - width * strip, 0.0)
    below_line = (sides - np.sqrt(np.maximum(sides**2 - 8 * left, 0.0))) / 4
    half = width + height
    all_round = (half - np.sqrt(np.maximum(half**2 - 4 * area, 0.0))) / 4
    most = np.minimum(wanted, _MOST * np.minimum(width, height))
    return np.minimum(np.where(has_line, below_line, all_round), most)
