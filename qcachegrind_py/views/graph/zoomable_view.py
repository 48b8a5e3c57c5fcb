"""A scene that is panned with the mouse, and zoomed from 5 % to 400 %. It does not fill it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView

from qcachegrind_py.views.common.picture_canvas import NOTCH, STEP

LEAST_ZOOM, MOST_ZOOM = 0.05, 4.0
_LEAST_FIRST = 0.85  # a new scene is not made smaller than this to fit in
_MARGIN = 24.0


class ZoomableView(QGraphicsView):
    """Dragging pans, Ctrl and the wheel zoom around the mouse, as two fingers do."""

    moved = Signal()  # another stretch of the scene is in sight

    def __init__(self) -> None:
        super().__init__()
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        for hide in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            hide(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # they would be of the empty room around
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self._pressed: QPoint | None = None
        self._is_panning = False
        self.is_fitted = False  # everything was shown, and the user did not move since

    # ---------------------------------------------------------------- zoom

    def whole_area(self) -> QRectF:
        """Where all items are in the scene, with a margin."""
        area = self.scene().itemsBoundingRect()
        return area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    @property
    def zoom(self) -> float:
        """How large a pixel of the scene is on the screen."""
        return self.transform().m11()

    def zoom_by(self, factor: float, place: QPointF | None = None) -> None:
        """Zoom around a place of the viewport, or around its middle."""
        fixed = (place if place is not None else QPointF(self.viewport().rect().center())).toPoint()
        before = self.mapToScene(fixed)
        self._set_zoom(self.zoom * factor)
        self.move_from(self.mapFromScene(before), fixed)
        self.is_fitted = False
        self.moved.emit()

    def fit(self) -> None:
        """Show everything, at most in its own size."""
        self._set_zoom(min(1.0, self._fitting()))
        self.centerOn(self.whole_area().center())
        self.is_fitted = True
        self.moved.emit()

    def show_in_own_size(self) -> None:
        """Zoom to 100 %."""
        self.zoom_by(1.0 / self.zoom)

    def zoom_first(self) -> None:
        """Fit a new scene in, but only as long as it can be read."""
        self._set_zoom(min(1.0, max(_LEAST_FIRST, self._fitting())))

    def _fitting(self) -> float:
        area, seen = self.whole_area(), self.viewport().size()
        return min(seen.width() / area.width(), seen.height() / area.height())

    def _set_zoom(self, zoom: float) -> None:
        zoom = min(MOST_ZOOM, max(LEAST_ZOOM, zoom))
        self.resetTransform()
        self.scale(zoom, zoom)
        self.allow_any_place()

    # ---------------------------------------------------------------- place

    def allow_any_place(self) -> None:
        """Let everything be scrolled to the middle, so that a node can keep its place."""
        wide, high = self.viewport().width() / self.zoom, self.viewport().height() / self.zoom
        self.setSceneRect(self.whole_area().adjusted(-wide, -high, wide, high))

    def seen_area(self) -> QRectF:
        """What of the scene is in sight."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def center_around(self, place: QPointF) -> None:
        """Show this place, as near to the middle as it can be with no empty room at the edges."""
        area, seen = self.whole_area(), self.seen_area()
        self.centerOn(
            _within(place.x(), area.left(), area.right(), seen.width()),
            _within(place.y(), area.top(), area.bottom(), seen.height()),
        )

    def move_from(self, origin: QPoint, to: QPoint) -> None:
        """Scroll so that what is at one place of the viewport comes to another."""
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + origin.x() - to.x())
        down.setValue(down.value() + origin.y() - to.y())

    def clicked(self, place: QPoint) -> None:
        """Do what a click does at this place of the viewport."""

    # ---------------------------------------------------------------- Qt's events

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802
        super().scrollContentsBy(dx, dy)
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.moved.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._is_panning = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._pressed is None:
            return
        place = event.position().toPoint()
        far = (place - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._is_panning or far:
            self._is_panning, self.is_fitted = True, False
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.move_from(self._pressed, place)
            self._pressed = place

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        is_click = self._pressed is not None and not self._is_panning
        self._pressed, self._is_panning = None, False
        if is_click and event.button() == Qt.MouseButton.LeftButton:
            self.clicked(event.position().toPoint())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(STEP ** (event.angleDelta().y() / NOTCH), event.position())
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


def _within(place: float, start: float, end: float, seen: float) -> float:
    """The middle of what is seen: the place, but not so near to an end that empty room is seen."""
    if end - start <= seen:
        return (start + end) / 2
    return min(max(place, start + seen / 2), end - seen / 2)
