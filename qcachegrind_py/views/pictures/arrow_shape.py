"""The shape of an arrow: consecutive cubic Bézier curves and the head at their end.

Shapes need no widget, so jobs create them. An arrow may be many times longer than the window, and
stroking all of its dashes took most of the time of painting: an arrow paints only the curves near
the exposed area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from qcachegrind_py.profile.events import Float64Array

_MIN_HEAD_LENGTH = 7.0  # pixels


@dataclass(frozen=True, slots=True, eq=False)
class ArrowShape:
    """The curves of an arrow up to its head, and the head, in scene coordinates."""

    points: Sequence[QPointF]  # 1 + 3 · curves: each curve begins where the one before it ends
    areas: Sequence[QRectF]  # of the control points of each curve
    starts: Sequence[float]  # length in pixels of the curves before each one
    path: QPainterPath  # all curves
    head: QPolygonF  # the tip first
    bounds: QRectF  # of curves and head, with the thickness of the arrow

    def visible_path(self, area: QRectF) -> tuple[QPainterPath, float]:
        """Return the curves from the first to the last that touch an area.

        With them comes the length of the arrow before them, at which a dash pattern has to begin.
        """
        touched = [row for row, curve in enumerate(self.areas) if curve.intersects(area)]
        if not touched:
            return QPainterPath(), 0.0
        first, last = touched[0], touched[-1]
        if last - first + 1 == len(self.areas):
            return self.path, 0.0
        return _joined_curves(self.points[3 * first : 3 * last + 4]), self.starts[first]


def create_arrow_shape(points: Float64Array, thickness: float) -> ArrowShape:
    """Return the shape of an arrow through the points of cubic Bézier curves, shape (points, 2).

    `thickness` is in pixels, as are the points.
    """
    way = [QPointF(x, y) for x, y in points.tolist()]
    head = arrow_head(way[-2], way[-1], max(_MIN_HEAD_LENGTH, 2.2 * thickness))
    way[-1] = (head.at(1) + head.at(2)) / 2
    areas, starts, length = [], [], 0.0
    for begin in range(0, len(way) - 1, 3):
        curve = _joined_curves(way[begin : begin + 4])
        # a straight arrow has an empty area, which intersects nothing
        areas.append(curve.controlPointRect().adjusted(-1, -1, 1, 1))
        starts.append(length)
        length += curve.length()
    path, margin = _joined_curves(way), max(thickness, _MIN_HEAD_LENGTH)
    bounds = path.boundingRect().adjusted(-margin, -margin, margin, margin)
    return ArrowShape(way, areas, starts, path, head, bounds)


def _joined_curves(points: Sequence[QPointF]) -> QPainterPath:
    """Return the path of consecutive curves."""
    path = QPainterPath(points[0])
    for first, second, end in zip(points[1::3], points[2::3], points[3::3], strict=True):
        path.cubicTo(first, second, end)
    return path


def arrow_head(before: QPointF, tip: QPointF, length: float) -> QPolygonF:
    """Return a triangle with its tip at `tip`, pointing away from `before`; `length` in pixels."""
    along = tip - before
    distance = max(1e-6, (along.x() ** 2 + along.y() ** 2) ** 0.5)
    along /= distance
    across = QPointF(-along.y(), along.x()) * (length * 0.42)
    foot = tip - along * length
    return QPolygonF([tip, foot + across, foot - across])
