"""Where the frames of flame graphs and call maps are drawn: widths of changes, and nested boxes.

By change, a frame is as wide as growth and shrinkage of all that is inside it, so that changes that
cancel out are seen. Only proven changes count; frames with estimates share what the frame around
them has left. Frames without width stay in the tree and are not drawn.

Treemap layout: places the frames of a frame tree as nested rectangles (the call map).

A box has the same share of the picture as its cost has of the root's cost. The boxes inside it fill
it without gaps, except for a strip along its top for the self cost and for omitted calls. Borders,
colours and names are added by the view.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import accumulate

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
    counted = exact_to_the_root(tree)
    own, inner = change.copy(), np.flatnonzero(counted & (tree.parent >= 0))
    np.subtract.at(own, tree.parent[inner], change[inner])
    gross = np.where(counted, np.abs(own), 0)
    for begin, end in tree.levels()[:0:-1]:
        rows = np.flatnonzero(counted[begin:end]) + begin
        np.add.at(gross, tree.parent[rows], gross[rows])
    width = gross.astype(np.float64)
    _share_rest(tree, counted, change, np.abs(own.astype(np.float64)), width)
    return width


def exact_to_the_root(tree: FrameTree) -> BoolArray:
    """Return which frames are exact with all frames around them, shape (frames,)."""
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


_MIN_AREA = 1e-9  # square pixels: below, floating point can no longer tell positions apart

_Bounds = tuple[float, float, float, float]  # x, y, width and height


class SplitRule(Enum):
    """How the space of a box is divided among its children: the costliest at the top left."""

    SQUARIFIED = "squarified"  # strips along the shorter side, of boxes as square as possible
    ROWS = "rows"  # the same, with strips one below the other
    COLUMNS = "columns"  # the same, with strips side by side
    BISECTION = "bisection"  # halves across the longer side, recursively
    ALTERNATE = "alternate"  # side by side and one below the other on alternate levels
    HORIZONTAL = "horizontal"  # all side by side
    VERTICAL = "vertical"  # all one below the other


@frozen
class TreemapLayout:
    """Positions and sizes of the boxes in pixels: one row for each frame of the tree.

    Boxes that are too small or outside the root have no area and are not shown.
    """

    x: Float64Array
    y: Float64Array  # of the upper edge: y grows downwards
    width: Float64Array
    height: Float64Array
    self_area: Float64Array  # height of the strip along the top that the children leave free
    is_shown: BoolArray
    root: int

    def box_at(self, x: float, y: float) -> int:
        """Return the innermost visible box at a position; -1 outside the picture."""
        right, below = x - self.x, y - self.y
        hit = (right >= 0) & (right < self.width) & (below >= 0) & (below < self.height)
        boxes = np.flatnonzero(hit)  # a branch of the tree: parents precede their children
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
    """Lay out the box `root` as the whole picture, with all its boxes of at least `min_area`.

    `width` and `height` are in pixels, `min_area` in square pixels. Without `rotate`, a squarified
    layout begins with a strip at the left even in boxes taller than wide, so that the costliest
    boxes keep their position while the picture changes its shape.
    """
    area = _areas(tree, width, height, root)
    large = area >= max(min_area, _MIN_AREA)
    picture = _Placement(area)
    if len(tree) and large[root]:
        picture.place(root, (0.0, 0.0, float(width), float(height)))
        _place_children(picture, tree, large, root, _layout_rule(split, rotate))
    return _as_layout(picture, tree, root)


def _areas(tree: FrameTree, width: float, height: float, root: int) -> Float64Array:
    """Return the areas of all boxes if the root fills the picture; 0 if the root has no cost."""
    whole = float(tree.width[root]) if len(tree) else 0.0
    scale = max(width, 0.0) * max(height, 0.0) / whole if whole > 0 else 0.0
    area: Float64Array = tree.width * scale
    return area


class _Placement:
    """The boxes placed so far. Lists are faster than arrays for access to single elements."""

    def __init__(self, area: Float64Array) -> None:
        boxes = len(area)
        self.area: list[float] = area.tolist()
        self.x, self.y = [0.0] * boxes, [0.0] * boxes
        self.width, self.height = [0.0] * boxes, [0.0] * boxes

    def place(self, box: int, bounds: _Bounds) -> None:
        self.x[box], self.y[box], self.width[box], self.height[box] = bounds

    def place_row(self, boxes: range, bounds: _Bounds, area: float) -> None:
        """Place boxes side by side; `area` is the total area of all boxes that share the bounds."""
        x, y, width, height = bounds
        for box in boxes:
            self.x[box], self.y[box], self.height[box] = x, y, height
            self.width[box] = box_width = width * self.area[box] / area
            x += box_width

    def place_column(self, boxes: range, bounds: _Bounds, area: float) -> None:
        x, y, width, height = bounds
        for box in boxes:
            self.x[box], self.y[box], self.width[box] = x, y, width
            self.height[box] = box_height = height * self.area[box] / area
            y += box_height


@dataclass(slots=True)
class _Siblings:
    """The children of one box, costliest first, and the space they share."""

    first: int
    shown: int  # row behind the last visible one; the rest are not placed
    last: int  # row behind the last one
    smallest: list[float]  # area of the n smallest; summed in ascending order to stay accurate
    depth: int  # of their parent, below the root
    bounds: _Bounds

    def area_from(self, box: int) -> float:
        return self.smallest[self.last - box]


_Layout = Callable[[_Placement, _Siblings], None]


def _place_children(
    picture: _Placement, tree: FrameTree, large: BoolArray, root: int, layout: _Layout
) -> None:
    """Place all boxes inside the root, parents before their children."""
    before = np.concatenate(([0], np.cumsum(large)))
    first, last = tree.first_child, tree.first_child + tree.child_count
    shown = first + before[last] - before[first]
    parents = np.flatnonzero(shown > first)
    columns = (column[parents].tolist() for column in (first, shown, last, tree.depth))
    top = int(tree.depth[root])
    for box, begin, some, end, depth in zip(parents.tolist(), *columns, strict=True):
        if picture.height[box] > 0:
            smallest = list(accumulate(reversed(picture.area[begin:end]), initial=0.0))
            bounds = _below_self_area(picture, box, smallest[-1])
            if len(smallest) == 2:  # an only child, as in long chains of calls: nothing to split
                picture.place(begin, bounds)
            else:
                layout(picture, _Siblings(begin, some, end, smallest, depth - top, bounds))


def _below_self_area(picture: _Placement, box: int, area: float) -> _Bounds:
    """Return the lower part of a box, of at most this area; the part above is its self cost."""
    width, whole = picture.width[box], picture.height[box]
    height = min(area / width, whole)
    return picture.x[box], picture.y[box] + whole - height, width, height


def _as_layout(picture: _Placement, tree: FrameTree, root: int) -> TreemapLayout:
    columns = (picture.x, picture.y, picture.width, picture.height)
    x, y, width, height = (np.array(column, np.float64) for column in columns)
    shown = height > 0
    share = np.divide(tree.self_width, tree.width, out=np.zeros(len(x)), where=shown)
    return TreemapLayout(x, y, width, height, height * share, shown, root)


# ---------------------------------------------------------------- split rules


def _layout_rule(split: SplitRule, rotate: bool) -> _Layout:
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
    picture.place_row(range(boxes.first, boxes.shown), boxes.bounds, boxes.area_from(boxes.first))


def _one_below_the_other(picture: _Placement, boxes: _Siblings) -> None:
    picture.place_column(
        range(boxes.first, boxes.shown), boxes.bounds, boxes.area_from(boxes.first)
    )


def _alternate(picture: _Placement, boxes: _Siblings) -> None:
    (_one_below_the_other if boxes.depth % 2 else _side_by_side)(picture, boxes)


def _strips(
    picture: _Placement, boxes: _Siblings, *, at_first: bool | None, upright: bool | None
) -> None:
    """Place boxes strip by strip (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).

    `at_first` and `upright` set whether the first and the other strips are vertical; None chooses
    the shorter side of the remaining space.
    """
    bounds, begin, vertical = boxes.bounds, boxes.first, at_first
    while begin < boxes.shown:
        _, _, width, height = bounds
        vertical = width >= height if vertical is None else vertical
        end = _strip_end(picture.area, begin, boxes.last, height if vertical else width)
        whole, left = boxes.area_from(begin), boxes.area_from(end)
        strip, bounds = _split_bounds(bounds, left / whole, upright=vertical)
        put = picture.place_column if vertical else picture.place_row
        put(range(begin, min(end, boxes.shown)), strip, whole - left)
        begin, vertical = end, upright


def _strip_end(area: list[float], begin: int, last: int, side: float) -> int:
    """Return the row behind the strip's last box, chosen so that the worst aspect ratio is best.

    Each further box makes a strip thicker, so its first box becomes less flat and the last ones
    narrower. It is therefore enough to compare the first box before, side² largest / total², with
    the last box after, total² / side² smallest: in any other case one more box is too many.
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
    """Split the boxes into halves of nearly equal area, recursively down to single boxes."""
    parts = [(boxes.first, boxes.last, boxes.bounds)]
    while parts:
        begin, end, bounds = parts.pop()
        if end - begin == 1:
            picture.place(begin, bounds)
            continue
        left, whole = boxes.area_from(end), boxes.area_from(begin)
        middle = _bisection_point(boxes, begin, end)
        rest = (boxes.area_from(middle) - left) / (whole - left)
        one, other = _split_bounds(bounds, rest, upright=bounds[2] >= bounds[3])
        parts.append((begin, middle, one))
        if middle < boxes.shown:
            parts.append((middle, end, other))


def _bisection_point(boxes: _Siblings, begin: int, end: int) -> int:
    areas, last = boxes.smallest, boxes.last
    half = (boxes.area_from(begin) + boxes.area_from(end)) / 2
    more = bisect_left(areas, half, last - end + 1, last - begin - 1)  # boxes behind the cut
    return last - (more - 1 if half - areas[more - 1] < areas[more] - half else more)


def _split_bounds(bounds: _Bounds, rest: float, *, upright: bool) -> tuple[_Bounds, _Bounds]:
    """Split bounds in two, side by side if `upright`; `rest` is the share of the second part."""
    x, y, width, height = bounds
    if upright:
        second = width * rest
        first = width - second
        return (x, y, first, height), (x + first, y, second, height)
    second = height * rest
    first = height - second
    return (x, y, width, first), (x, y + first, width, second)
