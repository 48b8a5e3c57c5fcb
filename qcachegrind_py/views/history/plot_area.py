"""The plot area of the chart: what the mouse does on it. It imports pyqtgraph: 0.3 s."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal


class ChartArea(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Revision n is at x = n. The wheel zooms along the revisions, dragging moves them."""

    clicked = Signal(QPointF)
    double_clicked = Signal(QPointF)
    menu_requested = Signal(QPointF, object)  # and the QPoint on the screen
    hovered = Signal(object)  # QPointF; None when the mouse has left

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=True, y=False)

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        position = self._position(event.pos())
        event.accept()
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(position, event.screenPos().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton and event.double():
            self.double_clicked.emit(position)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(position)

    def hoverEvent(self, event: Any) -> None:  # noqa: N802
        self.hovered.emit(None if event.isExit() else self._position(event.pos()))

    def _position(self, point: QPointF) -> QPointF:
        mapped: QPointF = self.mapToView(point)
        return mapped


class Points(pg.ScatterPlotItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Points that leave clicks on them to the plot area."""

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        event.ignore()
