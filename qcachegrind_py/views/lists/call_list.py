"""The lists of callers and of callees of the active function."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.analysis.explanation.numbers import NumberKind, NumberRequest, call_key
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.base.group_colors import list_colors
from qcachegrind_py.models.direct_calls import CallModel, CallRows
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.folds import call_marks
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.formats import largest
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_reasons import NO_CALLS, NO_FUNCTION_CHOSEN
from qcachegrind_py.views.common.numbers.request import number_request, parent_of_calls
from qcachegrind_py.views.lists.call_list_base import CallListBase


class Direction(Enum):
    """Which end of the calls is listed."""

    CALLERS = "Callers"
    CALLEES = "Callees"

    @property
    def singular(self) -> str:
        """The singular, as a column title."""
        return "Caller" if self is Direction.CALLERS else "Callee"


_EMPTY_TEXT = {
    Direction.CALLERS: "No callers were recorded.",
    Direction.CALLEES: "No calls were recorded.",
}
_SECOND_EVENT_COLUMNS = (CallModel.SECOND_COST, CallModel.SECOND_PER_CALL)


class CallList(CallListBase):
    """Direct callers or callees of the active function. A double click makes one active."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session, direction: Direction) -> None:
        self._direction = direction
        self.model = CallModel(direction.singular)
        super().__init__(session, self.model, direction.value)
        self.model.setParent(self)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the calls of the active function."""
        queries, context = query.queries, query.context
        self.model.highlight(context.selected)
        if change == Change.SELECTION:
            return
        if context.event is None or context.function == NO_NODE:
            self.model.clear()
            self.show_message(NO_FUNCTION_CHOSEN)
            return
        ask = queries.callers if self._direction is Direction.CALLERS else queries.callees
        calls = ask(context.function, context.scope)
        before = None if context.base is None else ask(context.function, context.base)
        if not len(calls):
            self.model.clear()
            has_calls = len(query.profile.calls) > 0
            self.show_message(_EMPTY_TEXT[self._direction] if has_calls else NO_CALLS)
            return
        self.table.show_columns(_SECOND_EVENT_COLUMNS, context.second_event is not None)
        self.table.show_comparison(before is not None)
        self.show_rows(change, lambda: self._show(query, calls, before))

    def current_number(self) -> NumberRequest | None:
        """Return cost or number of the calls of the current row, by the current column."""
        query, other = self.session.query, self.table.current_function()
        if query is None or NO_NODE in (other, query.context.function):
            return None
        function, column = query.context.function, self.table.currentIndex().column()
        kind = NumberKind.CALL_COUNT if column == CallModel.COUNT else NumberKind.CALL_COST
        ends = (other, function) if self._direction is Direction.CALLERS else (function, other)
        return number_request(
            query,
            call_key(query.queries, query.context.scope, *ends, kind),
            event=query.context.second_event if column in _SECOND_EVENT_COLUMNS else None,
            parent=parent_of_calls(query, function),
        )

    def _call_format(self, query: ViewQuery, series: Series | None, costs: CostArray) -> CostFormat:
        """Return the format of costs.

        A full bar is the active function's inclusive cost; of changes it is the largest one.
        """
        function = query.context.function
        if series is None:
            return query.call_format(None, function)
        if series.is_change:
            format_ = query.format(series)
            return format_ if format_.is_ratio else replace(format_, bar_base=largest(costs))
        format_ = query.call_format(series.event, function)
        return replace(format_, bar_base=query.inclusive_cost(series.event, function))

    def _show(self, query: ViewQuery, calls: DirectCalls, before: DirectCalls | None) -> None:
        are_callees = self._direction is Direction.CALLEES
        rows = call_rows(query, calls, before, are_callees=are_callees)
        first = self._call_format(query, query.series, rows.cost)
        second = self._call_format(query, query.second_series, rows.second_cost)
        self.model.set_rows(rows, first, second)
        self.model.set_colors(list_colors(query))
        self.model.set_callers(query.list_callers())
        visible = query.visible_among(calls.node)
        self.model.set_filter(visible)
        left_out = rows.cost[~visible] if visible is not None else rows.cost[:0]
        cost = "" if first.is_ratio else first.with_unit(as_number(left_out.sum()))
        self.show_hidden_count(len(left_out), cost)


def call_rows(
    query: ViewQuery,
    calls: DirectCalls,
    before: DirectCalls | None = None,
    *,
    are_callees: bool,
) -> CallRows:
    """Return rows for the calls to callees or by callers, with costs of one or two events.

    They are changes if there are the calls of before, in the base of a comparison.
    """
    zeros = np.zeros(len(calls), np.int64)

    def of(series: Series | None) -> CostArray:
        if series is None:
            return zeros
        if before is None:
            return calls.cost(query.events, series.event)
        return query.change(series, _both_sides(query, series, calls, before))

    mark, is_estimated = call_marks(query, calls.node, are_callees=are_callees)
    return CallRows(
        query.labels(),
        calls.node,
        of(query.series),
        of(query.second_series),
        calls.count,
        calls.in_cycle,
        calls.is_active,
        None if before is None else _compared_rows(query, query.series, calls, before),
        None if before is None else _compared_rows(query, query.second_series, calls, before),
        mark,
        is_estimated,
    )


def _compared_rows(
    query: ViewQuery, series: Series | None, calls: DirectCalls, before: DirectCalls
) -> ComparedRows | None:
    """Return both sides of the calls; None without a series."""
    from qcachegrind_py.analysis.comparison.effects import are_calls_split

    if series is None:
        return None
    function = query.context.function
    return ComparedRows(
        _both_sides(query, series, calls, before),
        BothSides(before.count, calls.count),
        are_calls_split(before, calls, calls.node == function),
        query.cost_format(series.event),
        query.base_format(series.event),
    )


def _both_sides(
    query: ViewQuery, series: Series, calls: DirectCalls, before: DirectCalls
) -> BothSides:
    base, new = (side.cost(query.events, series.event) for side in (before, calls))
    return BothSides(base, new)
