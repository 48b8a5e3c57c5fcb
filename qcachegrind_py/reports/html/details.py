"""Details of a report's costliest functions: callers, callees and source lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_ids, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.html.page_data import ReportCall, ReportDetail
from qcachegrind_py.reports.html.source_excerpts import SourceExcerpts
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAX_DETAILS = 25  # functions by inclusive cost, and as many by self cost
_MAX_CALLS = 12  # callers per function, and callees


def report_details(
    queries: ProfileQueries,
    search: FileSearch,
    event: EventType,
    scope: Scope,
    visible: Int64Array,
    progress: Progress,
) -> Iterator[ReportDetail]:
    """Yield the details of the costliest of the `visible` functions, costliest first."""
    inclusive, self_cost = queries.inclusive(event, scope), queries.self_cost(event, scope)
    chosen = {
        function
        for key in (inclusive, self_cost)
        for function in function_ids(sorted_by_cost(key, visible)[:_MAX_DETAILS])
        if key[function] > 0
    }
    builder = DetailBuilder(queries, event, scope)
    excerpts = SourceExcerpts(queries, search, event, scope)
    for done, function in enumerate(
        sorted(chosen, key=lambda f: (-inclusive[f], -self_cost[f], f))
    ):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        yield builder.build(function, excerpts, progress)


def sorted_by_cost(key: CostArray, among: Int64Array) -> Int64Array:
    """Return functions sorted by a cost, descending; equal ones stay in profile order.

    `key` has shape (functions,), `among` holds function ids as int64, as does the result.
    """
    return among[np.argsort(-key[among], kind="stable")]


class DetailBuilder:
    """Collects the details of the chosen functions."""

    def __init__(self, queries: ProfileQueries, event: EventType, scope: Scope) -> None:
        self._queries, self._event, self._scope = queries, event, scope
        self._labels = queries.labels(scope)

    def build(
        self, function: FunctionId, excerpts: SourceExcerpts, progress: Progress
    ) -> ReportDetail:
        """Return costs, callers, callees and source excerpts of one function."""
        queries, scope, names = self._queries, self._scope, self._queries.names
        costs = queries.costs(scope)
        inclusive, self_cost = queries.node_costs(function, self._event, scope)
        callers, more_callers = self._calls(queries.callers(function, scope))
        callees, more_callees = self._calls(queries.callees(function, scope))
        sources, problem = excerpts.read(function, progress)
        return ReportDetail(
            function,
            names.name(function),
            names.file(function),
            names.object(function),
            int(costs.cycle[function]),
            int(costs.called[function]) if costs.has_call_counts else None,
            inclusive,
            self_cost,
            callers,
            callees,
            more_callers,
            more_callees,
            sources,
            problem,
            bool(costs.is_active[function]),
        )

    def _calls(self, direct_calls: DirectCalls) -> tuple[tuple[ReportCall, ...], int]:
        """Return the costliest of the calls, and the number of the others."""
        cost = direct_calls.cost(self._queries.events, self._event)
        rows = np.argsort(-cost, kind="stable")[:_MAX_CALLS].tolist()
        calls = tuple(self._call(direct_calls, row, as_number(cost[row])) for row in rows)
        return calls, len(direct_calls) - len(rows)

    def _call(self, direct_calls: DirectCalls, row: int, cost: int | float) -> ReportCall:
        other = node_at(direct_calls.node, row)
        return ReportCall(
            other if self._queries.is_function(other) else NO_FUNCTION,
            self._labels.name(other),
            int(direct_calls.count[row]),
            cost,
            bool(direct_calls.in_cycle[row]),
            bool(direct_calls.is_active[row]),
        )
