"""Save what a window compares as a page for a browser."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.filters.expression import Filter, matching_functions
from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.reports.comparison.contents import ComparisonReport, EventComparison
from qcachegrind_py.reports.comparison.html.details import change_details
from qcachegrind_py.reports.comparison.html.page import DEFAULT_LIMIT, write_html
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.comparison.row_order import ComparisonOrder, rows_in_order
from qcachegrind_py.reports.comparison.sides import Sides
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

_ORDER = ComparisonOrder("change", "self")


def save_page(
    progress: Progress,
    path: Path,
    compared: Comparison,
    event: EventType,
    filter_: Filter,
    search: FileSearch,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> Path:
    """Write the page completely or not at all, and return its path.

    Only functions that pass the filter are on it; sources are found as in the window. Raises
    `UnwritableFile` and `Cancelled`.
    """
    report = _report(compared, event, filter_, PartialProgress(progress, 0, 0.4))
    part = PartialProgress(progress, 0.4, 0.95)
    details = change_details(report, compared, search, part, base_search)
    with atomic_write(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "replace", newline="\n")
        write_html(report, text, Measure(), _ORDER.kind, DEFAULT_LIMIT, details)
        text.flush()
        text.detach()
        progress.check(1.0)
    return path


def _report(
    compared: Comparison, event: EventType, filter_: Filter, progress: Progress
) -> ComparisonReport:
    sides = Sides(
        compared.queries, compared.new, compared.new_profile, compared, compared.differences
    )
    shown = sides.event_comparison(event if event in sides.events else sides.events[0])
    progress.check(0.3)
    rows = rows_in_order(_ORDER, Measure().measured(shown.costs(_ORDER.kind), shown), sides.called)
    if filter_:
        rows = rows[np.asarray(matching_functions(filter_, sides.subject(shown.event)))[rows]]
    progress.check(0.6)
    rows = sides.occurring(rows)
    return ComparisonReport(
        base=sides.base,
        new=sides.new,
        differences=sides.differences,
        events=(shown,),
        measured=_measured(sides, shown),
        events_only_base=compared.only_base,
        events_only_new=compared.only_new,
        pairs=sides.pairs,
        called=sides.called,
        functions=rows,
        split_cycle=sides.split_cycle,
        proposals=sides.proposals,
        folded=sides.folded,
    )


def _measured(sides: Sides, shown: EventComparison) -> tuple[EventComparison, ...]:
    """Return all measured events that both sides have."""
    return tuple(
        shown if event == shown.event else sides.event_comparison(event)
        for event in sides.events
        if not event.is_derived
    )
