"""What the canvases of pictures have in common: tips, a menu, the veil over what is outdated."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QToolTip

ZOOM_STEP = 1.25  # of zoom, for a key or a notch of the wheel
WHEEL_NOTCH = 120  # what Qt says of a notch, in eighths of a degree
_STALE_OPACITY = 150  # of 255


class CanvasMenu:
    """The context menu of a canvas. It names what is drawn, so it closes with the picture."""

    def __init__(self, canvas: QAbstractScrollArea) -> None:
        self._canvas = canvas
        self._menu: QMenu | None = None  # while it is open

    def open(self, position: QPoint, fill: Callable[[QMenu], None]) -> None:
        """Show what `fill` offers, at a place of the screen; blocks until it is closed."""
        self._menu = menu = QMenu(self._canvas)
        menu.setToolTipsVisible(True)
        fill(menu)
        menu.exec(position)
        self._menu = None
        menu.deleteLater()

    def close(self) -> None:
        """Close it, if it is open."""
        if self._menu is not None:
            self._menu.close()


def show_tooltip(
    canvas: QAbstractScrollArea, event: QEvent, text_at: Callable[[QPoint], str]
) -> bool:
    """Show the tip for a place of the viewport, if that is what the event asks for."""
    if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
        return False
    QToolTip.showText(event.globalPos(), text_at(event.pos()), canvas.viewport())
    return True


def paint_stale_overlay(painter: QPainter, area: QRectF | QRect, palette: QPalette) -> None:
    """Grey what is about to be replaced."""
    veil = QColor(palette.color(QPalette.ColorRole.Base))
    veil.setAlpha(_STALE_OPACITY)
    painter.fillRect(area, veil)
