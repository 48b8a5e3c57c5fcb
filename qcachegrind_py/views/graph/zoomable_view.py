"""A graphics view that pans with the mouse and zooms from 5 % to 400 %; subclasses fill it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView

from qcachegrind_py.views.common.pictures.canvas import WHEEL_NOTCH, ZOOM_STEP

MIN_ZOOM, MAX_ZOOM = 0.05, 4.0
_MIN_INITIAL_ZOOM = 0.85  # lower limit when a new scene is fitted
_MARGIN = 24.0  # pixels around the contents


class ZoomableView(QGraphicsView):
    """A view in which dragging pans, and Ctrl+wheel or a pinch zooms around the pointer."""

    viewport_changed = Signal()  # another part of the scene is visible

    def __init__(self) -> None:
        super().__init__()
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        for hide in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            hide(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # they would include the empty space around
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self._press_position: QPoint | None = None
        self._is_panning = False
        self.is_fitted = False  # the user has not moved since everything was fitted

    # ---------------------------------------------------------------- zoom

    def content_area(self) -> QRectF:
        """Return the area of all items in scene coordinates, with a margin."""
        area = self.scene().itemsBoundingRect()
        return area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    @property
    def zoom(self) -> float:
        """The zoom factor: screen pixels for each pixel of the scene."""
        return self.transform().m11()

    def zoom_by(self, factor: float, position: QPointF | None = None) -> None:
        """Zoom around a position in the viewport, or around its middle."""
        fixed = (
            position if position is not None else QPointF(self.viewport().rect().center())
        ).toPoint()
        before = self.mapToScene(fixed)
        self._set_zoom(self.zoom * factor)
        self.scroll_point_to(self.mapFromScene(before), fixed)
        self.is_fitted = False
        self.viewport_changed.emit()

    def fit(self) -> None:
        """Show everything, at a zoom of at most 100 %."""
        self._set_zoom(min(1.0, self._fitting_zoom()))
        self.centerOn(self.content_area().center())
        self.is_fitted = True
        self.viewport_changed.emit()

    def zoom_to_actual_size(self) -> None:
        """Zoom to 100 %."""
        self.zoom_by(1.0 / self.zoom)

    def zoom_initially(self) -> None:
        """Fit a new scene into the view as far as it stays readable."""
        self._set_zoom(min(1.0, max(_MIN_INITIAL_ZOOM, self._fitting_zoom())))

    def _fitting_zoom(self) -> float:
        area, visible = self.content_area(), self.viewport().size()
        return min(visible.width() / area.width(), visible.height() / area.height())

    def _set_zoom(self, zoom: float) -> None:
        zoom = min(MAX_ZOOM, max(MIN_ZOOM, zoom))
        self.resetTransform()
        self.scale(zoom, zoom)
        self.extend_scroll_range()

    # ---------------------------------------------------------------- position

    def extend_scroll_range(self) -> None:
        """Let all contents be scrolled to the middle, so that a node can keep its position."""
        wide, high = self.viewport().width() / self.zoom, self.viewport().height() / self.zoom
        self.setSceneRect(self.content_area().adjusted(-wide, -high, wide, high))

    def visible_area(self) -> QRectF:
        """Return the visible part of the scene."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def center_within_content(self, point: QPointF) -> None:
        """Show a point as near to the middle as possible without empty space at the edges."""
        area, visible = self.content_area(), self.visible_area()
        self.centerOn(
            _clamped_center(point.x(), area.left(), area.right(), visible.width()),
            _clamped_center(point.y(), area.top(), area.bottom(), visible.height()),
        )

    def scroll_point_to(self, origin: QPoint, target: QPoint) -> None:
        """Scroll the contents at viewport position `origin` to `target`."""
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + origin.x() - target.x())
        down.setValue(down.value() + origin.y() - target.y())

    def handle_click(self, position: QPoint) -> None:
        """Handle a click at a position in the viewport."""

    # ---------------------------------------------------------------- Qt's events

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802
        super().scrollContentsBy(dx, dy)
        self.viewport_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.viewport_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press_position, self._is_panning = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._press_position is None:
            return
        position = event.position().toPoint()
        far = (
            position - self._press_position
        ).manhattanLength() >= QApplication.startDragDistance()
        if self._is_panning or far:
            self._is_panning, self.is_fitted = True, False
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.scroll_point_to(self._press_position, position)
            self._press_position = position

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        is_click = self._press_position is not None and not self._is_panning
        self._press_position, self._is_panning = None, False
        if is_click and event.button() == Qt.MouseButton.LeftButton:
            self.handle_click(event.position().toPoint())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (event.angleDelta().y() / WHEEL_NOTCH), event.position())
            event.accept()
        else:
            super().wheelEvent(event)
            self.is_fitted = False

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        is_pinch = (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        )
        if is_pinch and isinstance(event, QNativeGestureEvent):
            self.zoom_by(1 + event.value(), event.position())
            return True
        return super().viewportEvent(event)


def _clamped_center(center: float, start: float, end: float, visible: float) -> float:
    """Return the nearest middle of the visible range that shows no empty space at the ends."""
    if end - start <= visible:
        return (start + end) / 2
    return min(max(center, start + visible / 2), end - visible / 2)
