"""The page of a profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.profile_page import EventCosts, PageOptions, ProfilePage, profile_page
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.html.articles import article_markup
from qcachegrind_py.write.html.document import packaged, page_script, saved_page, write_document
from qcachegrind_py.write.html.flame import flame_data, flame_section, flame_styles
from qcachegrind_py.write.html.markup import escape_html, facts_markup, json_number, navigation
from qcachegrind_py.write.html.tables import (
    TableMarkup,
    function_section,
    share_styles,
)

_MAX_OPEN_EVENTS = 3


def write_profile(page: ProfilePage, stream: TextIO) -> None:
    """Write the page of a profile; the encoding must be UTF-8."""
    style = "\n".join((packaged("page.css"), *share_styles(), *flame_styles(page.flame)))
    script = page_script("profile.js")
    data = {
        "events": [
            {"name": cell_text(each.event.name), "total": json_number(int(each.total))}
            for each in page.events
        ],
        "event": page.event,
        "functions": _costs_of_events(page),
        "boxes": flame_data(page.flame),
    }
    write_document(stream, page.title, style, script, data, _profile(page))


def _costs_of_events(page: ProfilePage) -> list[list[object]]:
    """Return count of calls, inclusive and self costs in all events of each function."""
    columns = [
        [list(map(json_number, costs[page.functions].tolist())) for costs in sides]
        for sides in ((each.inclusive, each.self_cost) for each in page.events)
    ]
    return [
        [called, [inclusive[row] for inclusive, _ in columns], [own[row] for _, own in columns]]
        for row, called in enumerate(page.called)
    ]


def _profile(page: ProfilePage) -> Iterator[str]:
    articles: dict[int, str] = {
        article.function: f"f{article.function}" for article in page.articles
    }
    listed = frozenset(page.functions.tolist())
    links = {function: f"f{function}" for function in listed} | articles
    yield f"<header><h1>{escape_html(page.title)}</h1>"
    yield from facts_markup(page.facts)
    yield from (f'<p class="problem">{escape_html(note)}</p>' for note in page.notes)
    yield navigation(
        (
            ("flame", "Flame graph", page.flame is not None),
            ("functions", "Functions", True),
            ("details", "Costliest functions", bool(page.articles)),
            ("oddities", "Oddities", bool(page.warning_count)),
        )
    )
    yield "</header>"
    yield from _event_totals(page.events)
    yield "<main>"
    if page.flame is not None:
        yield from flame_section(page.flame, links)
    direction = "ascending" if page.sort == "name" else "descending"
    table = TableMarkup(
        page.table, articles, listed - articles.keys(), sorted_by=(page.sort, direction)
    )
    options = "".join(_event_options(page))
    chosen = f'<label>Event <select id="event">{options}</select></label>'
    if listed:
        yield from function_section("Functions", page.caption, table, page.functions, chosen)
    else:
        yield '<section id="functions"><h2>Functions</h2>'
        yield "<p>The profile has no functions.</p></section>"
    if page.articles:
        event = escape_html(page.events[page.event].event.name)
        yield f'<section id="details"><h2>The costliest functions by {event}</h2>'
        for article in page.articles:
            yield from article_markup(article, articles[article.function], links)
        yield "</section>"
    yield from _oddities(page)
    yield "</main>"


def _event_totals(events: tuple[EventCosts, ...]) -> Iterator[str]:
    """Yield the total of each event; a long list is collapsed."""
    if not events:
        return
    count = len(events)
    opened = " open" if count <= _MAX_OPEN_EVENTS else ""
    yield f'<details id="totals"{opened}><summary>Totals of {format_count(count)} '
    yield f"{plural(count, 'event')}</summary>"
    yield '<div class="wide"><table><thead><tr><th scope="col">Event</th>'
    yield '<th scope="col" class="n">Total</th><th scope="col">Percentages are of</th>'
    yield "</tr></thead><tbody>"
    for each in events:
        faint = (
            f' <span class="faint">{escape_html(text)}</span>' if text else ""
            for text in (each.event.long_name, each.unit and f"= {each.unit}")
        )
        yield (
            f"<tr><td>{escape_html(each.event.name)}{next(faint)}</td>"
            f'<td class="n">{format_count(int(each.total))}{next(faint)}</td>'
            f"<td>{escape_html(each.total_base)}</td></tr>"
        )
    yield "</tbody></table></div></details>"


def _event_options(page: ProfilePage) -> Iterator[str]:
    for place, each in enumerate(page.events):
        event = each.event
        selected = " selected" if place == page.event else ""
        title = f"{event.name} – {event.long_name}" if event.long_name else event.name
        yield f'<option value="{place}"{selected}>{escape_html(title)}</option>'


def _oddities(page: ProfilePage) -> Iterator[str]:
    if not (count := page.warning_count):
        return
    yield '<section id="oddities"><h2>Oddities</h2>'
    yield f"<p>{format_count(count)} {plural(count, 'place')} of the file "
    yield f"{'is' if count == 1 else 'are'} not in the expected format.</p><ul>"
    for location, message in page.warnings:
        yield f'<li><span class="faint">{escape_html(location)}</span> {escape_html(message)}</li>'
    if more := count - len(page.warnings):
        yield f"<li>… and {format_count(more)} more</li>"
    yield "</ul></section>"


def save_profile(
    progress: Progress,
    path: Path,
    queries: ProfileQueries,
    search: FileSearch,
    options: PageOptions,
) -> Path:
    """Write the page completely or not at all, and return its path.

    Raises `UnwritableFile` and `Cancelled`.
    """
    page = profile_page(progress, queries, search, options)
    return saved_page(path, partial(write_profile, page), progress)
