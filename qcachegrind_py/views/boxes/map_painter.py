"""Paints the boxes of a call map, onto the screen or into a file.

The style is calm: flat colours and thin lines. Boxes have their group's colour, slightly darker on
every second level; callees too small to be shown appear in the shade of that level. A dashed line
surrounds an estimate, whose contents are all estimates.

Painting is divided into steps, because thousands of boxes would block the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.frames import Frames
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.frame_colors import FrameColors, text_color
from qcachegrind_py.views.boxes.map_geometry import MapGeometry
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_tags import MapTags

_ALTERNATE_BRIGHTNESS = 0.93  # of every second level
_LINE_BRIGHTNESS = 0.72  # of lines, relative to their box
_MIN_LINED_FACTOR = 4  # times the line width: smaller boxes have no lines
_MIN_DASHED_SIDE = 30.0  # pixels of the shorter side
_MIN_NET_SIDE = 8.0  # pixels of the shorter side of a box with a line for its net change
_NET_HEIGHT = 2.0  # pixels of that line, in the space around the contents of the box
_DASH_LENGTH = 4.0  # pixels of dashes and gaps
_DASH_OPACITY = 0.45
_FILLS_PER_STEP = 500  # some 3 ms, with colours that are used for the first time
_MARKS_PER_STEP = 100  # dashed lines or labels: some 2 ms

PaintStep = Callable[[QPainter], None]
_Colors = Float64Array  # red, green and blue from 0 to 1, shape (boxes, 3)
_INWARDS = np.array([[1], [1], [-1], [-1]])  # direction for left, top, right, bottom
_RGB = np.array([1 << 16, 1 << 8, 1])


class BoxColors(dict[int, tuple[float, float, float]]):
    """Box colours as (red, green, blue) by key, created on first use."""

    def __init__(self, picture: Frames, palette: QPalette) -> None:
        super().__init__()
        self._colors = FrameColors(picture, palette)
        self.codes = picture.color_codes

    def is_current_for(self, picture: Frames, palette: QPalette) -> bool:
        """Return whether the colours were created with these arguments."""
        return self._colors.is_for(picture, palette)

    def net_color(self, key: int) -> tuple[float, float, float]:
        """Return the colour of the line that tells the net change in boxes with this key."""
        color = self._colors.net_color(key >> 2)
        return (color.redF(), color.greenF(), color.blueF()) if color is not None else self[key]

    def __missing__(self, key: int) -> tuple[float, float, float]:
        fill = self._colors.color(key >> 2, is_exact=bool(key & 2), is_faded=bool(key & 1))
        self[key] = parts = (fill.redF(), fill.greenF(), fill.blueF())
        return parts


class MapPainter:
    """Paints the boxes of one map."""

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
        """Prepare colours and dashes.

        `matches` is a mask of nodes, None without a search; `border` is the line width in pixels.
        """
        self._geometry, self._box_colors, self._border = geometry, box_colors, border
        boxes = geometry.boxes
        depth, is_exact = (c[boxes] for c in (tree.depth, tree.is_exact))
        is_faded = np.zeros(len(boxes), bool)
        if matches is not None:
            is_faded = ~tree.are_of(matches)[boxes]
        codes = box_colors.codes[boxes]
        self._color_keys = 4 * codes + 2 * is_exact + is_faded
        self._brightness_levels = np.array((1.0, _ALTERNATE_BRIGHTNESS if shading else 1.0))
        self._brightness_index = (depth - depth[:1]) % 2
        is_outermost = tree.is_exact[tree.parent[boxes]] | (boxes == boxes[:1])
        self._is_dashed = ~is_exact & is_outermost & ~is_faded
        self._net = np.zeros(len(boxes))  # the part of each box that is a net change
        if tree.sides is not None and tree.sides.net is not None:
            self._net = np.where(is_faded, 0, tree.sides.net[boxes])

    def steps(self, labels: MapLabels, tags: MapTags | None, ratio: float) -> Iterator[PaintStep]:
        """Yield the steps of painting with `ratio` device pixels for each logical pixel."""
        boxes, edges = self._geometry.boxes, self._geometry.edges
        for rows in _batches(np.arange(len(boxes)), _FILLS_PER_STEP):
            yield partial(self._fill_boxes, rows, ratio)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        for rows in _batches(
            np.flatnonzero((self._net > 0) & (sides >= _MIN_NET_SIDE)), _FILLS_PER_STEP
        ):
            yield partial(self._paint_net_changes, rows, ratio)
        for rows in _batches(np.flatnonzero(self._is_dashed & (sides >= _MIN_DASHED_SIDE))):
            yield partial(self._paint_dashes, rows, ratio)
        for rows in _batches(
            np.flatnonzero(labels.fitting_candidates(self._geometry.free_edges, boxes))
        ):
            yield partial(self._paint_labels, rows, labels)
        if tags is not None:
            yield lambda painter: tags.paint(painter, self._geometry, labels)

    # ---------------------------------------------------------------- boxes

    def _fill_boxes(self, batch: Int64Array, ratio: float, painter: QPainter) -> None:
        """Paint boxes as stacked filled rectangles: outlines would take twice as long."""
        rows, edges, colors = zip(*self._layers(batch, ratio), strict=True)
        order = np.argsort(np.concatenate(rows), kind="stable")  # outer boxes before inner ones
        with _device_pixels(painter, ratio):
            _fill_rectangles(painter, np.hstack(edges)[:, order], np.concatenate(colors)[order])

    def _layers(
        self, rows: Int64Array, ratio: float
    ) -> Iterator[tuple[Int64Array, Int64Array, _Colors]]:
        """Yield lines, insides and uncovered contents of the boxes, as far as they are visible.

        Each layer is a tuple of rows, edges and colours.
        """
        geometry, width = self._geometry, round(self._border * ratio)
        edges = _pixel_edges(geometry.edges[:, rows], ratio)
        content_edges = _pixel_edges(geometry.content_edges[:, rows], ratio)
        is_uncovered = ~geometry.is_covered[rows]
        is_visible = is_uncovered | (edges != content_edges).any(axis=0)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        is_lined = is_visible & (sides >= _MIN_LINED_FACTOR * width) & (width > 0)
        inner = edges + width * is_lined * _INWARDS
        content_edges = np.vstack(
            (np.maximum(content_edges[:2], inner[:2]), np.minimum(content_edges[2:], inner[2:]))
        )
        fill, content_fill = self._layer_colors(rows)
        for selected, areas, colors in (
            (is_lined, edges, fill * _LINE_BRIGHTNESS),
            (is_visible, inner, fill),
            (is_uncovered, content_edges, content_fill),
        ):
            yield np.flatnonzero(selected), areas[:, selected], colors[selected]

    def _layer_colors(self, rows: Int64Array) -> tuple[_Colors, _Colors]:
        """Return the colours of boxes and of their contents."""
        keys, index = np.unique(self._color_keys[rows], return_inverse=True)
        plain = np.array([self._box_colors[key] for key in keys.tolist()])[index]
        shade = self._brightness_index[rows, np.newaxis]
        return plain * self._brightness_levels[shade], plain * self._brightness_levels[1 - shade]

    def _paint_net_changes(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        """Paint a line along the bottom of boxes that is as long as their net change."""
        inner = _pixel_edges(self._geometry.edges[:, rows], ratio)
        inner = inner + round(self._border * ratio) * _INWARDS
        left, _, right, bottom = inner
        end = left + np.rint((right - left) * self._net[rows]).astype(np.int64)
        edges = np.stack((left, bottom - max(1, round(_NET_HEIGHT * ratio)), end, bottom))
        colors = [self._box_colors.net_color(key) for key in self._color_keys[rows].tolist()]
        with _device_pixels(painter, ratio):
            _fill_rectangles(painter, edges, np.array(colors))

    def _paint_dashes(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        """Paint dashed lines around estimates."""
        width = max(1, round(ratio))
        inner = _pixel_edges(self._geometry.edges[:, rows], ratio) + width / 2 * _INWARDS
        with _device_pixels(painter, ratio):
            for row, area in zip(rows.tolist(), _rectangles(inner).T.tolist(), strict=True):
                painter.setPen(_dashed_pen(self._text_color(row), width, _DASH_LENGTH * ratio))
                painter.drawRect(QRectF(*area))

    # ---------------------------------------------------------------- labels

    def _paint_labels(self, rows: Int64Array, labels: MapLabels, painter: QPainter) -> None:
        """Paint the labels of boxes."""
        free = np.stack([_rectangles(edges) for edges in self._geometry.free_edges[:, :, rows]])
        boxes = self._geometry.boxes[rows].tolist()
        for row, box, areas in zip(
            rows.tolist(), boxes, free.transpose(2, 0, 1).tolist(), strict=True
        ):
            painter.setPen(self._text_color(row))
            labels.paint(painter, box, (QRectF(*area) for area in areas))

    def _text_color(self, row: int) -> QColor:
        """Return the text colour for a box."""
        fill = self._box_colors[int(self._color_keys[row])]
        shade = float(self._brightness_levels[self._brightness_index[row]])
        return text_color(QColor.fromRgbF(*(shade * part for part in fill)))


def _batches(rows: Int64Array, length: int = _MARKS_PER_STEP) -> Iterator[Int64Array]:
    """Split rows into batches of at most `length`."""
    for begin in range(0, len(rows), length):
        yield rows[begin : begin + length]


def _rectangles(edges: Float64Array | Int64Array) -> Float64Array | Int64Array:
    """Convert edges to left, top, width and height."""
    left, top, right, bottom = edges
    return np.stack((left, top, right - left, bottom - top))


def _pixel_edges(edges: Float64Array, ratio: float) -> Int64Array:
    """Round edges to device pixels; boxes with a common edge keep it."""
    return np.rint(edges * ratio).astype(np.int64)


@contextmanager
def _device_pixels(painter: QPainter, ratio: float) -> Iterator[None]:
    """Paint in device pixels inside the `with` block."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.scale(1 / ratio, 1 / ratio)
    yield
    painter.restore()


def _fill_rectangles(painter: QPainter, edges: Int64Array, colors: _Colors) -> None:
    """Fill rectangles in order, each in its own colour."""
    values, color_index = np.unique(
        np.rint(255 * colors).astype(np.int64) @ _RGB, return_inverse=True
    )
    fill_colors = [QColor.fromRgb(value) for value in values.tolist()]
    areas = np.vstack((_rectangles(edges), color_index))
    fill = painter.fillRect
    for x, y, width, height, color in areas[:, (areas[2:4] > 0).all(axis=0)].T.tolist():
        fill(x, y, width, height, fill_colors[color])


def _dashed_pen(color: QColor, width: int, length: float) -> QPen:
    """Return a pen with dashes and gaps of this length."""
    color.setAlphaF(_DASH_OPACITY)
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([length / width, length / width])
    return pen
