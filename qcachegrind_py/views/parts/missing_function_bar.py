"""A line that says the active function is in none of the active parts, and offers another."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.views.common.buttons import text_button
from qcachegrind_py.views.common.profile_view import NoteLabel


class MissingFunctionBar(QWidget):
    """Visible while the active function has neither cost nor calls in the active parts."""

    function_activated = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._hottest = NO_NODE
        self.label = NoteLabel()
        self.button = text_button("", "")
        self.button.clicked.connect(lambda: self.function_activated.emit(self._hottest))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 2)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_query(self, query: ViewQuery) -> None:
        """Look whether the active function is in the active parts."""
        context = query.context
        is_missing = context.scope.parts is not None and not _occurs(query)
        self._hottest = query.hottest_function() if is_missing else NO_NODE
        self.setVisible(self._hottest != NO_NODE)
        if self._hottest == NO_NODE or context.event is None:
            return
        labels, event = query.labels(), query.queries.measured_event(context.event)
        parts = "part" if len(context.scope.parts or ()) == 1 else "parts"
        missing, hottest = (labels.name(node) for node in (context.function, self._hottest))
        self.label.setText(f"{short_text(missing)} is not in the selected {parts}.")
        self_cost = query.node_costs(event, self._hottest)[1]
        share = query.unit(event).with_unit(self_cost)
        self.button.setText(f"Go to {short_text(hottest)}".replace("&", "&&"))
        self.button.setToolTip(
            tip_text(f"The hottest function of the selected {parts}: {hottest}", f"Self: {share}")
        )


def _occurs(query: ViewQuery) -> bool:
    """Whether the active function has cost or calls, running ones too, in the active parts."""
    costs, node = query.costs(), query.context.function
    columns = costs.self_cost[:, node], costs.inclusive[:, node], costs.called[node]
    return bool(costs.is_active[node]) or any(column.any() for column in columns)
