"""The costs of code in the events of a context, computed by the job that loads the code."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.models.code.code_costs import CodeCosts
from qcachegrind_py.models.code.records import CodeRows
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.views.code.compared.code_formats import change_rule


@dataclass(frozen=True, slots=True, eq=False)
class ContextCosts:
    """The costs of records in the first and the second event."""

    inputs: object  # the events that they are of, and the unit of changes
    costs: tuple[CodeCosts, CodeCosts]


def context_costs(
    rows: CodeRows, query: ViewQuery, before: ContextCosts | None = None
) -> ContextCosts:
    """Return the costs of all records; `before`, of the same records, if its events are the same.

    A million records take 60 ms, which the GUI thread spends only if the events have changed.
    """
    events, context = query.events, query.context
    inputs = events, context.event, context.second_event, context.base and context.unit
    if before is not None and before.inputs == inputs:
        return before
    first, second = (
        rows.record_costs(events, event, change_rule(query, event))
        for event in (context.event, context.second_event)
    )
    return ContextCosts(inputs, (first, second))
