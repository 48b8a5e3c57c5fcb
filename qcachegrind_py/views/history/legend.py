"""The legend of the chart: each line with its dashes, its name and the shape of its points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import cos, pi, sin

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.history.content import ChartLine
from qcachegrind_py.views.widgets.labels import tip_text

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


_GAP = 6.0  # pixels around the sample of a line
_SAMPLE_LINES = 2.2  # length of a sample in heights of a line of text
_LONGEST = 0.48  # of the width: the longest name
_LINE_WIDTH = 2


class Legend(QWidget):
    """Names the lines of the chart, in as many rows as they need."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[ChartLine] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Lines of the chart")

    def show_lines(self, lines: Sequence[ChartLine]) -> None:
        """Name these lines."""
        self._lines = lines
        self.setAccessibleDescription(", ".join(cell_text(line.name) for line in lines))
        self._fit()
        self.update()

    def _fit(self) -> None:
        self.setFixedHeight(max(1, round(self._height(self.width()))))

    def _height(self, width: float) -> float:
        places = self._places(width)
        return places[-1][0].bottom() + 2 if places else 0.0

    def _places(self, width: float) -> list[tuple[QRectF, str]]:
        """Return the place of each line, and as much of its name as fits."""
        metrics = QFontMetricsF(self.font())
        sample, height = _SAMPLE_LINES * metrics.height(), metrics.height() + 2
        places: list[tuple[QRectF, str]] = []
        x, y = _GAP, 1.0
        for line in self._lines:
            name = cell_text(line.name)
            room = max(60.0, width * _LONGEST - sample)
            name = fitted_name(name, partial(_fits, metrics, room)).text
            name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            needed = sample + _GAP + metrics.horizontalAdvance(name) + 2 * _GAP
            if x > _GAP and x + needed > width:
                x, y = _GAP, y + height
            places.append((QRectF(x, y, needed, height), name))
            x += needed
        return places

    # ---------------------------------------------------------------- as a picture

    def picture_size(self) -> QSizeF:
        """Return the size that the legend has below the chart."""
        return QSizeF(self.width(), self._height(self.width()))

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the legend with its background."""
        painter.fillRect(QRectF(QPointF(), self.picture_size()), self.palette().window())
        painter.setFont(self.font())
        self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(self.font())
        sample = _SAMPLE_LINES * metrics.height()
        for line, (place, name) in zip(self._lines, self._places(self.width()), strict=True):
            middle = place.center().y()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(line.look.color, _LINE_WIDTH, line.look.dashes))
            painter.drawLine(QPointF(place.left(), middle), QPointF(place.left() + sample, middle))
            painter.save()
            painter.translate(place.left() + sample / 2, middle)
            side = metrics.height() * 0.55
            painter.scale(side, side)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(line.look.color)
            painter.drawPath(symbol_path(line.look.symbol))
            painter.restore()
            painter.setPen(self.palette().windowText().color())
            painter.drawText(
                place.adjusted(sample + _GAP, 0, _GAP, 0),
                int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine),
                name,
            )

    # ---------------------------------------------------------------- Qt's events

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._paint(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 1)

    def event(self, event: QEvent) -> bool:
        """Show the name of the line under the mouse in full."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            for line, (place, _) in zip(self._lines, self._places(self.width()), strict=True):
                if place.contains(QPointF(event.pos())):
                    QToolTip.showText(event.globalPos(), tip_text(line.name), self)
                    return True
            QToolTip.hideText()
        return super().event(event)


def _fits(metrics: QFontMetricsF, room: float, text: str) -> bool:
    return metrics.horizontalAdvance(text) < room
