"""Draws the rows of a flame graph: boxes, names in them, and lines under what is an estimate.

Edges are rounded to pixels. So of boxes that are narrower, the one is drawn that covers the middle
of a pixel: together they keep their area, and no more is drawn than can be seen. Which range is in
sight, and what the mouse does, is the canvas's.
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
from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.painting_style import BoxStyle, text_color

_GAP = 1  # pixels between rows, and behind each box, unless it is narrower than
_MIN_WIDTH_WITH_GAP = 4
_PADDING = 4  # left and right of a label
_MIN_LABEL_DIGITS = 3  # that have room where there is a label
_COST_SEPARATOR = "\N{EN SPACE}"
_ESTIMATED, _FADED, _ANCESTOR, _FLAG_COUNT = 1, 2, 4, 8  # bits, and how many there can be
_ANCESTOR_OPACITY = 0.75  # of what is around the zoomed box
_UNDERLINE_OPACITY = 0.6  # of the line under an estimate
_UNDERLINE_DASHES = [1.0, 2.0]  # dots and gaps
_MAX_LABELS = 20_000


@dataclass(frozen=True, slots=True)
class FlameViewport:
    """Which costs are drawn where: `scale` is in pixels, `root` the outer edge of the first row."""

    left_cost: float  # the cost at the left edge
    scale: float
    width: int
    height: int
    row_height: int
    root: int
    grows_up: bool

    def pixel_columns(self, cost: Float64Array) -> Int64Array:
        """The pixels where costs begin, within the width."""
        places = np.rint((cost - self.left_cost) * self.scale)
        return np.clip(places, 0, self.width).astype(np.int64)

    @overload
    def top(self, depth: int) -> int: ...
    @overload
    def top(self, depth: Int64Array) -> Int64Array: ...
    def top(self, depth: int | Int64Array) -> int | Int64Array:
        """Where the rows of a depth begin."""
        return (
            self.root - (depth + 1) * self.row_height
            if self.grows_up
            else self.root + depth * self.row_height
        )

    def depth_at(self, y: float) -> int:
        """The depth of the row that is there."""
        from_root = self.root - 1 - int(y) if self.grows_up else int(y) - self.root
        return from_root // self.row_height

    def cost_at(self, x: float) -> float:
        """The cost in the middle of the pixel that is there."""
        return self.left_cost + (int(x) + 0.5) / self.scale

    def visible_depths(self, level_count: int) -> range:
        """The rows in sight, of so many."""
        ends = self.depth_at(0), self.depth_at(self.height - 1)
        return range(max(0, min(ends)), min(level_count - 1, max(ends)) + 1)

    def visible_boxes(self, tree: FrameTree, boxes: Int64Array) -> Int64Array:
        """Those of the boxes that are in the frame; of those in the same pixel the first."""
        start, top = tree.start[boxes], self.top(tree.depth[boxes])
        end, right = start + tree.width[boxes], self.left_cost + self.width / self.scale
        is_seen = (
            (end > self.left_cost)
            & (start < right)
            & (top > -self.row_height)
            & (top < self.height)
        )
        boxes, pixels = boxes[is_seen], np.stack((top, self.pixel_columns(start)))[:, is_seen]
        first = np.unique(pixels, axis=1, return_index=True)[1]
        return boxes[np.sort(first)]

    def box_rect(self, tree: FrameTree, box: int) -> QRectF:
        """Where a box is, not rounded; it may be out of the frame."""
        x = (float(tree.start[box]) - self.left_cost) * self.scale
        width = float(tree.width[box]) * self.scale
        return QRectF(x, self.top(int(tree.depth[box])), width, self.row_height)


class FlamePainter:
    """How the boxes of one nesting look: every text and colour is made once."""

    def __init__(
        self, tree: FrameTree, style: BoxStyle, palette: QPalette, metrics: QFontMetricsF
    ) -> None:
        self._tree, self._style = tree, style
        self._palette, self._metrics = palette, metrics
        self._fill_colors = _FillColors(style, palette)
        self._text_colors: dict[int, QColor] = {}
        self._texts: dict[int, tuple[str, float, str, float]] = {}
        self._labels: dict[tuple[int, int], str] = {}  # of a box in so many pixels

    def is_current_for(
        self, tree: FrameTree, style: BoxStyle, palette: QPalette, metrics: QFontMetricsF
    ) -> bool:
        """Whether it was made of these."""
        is_same = self._tree is tree and self._style is style
        return is_same and self._palette == palette and self._metrics == metrics

    def paint(
        self,
        painter: QPainter,
        viewport: FlameViewport,
        rows: slice,
        matches: BoolArray | None,
        ancestors: list[int],
    ) -> None:
        """Draw these rows of the nesting; the boxes `around` the zoomed one are greyer."""
        boxes = self._visible_boxes(viewport, rows, self._color_keys(matches, ancestors))
        height = viewport.row_height - _GAP
        _, x, y, width, key = boxes.tolist()
        fills = map(self._fill_colors.__getitem__, key)
        filling = map(painter.fillRect, x, y, width, repeat(height), fills)
        deque(filling, maxlen=0)  # a loop written out takes a fifth longer
        least = 2 * _PADDING + _MIN_LABEL_DIGITS * self._metrics.horizontalAdvance("0")
        wide = boxes[:, boxes[3] >= least]
        self._underline_estimates(painter, wide[:, wide[4] & _ESTIMATED > 0], height)
        self._paint_labels(painter, wide, height)

    def _color_keys(self, matches: BoolArray | None, ancestors: list[int]) -> Int64Array:
        """What the colour of each box depends on, as a number."""
        entry = self._tree.node
        key = (entry + 1) * _FLAG_COUNT + _ESTIMATED * ~self._tree.is_exact
        if matches is not None:
            key += _FADED * ~((entry >= 0) & matches[entry])
        key[ancestors] += _ANCESTOR
        return key

    def _visible_boxes(self, viewport: FlameViewport, rows: slice, key: Int64Array) -> Int64Array:
        """Row, left, top, width and key of the boxes that cover pixels, shape (5, boxes)."""
        nesting = self._tree
        start = nesting.start[rows]
        left, right = (
            viewport.pixel_columns(start),
            viewport.pixel_columns(start + nesting.width[rows]),
        )
        seen = np.flatnonzero(right > left)
        left, width = left[seen], (right - left)[seen]
        width -= _GAP * (width >= _MIN_WIDTH_WITH_GAP)
        boxes = seen + rows.start
        return np.stack((boxes, left, viewport.top(nesting.depth[boxes]), width, key[boxes]))

    def _underline_estimates(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Mark estimates where colours are not seen: by dots under the name."""
        lines = defaultdict(list)
        for _, x, y, width, key in zip(*boxes.tolist(), strict=True):
            place = y + height - 1.5
            line = QLineF(x + _PADDING, place, x + width - _PADDING, place)
            lines[self._text_color(key).rgb()].append(line)
        for ink, drawn in lines.items():
            color = QColor(ink)
            color.setAlphaF(_UNDERLINE_OPACITY)
            pen = QPen(color, 1)
            pen.setDashPattern(_UNDERLINE_DASHES)
            painter.setPen(pen)
            painter.drawLines(drawn)

    def _paint_labels(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Write the names into boxes that are wide enough."""
        metrics = self._metrics
        base = round((height - metrics.height()) / 2 + metrics.ascent())
        for box, x, y, width, key in zip(*boxes.tolist(), strict=True):
            painter.setPen(self._text_color(key))
            label = self._label(box, width - 2 * _PADDING)
            painter.drawText(QPointF(x + _PADDING, y + base), label)

    def _text_color(self, key: int) -> QColor:
        ink = self._text_colors.get(key)
        if ink is None:
            ink = self._text_colors[key] = text_color(self._fill_colors[key])
        return ink

    def _label(self, box: int, room: int) -> str:
        """The name, and the cost where it has room, too."""
        label = self._labels.get((box, room))
        if label is None:
            if len(self._labels) > _MAX_LABELS:
                self._labels.clear()
            label = self._labels[box, room] = self._create_label(box, room)
        return label

    def _create_label(self, box: int, room: int) -> str:
        name, name_width, full, full_width = self._label_texts(box)
        if full_width <= room:
            return full
        if name_width <= room:
            return name
        return self._metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)

    def _label_texts(self, box: int) -> tuple[str, float, str, float]:
        """Name, and name and cost, each with its width."""
        text = self._texts.get(box)
        if text is None:
            name = self._style.name(self._tree, box)
            full = f"{name}{_COST_SEPARATOR}{self._style.cost(self._tree, box)}"
            widths = self._metrics.horizontalAdvance(name), self._metrics.horizontalAdvance(full)
            text = self._texts[box] = (name, widths[0], full, widths[1])
        return text


class _FillColors(dict[int, QColor]):
    """The colours of boxes by their keys, each made when it is first asked for."""

    def __init__(self, style: BoxStyle, palette: QPalette) -> None:
        super().__init__()
        self._style, self._palette = style, palette

    def __missing__(self, key: int) -> QColor:
        node, kind = divmod(key, _FLAG_COUNT)
        is_exact, is_faded = not kind & _ESTIMATED, bool(kind & _FADED)
        fill = self._style.fill_color(NodeId(node - 1), is_exact, is_faded, self._palette)
        if kind & _ANCESTOR:
            fill = blended(fill, self._palette.color(QPalette.ColorRole.Mid), _ANCESTOR_OPACITY)
        self[key] = fill
        return fill
