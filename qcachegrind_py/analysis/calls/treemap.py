"""Where the boxes of a nesting are in a picture: nested rectangles, a call map (treemap).

A box has the share of the picture that its cost has in the cost of the root. The boxes inside fill
it without gaps, but for a strip along its top: its own cost, and what the nesting left out.
Borders, colours and names are drawn elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import accumulate

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray

_MIN_AREA = 1e-9  # square pixels: below, floating point could no longer tell places apart

_Bounds = tuple[float, float, float, float]  # x, y, width and height


class SplitRule(Enum):
    """How the room of a box is divided among those inside: the costliest left and on top."""

    SQUARIFIED = "squarified"  # strips along the shorter side, of boxes as square as can be
    ROWS = "rows"  # the same, with strips one below the other
    COLUMNS = "columns"  # the same, with strips side by side
    BISECTION = "bisection"  # halves across the longer side, and these in halves
    ALTERNATE = "alternate"  # side by side, inside these one below the other, and so on
    HORIZONTAL = "horizontal"  # all side by side
    VERTICAL = "vertical"  # all one below the other


@dataclass(frozen=True, slots=True, eq=False)
class TreemapLayout:
    """Where the boxes of a nesting are, in pixels; a row a box.

    A box that is too small, and all outside the root, have no area and are not shown.
    """

    x: Float64Array
    y: Float64Array  # of the upper edge: y grows downwards
    width: Float64Array
    height: Float64Array
    self_area: Float64Array  # height of the strip along the top that boxes inside leave
    is_shown: BoolArray
    root: int

    def box_at(self, x: float, y: float) -> int:
        """The innermost box there that is shown; -1 outside the picture."""
        right, below = x - self.x, y - self.y
        hit = (right >= 0) & (right < self.width) & (below >= 0) & (below < self.height)
        boxes = np.flatnonzero(hit)  # a branch: parents stand before their children
        return int(boxes[-1]) if len(boxes) else -1


def layout_treemap(
    tree: FrameTree,
    width: float,
    height: float,
    *,
    root: int = 0,
    split: SplitRule = SplitRule.SQUARIFIED,
    min_area: float = 100.0,
    rotate: bool = True,
) -> TreemapLayout:
    """The box `root` as the whole picture, and of all in it what has `least_area` square pixels.

    Without `rotate`, what is squarified begins with a strip at the left even where a box is higher
    than wide: so the costliest stay where they are while the picture changes its shape.
    """
    area = _areas(tree, width, height, root)
    large = area >= max(min_area, _MIN_AREA)
    picture = _Placement(area)
    if len(tree) and large[root]:
        picture.place(root, (0.0, 0.0, float(width), float(height)))
        _place_children(picture, tree, large, root, _layout_rule(split, rotate))
    return _as_layout(picture, tree, root)


def _areas(nesting: FrameTree, width: float, height: float, root: int) -> Float64Array:
    """The areas of all boxes where the root has the whole picture; 0 where it costs nothing."""
    whole = float(nesting.width[root]) if len(nesting) else 0.0
    scale = max(width, 0.0) * max(height, 0.0) / whole if whole > 0 else 0.0
    area: Float64Array = nesting.width * scale
    return area


class _Placement:
    """The boxes that have a place so far. In lists: one by one, these are faster than arrays."""

    def __init__(self, area: Float64Array) -> None:
        boxes = len(area)
        self.area: list[float] = area.tolist()
        self.x, self.y = [0.0] * boxes, [0.0] * boxes
        self.width, self.height = [0.0] * boxes, [0.0] * boxes

    def place(self, box: int, room: _Bounds) -> None:
        """Place one box."""
        self.x[box], self.y[box], self.width[box], self.height[box] = room

    def place_row(self, boxes: range, room: _Bounds, area: float) -> None:
        """Place boxes side by side; `area` is that of all that the room is for."""
        x, y, width, height = room
        for box in boxes:
            self.x[box], self.y[box], self.height[box] = x, y, height
            self.width[box] = extent = width * self.area[box] / area
            x += extent

    def place_column(self, boxes: range, room: _Bounds, area: float) -> None:
        """Place boxes one below the other."""
        x, y, width, height = room
        for box in boxes:
            self.x[box], self.y[box], self.width[box] = x, y, width
            self.height[box] = extent = height * self.area[box] / area
            y += extent


@dataclass(slots=True)
class _Siblings:
    """The boxes in one box, costliest first, and the room they share."""

    first: int
    shown: int  # row behind the last one that is shown; what follows needs no place
    last: int  # row behind the last one
    smallest: list[float]  # area of the smallest n: summed from below, it is exact for few, too
    depth: int  # of the box around them, below the root
    room: _Bounds

    def area_from(self, box: int) -> float:
        """The area of this one and all behind it."""
        return self.smallest[self.last - box]


_Layout = Callable[[_Placement, _Siblings], None]


def _place_children(
    picture: _Placement, nesting: FrameTree, large: BoolArray, root: int, layout: _Layout
) -> None:
    """Place what is inside the root, box by box: parents stand before their children."""
    before = np.concatenate(([0], np.cumsum(large)))
    first, last = nesting.first_child, nesting.first_child + nesting.child_count
    shown = first + before[last] - before[first]
    parents = np.flatnonzero(shown > first)
    columns = (column[parents].tolist() for column in (first, shown, last, nesting.depth))
    top = int(nesting.depth[root])
    for box, begin, some, end, depth in zip(parents.tolist(), *columns, strict=True):
        if picture.height[box] > 0:
            smallest = list(accumulate(reversed(picture.area[begin:end]), initial=0.0))
            room = _below_self_area(picture, box, smallest[-1])
            if len(smallest) == 2:  # a single box, as in long chains of calls: nothing to split
                picture.place(begin, room)
            else:
                layout(picture, _Siblings(begin, some, end, smallest, depth - top, room))


def _below_self_area(picture: _Placement, box: int, area: float) -> _Bounds:
    """The lower part of a box, of this area at most: what is above is its own."""
    width, whole = picture.width[box], picture.height[box]
    height = min(area / width, whole)
    return picture.x[box], picture.y[box] + whole - height, width, height


def _as_layout(picture: _Placement, nesting: FrameTree, root: int) -> TreemapLayout:
    """The picture as arrays."""
    places = (picture.x, picture.y, picture.width, picture.height)
    x, y, width, height = (np.array(place, np.float64) for place in places)
    shown = height > 0
    share = np.divide(nesting.self_width, nesting.width, out=np.zeros(len(x)), where=shown)
    return TreemapLayout(x, y, width, height, height * share, shown, root)


# ---------------------------------------------------------------- the ways to split


def _layout_rule(split: SplitRule, rotate: bool) -> _Layout:
    """What gives the boxes in one box their places."""
    layouts: dict[SplitRule, _Layout] = {
        SplitRule.SQUARIFIED: partial(_strips, at_first=None if rotate else True, upright=None),
        SplitRule.ROWS: partial(_strips, at_first=False, upright=False),
        SplitRule.COLUMNS: partial(_strips, at_first=True, upright=True),
        SplitRule.BISECTION: _bisect,
        SplitRule.ALTERNATE: _alternate,
        SplitRule.HORIZONTAL: _side_by_side,
        SplitRule.VERTICAL: _one_below_the_other,
    }
    return layouts[split]


def _side_by_side(picture: _Placement, boxes: _Siblings) -> None:
    picture.place_row(range(boxes.first, boxes.shown), boxes.room, boxes.area_from(boxes.first))


def _one_below_the_other(picture: _Placement, boxes: _Siblings) -> None:
    picture.place_column(range(boxes.first, boxes.shown), boxes.room, boxes.area_from(boxes.first))


def _alternate(picture: _Placement, boxes: _Siblings) -> None:
    (_one_below_the_other if boxes.depth % 2 else _side_by_side)(picture, boxes)


def _strips(
    picture: _Placement, boxes: _Siblings, *, at_first: bool | None, upright: bool | None
) -> None:
    """Strip after strip (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).

    The first strip and the others stand upright or not; None: along the shorter side that is left.
    """
    room, begin, stands = boxes.room, boxes.first, at_first
    while begin < boxes.shown:
        _, _, width, height = room
        stands = width >= height if stands is None else stands
        end = _strip_end(picture.area, begin, boxes.last, height if stands else width)
        whole, left = boxes.area_from(begin), boxes.area_from(end)
        strip, room = _split_bounds(room, left / whole, upright=stands)
        put = picture.place_column if stands else picture.place_row
        put(range(begin, min(end, boxes.shown)), strip, whole - left)
        begin, stands = end, upright


def _strip_end(area: list[float], begin: int, last: int, side: float) -> int:
    """The row behind the boxes of a strip: with one more, the longest of them would be longer.

    With each box a strip gets thicker, which makes its first box less flat, and the last ones
    narrower. So it is enough to compare side² largest / total² before, the first box, with
    total² / side² smallest after, the last one: if others were the longest, one more is too many.
    """
    total = area[begin]
    limit = side**4 * total
    for box in range(begin + 1, last):
        more = total + area[box]
        if (more * total) ** 2 > limit * area[box]:
            return box
        total = more
    return last


def _bisect(picture: _Placement, boxes: _Siblings) -> None:
    """Cut the boxes in two, as equal as can be, and each part again; down to single ones."""
    parts = [(boxes.first, boxes.last, boxes.room)]
    while parts:
        begin, end, room = parts.pop()
        if end - begin == 1:
            picture.place(begin, room)
            continue
        left, whole = boxes.area_from(end), boxes.area_from(begin)
        middle = _bisection_point(boxes, begin, end)
        rest = (boxes.area_from(middle) - left) / (whole - left)
        one, other = _split_bounds(room, rest, upright=room[2] >= room[3])
        parts.append((begin, middle, one))
        if middle < boxes.shown:
            parts.append((middle, end, other))


def _bisection_point(boxes: _Siblings, begin: int, end: int) -> int:
    """Where the second half of these boxes begins."""
    areas, last = boxes.smallest, boxes.last
    half = (boxes.area_from(begin) + boxes.area_from(end)) / 2
    more = bisect_left(areas, half, last - end + 1, last - begin - 1)  # boxes behind the cut
    return last - (more - 1 if half - areas[more - 1] < areas[more] - half else more)


def _split_bounds(room: _Bounds, rest: float, *, upright: bool) -> tuple[_Bounds, _Bounds]:
    """The room in two, side by side if the cut is upright; `rest` is the share of the second."""
    x, y, width, height = room
    if upright:
        second = width * rest
        first = width - second
        return (x, y, first, height), (x + first, y, second, height)
    second = height * rest
    first = height - second
    return (x, y, width, first), (x, y + first, width, second)
