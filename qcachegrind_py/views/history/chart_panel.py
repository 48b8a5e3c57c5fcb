"""The place of the chart in the dock, its legend, and its picture as a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import cos, pi, sin
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
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
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.picture import Detail
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.plain_text import tip_text
from qcachegrind_py.views.history.content import ChartLine, Marks
from qcachegrind_py.views.pictures.export import PictureStack, add_export_actions

if TYPE_CHECKING:
    from qcachegrind_py.views.history.chart import HistoryChart


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


class ChartPicture:
    """Paints the chart as large as it is on the screen."""

    def __init__(self, chart: HistoryChart) -> None:
        self._chart = chart

    def picture_size(self) -> QSizeF:
        """Return the size of the plot on the screen, in logical pixels."""
        return QSizeF(self._chart.plot.size())

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the chart, with its axes."""
        self._chart.paint_chart(painter, QRectF(0, 0, *self.picture_size().toTuple()))


_IMPORT_JOB = "history chart"
_LEAST_LINES = 8  # of text: the height that the chart has at least


@dataclass(frozen=True, slots=True, eq=False)
class ChartContent:
    """What the chart shows."""

    labels: Sequence[str]  # of the revisions, the oldest first
    lines: Sequence[ChartLine]
    is_relative: bool  # whether heights are percentages of the first value of a line
    text: Callable[[float], str]  # how heights are written at the axis
    marks: Marks


class ChartPanel(QWidget):
    """Shows the chart as soon as there is one, with its legend above it."""

    revision_chosen = Signal(int)
    revision_opened = Signal(int)
    base_toggled = Signal(int)
    base_dropped = Signal()
    menu_requested = Signal(object, QPoint)  # int or None, and where on the screen

    def __init__(self, session: Session, describe: Callable[[int], Detail]) -> None:
        """`describe` says what a revision is, and what it costs."""
        super().__init__()
        self._session, self._describe = session, describe
        self.chart: HistoryChart | None = None
        self._content: ChartContent | None = None
        self.legend = Legend()
        # from the start: a splitter would keep the height of 0 before the import
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.legend)
        self._column.addStretch()

    def show_chart(self, content: ChartContent) -> None:
        """Show this content, at once or when the chart has been imported."""
        self._content = content
        self.legend.show_lines(content.lines)
        if self.chart is not None:
            self._show(self.chart, content)
        elif not self._session.jobs.is_running(_IMPORT_JOB):
            job = self._session.jobs.start(_IMPORT_JOB, _import_chart)
            job.finished.connect(self._add_chart)

    def show_marks(self, marks: Marks) -> None:
        """Mark other revisions."""
        if self.chart is not None:
            self.chart.show_marks(marks)

    def clear(self) -> None:
        """Release the history."""
        self._content = None

    def _add_chart(self, kind: type[HistoryChart]) -> None:
        chart = self.chart = kind(self._describe)
        chart.revision_chosen.connect(self.revision_chosen)
        chart.revision_opened.connect(self.revision_opened)
        chart.base_toggled.connect(self.base_toggled)
        chart.escaped.connect(self.base_dropped)
        chart.menu_requested.connect(self.menu_requested)
        self._column.takeAt(1)
        self._column.addWidget(chart, 1)
        chart.show()
        self.setFocusProxy(chart)
        if self._content is not None:
            self._show(chart, self._content)

    def _show(self, chart: HistoryChart, content: ChartContent) -> None:
        chart.show_revisions(content.labels)
        chart.show_lines(content.lines, relative=content.is_relative, text=content.text)
        chart.show_marks(content.marks)

    def fill_export_menu(self, menu: QMenu) -> None:
        """Add the actions that copy and save the chart with its legend."""
        if self.chart is not None:
            picture = PictureStack([self.legend, ChartPicture(self.chart)])
            add_export_actions(menu, picture, self, "history", {})


def _import_chart(_progress: Progress) -> type[HistoryChart]:
    """Return the class of the chart; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.history.chart import HistoryChart

    return HistoryChart
