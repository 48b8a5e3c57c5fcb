"""What a report tells of its costliest functions: callers, callees and source lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.calls.direct_calls import DirectCalls
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
_MAX_CALLS = 12  # callers of one function, and callees


def report_details(
    queries: ProfileQueries,
    search: FileSearch,
    event: EventType,
    scope: Scope,
    visible: Int64Array,
    progress: Progress,
) -> Iterator[ReportDetail]:
    """The costliest of the functions that are `passing`, the costliest first."""
    inclusive, own = queries.inclusive(event, scope), queries.self_cost(event, scope)
    chosen = {
        function
        for key in (inclusive, own)
        for function in function_ids(sorted_by_cost(key, visible)[:_MAX_DETAILS])
        if key[function] > 0
    }
    telling = DetailBuilder(queries, event, scope)
    reading = SourceExcerpts(queries, search, event, scope)
    for done, function in enumerate(sorted(chosen, key=lambda f: (-inclusive[f], -own[f], f))):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        yield telling.build(function, reading, progress)


def sorted_by_cost(key: CostArray, among: Int64Array) -> Int64Array:
    """The functions by a number, the largest first, equal ones in the order of the profile."""
    return among[np.argsort(-key[among], kind="stable")]


class DetailBuilder:
    """Puts together what is told of each of the chosen functions."""

    def __init__(self, queries: ProfileQueries, event: EventType, scope: Scope) -> None:
        self._queries, self._event, self._scope = queries, event, scope
        self._labels = queries.labels(scope)

    def build(
        self, function: FunctionId, excerpts: SourceExcerpts, progress: Progress
    ) -> ReportDetail:
        """Gather costs, callers, callees and source excerpts of one function."""
        queries, scope, names = self._queries, self._scope, self._queries.names
        costs = queries.costs(scope)
        inclusive, own = queries.node_costs(function, self._event, scope)
        callers, more_callers = self._calls(queries.callers(function, scope))
        callees, more_callees = self._calls(queries.callees(function, scope))
        sources, problem = excerpts.read(function, progress)
        return ReportDetail(
            function,
            names.name(function),
            names.file(function),
            names.object(function),
            int(costs.cycle[function]),
            int(costs.called[function]),
            inclusive,
            own,
            callers,
            callees,
            more_callers,
            more_callees,
            sources,
            problem,
        )

    def _calls(self, found: DirectCalls) -> tuple[tuple[ReportCall, ...], int]:
        """The costliest of the calls, and how many others there are."""
        cost = found.cost(self._queries.events, self._event)
        rows = np.argsort(-cost, kind="stable")[:_MAX_CALLS].tolist()
        calls = tuple(self._call(found, row, as_number(cost[row])) for row in rows)
        return calls, len(found) - len(rows)

    def _call(self, found: DirectCalls, row: int, cost: int | float) -> ReportCall:
        other = node_at(found.node, row)
        return ReportCall(
            other if self._queries.is_function(other) else NO_FUNCTION,
            self._labels.name(other),
            int(found.count[row]),
            cost,
            bool(found.in_cycle[row]),
        )
