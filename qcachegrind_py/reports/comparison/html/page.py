"""Two profiles compared as an HTML page for offline reading: verdict, totals, functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from qcachegrind_py.profile.number_format import DEFAULT_STYLE, plural
from qcachegrind_py.reports.comparison.contents import ComparisonReport, CostKind
from qcachegrind_py.reports.comparison.facts import (
    TOTALS_TITLES,
    comparison_facts,
    files_text,
    totals_row,
)
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.comparison.rows import ComparisonRow, ComparisonRows
from qcachegrind_py.reports.comparison.verdict import Verdict, verdicts
from qcachegrind_py.reports.function_table import chunks
from qcachegrind_py.reports.html.cost_tables import file_markup
from qcachegrind_py.reports.html.document import document, packaged_text, page_script
from qcachegrind_py.reports.html.markup import escape_html, json_number, number_markup

DEFAULT_LIMIT = 1000  # functions of a page without `--limit`
_BAR_STEPS = 50  # lengths of a bar
_TITLES = ("Change", "%", "Base", "New", "Called", "Function", "File", "Object")
_TEXTS = 3  # the last columns


def write_html(
    report: ComparisonReport,
    stream: TextIO,
    measure: Measure,
    kind: CostKind = "self",
    limit: int = DEFAULT_LIMIT,
) -> None:
    """Write the page, with at most `limit` functions; its encoding must be UTF-8."""
    page = _Page(report, measure, kind, limit)
    for piece in page.markup():
        stream.write(piece)
        stream.write("\n")


class _Page:
    """The sections of a page."""

    def __init__(
        self, report: ComparisonReport, measure: Measure, kind: CostKind, limit: int
    ) -> None:
        self._report, self._measure, self._kind = report, measure, kind
        shown = report.functions[:limit]
        table = ComparisonRows(report, measure, kind, DEFAULT_STYLE)
        self._rows = [row for some in chunks(shown) for row in table.rows(some)]

    def markup(self) -> Iterator[str]:
        here = "qcachegrind_py.reports.comparison.html"
        styles = (
            packaged_text("qcachegrind_py.reports.html", "report.css"),
            packaged_text(here, "comparison.css"),
            *_bar_styles(),
        )
        script = page_script(here, "comparison.js")
        return document(self._title, "\n".join(styles), script, self._data(), self._content())

    @property
    def _title(self) -> str:
        base, new = self._report.base, self._report.new
        return f"{files_text(base)} → {files_text(new)}" if base else files_text(new)

    def _content(self) -> Iterator[str]:
        yield f"<header><h1>{escape_html(self._title)}</h1><dl>"
        for key, value in comparison_facts(self._report, DEFAULT_STYLE):
            warns = ' class="problem"' if key == "Differs" else ""
            yield f"<dt>{escape_html(key)}</dt><dd{warns}>{escape_html(value)}</dd>"
        yield "</dl></header><main>"
        yield from self._rules()
        yield from self._totals()
        yield from self._functions()
        yield "</main>"

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

    def _functions(self) -> Iterator[str]:
        event = escape_html(self._report.event.event.name)
        unit = f", {escape_html(self._measure.unit)}" if self._measure.unit else ""
        kind = "Self" if self._kind == "self" else "Inclusive"
        yield f'<section id="functions"><h2>{kind} cost in {event}{unit}</h2>'
        yield f"<p>{self._caption()}</p>"
        yield '<div class="bar" id="tools" hidden>'
        yield '<label>Search <input type="search" id="search" '
        yield 'placeholder="function, file or object"></label>'
        yield '<output id="found" aria-live="polite"></output></div>'
        yield '<div class="wide"><table id="table"><thead><tr>'
        numbers = len(_TITLES) - _TEXTS
        for place, title in enumerate(_TITLES):
            kind_class = "n" if place < numbers else "w" if place > numbers else ""
            kind_class += "" if place else " c"
            yield f'<th scope="col" class="{kind_class}">{title}</th>'
        yield "</tr></thead><tbody>"
        yield from map(_function_row, self._rows)
        yield "</tbody></table></div></section>"

    def _caption(self) -> str:
        shown, count = len(self._rows), len(self._report.functions)
        if shown == count:
            return f"{number_markup(count)} {plural(count, 'function')}."
        return (
            f"The first {number_markup(shown)} of {number_markup(count)} functions; "
            "the others are not in this file."
        )

    def _data(self) -> list[list[int | float | str | None]]:
        """Return what each row is sorted by: change, relative change, base, new, called count."""
        report = self._report
        costs = report.event.costs(self._kind)
        order = report.functions[: len(self._rows)]
        columns = (costs.change, costs.base, costs.new, report.called.change)
        numbers = zip(*(column[order].tolist() for column in columns), strict=True)
        return [
            [
                _sort_key(change),
                _sort_key(change / abs(base) if base else None),
                *map(_sort_key, (base, new, called)),
            ]
            for change, base, new, called in numbers
        ]


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
            yield f"<li>{escape_html(finding.name.name)}{numbers}</li>"
        yield f"<li>… and {number_markup(verdict.more)} more</li></ul>" if verdict.more else "</ul>"
    yield "</li>"


def _function_row(row: ComparisonRow) -> str:
    mark = f' <span class="mark">{escape_html(row.mark)}</span>' if row.mark else ""
    why = f'<div class="why">{escape_html(row.why)}</div>' if row.why else ""
    numbers, name = (row.percent, row.base, row.new, row.called), escape_html(row.name.name)
    return (
        f'<tr><td class="n c{_bar_classes(row.bar)}">{escape_html(row.change)}</td>'
        + "".join(f'<td class="n">{escape_html(text)}</td>' for text in numbers)
        + f'<td class="name"><div class="function" title="{name}">{name}{mark}</div>{why}</td>'
        f"{file_markup(row.name.file)}{file_markup(row.name.object)}</tr>"
    )


def _bar_classes(share: float) -> str:
    """Return the classes of a bar, which is visible however short; none for no change."""
    if not share:
        return ""
    length = max(1, round(_BAR_STEPS * abs(share)))
    return f" {'grown' if share > 0 else 'shrunk'} b{length}"


def _bar_styles() -> Iterator[str]:
    """Yield the CSS rules for the lengths of bars, of which the longest fill half a strip."""
    return (
        f"td.b{step}{{--length:{4 * step / _BAR_STEPS:g}rem}}" for step in range(1, _BAR_STEPS + 1)
    )
