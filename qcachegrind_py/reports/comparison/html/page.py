"""Two profiles compared as an HTML page for offline reading, from the summary to the sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

import numpy as np

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.present.change_facts import (
    TOTALS_TITLES,
    comparison_facts,
    files_text,
    most_changed,
    summary,
    totals_row,
)
from qcachegrind_py.present.change_table import growth_texts, people_table
from qcachegrind_py.present.exact import ExactCells, chunks, row_texts
from qcachegrind_py.present.page import Verdict
from qcachegrind_py.present.verdict import verdicts
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, plural
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.comparison.html.details import ChangeDetails
from qcachegrind_py.reports.comparison.html.flame_graph import FlameGraph
from qcachegrind_py.reports.comparison.html.source_articles import source_articles
from qcachegrind_py.reports.html.cost_tables import file_markup
from qcachegrind_py.reports.html.document import document, packaged_text, page_script
from qcachegrind_py.reports.html.markup import escape_html, json_number, number_markup, search_bar

DEFAULT_LIMIT = 1000  # functions of a page without `--limit`
_BAR_STEPS = 50  # lengths of a bar
_MOST_CHANGED = 10  # functions that grew, and that shrank
_WARNING = ' class="problem"'
_WARNINGS = ("Damaged", "Differs")


def write_html(
    report: ComparisonReport,
    stream: TextIO,
    limit: int = DEFAULT_LIMIT,
    details: ChangeDetails | None = None,
) -> None:
    """Write the page, with at most `limit` functions; its encoding must be UTF-8."""
    page = _Page(report, limit, details)
    for piece in page.markup():
        stream.write(piece)
        stream.write("\n")


class _Page:
    """The sections of a page."""

    def __init__(
        self,
        report: ComparisonReport,
        limit: int,
        details: ChangeDetails | None,
    ) -> None:
        self._report = report
        self._details = details
        self._shown = report.functions[:limit]
        self._table = people_table(report, DEFAULT_STYLE)
        *self._columns, _ = self._table.columns  # without names
        self._figures = report.figures()
        shown = self._figures.change[report.functions].tolist()
        self._largest = max((abs(change) for change in shown if change == change), default=0)
        self._listed = frozenset(self._shown.tolist())
        self._flame = self._flame_graph()

    def _flame_graph(self) -> FlameGraph | None:
        details = self._details
        if details is None or details.frames is None:
            return None
        linked = frozenset(map(FunctionId, self._listed))
        return FlameGraph.of(details.compared, details.event, details.frames, linked)

    def markup(self) -> Iterator[str]:
        here = "qcachegrind_py.reports.comparison.html"
        styles = (
            packaged_text("qcachegrind_py.reports.html", "report.css"),
            packaged_text(here, "comparison.css"),
            *_bar_styles(),
            *(self._flame.style() if self._flame else ()),
        )
        script = page_script(here, "comparison.js")
        return document(self._title, "\n".join(styles), script, self._data(), self._content())

    @property
    def _title(self) -> str:
        base, new = self._report.base, self._report.new
        return f"{files_text(base)} → {files_text(new)}" if base else files_text(new)

    def _content(self) -> Iterator[str]:
        yield f"<header><h1>{escape_html(self._title)}</h1>"
        yield from _facts(summary(self._report, DEFAULT_STYLE), "summary")
        yield from self._navigation()
        facts = comparison_facts(self._report, DEFAULT_STYLE)
        yield from _facts((each for each in facts if each[0] != "Growth"), "facts")
        yield "</header><main>"
        yield from self._rules()
        yield from self._totals()
        yield from self._changes()
        yield from self._flame.section() if self._flame else ()
        yield from self._functions()
        yield from self._sources()
        yield "</main>"

    def _navigation(self) -> Iterator[str]:
        report = self._report
        places = {
            "rules": ("Rules", bool(report.rules)),
            "totals": ("Totals", True),
            "changes": ("What changed", report.base is not None),
            "flame": ("Flame graph", self._flame is not None),
            "functions": ("Functions", True),
            "sources": ("Source", bool(self._details and self._details.excerpts)),
        }
        yield "<nav>"
        for place, (title, is_there) in places.items():
            yield f'<a href="#{place}">{title}</a>' if is_there else ""
        yield "</nav>"

    def _rules(self) -> Iterator[str]:
        if not self._report.rules:
            return
        yield '<section id="rules"><h2>Rules</h2><ul>'
        for verdict in verdicts(self._report, DEFAULT_STYLE):
            yield from _rule_item(verdict)
        yield "</ul></section>"

    def _totals(self) -> Iterator[str]:
        is_alone = self._report.base is None
        titles = ["New"] if is_alone else TOTALS_TITLES
        yield '<section id="totals"><h2>Totals</h2><div class="wide"><table><thead><tr>'
        yield '<th scope="col">Event</th>'
        yield from (f'<th scope="col" class="n">{title}</th>' for title in titles)
        yield "</tr></thead><tbody>"
        for each in self._report.total_events:
            cells = totals_row(each, DEFAULT_STYLE)
            yield f"<tr><td>{escape_html(each.event.name)}</td>"
            shown = cells[1:2] if is_alone else cells
            yield from (f'<td class="n">{escape_html(cell)}</td>' for cell in shown)
            yield "</tr>"
        yield "</tbody></table></div></section>"

    def _changes(self) -> Iterator[str]:
        """Yield what grew and what shrank, side by side."""
        if self._report.base is None:
            return
        changes = most_changed(self._report, _MOST_CHANGED)
        event = escape_html(self._report.event.event.name)
        kind = "self" if self._report.kind == "self" else "inclusive"
        yield f'<section id="changes"><h2>What changed in {event}, {kind} cost{self._unit}</h2>'
        yield '<div class="two">'
        for title, functions, count in (
            ("Grown", changes.grown, changes.grown_count),
            ("Shrunk", changes.shrunk, changes.shrunk_count),
        ):
            yield f'<div><h3 id="{title.lower()}">{title}</h3>'
            yield from self._change_table(title, functions, count)
            yield "</div>"
        yield "</div></section>"

    def _change_table(self, title: str, functions: Int64Array, count: int) -> Iterator[str]:
        if not count:
            yield f"<p>No function has {title.lower()}.</p>"
            return
        yield f'<table aria-labelledby="{title.lower()}"><thead><tr>'
        yield '<th scope="col" class="n">Change</th><th scope="col" class="n">%</th>'
        yield '<th scope="col">Function</th></tr></thead><tbody>'
        names = self._report.pairs.shown(functions)
        changes = row_texts(self._table, functions)
        percents = growth_texts(self._report, DEFAULT_STYLE, functions)
        for row, (change, *_), percent, name in zip(
            functions.tolist(), changes, percents, names, strict=True
        ):
            yield (
                f'<tr><td class="n {title.lower()}">{escape_html(change)}</td>'
                f'<td class="n">{escape_html(percent)}</td>'
                f'<td class="name"><div class="function">{self._link(row, name.name)}</div>'
                "</td></tr>"
            )
        yield "</tbody></table>"
        if more := count - len(functions):
            yield f'<p class="faint">… and {number_markup(more)} more.</p>'

    def _link(self, row: int, name: str) -> str:
        """Return the name of a function, as a link to its source or to its row."""
        there = self._details.excerpts if self._details else ()
        if any(each.function == row for each in there):
            target = f"s{row}"
        elif row in self._listed:
            target = f"f{row}"
        else:
            return escape_html(name)
        name = escape_html(name)
        return f'<a href="#{target}" title="{name}">{name}</a>'

    def _sources(self) -> Iterator[str]:
        if self._details is not None:
            functions = [each.function for each in self._details.excerpts]
            names = self._report.pairs.shown(np.array(functions, np.int64))
            yield from source_articles(self._details, dict(zip(functions, names, strict=True)))

    def _functions(self) -> Iterator[str]:
        event = escape_html(self._report.event.event.name)
        kind = "Self" if self._report.kind == "self" else "Inclusive"
        yield f'<section id="functions"><h2>{kind} cost in {event}{self._unit}</h2>'
        yield f"<p>{self._caption()}</p>"
        yield search_bar()
        yield '<div class="wide"><table id="table"><thead><tr>'
        for column in self._columns:
            yield f'<th scope="col" class="{_column_class(column.key)}">{column.title}</th>'
        yield '<th scope="col">Function</th>'
        yield '<th scope="col" class="w">File</th><th scope="col" class="w">Object</th>'
        yield "</tr></thead><tbody>"
        for some in chunks(self._shown):
            yield from self._function_rows(some)
        yield "</tbody></table></div></section>"

    @property
    def _unit(self) -> str:
        return f", {escape_html(self._report.unit)}" if self._report.unit else ""

    def _function_rows(self, rows: Int64Array) -> Iterator[str]:
        table, changes = self._table, self._figures.change[rows].tolist()
        names = self._report.pairs.shown(rows)
        for row, texts, named, change in zip(
            rows.tolist(), row_texts(table, rows), names, changes, strict=True
        ):
            mark, why = table.mark(row), table.note(row)
            mark = f' <span class="mark">{escape_html(mark)}</span>' if mark else ""
            why = f'<div class="why">{_unbroken(why)}</div>' if why else ""
            name = escape_html(named.name)
            bar = change / self._largest if self._largest else 0.0
            cells = (
                f'<td class="{_column_class(column.key, bar)}">{escape_html(text)}</td>'
                for column, text in zip(self._columns, texts, strict=True)
            )
            yield (
                f'<tr id="f{row}">{"".join(cells)}'
                f'<td class="name"><div class="function" title="{name}">{name}{mark}</div>'
                f"{why}</td>"
                f"{file_markup(named.file)}{file_markup(named.object)}</tr>"
            )

    def _caption(self) -> str:
        shown, count = len(self._shown), len(self._report.functions)
        if shown == count:
            return f"{number_markup(count)} {plural(count, 'function')}."
        return (
            f"The first {number_markup(shown)} of {number_markup(count)} functions; "
            "the others are not in this file."
        )

    def _data(self) -> dict[str, object]:
        """Return the numbers that rows are sorted by, and the boxes of the flame graph."""
        boxes = self._flame.data() if self._flame else []
        return {"rows": self._sort_keys(), "boxes": boxes}

    def _sort_keys(self) -> list[list[int | float | str | None]]:
        """Return what each row is sorted by in the columns of numbers."""
        cells = (column.cells for column in self._columns)
        columns = [
            each.numbers()[self._shown].tolist() for each in cells if isinstance(each, ExactCells)
        ]
        return [list(map(_sort_key, numbers)) for numbers in zip(*columns, strict=True)]


def _facts(facts: Iterable[tuple[str, str]], kind: str) -> Iterator[str]:
    """Yield a list of facts; nothing if there are none."""
    items = [
        f"<dt>{escape_html(key)}</dt>"
        f"<dd{_WARNING if key in _WARNINGS else ''}>{escape_html(value)}</dd>"
        for key, value in facts
    ]
    if items:
        yield f'<dl class="{kind}">'
        yield from items
        yield "</dl>"


def _sort_key(number: int | float | None) -> int | float | str | None:
    if number is None or number != number:
        return None
    return number if isinstance(number, float) else json_number(number)


def _rule_item(verdict: Verdict) -> Iterator[str]:
    state = {True: "met", False: "kept", None: "open"}[verdict.is_met]
    yield f'<li class="{state}"><code>{escape_html(verdict.rule)}</code> '
    yield f"{escape_html(verdict.sentence)}"
    if verdict.findings:
        yield "<ul>"
        for finding in verdict.findings:
            numbers = f": {escape_html(finding.numbers)}" if finding.numbers else ""
            place = f" ({escape_html(base_name(finding.place))})"
            yield f"<li>{escape_html(finding.name.name)}{place}{numbers}</li>"
        yield f"<li>… and {number_markup(verdict.more)} more</li>" if verdict.more else ""
        yield from (f"<li>{escape_html(advice)}</li>" for advice in verdict.advice)
        yield "</ul>"
    yield "</li>"


def _unbroken(text: str) -> str:
    """Return a sentence whose lines never end within a number."""
    return escape_html(text).replace("\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}")


def _column_class(key: str, bar: float = 0.0) -> str:
    """Return the classes of a cell: that of a change has a bar, which is visible however short."""
    if key != "change":
        return "n"
    length = max(1, round(_BAR_STEPS * abs(bar)))
    return f"n c {'grown' if bar > 0 else 'shrunk'} b{length}" if bar else "n c"


def _bar_styles() -> Iterator[str]:
    """Yield the CSS rules for the lengths of bars, of which the longest fill half a strip."""
    return (
        f"td.b{step}{{--length:{4 * step / _BAR_STEPS:g}rem}}" for step in range(1, _BAR_STEPS + 1)
    )
