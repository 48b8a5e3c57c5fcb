"""The plot area of the time line: what the mouse does on it."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal


class PlotArea(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Lanes of bars; lane n is between n and n + 1 from the top. The wheel zooms along them."""

    drag_moved = Signal(QPointF, QPointF)
    drag_finished = Signal(QPointF, QPointF)
    clicked = Signal(QPointF, bool)  # whether Ctrl was pressed
    double_clicked = Signal(QPointF)
    menu_requested = Signal(QPointF, object)  # and the QPoint on the screen
    hovered = Signal(object)  # QPointF; None when the mouse has left

    def __init__(self) -> None:
        super().__init__(enableMenu=False, invertY=True)
        self.setMouseEnabled(x=True, y=False)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        signal = self.drag_finished if event.isFinish() else self.drag_moved
        signal.emit(self._position(event.buttonDownPos()), self._position(event.pos()))

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        position = self._position(event.pos())
        event.accept()
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(position, event.screenPos().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton and event.double():
            self.double_clicked.emit(position)
        elif event.button() == Qt.MouseButton.LeftButton:
            control = Qt.KeyboardModifier.ControlModifier
            self.clicked.emit(position, bool(event.modifiers() & control))

    def hoverEvent(self, event: Any) -> None:  # noqa: N802
        self.hovered.emit(None if event.isExit() else self._position(event.pos()))

    def _position(self, point: QPointF) -> QPointF:
        mapped: QPointF = self.mapToView(point)
        return mapped
