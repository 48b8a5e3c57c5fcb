"""Collect the contents of an HTML report, for the window and for the command; no Qt.

`page` lays it out; `flame_boxes` builds the flame graph, `details` the costliest functions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.folded_queries import folded_mask, unfolded_queries
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    NumberStyle,
    format_cost,
    format_count,
    plural,
    unit_of,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.reports.folding import estimated_self_costs, folding_facts
from qcachegrind_py.reports.html.details import report_details
from qcachegrind_py.reports.html.flame_boxes import report_flame
from qcachegrind_py.reports.html.page_data import (
    HtmlReport,
    ReportDetail,
    ReportEvent,
    ReportFlame,
    ReportFunction,
)
from qcachegrind_py.reports.selection import Order, ReportSelection, SortKey
from qcachegrind_py.tools.sources.file_search import FileSearch

DEFAULT_FUNCTION_LIMIT = 1000  # rows of the function table by default
_MAX_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The selection of a report; `event` is None if the profile has none, or only a ratio."""

    event: EventType | None
    scope: Scope = field(default_factory=Scope)
    filter: Filter = NO_FILTER
    sort: SortKey = "inclusive"
    limit: int | None = DEFAULT_FUNCTION_LIMIT
    threshold: Fraction | None = None  # percent, as in `ReportSelection`


def report_contents(
    progress: Progress, queries: ProfileQueries, search: FileSearch, options: ReportOptions
) -> HtmlReport:
    """Return the report; without costs if the profile has no events. Raises `Cancelled`."""
    progress.check(0.0)
    return _ReportBuilder(queries, search, options).build(progress)


