"""The page of a comparison: what only two single runs have, and what a window compares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.selections import RepeatedComparison
from qcachegrind_py.analysis.filters.expression import Filter, matching_functions
from qcachegrind_py.present.change import (
    ComparisonOrder,
    ComparisonReport,
    Sides,
    cost_figures,
    rows_in_order,
    undivided,
)
from qcachegrind_py.present.change_table import growth_texts, people_table
from qcachegrind_py.present.exact import ExactCells, PhraseCells
from qcachegrind_py.present.figures import largest
from qcachegrind_py.present.flame_graph import FlameGraph, compared_flame_graph
from qcachegrind_py.present.function_articles import Article, most_changed_functions
from qcachegrind_py.present.table import Column, Table
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import DEFAULT_STYLE
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

_ORDER = ComparisonOrder("change", "self")


@dataclass(frozen=True, slots=True, eq=False)
class ChangeDetails:
    """The flame graph of both sides, and articles on what changed most, in a measured event."""

    event: EventType
    flame: FlameGraph | None
    articles: tuple[Article, ...]


def change_details(
    report: ComparisonReport,
    compared: Comparison | None,
    search: FileSearch,
    progress: Progress,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> ChangeDetails | None:
    """Return the details; None without a base, and for medians of repeated runs.

    Sources of the base are sought with `base_search`, too. Raises `Cancelled`.
    """
    if compared is None or isinstance(compared, RepeatedComparison):
        return None
    event = compared.queries.measured_event(report.event.event)
    flame = compared_flame_graph(
        compared, event, _visible(report, compared), PartialProgress(progress, 0, 0.4)
    )
    searches = search, base_search
    articles = most_changed_functions(
        compared, event, report.functions, report.pairs.shown, searches, progress
    )
    return ChangeDetails(event, flame, tuple(articles))


def _visible(report: ComparisonReport, compared: Comparison) -> BoolArray | None:
    """Return the mask of the nodes that the report has; None if it has all functions."""
    if len(report.functions) == len(report.pairs):
        return None
    cycle = compared.queries.costs(compared.new).cycle
    visible = np.zeros(len(cycle), bool)
    visible[report.functions] = True
    of_cycles = cycle[report.functions]
    visible[len(report.pairs) - 1 + of_cycles[of_cycles > 0]] = True
    return visible


def page_table(report: ComparisonReport) -> Table:
    """Return the functions as people see them, with bars for the changes."""
    table = people_table(report, DEFAULT_STYLE)
    if report.base is None:
        return table
    longest = largest(report.figures().change[report.functions])
    changes = _change_column(table, longest)
    return replace(table, columns=(changes, *table.columns[1:]))


def changes_table(report: ComparisonReport) -> Table:
    """Return the functions with their changes alone; of shares there is none in percent."""
    table = people_table(report, DEFAULT_STYLE)
    growth = PhraseCells(
        np.zeros(table.length), phrases=partial(growth_texts, report, DEFAULT_STYLE)
    )
    shown = (
        _change_column(table, None),
        Column("percent", "%", "", growth),
        table.column("name"),
    )
    return Table(shown, table.length)


def _change_column(table: Table, longest: int | float | None) -> Column:
    """Return the column of changes; their bars are as long as they are in this largest one."""
    column = table.column("change")
    cells = column.cells
    assert isinstance(cells, ExactCells)
    bars = PhraseCells(cells.costs, phrases=cells.texts, longest=longest, are_changes=True)
    return replace(column, cells=bars)


def window_report(
    compared: Comparison, event: EventType, filter_: Filter, progress: Progress
) -> ComparisonReport:
    """Return the report of what a window compares, with the functions that pass the filter."""
    sides = Sides(
        compared.queries, compared.new, compared.new_profile, compared, compared.differences
    )
    shown = sides.event_comparison(event if event in sides.events else sides.events[0])
    progress.check(0.3)
    rows = rows_in_order(_ORDER, cost_figures(shown, _ORDER.kind, undivided), sides.called)
    if filter_:
        rows = rows[np.asarray(matching_functions(filter_, sides.subject(shown.event)))[rows]]
    progress.check(0.6)
    return ComparisonReport(
        base=sides.base,
        new=sides.new,
        differences=sides.differences,
        events=(shown,),
        measured=tuple(
            shown if each == shown.event else sides.event_comparison(each)
            for each in sides.events
            if not each.is_derived
        ),
        events_only_base=compared.only_base,
        events_only_new=compared.only_new,
        pairs=sides.pairs,
        called=sides.called,
        functions=sides.occurring(rows),
        split_cycle=sides.split_cycle,
        proposals=sides.proposals,
        folded=sides.folded,
    )
