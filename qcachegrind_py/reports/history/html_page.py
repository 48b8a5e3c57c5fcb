"""A history as an HTML page for offline reading: chart of the total, largest steps, functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count, plural
from qcachegrind_py.reports.history.charts import small_chart, total_chart
from qcachegrind_py.reports.history.contents import HistoryReport, RevisionStep
from qcachegrind_py.reports.history.rows import (
    TITLES,
    HistoryRow,
    change_text,
    history_rows,
    percent_text,
)
from qcachegrind_py.reports.html.cost_tables import file_markup
from qcachegrind_py.reports.html.document import document, packaged_text, page_script
from qcachegrind_py.reports.html.markup import escape_html, json_number, number_markup, search_bar

DEFAULT_LIMIT = 1000  # functions of a page without `--limit`
_MOST_STEPS = 8
_MOST_FUNCTIONS = 5  # of a step
_TEXTS = ("Step in", "Function", "File", "Object")


def write_html(report: HistoryReport, stream: TextIO) -> None:
    """Write the page; its encoding must be UTF-8."""
    here = "qcachegrind_py.reports.history"
    style = "\n".join(
        (
            packaged_text("qcachegrind_py.reports.html", "report.css"),
            packaged_text(here, "history.css"),
        )
    )
    script = page_script("qcachegrind_py.reports.comparison.html", "comparison.js")
    data = {"rows": _numbers(report)}
    for piece in document(_title(report), style, script, data, _content(report)):
        stream.write(f"{piece}\n")


def _title(report: HistoryReport) -> str:
    labels = report.history.labels
    return f"History: {labels[0]} → {labels[-1]}" if len(labels) > 1 else f"History: {labels[0]}"


def _content(report: HistoryReport) -> Iterator[str]:
    yield f"<header><h1>{escape_html(_title(report))}</h1><dl>"
    for key, value in _facts(report):
        yield f"<dt>{key}</dt><dd>{escape_html(value)}</dd>"
    yield '</dl></header><main><section id="total"><h2>Total</h2>'
    yield from total_chart(report)
    yield '</section><section id="steps"><h2>Largest steps of self costs</h2>'
    yield from _steps(report)
    yield "</section>"
    yield from _functions(report)
    yield "</main>"


def _facts(report: HistoryReport) -> Iterator[tuple[str, str]]:
    totals = report.totals
    yield "Revisions", format_count(len(totals), DEFAULT_STYLE)
    yield "Event", report.event.name
    change = totals[-1] - totals[0]
    ends = " → ".join(format_count(total, DEFAULT_STYLE) for total in (totals[0], totals[-1]))
    texts = change_text(change, DEFAULT_STYLE), percent_text(change, totals[0], DEFAULT_STYLE)
    yield "Total", f"{ends}: {', '.join(filter(None, texts))}"


# ---------------------------------------------------------------- steps


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
        yield f"<p>… and {number_markup(more)} more {plural(more, 'revision')}.</p>"


def _causes(report: HistoryReport, step: RevisionStep) -> Iterator[str]:
    for function, change in step.functions[:_MOST_FUNCTIONS]:
        yield f"<li>{_signed(change)} {escape_html(report.names[function][0])}</li>"
    if (more := len(step.functions) - _MOST_FUNCTIONS) > 0:
        yield f"<li>… and {number_markup(more)} more {plural(more, 'function')}</li>"


def _signed(change: int) -> str:
    kind = "more" if change > 0 else "less"
    return f'<span class="{kind}">{escape_html(change_text(change, DEFAULT_STYLE))}</span>'


# ---------------------------------------------------------------- functions


def _functions(report: HistoryReport) -> Iterator[str]:
    kind = "Self" if report.kind == "self" else "Inclusive"
    yield f'<section id="functions"><h2>{kind} cost in {escape_html(report.event.name)}</h2>'
    yield f"<p>{_caption(report)}</p>"
    yield search_bar()
    yield '<div class="wide"><table id="table"><thead><tr>'
    yield from (f'<th scope="col" class="n">{title}</th>' for title in TITLES)
    yield from (
        f'<th scope="col"{" class=w" if place > 1 else ""}>{title}</th>'
        for place, title in enumerate(_TEXTS)
    )
    yield "</tr></thead><tbody>"
    for row in history_rows(report, DEFAULT_STYLE):
        yield _function_row(report, row)
    yield "</tbody></table></div></section>"


def _caption(report: HistoryReport) -> str:
    shown, count = len(report.functions), len(report.names)
    if shown == count:
        return f"{number_markup(count)} {plural(count, 'function')}."
    return (
        f"The first {number_markup(shown)} of {number_markup(count)} functions; "
        "the others are not in this file."
    )


def _function_row(report: HistoryReport, row: HistoryRow) -> str:
    mark = f' <span class="mark">{escape_html(row.mark)}</span>' if row.mark else ""
    function, (name, file, object_) = row.function, row.name
    chart = small_chart(report.costs[function].tolist(), report.history.present[function].tolist())
    numbers = "".join(f'<td class="n">{escape_html(cell)}</td>' for cell in row.cells)
    shown = escape_html(name)
    return (
        f"<tr>{numbers}<td>{chart}<div>{escape_html(row.step_label)}</div></td>"
        f'<td class="name"><div class="function" title="{shown}">{shown}{mark}</div></td>'
        f"{file_markup(file)}{file_markup(object_)}</tr>"
    )


def _numbers(report: HistoryReport) -> list[list[int | float | str | None]]:
    """Return what each row is sorted by: trend, that in percent, step, spread, newest cost."""
    numbers = report.trends
    rows: list[list[int | float | str | None]] = []
    for function in report.functions.tolist():
        trend, oldest = int(numbers.trend[function]), int(numbers.oldest[function])
        rows.append(
            [
                json_number(trend),
                trend / oldest if oldest > 0 else None,
                json_number(numbers.largest_step[function]),
                json_number(numbers.spread[function]),
                json_number(report.costs[function, -1]),
            ]
        )
    return rows
