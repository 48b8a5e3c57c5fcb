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
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.map_geometry import MapGeometry
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_tags import MapTags
from qcachegrind_py.views.boxes.painting_style import BoxLook, text_color

_DARKER = 0.93  # every second box inwards
_LINE = 0.72  # how bright a line is, of its box
_LEAST_LINED = 4  # times the width of lines: smaller boxes have none
_LEAST_DASHED = 30.0  # pixels of the shorter side
_DASH = 4.0  # pixels, and as many between
_DASH_OPACITY = 0.45
_FILLS_A_STEP = 2000  # some 5 ms
_MARKS_A_STEP = 250  # of dashes and labels: as long

Step = Callable[[QPainter], None]
_Colors = Float64Array  # red, green, blue from 0 to 1, shape (boxes, 3)
_INWARDS = np.array([[1], [1], [-1], [-1]])  # left, top, right, bottom
_RGB = np.array([1 << 16, 1 << 8, 1])


class Fills(dict[int, tuple[float, float, float]]):
    """The colours of boxes by what they depend on, each made when it is first asked for."""

    def __init__(self, look: BoxLook, palette: QPalette) -> None:
        super().__init__()
        self._look, self._palette = look, palette

    def is_of(self, look: BoxLook, palette: QPalette) -> bool:
        """Whether they were made of these."""
        return self._look is look and self._palette == palette

    def __missing__(self, key: int) -> tuple[float, float, float]:
        fill = self._look.fill(key >> 2, bool(key & 2), bool(key & 1), self._palette)
        self[key] = parts = (fill.redF(), fill.greenF(), fill.blueF())
        return parts


