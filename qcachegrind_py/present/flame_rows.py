"""The places of boxes in a flame graph: a row for each depth, widths by cost, without Qt.

A picture shows a range of the costs: all of them at first, that of a box after zooming, or any.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import Int64Array

TOLERANCE = 1e-9  # of the visible range: smaller differences count as equal
_MIN_RANGE_SHARE = 1e-12  # of all costs: the limit of float precision
_MIN_WIDTH_WITH_GAP = 4  # pixels


@frozen(eq=True)
class CostRange:
    """A visible range of costs."""

    left: float
    width: float  # above 0

    def interpolated(self, other: CostRange, share: float) -> CostRange:
        """Return the range at a share, from 0 to 1, of the way to another range."""
        if share >= 1:
            return other
        left = self.left + share * (other.left - self.left)
        return CostRange(left, self.width + share * (other.width - self.width))

    def clamped(self, total: float) -> CostRange:
        """Return the range moved inside 0 to `total`."""
        return CostRange(min(max(self.left, 0.0), total - self.width), self.width)

    def zoomed(self, share: float, width: float) -> CostRange:
        """Return a range of another width that keeps the cost at this share in place."""
        return CostRange(self.left + share * (self.width - width), width)

    def scrolled_to(self, start: float, width: float) -> CostRange:
        """Return the nearest range of this width that contains a box, or part of a wider box."""
        if width > self.width:
            is_seen = start < self.left + self.width and self.left < start + width
            return self if is_seen else CostRange(start, self.width)
        left = min(max(self.left, start + width - self.width), start)
        return CostRange(left, self.width)


class FlameRows:
    """The boxes of a tree in rows by depth."""

    def __init__(self, tree: FrameTree) -> None:
        self._tree = tree
        self._starts = [begin for begin, _ in tree.levels()] + [len(tree)]
        self.full_width = (float(tree.width[0]) if len(tree) else 0.0) or 1.0
        min_width = float(tree.width[tree.width > 0].min(initial=self.full_width))
        self.min_width = max(min_width, self.full_width * _MIN_RANGE_SHARE)  # of a range

    def __len__(self) -> int:
        return len(self._starts) - 1

    def boxes(self, depths: range) -> slice:
        return slice(self._starts[depths.start], self._starts[depths.stop])

    def box_at(self, depth: int, cost: float) -> int:
        if not 0 <= depth < len(self):
            return -1
        tree, (first, end) = self._tree, self._starts[depth : depth + 2]
        box = first + int(np.searchsorted(tree.start[first:end], cost, "right")) - 1
        is_within = box >= first and cost < tree.start[box] + tree.width[box]
        return box if is_within else -1

    def innermost_box(self, range_: CostRange) -> int:
        tree, left, width, innermost = self._tree, range_.left, range_.width, 0
        for depth in range(1, len(self)):
            box = self.box_at(depth, left + width / 2)
            start, end = tree.start[box], tree.start[box] + tree.width[box]
            slack = width * TOLERANCE
            if box < 0 or start > left + slack or end < left + width - slack:
                break
            innermost = box
        return innermost


@frozen(eq=True)
class FlameViewport:
    """The visible part of a flame graph. Lengths are in logical pixels."""

    left_cost: float  # cost at the left edge
    scale: float  # pixels for a cost of 1
    width: int
    height: int
    row_height: int
    root: int  # outer edge of the first row
    grows_up: bool

    def pixel_columns(self, cost: Float64Array) -> Int64Array:
        """Return the pixel column of each cost, limited to 0 to `width`; shape as `cost`."""
        columns = np.rint((cost - self.left_cost) * self.scale)
        return np.clip(columns, 0, self.width).astype(np.int64)

    @overload
    def top(self, depth: int) -> int: ...
    @overload
    def top(self, depth: Int64Array) -> Int64Array: ...
    def top(self, depth: int | Int64Array) -> int | Int64Array:
        return (
            self.root - (depth + 1) * self.row_height
            if self.grows_up
            else self.root + depth * self.row_height
        )

    def depth_at(self, y: float) -> int:
        from_root = self.root - 1 - int(y) if self.grows_up else int(y) - self.root
        return from_root // self.row_height

    def cost_at(self, x: float) -> float:
        """Return the cost at the middle of a pixel."""
        return self.left_cost + (int(x) + 0.5) / self.scale

    def visible_depths(self, level_count: int) -> range:
        """Return the depths of visible rows in a tree with `level_count` levels."""
        ends = self.depth_at(0), self.depth_at(self.height - 1)
        return range(max(0, min(ends)), min(level_count - 1, max(ends)) + 1)

    def visible_boxes(self, tree: FrameTree, boxes: Int64Array) -> Int64Array:
        """Return the boxes inside the viewport; of several in the same pixel, the first."""
        start, top = tree.start[boxes], self.top(tree.depth[boxes])
        end, right = start + tree.width[boxes], self.left_cost + self.width / self.scale
        is_visible = (
            (end > self.left_cost)
            & (start < right)
            & (top > -self.row_height)
            & (top < self.height)
        )
        boxes, pixels = boxes[is_visible], np.stack((top, self.pixel_columns(start)))[:, is_visible]
        first = np.unique(pixels, axis=1, return_index=True)[1]
        return boxes[np.sort(first)]

    def box_area(self, tree: FrameTree, box: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a box, unrounded; it may be outside."""
        x = (float(tree.start[box]) - self.left_cost) * self.scale
        width = float(tree.width[box]) * self.scale
        return x, self.top(int(tree.depth[box])), width, self.row_height

    def painted_boxes(self, tree: FrameTree, rows: slice, gap: int) -> Int64Array:
        """Return box, left, top and width of boxes that cover pixels, shape (4, boxes).

        Edges are rounded to pixels, so that of boxes narrower than a pixel only the one that covers
        its middle is painted. Together such boxes keep their area, and the work is limited by the
        size of the screen. A `gap` is left behind boxes that are wide enough.
        """
        start = tree.start[rows]
        left, right = self.pixel_columns(start), self.pixel_columns(start + tree.width[rows])
        visible = np.flatnonzero(right > left)
        left, width = left[visible], (right - left)[visible]
        width -= gap * (width >= _MIN_WIDTH_WITH_GAP)
        boxes = visible + rows.start
        return np.stack((boxes, left, self.top(tree.depth[boxes]), width))
