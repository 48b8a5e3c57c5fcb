"""Assemble the HTML page: facts, totals, and the sections of the other modules."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.numbers import has_percentages, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.reports.html.contents import ReportOptions, report_contents
from qcachegrind_py.reports.html.cost_tables import function_table
from qcachegrind_py.reports.html.document import document, packaged_text, page_script
from qcachegrind_py.reports.html.flame_graph import flame_css, flame_graph, flame_script_data
from qcachegrind_py.reports.html.function_articles import function_articles
from qcachegrind_py.reports.html.markup import (
    escape_html,
    json_number,
    number_markup,
    plain_text,
)
from qcachegrind_py.reports.html.page_data import HtmlReport, ReportEvent
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAX_OPEN_EVENTS = 3


def write_html(report: HtmlReport, stream: TextIO) -> None:
    """Write the page; its encoding must be UTF-8."""
    for piece in _page_markup(report):
        stream.write(piece)
        stream.write("\n")


def _page_markup(report: HtmlReport) -> Iterator[str]:
    package = "qcachegrind_py.reports.html"
    styles = (packaged_text(package, "report.css"), *_bar_width_css(), *flame_css(report))
    script = page_script(package, "report.js")
    return document(report.title, "\n".join(styles), script, _script_data(report), _body(report))


def _body(report: HtmlReport) -> Iterator[str]:
    yield from _page_header(report)
    yield from _totals_section(report)
    yield "<main>"
    yield from flame_graph(report)
    yield from function_table(report)
    yield from function_articles(report)
    yield from _warnings_section(report)
    yield "</main>"


def _page_header(report: HtmlReport) -> Iterator[str]:
    yield f"<header><h1>{escape_html(report.title)}</h1><dl>"
    for label, text in report.facts:
        yield f"<dt>{escape_html(label)}</dt><dd>{escape_html(text)}</dd>"
    if report.events:
        event = report.events[report.event_index]
        title = f"{event.name}, {event.long_name}" if event.long_name else event.name
        yield f"<dt>Event</dt><dd>{escape_html(title)}</dd>"
        unit = f" = {escape_html(event.unit)}" if event.unit else ""
        total = f"<b>{number_markup(event.total)}</b>{unit}"
        if has_percentages(event.total):
            yield f"<dt>Total</dt><dd>{total}; percentages are of {_percentage_base(event)}</dd>"
        else:
            yield f"<dt>Total</dt><dd>{total}, of which there are no percentages</dd>"
    yield "</dl>"
    yield from (f'<p class="problem">{escape_html(note)}</p>' for note in report.notes)
    yield '<nav><a href="#flame">Flame graph</a>' if report.flame.boxes else "<nav>"
    yield '<a href="#functions">Functions</a>'
    yield '<a href="#details">Costliest functions</a>' if report.details else ""
    yield '<a href="#oddities">Oddities</a>' if report.warning_count else ""
    yield "</nav></header>"


def _totals_section(report: HtmlReport) -> Iterator[str]:
    """Yield the total of each event; a long list is collapsed."""
    if not report.events:
        return
    count = len(report.events)
    opened = " open" if count <= _MAX_OPEN_EVENTS else ""
    yield f'<details id="totals"{opened}><summary>Totals of {number_markup(count)} '
    yield f"{plural(count, 'event')}</summary>"
    yield '<div class="wide"><table><thead><tr><th scope="col">Event</th>'
    yield '<th scope="col" class="n">Total</th><th scope="col">Percentages are of</th>'
    yield "</tr></thead><tbody>"
    yield from map(_event_total, report.events)
    yield "</tbody></table></div></details>"


def _event_total(event: ReportEvent) -> str:
    long_name = (
        f' <span class="faint">{escape_html(event.long_name)}</span>' if event.long_name else ""
    )
    unit = f' <span class="faint">= {escape_html(event.unit)}</span>' if event.unit else ""
    return (
        f"<tr><td>{escape_html(event.name)}{long_name}</td>"
        f'<td class="n">{number_markup(event.total)}{unit}'
        f"</td><td>{_percentage_base(event)}</td></tr>"
    )


def _percentage_base(event: ReportEvent) -> str:
    """Return the base of an event's percentages, and how recorded and counted totals differ."""
    if not has_percentages(event.total):
        return "–"
    if event.recorded_total is None:
        return "the sum of all self costs; the file records no total"
    if event.recorded_total == event.counted_total:
        return "the recorded total, which is the sum of all self costs"
    if event.recorded_total > event.counted_total:
        less = number_markup(event.recorded_total - event.counted_total)
        return f"the recorded total, {less} of it not attributed"
    more = number_markup(event.counted_total - event.recorded_total)
    return f"the sum of all self costs, {more} more than the file records"


def _warnings_section(report: HtmlReport) -> Iterator[str]:
    if not report.warning_count:
        return
    count = report.warning_count
    yield '<section id="oddities"><h2>Oddities</h2>'
    yield f"<p>{number_markup(count)} {plural(count, 'place')} of the file "
    yield f"{'is' if count == 1 else 'are'} not in the expected format.</p><ul>"
    for location, message in report.warnings:
        yield f'<li><span class="faint">{escape_html(location)}</span> {escape_html(message)}</li>'
    more = count - len(report.warnings)
    yield f"<li>… and {number_markup(more)} more</li></ul></section>" if more else "</ul></section>"


def _script_data(report: HtmlReport) -> dict[str, object]:
    """Return the script's data that the page itself does not contain."""
    return {
        "events": [
            {"name": plain_text(event.name), "total": json_number(event.total)}
            for event in report.events
        ],
        "event": report.event_index,
        "functions": [
            [
                function.called,
                list(map(json_number, function.inclusive_cost)),
                list(map(json_number, function.self_cost)),
            ]
            for function in report.functions
        ],
        "boxes": flame_script_data(report),
    }


def _bar_width_css() -> Iterator[str]:
    """Yield the CSS rules for the lengths of the bars behind percentages."""
    return (f".p{share}{{--w:{share}%}}" for share in range(1, 101))


def save_report(
    progress: Progress,
    path: Path,
    queries: ProfileQueries,
    search: FileSearch,
    options: ReportOptions,
) -> Path:
    """Write the page completely or not at all, and return its path.

    Raises `UnwritableFile` and `Cancelled`.
    """
    page = io.StringIO()
    write_html(report_contents(progress, queries, search, options), page)
    progress.check(1.0)
    with atomic_write(path) as stream:
        stream.write(page.getvalue().encode("utf-8", "replace"))
    return path