class MapPainting:
    """How the boxes of one map are drawn."""

    def __init__(
        self,
        nesting: FrameTree,
        geometry: MapGeometry,
        fills: Fills,
        matches: BoolArray | None,
        *,
        border: int,
        shading: bool,
    ) -> None:
        """`matches`: what a search has found, None for no search; `border`: how wide lines are."""
        self._geometry, self._fills, self._border = geometry, fills, border
        boxes = geometry.boxes
        entry, depth, is_exact = (c[boxes] for c in (nesting.node, nesting.depth, nesting.is_exact))
        is_faded = np.zeros(len(boxes), bool)
        if matches is not None:
            is_faded = ~((entry >= 0) & matches[entry])
        self._keys = 4 * entry + 2 * is_exact + is_faded
        self._shades = np.array((1.0, _DARKER if shading else 1.0))
        self._shade = (depth - depth[:1]) % 2
        begins = nesting.is_exact[nesting.parent[boxes]] | (boxes == boxes[:1])
        self._is_dashed = ~is_exact & begins & ~is_faded

    def steps(self, labels: MapLabels, tags: MapTags | None, ratio: float) -> Iterator[Step]:
        """What is to be done one after the other, where a logical pixel is `ratio` pixels wide."""
        boxes, edges = self._geometry.boxes, self._geometry.edges
        for rows in _pieces(np.arange(len(boxes)), _FILLS_A_STEP):
            yield partial(self._fill, rows, ratio)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        for rows in _pieces(np.flatnonzero(self._is_dashed & (sides >= _LEAST_DASHED))):
            yield partial(self._dash, rows, ratio)
        for rows in _pieces(np.flatnonzero(labels.may_fit(self._geometry.free, boxes))):
            yield partial(self._write, rows, labels)
        if tags is not None:
            yield lambda painter: tags.paint(painter, self._geometry, labels.unnamed)

    # ---------------------------------------------------------------- boxes

    def _fill(self, part: Int64Array, ratio: float, painter: QPainter) -> None:
        """Draw boxes as areas upon areas: an outline would take twice as long."""
        rows, edges, colors = zip(*self._layers(part, ratio), strict=True)
        order = np.argsort(np.concatenate(rows), kind="stable")  # outer boxes before inner ones
        with _in_pixels(painter, ratio):
            _fill_all(painter, np.hstack(edges)[:, order], np.concatenate(colors)[order])

    def _layers(
        self, part: Int64Array, ratio: float
    ) -> Iterator[tuple[Int64Array, Int64Array, _Colors]]:
        """Lines, what is within them, and rooms that are not covered; of what will be seen."""
        geometry, width = self._geometry, round(self._border * ratio)
        edges = _pixels(geometry.edges[:, part], ratio)
        rooms = _pixels(geometry.rooms[:, part], ratio)
        is_bare = ~geometry.is_covered[part]
        is_seen = is_bare | (edges != rooms).any(axis=0)
        sides = (edges[2:] - edges[:2]).min(axis=0)
        is_lined = is_seen & (sides >= _LEAST_LINED * width) & (width > 0)
        inner = edges + width * is_lined * _INWARDS
        rooms = np.vstack((np.maximum(rooms[:2], inner[:2]), np.minimum(rooms[2:], inner[2:])))
        fill, beneath = self._colors(part)
        for chosen, areas, colors in (
            (is_lined, edges, fill * _LINE),
            (is_seen, inner, fill),
            (is_bare, rooms, beneath),
        ):
            yield np.flatnonzero(chosen), areas[:, chosen], colors[chosen]

    def _colors(self, part: Int64Array) -> tuple[_Colors, _Colors]:
        """Of boxes, and of what is in them."""
        keys, place = np.unique(self._keys[part], return_inverse=True)
        plain = np.array([self._fills[key] for key in keys.tolist()])[place]
        shade = self._shade[part, np.newaxis]
        return plain * self._shades[shade], plain * self._shades[1 - shade]

    def _dash(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        """Draw dashes along the lines around estimates."""
        width = max(1, round(ratio))
        inner = _pixels(self._geometry.edges[:, rows], ratio) + width / 2 * _INWARDS
        with _in_pixels(painter, ratio):
            for row, area in zip(rows.tolist(), _areas(inner).T.tolist(), strict=True):
                painter.setPen(_dashes(self._ink(row), width, _DASH * ratio))
                painter.drawRect(QRectF(*area))

    # ---------------------------------------------------------------- names

    def _write(self, rows: Int64Array, labels: MapLabels, painter: QPainter) -> None:
        """Write into boxes."""
        free = np.stack([_areas(edges) for edges in self._geometry.free[:, :, rows]])
        boxes = self._geometry.boxes[rows].tolist()
        for row, box, areas in zip(
            rows.tolist(), boxes, free.transpose(2, 0, 1).tolist(), strict=True
        ):
            painter.setPen(self._ink(row))
            labels.write(painter, box, (QRectF(*area) for area in areas))

    def _ink(self, row: int) -> QColor:
        """The colour of text in a box."""
        fill = self._fills[int(self._keys[row])]
        shade = float(self._shades[self._shade[row]])
        return text_color(QColor.fromRgbF(*(shade * part for part in fill)))


def _pieces(rows: Int64Array, length: int = _MARKS_A_STEP) -> Iterator[Int64Array]:
    """So many rows at a time."""
    for begin in range(0, len(rows), length):
        yield rows[begin : begin + length]


def _areas(edges: Float64Array | Int64Array) -> Float64Array | Int64Array:
    """Left, top, width and height, of edges."""
    left, top, right, bottom = edges
    return np.stack((left, top, right - left, bottom - top))


def _pixels(edges: Float64Array, ratio: float) -> Int64Array:
    """On whole pixels: boxes side by side stay side by side."""
    return np.rint(edges * ratio).astype(np.int64)


@contextmanager
def _in_pixels(painter: QPainter, ratio: float) -> Iterator[None]:
    """Draw in pixels of the device."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.scale(1 / ratio, 1 / ratio)
    yield
    painter.restore()


def _fill_all(painter: QPainter, edges: Int64Array, colors: _Colors) -> None:
    """Fill areas one after the other; each has a color of its own."""
    values, place = np.unique(np.rint(255 * colors).astype(np.int64) @ _RGB, return_inverse=True)
    made = [QColor.fromRgb(value) for value in values.tolist()]
    areas = np.vstack((_areas(edges), place))
    fill = painter.fillRect
    for x, y, width, height, color in areas[:, (areas[2:4] > 0).all(axis=0)].T.tolist():
        fill(x, y, width, height, made[color])


def _dashes(color: QColor, width: int, length: float) -> QPen:
    """A pen of dashes of this length, as far apart."""
    color.setAlphaF(_DASH_OPACITY)
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([length / width, length / width])
    return pen
