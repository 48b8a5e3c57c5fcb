"""The Call Stack dock: the costliest path through the active function, from the top down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.analysis.explanation.numbers import (
    NumberKey,
    NumberKind,
    NumberRequest,
    call_key,
)
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.base.group_colors import list_colors
from qcachegrind_py.models.call_stack import StackModel, StackRows
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.folds import no_mark
from qcachegrind_py.present.former.formats import largest
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.common.numbers.request import number_request
from qcachegrind_py.views.lists.call_list_base import CallListBase


class CallStackList(CallListBase):
    """The path to the active function and the costliest path on. A click makes a step active.

    The list stays as it is while the user moves along it (KCachegrind's rule).
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        self.model = StackModel()
        super().__init__(session, self.model, "Call Stack")
        self.model.setParent(self)
        self.table.setSortingEnabled(False)
        self.table.row_clicked.connect(self.table.activate_current)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the path."""
        context = query.context
        self.model.highlight(context.selected)
        self.model.mark_active(context.function)
        if change == Change.SELECTION:
            return
        event, message = context.event, no_calls_reason(query)
        if message or event is None:
            self.model.clear()
            self.show_message(message)
            return
        self.table.show_columns((StackModel.SECOND_COST,), context.second_event is not None)
        self.show_rows(change, lambda: self._show(query))
        self.table.select_function(context.function)

    def current_number(self) -> NumberRequest | None:
        """Return cost or number of the calls from the row above; of the first row its cost."""
        query, index = self.session.query, self.table.currentIndex()
        if query is None or not index.isValid():
            return None
        row, column = self.model.record(index), index.column()
        nodes = node_ids(self.model.rows.node)
        kind = NumberKind.CALL_COUNT if column == StackModel.COUNT else NumberKind.CALL_COST
        key = NumberKey(NumberKind.INCLUSIVE, nodes[0])
        if row > 0:
            scope = query.context.scope
            key = call_key(query.queries, scope, nodes[row - 1], nodes[row], kind)
        second = query.context.second_event if column == StackModel.SECOND_COST else None
        return number_request(query, key, event=second)

    def _show(self, query: ViewQuery) -> None:
        functions = np.array(query.context.stack.nodes, np.int64)
        visible = query.visible_among(functions)
        cost, compared, (count, is_active) = _steps(query, query.series, functions)
        second_series = query.second_series
        if second_series is not None and second_series.event.is_ratio:
            second_series = None
        second, _, _ = _steps(query, second_series, functions)
        mark = query.mark if query.is_comparing else no_mark
        rows = StackRows(query.labels(), functions, cost, second, count, is_active, compared, mark)
        first = query.format(query.series)
        if compared is not None and not first.is_ratio:
            first = replace(first, bar_base=largest(cost))
        self.table.show_comparison(compared is not None)
        self.model.set_rows(rows, first, query.format(query.second_series))
        self.model.set_colors(list_colors(query))
        hidden = 0 if visible is None else int((~visible).sum())
        self.filter_note.setVisible(hidden > 0)
        self.filter_note.setText(
            f"{hidden} of these do not match the filter; the whole path is shown"
        )


_Counts = tuple[Int64Array, BoolArray]


def _steps(
    query: ViewQuery, series: Series | None, functions: Int64Array
) -> tuple[CostArray, ComparedRows | None, _Counts]:
    """Return the costs of the path or their changes, both sides, and the counts of the calls.

    Both sides are None if nothing is compared; without a series costs are 0.
    """
    if series is None:
        zeros = np.zeros(len(functions), np.int64)
        return zeros, None, (zeros, zeros > 0)
    event = query.queries.measured_event(series.event)
    cost, count, is_active = _step_costs(query, event, series.scope, functions)
    if series.against is None:
        return cost, None, (count, is_active)
    before, before_count, _ = _step_costs(query, event, series.against, functions)
    sides = BothSides(before, cost)
    rows = ComparedRows(
        sides,
        BothSides(before_count, count),
        count < 0,
        query.cost_format(series.event),
        query.base_format(series.event),
    )
    return query.change(series, sides), rows, (count, is_active)


def _step_costs(
    query: ViewQuery, event: EventType, scope: Scope, functions: Int64Array
) -> tuple[CostArray, Int64Array, BoolArray]:
    """Return costs and counts of the calls from each function to the next, shape (functions,).

    The last array tells which calls were still running when the profile was written. The first
    function has no caller in the list: its inclusive cost and count 0 are used.
    """
    graph = query.queries.call_graph(event, scope)
    cost = [graph.inclusive[functions[0]]]
    count, is_active = [0], [False]
    for caller, callee in zip(node_ids(functions[:-1]), node_ids(functions[1:]), strict=True):
        rows = graph.outgoing(caller)
        row = rows[graph.adjacency.callee[rows] == callee]
        cost.append(graph.cost[row].sum())
        count.append(int(graph.adjacency.count[row].sum()))
        is_active.append(bool(graph.adjacency.is_active[row].any()))
    return np.array(cost), np.array(count, np.int64), np.array(is_active)
