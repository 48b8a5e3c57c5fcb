"""What the History dock shows: costs over revisions, lines of the chart, and largest steps.

The legend names each line, with its dashes and the shape of its points.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cache, partial
from math import cos, pi, sin

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from qcachegrind_py.analysis.history import (
    Courses,
    EventCosts,
    OpenedHistory,
    event_costs,
    nodes_of_functions,
)
from qcachegrind_py.analysis.names.syntax import fitted_name, without_template_arguments
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.history import HistoryRows, Measure
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, Float64Array, as_number
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.widgets.colors import MIN_CONTRAST, blended, contrast
from qcachegrind_py.views.widgets.controls import Choice, tip_text

_PEN = Qt.PenStyle
_STEPS = 20  # of the search for a colour that can be seen


class Role(Enum):
    """What a line is of."""

    TOTAL = "total"
    INCLUSIVE = "inclusive"  # of the active function
    SELF = "self"
    PINNED = "pinned"


@frozen(eq=True)
class Look:
    """How a line is drawn."""

    color: QColor
    dashes: Qt.PenStyle
    symbol: str  # of its points, as pyqtgraph names it


@frozen
class ChartLine:
    """One line of the chart: a cost in each revision."""

    role: Role
    name: str  # as people read it
    values: CostArray  # shape (revisions,)
    is_there: BoolArray  # shape (revisions,): whether the revision has the function
    steps: Int64Array  # the revisions with which it steps to another level, ascending
    before: CostArray  # the levels before the steps, shape (steps,)
    after: CostArray
    look: Look

    @property
    def short_name(self) -> str:
        """The name in a line about one revision: that of the active function is known."""
        return short_text(self.name) if self.role is Role.PINNED else self.role.value.capitalize()

    def text_at(self, revision: int, unit: Unit) -> str:
        if not self.is_there[revision]:
            return "–"
        return unit.absolute(as_number(self.values[revision]))

    def heights(self, *, relative: bool) -> Float64Array:
        """Return the values as float64 for drawing, NaN where there is none: shape (revisions,).

        `relative` makes them percentages of the first value above 0.
        """
        floats = np.where(self.is_there, np.asarray(self.values, np.float64), np.nan)
        if not relative:
            return floats
        above = np.flatnonzero(floats > 0)
        first = floats[above[0]] if len(above) else np.nan
        percentages: Float64Array = floats / first * 100
        return percentages


@frozen(eq=True)
class Marks:
    """The revisions that are marked in the chart; None where there is none."""

    base: int | None = None  # the base that the user has marked for the next comparison
    open: int | None = None  # the open profile
    compared: int | None = None  # what it is compared with


# of the palette by Okabe and Ito, which all kinds of colour vision tell apart; that of growth and
# shrinkage is taken by steps
_PINNED_COLORS = "#cc79a7", "#009e73", "#e69f00", "#56b4e9"
_PINNED_DASHES = _PEN.DashDotLine, _PEN.DashDotDotLine, _PEN.SolidLine, _PEN.DashLine
_PINNED_SYMBOLS = "star", "+", "x", "p", "h"


def look_of(role: Role, number: int, palette: QPalette) -> Look:
    """Return how a line is drawn; `number` counts the pinned functions."""
    text = palette.color(QPalette.ColorRole.Text)
    base = palette.color(QPalette.ColorRole.Base)
    match role:
        case Role.TOTAL:
            return Look(text, _PEN.SolidLine, "o")
        case Role.INCLUSIVE:
            link = palette.color(QPalette.ColorRole.Link)
            return Look(legible(link, palette), _PEN.DashLine, "s")
        case Role.SELF:
            return Look(blended(text, base, 0.7), _PEN.DotLine, "d")
    return Look(
        legible(QColor(_PINNED_COLORS[number % len(_PINNED_COLORS)]), palette),
        _PINNED_DASHES[number % len(_PINNED_DASHES)],
        _PINNED_SYMBOLS[number % len(_PINNED_SYMBOLS)],
    )


def legible(color: QColor, palette: QPalette) -> QColor:
    """Return the colour, blended with that of texts as far as it takes to be seen."""
    base = palette.color(QPalette.ColorRole.Base)
    text = palette.color(QPalette.ColorRole.Text)
    for step in range(_STEPS + 1):
        candidate = blended(text, color, step / _STEPS)
        if contrast(candidate, base) >= MIN_CONTRAST:
            return candidate
    return text


def value_range(lines: list[ChartLine], *, relative: bool) -> tuple[float, float]:
    """Return the least and the largest height to show.

    The axis begins at 0 unless all values are close together, far from it: a step of a percent is
    to be seen.
    """
    heights = [line.heights(relative=relative) for line in lines]
    known = np.concatenate([line[~np.isnan(line)] for line in heights] or [np.zeros(0)])
    if not len(known):
        return 0.0, 1.0
    least, largest = float(known.min()), float(known.max())
    if least < largest / 2:
        least = min(least, 0.0)
    if largest <= least:
        return (0.0, largest) if largest > 0 else (least, least + 1.0)
    room = (largest - least) * 0.06
    return least - (room if least > 0 else 0.0), largest + room


class Scale(Enum):
    """What the axis of the chart counts."""

    COSTS = "costs"
    RELATIVE = "relative"  # to the first value of each line


@frozen(eq=True)
class HistoryOptions:
    """The options as plain values that can be saved as JSON."""

    measure: str = Measure.INCLUSIVE.value
    total: bool = True
    inclusive: bool = True
    self_cost: bool = True
    scale: str = Scale.COSTS.value


CHOICES = {
    "total": Choice("&Total", "Show the line of the whole program"),
    "inclusive": Choice(
        "&Inclusive Cost", "Show what the active function and all that it called cost"
    ),
    "self_cost": Choice("&Self Cost", "Show what the active function alone cost"),
    "scale": Choice(
        "S&cale",
        "What the axis on the left counts",
        ((Scale.COSTS.value, "&Costs"), (Scale.RELATIVE.value, "&Percent of the First Revision")),
    ),
    "measure": Choice(
        "&List and Pinned Lines Show",
        "Which cost the list and the lines of pinned functions show",
        ((Measure.INCLUSIVE.value, "I&nclusive Cost"), (Measure.SELF.value, "S&elf Cost")),
    ),
}


@frozen
class Content:
    """A history in one event, and its functions in the open profile."""

    opened: OpenedHistory
    inputs: object  # what it was computed for
    event: object  # that of the costs
    costs: EventCosts | None  # None if a revision lacks the event
    rows: dict[Measure, HistoryRows]  # empty without costs
    names: Sequence[str]  # as they are shown, of each function
    search: TextColumn  # of their full names
    nodes: Int64Array  # the function of the open profile; NO_NODE for none, shape (functions,)

    def line(
        self, role: Role, name: str, courses: Courses, row: int, number: int, palette: QPalette
    ) -> ChartLine:
        """Return a line of the chart: a row of some costs."""
        if role is Role.TOTAL:  # there may be no function at all
            there = np.ones(courses.values.shape[1], bool)
        else:
            there = self.opened.history.present[row]
        look = look_of(role, number, palette)
        return ChartLine(role, name, courses.values[row], there, *courses.steps_of(row), look)


def compute_content(
    progress: Progress,
    query: ViewQuery,
    opened: OpenedHistory,
    inputs: object,
    before: Content | None,
) -> Content:
    """Compute what is shown of a history; costs of the same event are taken from `before`."""
    history, event = opened.history, query.context.event
    assert event is not None
    is_same = before is not None and before.opened is opened and before.event == event
    if is_same and before is not None:
        costs, search = before.costs, before.search
    else:
        part = PartialProgress(progress, 0, 0.7)
        costs = event_costs(part, history, query.events, event)
        search = TextColumn.from_indexed(opened.names, np.arange(len(opened.names)))
    names = list(opened.names)
    if query.context.short_names:
        names = list(map(without_template_arguments, names))
    nodes = nodes_of_functions(PartialProgress(progress, 0.7, 1), history.functions, query.profile)
    rows = {} if costs is None else _rows(opened, costs, names)
    return Content(opened, inputs, event, costs, rows, names, search, nodes)


def _rows(
    opened: OpenedHistory, costs: EventCosts, names: Sequence[str]
) -> dict[Measure, HistoryRows]:
    history = opened.history
    return {
        measure: HistoryRows(
            history.functions,
            names,
            opened.names,
            opened.locations,
            history.labels,
            shown.values,
            history.present,
            shown.trends,
            history.members,
        )
        for measure, shown in (
            (Measure.INCLUSIVE, costs.inclusive),
            (Measure.SELF, costs.self_cost),
        )
    }


def chart_lines(
    content: Content,
    options: HistoryOptions,
    active: int | None,
    pinned: Sequence[int],
    palette: QPalette,
) -> list[ChartLine]:
    """Return the lines that the options ask for; `active` and `pinned` are rows of the history."""
    costs, lines = content.costs, list[ChartLine]()
    if costs is None:
        return lines
    if options.total:
        lines.append(content.line(Role.TOTAL, "Total", costs.total, 0, 0, palette))
    if active is not None:
        name = content.names[active]
        if options.inclusive:
            of = f"{name}, inclusive"
            lines.append(content.line(Role.INCLUSIVE, of, costs.inclusive, active, 0, palette))
        if options.self_cost:
            of = f"{name}, self"
            lines.append(content.line(Role.SELF, of, costs.self_cost, active, 0, palette))
    is_self = options.measure == Measure.SELF.value
    shown, what = (costs.self_cost, "self") if is_self else (costs.inclusive, "inclusive")
    for number, row in enumerate(pinned):
        name = f"{content.names[row]}, {what}"
        lines.append(content.line(Role.PINNED, name, shown, row, number, palette))
    return lines


def step_words(line: ChartLine, labels: Sequence[str], unit: Unit) -> str:
    """Return the largest step of a line in words, and how many others there are."""
    if not len(line.steps):
        return f"{cell_text(line.name)}: no step"
    largest = int(np.argmax(np.abs(line.after - line.before)))
    at, before = int(line.steps[largest]), as_number(line.before[largest])
    after = as_number(line.after[largest])
    change = after - before
    size = unit.absolute_change(change)
    share = unit.growth(before, after)
    others = len(line.steps) - 1
    more = f", and {format_count(others)} {plural(others, 'smaller one')}" if others else ""
    where = f"at {short_text(labels[at])}"
    return f"{cell_text(line.name)}: largest step {size} ({share}) {where}{more}"


def headline(lines: Sequence[ChartLine], labels: Sequence[str], unit: Unit) -> str:
    """Return the largest steps of the total and of the active function."""
    shown = [line for line in lines if line.role in (Role.TOTAL, Role.INCLUSIVE)]
    return " · ".join(step_words(line, labels, unit) for line in shown or lines[:1])


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
            needed = sample + _GAP + metrics.horizontalAdvance(name) + 2 * _GAP
            if x > _GAP and x + needed > width:
                x, y = _GAP, y + height
            places.append((QRectF(x, y, needed, height), name))
            x += needed
        return places

    # ---------------------------------------------------------------- as a picture

    def picture_size(self) -> QSizeF:
        return QSizeF(self.width(), self._height(self.width()))

    def paint_picture(self, painter: QPainter) -> None:
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
