"""The canvas of a call map, a treemap in which areas are proportional to costs.

The boxes are painted into a pixmap, which is updated after changes; until the update is complete,
the previous pixmap is shown, stretched if the window has been resized. Painting is divided into
steps, because thousands of boxes would block the window.

The style is calm: flat colours and thin lines. Boxes have their group's colour, slightly darker on
every second level; callees too small to be shown appear in the shade of that level. A dashed line
surrounds an estimate, whose contents are all estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil
from time import perf_counter

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)

from qcachegrind_py.analysis.calls.frame_layout import TreemapLayout
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.call_map import (
    MapGeometry,
    MapLabels,
    MapLayout,
    MapOptions,
    MapSpace,
    TextLine,
    compute_geometry,
    lay_out_map,
    rectangles,
)
from qcachegrind_py.present.frames import Frames
from qcachegrind_py.present.picture import Step
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas, BoxColors, LabelFont, text_color
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH

_RELAYOUT_DELAY = 50  # ms after the last resize
_TIME_SLICE = 0.01  # seconds of painting before the event loop runs again
_NOTICEABLY_LARGER = 1.001  # factor: smaller differences cannot be seen

PaintStep = Callable[[QPainter], None]


class MapCanvas(BoxCanvas):
    """A frame tree as nested rectangles. Ctrl+wheel zooms."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.options = MapOptions()
        self._treemap: TreemapLayout | None = None
        self._layout_size = QSizeF()  # size of the viewport at the last layout
        self._shown_pixmap = QPixmap()
        self._pending_pixmap = QPixmap()  # being painted
        self._pending_steps: Iterator[PaintStep] | None = (
            None  # remaining steps; None if painting has not begun
        )
        self._shows_stale_pixmap = False  # the pixmap is grey until its successor is complete
        self._is_painting_screen = False
        self._wheel_angle = 0  # angle since the last full notch, in eighths of a degree
        self._relayout_timer = QTimer(self, singleShot=True, interval=_RELAYOUT_DELAY)
        self._relayout_timer.timeout.connect(self.lay_out)
        self._continue_timer = QTimer(self, singleShot=True, interval=0)
        self._continue_timer.timeout.connect(self._continue_drawing)

    def set_options(self, options: MapOptions) -> None:
        self.options = options
        self.lay_out()

    def clear(self) -> None:
        super().clear()
        self._shown_pixmap = self._pending_pixmap = QPixmap()
        self._shows_stale_pixmap = False

    def restyle(self) -> None:
        self._restart_drawing()

    def set_stale(self, stale: bool) -> None:
        self._shows_stale_pixmap |= self._is_stale
        super().set_stale(stale)

    @property
    def is_grey(self) -> bool:
        return super().is_grey or self._shows_stale_pixmap

    # ---------------------------------------------------------------- layout

    def lay_out(self) -> None:
        """Lay out the boxes; the next paint event draws them."""
        self._relayout_timer.stop()
        self._layout_size = QSizeF(self.viewport().size())
        self._treemap = self._current_treemap()
        self._restart_drawing()
        self.laid_out.emit()

    def boxes_without_room(self) -> Int64Array:
        tree, treemap = self.tree, self._treemap
        if tree is None or treemap is None:
            return super().boxes_without_room()
        is_hidden = ~treemap.is_shown & (tree.width > 0)
        is_hidden[:1] = False
        return np.flatnonzero(is_hidden & treemap.is_shown[tree.parent])

    def _current_treemap(self) -> TreemapLayout | None:
        """Return the layout of the job if it is for the present size and options, or a new one."""
        if self.tree is None:
            return None
        space, prepared = self._space(self.zoom_root), self.prepared_layout
        if prepared is None or prepared.tree is not self.tree or prepared.space != space:
            prepared = lay_out_map(space, self.tree)
        return prepared.treemap

    def layout_work(self) -> Callable[[FrameTree], MapLayout]:
        return partial(lay_out_map, self._space(root=0))

    def _space(self, root: int) -> MapSpace:
        size, line_height = QSizeF(self.viewport().size()), LabelFont(self.font()).height
        return MapSpace(size.width(), size.height(), line_height, root, self.options.of_layout())

    def box_at(self, position: QPointF) -> int:
        if self._treemap is None:
            return -1
        across, down = self._stretch_factors()
        return self._treemap.box_at(position.x() / across, position.y() / down)

    def box_rect(self, box: int) -> QRectF:
        treemap = self._treemap
        if treemap is None or not self._is_shown(box):
            return QRectF()
        across, down = self._stretch_factors()
        x, y = float(treemap.x[box]) * across, float(treemap.y[box]) * down
        return QRectF(x, y, float(treemap.width[box]) * across, float(treemap.height[box]) * down)

    def _is_shown(self, box: int) -> bool:
        treemap = self._treemap
        return (
            treemap is not None and 0 <= box < len(treemap.is_shown) and bool(treemap.is_shown[box])
        )

    def _stretch_factors(self) -> tuple[float, float]:
        """Return the ratios of the viewport's present width and height to those at the layout."""
        now, then = self.viewport().size(), self._layout_size
        across = now.width() / then.width() if then.width() else 0.0
        down = now.height() / then.height() if then.height() else 0.0
        return across or 1.0, down or 1.0

    # ---------------------------------------------------------------- drawing

    @property
    def is_drawn(self) -> bool:
        return self._pending_steps is not None and not self._continue_timer.isActive()

    def _restart_drawing(self) -> None:
        self._pending_steps = None
        self._continue_timer.stop()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if (
            self._pending_steps is None
            or self._pending_pixmap.devicePixelRatioF() != self.devicePixelRatioF()
        ):
            self._start_drawing()
        self._is_painting_screen = True
        super().paintEvent(event)
        self._is_painting_screen = False

    def paint_boxes(self, painter: QPainter) -> None:
        if self._is_painting_screen:
            self._paint_pixmap(painter)
            return
        if self._relayout_timer.isActive():
            self.lay_out()
        for step in self._create_steps(1.0):
            step(painter)

    def _paint_pixmap(self, painter: QPainter) -> None:
        if self._stretch_factors() == (1.0, 1.0):
            painter.drawPixmap(0, 0, self._shown_pixmap)
        elif not self._shown_pixmap.isNull():
            painter.drawPixmap(self.viewport().rect(), self._shown_pixmap)

    def _start_drawing(self) -> None:
        ratio = self.devicePixelRatioF()
        pixels = self._layout_size * ratio
        self._pending_pixmap = QPixmap(max(1, ceil(pixels.width())), max(1, ceil(pixels.height())))
        self._pending_pixmap.setDevicePixelRatio(ratio)
        self._pending_pixmap.fill(self.palette().color(QPalette.ColorRole.Base))
        self._pending_steps = self._create_steps(ratio)
        self._draw_time_slice()

    def _draw_time_slice(self) -> None:
        """Paint for one time slice and leave the rest for later."""
        end = perf_counter() + _TIME_SLICE
        painter = QPainter(self._pending_pixmap)
        painter.setFont(self.font())
        for step in self._pending_steps or ():
            step(painter)
            if perf_counter() > end:
                self._continue_timer.start()
                break
        painter.end()
        if self.is_drawn:
            self._shown_pixmap, self._shows_stale_pixmap = self._pending_pixmap, False

    def _continue_drawing(self) -> None:
        self._draw_time_slice()
        if self.is_drawn:
            self.viewport().update()

    def _create_steps(self, ratio: float) -> Iterator[PaintStep]:
        picture, treemap, options = self.picture, self._treemap, self.options
        if picture is None or treemap is None or not treemap.is_shown.any():
            return iter(())
        geometry = compute_geometry(picture.tree, treemap)
        labels = MapLabels(picture, options, LabelFont(self.font()))
        colors = self.colors_of(picture)
        return _MapPainter(picture, geometry, colors, self.matches, options).steps(
            labels, self.palette(), ratio
        )

    # ---------------------------------------------------------------- zoom and keys

    def zoom_to(self, box: int) -> None:
        tree = self.tree
        if tree is None or box == self.zoom_root or not 0 <= box < len(tree):
            return
        if not tree.width[box] > 0:
            return
        self.zoom_root = box
        self.lay_out()
        self.current_changed.emit()

    def zoom_in(self) -> None:
        """Zoom to the current box, or else to the largest one inside the zoomed box."""
        tree, box = self.tree, self.keyboard_box()
        if tree is None:
            return
        if box == self.zoom_root and tree.child_count[box]:
            self._zoom_towards(tree.children_of(box)[0])
        else:
            self.zoom_to(box)

    def zoom_by_click(self, box: int) -> None:
        """Zoom to a box, or to the one around it if it contains none that could be seen larger."""
        if self.tree is not None and box != self.zoom_root and not self.tree.child_count[box]:
            box = max(0, int(self.tree.parent[box]))
        super().zoom_by_click(box)

    def zoom_out_one(self) -> None:
        tree, box = self.tree, self.zoom_root
        if tree is not None and len(tree):
            min_width = float(tree.width[box]) * _NOTICEABLY_LARGER
            while box > 0 and tree.width[box] < min_width:
                box = int(tree.parent[box])
            self.zoom_to(box)

    def _zoom_towards(self, box: int) -> None:
        """Zoom in to the next noticeably smaller box on the path to this one."""
        if self.tree is None or box < 0:
            return
        path, width = self.tree.path(box), self.tree.width
        inside = path[path.index(self.zoom_root) :]
        smaller = (b for b in inside if width[b] * _NOTICEABLY_LARGER <= width[self.zoom_root])
        self.zoom_to(next(smaller, box))

    def show_box(self, box: int) -> None:
        """Zoom just far enough to show the box."""
        tree, size = self.tree, self._layout_size
        if tree is None or self._is_shown(box):
            return
        min_share = self.options.min_area / max(1.0, size.width() * size.height())
        large = (b for b in tree.path(box) if tree.width[b] * min_share <= tree.width[box])
        self.zoom_to(next(large, box))

    def keyboard_box(self) -> int:
        return self.current if self._is_shown(self.current) else self.zoom_root

    def adjacent_box(self, picture: Frames, box: int, step: Step) -> int:
        """Return the adjacent box, limited to shown boxes; siblings are in order of cost."""
        if not self._is_shown(box):
            return self.zoom_root
        if box == self.zoom_root and step is not Step.AHEAD:
            return box
        found = picture.next_box(box, step)
        return found if self._is_shown(found) else box

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        if self._shown_pixmap.isNull():
            super().resizeEvent(event)
        else:
            self._relayout_timer.start()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        event.accept()
        self._wheel_angle += event.angleDelta().y()
        if self._wheel_angle >= WHEEL_NOTCH:
            self._zoom_towards(self.box_at(event.position()))
        elif self._wheel_angle <= -WHEEL_NOTCH:
            self.zoom_out()
        if abs(self._wheel_angle) >= WHEEL_NOTCH:
            self._wheel_angle = 0


