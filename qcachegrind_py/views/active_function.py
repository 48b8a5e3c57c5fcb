"""The line above the views that says which function is active, and what it costs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.number_format import format_count
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.breadcrumbs import Breadcrumbs
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.profile_view import ProfileView

_LEAST_NAME = 20  # digits


class ActiveFunction(ProfileView):
    """Name in bold, place below, costs on the right."""

    def __init__(self, session: Session, navigation: Navigation) -> None:
        super().__init__(session, navigation)
        self.name = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        font = QFont(self.font())
        font.setBold(True)
        self.name.setFont(font)
        self.place = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.name.setMinimumWidth(_LEAST_NAME * self.fontMetrics().horizontalAdvance("0"))
        self.costs = _PlainLabel()
        self.calls = _PlainLabel()
        self.way = Breadcrumbs()
        self.way.chosen.connect(navigation.select_function)
        self.set_content(self._arranged())
        self.show_message("")
        self.setFixedHeight(self.sizeHint().height())

    def _arranged(self) -> QWidget:
        content, row = QWidget(), QHBoxLayout()
        gap = self.fontMetrics().height() // 2
        row.setSpacing(2 * gap)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.name)
        column.addWidget(self.place)
        row.addLayout(column, 1)
        for label in (self.calls, self.costs):
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row.addWidget(label)
        lines = QVBoxLayout(content)
        lines.setContentsMargins(gap, gap // 4, gap, gap // 2)
        lines.setSpacing(0)
        lines.addWidget(self.way)
        lines.addLayout(row)
        return content

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Describe the active function."""
        function, event = context.function, context.event
        if function < 0 or event is None:
            self.show_message("")
            return
        labels = queries.labels(context.scope, short=context.short_names)
        self.way.set_way([(step, labels.name(step)) for step in context.stack.path_to_active])
        self.name.set_text(labels.name(function))
        self.name.setToolTip(tip_text(*labels.details(function)))
        self.place.set_text(labels.location(function))
        self.place.setToolTip(tip_text(*labels.details(function)[1:]))
        events = [event] if context.second_event is None else [event, context.second_event]
        texts = [_costs(queries, context, event) for event in events]
        self.costs.setText("\n".join(text for text, _ in texts))
        self.costs.setToolTip(
            tip_text(*(tip for _, tip in texts)) if any(t for _, t in texts) else ""
        )
        called = format_count(int(queries.costs(context.scope).called[function]), context.numbers)
        has_counts = bool(queries.profile.calls.count.any())  # Go's pprof counts no calls
        self.calls.setText(f"called {called}×" if has_counts else "")
        self.show_content()


def _costs(queries: ProfileQueries, context: Context, event: EventType) -> tuple[str, str]:
    """What the active function costs in an event, and the same to the last count."""
    format_ = cost_format(queries, context, event)
    inclusive, own = queries.node_costs(context.function, event, context.scope)
    costs = f"incl. {format_.with_unit(inclusive)}   " if len(queries.profile.calls) else ""
    exact = ""
    if format_.exact_text(own):
        exact = f"incl. {format_.exact_text(inclusive)}, self {format_.exact_text(own)}"
    return f"{format_.event}  {costs}self {format_.with_unit(own)}", exact


class _PlainLabel(QLabel):
    """Text as it is, that can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class _ElidedLabel(_PlainLabel):
    """A line that is cut where there is no room; the tooltip has it in full."""

    def __init__(self, mode: Qt.TextElideMode) -> None:
        super().__init__()
        self._mode, self._full = mode, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show the name."""
        self._full = cell_text(text)
        self.setToolTip(tip_text(text))
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._full, self._mode, self.width()))
