"""Plots and their areas: where the mouse is, what it clicks, and pens.

Importing pyqtgraph takes 0.3 s.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPen


def thin_pen(color: QColor, width: int = 1, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen of this width in pixels, however far the plot is zoomed."""
    pen = QPen(color, width, style)
    pen.setCosmetic(True)
    return pen


_BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Ignores other mouse buttons, such as Back: pyqtgraph raises an error when they drag."""

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() in _BUTTONS:
            super().mousePressEvent(event)


class PlotArea(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """The wheel zooms along x. Points are in the units of the plot."""

    clicked = Signal(QPointF, bool)  # whether Ctrl was pressed
    double_clicked = Signal(QPointF)
    menu_requested = Signal(QPointF, object)  # and the QPoint on the screen
    hovered = Signal(object)  # QPointF; None when the mouse has left

    def __init__(self, **options: Any) -> None:
        super().__init__(enableMenu=False, **options)
        self.setMouseEnabled(x=True, y=False)

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        position = self.point_at(event.pos())
        event.accept()
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(position, event.screenPos().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton and event.double():
            self.double_clicked.emit(position)
        elif event.button() == Qt.MouseButton.LeftButton:
            control = Qt.KeyboardModifier.ControlModifier
            self.clicked.emit(position, bool(event.modifiers() & control))

    def hoverEvent(self, event: Any) -> None:  # noqa: N802
        self.hovered.emit(None if event.isExit() else self.point_at(event.pos()))

    def point_at(self, pixel: QPointF) -> QPointF:
        mapped: QPointF = self.mapToView(pixel)
        return mapped
