"""The header above the views: the active function with its costs, and the path to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.analysis.costs.scope import Series
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.events import bar_parts
from qcachegrind_py.present.folds import charge_text
from qcachegrind_py.present.table import BarPart, cell_text, short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.numbers import ACTIVE, format_count
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView
from qcachegrind_py.views.tables.bars import paint_cost_bar, paint_divided_bar
from qcachegrind_py.views.widgets.colors import RowGround
from qcachegrind_py.views.widgets.controls import FittedLabel, PlainLabel, tip_text
from qcachegrind_py.views.widgets.grid import grid

_MAX_STEPS = 12  # steps with a button; the earlier ones are in the overflow menu
_SEPARATOR = "›"


class Breadcrumbs(QWidget):
    """A row of buttons; first steps that do not fit are in an overflow menu."""

    function_activated = Signal(object)  # NodeId

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._overflow_button = QToolButton(autoRaise=True)
        self._overflow_button.setText("…")
        self._overflow_button.setToolTip("Earlier steps")
        self._overflow_button.setAccessibleName("Earlier steps")
        self._overflow_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._overflow_button.setMenu(QMenu(self._overflow_button))
        self._overflow_button.menu().aboutToShow.connect(self._fill_overflow_menu)
        self._row.addWidget(self._overflow_button)
        self._step_widgets = [self._create_step() for _ in range(_MAX_STEPS)]
        self._row.addStretch()
        self._path: Sequence[tuple[NodeId, str]] = ()
        self._widths: list[int] = []  # of the steps, in pixels

    def _create_step(self) -> tuple[QLabel, QToolButton]:
        arrow, button = QLabel(_SEPARATOR), QToolButton(autoRaise=True)
        button.clicked.connect(lambda: self.function_activated.emit(button.property("function")))
        self._row.addWidget(arrow)
        self._row.addWidget(button)
        return arrow, button

    def set_path(self, path: Sequence[tuple[NodeId, str]]) -> None:
        """Show nodes with their names, from the top caller down to the active function."""
        self._path, self._widths = path, []
        for (function, name), (arrow, button) in zip(
            path[-_MAX_STEPS:], self._step_widgets, strict=False
        ):
            button.setProperty("function", function)
            button.setText(short_text(name).replace("&", "&&"))
            button.setToolTip(tip_text(name))
            button.setAccessibleName(short_text(name))
            self._widths.append(arrow.sizeHint().width() + button.sizeHint().width())
        self._fit()

    def _fit(self) -> None:
        """Show as many steps as fit, the last ones, and at least one."""
        width = self.width() - self._overflow_button.sizeHint().width()
        first, count = 0, len(self._widths)
        while first < count - 1 and sum(self._widths[first:]) > width:
            first += 1
        self._row.setEnabled(False)  # each button that appears would lay the whole window out
        for index, (arrow, button) in enumerate(self._step_widgets):
            button.setVisible(first <= index < count)
            arrow.setVisible(max(first, 1) <= index < count)
        self._hidden_count = len(self._path) - count + first
        self._overflow_button.setVisible(self._hidden_count > 0)
        self._row.setEnabled(True)
        self._row.activate()

    def _fill_overflow_menu(self) -> None:
        self._overflow_button.menu().clear()
        for function, name in self._path[: self._hidden_count]:
            action = self._overflow_button.menu().addAction(short_text(name).replace("&", "&&"))
            action.triggered.connect(
                lambda _checked=False, f=function: self.function_activated.emit(f)
            )

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self._overflow_button.sizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


_MIN_NAME_WIDTH = 14  # digits
_NAME_SIZE = 1.6  # of the font
_MIN_LOCATION_WIDTH = 10  # digits
_BAR_WIDTHS = 5, 3  # line heights, with one event and with two
_MIN_NUMBER_WIDTH = 8  # digits, as of 100.00 %
_EVENTS = 2  # the first and the second


class ActiveFunctionHeader(ProfileView):
    """The header: the name, below it place and path, and costs at the right."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.name_label = NameLabel()
        self.name_label.setMinimumWidth(_MIN_NAME_WIDTH * self.fontMetrics().horizontalAdvance("0"))
        self.location_label = FittedLabel(_MIN_LOCATION_WIDTH)
        self.costs = CostMeters()
        self.calls_label = ShrinkingLabel()
        self.calls_label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.breadcrumbs = Breadcrumbs()
        self.breadcrumbs.function_activated.connect(session.navigation.select_function)
        self.set_content(self._create_content())
        self.show_message("")
        self.setFixedHeight(self.sizeHint().height())

    def set_current(self, is_current: bool) -> None:
        """Set whether commands apply to the views below this header: its name is bold then."""
        self.name_label.set_bold(is_current)

    def _create_content(self) -> QWidget:
        """Return the name above its place and the path to it, with the costs at the right."""
        content, place, left = QWidget(), QHBoxLayout(), QVBoxLayout()
        place.setSpacing(grid(1.5))
        place.addWidget(self.location_label)
        place.addWidget(self.calls_label)
        place.addWidget(self.breadcrumbs, 1)
        left.setSpacing(0)
        left.addWidget(self.name_label)
        left.addLayout(place)
        row = QHBoxLayout(content)
        row.setContentsMargins(grid(), grid(0.5), grid(), grid(0.5))
        row.setSpacing(grid(2))
        row.addLayout(left, 1)
        row.addWidget(self.costs)
        return content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        context = query.context
        function, event = context.function, context.event
        if function == NO_NODE or event is None:
            self.show_message("")
            return
        labels = query.labels()
        self.breadcrumbs.set_path(
            [(step, labels.name(step)) for step in context.stack.path_to_active[:-1]]
        )
        details = labels.details(function)
        charge = charge_text(query, event, function)
        self.name_label.set_name(labels.name(function), tip_text(*details))
        location = labels.location(function)
        self.location_label.set_text(f"{location} · {charge}" if charge else location)
        self.location_label.setToolTip(tip_text(*details[1:]))
        second = context.second_event
        self.costs.show_costs(query, [event] if second is None else [event, second])
        has_counts = len(query.profile.calls) > 0 and has_call_counts(query.profile)
        self.calls_label.setText(f"called {_called_text(query)}" if has_counts else "")
        self.show_content()


