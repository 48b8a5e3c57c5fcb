"""The shapes of points of the chart, drawn in a square around (0, 0) with sides of 1."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

_SIDES = {"p": 5, "h": 6}
_HALF = 0.5


@cache
def symbol_path(symbol: str) -> QPainterPath:
    """Return the outline of a shape, by the letter that pyqtgraph has for it."""
    path = QPainterPath()
    match symbol:
        case "o":
            path.addEllipse(QRectF(-_HALF, -_HALF, 1, 1))
        case "s":
            path.addRect(QRectF(-0.42, -0.42, 0.84, 0.84))
        case "d":
            path.addPolygon(_corners([(0, -0.58), (0.46, 0), (0, 0.58), (-0.46, 0)]))
        case "x" | "+":
            path.addPolygon(_cross(turned=symbol == "x"))
        case "star":
            path.addPolygon(_corners([_at(n, 10, 0.6 if n % 2 == 0 else 0.25) for n in range(10)]))
        case "up":
            path.addPolygon(_corners([(0, -0.55), (0.55, 0.45), (-0.55, 0.45)]))
        case "down":
            path.addPolygon(_corners([(0, 0.55), (0.55, -0.45), (-0.55, -0.45)]))
        case _:
            sides = _SIDES.get(symbol, 6)
            path.addPolygon(_corners([_at(n, sides, 0.55) for n in range(sides)]))
    path.closeSubpath()
    return path


def _cross(*, turned: bool) -> QPolygonF:
    """Return a cross with arms a fifth as wide as they are long."""
    wide, long = 0.14, 0.55
    points = [
        (-wide, -long), (wide, -long), (wide, -wide), (long, -wide), (long, wide), (wide, wide),
        (wide, long), (-wide, long), (-wide, wide), (-long, wide), (-long, -wide), (-wide, -wide),
    ]  # fmt: skip
    if turned:
        half = cos(pi / 4)
        points = [(half * (x - y), half * (x + y)) for x, y in points]
    return _corners(points)


def _at(number: int, of: int, radius: float) -> tuple[float, float]:
    angle = 2 * pi * number / of
    return radius * sin(angle), -radius * cos(angle)


def _corners(points: list[tuple[float, float]]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])
