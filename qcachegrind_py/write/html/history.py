"""The page of a history."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TextIO

import numpy as np

from qcachegrind_py.present.exact import FullNameCells, PhraseCells
from qcachegrind_py.present.history import (
    HISTORY_TITLES,
    HistoryReport,
    RevisionStep,
    change_text,
    history_rows,
    percent_text,
)
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count, plural
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.write.html.charts import ChartCells, total_chart
from qcachegrind_py.write.html.document import packaged, page_script, write_document
from qcachegrind_py.write.html.markup import escape_html, facts_markup
from qcachegrind_py.write.html.tables import (
    TableMarkup,
    caption,
    function_section,
)

DEFAULT_LIMIT = 1000  # functions of a page without `--limit`
_MOST_STEPS = 8
_MOST_FUNCTIONS = 5  # of a step


def write_history(report: HistoryReport, stream: TextIO) -> None:
    """Write the page of a history; the encoding must be UTF-8."""
    labels = report.history.labels
    title = f"History: {labels[0]}" + (f" → {labels[-1]}" if len(labels) > 1 else "")
    style = packaged("page.css", "history.css")
    script = page_script("comparison.js")
    table = TableMarkup(_history_table(report))
    rows = np.arange(table.table.length)
    data = {"rows": table.sort_keys(rows)}
    write_document(stream, title, style, script, data, _history(report, title, table, rows))


def _history(
    report: HistoryReport, title: str, table: TableMarkup, rows: Int64Array
) -> Iterator[str]:
    yield f"<header><h1>{escape_html(title)}</h1>"
    yield from facts_markup(_history_facts(report))
    yield '</header><main><section id="total"><h2>Total</h2>'
    yield from total_chart(report)
    yield '</section><section id="steps"><h2>Largest steps of self costs</h2>'
    yield from _steps(report)
    yield "</section>"
    costs = escape_html(f"{report.kind.capitalize()} cost in {report.event.name}")
    yield from function_section(costs, caption(len(rows), len(report.names)), table, rows)
    yield "</main>"


def _history_facts(report: HistoryReport) -> Iterator[tuple[str, str]]:
    totals = report.totals
    yield "Revisions", format_count(len(totals), DEFAULT_STYLE)
    yield "Event", report.event.name
    change = totals[-1] - totals[0]
    ends = " → ".join(format_count(total, DEFAULT_STYLE) for total in (totals[0], totals[-1]))
    texts = change_text(change, DEFAULT_STYLE), percent_text(change, totals[0], DEFAULT_STYLE)
    yield "Total", f"{ends}: {', '.join(filter(None, texts))}"


def _steps(report: HistoryReport) -> Iterator[str]:
    if not report.steps:
        yield "<p>No function steps beyond its noise.</p>"
        return
    yield "<ol>"
    for step in report.steps[:_MOST_STEPS]:
        label = escape_html(report.history.labels[step.revision])
        yield f"<li><strong>{label}</strong> {_signed(step.change)}<ul>"
        yield from _causes(report, step)
        yield "</ul></li>"
    yield "</ol>"
    if (more := len(report.steps) - _MOST_STEPS) > 0:
        yield f"<p>… and {format_count(more)} more {plural(more, 'revision')}.</p>"


def _causes(report: HistoryReport, step: RevisionStep) -> Iterator[str]:
    for function, change in step.functions[:_MOST_FUNCTIONS]:
        yield f"<li>{_signed(change)} {escape_html(report.names[function][0])}</li>"
    if (more := len(step.functions) - _MOST_FUNCTIONS) > 0:
        yield f"<li>… and {format_count(more)} more {plural(more, 'function')}</li>"


def _signed(change: int) -> str:
    kind = "more" if change > 0 else "less"
    return f'<span class="{kind}">{escape_html(change_text(change, DEFAULT_STYLE))}</span>'


def _history_table(report: HistoryReport) -> Table:
    """Return the functions of the report in their order, each with a chart."""
    rows, functions = list(history_rows(report, DEFAULT_STYLE)), report.functions
    trends = report.trends
    trend, oldest = trends.trend[functions], trends.oldest[functions]
    percent = [
        change / base if base > 0 else math.nan
        for change, base in zip(trend.tolist(), oldest.tolist(), strict=True)
    ]
    numbers = (
        trend,
        np.array(percent),
        trends.largest_step[functions],
        trends.spread[functions],
        report.costs[functions, -1],
    )

    def texts(place: int, some: Int64Array) -> list[str]:
        return [rows[row].cells[place] for row in some.tolist()]

    columns = [
        Column(title, title, "", PhraseCells(each, phrases=partial(texts, place)))
        for place, (title, each) in enumerate(zip(HISTORY_TITLES, numbers, strict=True))
    ]
    charts = ChartCells(
        lambda some: [rows[row].step_label for row in some.tolist()],
        costs=report.costs[functions],
        present=report.history.present[functions],
    )
    names = FullNameCells(lambda some: [FunctionName(*rows[row].name) for row in some.tolist()])
    return Table(
        (*columns, Column("step_in", "Step in", "", charts), Column("name", "Function", "", names)),
        len(rows),
        mark=lambda row: rows[row].mark,
    )
