"""Two profiles compared as Markdown, for comments on changes and for summaries of a run.

Names are code in which nothing is markup: no link, no mention and no tag comes out of one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import TextIO

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.present.change import ComparisonReport, FunctionPairs
from qcachegrind_py.present.change_facts import (
    TOTALS_TITLES,
    comparison_facts,
    most_changed,
    summary,
    totals_row,
    verdicts,
)
from qcachegrind_py.present.change_table import people_table, unchanged_text
from qcachegrind_py.present.exact import TEXT_STYLE, chunks
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.function_articles import article_blocks, missing_texts
from qcachegrind_py.present.page import Article, Page, Verdict
from qcachegrind_py.present.table import FunctionName, Table
from qcachegrind_py.profile.numbers import NumberStyle, plural
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.text import TextLayout, write_page

SUMMARY_FUNCTIONS = 20  # in a summary, which is limited to 1 MiB on GitHub
_MOST_NAMED = 5  # functions that grew, and that shrank, in the short answer
_MOST_NAME = 300  # characters of a name
_MOST_CHARACTERS = 40_000  # of the functions: comments are limited to 65,536 on GitHub
_MOST_CODE = 12_000  # characters of changed lines and calls
_CODE_WIDTH = 100  # columns
_STYLE = NumberStyle()
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~&$])")


def write_markdown(
    report: ComparisonReport,
    stream: TextIO,
    limit: int | None = None,
    articles: Sequence[Article] = (),
) -> None:
    """Write the verdict, the short answer, the totals, the functions, and code of some of them.

    At most `limit` functions are listed, and fewer where their names are long, so that the text
    fits into a comment.
    """
    for line in _lines(report, limit, articles):
        stream.write(f"{line}\n")


def _lines(
    report: ComparisonReport, limit: int | None, articles: Sequence[Article]
) -> Iterator[str]:
    event = report.event.event.name
    yield f"## {_headline(report)}"
    yield ""
    for damage in report.damage:
        yield f"- ⚠️ **Damaged** {escaped(damaged_text(damage))}"
    for verdict in verdicts(report, _STYLE):
        yield from rule_lines(verdict)
    if report.rules or report.damage:
        yield ""
    yield from _short_answer(report)
    yield from _totals(report)
    yield ""
    table = people_table(report, _STYLE)
    functions = _fitting(table, report.pairs, report.functions[:limit])
    more = len(report.functions) - len(functions)
    unit = f", {escaped(report.unit)}" if report.unit else ""
    yield f"### {'Self' if report.kind == 'self' else 'Inclusive'} cost in {code(event)}{unit}"
    yield ""
    titles = [column.title for column in table.columns]
    yield from table_lines(titles, functions, texts=(len(titles) - 1,))
    if more:
        yield ""
        yield f"… and {more:,} more {plural(more, 'function')}"
    if unchanged := unchanged_text(report):
        yield ""
        yield unchanged
    yield ""
    yield from code_of(articles)
    yield from _facts(report)


def _headline(report: ComparisonReport) -> str:
    """Return whether rules are met, and otherwise how much the total changed."""
    if report.rules:
        results = [*report.rules, *(each for past in report.earlier for each in past.report.rules)]
        met = sum(bool(result.is_met) for result in results)
        count = len(results)
        rules = f"{met} of {count} {plural(count, 'rule')}" if met else "No rule"
        unchecked = sum(bool(result.reason) for result in results)
        more = f", {unchecked} cannot be checked" if unchecked else ""
        return f"{'❌' if met or unchecked else '✅'} {rules} met{more}"
    each = report.event
    if report.base is None:
        return f"Costs in {code(each.event.name)}"
    change, percent = totals_row(each, _STYLE)[2:4]
    return f"Change of {code(each.event.name)}: {change} ({percent} %)"


def rule_lines(verdict: Verdict) -> Iterator[str]:
    """Yield what is said of a rule, with the functions that meet it, as a list."""
    sign = {True: "❌", False: "✅", None: "➖"}[verdict.is_met] if verdict.is_checkable else "❗"
    yield f"- {sign} {code(verdict.rule)} {escaped(verdict.sentence)}"
    for finding in verdict.findings:
        numbers = f": {escaped(finding.numbers)}" if finding.numbers else ""
        yield f"  - {_located(finding.name, finding.line)}{numbers}"
    if verdict.more:
        yield f"  - … and {verdict.more:,} more"
    for advice in verdict.advice:
        yield f"  - {escaped(advice)}"


def _totals(report: ComparisonReport) -> Iterator[str]:
    rows = [
        [code(each.event.name), *map(escaped, totals_row(each, _STYLE))]
        for each in report.total_events
    ]
    titles = ["Total", *TOTALS_TITLES]
    if report.base is None:
        rows, titles = [[row[0], row[2]] for row in rows], ["Total", "New"]
    yield from table_lines(titles, rows, texts=(0,))


def _short_answer(report: ComparisonReport) -> Iterator[str]:
    """Yield how the total changed, and the functions that grew and that shrank most."""
    if report.base is None:
        return
    changes = most_changed(report, _MOST_NAMED)
    table = people_table(report, _STYLE)
    named = {
        "Growth": (changes.grown, changes.grown_count),
        "Shrinkage": (changes.shrunk, changes.shrunk_count),
    }
    for key, text in summary(report, _STYLE):
        yield f"- **{key}** {escaped(text)}"
        functions, count = named.get(key, (report.functions[:0], 0))
        names = report.pairs.shown(functions)
        for texts, name in zip(_number_texts(table, functions), names, strict=True):
            yield f"  - {escaped(texts[0])} {_located(name)}"
        if more := count - len(functions):
            yield f"  - … and {more:,} more"
    yield ""


def _number_texts(table: Table, rows: Int64Array) -> list[tuple[str, ...]]:
    """Return the texts of these rows in all columns but that of the names."""
    texts = (column.cells.texts(rows) for column in table.columns[:-1])
    return list(zip(*texts, strict=True))


def _fitting(table: Table, pairs: FunctionPairs, functions: Int64Array) -> list[list[str]]:
    """Return the rows of the functions, as many as have room, and at least one."""
    rows: list[list[str]] = []
    room = _MOST_CHARACTERS
    for some in chunks(functions):
        for cells in _function_rows(table, pairs, some):
            room -= sum(map(len, cells)) + 3 * len(cells)
            if rows and room < 0:
                return rows
            rows.append(cells)
    return rows


def _function_rows(
    table: Table, pairs: FunctionPairs, functions: Int64Array
) -> Iterator[list[str]]:
    rows = functions.tolist(), _number_texts(table, functions), pairs.shown(functions)
    for row, texts, name in zip(*rows, strict=True):
        mark = f" *{escaped(table.mark(row))}*" if table.mark(row) else ""
        why = f"<br>{escaped(table.note(row))}" if table.note(row) else ""
        yield [*map(escaped, texts), f"{_located(name)}{mark}{why}"]


def table_lines(
    titles: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int]
) -> Iterator[str]:
    """Yield a table of markup; the columns `texts` are to the left, the others to the right."""
    yield f"| {' | '.join(titles)} |"
    rule = (":---" if place in texts else "---:" for place in range(len(titles)))
    yield f"| {' | '.join(rule)} |"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(markup: str) -> str:
    """Return markup for a table, whose cells end at bars that are not escaped, even in code."""
    return markup.replace("|", "\\|")


def _facts(report: ComparisonReport) -> Iterator[str]:
    yield "<details><summary>Profiles</summary>"
    yield ""
    for key, value in comparison_facts(report, _STYLE):
        if key not in ("Growth", "Damaged"):  # which the short answer has
            yield f"- {key}: {code(value)}"
    yield ""
    yield "</details>"


def code_of(articles: Sequence[Article], room: int = _MOST_CODE) -> Iterator[str]:
    """Yield the changed lines and calls of functions, folded, in so many characters."""
    texts = list[str]()
    for article in articles:
        page, text = Page(list(article_blocks(article, TEXT_STYLE))[1:]), io.StringIO()
        write_page(page, text, TextLayout(_CODE_WIDTH, False))
        longest = max(map(len, re.findall("`+", text.getvalue())), default=0)
        fence = "`" * max(3, longest + 1)
        sentence = escaped("".join(article.sentence))
        texts.append(f"{_located(article.name)}: {sentence}\n\n{fence}\n{text.getvalue()}{fence}\n")
        room -= len(texts[-1])
        if room < 0:
            texts.pop()
            break
    if texts:
        yield "<details><summary>Changed lines and calls</summary>"
        notes = (f"{note.text}\n" for note in missing_texts(articles))
        yield from ("", *texts, *notes, "</details>", "")


def _located(name: FunctionName, line: int = 0) -> str:
    if not name.file:
        return code(bounded(name.name))
    short = name_within(name.name)
    place = f"{base_name(name.object)}: {base_name(name.file)}" + (f":{line}" if line else "")
    return f"{code(short)} {code(bounded(place))}"


def bounded(text: str) -> str:
    """Return a text without the end of one that is very long."""
    return text if len(text) <= _MOST_NAME else f"{text[:_MOST_NAME]}…"


def code(text: str) -> str:
    """Return a text as code; its fence is longer than any within it."""
    shown = visible_text(text) or " "
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", visible_text(text)).replace("\\|", "&#124;")
