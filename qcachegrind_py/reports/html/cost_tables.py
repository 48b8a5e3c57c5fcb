"""The function table, and callers and callees of single functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from qcachegrind_py.reports.html.markup import html, link, number, percent
from qcachegrind_py.reports.html.page_data import (
    Cost,
    HtmlReport,
    ReportCall,
    ReportDetail,
    ReportFunction,
)

_COLUMNS = (
    ("Inclusive", "n"),
    ("Incl. %", "n"),
    ("Self", "n"),
    ("Self %", "n"),
    ("Called", "n"),
    ("Function", ""),
    ("File", "w"),
    ("Object", "w"),
)
_SORTED = {"inclusive": 0, "self": 2, "called": 4, "name": 5}
_UNKNOWN = "???"


def function_table(report: HtmlReport) -> Iterator[str]:
    """The functions; where the page tells more of one, its name leads there."""
    yield '<section id="functions"><h2>Functions</h2>'
    if not report.functions:
        yield "<p>The profile has no functions.</p></section>"
        return
    yield f"<p>{_extent(report)}</p>"
    yield '<div class="bar" id="tools" hidden>'
    yield '<label>Search <input type="search" id="search" placeholder="function, file or object">'
    yield '</label><label>Event <select id="event">'
    for place, event in enumerate(report.events):
        selected = " selected" if place == report.event else ""
        title = f"{event.name} – {event.long_name}" if event.long_name else event.name
        yield f'<option value="{place}"{selected}>{html(title)}</option>'
    yield '</select></label><output id="found" aria-live="polite"></output></div>'
    yield '<div class="wide"><table id="table"><thead><tr>'
    for place, (title, kind) in enumerate(_COLUMNS):
        order = "ascending" if report.sort == "name" else "descending"
        sorted_ = f' aria-sort="{order}"' if place == _SORTED.get(report.sort) else ""
        yield f'<th scope="col" class="{kind}"{sorted_}>{title}</th>'
    yield "</tr></thead><tbody>"
    linked = {detail.number for detail in report.details}
    whole = report.events[report.event].total if report.events else 0
    for function in report.functions:
        yield _row(function, report.event, whole, is_linked=function.number in linked)
    yield "</tbody></table></div></section>"


def _extent(report: HtmlReport) -> str:
    """Which functions these are, and what is to be known of the others."""
    shown, every = len(report.functions), report.all_functions
    if shown >= every:
        return f"All {number(every)} function{'' if every == 1 else 's'}."
    if not shown or report.sort == "name" or not report.events:
        return f"{number(shown)} of {number(every)} functions."
    by = "called most often" if report.sort == "called" else f"costliest by {report.sort} cost"
    event = f" of {html(report.events[report.event].name)}" if report.sort != "called" else ""
    return (
        f"The {number(shown)} of {number(every)} functions that are {by}{event}; "
        "the others are not in this file."
    )


def _row(function: ReportFunction, event: int, whole: Cost, *, is_linked: bool) -> str:
    inclusive = function.inclusive[event] if function.inclusive else 0
    own = function.own[event] if function.own else 0
    target = "" if is_linked else f' id="f{function.number}"'
    name = link(function.number if is_linked else -1, function.name)
    cycle = f' <span class="mark">cycle {function.cycle}</span>' if function.cycle else ""
    return (
        f"<tr{target}>{_cost(inclusive, whole)}{_cost(own, whole)}"
        f'<td class="n">{number(function.called)}</td><td class="name">{name}{cycle}</td>'
        f"{_place(function.file)}{_place(function.object)}</tr>"
    )


def _cost(cost: Cost, whole: Cost) -> str:
    """A cost, and its share with a bar."""
    length = _length(cost, whole)
    bar = f" s p{length}" if length else ""
    share = percent(cost, whole)
    return f'<td class="n">{number(cost)}</td><td class="n q{bar}">{share}</td>'


def _length(cost: Cost, whole: Cost) -> int:
    """The length of a bar in whole percent, from 0 to 100."""
    return min(100, max(0, round(100 * cost / whole))) if whole > 0 else 0


def _place(path: str) -> str:
    """A path by its last part, the whole of it to be read and searched."""
    if path == _UNKNOWN:
        return '<td class="w faint">–</td>'
    last = path.replace("\\", "/").rpartition("/")[2] or path
    return f'<td class="w" title="{html(path)}">{html(last)}</td>'


def neighbours(detail: ReportDetail, whole: Cost, told: frozenset[int]) -> Iterator[str]:
    """Callers and callees of one function, side by side where there is room.

    Percentages are of the `whole`; names lead to those functions that are `told` of.
    """
    table = partial(_calls, whole=whole, told=told)
    yield '<div class="two">'
    yield from table("Caller", "Nobody called it.", detail.callers, detail.more_callers)
    yield from table("Callee", "It called nobody.", detail.callees, detail.more_callees)
    yield "</div>"


def _calls(
    title: str,
    nobody: str,
    calls: Sequence[ReportCall],
    more: int,
    *,
    whole: Cost,
    told: frozenset[int],
) -> Iterator[str]:
    if not calls:
        yield f'<p class="faint">{nobody}</p>'
        return
    yield '<div class="wide"><table><thead><tr><th scope="col" class="n">Cost</th>'
    yield '<th scope="col" class="n">%</th><th scope="col" class="n">Count</th>'
    yield f'<th scope="col">{title}</th></tr></thead><tbody>'
    for call in calls:
        count = number(call.count) if call.count else "–"
        inside = ' <span class="mark">in the cycle</span>' if call.is_inside else ""
        yield f'<tr>{_cost(call.cost, whole)}<td class="n">{count}</td>'
        name = link(call.number if call.number in told else -1, call.name)
        yield f'<td class="name">{name}{inside}</td></tr>'
    yield "</tbody></table>"
    if more:
        yield f'<p class="faint">… and {number(more)} more {title.lower()}s of less cost.</p>'
    yield "</div>"
