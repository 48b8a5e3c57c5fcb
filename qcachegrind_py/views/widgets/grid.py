"""The grid on which everything in the window stands: margins, gaps and paddings."""

from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtGui import QFontMetrics, QGuiApplication

_FINEST = 4  # pixels; a half step within cells stays a whole number of them


def grid(steps: float = 1) -> int:
    """Return a distance in pixels: a step is half a line of the application's font.

    It is 8 pixels for the default font, and always a multiple of four.
    """
    line = QFontMetrics(QGuiApplication.font()).height()
    step = max(_FINEST, round(line / 2 / _FINEST) * _FINEST)
    return round(steps * step)


def around(steps: float) -> QMargins:
    """Return the same distance on all four sides."""
    distance = grid(steps)
    return QMargins(distance, distance, distance, distance)
