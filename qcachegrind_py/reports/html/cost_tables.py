"""The function table, and callers and callees of single functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.reports.html.markup import (
    escape_html,
    function_link,
    number_markup,
    percent_markup,
)
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
_SORT_COLUMNS = {"inclusive": 0, "self": 2, "called": 4, "name": 5}
_UNKNOWN = "???"


def function_table(report: HtmlReport) -> Iterator[str]:
    """The functions; where the page tells more of one, its name leads there."""
    yield '<section id="functions"><h2>Functions</h2>'
    if not report.functions:
        yield "<p>The profile has no functions.</p></section>"
        return
    yield f"<p>{_table_caption(report)}</p>"
    yield '<div class="bar" id="tools" hidden>'
    yield '<label>Search <input type="search" id="search" placeholder="function, file or object">'
    yield '</label><label>Event <select id="event">'
    for place, event in enumerate(report.events):
        selected = " selected" if place == report.event_index else ""
        title = f"{event.name} – {event.long_name}" if event.long_name else event.name
        yield f'<option value="{place}"{selected}>{escape_html(title)}</option>'
    yield '</select></label><output id="found" aria-live="polite"></output></div>'
    yield '<div class="wide"><table id="table"><thead><tr>'
    for place, (title, kind) in enumerate(_COLUMNS):
        order = "ascending" if report.sort == "name" else "descending"
        sorted_ = f' aria-sort="{order}"' if place == _SORT_COLUMNS.get(report.sort) else ""
        yield f'<th scope="col" class="{kind}"{sorted_}>{title}</th>'
    yield "</tr></thead><tbody>"
    linked = {detail.function for detail in report.details}
    whole = report.events[report.event_index].total if report.events else 0
    for function in report.functions:
        yield _function_row(
            function, report.event_index, whole, is_linked=function.function in linked
        )
    yield "</tbody></table></div></section>"


def _table_caption(report: HtmlReport) -> str:
    """Which functions these are, and what is to be known of the others."""
    shown, every = len(report.functions), report.function_count
    if shown >= every:
        return f"All {number_markup(every)} function{'' if every == 1 else 's'}."
    if not shown or report.sort == "name" or not report.events:
        return f"{number_markup(shown)} of {number_markup(every)} functions."
    by = "called most often" if report.sort == "called" else f"costliest by {report.sort} cost"
    event = (
        f" of {escape_html(report.events[report.event_index].name)}"
        if report.sort != "called"
        else ""
    )
    return (
        f"The {number_markup(shown)} of {number_markup(every)} functions that are {by}{event}; "
        "the others are not in this file."
    )


def _function_row(function: ReportFunction, event: int, whole: Cost, *, is_linked: bool) -> str:
    inclusive = function.inclusive_cost[event] if function.inclusive_cost else 0
    own = function.self_cost[event] if function.self_cost else 0
    target = "" if is_linked else f' id="f{function.function}"'
    name = function_link(function.function if is_linked else NO_FUNCTION, function.name)
    cycle = f' <span class="mark">cycle {function.cycle}</span>' if function.cycle else ""
    return (
        f"<tr{target}>{_cost_cells(inclusive, whole)}{_cost_cells(own, whole)}"
        f'<td class="n">{number_markup(function.called)}</td><td class="name">{name}{cycle}</td>'
        f"{_file_markup(function.file)}{_file_markup(function.object)}</tr>"
    )


def _cost_cells(cost: Cost, whole: Cost) -> str:
    """A cost, and its share with a bar."""
    length = _bar_length(cost, whole)
    bar = f" s p{length}" if length else ""
    share = percent_markup(cost, whole)
    return f'<td class="n">{number_markup(cost)}</td><td class="n q{bar}">{share}</td>'


def _bar_length(cost: Cost, whole: Cost) -> int:
    """The length of a bar in whole percent, from 0 to 100."""
    return min(100, max(0, round(100 * cost / whole))) if whole > 0 else 0


def _file_markup(path: str) -> str:
    """A path by its last part, the whole of it to be read and searched."""
    if path == _UNKNOWN:
        return '<td class="w faint">–</td>'
    last = path.replace("\\", "/").rpartition("/")[2] or path
    return f'<td class="w" title="{escape_html(path)}">{escape_html(last)}</td>'


def caller_and_callee_tables(
    detail: ReportDetail, total: Cost, linked: frozenset[FunctionId]
) -> Iterator[str]:
    """Callers and callees of one function, side by side where there is room.

    Percentages are of the `whole`; names lead to those functions that are `told` of.
    """
    table = partial(_call_table, whole=total, linked=linked)
    yield '<div class="two">'
    yield from table("Caller", "Nobody called it.", detail.callers, detail.more_callers)
    yield from table("Callee", "It called nobody.", detail.callees, detail.more_callees)
    yield "</div>"


def _call_table(
    title: str,
    empty_text: str,
    calls: Sequence[ReportCall],
    more: int,
    *,
    whole: Cost,
    linked: frozenset[FunctionId],
) -> Iterator[str]:
    if not calls:
        yield f'<p class="faint">{empty_text}</p>'
        return
    yield '<div class="wide"><table><thead><tr><th scope="col" class="n">Cost</th>'
    yield '<th scope="col" class="n">%</th><th scope="col" class="n">Count</th>'
    yield f'<th scope="col">{title}</th></tr></thead><tbody>'
    for call in calls:
        count = number_markup(call.count) if call.count else "–"
        inside = ' <span class="mark">in the cycle</span>' if call.is_within_cycle else ""
        yield f'<tr>{_cost_cells(call.cost, whole)}<td class="n">{count}</td>'
        name = function_link(call.function if call.function in linked else NO_FUNCTION, call.name)
        yield f'<td class="name">{name}{inside}</td></tr>'
    yield "</tbody></table>"
    if more:
        count = number_markup(more)
        yield f'<p class="faint">… and {count} more {title.lower()}s of less cost.</p>'
    yield "</div>"
