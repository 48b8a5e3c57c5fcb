"""Shared parts of picture canvases: hovering, tooltips, context menu, overlay for old content."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QToolTip

from qcachegrind_py.views.common.buttons import open_context_menu

ZOOM_STEP = 1.25  # zoom factor for one key press or one notch of the wheel
WHEEL_NOTCH = 120  # one notch in Qt's wheel events, in eighths of a degree
_STALE_OPACITY = 150  # of 255


class CanvasMenu:
    """The context menu of a canvas. Its items refer to the picture, so it closes with it."""

    def __init__(self, canvas: QAbstractScrollArea) -> None:
        self._canvas = canvas
        self._menu: QMenu | None = None  # while it is open

    def open(self, position: QPoint, fill: Callable[[QMenu], None]) -> None:
        """Show the menu that `fill` builds at a screen position; blocks until it is closed."""
        self._menu = menu = QMenu(self._canvas)
        menu.setToolTipsVisible(True)
        fill(menu)
        open_context_menu(menu, position)
        self._menu = None

    def close(self) -> None:
        """Close the menu if it is open."""
        if self._menu is not None:
            self._menu.close()


def show_tooltip(
    canvas: QAbstractScrollArea, event: QEvent, text_at: Callable[[QPoint], str]
) -> bool:
    """Show a tooltip if `event` is a tooltip event; return whether it was.

    `text_at` gives the text for a position in the viewport.
    """
    if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
        return False
    QToolTip.showText(event.globalPos(), text_at(event.pos()), canvas.viewport())
    return True


def hover_position(event: QEvent) -> QPointF | None:
    """Return where the mouse hovers over the viewport after an event; (-1, -1) if it has left.

    None if the event changes nothing, as moving with a pressed button does: that is dragging.
    """
    if event.type() == QEvent.Type.Leave:
        return QPointF(-1, -1)
    if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
        return event.position() if event.buttons() == Qt.MouseButton.NoButton else None
    return None


def paint_stale_overlay(painter: QPainter, area: QRectF | QRect, palette: QPalette) -> None:
    """Grey outdated content with a translucent overlay."""
    veil = QColor(palette.color(QPalette.ColorRole.Base))
    veil.setAlpha(_STALE_OPACITY)
    painter.fillRect(area, veil)
