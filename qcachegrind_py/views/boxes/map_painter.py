"""Draws the boxes of a call map, onto a screen's pixels or into a file.

Calm on purpose: flat colours and thin lines. A box has its group's colour, every second one inwards
a little darker; what it calls but is too small to be shown is as dark as what is shown. A dashed
line is around what is estimated: inside an estimate, all is.

Thousands of boxes take longer than a window may stand still: they are drawn in steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.map_geometry import MapGeometry
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_tags import MapTags
from qcachegrind_py.views.boxes.painting_style import BoxStyle, text_color

_ALTERNATE_BRIGHTNESS = 0.93  # every second box inwards
_LINE_BRIGHTNESS = 0.72  # how bright a line is, of its box
_MIN_LINED_FACTOR = 4  # times the width of lines: smaller boxes have none
_MIN_DASHED_SIDE = 30.0  # pixels of the shorter side
_DASH_LENGTH = 4.0  # pixels, and as many between
_DASH_OPACITY = 0.45
_FILLS_PER_STEP = 2000  # some 5 ms
_MARKS_PER_STEP = 250  # of dashes and labels: as long

PaintStep = Callable[[QPainter], None]
_Colors = Float64Array  # red, green, blue from 0 to 1, shape (boxes, 3)
_INWARDS = np.array([[1], [1], [-1], [-1]])  # left, top, right, bottom
_RGB = np.array([1 << 16, 1 << 8, 1])


class BoxColors(dict[int, tuple[float, float, float]]):
    """The colours of boxes by what they depend on, each made when it is first asked for."""

    def __init__(self, style: BoxStyle, palette: QPalette) -> None:
        super().__init__()
        self._style, self._palette = style, palette

    def is_current_for(self, style: BoxStyle, palette: QPalette) -> bool:
        """Whether they were made of these."""
        return self._style is style and self._palette == palette

    def __missing__(self, key: int) -> tuple[float, float, float]:
        fill = self._style.fill_color(NodeId(key >> 2), bool(key & 2), bool(key & 1), self._palette)
        self[key] = parts = (fill.redF(), fill.greenF(), fill.blueF())
        return parts


class MapPainter:
    """How the boxes of one map are drawn."""

    def __init__(
        self,
        tree: FrameTree,
        geometry: MapGeometry,
        box_colors: BoxColors,
        matches: BoolArray | None,
        *,
        border: int,
        shading: bool,
    ) -> None:
        """`matches`: what a search has found, None for no search; `border`: how wide lines are."""
        self._geometry, self._box_colors, self._border = geometry, box_colors, border
        boxes = geometry.boxes
        entry, depth, is_exact = (c[boxes] for c in (tree.node, tree.depth, tree.is_exact))
        is_faded = np.zeros(len(boxes), bool)
        if matches is not None:
            is_faded = ~((entry >= 0) & matches[entry])
        self._color_keys = 4 * entry + 2 * is_exact + is_faded
        self._brightness_levels = np.array((1.0, _ALTERNATE_BRIGHTNESS if shading else 1.0))
        self._brightness_index = (depth - depth[:1]) % 2
        begins = tree.is_exact[tree.parent[boxes]] | (boxes == boxes[:1])
        self._is_dashed = ~is_exact & begins & ~is_faded

    def steps(self, labels: MapLabels, tags: MapTags | None, ratio: float) -> Iterator[PaintStep]:
        """What is to be done one after the other, where a logical pixel is `ratio` pixels wide."""
        boxes, edges = self._geometry.boxes, self._geometry.edges
        for rows in _batches(np.arange(len(boxes)), _FILLS_PER_STEP):
            yield partial(self._fill_boxes, rows, ratio)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        for rows in _batches(np.flatnonzero(self._is_dashed & (sides >= _MIN_DASHED_SIDE))):
            yield partial(self._paint_dashes, rows, ratio)
        for rows in _batches(
            np.flatnonzero(labels.fitting_candidates(self._geometry.free_edges, boxes))
        ):
            yield partial(self._paint_labels, rows, labels)
        if tags is not None:
            yield lambda painter: tags.paint(painter, self._geometry, labels.unlabeled)

    # ---------------------------------------------------------------- boxes

    def _fill_boxes(self, batch: Int64Array, ratio: float, painter: QPainter) -> None:
        """Draw boxes as areas upon areas: an outline would take twice as long."""
        rows, edges, colors = zip(*self._layers(batch, ratio), strict=True)
        order = np.argsort(np.concatenate(rows), kind="stable")  # outer boxes before inner ones
        with _device_pixels(painter, ratio):
            _fill_rectangles(painter, np.hstack(edges)[:, order], np.concatenate(colors)[order])

    def _layers(
        self, rows: Int64Array, ratio: float
    ) -> Iterator[tuple[Int64Array, Int64Array, _Colors]]:
        """Lines, what is within them, and rooms that are not covered; of what will be seen."""
        geometry, width = self._geometry, round(self._border * ratio)
        edges = _pixel_edges(geometry.edges[:, rows], ratio)
        rooms = _pixel_edges(geometry.content_edges[:, rows], ratio)
        is_bare = ~geometry.is_covered[rows]
        is_seen = is_bare | (edges != rooms).any(axis=0)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        is_lined = is_seen & (sides >= _MIN_LINED_FACTOR * width) & (width > 0)
        inner = edges + width * is_lined * _INWARDS
        rooms = np.vstack((np.maximum(rooms[:2], inner[:2]), np.minimum(rooms[2:], inner[2:])))
        fill, beneath = self._layer_colors(rows)
        for chosen, areas, colors in (
            (is_lined, edges, fill * _LINE_BRIGHTNESS),
            (is_seen, inner, fill),
            (is_bare, rooms, beneath),
        ):
            yield np.flatnonzero(chosen), areas[:, chosen], colors[chosen]

    def _layer_colors(self, rows: Int64Array) -> tuple[_Colors, _Colors]:
        """Of boxes, and of what is in them."""
        keys, place = np.unique(self._color_keys[rows], return_inverse=True)
        plain = np.array([self._box_colors[key] for key in keys.tolist()])[place]
        shade = self._brightness_index[rows, np.newaxis]
        return plain * self._brightness_levels[shade], plain * self._brightness_levels[1 - shade]

    def _paint_dashes(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        """Draw dashes along the lines around estimates."""
        width = max(1, round(ratio))
        inner = _pixel_edges(self._geometry.edges[:, rows], ratio) + width / 2 * _INWARDS
        with _device_pixels(painter, ratio):
            for row, area in zip(rows.tolist(), _rectangles(inner).T.tolist(), strict=True):
                painter.setPen(_dashed_pen(self._text_color(row), width, _DASH_LENGTH * ratio))
                painter.drawRect(QRectF(*area))

    # ---------------------------------------------------------------- names

    def _paint_labels(self, rows: Int64Array, labels: MapLabels, painter: QPainter) -> None:
        """Write into boxes."""
        free = np.stack([_rectangles(edges) for edges in self._geometry.free_edges[:, :, rows]])
        boxes = self._geometry.boxes[rows].tolist()
        for row, box, areas in zip(
            rows.tolist(), boxes, free.transpose(2, 0, 1).tolist(), strict=True
        ):
            painter.setPen(self._text_color(row))
            labels.paint(painter, box, (QRectF(*area) for area in areas))

    def _text_color(self, row: int) -> QColor:
        """The colour of text in a box."""
        fill = self._box_colors[int(self._color_keys[row])]
        shade = float(self._brightness_levels[self._brightness_index[row]])
        return text_color(QColor.fromRgbF(*(shade * part for part in fill)))


def _batches(rows: Int64Array, length: int = _MARKS_PER_STEP) -> Iterator[Int64Array]:
    """So many rows at a time."""
    for begin in range(0, len(rows), length):
        yield rows[begin : begin + length]


def _rectangles(edges: Float64Array | Int64Array) -> Float64Array | Int64Array:
    """Left, top, width and height, of edges."""
    left, top, right, bottom = edges
    return np.stack((left, top, right - left, bottom - top))


def _pixel_edges(edges: Float64Array, ratio: float) -> Int64Array:
    """On whole pixels: boxes side by side stay side by side."""
    return np.rint(edges * ratio).astype(np.int64)


@contextmanager
def _device_pixels(painter: QPainter, ratio: float) -> Iterator[None]:
    """Draw in pixels of the device."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.scale(1 / ratio, 1 / ratio)
    yield
    painter.restore()


def _fill_rectangles(painter: QPainter, edges: Int64Array, colors: _Colors) -> None:
    """Fill areas one after the other; each has a color of its own."""
    values, place = np.unique(np.rint(255 * colors).astype(np.int64) @ _RGB, return_inverse=True)
    made = [QColor.fromRgb(value) for value in values.tolist()]
    areas = np.vstack((_rectangles(edges), place))
    fill = painter.fillRect
    for x, y, width, height, color in areas[:, (areas[2:4] > 0).all(axis=0)].T.tolist():
        fill(x, y, width, height, made[color])


def _dashed_pen(color: QColor, width: int, length: float) -> QPen:
    """A pen of dashes of this length, as far apart."""
    color.setAlphaF(_DASH_OPACITY)
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([length / width, length / width])
    return pen
