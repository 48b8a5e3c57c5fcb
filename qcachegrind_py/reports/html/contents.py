"""What stands in a report of a profile, chosen and counted: a job, for the window and the command.

How it looks is the business of `formats.html_report`; the flame graph is made by `report_flame`,
what is told of single functions by `report_details`. Without Qt, as the command has none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.number_format import NumberStyle, cost_text, grouped
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import clean
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.profile.units import quantity_of
from qcachegrind_py.reports.html.details import costliest, report_details
from qcachegrind_py.reports.html.flame_boxes import report_flame
from qcachegrind_py.reports.html.page_data import (
    HtmlReport,
    ReportDetail,
    ReportEvent,
    ReportFlame,
    ReportFunction,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

FUNCTIONS = 1000  # in the table, where nobody asks for others
_ODDITIES = 100


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the report is of. `event` is None where the profile has none, or a ratio."""

    event: EventType | None
    scope: Scope = field(default_factory=Scope)
    filter: Filter = NO_FILTER
    sort: str = "inclusive"
    limit: int | None = FUNCTIONS


def report_contents(
    progress: Progress, questions: Questions, search: FileSearch, options: ReportOptions
) -> HtmlReport:
    """The report; a profile without events has one without costs. Raises `Cancelled`."""
    progress.check(0.0)
    return _Report(questions, search, options).made(progress)


class _Report:
    """The parts of one report."""

    def __init__(self, questions: Questions, search: FileSearch, options: ReportOptions) -> None:
        self._questions, self._search, self._options = questions, search, options
        self._names = questions.names
        self._events = [event for event in questions.events.all if not event.is_ratio]
        event = options.event
        self._event = questions.counted(event) if event is not None else None

    def made(self, progress: Progress) -> HtmlReport:
        """All parts together."""
        profile, options = self._questions.profile, self._options
        order, passing = self._order()
        shown = order[: options.limit]
        functions = self._functions(shown)
        progress.check(0.2)
        flame, details = self._pictures(passing, progress)
        return HtmlReport(
            title=f"Profile of {_subject(profile)}",
            facts=tuple(_facts(profile, options.scope)),
            events=tuple(map(self._total, self._events)),
            event=self._events.index(self._event) if self._event in self._events else 0,
            sort=options.sort,
            functions=functions,
            all_functions=len(order),
            details=details,
            flame=flame,
            notes=tuple(self._notes(len(order))),
            oddities=tuple(
                (f"{each.path}:{each.line}" if each.line else each.path, each.message)
                for each in profile.diagnostics[:_ODDITIES]
            ),
            oddity_count=profile.diagnostic_count,
        )

    def _pictures(
        self, passing: Int64Array, progress: Progress
    ) -> tuple[ReportFlame, tuple[ReportDetail, ...]]:
        """The flame graph, and what is told of single functions."""
        questions, options, event = self._questions, self._options, self._event
        if event is None:
            return ReportFlame(), ()
        scope = options.scope
        flame = report_flame(questions, event, scope, options.filter, progress)
        progress.check(0.4)
        details = report_details(questions, self._search, event, scope, passing, progress)
        return flame, tuple(details)

    def _notes(self, passing: int) -> Iterator[str]:
        """What is left out of the report, and would be missed."""
        if self._options.filter:
            hidden = grouped(self._questions.functions - passing)
            yield f"Only of what passes the filter “{self._options.filter.text}”: {hidden} hidden."
        if self._event is None:
            yield "The profile has no events, so nothing has a cost."
        elif self._event != self._options.event and self._options.event is not None:
            yield f"{self._options.event.name} is a ratio; costs are those of {self._event.name}."

    # ---------------------------------------------------------------- tables

    def _total(self, event: EventType) -> ReportEvent:
        total = self._questions.total(event, self._options.scope.parts)
        quantity = quantity_of(event.name, event.long_name)
        text = cost_text(total.base, 0, False, NumberStyle(si=True), quantity) if quantity else ""
        return ReportEvent(
            event.name,
            event.long_name,
            total.base,
            total.counted,
            total.recorded,
            text,
            event.is_derived,
        )

    def _costs(self, event: EventType) -> tuple[CostArray, CostArray]:
        """Inclusive and self cost of the functions, without cycles."""
        questions, scope = self._questions, self._options.scope
        inclusive, own = questions.inclusive(event, scope), questions.self_cost(event, scope)
        return inclusive[: questions.functions], own[: questions.functions]

    def _order(self) -> tuple[Int64Array, Int64Array]:
        """The functions that pass the filter: in the order wanted, and as they are."""
        questions, options = self._questions, self._options
        every = np.arange(questions.functions)
        if self._event is None:
            return every, every
        mask = questions.passing(options.filter, self._event, options.scope)
        passing = every if mask is None else np.flatnonzero(mask[: questions.functions])
        if options.sort == "name":
            return passing[np.argsort(self._names.name_ranks[passing], kind="stable")], passing
        inclusive, own = self._costs(self._event)
        called = questions.costs(options.scope).called[: questions.functions]
        key = {"self": own, "called": called}.get(options.sort, inclusive)
        return costliest(key, passing), passing

    def _functions(self, shown: Int64Array) -> tuple[ReportFunction, ...]:
        costs = self._questions.costs(self._options.scope)
        columns = [
            [column[shown].tolist() for column in self._costs(event)] for event in self._events
        ]
        return tuple(
            ReportFunction(
                function,
                self._names.name(function),
                self._names.file(function),
                self._names.object(function),
                int(costs.cycle[function]),
                int(costs.called[function]),
                tuple(inclusive[row] for inclusive, _ in columns),
                tuple(own[row] for _, own in columns),
            )
            for row, function in enumerate(shown.tolist())
        )


def _subject(profile: Profile) -> str:
    """What was profiled, in a word."""
    return base_name(clean(profile.program_name))


def _facts(profile: Profile, scope: Scope) -> Iterator[tuple[str, str]]:
    """What a profile is, for the head of the page."""
    if profile.command:
        yield "Command", clean(profile.command)
    yield "File" if len(profile.paths) == 1 else "Files", clean(", ".join(profile.paths))
    with contextlib.suppress(OSError, ValueError):  # gone, or nothing that can be there
        written = datetime.fromtimestamp(Path(profile.paths[0]).stat().st_mtime, UTC)
        yield "Date", f"{written:%Y-%m-%d %H:%M} UTC"
    if profile.creator:
        yield "Written by", clean(profile.creator)
    count, active = len(profile.parts), scope.parts
    if active is not None:
        yield "Parts", f"{grouped(len(active))} of {grouped(count)}"
    elif count > 1:
        yield "Parts", grouped(count)
    times = [part.description("Timerange") for part in profile.parts]
    if len(times) == 1 and times[0]:
        yield "Time range", clean(times[0])
    counts = (
        (len(profile.functions), "function"),
        (len(profile.calls), "call"),
        (len(profile.costs), "cost line"),
    )
    counted = (f"{grouped(count)} {what}{'' if count == 1 else 's'}" for count, what in counts)
    yield "Recorded", ", ".join(counted)
