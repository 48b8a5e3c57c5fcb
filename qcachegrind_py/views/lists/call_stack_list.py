"""The costliest way through the active function: a list from the top caller down."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.call_stack import StackModel, StackRows
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import node_ids
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.lists.call_list_base import CallListBase


class CallStackList(CallListBase):
    """The way down to the active function, and the costliest way on. One click goes there.

    The list stays as it is while the user moves along it (KCachegrind's rule).
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        self.model = StackModel()
        super().__init__(session, self.model, "Call Stack")
        self.model.setParent(self)
        self.table.setSortingEnabled(False)
        self.table.row_clicked.connect(self.table.activate_current)

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show the way."""
        self.model.highlight(context.selected)
        if change == Change.SELECTION:
            return
        event, message = context.event, no_calls_reason(queries, context)
        if message or event is None:
            self.model.clear()
            self.show_message(message)
            return
        self.table.show_columns((StackModel.SECOND_COST,), context.second_event is not None)
        self.show_rows(change, lambda: self._show(queries, context, event))
        self.table.select_function(context.function)

    def _show(self, queries: ProfileQueries, context: Context, event: EventType) -> None:
        functions = np.array(context.stack.nodes, np.int64)
        passing = self.visible_nodes(queries, context, functions)
        cost, count = _step_costs(queries, context, event, functions)
        second = np.zeros(len(functions), np.int64)
        if context.second_event is not None and not context.second_event.is_ratio:
            second, _ = _step_costs(queries, context, context.second_event, functions)
        labels = queries.labels(context.scope, short=context.short_names)
        rows = StackRows(labels, functions, cost, second, count)
        first = cost_format(queries, context, event)
        self.model.set_rows(rows, first, cost_format(queries, context, context.second_event))
        hidden = 0 if passing is None else int((~passing).sum())
        self.filter_note.setVisible(hidden > 0)
        self.filter_note.setText(
            f"{hidden} of these do not pass the filter: the way is shown whole"
        )


def _step_costs(
    queries: ProfileQueries, context: Context, event: EventType, functions: Int64Array
) -> tuple[CostArray, Int64Array]:
    """Cost and count of the calls from each function to the next; the first has its own cost."""
    graph = queries.call_graph(event, context.scope)
    cost = [graph.inclusive[functions[0]]]
    count = [0]
    for caller, callee in zip(node_ids(functions[:-1]), node_ids(functions[1:]), strict=True):
        rows = graph.outgoing(caller)
        row = rows[graph.adjacency.callee[rows] == callee]
        cost.append(graph.cost[row].sum())
        count.append(int(graph.adjacency.count[row].sum()))
    return np.array(cost), np.array(count, np.int64)
