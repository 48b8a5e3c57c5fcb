"""The canvas of a call map, a treemap in which areas are proportional to costs.

The boxes are painted into a pixmap, which is updated after changes; until the update is complete,
the previous pixmap is shown, stretched if the window has been resized. `map_layout` lays out the
boxes of the frame tree, and `map_painter` paints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from time import perf_counter

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.calls.treemap import TreemapLayout
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.boxes.frame_canvas import FrameCanvas
from qcachegrind_py.views.boxes.map_geometry import compute_geometry
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_layout import MapLayout, MapSpace, MapStyle, lay_out_map
from qcachegrind_py.views.boxes.map_painter import BoxColors, MapPainter, PaintStep
from qcachegrind_py.views.boxes.map_tags import MapTags
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH

_RELAYOUT_DELAY = 50  # ms after the last resize
_TIME_SLICE = 0.01  # seconds of painting before the event loop runs again
_MIN_AREA = 16.0  # square pixels: smaller boxes are invisible, and many
_NOTICEABLY_LARGER = 1.001  # factor: smaller differences cannot be seen


class MapCanvas(FrameCanvas):
    """A frame tree as nested rectangles. Ctrl+wheel zooms."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.map_style = MapStyle()
        self._treemap: TreemapLayout | None = None
        self._layout_size = QSizeF()  # size of the viewport at the last layout
        self._box_colors: BoxColors | None = None
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

    def set_map_style(self, style: MapStyle) -> None:
        """Change the map options and lay out the boxes again."""
        self.map_style = style
        self.lay_out()

    def clear(self) -> None:
        super().clear()
        self._box_colors = None
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
        if prepared is None or not prepared.is_for(self.tree, space):
            prepared = lay_out_map(space, self.tree)
        return prepared.treemap

    def layout_work(self) -> Callable[[FrameTree], MapLayout]:
        return partial(lay_out_map, self._space(root=0))

    def _space(self, root: int) -> MapSpace:
        """Return the space for a layout with this box as the whole picture."""
        size, style = self.viewport().size(), self.map_style
        return MapSpace(
            float(size.width()),
            float(size.height()),
            root,
            style.split,
            self._min_area(),
            style.rotate,
            style.border,
            QFontMetricsF(self.font()).height(),
            style.headers,
        )

    def _min_area(self) -> float:
        return max(_MIN_AREA, self.map_style.min_area)

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
        """Whether the picture is up to date."""
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
        """Paint the pixmap, stretched if necessary."""
        if self._stretch_factors() == (1.0, 1.0):
            painter.drawPixmap(0, 0, self._shown_pixmap)
        elif not self._shown_pixmap.isNull():
            painter.drawPixmap(self.viewport().rect(), self._shown_pixmap)

    def _start_drawing(self) -> None:
        """Start painting a new pixmap."""
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
        """Return all steps of painting the map."""
        picture, treemap, style = self.picture, self._treemap, self.map_style
        if picture is None or treemap is None or not treemap.is_shown.any():
            return iter(())
        colors = self._box_colors
        if colors is None or not colors.is_current_for(picture, self.palette()):
            self._box_colors = colors = BoxColors(picture, self.palette())
        map_painter = MapPainter(
            picture.tree,
            compute_geometry(picture.tree, treemap),
            colors,
            self.matches,
            border=style.border,
            shading=style.shading,
        )
        metrics = QFontMetricsF(self.font())
        labels = MapLabels(picture, style, metrics)
        has_tags = style.show_names and not style.headers  # a header already names a large box
        tags = MapTags(picture, metrics, self.palette()) if has_tags else None
        return map_painter.steps(labels, tags, ratio)

    # ---------------------------------------------------------------- zoom and keys

    def zoom_to(self, box: int) -> None:
        tree = self.tree
        if tree is None or box == self.zoom_root or not 0 <= box < len(tree):
            return
        if not self.is_drawn_box(box):
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

    def zoom_out(self) -> None:
        """Zoom out to the nearest ancestor that is noticeably larger."""
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
        min_share = self._min_area() / max(1.0, size.width() * size.height())
        large = (b for b in tree.path(box) if tree.width[b] * min_share <= tree.width[box])
        self.zoom_to(next(large, box))

    def keyboard_box(self) -> int:
        return self.current if self._is_shown(self.current) else self.zoom_root

    def adjacent_box(self, box: int, key: int) -> int:
        """Return the adjacent box, limited to shown boxes; siblings are in order of cost."""
        if not self._is_shown(box):
            return self.zoom_root
        adjacent = self._neighbour(box, key)
        return adjacent if self._is_shown(adjacent) else box

    def _neighbour(self, box: int, key: int) -> int:
        tree = self.tree
        if tree is None:
            return box
        if key == Qt.Key.Key_Up:
            return max(0, int(tree.parent[box])) if box != self.zoom_root else box
        if key == Qt.Key.Key_Down:
            children = tree.children_of(box)
            return children[0] if len(children) else box
        sibling = box + (1 if key == Qt.Key.Key_Right else -1)
        if box == self.zoom_root or not 0 <= sibling < len(tree):
            return box
        return sibling if tree.parent[sibling] == tree.parent[box] else box

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