# -------------------------------------------------------------------- painting

_ALTERNATE_BRIGHTNESS = 0.93  # of every second level
_LINE_BRIGHTNESS = 0.72  # of lines, relative to their box
_MIN_LINED_FACTOR = 4  # times the line width: smaller boxes have no lines
_MIN_DASHED_SIDE = 30.0  # pixels of the shorter side
_MIN_NET_SIDE = 8.0  # pixels of the shorter side of a box with a line for its net change
_NET_HEIGHT = 2.0  # pixels of that line, in the space around the contents of the box
_DASH_LENGTH = 4.0  # pixels of dashes and gaps
_DASH_OPACITY = 0.45
_TAG_RADIUS = 3.0  # pixels of the corners of tags
_TAG_OPACITY = 0.82  # of their background
_FILLS_PER_STEP = 500  # some 3 ms, with colours that are used for the first time
_MARKS_PER_STEP = 100  # dashed lines or labels: some 2 ms

_Colors = Float64Array  # red, green and blue from 0 to 1, shape (boxes, 3)
_INWARDS = np.array([[1], [1], [-1], [-1]])  # direction for left, top, right, bottom
_RGB = np.array([1 << 16, 1 << 8, 1])


class _MapPainter:
    def __init__(
        self,
        picture: Frames,
        geometry: MapGeometry,
        colors: BoxColors,
        matches: BoolArray | None,
        options: MapOptions,
    ) -> None:
        """Prepare colours and dashes; `matches` is a mask of nodes, None without a search."""
        self._geometry, self._colors, self._border = geometry, colors, options.border
        tree, boxes = picture.tree, geometry.boxes
        depth, is_exact = (column[boxes] for column in (tree.depth, tree.is_exact))
        is_faded = np.zeros(len(boxes), bool)
        if matches is not None:
            is_faded = ~tree.are_of(matches)[boxes]
        self._keys = picture.color_keys(matches)[boxes]
        self._brightness_levels = np.array((1.0, _ALTERNATE_BRIGHTNESS if options.shading else 1.0))
        self._brightness_index = (depth - depth[:1]) % 2
        is_outermost = tree.is_exact[tree.parent[boxes]] | (boxes == boxes[:1])
        self._is_dashed = ~is_exact & is_outermost & ~is_faded
        self._net = np.zeros(len(boxes))  # the part of each box that is a net change
        if tree.net is not None:
            self._net = np.where(is_faded, 0, tree.net[boxes])

    def steps(self, labels: MapLabels, palette: QPalette, ratio: float) -> Iterator[PaintStep]:
        """Yield the steps of painting with `ratio` device pixels for each logical pixel."""
        edges = self._geometry.edges
        sides = (edges[2:] - edges[:2]).min(axis=0)
        has_net = (self._net > 0) & (sides >= _MIN_NET_SIDE)
        for rows in _batches(np.arange(len(sides)), _FILLS_PER_STEP):
            yield partial(self._fill_boxes, rows, ratio)
        for rows in _batches(np.flatnonzero(has_net), _FILLS_PER_STEP):
            yield partial(self._paint_net_changes, rows, ratio)
        for rows in _batches(np.flatnonzero(self._is_dashed & (sides >= _MIN_DASHED_SIDE))):
            yield partial(self._paint_dashes, rows, ratio)
        for rows in _batches(labels.candidates(self._geometry)):
            yield partial(self._paint_labels, rows, labels)
        yield partial(self._paint_tags, labels, palette)

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
        keys, index = np.unique(self._keys[rows], return_inverse=True)
        plain = np.array([_parts(self._colors[key]) for key in keys.tolist()])[index]
        shade = self._brightness_index[rows, np.newaxis]
        return plain * self._brightness_levels[shade], plain * self._brightness_levels[1 - shade]

    def _paint_net_changes(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        """Paint a line along the bottom of boxes that is as long as their net change."""
        inner = _pixel_edges(self._geometry.edges[:, rows], ratio)
        inner = inner + round(self._border * ratio) * _INWARDS
        left, _, right, bottom = inner
        end = left + np.rint((right - left) * self._net[rows]).astype(np.int64)
        edges = np.stack((left, bottom - max(1, round(_NET_HEIGHT * ratio)), end, bottom))
        colors = [
            _parts(self._colors.net_color(key) or self._colors[key])
            for key in self._keys[rows].tolist()
        ]
        with _device_pixels(painter, ratio):
            _fill_rectangles(painter, edges, np.array(colors))

    def _paint_dashes(self, rows: Int64Array, ratio: float, painter: QPainter) -> None:
        width = max(1, round(ratio))
        inner = _pixel_edges(self._geometry.edges[:, rows], ratio) + width / 2 * _INWARDS
        with _device_pixels(painter, ratio):
            for row, area in zip(rows.tolist(), rectangles(inner).T.tolist(), strict=True):
                painter.setPen(_dashed_pen(self._text_color(row), width, _DASH_LENGTH * ratio))
                painter.drawRect(QRectF(*area))

    # ---------------------------------------------------------------- labels

    def _paint_labels(self, rows: Int64Array, labels: MapLabels, painter: QPainter) -> None:
        for row, label in zip(rows.tolist(), labels.place(self._geometry, rows), strict=True):
            if label is None:
                continue
            painter.setPen(self._text_color(row))
            if label.turned_at is not None:
                painter.save()
                painter.translate(*label.turned_at)
                painter.rotate(-90)
            for line in label.lines:
                _paint_line(painter, line)
            if label.turned_at is not None:
                painter.restore()

    def _paint_tags(self, labels: MapLabels, palette: QPalette, painter: QPainter) -> None:
        """Paint names over large boxes that have no space for a label."""
        background = QColor(palette.color(QPalette.ColorRole.Base))
        background.setAlphaF(_TAG_OPACITY)
        for tag in labels.tags(self._geometry):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(background)
            painter.drawRoundedRect(QRectF(*tag.area), _TAG_RADIUS, _TAG_RADIUS)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            _paint_line(painter, tag.line)

    def _text_color(self, row: int) -> QColor:
        shade = float(self._brightness_levels[self._brightness_index[row]])
        fill = _parts(self._colors[int(self._keys[row])])
        return text_color(QColor.fromRgbF(*(shade * part for part in fill)))


def _parts(color: QColor) -> tuple[float, float, float]:
    return color.redF(), color.greenF(), color.blueF()


def _paint_line(painter: QPainter, line: TextLine) -> None:
    if line.clip is None:
        painter.drawText(QPointF(line.x, line.y), line.text)
        return
    painter.save()
    painter.setClipRect(QRectF(*line.clip))
    painter.drawText(QPointF(line.x, line.y), line.text)
    painter.restore()


def _batches(rows: Int64Array, length: int = _MARKS_PER_STEP) -> Iterator[Int64Array]:
    for begin in range(0, len(rows), length):
        yield rows[begin : begin + length]


def _pixel_edges(edges: Float64Array, ratio: float) -> Int64Array:
    """Round edges to device pixels; boxes with a common edge keep it."""
    return np.rint(edges * ratio).astype(np.int64)


@contextmanager
def _device_pixels(painter: QPainter, ratio: float) -> Iterator[None]:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.scale(1 / ratio, 1 / ratio)
    yield
    painter.restore()


def _fill_rectangles(painter: QPainter, edges: Int64Array, colors: _Colors) -> None:
    values, color_index = np.unique(
        np.rint(255 * colors).astype(np.int64) @ _RGB, return_inverse=True
    )
    fill_colors = [QColor.fromRgb(value) for value in values.tolist()]
    areas = np.vstack((rectangles(edges), color_index))
    fill = painter.fillRect
    for x, y, width, height, color in areas[:, (areas[2:4] > 0).all(axis=0)].T.tolist():
        fill(x, y, width, height, fill_colors[color])


def _dashed_pen(color: QColor, width: int, length: float) -> QPen:
    color.setAlphaF(_DASH_OPACITY)
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([length / width, length / width])
    return pen
