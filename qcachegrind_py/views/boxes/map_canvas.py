"""A call map (treemap): a box has the share of the picture that its cost has in the whole.

The picture is drawn once, into a pixmap, and again when something has changed; until that is done
the one before is shown, stretched where the window has another size by now. Which boxes there are
`nesting` knows, where they lie `rectangles`, and how they look `map_painting`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from time import perf_counter

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

from qcachegrind_py.analysis.calls.treemap import TreemapLayout, layout_treemap
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.map_geometry import compute_geometry, inset_frames
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_painter import BoxColors, MapPainter, PaintStep
from qcachegrind_py.views.boxes.map_tags import MapTags
from qcachegrind_py.views.boxes.painting_style import BoxStyle, MapStyle
from qcachegrind_py.views.common.picture_canvas import WHEEL_NOTCH

_RELAYOUT_DELAY = 50  # ms without another size, after which boxes are laid out anew
_TIME_SLICE = 0.03  # seconds of drawing, after which the window has its turn
_MIN_AREA = 16.0  # square pixels: of smaller boxes nothing is seen, and they take long
_NOTICEABLY_LARGER = 1.001  # times: what is not is as large to the eye
_FRAME_WIDTH = 2.0  # pixels around what a box holds, and as many as lines are wide


class MapCanvas(BoxCanvas):
    """Shows one nesting as rectangles within each other; with Ctrl, the wheel zooms."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.map_style = MapStyle()
        self._treemap: TreemapLayout | None = None
        self._layout_size = QSizeF()  # of the viewport, when the boxes were laid out
        self._box_colors: BoxColors | None = None
        self._shown_pixmap = QPixmap()  # what is shown
        self._pending_pixmap = QPixmap()  # what is being drawn
        self._pending_steps: Iterator[PaintStep] | None = (
            None  # that are left to do; None: not begun
        )
        self._is_painting_screen = False
        self._wheel_angle = 0  # of a notch of the wheel
        self._relayout_timer = QTimer(self, singleShot=True, interval=_RELAYOUT_DELAY)
        self._relayout_timer.timeout.connect(self.lay_out)
        self._continue_timer = QTimer(self, singleShot=True, interval=0)
        self._continue_timer.timeout.connect(self._continue_drawing)

    def set_map_style(self, style: MapStyle) -> None:
        """Draw the same boxes otherwise."""
        self.map_style = style
        self.lay_out()

    def clear(self) -> None:
        super().clear()
        self._box_colors = None
        self._shown_pixmap = self._pending_pixmap = QPixmap()

    def set_box_style(self, look: BoxStyle) -> None:
        self.box_style = look
        self._restart_drawing()

    def set_matches(self, matches: BoolArray | None) -> None:
        self.matches = matches
        self._restart_drawing()

    # ---------------------------------------------------------------- where boxes are

    def lay_out(self) -> None:
        """Find where the boxes are; they are drawn when the map is seen next."""
        self._relayout_timer.stop()
        self._layout_size = QSizeF(self.viewport().size())
        self._treemap = self._compute_treemap()
        self._restart_drawing()

    def _compute_treemap(self) -> TreemapLayout | None:
        if self.tree is None or not len(self.tree):
            return None
        style = self.map_style
        places = layout_treemap(
            self.tree,
            self._layout_size.width(),
            self._layout_size.height(),
            root=self.zoom_root,
            split=style.split,
            min_area=self._min_area(),
            rotate=style.rotate,
        )
        if not style.border:
            return places
        line = QFontMetricsF(self.font()).height()
        return inset_frames(places, self.tree, _FRAME_WIDTH + style.border, line + style.border)

    def _min_area(self) -> float:
        return max(_MIN_AREA, self.map_style.min_area)

    def box_at(self, place: QPointF) -> int:
        if self._treemap is None:
            return -1
        across, down = self._stretch_factors()
        return self._treemap.box_at(place.x() / across, place.y() / down)

    def box_rect(self, box: int) -> QRectF:
        places = self._treemap
        if places is None or not self._is_shown(box):
            return QRectF()
        across, down = self._stretch_factors()
        x, y = float(places.x[box]) * across, float(places.y[box]) * down
        return QRectF(x, y, float(places.width[box]) * across, float(places.height[box]) * down)

    def _is_shown(self, box: int) -> bool:
        places = self._treemap
        return places is not None and 0 <= box < len(places.is_shown) and bool(places.is_shown[box])

    def _stretch_factors(self) -> tuple[float, float]:
        """How many times wider and higher the viewport is than when boxes were laid out."""
        now, then = self.viewport().size(), self._layout_size
        across = now.width() / then.width() if then.width() else 0.0
        down = now.height() / then.height() if then.height() else 0.0
        return across or 1.0, down or 1.0

    # ---------------------------------------------------------------- drawing

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is that of now."""
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
        """Put the picture on the screen."""
        if self._stretch_factors() == (1.0, 1.0):
            painter.drawPixmap(0, 0, self._shown_pixmap)
        elif not self._shown_pixmap.isNull():
            painter.drawPixmap(self.viewport().rect(), self._shown_pixmap)

    def _start_drawing(self) -> None:
        """Draw anew."""
        ratio = self.devicePixelRatioF()
        pixels = self._layout_size * ratio
        self._pending_pixmap = QPixmap(max(1, ceil(pixels.width())), max(1, ceil(pixels.height())))
        self._pending_pixmap.setDevicePixelRatio(ratio)
        self._pending_pixmap.fill(self.palette().color(QPalette.ColorRole.Base))
        self._pending_steps = self._create_steps(ratio)
        self._draw_time_slice()

    def _draw_time_slice(self) -> None:
        """Draw for as long as a window may stand still; what is left is done later."""
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
            self._shown_pixmap = self._pending_pixmap

    def _continue_drawing(self) -> None:
        self._draw_time_slice()
        self.viewport().update()

    def _create_steps(self, ratio: float) -> Iterator[PaintStep]:
        """All that is to be drawn."""
        nesting, look, places, style = self.tree, self.box_style, self._treemap, self.map_style
        if nesting is None or look is None or places is None or not places.is_shown.any():
            return iter(())
        if self._box_colors is None or not self._box_colors.is_current_for(look, self.palette()):
            self._box_colors = BoxColors(look, self.palette())
        painting = MapPainter(
            nesting,
            compute_geometry(nesting, places),
            self._box_colors,
            self.matches,
            border=style.border,
            shading=style.shading,
        )
        metrics = QFontMetricsF(self.font())
        labels = MapLabels(nesting, look, style, metrics)
        tags = MapTags(nesting, look, metrics, self.palette()) if style.show_names else None
        return painting.steps(labels, tags, ratio)

    # ---------------------------------------------------------------- zoom and keys

    def zoom_to(self, box: int) -> None:
        nesting = self.tree
        if nesting is None or box == self.zoom_root or not 0 <= box < len(nesting):
            return
        self.zoom_root = box
        self.lay_out()
        self.current_changed.emit()

    def zoom_out(self) -> None:
        """Let the next box around have the room that is larger to the eye."""
        nesting, box = self.tree, self.zoom_root
        if nesting is not None and len(nesting):
            least = float(nesting.width[box]) * _NOTICEABLY_LARGER
            while box > 0 and nesting.width[box] < least:
                box = int(nesting.parent[box])
            self.zoom_to(box)

    def _zoom_towards(self, box: int) -> None:
        """Let the next smaller box have the room, on the way to this one."""
        if self.tree is None or box < 0:
            return
        way, width = self.tree.path(box), self.tree.width
        inside = way[way.index(self.zoom_root) :]
        smaller = (b for b in inside if width[b] * _NOTICEABLY_LARGER <= width[self.zoom_root])
        self.zoom_to(next(smaller, box))

    def show_box(self, box: int) -> None:
        """Zoom as far as it takes to show the box."""
        nesting, size = self.tree, self._layout_size
        if nesting is None or self._is_shown(box):
            return
        least = self._min_area() / max(1.0, size.width() * size.height())
        large = (b for b in nesting.path(box) if nesting.width[b] * least <= nesting.width[box])
        self.zoom_to(next(large, box))

    def keyboard_box(self) -> int:
        return self.current if self._is_shown(self.current) else self.zoom_root

    def adjacent_box(self, box: int, key: int) -> int:
        """Boxes that are not shown are no way: siblings are in order of cost."""
        if not self._is_shown(box):
            return self.zoom_root
        beside = super().adjacent_box(box, key)
        return beside if self._is_shown(beside) else box

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
