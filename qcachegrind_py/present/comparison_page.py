"""The page of a comparison: what only two single runs have, and what a window compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from qcachegrind_py.present.change_facts import (
    comparison_facts,
    files_text,
    most_changed,
    summary,
    totals_grid,
    verdicts,
)
from qcachegrind_py.present.change_table import growth_texts, people_table
from qcachegrind_py.present.exact import ExactCells, PhraseCells
from qcachegrind_py.present.figures import largest
from qcachegrind_py.present.flame_graph import flame_graph
from qcachegrind_py.present.function_articles import changed_most, most_changed_functions
from qcachegrind_py.present.page import (
    PAGE_LIMIT,
    Article,
    Articles,
    Beside,
    Contents,
    Facts,
    FunctionList,
    Listing,
    Note,
    Page,
    Rules,
    Section,
    counted_functions,
    flame_section,
)
from qcachegrind_py.present.table import Column, Table
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, NumberStyle, format_count
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

_MOST_CHANGED = 10  # functions that grew, and that shrank
MOST_ARTICLES = 5  # functions of which text and Markdown have lines and calls
_OF_LINES = (
    "Costs are the self costs of lines. A line that both sides have stands once; "
    "– is a side without it."
)
_ORDER = ComparisonOrder("change", "self")


def comparison_page(
    progress: Progress,
    report: ComparisonReport,
    compared: Comparison | None,
    search: FileSearch,
    base_search: BaseSearch = NO_BASE_SEARCH,
    limit: int = PAGE_LIMIT,
) -> Page:
    """Return the page with at most `limit` functions. Raises `Cancelled`.

    Flame graph and articles are of two single runs: without a base, and for medians of repeated
    runs, there are none. Sources of the base are sought with `base_search`, too.
    """
    base, event = report.base, report.event.event.name
    unit = f", {report.unit}" if report.unit else ""
    listed = report.functions[:limit]
    rows = {function: f"f{function}" for function in listed.tolist()}
    flame, articles, of_sources, measured = None, tuple[Article, ...](), dict[int, str](), event
    if compared is not None and not isinstance(compared, RepeatedComparison):
        of_graph = compared.queries.measured_event(report.event.event)
        part = PartialProgress(progress, 0, 0.4)
        flame = flame_graph(
            compared.queries,
            of_graph,
            compared.new,
            _visible(report, compared),
            part,
            base=compared.base,
        )
        shown, searches = report.pairs.shown, (search, base_search)
        articles = tuple(
            most_changed_functions(
                compared,
                of_graph,
                changed_most(compared, of_graph, report.functions),
                shown,
                searches,
                progress,
            )
        )
        of_sources = {article.function: f"s{article.function}" for article in articles}
        measured = of_graph.name
    sections = []
    if report.rules:
        rules = Rules(verdicts(report, DEFAULT_STYLE))
        sections.append(Section("rules", "Rules", [rules], "Rules"))
    sections.append(
        Section("totals", "Totals", [totals_grid(report, DEFAULT_STYLE, "Event")], "Totals")
    )
    if base is not None:
        title = f"What changed in {event}, {report.kind} cost{unit}"
        changed = _changes(report, rows | of_sources)
        sections.append(Section("changes", title, [changed], "What changed"))
    if flame is not None:
        sections.append(flame_section(flame, rows))
    functions = Listing(_page_table(report), listed, anchored=rows.keys())
    sections.append(
        Section(
            "functions",
            f"{report.kind.capitalize()} cost in {event}{unit}",
            [Note(counted_functions(len(listed), len(report.functions))), FunctionList(functions)],
            "Functions",
        )
    )
    if articles:
        title = f"Source of what changed most in {measured}"
        blocks = Note(_OF_LINES), Articles(articles, of_sources)
        sections.append(Section("sources", title, blocks, "Source"))
    facts = (each for each in comparison_facts(report, DEFAULT_STYLE) if each[0] != "Growth")
    return Page(
        [
            Facts(tuple(summary(report, DEFAULT_STYLE)), is_answer=True),
            Contents(),
            Facts(tuple(facts), warnings=frozenset(("Damaged", "Differs"))),
        ],
        f"{files_text(base)} → {files_text(report.new)}" if base else files_text(report.new),
        sections,
        "comparison",
    )


def changed_code(
    report: ComparisonReport,
    compared: Comparison | None,
    searches: tuple[FileSearch, BaseSearch],
    style: NumberStyle,
    most: int = MOST_ARTICLES,
) -> list[Article]:
    """Return articles on the functions that meet a rule, and on those that changed most.

    There are `most` of the latter, and none without a base or of medians of repeated runs.
    """
    if compared is None or isinstance(compared, RepeatedComparison):
        return []
    event = compared.queries.measured_event(report.event.event)
    met = [result.functions for result in report.rules if result.is_met]
    of_rules = np.unique(np.concatenate((*met, np.zeros(0, np.int64)))).astype(np.int64)
    sizes = np.abs(compared.inclusive(event).change[of_rules])
    named = function_ids(of_rules[np.argsort(-sizes, kind="stable")][:MOST_ARTICLES])
    chosen = dict.fromkeys((*named, *changed_most(compared, event, report.functions, most)))
    articles = most_changed_functions(
        compared,
        event,
        list(chosen)[: max(most, len(named))],
        report.pairs.shown,
        searches,
        NoProgress(),
        style,
    )
    return [each for each in articles if each.excerpts or each.calls]


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


def _page_table(report: ComparisonReport) -> Table:
    """Return the functions as people see them, with bars for the changes."""
    table = people_table(report, DEFAULT_STYLE)
    if report.base is None:
        return table
    longest = largest(report.figures().change[report.functions])
    changes = _change_column(table, longest)
    return replace(table, columns=(changes, *table.columns[1:]))


def _changes(report: ComparisonReport, links: Mapping[int, str]) -> Beside:
    """Return what grew and what shrank most, with changes alone: shares have none in percent."""
    table = people_table(report, DEFAULT_STYLE)
    growth = PhraseCells(
        np.zeros(table.length), phrases=partial(growth_texts, report, DEFAULT_STYLE)
    )
    percent = Column("percent", "%", "", growth)
    columns = _change_column(table, None), percent, table.column("name")
    changes, table = most_changed(report, _MOST_CHANGED), Table(columns, table.length)

    def listing(title: str, functions: Int64Array, count: int) -> Listing:
        more = count - len(functions)
        return Listing(
            table,
            functions,
            title,
            none=f"No function has {title.lower()}.",
            more=f"… and {format_count(more)} more." if more else "",
            links=links,
            has_files=False,
        )

    return Beside(
        (
            listing("Grown", changes.grown, changes.grown_count),
            listing("Shrunk", changes.shrunk, changes.shrunk_count),
        )
    )


def _change_column(table: Table, longest: int | float | None) -> Column:
    """Return the column of changes; their bars are as long as they are in this largest one."""
    column = table.column("change")
    cells = column.cells
    assert isinstance(cells, ExactCells)
    bars = PhraseCells(cells.costs, phrases=cells.texts, longest=longest, are_changes=True)
    return replace(column, cells=bars)


def window_page(
    progress: Progress,
    compared: Comparison,
    event: EventType,
    filter_: Filter,
    search: FileSearch,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> Page:
    """Return the page of what a window compares, with the functions that pass the filter.

    Raises `Cancelled`.
    """
    report = _window_report(compared, event, filter_, PartialProgress(progress, 0, 0.4))
    part = PartialProgress(progress, 0.4, 0.95)
    return comparison_page(part, report, compared, search, base_search)


def _window_report(
    compared: Comparison, event: EventType, filter_: Filter, progress: Progress
) -> ComparisonReport:
    sides = Sides(
        compared.queries, compared.new, compared.new_profile, compared, compared.differences
    )
    shown = sides.event_comparison(event if event in sides.events else sides.events[0])
    progress.check(0.3)
    rows = rows_in_order(_ORDER, cost_figures(shown, _ORDER.kind, undivided), sides.called)
    if filter_:
        rows = rows[np.asarray(matching_functions(filter_, sides.subject(shown.event)))[rows]]
    progress.check(0.6)
    return sides.report((shown,), sides.occurring(rows))
