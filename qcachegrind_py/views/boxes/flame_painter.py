"""Paints the rows of a flame graph: boxes, their labels, and lines under estimates.

Edges are rounded to pixels, so that of boxes narrower than a pixel only the one that covers its
middle is painted. Together such boxes keep their area, and the work is limited by the screen size.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import repeat
from typing import overload

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette, QPen

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.frames import Frames
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.frame_colors import FrameColors, text_color
from qcachegrind_py.views.widgets.colors import blended

_GAP = 1  # pixels between rows, and behind boxes of at least `_MIN_WIDTH_WITH_GAP`
_MIN_WIDTH_WITH_GAP = 4
_PADDING = 4  # pixels left and right of a label
_MIN_LABEL_DIGITS = 3  # minimum width of a label
_COST_SEPARATOR = "\N{EN SPACE}"
_ESTIMATED, _FADED, _ANCESTOR, _FLAG_COUNT = 1, 2, 4, 8  # flags, and the number of combinations
_ANCESTOR_OPACITY = 0.75  # for ancestors of the zoomed box
_UNDERLINE_OPACITY = 0.6
_UNDERLINE_DASHES = [1.0, 2.0]  # dots and gaps
_MAX_LABELS = 20_000
_NET_HEIGHT = 3  # pixels of the line that tells the net change


@dataclass(frozen=True, slots=True)
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
        """Return the top edge of the row at a depth."""
        return (
            self.root - (depth + 1) * self.row_height
            if self.grows_up
            else self.root + depth * self.row_height
        )

    def depth_at(self, y: float) -> int:
        """Return the depth of the row at a position."""
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

    def box_rect(self, tree: FrameTree, box: int) -> QRectF:
        """Return the unrounded area of a box, which may be outside the viewport."""
        x = (float(tree.start[box]) - self.left_cost) * self.scale
        width = float(tree.width[box]) * self.scale
        return QRectF(x, self.top(int(tree.depth[box])), width, self.row_height)


class FlamePainter:
    """Paints the boxes of one picture; texts and colours are cached."""

    def __init__(self, picture: Frames, palette: QPalette, metrics: QFontMetricsF) -> None:
        self._picture, self._tree = picture, picture.tree
        self._palette, self._metrics = palette, metrics
        self._colors = FrameColors(picture, palette)
        self._fill_colors = _FillColors(self._colors, palette)
        self._codes = picture.color_codes
        self._text_colors: dict[int, QColor] = {}
        self._texts: dict[int, tuple[str, float, str, float]] = {}
        self._labels: dict[tuple[int, int], str] = {}  # by box and width in pixels

    def is_current_for(self, picture: Frames, palette: QPalette, metrics: QFontMetricsF) -> bool:
        """Return whether the painter was created with these arguments."""
        return self._colors.is_for(picture, palette) and self._metrics == metrics

    def paint(
        self,
        painter: QPainter,
        viewport: FlameViewport,
        rows: slice,
        matches: BoolArray | None,
        ancestors: list[int],
    ) -> None:
        """Paint the boxes in these rows of the tree.

        `matches` is a mask of nodes, or None without a search; `ancestors` of the zoomed box are
        greyed.
        """
        boxes = self._visible_boxes(viewport, rows, self._color_keys(matches, ancestors))
        height = viewport.row_height - _GAP
        _, x, y, width, key = boxes.tolist()
        fills = map(self._fill_colors.__getitem__, key)
        filling = map(painter.fillRect, x, y, width, repeat(height), fills)
        deque(filling, maxlen=0)  # a loop written out takes a fifth longer
        min_width = 2 * _PADDING + _MIN_LABEL_DIGITS * self._metrics.horizontalAdvance("0")
        wide = boxes[:, boxes[3] >= min_width]
        self._paint_net_changes(painter, wide[:, wide[4] & (_ESTIMATED | _FADED) == 0], height)
        self._underline_estimates(painter, wide[:, wide[4] & _ESTIMATED > 0], height)
        self._paint_labels(painter, wide, height)

    def _color_keys(self, matches: BoolArray | None, ancestors: list[int]) -> Int64Array:
        """Return a number for each box that determines its colour, shape (boxes,)."""
        key = self._codes * _FLAG_COUNT + _ESTIMATED * ~self._tree.is_exact
        if matches is not None:
            key += _FADED * ~self._tree.are_of(matches)
        key[ancestors] += _ANCESTOR
        return key

    def _visible_boxes(self, viewport: FlameViewport, rows: slice, key: Int64Array) -> Int64Array:
        """Return box, left, top, width and key of boxes that cover pixels, shape (5, boxes)."""
        tree = self._tree
        start = tree.start[rows]
        left, right = (
            viewport.pixel_columns(start),
            viewport.pixel_columns(start + tree.width[rows]),
        )
        visible = np.flatnonzero(right > left)
        left, width = left[visible], (right - left)[visible]
        width -= _GAP * (width >= _MIN_WIDTH_WITH_GAP)
        boxes = visible + rows.start
        return np.stack((boxes, left, viewport.top(tree.depth[boxes]), width, key[boxes]))

    def _underline_estimates(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Paint dotted lines under the labels of estimates, which need no colour vision."""
        lines = defaultdict(list)
        for _, x, y, width, key in zip(*boxes.tolist(), strict=True):
            line_y = y + height - 1.5
            line = QLineF(x + _PADDING, line_y, x + width - _PADDING, line_y)
            lines[self._text_color(key).rgb()].append(line)
        for rgb, rgb_lines in lines.items():
            color = QColor(rgb)
            color.setAlphaF(_UNDERLINE_OPACITY)
            pen = QPen(color, 1)
            pen.setDashPattern(_UNDERLINE_DASHES)
            painter.setPen(pen)
            painter.drawLines(rgb_lines)

    def _paint_net_changes(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Paint a line along the bottom that is as long as the net change, where widths are."""
        sides = self._tree.sides
        if sides is None or sides.net is None:
            return
        for box, x, y, width, key in zip(*boxes.tolist(), strict=True):
            color = self._colors.net_color(key // _FLAG_COUNT)
            length = round(width * float(sides.net[box]))
            if color is not None and length:
                painter.fillRect(x, y + height - _NET_HEIGHT, length, _NET_HEIGHT, color)

    def _paint_labels(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Paint the labels of boxes that are wide enough."""
        metrics = self._metrics
        base = round((height - metrics.height()) / 2 + metrics.ascent())
        for box, x, y, width, key in zip(*boxes.tolist(), strict=True):
            painter.setPen(self._text_color(key))
            label = self._label(box, width - 2 * _PADDING)
            painter.drawText(QPointF(x + _PADDING, y + base), label)

    def _text_color(self, key: int) -> QColor:
        color = self._text_colors.get(key)
        if color is None:
            color = self._text_colors[key] = text_color(self._fill_colors[key])
        return color

    def _label(self, box: int, width: int) -> str:
        """Return the name, with the cost if both fit into `width` pixels."""
        label = self._labels.get((box, width))
        if label is None:
            if len(self._labels) > _MAX_LABELS:
                self._labels.clear()
            label = self._labels[box, width] = self._create_label(box, width)
        return label

    def _create_label(self, box: int, width: int) -> str:
        name, name_width, full, full_width = self._label_texts(box)
        if full_width <= width:
            return full
        if name_width <= width:
            return name
        return self._metrics.elidedText(name, Qt.TextElideMode.ElideRight, width)

    def _label_texts(self, box: int) -> tuple[str, float, str, float]:
        """Return the name and the name with cost, each followed by its width in pixels."""
        text = self._texts.get(box)
        if text is None:
            name = self._picture.label(box)
            whole_name = self._picture.name(box)
            full = f"{whole_name}{_COST_SEPARATOR}{self._picture.cost(box)}"
            widths = self._metrics.horizontalAdvance(name), self._metrics.horizontalAdvance(full)
            text = self._texts[box] = (name, widths[0], full, widths[1])
        return text


class _FillColors(dict[int, QColor]):
    """Fill colours by key, created on first use."""

    def __init__(self, colors: FrameColors, palette: QPalette) -> None:
        super().__init__()
        self._colors, self._palette = colors, palette

    def __missing__(self, key: int) -> QColor:
        code, kind = divmod(key, _FLAG_COUNT)
        is_exact, is_faded = not kind & _ESTIMATED, bool(kind & _FADED)
        fill = self._colors.color(code, is_exact=is_exact, is_faded=is_faded)
        if kind & _ANCESTOR:
            fill = blended(fill, self._palette.color(QPalette.ColorRole.Mid), _ANCESTOR_OPACITY)
        self[key] = fill
        return fill
