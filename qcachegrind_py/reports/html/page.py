"""The page as a whole: head, facts, totals, and what the other modules write.

Nothing is loaded, and nothing but our own script and style is obeyed: a Content-Security-Policy
with their hashes says so to the browser, so that a name that should ever get past `markup` still
does nothing. Hashes rather than 'unsafe-inline', as that would let such a name run, too.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TextIO

from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.formats.atomic_write import written_whole
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.reports.html.contents import ReportOptions, report_contents
from qcachegrind_py.reports.html.cost_tables import function_table
from qcachegrind_py.reports.html.flame_graph import flame_data, flame_graph, flame_style
from qcachegrind_py.reports.html.function_articles import details
from qcachegrind_py.reports.html.markup import (
    html,
    number,
    plain,
    script_data,
    script_number,
)
from qcachegrind_py.reports.html.page_data import HtmlReport, ReportEvent
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.version import __version__

_FEW_EVENTS = 3


def write_html(report: HtmlReport, stream: TextIO) -> None:
    """Write the page; its encoding must be UTF-8."""
    for piece in _page(report):
        stream.write(piece)
        stream.write("\n")


def _page(report: HtmlReport) -> Iterator[str]:
    script = _resource("report.js")
    style = "\n".join((_resource("report.css"), *_shares(), *flame_style(report)))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{html(report.title)}</title>"
    yield f"<style>{style}</style>\n</head>\n<body>"
    yield from _header(report)
    yield from _totals(report)
    yield "<main>"
    yield from flame_graph(report)
    yield from function_table(report)
    yield from details(report)
    yield from _oddities(report)
    yield "</main>"
    yield f"<footer>Written by qcachegrind_py {html(__version__)}.</footer>"
    yield f'<script type="application/json" id="data">{script_data(_data(report))}</script>'
    yield f"<script>{script}</script>\n</body>\n</html>"


def _header(report: HtmlReport) -> Iterator[str]:
    yield f"<header><h1>{html(report.title)}</h1><dl>"
    for label, text in report.facts:
        yield f"<dt>{html(label)}</dt><dd>{html(text)}</dd>"
    if report.events:
        event = report.events[report.event]
        title = f"{event.name}, {event.long_name}" if event.long_name else event.name
        yield f"<dt>Event</dt><dd>{html(title)}</dd>"
        unit = f" = {html(event.unit)}" if event.unit else ""
        yield f"<dt>Total</dt><dd><b>{number(event.total)}</b>{unit}; percentages are of "
        yield f"{_base(event)}</dd>"
    yield "</dl>"
    yield from (f'<p class="problem">{html(note)}</p>' for note in report.notes)
    yield '<nav><a href="#flame">Flame graph</a>' if report.flame.boxes else "<nav>"
    yield '<a href="#functions">Functions</a>'
    yield '<a href="#details">Costliest functions</a>' if report.details else ""
    yield '<a href="#oddities">Oddities</a>' if report.oddity_count else ""
    yield "</nav></header>"


def _totals(report: HtmlReport) -> Iterator[str]:
    """What all functions cost together, of many events folded away."""
    if not report.events:
        return
    count = len(report.events)
    opened = " open" if count <= _FEW_EVENTS else ""
    yield f'<details id="totals"{opened}><summary>Totals of {number(count)} '
    yield f"event{'' if count == 1 else 's'}</summary>"
    yield '<div class="wide"><table><thead><tr><th scope="col">Event</th>'
    yield '<th scope="col" class="n">Total</th><th scope="col">Percentages are of</th>'
    yield "</tr></thead><tbody>"
    yield from map(_total, report.events)
    yield "</tbody></table></div></details>"


def _total(event: ReportEvent) -> str:
    long_name = f' <span class="faint">{html(event.long_name)}</span>' if event.long_name else ""
    unit = f' <span class="faint">= {html(event.unit)}</span>' if event.unit else ""
    return (
        f'<tr><td>{html(event.name)}{long_name}</td><td class="n">{number(event.total)}{unit}'
        f"</td><td>{_base(event)}</td></tr>"
    )


def _base(event: ReportEvent) -> str:
    """What percentages of an event are of, and how far recorded and counted totals differ."""
    if event.recorded is None:
        return "the sum of all self costs; the file records no total"
    if event.recorded == event.counted:
        return "the recorded total, which is the sum of all self costs"
    if event.recorded > event.counted:
        less = number(event.recorded - event.counted)
        return f"the recorded total, {less} of which in no function"
    more = number(event.counted - event.recorded)
    return f"the sum of all self costs, {more} more than the file records"


def _oddities(report: HtmlReport) -> Iterator[str]:
    if not report.oddity_count:
        return
    count = report.oddity_count
    yield '<section id="oddities"><h2>Oddities</h2>'
    yield f"<p>{number(count)} place{'' if count == 1 else 's'} of the file "
    yield f"{'is' if count == 1 else 'are'} not as the format has it.</p><ul>"
    for place, message in report.oddities:
        yield f'<li><span class="faint">{html(place)}</span> {html(message)}</li>'
    more = count - len(report.oddities)
    yield f"<li>… and {number(more)} more</li></ul></section>" if more else "</ul></section>"


def _data(report: HtmlReport) -> dict[str, object]:
    """What the script needs beside what stands in the page."""
    return {
        "events": [
            {"name": plain(event.name), "total": script_number(event.total)}
            for event in report.events
        ],
        "event": report.event,
        "functions": [
            [
                function.called,
                list(map(script_number, function.inclusive)),
                list(map(script_number, function.own)),
            ]
            for function in report.functions
        ],
        "boxes": flame_data(report),
    }


def _shares() -> Iterator[str]:
    """The lengths of the bars behind percentages."""
    return (f".p{share}{{--w:{share}%}}" for share in range(1, 101))


def _resource(name: str) -> str:
    return (files("qcachegrind_py.reports.html") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What a policy calls the text of a script or style."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def save_report(
    progress: Progress,
    path: Path,
    questions: Questions,
    search: FileSearch,
    options: ReportOptions,
) -> Path:
    """Write the page whole or not at all; gives its path. Raises UnwritableFile and Cancelled."""
    page = io.StringIO()
    write_html(report_contents(progress, questions, search, options), page)
    progress.check(1.0)
    with written_whole(path) as stream:
        stream.write(page.getvalue().encode("utf-8", "replace"))
    return path
