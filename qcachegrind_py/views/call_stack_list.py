"""The costliest way through the active function: a list from the top caller down."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.call_stack import StackModel, StackRows
from qcachegrind_py.models.columns import Costs
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.call_view import NO_CALLS, NO_FUNCTION, RATIO, CallView
from qcachegrind_py.views.formats import cost_format


class CallStackList(CallView):
    """The way down to the active function, and the costliest way on. One click goes there.

    The list stays as it is while the user moves along it (KCachegrind's rule).
    """

    concerns = ~(Change.EVENTS | Change.GROUPING | Change.SELECTION)

    def __init__(self, session: Session, navigation: Navigation) -> None:
        self.model = StackModel()
        super().__init__(session, navigation, self.model, "Call Stack")
        self.model.setParent(self)
        self.table.setSortingEnabled(False)
        self.table.clicked_row.connect(self.table.go_to_current)

    def refresh(self, questions: Questions, context: Context, change: Change) -> None:
        """Show the way."""
        event = context.event
        if event is None or context.function < 0 or event.is_ratio or not context.stack.functions:
            self.model.clear()
            ratio = event is not None and event.is_ratio
            self.show_message(RATIO if ratio else NO_FUNCTION)
            return
        if not len(questions.profile.calls):
            self.model.clear()
            self.show_message(NO_CALLS)
            return
        self.table.show_columns((StackModel.SECOND_COST,), context.second_event is not None)
        self.show_rows(change, lambda: self._show(questions, context, event))
        self.table.select_function(context.function)

    def _show(self, questions: Questions, context: Context, event: EventType) -> None:
        functions = np.array(context.stack.functions, np.int64)
        passing = self.passing(questions, context, functions)
        cost, count = _steps(questions, context, event, functions)
        second = np.zeros(len(functions), np.int64)
        if context.second_event is not None and not context.second_event.is_ratio:
            second, _ = _steps(questions, context, context.second_event, functions)
        labels = questions.labels(context.scope, short=context.short_names)
        rows = StackRows(labels, functions, cost, second, count)
        first = cost_format(questions, context, event)
        self.model.set_rows(rows, first, cost_format(questions, context, context.second_event))
        self.model.highlight(context.function)
        self.say_hidden(0 if passing is None else int((~passing).sum()), "shown nevertheless")


def _steps(
    questions: Questions, context: Context, event: EventType, functions: Int64Array
) -> tuple[Costs, Int64Array]:
    """Cost and count of the calls from each function to the next; the first has its own cost."""
    graph = questions.graph(event, context.scope)
    cost = [graph.inclusive[functions[0]]]
    count = [0]
    for caller, callee in zip(functions[:-1].tolist(), functions[1:].tolist(), strict=True):
        rows = graph.calls_by(caller)
        row = rows[graph.shape.callee[rows] == callee]
        cost.append(graph.cost[row].sum())
        count.append(int(graph.shape.count[row].sum()))
    return np.array(cost), np.array(count, np.int64)
