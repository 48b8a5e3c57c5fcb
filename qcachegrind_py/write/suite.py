"""Two suites as Markdown, for comments on changes and for summaries of a run.

All of it is at most 20 kB: the findings and rules come first, then the table as far as there is
room for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TextIO

from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.present.page import Verdict
from qcachegrind_py.present.suite import SuiteFinding, SuiteReport
from qcachegrind_py.present.suite_table import (
    MOST_IN_TEXT,
    calls_text,
    counted,
    direction,
    explanation,
    others_text,
    places_text,
    shares_text,
    suite_facts,
    suite_table,
    where_text,
)
from qcachegrind_py.profile.numbers import NumberStyle, plural
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.write.markdown import (
    bounded,
    code,
    code_of,
    escaped,
    rule_lines,
    table_lines,
)

_MOST_BYTES = 20_000
_MOST_CODE = 5_000  # characters
_MOST_HEAD = 9_000  # bytes of findings and rules
_MOST_OF_RULE = 5  # benchmarks or functions of a rule
_STYLE = NumberStyle()


def write_suite_markdown(report: SuiteReport, listed: Int64Array, stream: TextIO) -> None:
    """Write the verdict, the findings, the rules, the benchmarks, and code of the findings."""
    head = list(_head(report))
    articles = [each.article for each in report.findings if each.article is not None]
    tail = [*code_of(articles, _MOST_CODE), *_facts(report)]
    left = _MOST_BYTES - _size(head) - _size(tail)
    for line in [*head, *_table(report, listed, left), *tail]:
        stream.write(f"{line}\n")


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)


def _head(report: SuiteReport) -> Iterator[str]:
    yield f"## {_headline(report)}"
    yield ""
    yield from _fitting(map(_finding_line, [report] * MOST_IN_TEXT, report.findings), _MOST_HEAD)
    more = max(0, len(report.findings) - MOST_IN_TEXT) + report.small
    if more:
        yield f"- … and {more:,} more {plural(more, 'function')} that changed less"
    elif not report.findings:
        yield "No function changed."
    yield ""
    for verdict in report.rules:
        yield from _fitting(rule_lines(_shortened(verdict)), _MOST_HEAD // len(report.rules) // 2)
    if report.rules:
        yield ""


def _headline(report: SuiteReport) -> str:
    count = f"{len(report.rows):,} {plural(len(report.rows), 'benchmark')}"
    if not report.rules:
        changed = sum(bool(row.change or row.state) for row in report.rows)
        return f"{changed:,} of {count} changed in {code(report.event)}"
    failed = sum(any(verdict.is_met for verdict in row.verdicts) for row in report.rows)
    if failed:
        return f"❌ {failed:,} of {count} {'meets' if failed == 1 else 'meet'} a rule"
    if any(verdict.is_met is None for verdict in report.rules):
        return f"➖ Not every rule could be checked in {count}"
    return f"✅ No rule met in {count}"


def _finding_line(report: SuiteReport, finding: SuiteFinding) -> str:
    place, name = code(bounded(places_text(report, finding))), code(name_within(finding.name))
    shares = escaped(shares_text(finding, _STYLE))
    where, calls = escaped(where_text(report, finding)), escaped(calls_text(report, finding))
    who = f"{name} {place}{others_text(finding)}"
    return f"- **{direction(finding)}** {who} {where}: **{shares}**{calls}"


def _shortened(verdict: Verdict) -> Verdict:
    more = verdict.more + max(0, len(verdict.findings) - _MOST_OF_RULE)
    return replace(verdict, findings=verdict.findings[:_MOST_OF_RULE], more=more)


def _fitting(lines: Iterator[str], room: int) -> Iterator[str]:
    """Yield as many lines as there is room for."""
    for line in lines:
        room -= _size([line])
        if room < 0:
            yield "- …"
            return
        yield line


def _table(report: SuiteReport, listed: Int64Array, room: int) -> Iterator[str]:
    """Yield the benchmarks for which there is room, and how many there are."""
    table = suite_table(report, _STYLE)
    columns = [column.cells.texts(listed) for column in table.columns[:4]]
    rows = [
        [
            *map(escaped, numbers),
            escaped(bounded(explanation(report, report.rows[row], _STYLE))),
            code(bounded(report.rows[row].name)),
        ]
        for row, numbers in zip(listed.tolist(), zip(*columns, strict=True), strict=True)
    ]
    titles = [column.title for column in table.columns]
    heading, rule, *lines = table_lines(titles, rows, texts=(4, 5))
    kept = list(_fitting(iter(lines), room - _size([heading, rule]) - 300))
    if len(kept) and kept[-1] == "- …":
        kept.pop()
    yield f"### Total cost in {code(report.event)}"
    yield ""
    if lines:
        yield from (heading, rule, *kept, "")
    if more := len(report.rows) - len(kept):
        what = "more " if kept else ""
        yield f"… and {more:,} {what}{plural(more, 'benchmark')}, which `compare` lists."
        yield ""


def _facts(report: SuiteReport) -> Iterator[str]:
    yield f"{counted(report)}"
    yield "<details><summary>Suites</summary>"
    yield ""
    yield from _fitting((f"- {key}: {code(value)}" for key, value in suite_facts(report)), 2_000)
    yield ""
    yield "</details>"
