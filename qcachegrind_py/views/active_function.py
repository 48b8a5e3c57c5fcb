"""The header above the views with the active function's name, location and costs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.number_format import ACTIVE, format_count
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.breadcrumbs import Breadcrumbs
from qcachegrind_py.views.common.profile_view import ProfileView
from qcachegrind_py.views.common.view_query import ViewQuery

_MIN_NAME_WIDTH = 20  # digits


class ActiveFunctionHeader(ProfileView):
    """The header: breadcrumbs on top, name and location on the left, costs on the right."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.name_label = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        font = QFont(self.font())
        font.setBold(True)
        self.name_label.setFont(font)
        self.location_label = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.name_label.setMinimumWidth(_MIN_NAME_WIDTH * self.fontMetrics().horizontalAdvance("0"))
        self.costs_label = _PlainLabel()
        self.calls_label = _PlainLabel()
        self.breadcrumbs = Breadcrumbs()
        self.breadcrumbs.function_activated.connect(session.navigation.select_function)
        self.set_content(self._create_content())
        self.show_message("")
        self.setFixedHeight(self.sizeHint().height())

    def set_current(self, is_current: bool) -> None:
        """Set whether commands apply to the views below this header: its name is bold then."""
        font = QFont(self.name_label.font())
        font.setBold(is_current)
        self.name_label.setFont(font)

    def _create_content(self) -> QWidget:
        content, row = QWidget(), QHBoxLayout()
        gap = self.fontMetrics().height() // 2
        row.setSpacing(2 * gap)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.name_label)
        column.addWidget(self.location_label)
        row.addLayout(column, 1)
        for label in (self.calls_label, self.costs_label):
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row.addWidget(label)
        lines = QVBoxLayout(content)
        lines.setContentsMargins(gap, gap // 4, gap, gap // 2)
        lines.setSpacing(0)
        lines.addWidget(self.breadcrumbs)
        lines.addLayout(row)
        return content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Describe the active function."""
        context = query.context
        function, event = context.function, context.event
        if function == NO_NODE or event is None:
            self.show_message("")
            return
        labels = query.labels()
        self.breadcrumbs.set_path(
            [(step, labels.name(step)) for step in context.stack.path_to_active]
        )
        self.name_label.set_text(labels.name(function))
        self.name_label.setToolTip(tip_text(*labels.details(function)))
        self.location_label.set_text(labels.location(function))
        self.location_label.setToolTip(tip_text(*labels.details(function)[1:]))
        events = [event] if context.second_event is None else [event, context.second_event]
        texts = [_cost_texts(query, event) for event in events]
        self.costs_label.setText("\n".join(text for text, _ in texts))
        self.costs_label.setToolTip(
            tip_text(*(tip for _, tip in texts)) if any(t for _, t in texts) else ""
        )
        costs = query.costs()
        count = format_count(int(costs.called[function]), context.numbers)
        called = ACTIVE if costs.is_active[function] else f"{count}\N{MULTIPLICATION SIGN}"
        has_counts = len(query.profile.calls) > 0 and has_call_counts(query.profile)
        self.calls_label.setText(f"called {called}" if has_counts else "")
        self.show_content()


def _cost_texts(query: ViewQuery, event: EventType) -> tuple[str, str]:
    """Return the active function's costs of an event, and the exact numbers for the tooltip."""
    format_ = query.cost_format(event)
    inclusive, self_cost = query.node_costs(event, query.context.function)
    costs = f"incl. {format_.with_unit(inclusive)}   " if len(query.profile.calls) else ""
    exact = ""
    if format_.exact_text(self_cost):
        exact = f"incl. {format_.exact_text(inclusive)}, self {format_.exact_text(self_cost)}"
    return f"{format_.event}  {costs}self {format_.with_unit(self_cost)}", exact


class _PlainLabel(QLabel):
    """A label with plain text that can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class _ElidedLabel(_PlainLabel):
    """A one-line label that elides its text and shows it in full in its tooltip."""

    def __init__(self, mode: Qt.TextElideMode) -> None:
        super().__init__()
        self._mode, self._full_text = mode, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show a text."""
        self._full_text = cell_text(text)
        self.setToolTip(tip_text(text))
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._full_text, self._mode, self.width()))
