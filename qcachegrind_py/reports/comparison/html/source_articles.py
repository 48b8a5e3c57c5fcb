"""Articles on what changed most: the source lines of each function with base, new and change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_exact, fraction_of, plural
from qcachegrind_py.reports.comparison.changes import change_text
from qcachegrind_py.reports.comparison.html.details import ChangeDetails, FunctionExcerpts
from qcachegrind_py.reports.comparison.html.line_excerpts import ExcerptLine, FileExcerpt
from qcachegrind_py.reports.comparison.pairs import FunctionName
from qcachegrind_py.reports.html.markup import escape_html, number_markup

_HEAT_LEVELS = 4  # shades of lines that changed
_TAB_WIDTH = 4
_NO_TEXT = "The text of this file was not found: lines have numbers only."


def source_articles(details: ChangeDetails, names: Mapping[int, FunctionName]) -> Iterator[str]:
    """Yield an article for each function."""
    if not details.excerpts:
        return
    event = escape_html(details.event.name)
    yield f'<section id="sources"><h2>Source of what changed most in {event}</h2>'
    yield "<p>Costs are the self costs of lines. A line stands for both sides if they have it; "
    yield "– is a side without it.</p>"
    for each in details.excerpts:
        yield from _article(details, each, names[each.function])
    yield "</section>"


def _article(details: ChangeDetails, each: FunctionExcerpts, name: FunctionName) -> Iterator[str]:
    costs = details.compared.self_cost(details.event)
    base, new = (int(np.asarray(side)[each.function]) for side in (costs.base, costs.new))
    yield f'<article id="s{each.function}"><h3>{escape_html(name.name)}</h3>'
    places = [escape_html(path) for path in (name.file, name.object) if path != "???"]
    yield f'<p class="faint">{" · ".join(places)}</p>' if places else ""
    change = change_text(new - base, DEFAULT_STYLE)
    yield f"<p>Self {number_markup(base)} → {number_markup(new)}: <b>{change}</b>. "
    yield '<a class="up" href="#functions">All functions</a></p>'
    for excerpt in each.files:
        yield from _excerpt(excerpt, max(abs(new - base), 1))
    if each.problem:
        yield f'<p class="problem">{escape_html(each.problem)}</p>'
    yield "</article>"


def _excerpt(excerpt: FileExcerpt, whole: int) -> Iterator[str]:
    yield f"<h4>{escape_html(excerpt.file)}</h4>"
    if not excerpt.has_text:
        yield f'<p class="problem">{_NO_TEXT}</p>'
    if excerpt.note:
        yield f'<p class="faint">{escape_html(excerpt.note)}</p>'
    yield '<div class="wide"><table class="code changed"><thead><tr>'
    for title in ("Base", "New", "Change"):
        yield f'<th scope="col" class="n">{title}</th>'
    for title in ("Base line", "New line"):
        yield f'<th scope="col" class="n l">{title}</th>'
    yield '<th scope="col">Source</th></tr></thead><tbody>'
    for line in excerpt.lines:
        if line.follows_gap:
            yield '<tr class="gap"><td colspan="5">⋮</td><td>lines without change</td></tr>'
        yield _line_row(line, whole)
    yield "</tbody></table></div>"
    if excerpt.omitted:
        more = excerpt.omitted
        lines = plural(more, "line")
        yield f'<p class="faint">… and {number_markup(more)} more {lines} that changed less.</p>'


def _line_row(line: ExcerptLine, whole: int) -> str:
    change = change_text(line.change, DEFAULT_STYLE) if line.change else ""
    text = escape_html(line.text.expandtabs(_TAB_WIDTH))
    return (
        f'<tr{_heat(line.change, whole)}><td class="n">{_cost(line.base)}</td>'
        f'<td class="n">{_cost(line.new)}</td><td class="n">{change}</td>'
        f'<td class="n l faint">{line.base_line or "–"}</td>'
        f'<td class="n l faint">{line.new_line or "–"}</td><td><code>{text}</code></td></tr>'
    )


def _cost(cost: int) -> str:
    return format_exact(cost, "", DEFAULT_STYLE) if cost else ""


def _heat(change: int, whole: int) -> str:
    """Return the class of a line, by its change as a share of the function's."""
    if not change:
        return ""
    level = max(1, round(_HEAT_LEVELS * math.sqrt(fraction_of(abs(change), whole))))
    return f' class="{"g" if change > 0 else "s"}{level}"'
