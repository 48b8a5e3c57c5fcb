"""The header above the views: the active function with its costs, and the path to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
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
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.folds import charge_text
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.numbers import ACTIVE, format_count
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView
from qcachegrind_py.views.tables.bars import paint_cost_bar
from qcachegrind_py.views.widgets.colors import RowGround
from qcachegrind_py.views.widgets.controls import ElidedLabel, PlainLabel, tip_text

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

    def _create_step(self) -> tuple[QLabel, QToolButton]:
        arrow, button = QLabel(_SEPARATOR), QToolButton(autoRaise=True)
        button.clicked.connect(lambda: self.function_activated.emit(button.property("function")))
        self._row.addWidget(arrow)
        self._row.addWidget(button)
        return arrow, button

    def set_path(self, path: Sequence[tuple[NodeId, str]]) -> None:
        """Show nodes with their names, from the top caller down to the active function."""
        self._path = path
        self._arrange()

    def _arrange(self) -> None:
        shown = self._path[-_MAX_STEPS:]
        for index, (arrow, button) in enumerate(self._step_widgets):
            is_used = index < len(shown)
            if is_used:
                function, name = shown[index]
                button.setProperty("function", function)
                button.setText(short_text(name).replace("&", "&&"))
                button.setToolTip(tip_text(name))
                button.setAccessibleName(short_text(name))
            if button.isHidden() == is_used:
                button.setVisible(is_used)
            if arrow.isHidden() == (is_used and index > 0):
                arrow.setVisible(is_used and index > 0)
        self._hidden_count = len(self._path) - len(shown)
        self._fit(len(shown))

    def _fit(self, shown: int) -> None:
        """Hide steps from the left until the rest fit."""
        width = self.width() - self._overflow_button.sizeHint().width()
        widths = [
            a.sizeHint().width() + b.sizeHint().width() for a, b in self._step_widgets[:shown]
        ]
        first = 0
        while first < shown - 1 and sum(widths[first:]) > width:
            for widget in self._step_widgets[first]:
                widget.hide()
            first += 1
        self._hidden_count += first
        self._overflow_button.setVisible(self._hidden_count > 0)

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
            self._arrange()


_BREAK = re.compile(r"(?<=[,>)])|(?=::)|(?<=[ /])|(?=\()")  # where a name may go to the next line
_EARLIEST_BREAK = 0.6  # of the width; an earlier place would leave the first line half empty
_MIN_NAME_WIDTH = 14  # digits
_COST_WIDTH = 12  # digits, in which a bar is drawn
_ROWS = 2  # of costs: of the first and the second event


class ActiveFunctionHeader(ProfileView):
    """The header: breadcrumbs on top, name and location on the left, costs on the right."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.names = NameBlock()
        self.names.setMinimumWidth(_MIN_NAME_WIDTH * self.fontMetrics().horizontalAdvance("0"))
        self.name_label, self.location_label = self.names.name_label, self.names.location_label
        self.costs = _CostGrid()
        self.calls_label = PlainLabel()
        self.breadcrumbs = Breadcrumbs()
        self.breadcrumbs.function_activated.connect(session.navigation.select_function)
        self.set_content(self._create_content())
        self.show_message("")
        self.setFixedHeight(self.sizeHint().height())

    def set_current(self, is_current: bool) -> None:
        """Set whether commands apply to the views below this header: its name is bold then."""
        self.names.set_bold(is_current)

    def _create_content(self) -> QWidget:
        content, row = QWidget(), QHBoxLayout()
        gap = self.fontMetrics().height() // 2
        row.setSpacing(2 * gap)
        row.addWidget(self.names, 1)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.calls_label, 0, top)
        row.addWidget(self.costs, 0, top)
        lines = QVBoxLayout(content)
        lines.setContentsMargins(gap, gap // 4, gap, gap // 2)
        lines.setSpacing(0)
        lines.addWidget(self.breadcrumbs)
        lines.addLayout(row)
        return content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        context = query.context
        function, event = context.function, context.event
        if function == NO_NODE or event is None:
            self.show_message("")
            return
        labels = query.labels()
        self.breadcrumbs.set_path(
            [(step, labels.name(step)) for step in context.stack.path_to_active]
        )
        details = labels.details(function)
        charge = charge_text(query, event, function)
        self.names.set_name(labels.name(function), tip_text(*details))
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


class _ShrinkingLabel(PlainLabel):
    """A label as wide as its text if there is room, and narrower if not."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())


class NameBlock(QWidget):
    """A name and a location on two lines; a long name continues in front of the location.

    The height is the same for all names.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name_label, self.rest_label = PlainLabel(), _ShrinkingLabel()
        self.location_label = ElidedLabel()
        self._name = ""
        second = QHBoxLayout()
        second.setSpacing(2 * self.fontMetrics().horizontalAdvance("0"))
        second.addWidget(self.rest_label)
        second.addWidget(self.location_label, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.name_label)
        column.addLayout(second)
        self.name_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_bold(True)

    def set_bold(self, is_bold: bool) -> None:
        font = QFont(self.font())
        font.setBold(is_bold)
        for label in (self.name_label, self.rest_label):
            label.setFont(font)
        self._break_name()

    def set_name(self, name: str, tip: str) -> None:
        self._name = cell_text(name)
        for label in (self.name_label, self.rest_label):
            label.setToolTip(tip)
        self._break_name()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._break_name()

    def _break_name(self) -> None:
        metrics, width = self.name_label.fontMetrics(), self.width()
        first, rest = broken(self._name, metrics, width)
        self.name_label.setText(first)
        self.rest_label.setText(metrics.elidedText(rest, Qt.TextElideMode.ElideMiddle, width))
        self.rest_label.setVisible(bool(rest))


def broken(name: str, metrics: QFontMetrics, width: int) -> tuple[str, str]:
    """Break a name that is wider than this into the text of a line, and the rest.

    It is broken after a comma or a bracket or before `::`, if one of these is near the end.
    """
    if metrics.horizontalAdvance(name) <= width:
        return name, ""
    fitting = 0
    for length in range(1, len(name)):
        if metrics.horizontalAdvance(name[:length]) > width:
            break
        fitting = length
    places = [found.start() for found in _BREAK.finditer(name, 0, fitting + 1)]
    place = max((p for p in places if p <= fitting), default=0)
    at = place if place > _EARLIEST_BREAK * fitting else max(1, fitting)
    return name[:at], name[at:].lstrip()


class CostLabel(PlainLabel):
    """A cost with a bar behind it."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setContentsMargins(self.fontMetrics().height() // 4, 0, 3, 0)

    def set_cost(self, text: str, share: float) -> None:
        """Show a cost; `share` is the filled part of the label, from 0 to 1."""
        self._share = share
        self.setText(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        paint_cost_bar(painter, self.rect(), self._share, self.palette(), RowGround.PLAIN)
        painter.end()
        super().paintEvent(event)


class _CostGrid(QWidget):
    """The inclusive and the self cost of the active function in one or two events, with bars."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        grid.setHorizontalSpacing(self.fontMetrics().height() // 2)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.labels: list[tuple[PlainLabel, CostLabel, CostLabel]] = []
        for row in range(_ROWS):
            labels = PlainLabel(), CostLabel(), CostLabel()
            for column, label in enumerate(labels):
                grid.addWidget(label, row, column)
            for cost in labels[1:]:
                cost.setMinimumWidth(_COST_WIDTH * digit)
            self.labels.append(labels)

    def texts(self) -> list[str]:
        rows = ("  ".join(label.text() for label in row if label.text()) for row in self.labels)
        return [text for text in rows if text]

    def show_costs(self, query: ViewQuery, events: Sequence[EventType]) -> None:
        for row, labels in enumerate(self.labels):
            event = events[row] if row < len(events) else None
            for label in labels:
                label.setVisible(event is not None or row == 0)
            if event is None:
                labels[0].setText("")
                labels[1].set_cost("", 0)
                labels[2].set_cost("", 0)
                continue
            self._show_row(labels, query, event)
            if not len(query.profile.calls):
                labels[1].set_cost("", 0)

    def _show_row(
        self, labels: tuple[PlainLabel, CostLabel, CostLabel], query: ViewQuery, event: EventType
    ) -> None:
        unit, function = query.unit(event), query.context.function
        inclusive, self_cost = query.node_costs(event, function)
        why = partial(query.excess_reasons(event), function)
        labels[0].setText(unit.event)
        changes = _change_texts(query, event)
        charge = charge_text(query, event, function)
        tips = unit.tip(inclusive, why=why), unit.tip(self_cost)
        for label, title, cost, change in zip(
            labels[1:], ("Incl.", "Self"), (inclusive, self_cost), changes, strict=True
        ):
            label.set_cost(f"{title} {unit.with_unit(cost)}{change}", unit.bar(cost))
        for label, tip, more in zip(labels[1:], tips, ("", charge), strict=True):
            label.setToolTip(tip_text(*filter(None, (tip, more))) if tip or more else "")
