"""What a report tells of its costliest functions: callers, callees and source lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.calls.direct_calls import Neighbours
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.html.page_data import ReportCall, ReportDetail
from qcachegrind_py.reports.html.source_excerpts import SourceReading
from qcachegrind_py.tools.sources.file_search import FileSearch

_COSTLIEST = 25  # functions by inclusive cost, and as many by self cost
_NEIGHBOURS = 12  # callers of one function, and callees


def report_details(
    questions: Questions,
    search: FileSearch,
    event: EventType,
    scope: Scope,
    passing: Int64Array,
    progress: Progress,
) -> Iterator[ReportDetail]:
    """The costliest of the functions that are `passing`, the costliest first."""
    inclusive, own = questions.inclusive(event, scope), questions.self_cost(event, scope)
    chosen = {
        function
        for key in (inclusive, own)
        for function in costliest(key, passing)[:_COSTLIEST].tolist()
        if key[function] > 0
    }
    telling = _Telling(questions, event, scope)
    reading = SourceReading(questions, search, event, scope)
    for done, function in enumerate(sorted(chosen, key=lambda f: (-inclusive[f], -own[f], f))):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        yield telling.of_function(function, reading, progress)


def costliest(key: CostArray, among: Int64Array) -> Int64Array:
    """The functions by a number, the largest first, equal ones in the order of the profile."""
    return among[np.argsort(-key[among], kind="stable")]


class _Telling:
    """Puts together what is told of each of the chosen functions."""

    def __init__(self, questions: Questions, event: EventType, scope: Scope) -> None:
        self._questions, self._event, self._scope = questions, event, scope
        self._labels = questions.labels(scope)

    def of_function(
        self, function: int, reading: SourceReading, progress: Progress
    ) -> ReportDetail:
        questions, scope, names = self._questions, self._scope, self._questions.names
        costs = questions.costs(scope)
        inclusive, own = questions.entry_costs(function, self._event, scope)
        callers, more_callers = self._calls(questions.callers(function, scope))
        callees, more_callees = self._calls(questions.callees(function, scope))
        sources, problem = reading.of_function(function, progress)
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

    def _calls(self, found: Neighbours) -> tuple[tuple[ReportCall, ...], int]:
        """The costliest of the calls, and how many others there are."""
        cost = found.cost(self._questions.events, self._event)
        rows = np.argsort(-cost, kind="stable")[:_NEIGHBOURS].tolist()
        calls = tuple(self._call(found, row, as_number(cost[row])) for row in rows)
        return calls, len(found) - len(rows)

    def _call(self, found: Neighbours, row: int, cost: int | float) -> ReportCall:
        other = int(found.function[row])
        return ReportCall(
            other if other < self._questions.functions else -1,
            self._labels.name(other),
            int(found.count[row]),
            cost,
            bool(found.inside[row]),
        )
