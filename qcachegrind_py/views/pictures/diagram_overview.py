"""The overview in a corner of a diagram: all of it, with a draggable frame of the visible part."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.widgets.controls import Choice

_CANVAS_FRACTIONS = (0.4, 0.26)  # of the width and height of the canvas, at most
_SCALES = (1.0, 0.75, 0.55)  # of the full size, to fit into a free corner
_MOVE_DELAY = 150  # ms after the last scrolling until it makes way for boxes
_CORNER_GAP = 8  # pixels to the edges of the canvas
_DRAWING_DELAY = 20  # ms: drawing 250 functions takes 20 ms, after the picture itself is shown
_ROUNDING_TOLERANCE = 3  # pixels, because screen positions are rounded
_MIN_SIZE = 60  # pixels: a smaller canvas has no overview


class Corner(Enum):
    """The corner of the overview."""

    AUTOMATIC = "automatic"  # a corner without boxes
    TOP_LEFT = "top left"
    TOP_RIGHT = "top right"
    BOTTOM_LEFT = "bottom left"
    BOTTOM_RIGHT = "bottom right"
    HIDDEN = "hidden"


CORNER_CHOICE = Choice(
    "O&verview",
    "Position of the overview",
    tuple((corner.value, corner.value.capitalize()) for corner in Corner),
)
_CORNERS = (Corner.TOP_LEFT, Corner.TOP_RIGHT, Corner.BOTTOM_LEFT, Corner.BOTTOM_RIGHT)


class DiagramOverview(QWidget):
    """The overview of a canvas, visible only while a part of the diagram is out of sight."""

    def __init__(self, canvas: DiagramCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._pixmap = QPixmap()
        self._area = QRectF()
        self._full_size = QSize()
        self._has_place = True  # whether there is a corner for it
        self._is_dragged = False
        self._corner = Corner.AUTOMATIC
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.setToolTip("Overview: drag the frame to move")
        self._drawing_timer = QTimer(self, singleShot=True, interval=_DRAWING_DELAY)
        self._drawing_timer.timeout.connect(self._draw_pixmap)
        self._moving_timer = QTimer(self, singleShot=True, interval=_MOVE_DELAY)
        self._moving_timer.timeout.connect(self._make_way)
        canvas.redrawn.connect(self.schedule_drawing)
        canvas.moved.connect(self.update_frame)
        self.hide()

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is up to date, and in its place."""
        return not (self._drawing_timer.isActive() or self._moving_timer.isActive())

    def set_corner(self, corner: Corner) -> None:
        self._corner = corner
        self.update_position()

    def schedule_drawing(self) -> None:
        """Draw the diagram again, once, after a short delay."""
        self._pixmap = QPixmap()
        self.hide()
        self._drawing_timer.start()

    def _draw_pixmap(self) -> None:
        canvas = self._canvas
        if canvas.items is None or min(canvas.width(), canvas.height()) < _MIN_SIZE:
            return
        self._area = canvas.content_area()
        across, down = _CANVAS_FRACTIONS
        visible = canvas.viewport().size()
        max_size = QSizeF(visible.width() * across, visible.height() * down)
        size = self._area.size().scaled(max_size, Qt.AspectRatioMode.KeepAspectRatio).toSize()
        self._full_size = size = size.expandedTo(QSize(16, 16))
        ratio = self.devicePixelRatioF()
        self._pixmap = QPixmap(size * ratio)
        self._pixmap.setDevicePixelRatio(ratio)
        self._pixmap.fill(canvas.palette().color(QPalette.ColorRole.Window))
        painter = QPainter(self._pixmap)
        painter.scale(size.width() / self._area.width(), size.height() / self._area.height())
        painter.translate(-self._area.topLeft())
        canvas.items.paint(painter, canvas.palette(), canvas.fonts, self._area, is_overview=True)
        painter.end()
        self._has_place = False  # the place of the picture before means nothing
        self.update_position()

    def update_position(self) -> None:
        """Move to the corner; an automatic one stays for as long as no box comes below it."""
        if not self._pixmap.isNull():
            place = self._choose_place()
            self._has_place = place is not None
            if place is not None:
                self.setGeometry(place)
        self._update_visibility()

    def _make_way(self) -> None:
        if not self._is_dragged:
            self.update_position()

    def update_frame(self) -> None:
        """Move the frame to the visible part of the canvas, and soon make way for boxes."""
        if self._corner is Corner.AUTOMATIC and not self._pixmap.isNull():
            self._moving_timer.start()
        self._update_visibility()

    def _update_visibility(self) -> None:
        canvas = self._canvas
        if self._pixmap.isNull() or not self._has_place or self._corner is Corner.HIDDEN:
            self.hide()
            return
        slack = _ROUNDING_TOLERANCE / canvas.zoom
        visible = canvas.visible_area().adjusted(-slack, -slack, slack, slack)
        self.setVisible(canvas.items is not None and not visible.contains(canvas.items.bounds))
        self.update()

    def _choose_place(self) -> QRect | None:
        """Return the area for the overview in the canvas; None if each corner has boxes."""
        if self._corner is not Corner.AUTOMATIC:
            return self._place(self._corner, 1.0)
        boxes = self._visible_texts()
        places = [self._place(corner, scale) for scale in _SCALES for corner in _CORNERS]
        if self._has_place and self.geometry() in places:
            places.insert(0, self.geometry())
        return next((place for place in places if not any(map(place.intersects, boxes))), None)

    def _visible_texts(self) -> list[QRect]:
        """Return the areas of boxes and labels on the screen."""
        canvas, visible = self._canvas, self._canvas.viewport().rect()
        areas = [box.area for box in canvas.boxes] + [arrow.label for arrow in canvas.arrows]
        on_screen = (canvas.rect_on_screen(area).toAlignedRect() for area in areas)
        return [area for area in on_screen if area.intersects(visible)]

    def _place(self, corner: Corner, scale: float) -> QRect:
        size, gap = self._full_size * scale, _CORNER_GAP
        area = self._canvas.viewport().rect().adjusted(gap, gap, -gap, -gap)
        is_left = corner in (Corner.TOP_LEFT, Corner.BOTTOM_LEFT)
        is_top = corner in (Corner.TOP_LEFT, Corner.TOP_RIGHT)
        x = area.left() if is_left else area.right() - size.width()
        return QRect(QPoint(x, area.top() if is_top else area.bottom() - size.height()), size)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:  # noqa: N802
        self._is_dragged = False
        self.update_frame()

    def _center_on(self, position: QPointF) -> None:
        across, down = position.x() / self.width(), position.y() / self.height()
        area = self._area
        point = QPointF(area.left() + across * area.width(), area.top() + down * area.height())
        self._canvas.center_on(point)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._is_dragged = True
        self._center_on(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._center_on(event.position())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(self.rect(), self._pixmap)
        visible = self._canvas.visible_area()
        scale = self.width() / self._area.width()
        frame = QRectF((visible.topLeft() - self._area.topLeft()) * scale, visible.size() * scale)
        highlight = self.palette().color(QPalette.ColorRole.Highlight)
        tint = QColor(highlight)
        tint.setAlpha(40)
        painter.setPen(QPen(highlight, 1.5))
        painter.setBrush(tint)
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1)))
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
