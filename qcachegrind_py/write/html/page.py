"""A page as HTML: one walk over its blocks, with one function for each kind of block."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Concatenate, ParamSpec, TextIO

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.present.history import change_text
from qcachegrind_py.present.page import (
    Article,
    Articles,
    Beside,
    Block,
    Chart,
    Contents,
    Facts,
    Flames,
    FunctionList,
    Grid,
    Listing,
    Note,
    Oddities,
    Page,
    Rules,
    Section,
    Step,
    StepList,
    Verdict,
)
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.write.html.blocks import (
    BAR_STYLES,
    chart_markup,
    costs_of_events,
    excerpt_markup,
    flame_data,
    flame_markup,
    flame_styles,
    grid_markup,
    listing_markup,
    sort_keys,
)
from qcachegrind_py.write.html.document import escape_html, mark_markup, write_document

_P = ParamSpec("_P")
_STATES = {True: "met", False: "kept", None: "open"}  # classes of rules


def save_html(
    progress: Progress,
    path: Path,
    present: Callable[Concatenate[Progress, _P], Page],
    *args: _P.args,
    **options: _P.kwargs,
) -> Path:
    """Write the page that `present` returns completely or not at all, and return its path.

    Raises `UnwritableFile` and `Cancelled`.
    """
    page = present(progress, *args, **options)
    text = io.StringIO()
    write_html(page, text)
    progress.check(1.0)
    with atomic_write(path) as stream:
        stream.write(text.getvalue().encode("utf-8", "replace"))
    return path


def write_html(page: Page, stream: TextIO) -> None:
    """Write a page; the encoding must be UTF-8."""
    blocks = [block for section in page.sections for block in section.blocks]
    flames = next((block.graph for block in blocks if isinstance(block, Flames)), None)
    functions = next((block for block in blocks if isinstance(block, FunctionList)), None)
    data = {**_numbers(functions), "boxes": flame_data(flames)}
    styles = *BAR_STYLES, *flame_styles(flames)
    write_document(stream, page.title, page.kind, styles, data, _content(page))


def _numbers(functions: FunctionList | None) -> dict[str, object]:
    if functions is None:
        return {}
    if functions.events:
        return costs_of_events(functions)
    return {"rows": sort_keys(functions.listing)}


def _content(page: Page) -> Iterator[str]:
    yield f"<header><h1>{escape_html(page.title)}</h1>"
    for block in page.blocks:
        yield from _block(block, page)
    yield "</header><main>"
    for section in page.sections:
        yield from _section(section, page)
    yield "</main>"


def _section(section: Section, page: Page) -> Iterator[str]:
    title, end = escape_html(section.title), "</section>"
    if section.is_open is None:
        yield f'<section id="{section.key}"><h2>{title}</h2>'
    else:
        is_open, end = " open" if section.is_open else "", "</details>"
        yield f'<details id="{section.key}"{is_open}><summary>{title}</summary>'
    for block in section.blocks:
        yield from _block(block, page)
    yield end


def _block(block: Block, page: Page) -> Iterator[str]:
    match block:
        case Contents():
            links = (f'<a href="#{to.key}">{to.link}</a>' for to in page.sections if to.link)
            yield f"<nav>{''.join(links)}</nav>"
        case Facts():
            yield from _facts(block)
        case Note():
            yield _paragraph(block.text, "problem" if block.is_problem else "")
        case Grid():
            yield from grid_markup(block)
        case Listing():
            yield from listing_markup(block)
        case Beside():
            yield from _beside(block.listings)
        case FunctionList():
            yield from _functions(block)
        case Flames():
            yield from flame_markup(block.graph, block.links)
        case Chart():
            yield from chart_markup(block)
        case Articles():
            for article in block.articles:
                yield from _article(article, block)
        case Rules():
            yield f"<ul>{''.join(map(_rule, block.verdicts))}</ul>"
        case StepList():
            yield f"<ol>{''.join(map(_step, block.steps))}</ol>"
            if block.more:
                more = f"{format_count(block.more)} more {plural(block.more, 'revision')}"
                yield _paragraph(f"… and {more}.")
        case Oddities():
            lines = (
                f'<span class="faint">{escape_html(place)}</span> {escape_html(text)}'
                for place, text in block.lines
            )
            yield _items([*lines, *_more(block.more)])


# ---------------------------------------------------------------- sentences and lists


def _paragraph(text: str, kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f"<p{of_kind}>{escape_html(text)}</p>"


def _facts(facts: Facts) -> Iterator[str]:
    if facts.lines:
        yield '<dl class="summary">' if facts.is_answer else "<dl>"
        for key, value in facts.lines:
            problem = ' class="problem"' if key in facts.warnings else ""
            yield f"<dt>{escape_html(key)}</dt><dd{problem}>{escape_html(value)}</dd>"
        yield "</dl>"


def _items(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{each}</li>' for each in items)}</ul>"


def _more(count: int, noun: str = "") -> list[str]:
    """Return how many items are left out; nothing if none is."""
    what = f" {plural(count, noun)}" if noun else ""
    return [f"… and {format_count(count)} more{what}"] if count else []


def _rule(verdict: Verdict) -> str:
    rule, sentence = escape_html(verdict.rule), escape_html(verdict.sentence)
    items = []
    for finding in verdict.findings:
        numbers = f": {escape_html(finding.numbers)}" if finding.numbers else ""
        place = f" ({escape_html(base_name(finding.place))})" if finding.place else ""
        items.append(f"{escape_html(finding.name.name)}{place}{numbers}")
    if items:
        items += [*_more(verdict.more), *map(escape_html, verdict.advice)]
    found = _items(items) if items else ""
    return f'<li class="{_STATES[verdict.is_met]}"><code>{rule}</code> {sentence}{found}</li>'


def _step(step: Step) -> str:
    causes = [f"{_signed(change)} {escape_html(name.name)}" for change, name in step.causes]
    items = _items([*causes, *_more(step.more, "function")])
    return f"<li><strong>{escape_html(step.label)}</strong> {_signed(step.change)}{items}</li>"


def _signed(change: int) -> str:
    kind = "more" if change > 0 else "less"
    return f'<span class="{kind}">{escape_html(change_text(change, DEFAULT_STYLE))}</span>'


# ---------------------------------------------------------------- functions


def _functions(functions: FunctionList) -> Iterator[str]:
    """Yield the functions below a field that searches them, and a choice of their event."""
    choice = ""
    if functions.events:
        options = "".join(_event_options(functions))
        choice = f'<label>Event <select id="event">{options}</select></label>'
    yield (
        '<div class="bar" id="tools" hidden><label>Search <input type="search" id="search" '
        f'placeholder="{functions.searched}"></label>{choice}'
        '<output id="found" aria-live="polite"></output></div>'
    )
    yield '<div class="wide">'
    yield from listing_markup(functions.listing, ' id="table"')
    yield "</div>"


def _event_options(functions: FunctionList) -> Iterator[str]:
    for place, each in enumerate(functions.events):
        event = each.event
        selected = " selected" if place == functions.event else ""
        title = f"{event.name} – {event.long_name}" if event.long_name else event.name
        yield f'<option value="{place}"{selected}>{escape_html(title)}</option>'


def _beside(listings: Sequence[Listing]) -> Iterator[str]:
    yield '<div class="two">'
    for each in listings:
        key = each.title.lower()
        yield f'<div><h3 id="{key}">{each.title}</h3>' if key else '<div class="wide">'
        if len(each.rows):
            yield from listing_markup(each, f' aria-labelledby="{key}"' if key else "")
        else:
            yield _paragraph(each.none, "" if key else "faint")
        if each.more:
            yield _paragraph(each.more, "faint")
        yield "</div>"
    yield "</div>"


def _article(article: Article, among: Articles) -> Iterator[str]:
    links = among.links
    name, mark = escape_html(article.name.name), mark_markup(article.mark)
    yield f'<article id="{links[article.function]}"><h3>{name}{mark}</h3>'
    if article.places:
        yield f'<p class="faint">{" · ".join(map(escape_html, article.places))}</p>'
    sentence = "".join(
        f"<b>{escape_html(text)}</b>" if at % 2 else escape_html(text)
        for at, text in enumerate(article.sentence)
    )
    yield f'<p>{sentence} <a class="up" href="#functions">{among.above}</a></p>'
    if article.calls:
        yield from _beside([replace(calls, links=links) for calls in article.calls])
    for excerpt in article.excerpts:
        yield f"<h4>{escape_html(excerpt.file)}</h4>"
        if excerpt.problem:
            yield _paragraph(excerpt.problem, "problem")
        if excerpt.note:
            yield _paragraph(excerpt.note, "faint")
        if excerpt.lines:
            yield from excerpt_markup(excerpt)
    if article.problem:
        yield _paragraph(article.problem, "problem")
    yield "</article>"
