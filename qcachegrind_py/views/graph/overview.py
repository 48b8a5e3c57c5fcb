"""The whole diagram, small in a corner: the frame is what is in sight, and can be dragged."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QWidget

from qcachegrind_py.views.graph.zoomable_view import ZoomableView

_CANVAS_FRACTION = 0.26  # of the canvas, in both directions
_CORNER_GAP = 8  # pixels from the corner
_DRAWING_DELAY = 20  # ms: to draw 250 functions once more takes 20, which can wait until then
_ROUNDING_TOLERANCE = 3  # pixels by which places on the screen are rounded
_MIN_SIZE = 60  # pixels: a smaller canvas has none


class Corner(Enum):
    """Where the overview is."""

    AUTOMATIC = "automatic"  # where the fewest nodes are
    TOP_LEFT = "top left"
    TOP_RIGHT = "top right"
    BOTTOM_LEFT = "bottom left"
    BOTTOM_RIGHT = "bottom right"
    HIDDEN = "hidden"


_CORNERS = (Corner.TOP_LEFT, Corner.TOP_RIGHT, Corner.BOTTOM_LEFT, Corner.BOTTOM_RIGHT)


class DiagramOverview(QWidget):
    """Seen only while the diagram is larger than the canvas."""

    def __init__(self, canvas: ZoomableView) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._nodes: Sequence[QGraphicsItem] = ()
        self._pixmap = QPixmap()
        self._area = QRectF()
        self._corner = Corner.AUTOMATIC
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.setToolTip("The whole graph: drag the frame")
        self._drawing_timer = QTimer(self, singleShot=True, interval=_DRAWING_DELAY)
        self._drawing_timer.timeout.connect(self._draw_pixmap)
        self.hide()

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is that of now."""
        return not self._drawing_timer.isActive()

    def set_corner(self, corner: Corner) -> None:
        """Stand in this corner."""
        self._corner = corner
        self.update_position()

    def schedule_drawing(self, nodes: Sequence[QGraphicsItem]) -> None:
        """Draw the scene of these nodes again, soon and once; after that only the frame moves."""
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
        room = canvas.viewport().size() * _CANVAS_FRACTION
        size = self._area.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio).toSize()
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
        """Go to the corner; the automatic one is chosen once for a picture, not at every move."""
        if not self._pixmap.isNull():
            self.move(self._best_position())
        self.update_frame()

    def update_frame(self) -> None:
        """Show where the canvas is."""
        canvas = self._canvas
        if self._pixmap.isNull():
            self.hide()
            return
        slack = _ROUNDING_TOLERANCE / canvas.zoom
        seen = canvas.visible_area().adjusted(-slack, -slack, slack, slack)
        self.setVisible(self._corner is not Corner.HIDDEN and not seen.contains(self._area))
        self.update()

    def _best_position(self) -> QPoint:
        corners = _CORNERS if self._corner is Corner.AUTOMATIC else (self._corner,)
        return min(map(self._corner_position, corners), key=self._covered_nodes)

    def _corner_position(self, corner: Corner) -> QPoint:
        room = (
            self._canvas.viewport()
            .rect()
            .adjusted(_CORNER_GAP, _CORNER_GAP, -_CORNER_GAP, -_CORNER_GAP)
        )
        is_left = corner in (Corner.TOP_LEFT, Corner.BOTTOM_LEFT)
        is_top = corner in (Corner.TOP_LEFT, Corner.TOP_RIGHT)
        x = room.left() if is_left else room.right() - self.width()
        return QPoint(x, room.top() if is_top else room.bottom() - self.height())

    def _covered_nodes(self, position: QPoint) -> int:
        """How many nodes would be covered there."""
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
        seen = self._canvas.visible_area()
        scale = self.width() / self._area.width()
        frame = QRectF((seen.topLeft() - self._area.topLeft()) * scale, seen.size() * scale)
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
