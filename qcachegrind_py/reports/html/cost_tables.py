"""HTML tables of costs: the function table, and callers and callees of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.numbers import format_call_count, fraction_of, plural
from qcachegrind_py.reports.folding import ESTIMATE_SIGN
from qcachegrind_py.reports.html.markup import (
    escape_html,
    function_link,
    number_markup,
    percent_text,
    search_bar,
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
_ESTIMATED = "The self cost is partly an estimate"


def function_table(report: HtmlReport) -> Iterator[str]:
    """Yield the function table; names link to the functions with an article on the page."""
    yield '<section id="functions"><h2>Functions</h2>'
    if not report.functions:
        yield "<p>The profile has no functions.</p></section>"
        return
    yield f"<p>{_table_caption(report)}</p>"
    options = "".join(_event_options(report))
    yield search_bar(f'<label>Event <select id="event">{options}</select></label>')
    yield '<div class="wide"><table id="table"><thead><tr>'
    for index, (title, kind) in enumerate(_COLUMNS):
        order = "ascending" if report.sort == "name" else "descending"
        sorted_ = f' aria-sort="{order}"' if index == _SORT_COLUMNS.get(report.sort) else ""
        yield f'<th scope="col" class="{kind}"{sorted_}>{title}</th>'
    yield "</tr></thead><tbody>"
    linked = {detail.function for detail in report.details}
    total = report.events[report.event_index].total if report.events else 0
    for function in report.functions:
        yield _function_row(
            function, report.event_index, total, is_linked=function.function in linked
        )
    yield "</tbody></table></div></section>"


def _event_options(report: HtmlReport) -> Iterator[str]:
    for index, event in enumerate(report.events):
        selected = " selected" if index == report.event_index else ""
        title = f"{event.name} – {event.long_name}" if event.long_name else event.name
        yield f'<option value="{index}"{selected}>{escape_html(title)}</option>'


def _table_caption(report: HtmlReport) -> str:
    """Return the caption, which tells how many functions are shown, and by which criterion."""
    shown, total_count = len(report.functions), report.function_count
    if shown >= total_count:
        return f"All {number_markup(total_count)} {plural(total_count, 'function')}."
    if not shown or report.sort == "name" or not report.events:
        return f"{number_markup(shown)} of {number_markup(total_count)} functions."
    criterion = (
        "called most often" if report.sort == "called" else f"costliest by {report.sort} cost"
    )
    event = (
        f" of {escape_html(report.events[report.event_index].name)}"
        if report.sort != "called"
        else ""
    )
    return (
        f"The {number_markup(shown)} of {number_markup(total_count)} functions that are "
        f"{criterion}{event}; the others are not in this file."
    )


def _function_row(function: ReportFunction, event: int, total: Cost, *, is_linked: bool) -> str:
    inclusive = function.inclusive_cost[event] if function.inclusive_cost else 0
    self_cost = function.self_cost[event] if function.self_cost else 0
    target = "" if is_linked else f' id="f{function.function}"'
    name = function_link(function.function if is_linked else NO_FUNCTION, function.name)
    marks = f' <span class="mark">cycle {function.cycle}</span>' if function.cycle else ""
    if function.is_estimated:
        marks += f' <span class="mark" title="{_ESTIMATED}">{ESTIMATE_SIGN}</span>'
    called = format_call_count(function.called, is_active=function.is_active)
    return (
        f"<tr{target}>{_cost_cells(inclusive, total)}{_cost_cells(self_cost, total)}"
        f'<td class="n">{called}</td><td class="name">{name}{marks}</td>'
        f"{file_markup(function.file)}{file_markup(function.object)}</tr>"
    )


def _cost_cells(cost: Cost, total: Cost) -> str:
    """Return the cells of a cost and of its percentage, the latter with a bar."""
    length = _bar_length(cost, total)
    bar = f" s p{length}" if length else ""
    share = escape_html(percent_text(cost, total)) if cost else ""
    return f'<td class="n">{number_markup(cost)}</td><td class="n q{bar}">{share}</td>'


def _bar_length(cost: Cost, total: Cost) -> int:
    """Return the length of a bar in whole percent, from 0 to 100."""
    return round(100 * fraction_of(cost, total))


def file_markup(path: str) -> str:
    """Return the cell of a path: its last part, with the whole path as tooltip."""
    if path == _UNKNOWN:
        return '<td class="w faint">–</td>'
    last = path.replace("\\", "/").rpartition("/")[2] or path
    return f'<td class="w" title="{escape_html(path)}">{escape_html(last)}</td>'


def caller_and_callee_tables(
    detail: ReportDetail, total: Cost, linked: frozenset[FunctionId]
) -> Iterator[str]:
    """Yield the tables of callers and callees of one function, side by side if there is space.

    Percentages are of `total`; names link to the functions in `linked`.
    """
    table = partial(_call_table, total=total, linked=linked)
    yield '<div class="two">'
    yield from table("Caller", "No callers were recorded.", detail.callers, detail.more_callers)
    yield from table("Callee", "No calls were recorded.", detail.callees, detail.more_callees)
    yield "</div>"


def _call_table(
    title: str,
    empty_text: str,
    calls: Sequence[ReportCall],
    more: int,
    *,
    total: Cost,
    linked: frozenset[FunctionId],
) -> Iterator[str]:
    if not calls:
        yield f'<p class="faint">{empty_text}</p>'
        return
    yield '<div class="wide"><table><thead><tr><th scope="col" class="n">Incl.</th>'
    yield '<th scope="col" class="n">%</th><th scope="col" class="n">Calls</th>'
    yield f'<th scope="col">{title}</th></tr></thead><tbody>'
    for call in calls:
        has_count = call.count or call.is_active
        count = format_call_count(call.count, is_active=call.is_active) if has_count else "–"
        inside = ' <span class="mark">in the cycle</span>' if call.is_within_cycle else ""
        yield f'<tr>{_cost_cells(call.cost, total)}<td class="n">{count}</td>'
        name = function_link(call.function if call.function in linked else NO_FUNCTION, call.name)
        yield f'<td class="name">{name}{inside}</td></tr>'
    yield "</tbody></table>"
    if more:
        count = number_markup(more)
        yield f'<p class="faint">… and {count} more {title.lower()}s of less cost.</p>'
    yield "</div>"
