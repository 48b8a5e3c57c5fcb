"""Numbers with the bars at their right: where both stand in a cell, and how bars look.

A number is right-aligned in a room that is as wide as the widest number of the column. The bar of
its cost begins behind that room, so that nothing is ever written across a bar.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette

from qcachegrind_py.views.widgets.colors import (
    RowGround,
    bar_color,
    blended,
    change_color,
    event_color,
)
from qcachegrind_py.views.widgets.grid import grid

_LEAST_BAR = 0.5  # in pixels; a shorter bar would look like one of a pixel, ten times its cost
_LEAST_ROOM = 5  # half steps of the grid
_ROUNDING = 2.0
_ZERO_LINE = 0.5  # opacity
_ROLE = QPalette.ColorRole


def cell_margin() -> int:
    """Return the distance of texts and bars from both sides of their cell, in pixels."""
    return grid(0.5)


def least_bar_room() -> int:
    """Return the width in which bars can still be compared; narrower ones are left out."""
    return _LEAST_ROOM * cell_margin()


def full_bar_room() -> int:
    """Return the width that bars have where there is enough room."""
    return grid(7)


def bar_gap() -> int:
    return cell_margin()


def number_and_bar(cell: QRect, number: int) -> tuple[QRect, QRect]:
    """Return the areas of the number and of the bar in a cell; that of the bar may be empty.

    `number` is the width of the widest number of the column in pixels.
    """
    half = cell_margin()  # asked for once, as every cell needs it
    gap, inner = half, cell.adjusted(half, 0, -half, 0)
    if inner.width() - number - gap < _LEAST_ROOM * half:
        return inner, QRect()
    text = QRect(inner)
    text.setWidth(number)
    return text, inner.adjusted(number + gap, 0, 0, 0)


def paint_cost_bar(
    painter: QPainter, area: QRect, share: float, palette: QPalette, ground: RowGround
) -> None:
    """Paint the bar of a cost; `share` is the filled part of the area, from 0 to 1."""
    length = area.width() * share
    if length >= _LEAST_BAR:
        _paint_bar(painter, area, area.left(), max(1.0, length), bar_color(palette, ground))


def paint_divided_bar(
    painter: QPainter,
    area: QRect,
    share: float,
    parts: Sequence[tuple[str, float]],
    palette: QPalette,
    ground: RowGround,
) -> None:
    """Paint the bar of a cost, divided among events, each in its colour."""
    left, whole = float(area.left()), area.width() * share
    for name, part in parts:
        length = whole * part
        if length >= _LEAST_BAR:
            _paint_bar(painter, area, left, length, event_color(name, palette, ground))
        left += length


def paint_change_bar(
    painter: QPainter, area: QRect, change: float, palette: QPalette, ground: RowGround
) -> None:
    """Paint the bar of a change, from -1 to 1: growth to the right of the middle, else left.

    A line in the middle is in every cell, so that it tells where nothing changed, too.
    """
    middle, half = area.left() + area.width() // 2, area.width() // 2
    length = half * abs(change)
    if length >= _LEAST_BAR:
        length = max(1.0, length)
        color = change_color(palette, ground, is_growth=change > 0)
        _paint_bar(painter, area, middle + 1 if change > 0 else middle - length, length, color)
    is_active = ground is RowGround.ACTIVE
    role = _ROLE.HighlightedText if is_active else _ROLE.PlaceholderText
    line = QRectF(middle, area.top(), 1, area.height())
    painter.fillRect(line, blended(palette.color(role), palette.color(_ROLE.Base), _ZERO_LINE))


def _paint_bar(painter: QPainter, area: QRect, left: float, length: float, color: QColor) -> None:
    height = min(grid(), area.height())
    bar = QRectF(left, area.top() + (area.height() - height) // 2, length, height)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    rounding = min(_ROUNDING, length / 2)
    painter.drawRoundedRect(bar, rounding, rounding)
    painter.restore()
