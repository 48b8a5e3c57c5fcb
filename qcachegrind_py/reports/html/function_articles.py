"""What the page tells of the costliest functions: their calls, and their source lines."""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.reports.html.cost_tables import neighbours
from qcachegrind_py.reports.html.markup import html, number, percent
from qcachegrind_py.reports.html.page_data import (
    Cost,
    HtmlReport,
    ReportDetail,
    ReportLine,
    ReportSource,
)

_HEATS = 8  # shades of hot lines
_TAB = 4


def details(report: HtmlReport) -> Iterator[str]:
    """An article a function."""
    if not report.details:
        return
    event = html(report.events[report.event].name)
    yield f'<section id="details"><h2>The costliest functions by {event}</h2>'
    whole, told = report.events[report.event].total, report.told()
    for detail in report.details:
        yield from _detail(detail, whole, told)
    yield "</section>"


def _detail(detail: ReportDetail, whole: Cost, told: frozenset[int]) -> Iterator[str]:
    cycle = f' <span class="mark">cycle {detail.cycle}</span>' if detail.cycle else ""
    known = [html(place) for place in (detail.file, detail.object) if place != "???"]
    yield f'<article id="f{detail.number}"><h3>{html(detail.name)}{cycle}</h3>'
    yield f'<p class="faint">{" · ".join(known)}</p>' if known else ""
    yield (
        f"<p>Inclusive <b>{number(detail.inclusive)}</b> ({_share(detail.inclusive, whole)}), "
        f"self <b>{number(detail.own)}</b> ({_share(detail.own, whole)}), "
        f"called {number(detail.called)}\N{MULTIPLICATION SIGN}. "
        '<a class="up" href="#functions">All functions</a></p>'
    )
    yield from neighbours(detail, whole, told)
    for source in detail.sources:
        yield from _source(source, detail)
    if detail.problem:
        yield f'<p class="problem">{html(detail.problem)}</p>'
    yield "</article>"


def _share(cost: Cost, whole: Cost) -> str:
    return f"{percent(cost, whole)}\N{THIN SPACE}%"


def _source(source: ReportSource, detail: ReportDetail) -> Iterator[str]:
    yield f"<h4>{html(source.path or source.file)}</h4>"
    if source.problem:
        yield f'<p class="problem">{html(source.problem)}</p>'
    if not source.lines:
        return
    yield '<div class="wide"><table class="code"><thead><tr><th scope="col" class="n">Self</th>'
    yield '<th scope="col" class="n">Inclusive</th><th scope="col" class="n">Line</th>'
    yield '<th scope="col">Source</th></tr></thead><tbody>'
    for line in source.lines:
        if line.before:
            what = f"{number(line.before)} line{'' if line.before == 1 else 's'} left out"
            yield f'<tr class="gap"><td colspan="3">⋮</td><td>{what}</td></tr>'
        yield _line(line, detail.inclusive)
    yield "</tbody></table></div>"
    if source.left_out:
        yield f'<p class="faint">… and {number(source.left_out)} more lines of less cost.</p>'


def _line(line: ReportLine, whole: Cost) -> str:
    heat = f' class="h{_heat(line.inclusive, whole)}"' if line.inclusive > 0 else ""
    own = number(line.own) if line.own else ""
    inclusive = number(line.inclusive) if line.inclusive else ""
    text = "" if line.text is None else html(line.text.expandtabs(_TAB))
    return (
        f'<tr{heat}><td class="n">{own}</td><td class="n">{inclusive}</td>'
        f'<td class="n faint">{line.line or "–"}</td><td><code>{text}</code></td></tr>'
    )


def _heat(cost: Cost, whole: Cost) -> int:
    """How hot a line is, from 1 to the hottest: by the share of the function's cost."""
    return max(1, min(_HEATS, round(_HEATS * (cost / whole) ** 0.5))) if whole > 0 else 1
