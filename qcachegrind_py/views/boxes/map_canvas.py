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
from qcachegrind_py.views.boxes.map_geometry import framed, map_geometry
from qcachegrind_py.views.boxes.map_labels import MapLabels
from qcachegrind_py.views.boxes.map_painter import Fills, MapPainting, Step
from qcachegrind_py.views.boxes.map_tags import MapTags
from qcachegrind_py.views.boxes.painting_style import BoxLook, MapStyle
from qcachegrind_py.views.common.picture_canvas import NOTCH

_QUIET = 50  # ms without another size, after which boxes are laid out anew
_AT_ONCE = 0.03  # seconds of drawing, after which the window has its turn
_LEAST_AREA = 16.0  # square pixels: of smaller boxes nothing is seen, and they take long
_LARGER = 1.001  # times: what is not is as large to the eye
_FRAME = 2.0  # pixels around what a box holds, and as many as lines are wide


class MapCanvas(BoxCanvas):
    """Shows one nesting as rectangles within each other; with Ctrl, the wheel zooms."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.map_style = MapStyle()
        self._places: TreemapLayout | None = None
        self._size = QSizeF()  # of the viewport, when the boxes were laid out
        self._fills: Fills | None = None
        self._picture = QPixmap()  # what is shown
        self._next = QPixmap()  # what is being drawn
        self._steps: Iterator[Step] | None = None  # that are left to do; None: not begun
        self._is_on_screen = False
        self._turned = 0  # of a notch of the wheel
        self._quiet = QTimer(self, singleShot=True, interval=_QUIET)
        self._quiet.timeout.connect(self.lay_out)
        self._going_on = QTimer(self, singleShot=True, interval=0)
        self._going_on.timeout.connect(self._go_on)

    def set_style(self, style: MapStyle) -> None:
        """Draw the same boxes otherwise."""
        self.map_style = style
        self.lay_out()

    def clear(self) -> None:
        super().clear()
        self._fills = None
        self._picture = self._next = QPixmap()

    def set_look(self, look: BoxLook) -> None:
        self.look = look
        self._draw_again()

    def set_matches(self, matches: BoolArray | None) -> None:
        self.matches = matches
        self._draw_again()

    # ---------------------------------------------------------------- where boxes are

    def lay_out(self) -> None:
        """Find where the boxes are; they are drawn when the map is seen next."""
        self._quiet.stop()
        self._size = QSizeF(self.viewport().size())
        self._places = self._found_places()
        self._draw_again()

    def _found_places(self) -> TreemapLayout | None:
        if self.nesting is None or not len(self.nesting):
            return None
        style = self.map_style
        places = layout_treemap(
            self.nesting,
            self._size.width(),
            self._size.height(),
            root=self.zoomed,
            split=style.split,
            min_area=self._least_area(),
            rotate=style.rotate,
        )
        if not style.border:
            return places
        line = QFontMetricsF(self.font()).height()
        return framed(places, self.nesting, _FRAME + style.border, line + style.border)

    def _least_area(self) -> float:
        return max(_LEAST_AREA, self.map_style.least_area)

    def box_at(self, place: QPointF) -> int:
        if self._places is None:
            return -1
        across, down = self._stretched()
        return self._places.box_at(place.x() / across, place.y() / down)

    def area_of(self, box: int) -> QRectF:
        places = self._places
        if places is None or not self._is_shown(box):
            return QRectF()
        across, down = self._stretched()
        x, y = float(places.x[box]) * across, float(places.y[box]) * down
        return QRectF(x, y, float(places.width[box]) * across, float(places.height[box]) * down)

    def _is_shown(self, box: int) -> bool:
        places = self._places
        return places is not None and 0 <= box < len(places.is_shown) and bool(places.is_shown[box])

    def _stretched(self) -> tuple[float, float]:
        """How many times wider and higher the viewport is than when boxes were laid out."""
        now, then = self.viewport().size(), self._size
        across = now.width() / then.width() if then.width() else 0.0
        down = now.height() / then.height() if then.height() else 0.0
        return across or 1.0, down or 1.0

    # ---------------------------------------------------------------- drawing

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is that of now."""
        return self._steps is not None and not self._going_on.isActive()

    def _draw_again(self) -> None:
        self._steps = None
        self._going_on.stop()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._steps is None or self._next.devicePixelRatioF() != self.devicePixelRatioF():
            self._begin()
        self._is_on_screen = True
        super().paintEvent(event)
        self._is_on_screen = False

    def paint_boxes(self, painter: QPainter) -> None:
        if self._is_on_screen:
            self._show(painter)
            return
        if self._quiet.isActive():
            self.lay_out()
        for step in self._made_steps(1.0):
            step(painter)

    def _show(self, painter: QPainter) -> None:
        """Put the picture on the screen."""
        if self._stretched() == (1.0, 1.0):
            painter.drawPixmap(0, 0, self._picture)
        elif not self._picture.isNull():
            painter.drawPixmap(self.viewport().rect(), self._picture)

    def _begin(self) -> None:
        """Draw anew."""
        ratio = self.devicePixelRatioF()
        pixels = self._size * ratio
        self._next = QPixmap(max(1, ceil(pixels.width())), max(1, ceil(pixels.height())))
        self._next.setDevicePixelRatio(ratio)
        self._next.fill(self.palette().color(QPalette.ColorRole.Base))
        self._steps = self._made_steps(ratio)
        self._draw()

    def _draw(self) -> None:
        """Draw for as long as a window may stand still; what is left is done later."""
        end = perf_counter() + _AT_ONCE
        painter = QPainter(self._next)
        painter.setFont(self.font())
        for step in self._steps or ():
            step(painter)
            if perf_counter() > end:
                self._going_on.start()
                break
        painter.end()
        if self.is_drawn:
            self._picture = self._next

    def _go_on(self) -> None:
        self._draw()
        self.viewport().update()

    def _made_steps(self, ratio: float) -> Iterator[Step]:
        """All that is to be drawn."""
        nesting, look, places, style = self.nesting, self.look, self._places, self.map_style
        if nesting is None or look is None or places is None or not places.is_shown.any():
            return iter(())
        if self._fills is None or not self._fills.is_of(look, self.palette()):
            self._fills = Fills(look, self.palette())
        painting = MapPainting(
            nesting,
            map_geometry(nesting, places),
            self._fills,
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
        nesting = self.nesting
        if nesting is None or box == self.zoomed or not 0 <= box < len(nesting):
            return
        self.zoomed = box
        self.lay_out()
        self.current_changed.emit()

    def zoom_out(self) -> None:
        """Let the next box around have the room that is larger to the eye."""
        nesting, box = self.nesting, self.zoomed
        if nesting is not None and len(nesting):
            least = float(nesting.width[box]) * _LARGER
            while box > 0 and nesting.width[box] < least:
                box = int(nesting.parent[box])
            self.zoom_to(box)

    def _zoom_towards(self, box: int) -> None:
        """Let the next smaller box have the room, on the way to this one."""
        if self.nesting is None or box < 0:
            return
        way, width = self.nesting.path(box), self.nesting.width
        inside = way[way.index(self.zoomed) :]
        smaller = (b for b in inside if width[b] * _LARGER <= width[self.zoomed])
        self.zoom_to(next(smaller, box))

    def show_box(self, box: int) -> None:
        """Zoom as far as it takes to show the box."""
        nesting, size = self.nesting, self._size
        if nesting is None or self._is_shown(box):
            return
        least = self._least_area() / max(1.0, size.width() * size.height())
        large = (b for b in nesting.path(box) if nesting.width[b] * least <= nesting.width[box])
        self.zoom_to(next(large, box))

    def box_for_keys(self) -> int:
        return self.current if self._is_shown(self.current) else self.zoomed

    def box_beside(self, box: int, key: int) -> int:
        """Boxes that are not shown are no way: siblings are in order of cost."""
        if not self._is_shown(box):
            return self.zoomed
        beside = super().box_beside(box, key)
        return beside if self._is_shown(beside) else box

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        if self._picture.isNull():
            super().resizeEvent(event)
        else:
            self._quiet.start()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        event.accept()
        self._turned += event.angleDelta().y()
        if self._turned >= NOTCH:
            self._zoom_towards(self.box_at(event.position()))
        elif self._turned <= -NOTCH:
            self.zoom_out()
        if abs(self._turned) >= NOTCH:
            self._turned = 0
