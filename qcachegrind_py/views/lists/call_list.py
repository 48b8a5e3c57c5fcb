"""The lists of callers and of callees of the active function."""

from __future__ import annotations

from enum import Enum

import numpy as np

from qcachegrind_py.analysis.calls.direct_calls import DirectCalls
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.direct_calls import CallModel, CallRows
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import call_format
from qcachegrind_py.views.common.empty_reasons import NO_CALLS, NO_FUNCTION_CHOSEN
from qcachegrind_py.views.lists.call_list_base import CallListBase


class Direction(Enum):
    """Which end of the calls is listed."""

    CALLERS = "Callers"
    CALLEES = "Callees"

    @property
    def singular(self) -> str:
        """What one of them is called."""
        return "Caller" if self is Direction.CALLERS else "Callee"


_EMPTY_TEXT = {
    Direction.CALLERS: "Nobody called this function while the profile was recorded.",
    Direction.CALLEES: "This function called no other.",
}
_SECOND_EVENT_COLUMNS = (CallModel.SECOND_COST, CallModel.SECOND_PER_CALL)


class CallList(CallListBase):
    """Who called the active function, or whom it called. A double click goes there."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session, direction: Direction) -> None:
        self._direction = direction
        self.model = CallModel(direction.singular)
        super().__init__(session, self.model, direction.value)
        self.model.setParent(self)

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show the calls of the active function."""
        self.model.highlight(context.selected)
        if change == Change.SELECTION:
            return
        if context.event is None or context.function == NO_NODE:
            self.model.clear()
            self.show_message(NO_FUNCTION_CHOSEN)
            return
        ask = queries.callers if self._direction is Direction.CALLERS else queries.callees
        calls = ask(context.function, context.scope)
        if not len(calls):
            self.model.clear()
            has_calls = len(queries.profile.calls) > 0
            self.show_message(_EMPTY_TEXT[self._direction] if has_calls else NO_CALLS)
            return
        self.table.show_columns(_SECOND_EVENT_COLUMNS, context.second_event is not None)
        self.show_rows(change, lambda: self._show(queries, context, calls))

    def _show(self, queries: ProfileQueries, context: Context, calls: DirectCalls) -> None:
        first = call_format(queries, context, context.event, context.function)
        second = call_format(queries, context, context.second_event, context.function)
        rows = call_rows(queries, context, calls)
        self.model.set_rows(rows, first, second)
        passing = self.visible_nodes(queries, context, calls.node)
        self.model.set_filter(passing)
        left_out = rows.cost[~passing] if passing is not None else rows.cost[:0]
        cost = "" if first.is_ratio else first.with_unit(as_number(left_out.sum()))
        self.show_hidden_count(len(left_out), cost)


def call_rows(queries: ProfileQueries, context: Context, calls: DirectCalls) -> CallRows:
    """The calls with their costs in the first event and the second."""
    events, event, second = queries.events, context.event, context.second_event
    nothing = np.zeros(len(calls), np.int64)
    return CallRows(
        queries.labels(context.scope, short=context.short_names),
        calls.node,
        calls.cost(events, event) if event is not None else nothing,
        calls.cost(events, second) if second is not None else nothing,
        calls.count,
        calls.in_cycle,
    )
