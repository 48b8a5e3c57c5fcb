"""The page of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.filters.expression import Filter
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
from qcachegrind_py.present.comparison_page import (
    ChangeDetails,
    change_details,
    changes_table,
    page_table,
    window_report,
)
from qcachegrind_py.present.page import Verdict
from qcachegrind_py.present.verdict import verdicts
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch
from qcachegrind_py.write.html.articles import article_markup
from qcachegrind_py.write.html.document import packaged, page_script, saved_page, write_document
from qcachegrind_py.write.html.flame import flame_data, flame_section, flame_styles
from qcachegrind_py.write.html.markup import escape_html, facts_markup, navigation
from qcachegrind_py.write.html.tables import (
    TableMarkup,
    caption,
    change_styles,
    function_section,
)

DEFAULT_LIMIT = 1000  # functions of a page without `--limit`
_MOST_CHANGED = 10  # functions that grew, and that shrank


def write_comparison(
    report: ComparisonReport,
    stream: TextIO,
    limit: int = DEFAULT_LIMIT,
    details: ChangeDetails | None = None,
) -> None:
    """Write the page of a comparison with at most `limit` functions, for UTF-8."""
    base, new, shown = report.base, report.new, report.functions[:limit]
    title = f"{files_text(base)} → {files_text(new)}" if base else files_text(new)
    flame = details.flame if details else None
    style = "\n".join(
        (packaged("page.css", "comparison.css"), *change_styles(), *flame_styles(flame))
    )
    script = page_script("comparison.js")
    listed = frozenset(shown.tolist())
    table = TableMarkup(page_table(report), anchored=listed)
    data = {"rows": table.sort_keys(shown), "boxes": flame_data(flame)}
    content = _comparison(report, title, details, table, shown)
    write_document(stream, title, style, script, data, content)


def _comparison(
    report: ComparisonReport,
    title: str,
    details: ChangeDetails | None,
    table: TableMarkup,
    shown: Int64Array,
) -> Iterator[str]:
    event, unit = report.event.event.name, f", {report.unit}" if report.unit else ""
    flame, articles = (details.flame, details.articles) if details else (None, ())
    rows = {function: f"f{function}" for function in shown.tolist()}
    places = {article.function: f"s{article.function}" for article in articles}
    yield f"<header><h1>{escape_html(title)}</h1>"
    yield from facts_markup(summary(report, DEFAULT_STYLE), "summary")
    yield navigation(
        (
            ("rules", "Rules", bool(report.rules)),
            ("totals", "Totals", True),
            ("changes", "What changed", report.base is not None),
            ("flame", "Flame graph", flame is not None),
            ("functions", "Functions", True),
            ("sources", "Source", bool(articles)),
        )
    )
    facts = comparison_facts(report, DEFAULT_STYLE)
    facts = (each for each in facts if each[0] != "Growth")
    yield from facts_markup(facts, "facts", ("Damaged", "Differs"))
    yield "</header><main>"
    yield from _rules(report)
    yield from _totals(report)
    if report.base is not None:
        what = f"What changed in {event}, {report.kind} cost{unit}"
        yield f'<section id="changes"><h2>{escape_html(what)}</h2>'
        yield from _changes(report, rows | places)
        yield "</section>"
    if flame is not None:
        yield from flame_section(flame, rows)
    costs = escape_html(f"{report.kind.capitalize()} cost in {event}{unit}")
    said = caption(len(shown), len(report.functions))
    yield from function_section(costs, said, table, shown)
    if details is not None and articles:
        of_event = escape_html(details.event.name)
        yield f'<section id="sources"><h2>Source of what changed most in {of_event}</h2>'
        yield "<p>Costs are the self costs of lines. A line stands for both sides if they have it; "
        yield "– is a side without it.</p>"
        for article in articles:
            yield from article_markup(article, places[article.function], {})
        yield "</section>"
    yield "</main>"


def _rules(report: ComparisonReport) -> Iterator[str]:
    if not report.rules:
        return
    yield '<section id="rules"><h2>Rules</h2><ul>'
    for verdict in verdicts(report, DEFAULT_STYLE):
        yield from _rule(verdict)
    yield "</ul></section>"


def _rule(verdict: Verdict) -> Iterator[str]:
    state = {True: "met", False: "kept", None: "open"}[verdict.is_met]
    yield f'<li class="{state}"><code>{escape_html(verdict.rule)}</code> '
    yield escape_html(verdict.sentence)
    if verdict.findings:
        yield "<ul>"
        for finding in verdict.findings:
            numbers = f": {escape_html(finding.numbers)}" if finding.numbers else ""
            place = f" ({escape_html(base_name(finding.place))})"
            yield f"<li>{escape_html(finding.name.name)}{place}{numbers}</li>"
        if verdict.more:
            yield f"<li>… and {format_count(verdict.more)} more</li>"
        yield from (f"<li>{escape_html(advice)}</li>" for advice in verdict.advice)
        yield "</ul>"
    yield "</li>"


def _totals(report: ComparisonReport) -> Iterator[str]:
    is_alone = report.base is None
    yield '<section id="totals"><h2>Totals</h2><div class="wide"><table><thead><tr>'
    yield '<th scope="col">Event</th>'
    titles = ["New"] if is_alone else TOTALS_TITLES
    yield from (f'<th scope="col" class="n">{title}</th>' for title in titles)
    yield "</tr></thead><tbody>"
    for each in report.total_events:
        cells = totals_row(each, DEFAULT_STYLE)
        yield f"<tr><td>{escape_html(each.event.name)}</td>"
        shown = cells[1:2] if is_alone else cells
        yield from (f'<td class="n">{escape_html(cell)}</td>' for cell in shown)
        yield "</tr>"
    yield "</tbody></table></div></section>"


def _changes(report: ComparisonReport, places: dict[int, str]) -> Iterator[str]:
    """Yield what grew and what shrank, side by side."""
    changes = most_changed(report, _MOST_CHANGED)
    table = TableMarkup(changes_table(report), places, has_files=False)
    yield '<div class="two">'
    for title, functions, count in (
        ("Grown", changes.grown, changes.grown_count),
        ("Shrunk", changes.shrunk, changes.shrunk_count),
    ):
        key = title.lower()
        yield f'<div><h3 id="{key}">{title}</h3>'
        if count:
            yield from table.write(functions, f' aria-labelledby="{key}"')
        else:
            yield f"<p>No function has {key}.</p>"
        if more := count - len(functions):
            yield f'<p class="faint">… and {format_count(more)} more.</p>'
        yield "</div>"
    yield "</div>"


def save_comparison(
    progress: Progress,
    path: Path,
    compared: Comparison,
    event: EventType,
    filter_: Filter,
    search: FileSearch,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> Path:
    """Write the page of what a window compares completely or not at all, and return its path.

    Only functions that pass the filter are on it; sources are found as in the window. Raises
    `UnwritableFile` and `Cancelled`.
    """
    report = window_report(compared, event, filter_, PartialProgress(progress, 0, 0.4))
    part = PartialProgress(progress, 0.4, 0.95)
    details = change_details(report, compared, search, part, base_search)

    def write(stream: TextIO) -> None:
        write_comparison(report, stream, details=details)

    return saved_page(path, write, progress)
