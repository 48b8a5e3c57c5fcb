"""The grid on which everything in the window stands: margins, gaps and paddings."""

from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication

_FINEST = 4  # pixels; a half step within cells stays a whole number of them


def grid(steps: float = 1) -> int:
    """Return a distance in pixels: a step is half a line of the application's font.

    It is 8 pixels for the default font, and always a multiple of four.
    """
    font = QGuiApplication.font()
    if font != _measured.font:
        line = QFontMetrics(font).height()
        _measured.font, _measured.step = font, max(_FINEST, round(line / 2 / _FINEST) * _FINEST)
    return round(steps * _measured.step)


class _Measured:
    """The step in a font; every cell of a list asks for it several times."""

    font: QFont | None = None
    step = 0


_measured = _Measured()


def around(steps: float) -> QMargins:
    """Return the same distance on all four sides."""
    distance = grid(steps)
    return QMargins(distance, distance, distance, distance)
