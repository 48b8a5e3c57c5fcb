"""A small picture of the whole diagram in a corner, with a draggable frame of the visible part."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QWidget

from qcachegrind_py.views.graph.zoomable_view import ZoomableView

_CANVAS_FRACTION = 0.26  # of the canvas size, in both directions
_CORNER_GAP = 8  # pixels to the edges of the canvas
_DRAWING_DELAY = 20  # ms: drawing 250 functions takes 20 ms, after the picture itself is shown
_ROUNDING_TOLERANCE = 3  # pixels, because screen positions are rounded
_MIN_SIZE = 60  # pixels: a smaller canvas has no overview


class Corner(Enum):
    """The corner of the overview."""

    AUTOMATIC = "automatic"  # the corner that covers the fewest nodes
    TOP_LEFT = "top left"
    TOP_RIGHT = "top right"
    BOTTOM_LEFT = "bottom left"
    BOTTOM_RIGHT = "bottom right"
    HIDDEN = "hidden"


_CORNERS = (Corner.TOP_LEFT, Corner.TOP_RIGHT, Corner.BOTTOM_LEFT, Corner.BOTTOM_RIGHT)


class DiagramOverview(QWidget):
    """The overview of a canvas, visible only while the diagram is larger than the canvas."""

    def __init__(self, canvas: ZoomableView) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._nodes: Sequence[QGraphicsItem] = ()
        self._pixmap = QPixmap()
        self._area = QRectF()
        self._corner = Corner.AUTOMATIC
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.setToolTip("Overview: drag the frame to move")
        self._drawing_timer = QTimer(self, singleShot=True, interval=_DRAWING_DELAY)
        self._drawing_timer.timeout.connect(self._draw_pixmap)
        self.hide()

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is up to date."""
        return not self._drawing_timer.isActive()

    def set_corner(self, corner: Corner) -> None:
        """Move to a corner."""
        self._corner = corner
        self.update_position()

    def schedule_drawing(self, nodes: Sequence[QGraphicsItem]) -> None:
        """Draw the scene of these nodes again, once, after a short delay."""
        self._nodes = nodes
        self._pixmap = QPixmap()
        self.hide()
        self._drawing_timer.start()

    def _draw_pixmap(self) -> None:
        canvas = self._canvas
        if (
            not self._nodes
            or min(canvas.width(), canvas.height()) * _CANVAS_FRACTION < _MIN_SIZE / 2
        ):
            return
        self._area = canvas.content_area()
        max_size = canvas.viewport().size() * _CANVAS_FRACTION
        size = self._area.size().scaled(max_size, Qt.AspectRatioMode.KeepAspectRatio).toSize()
        size = size.expandedTo(QSize(16, 16))
        ratio = self.devicePixelRatioF()
        self._pixmap = QPixmap(size * ratio)
        self._pixmap.setDevicePixelRatio(ratio)
        self._pixmap.fill(canvas.palette().color(QPalette.ColorRole.Window))
        painter = QPainter(self._pixmap)
        canvas.scene().render(painter, QRectF(QPointF(), size), self._area)
        painter.end()
        self.resize(size)
        self.update_position()

    def update_position(self) -> None:
        """Move to the corner; the automatic one is chosen once for each picture."""
        if not self._pixmap.isNull():
            self.move(self._best_position())
        self.update_frame()

    def update_frame(self) -> None:
        """Move the frame to the visible part of the canvas."""
        canvas = self._canvas
        if self._pixmap.isNull():
            self.hide()
            return
        slack = _ROUNDING_TOLERANCE / canvas.zoom
        visible = canvas.visible_area().adjusted(-slack, -slack, slack, slack)
        self.setVisible(self._corner is not Corner.HIDDEN and not visible.contains(self._area))
        self.update()

    def _best_position(self) -> QPoint:
        corners = _CORNERS if self._corner is Corner.AUTOMATIC else (self._corner,)
        return min(map(self._corner_position, corners), key=self._covered_nodes)

    def _corner_position(self, corner: Corner) -> QPoint:
        area = (
            self._canvas.viewport()
            .rect()
            .adjusted(_CORNER_GAP, _CORNER_GAP, -_CORNER_GAP, -_CORNER_GAP)
        )
        is_left = corner in (Corner.TOP_LEFT, Corner.BOTTOM_LEFT)
        is_top = corner in (Corner.TOP_LEFT, Corner.TOP_RIGHT)
        x = area.left() if is_left else area.right() - self.width()
        return QPoint(x, area.top() if is_top else area.bottom() - self.height())

    def _covered_nodes(self, position: QPoint) -> int:
        """Return how many nodes the overview would cover at this position."""
        area = self.rect().translated(position)
        nodes = self._nodes
        return sum(area.contains(self._canvas.mapFromScene(node.pos())) for node in nodes)

    def _center_on(self, position: QPointF) -> None:
        across, down = position.x() / self.width(), position.y() / self.height()
        area = self._area
        self._canvas.centerOn(
            area.left() + across * area.width(), area.top() + down * area.height()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._center_on(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._center_on(event.position())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._pixmap)
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
