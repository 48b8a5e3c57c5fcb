"""The lists of all callers and of all callees of the active function, however far away."""

from __future__ import annotations

from dataclasses import replace

from qcachegrind_py.analysis.calls.transitive_calls import TransitiveCalls
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.transitive_calls import TransitiveCallModel
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.lists.call_list_base import CallListBase

CALLERS, CALLEES = "All Callers", "All Callees"
_EMPTY_TEXT = {
    CALLERS: "Nobody called this function while the profile was recorded.",
    CALLEES: "This function called no other.",
}


class TransitiveCallList(CallListBase):
    """Everybody who led to the active function, or all it led to; costs are estimates.

    Percentages are of the active function's inclusive cost, whatever the unit (KCachegrind's rule).
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session, title: str) -> None:
        """`title` is one of the two above."""
        self._title = title
        self.model = TransitiveCallModel("Caller" if title == CALLERS else "Callee")
        super().__init__(session, self.model, title)
        self.model.setParent(self)
        self.table.show_columns((TransitiveCallModel.SELF,), title == CALLEES)

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show what is reached from the active function."""
        self.model.highlight(context.selected)
        if change == Change.SELECTION:
            return
        message = no_calls_reason(queries, context)
        if message or context.event is None:
            self.model.clear()
            self.show_message(message)
            return
        ask = queries.transitive_callers if self._title == CALLERS else queries.transitive_callees
        calls = ask(context.function, context.event, context.scope)
        if not len(calls):
            self.model.clear()
            self.show_message(_EMPTY_TEXT[self._title])
            return
        inclusive = as_number(queries.inclusive(context.event, context.scope)[context.function])
        format_ = replace(cost_format(queries, context, context.event), base=inclusive)
        self.show_rows(change, lambda: self._show(queries, context, calls, format_))

    def _show(
        self, queries: ProfileQueries, context: Context, calls: TransitiveCalls, format_: CostFormat
    ) -> None:
        labels = queries.labels(context.scope, short=context.short_names)
        self.model.set_calls(labels, calls, format_)
        passing = self.visible_nodes(queries, context, calls.node)
        self.model.set_filter(passing)
        hidden = int((~passing).sum()) if passing is not None else 0
        self.show_hidden_count(hidden, "their costs overlap, so there is no sum")
