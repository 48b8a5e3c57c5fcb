"""The All Callers and All Callees docks: direct and indirect calls of the active function."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import TransitiveCalls, change_of_calls
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.base.group_colors import list_colors
from qcachegrind_py.models.transitive_calls import TransitiveCallModel
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.former.formats import largest
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.common.numbers.request import number_request
from qcachegrind_py.views.lists.call_list_base import CallListBase

CALLERS, CALLEES = "All Callers", "All Callees"
_MEASURES = {  # of the columns other than costs
    TransitiveCallModel.SELF: Measure.SELF,
    TransitiveCallModel.COUNT: Measure.COUNT,
}
_EMPTY_TEXT = {
    CALLERS: "No callers were recorded.",
    CALLEES: "No calls were recorded.",
}


class TransitiveCallList(CallListBase):
    """All direct and indirect callers or callees of the active function; costs are estimates.

    Percentages are of the active function's inclusive cost, whatever the unit (KCachegrind's rule).
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session, title: str) -> None:
        """`title` is `CALLERS` or `CALLEES`."""
        self._title = title
        self.model = TransitiveCallModel("Caller" if title == CALLERS else "Callee")
        super().__init__(session, self.model, title)
        self.model.setParent(self)
        self.table.show_columns((TransitiveCallModel.SELF,), title == CALLEES)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show all functions reachable from the active function in the view's direction."""
        queries, context = query.queries, query.context
        self.model.highlight(context.selected)
        if change == Change.SELECTION:
            return
        message = no_calls_reason(query)
        if message or context.event is None:
            self.model.clear()
            self.show_message(message)
            return
        ask = queries.transitive_callers if self._title == CALLERS else queries.transitive_callees
        calls = ask(context.function, context.event, context.scope)
        before = None
        if context.base is not None:
            before = ask(context.function, context.event, context.base)
            nodes = np.union1d(before.node, calls.node)
            before, calls = before.for_nodes(nodes), calls.for_nodes(nodes)
        if not len(calls):
            self.model.clear()
            self.show_message(_EMPTY_TEXT[self._title])
            return
        self.table.show_comparison(before is not None)
        self.show_rows(change, lambda: self._show(query, calls, before))

    def current_number(self) -> NumberRequest | None:
        """Return cost, self cost or number of calls on the paths of the current row."""
        query, other = self.session.query, self.table.current_function()
        if query is None or NO_NODE in (other, query.context.function):
            return None
        function, column = query.context.function, self.table.currentIndex().column()
        measure = _MEASURES.get(column, Measure.COST)
        up = self._title == CALLERS
        key = EstimateKey(EstimateKind.REACHED, (function, other), measure, up=up)
        whole = None if query.is_comparing else NumberKey(NumberKind.INCLUSIVE, function)
        return number_request(query, key, parent=whole, reason=BaseReason.ACTIVE)

    def _show(
        self, query: ViewQuery, calls: TransitiveCalls, before: TransitiveCalls | None
    ) -> None:
        series, labels = query.series, query.labels()
        if series is None:
            return
        format_ = query.cost_format(series.event)
        if before is None:
            inclusive = query.inclusive_cost(series.event, query.context.function)
            self.model.set_calls(labels, calls, replace(format_, base=inclusive))
        else:
            changes = change_of_calls(before, calls)
            costs, counts = BothSides(before.cost, calls.cost), BothSides(before.count, calls.count)
            rows = ComparedRows(
                costs, counts, np.zeros(len(calls), bool), format_, query.base_format(series.event)
            )
            own = BothSides(before.self_cost, calls.self_cost)
            changes = replace(
                changes, cost=query.change(series, costs), self_cost=query.change(series, own)
            )
            change_format = replace(query.format(series), bar_base=largest(changes.cost))
            self.model.set_calls(labels, changes, change_format, rows, query.mark)
        self.model.set_colors(list_colors(query))
        self.model.set_callers(query.list_callers())
        visible = query.visible_among(calls.node)
        self.model.set_filter(visible)
        hidden = int((~visible).sum()) if visible is not None else 0
        self.show_hidden_count(hidden, "costs overlap and are not summed")
