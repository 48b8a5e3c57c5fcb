"""The line above the views that says which function is active, and what it costs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.numbers import cost_text, grouped
from qcachegrind_py.models.plain_text import cell_text, short_text, tip_text
from qcachegrind_py.session.context import Change, Context, CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.base import ProfileView


class ActiveFunction(ProfileView):
    """Name in bold, place below, costs on the right."""

    def __init__(self, session: Session, navigation: Navigation) -> None:
        super().__init__(session, navigation)
        self.name = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        font = QFont(self.font())
        font.setBold(True)
        self.name.setFont(font)
        self.place = _ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.costs = _PlainLabel()
        self.calls = _PlainLabel()
        self.set_content(self._arranged())
        self.show_message("")
        self.setFixedHeight(3 * self.fontMetrics().height() + 6)

    def _arranged(self) -> QWidget:
        content = QWidget()
        row = QHBoxLayout(content)
        gap = self.fontMetrics().height() // 2
        row.setContentsMargins(gap, gap // 2, gap, gap // 2)
        row.setSpacing(2 * gap)
        for labels, stretch in (((self.name, self.place), 1), ((self.costs, self.calls), 0)):
            column = QVBoxLayout()
            column.setSpacing(0)
            for label in labels:
                column.addWidget(label)
            row.addLayout(column, stretch)
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self.costs.setAlignment(side)
        self.calls.setAlignment(side)
        return content

    def refresh(self, questions: Questions, context: Context, change: Change) -> None:
        """Describe the active function."""
        function, event = context.function, context.event
        if function < 0 or event is None:
            self.show_message("")
            return
        names, costs = questions.names, questions.costs(context.cycles, context.parts)
        base = questions.total(event, context.parts).base
        as_percentage = context.unit is CostUnit.PERCENT
        unit = "\N{THIN SPACE}%" if as_percentage else ""
        own = int(questions.self_cost(event, context.parts)[function])
        inclusive = int(questions.inclusive(event, context.cycles, context.parts)[function])
        self.name.set_text(names.name(function))
        self.place.set_text(names.location(function))
        self.place.setToolTip(tip_text(names.file(function), names.object(function)))
        self.costs.setText(
            f"{short_text(event.name)}  incl. {cost_text(inclusive, base, as_percentage)}{unit}"
            f"   self {cost_text(own, base, as_percentage)}{unit}"
        )
        cycle = int(costs.cycle[function])
        recursion = f"   in cycle {cycle}" if cycle else ""
        called = f"called {grouped(int(costs.called[function]))}×"
        self.calls.setText(called + recursion if len(questions.profile.calls) else "")
        self.show_content()


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
