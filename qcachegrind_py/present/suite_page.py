"""The page of two suites: findings with their code, a table, and a part for each benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qcachegrind_py.present.exact import percentage_text
from qcachegrind_py.present.page import (
    Articles,
    Block,
    Contents,
    Facts,
    FunctionList,
    Grid,
    Listing,
    Note,
    Page,
    Rules,
    Section,
)
from qcachegrind_py.present.suite import BenchmarkRow, SuiteReport
from qcachegrind_py.present.suite_table import (
    MOST_IN_TEXT,
    explanation,
    finding_facts,
    is_changed,
    noted_table,
    suite_facts,
    unlisted_text,
)
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_exact, signed_text
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

_MOST_FUNCTIONS = 20  # of a benchmark


def suite_page(report: SuiteReport, listed: Int64Array) -> Page:
    """Return the page of these benchmarks, each of which leads to its part."""
    rows = listed.tolist()
    links = {row: f"b{row}" for row in rows if is_changed(report.rows[row])}
    table = noted_table(report, DEFAULT_STYLE)
    listing = Listing(table, listed, links=links, has_files=False)
    sections = []
    if report.rules:
        sections.append(Section("rules", "Rules", [Rules(report.rules)], "Rules"))
    more = unlisted_text(report, listed)
    title = f"Total cost in {report.event}"
    notes = [Note(more)] if more else []
    benchmarks = FunctionList(listing, searched="benchmark or function")
    sections.append(Section("functions", title, [*notes, benchmarks], "Benchmarks"))
    found = (each.article for each in report.findings if each.article is not None)
    # their numbers are those of different comparisons
    articles = [
        replace(article, function=FunctionId(NodeId(number)), calls=())
        for number, article in enumerate(found)
    ]
    if articles:
        places: dict[int, str] = {each.function: f"c{each.function}" for each in articles}
        code = Articles(articles, places, "All benchmarks")
        sections.append(Section("sources", "Changed lines", [code], "Changed lines"))
    sections += (_section(report, row) for row in rows if row in links)
    return Page(
        [
            Facts(tuple(finding_facts(report, DEFAULT_STYLE, MOST_IN_TEXT)), is_answer=True),
            Contents(),
            Facts(tuple(suite_facts(report)), warnings=frozenset(("Damaged", "Differs"))),
        ],
        f"{visible_text(report.base)} → {visible_text(report.new)}",
        sections,
        "comparison",
    )


def _section(report: SuiteReport, place: int) -> Section:
    """Return the part of one benchmark: its functions, its rules, and how to compare it alone."""
    row = report.rows[place]
    return Section(f"b{place}", row.name, list(_blocks(report, row)))


def _blocks(report: SuiteReport, row: BenchmarkRow) -> Iterator[Block]:
    if row.problem:
        yield Note(explanation(report, row, DEFAULT_STYLE), is_problem=True)
    if any(verdict.is_met is not False for verdict in row.verdicts):
        yield Rules([verdict for verdict in row.verdicts if verdict.is_met is not False])
    functions = row.functions
    if functions is not None and len(functions):
        shown = zip(
            functions.function,
            functions.cost.base.tolist(),
            functions.cost.new.tolist(),
            strict=True,
        )
        yield Grid(
            ("Function", "Base", "New", "Change", "%"),
            [
                (report.name(function), *_numbers(base, new))
                for function, base, new in list(shown)[:_MOST_FUNCTIONS]
            ],
        )
    if row.command:
        yield Note(f"qcachegrind-py {row.command}")


def _numbers(base: int, new: int) -> tuple[str, str, str, str]:
    def form(number: int) -> str:
        return format_exact(number, "", DEFAULT_STYLE)

    change = new - base
    percent = percentage_text(change, base, DEFAULT_STYLE)
    return form(base), form(new), signed_text(form(change), change), percent