def _change_texts(query: ViewQuery, event: EventType) -> tuple[str, str]:
    """Return how the costs of the active function changed, to be added to them; or nothing."""
    base = query.context.base
    if base is None:
        return "", ""
    series = Series(event, query.context.scope, base)
    inclusive, self_cost = (
        f" ({costs.unit.change_with_unit(as_number(costs.change[query.context.function]))})"
        for costs in (query.inclusive(series), query.self_cost(series))
    )
    return inclusive, self_cost


def _called_text(query: ViewQuery) -> str:
    """Return how often the active function was called, on both sides if they are compared."""
    function, style = query.context.function, query.context.numbers
    costs, compared = query.costs(), query.comparison
    if compared is None and costs.is_active[function]:
        return ACTIVE
    count = format_count(int(costs.called[function]), style)
    if compared is not None and (before := int(compared.called.base[function])) != int(
        costs.called[function]
    ):
        count = f"{format_count(before, style)}\N{THIN SPACE}→\N{THIN SPACE}{count}"
    return f"{count}\N{MULTIPLICATION SIGN}"


class ShrinkingLabel(PlainLabel):
    """A label as wide as its text if there is room, and narrower if not."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())


class NameLabel(PlainLabel):
    """The name in large letters; of a long one, as much as fits of what matters most."""

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_bold(True)

    def set_bold(self, is_bold: bool) -> None:
        font = QFont(QApplication.font())
        font.setPointSizeF(font.pointSizeF() * _NAME_SIZE)
        font.setBold(is_bold)
        self.setFont(font)
        self._fit()

    def set_name(self, name: str, tip: str) -> None:
        self._name = cell_text(name)
        self.setToolTip(tip)
        self.setAccessibleName(self._name)
        self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, width = self.fontMetrics(), self.width()
        name = fitted_name(self._name, lambda text: metrics.horizontalAdvance(text) <= width).text
        self.setText(metrics.elidedText(name, Qt.TextElideMode.ElideRight, width))


class CostBar(QWidget):
    """A bar as long as a share, over a thin line in all of its room."""

    def __init__(self) -> None:
        super().__init__()
        self.share: float | None = None  # from 0 to 1; None: there is no cost
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._lines = 0
        self.parts: tuple[BarPart, ...] = ()  # events whose colours it has; empty: no other

    def set_lines(self, lines: int) -> None:
        """Be so many lines of text wide, or narrower where there is no room."""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        line = self.fontMetrics().height()
        return QSize(self._lines * line, line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        if self.share is None:
            return
        painter, room = QPainter(self), self.rect()
        line = QRect(room.left(), room.bottom() - 1, room.width(), 1)
        painter.fillRect(line, self.palette().mid())
        if self.parts:
            paint_divided_bar(
                painter, room, self.share, self.parts, self.palette(), RowGround.PLAIN
            )
        else:
            paint_cost_bar(painter, room, self.share, self.palette(), RowGround.PLAIN)
        painter.end()


class Meter(QWidget):
    """A cost, and beside it a bar as long as its share."""

    def __init__(self) -> None:
        super().__init__()
        self.label, self.bar = PlainLabel(), CostBar()
        self.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.label.setMinimumWidth(_MIN_NUMBER_WIDTH * digit)
        self.bar.set_lines(_BAR_WIDTHS[0])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(grid())
        row.addWidget(self.label, 1)
        row.addWidget(self.bar)

    def text(self) -> str:
        return self.label.text()

    def set_cost(self, text: str, share: float, tip: str = "") -> None:
        """Show a cost; `share` is the filled part of the bar, from 0 to 1."""
        self.bar.share = share if text else None
        self.label.setText(text)
        self.setToolTip(tip)
        self.bar.update()


class CostMeters(QWidget):
    """The inclusive and the self cost of the active function below each other, with bars.

    A second event is in a column of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        grid_ = QGridLayout(self)
        grid_.setContentsMargins(0, 0, 0, 0)
        grid_.setVerticalSpacing(grid(0.5))
        grid_.setHorizontalSpacing(grid())
        self.titles = PlainLabel(), PlainLabel()
        for row, title in enumerate(("Inclusive", "Self")):
            self.titles[row].setText(title)
            grid_.addWidget(self.titles[row], row, 0)
        self.labels: list[tuple[PlainLabel, Meter, Meter]] = []
        for place in range(_EVENTS):
            labels = PlainLabel(), Meter(), Meter()
            grid_.addWidget(labels[0], 0, 2 * place + 1)
            for row, meter in enumerate(labels[1:]):
                grid_.addWidget(meter, row, 2 * place + 2)
            self.labels.append(labels)
        for label in (*self.titles, *(labels[0] for labels in self.labels)):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)

    def texts(self) -> list[str]:
        """What is said of each event in a line."""
        found = []
        for event, *meters in self.labels:
            costs = [
                f"{title.text()} {meter.text()}"
                for title, meter in zip(self.titles, meters, strict=True)
                if meter.text()
            ]
            if event.text():
                found.append("  ".join((event.text(), *costs)))
        return found

    def show_costs(self, query: ViewQuery, events: Sequence[EventType]) -> None:
        self.titles[0].setVisible(len(query.profile.calls) > 0)
        for place, labels in enumerate(self.labels):
            event = events[place] if place < len(events) else None
            for label in labels:
                label.setVisible(event is not None)
            for meter in labels[1:]:
                meter.bar.set_lines(_BAR_WIDTHS[len(events) - 1])
            if event is None:
                labels[0].setText("")
                continue
            parts = bar_parts(query, event)
            if len(events) > 1:  # each has its own colour, as in lists
                parts = 2 * (((event.name, 1.0),),)
            for meter, divided in zip(labels[1:], parts, strict=True):
                meter.bar.parts = divided
            self._show_event(labels, query, event)
            if not len(query.profile.calls):
                labels[1].set_cost("", 0)

    def _show_event(
        self, labels: tuple[PlainLabel, Meter, Meter], query: ViewQuery, event: EventType
    ) -> None:
        unit, function = query.unit(event), query.context.function
        inclusive, self_cost = query.node_costs(event, function)
        why = partial(query.excess_reasons(event), function)
        labels[0].setText(unit.event)
        changes = _change_texts(query, event)
        charge = charge_text(query, event, function)
        tips = unit.tip(inclusive, why=why), unit.tip(self_cost)
        for meter, cost, change, tip, more in zip(
            labels[1:], (inclusive, self_cost), changes, tips, ("", charge), strict=True
        ):
            text = f"{unit.with_unit(cost)}{change}" if cost or change else ""
            shown_tip = tip_text(*filter(None, (tip, more))) if tip or more else ""
            meter.set_cost(text, unit.bar(cost), shown_tip)
