"""Articles on functions: what is said of them, their calls, and their source lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from qcachegrind_py.present.excerpts import Excerpt, ExcerptLine
from qcachegrind_py.present.function_articles import Article, Calls
from qcachegrind_py.profile.numbers import format_count, plural, signed_text
from qcachegrind_py.write.html.markup import escape_html, mark_markup
from qcachegrind_py.write.html.tables import TableMarkup

_TAB_WIDTH = 4
_TITLES = (("Self", "Inclusive"), ("Line",))
_COMPARED_TITLES = (("Base", "New", "Change"), ("Base line", "New line"))


def article_markup(article: Article, place: str, links: Mapping[int, str]) -> Iterator[str]:
    """Yield an article at a place of the page; names in it lead to those in `links`."""
    name = escape_html(article.name.name)
    yield f'<article id="{place}"><h3>{name}{mark_markup(article.mark)}</h3>'
    if article.places:
        yield f'<p class="faint">{" · ".join(map(escape_html, article.places))}</p>'
    sentence = "".join(
        f"<b>{escape_html(text)}</b>" if at % 2 else escape_html(text)
        for at, text in enumerate(article.sentence)
    )
    yield f'<p>{sentence} <a class="up" href="#functions">All functions</a></p>'
    if article.calls:
        yield '<div class="two">'
        for calls in article.calls:
            yield from _calls(calls, links)
        yield "</div>"
    for excerpt in article.excerpts:
        yield from _excerpt(excerpt, is_compared=not article.calls)
    if article.problem:
        yield f'<p class="problem">{escape_html(article.problem)}</p>'
    yield "</article>"


def _calls(calls: Calls, links: Mapping[int, str]) -> Iterator[str]:
    if not calls.table.length:
        yield f'<p class="faint">{calls.none}</p>'
        return
    yield '<div class="wide">'
    yield from TableMarkup(calls.table, links, has_files=False).write(np.arange(calls.table.length))
    if calls.more:
        count, title = format_count(calls.more), calls.title.lower()
        yield f'<p class="faint">… and {count} more {title}s of less cost.</p>'
    yield "</div>"


def _excerpt(excerpt: Excerpt, *, is_compared: bool) -> Iterator[str]:
    yield f"<h4>{escape_html(excerpt.file)}</h4>"
    if excerpt.problem:
        yield f'<p class="problem">{escape_html(excerpt.problem)}</p>'
    if excerpt.note:
        yield f'<p class="faint">{escape_html(excerpt.note)}</p>'
    if not excerpt.lines:
        return
    costs, numbers = _COMPARED_TITLES if is_compared else _TITLES
    lines = " l" if is_compared else ""
    yield f'<div class="wide"><table class="code{" changed" if is_compared else ""}"><thead><tr>'
    yield from (f'<th scope="col" class="n">{title}</th>' for title in costs)
    yield from (f'<th scope="col" class="n{lines}">{title}</th>' for title in numbers)
    yield '<th scope="col">Source</th></tr></thead><tbody>'
    for line in excerpt.lines:
        if omitted := line.omitted_before:
            text = f"{format_count(omitted)} {plural(omitted, 'line')} left out"
            span = len(costs) + len(numbers)
            yield (
                f'<tr class="gap"><td colspan="{span}">⋮</td>'
                f"<td>{'lines without change' if is_compared else text}</td></tr>"
            )
        yield _line(line, lines, is_compared=is_compared)
    yield "</tbody></table></div>"
    if excerpt.omitted:
        more = format_count(excerpt.omitted)
        of_what = f"{plural(excerpt.omitted, 'line')} that changed less"
        what = of_what if is_compared else "lines of less cost"
        yield f'<p class="faint">… and {more} more {what}.</p>'


def _line(line: ExcerptLine, lines: str, *, is_compared: bool) -> str:
    costs = [format_count(int(cost)) if cost else "" for cost in line.costs]
    level = f"h{line.heat}"
    if is_compared:
        change = int(line.costs[1] - line.costs[0])
        costs.append(signed_text(format_count(change), change) if change else "")
        level = f"{'g' if change > 0 else 's'}{abs(line.heat)}"
    heat = f' class="{level}"' if line.heat else ""
    numbers = "".join(f'<td class="n{lines} faint">{number or "–"}</td>' for number in line.numbers)
    text = escape_html((line.text or "").expandtabs(_TAB_WIDTH))
    cells = "".join(f'<td class="n">{cost}</td>' for cost in costs)
    return f"<tr{heat}>{cells}{numbers}<td><code>{text}</code></td></tr>"
