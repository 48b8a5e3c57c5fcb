"""Articles on the costliest functions: their calls and their source lines."""

from __future__ import annotations

import math
from collections.abc import Iterator

from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.numbers import format_call_count, fraction_of, has_percentages, plural
from qcachegrind_py.reports.html.cost_tables import caller_and_callee_tables
from qcachegrind_py.reports.html.markup import escape_html, number_markup, percent_text
from qcachegrind_py.reports.html.page_data import (
    Cost,
    HtmlReport,
    ReportDetail,
    ReportLine,
    ReportSource,
)

_HEAT_LEVELS = 8  # shades of hot lines
_TAB_WIDTH = 4


def function_articles(report: HtmlReport) -> Iterator[str]:
    """Yield one article per function."""
    if not report.details:
        return
    event = escape_html(report.events[report.event_index].name)
    yield f'<section id="details"><h2>The costliest functions by {event}</h2>'
    total, linked = report.events[report.event_index].total, report.linked_functions()
    for detail in report.details:
        yield from _function_article(detail, total, linked)
    yield "</section>"


def _function_article(
    detail: ReportDetail, total: Cost, linked: frozenset[FunctionId]
) -> Iterator[str]:
    cycle = f' <span class="mark">cycle {detail.cycle}</span>' if detail.cycle else ""
    called = format_call_count(detail.called, is_active=detail.is_active)
    called += "" if detail.called is None or detail.is_active else "\N{MULTIPLICATION SIGN}"
    locations = [escape_html(path) for path in (detail.file, detail.object) if path != "???"]
    yield f'<article id="f{detail.function}"><h3>{escape_html(detail.name)}{cycle}</h3>'
    yield f'<p class="faint">{" · ".join(locations)}</p>' if locations else ""
    yield (
        f"<p>Inclusive {_cost_markup(detail.inclusive_cost, total)}, "
        f"self {_cost_markup(detail.self_cost, total)}, called {called}. "
        '<a class="up" href="#functions">All functions</a></p>'
    )
    yield from caller_and_callee_tables(detail, total, linked)
    for source in detail.sources:
        yield from _source_table(source, detail)
    if detail.problem:
        yield f'<p class="problem">{escape_html(detail.problem)}</p>'
    yield "</article>"


def _cost_markup(cost: Cost, total: Cost) -> str:
    """Return a cost and its percentage, if there is one."""
    number = f"<b>{number_markup(cost)}</b>"
    if not has_percentages(total):
        return number
    return f"{number} ({escape_html(percent_text(cost, total))}\N{THIN SPACE}%)"


def _source_table(source: ReportSource, detail: ReportDetail) -> Iterator[str]:
    yield f"<h4>{escape_html(source.path or source.file)}</h4>"
    if source.problem:
        yield f'<p class="problem">{escape_html(source.problem)}</p>'
    if not source.lines:
        return
    yield '<div class="wide"><table class="code"><thead><tr><th scope="col" class="n">Self</th>'
    yield '<th scope="col" class="n">Inclusive</th><th scope="col" class="n">Line</th>'
    yield '<th scope="col">Source</th></tr></thead><tbody>'
    for line in source.lines:
        if line.omitted_before:
            omitted = line.omitted_before
            text = f"{number_markup(omitted)} {plural(omitted, 'line')} left out"
            yield f'<tr class="gap"><td colspan="3">⋮</td><td>{text}</td></tr>'
        yield _line_row(line, detail.inclusive_cost)
    yield "</tbody></table></div>"
    if source.omitted:
        yield f'<p class="faint">… and {number_markup(source.omitted)} more lines of less cost.</p>'


def _line_row(line: ReportLine, total: Cost) -> str:
    heat = f' class="h{_heat_level(line.inclusive_cost, total)}"' if line.inclusive_cost > 0 else ""
    self_cost = number_markup(line.self_cost) if line.self_cost else ""
    inclusive = number_markup(line.inclusive_cost) if line.inclusive_cost else ""
    text = "" if line.text is None else escape_html(line.text.expandtabs(_TAB_WIDTH))
    return (
        f'<tr{heat}><td class="n">{self_cost}</td><td class="n">{inclusive}</td>'
        f'<td class="n faint">{line.line or "–"}</td><td><code>{text}</code></td></tr>'
    )


def _heat_level(cost: Cost, total: Cost) -> int:
    """Return a line's heat level, from 1 to `_HEAT_LEVELS`, by its share of the function's cost."""
    return max(1, round(_HEAT_LEVELS * math.sqrt(fraction_of(cost, total))))