class _ReportBuilder:
    """Builds the sections of one report."""

    def __init__(self, queries: ProfileQueries, search: FileSearch, options: ReportOptions) -> None:
        self._queries, self._search, self._options = queries, search, options
        self._names = queries.names
        self._events = [event for event in queries.events.all if not event.is_ratio]
        event = options.event
        self._event = queries.measured_event(event) if event is not None else None

    def build(self, progress: Progress) -> HtmlReport:
        """Return the whole report."""
        profile, options = self._queries.profile, self._options
        order, visible = self._visible_functions()
        shown = order[: options.limit]
        functions = self._function_rows(shown)
        progress.check(0.2)
        flame, details = self._flame_and_details(visible, progress)
        return HtmlReport(
            title=f"Profile of {_program_name(profile)}",
            facts=(
                *_facts(unfolded_queries(self._queries).profile, options.scope),
                *folding_facts(self._queries, [options.scope], DEFAULT_STYLE),
            ),
            events=tuple(map(self._report_event, self._events)),
            event_index=self._events.index(self._event) if self._event in self._events else 0,
            sort=options.sort,
            functions=functions,
            function_count=len(order),
            details=details,
            flame=flame,
            notes=tuple(self._omission_notes(len(order))),
            warnings=tuple(
                (
                    f"{diagnostic.path}:{diagnostic.line}" if diagnostic.line else diagnostic.path,
                    diagnostic.message,
                )
                for diagnostic in profile.diagnostics[:_MAX_WARNINGS]
            ),
            warning_count=profile.diagnostic_count,
        )

    def _flame_and_details(
        self, visible: Int64Array, progress: Progress
    ) -> tuple[ReportFlame, tuple[ReportDetail, ...]]:
        """Return the flame graph, and the details of the costliest functions."""
        queries, options, event = self._queries, self._options, self._event
        if event is None:
            return ReportFlame(), ()
        scope = options.scope
        flame = report_flame(queries, event, scope, options.filter, progress)
        progress.check(0.4)
        details = report_details(queries, self._search, event, scope, visible, progress)
        return flame, tuple(details)

    def _omission_notes(self, visible_count: int) -> Iterator[str]:
        """Yield notes about what the report leaves out."""
        if self._options.filter:
            is_folded = folded_mask(self._queries)
            folded = 0 if is_folded is None else int(is_folded.sum())
            hidden = format_count(self._queries.function_count - folded - visible_count)
            text = self._options.filter.text
            yield f"Only functions matching the filter “{text}”: {hidden} hidden."
        if self._event is None:
            yield "The profile has no events, so nothing has a cost."
        elif self._event != self._options.event and self._options.event is not None:
            yield f"{self._options.event.name} is a ratio; costs are those of {self._event.name}."

    # ---------------------------------------------------------------- tables

    def _report_event(self, event: EventType) -> ReportEvent:
        total = self._queries.total(event, self._options.scope.parts)
        quantity = unit_of(event.name, event.long_name)
        text = (
            format_cost(total.base, 0, False, NumberStyle(use_si_prefixes=True), quantity)
            if quantity
            else ""
        )
        return ReportEvent(
            event.name,
            event.long_name,
            total.base,
            total.counted,
            total.recorded,
            text,
            event.is_derived,
        )

    def _function_costs(self, event: EventType) -> tuple[CostArray, CostArray]:
        """Return inclusive and self cost of the functions, without cycles: shape (functions,)."""
        queries, scope = self._queries, self._options.scope
        inclusive, self_cost = queries.inclusive(event, scope), queries.self_cost(event, scope)
        return inclusive[: queries.function_count], self_cost[: queries.function_count]

    def _visible_functions(self) -> tuple[Int64Array, Int64Array]:
        """Return the functions that pass the filter: in the chosen, and in the profile's order."""
        options, events = self._options, () if self._event is None else (self._event,)
        order = ReportSelection(
            self._queries,
            events,
            options.scope,
            Order(options.sort),
            options.filter,
            options.threshold,
        ).functions
        visible = np.sort(order)
        if options.sort == "name":
            return visible[np.argsort(self._names.name_ranks[visible], kind="stable")], visible
        return order, visible

    def _function_rows(self, shown: Int64Array) -> tuple[ReportFunction, ...]:
        costs = self._queries.costs(self._options.scope)
        estimated = estimated_self_costs(self._queries, self._options.scope)
        columns = [
            [column[shown].tolist() for column in self._function_costs(event)]
            for event in self._events
        ]
        return tuple(
            ReportFunction(
                function,
                self._names.name(function),
                self._names.file(function),
                self._names.object(function),
                int(costs.cycle[function]),
                int(costs.called[function]) if costs.has_call_counts else None,
                tuple(inclusive[row] for inclusive, _ in columns),
                tuple(self_cost[row] for _, self_cost in columns),
                bool(costs.is_active[function]),
                bool(estimated[function]),
            )
            for row, function in enumerate(function_ids(shown))
        )


def _program_name(profile: Profile) -> str:
    """Return the name of the profiled program."""
    return to_display(base_name(profile.program_name))


def _facts(profile: Profile, scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the facts about the profile for the head of the page, as label and text."""
    if profile.command:
        yield "Command", to_display(profile.command)
    yield "File" if len(profile.paths) == 1 else "Files", to_display(", ".join(profile.paths))
    with contextlib.suppress(OSError, ValueError):  # deleted, or not a valid path
        modified = path_on_disk(Path(profile.paths[0])).stat().st_mtime
        written = datetime.fromtimestamp(modified, UTC)
        yield "Date", f"{written:%Y-%m-%d %H:%M} UTC"
    if profile.creator:
        yield "Written by", to_display(profile.creator)
    count, active = len(profile.parts), scope.parts
    if active is not None:
        yield "Parts", f"{format_count(len(active))} of {format_count(count)}"
    elif count > 1:
        yield "Parts", format_count(count)
    times = [part.description("Timerange") for part in profile.parts]
    if len(times) == 1 and times[0]:
        yield "Time range", to_display(times[0])
    counts = (
        (len(profile.functions), "function"),
        (len(profile.calls), "call"),
        (len(profile.costs), "cost line"),
    )
    recorded = (f"{format_count(count)} {plural(count, noun)}" for count, noun in counts)
    yield "Recorded", ", ".join(recorded)
