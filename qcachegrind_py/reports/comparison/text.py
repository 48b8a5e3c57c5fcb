"""Two profiles compared as text for people: facts, totals, the rules, and functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from qcachegrind_py.profile.numbers import percentage
from qcachegrind_py.reports.comparison.contents import ComparisonReport, CostKind
from qcachegrind_py.reports.comparison.facts import (
    TOTALS_TITLES,
    comparison_facts,
    totals_row,
)
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.comparison.rows import COLUMN_TITLES, ComparisonRow, ComparisonRows
from qcachegrind_py.reports.comparison.verdict import Verdict, verdicts
from qcachegrind_py.reports.facts import TEXT_STYLE, write_lines
from qcachegrind_py.reports.function_table import chunks
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout, columns_of, left_aligned

_GAP = "  "


def write_text(
    report: ComparisonReport,
    stream: TextIO,
    measure: Measure,
    kind: CostKind = "self",
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write the facts, the totals, which rules are met, and the functions."""
    write_head(report, stream, layout)
    stream.write("\n")
    _write_functions(report, stream, measure, kind, layout)


def write_head(report: ComparisonReport, stream: TextIO, layout: TextLayout) -> None:
    """Write the facts, the totals, and which rules are met."""
    write_lines(list(comparison_facts(report, TEXT_STYLE)), stream, layout)
    _write_totals(report, stream)
    for place, verdict in enumerate(verdicts(report, TEXT_STYLE)):
        stream.write("" if place else "\n")
        stream.writelines(f"{line}\n" for line in verdict_lines(verdict, layout))


def verdict_lines(verdict: Verdict, layout: TextLayout) -> Iterable[str]:
    """Yield what is said of a rule."""
    end = ":" if verdict.findings else "."
    rule = f"Rule {cell_text(verdict.rule)} {cell_text(verdict.sentence)}{end}"
    yield layout.hot(rule) if verdict.is_met else rule
    for finding in verdict.findings:
        numbers = f": {cell_text(finding.numbers)}" if finding.numbers else ""
        name = finding.name
        used = len(_GAP) + columns_of(numbers)
        yield f"{_GAP}{layout.located_name(name.name, finding.place, name.object, used)}{numbers}"
    if verdict.more:
        yield f"{_GAP}… and {verdict.more:,} more"
    for advice in verdict.advice:
        yield f"{_GAP}{cell_text(advice)}"


def _write_totals(report: ComparisonReport, stream: TextIO) -> None:
    events = report.total_events
    rows = [(cell_text(each.event.name), *totals_row(each, TEXT_STYLE)) for each in events]
    stream.write("\n")
    if report.base is None:
        rows = [(row[0], row[2]) for row in rows]
    titles = ("Total", *(TOTALS_TITLES if report.base else ["New"]))
    _write_table(titles, rows, stream)


def _write_table(titles: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    """Write a table with its first column to the left and all others to the right."""
    widths = [max(map(columns_of, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        first = left_aligned(row[0], widths[0])
        others = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        stream.write(f"{_GAP.join((first, *others)).rstrip()}\n")


def _write_functions(
    report: ComparisonReport,
    stream: TextIO,
    measure: Measure,
    kind: CostKind,
    layout: TextLayout,
) -> None:
    """Write the functions below their titles; costs of one column end at the same place."""
    table = ComparisonRows(report, measure, kind, TEXT_STYLE)
    rows = [row for some in chunks(report.functions) for row in table.rows(some)]
    unit = f", {cell_text(measure.unit)}" if measure.unit else ""
    costs = "Self cost" if kind == "self" else "Inclusive cost"
    stream.write(f"{costs} in {cell_text(report.event.event.name)}{unit}\n")
    titles = [COLUMN_TITLES[key] for key in table.columns]
    lines = [table.cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    changes, total = report.event.costs(kind).change.tolist(), report.event.total[0]
    aligned = _GAP.join(f"{title:>{width}}" for title, width in zip(titles, widths, strict=True))
    stream.write(f"{aligned}{_GAP}Function\n")
    for row, cells in zip(rows, lines, strict=True):
        texts = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
        weight = percentage(abs(changes[row.function]), total) if report.base else None
        _write_function(row, texts, weight or 0.0, stream, layout)


def _write_function(
    row: ComparisonRow, cells: Sequence[str], weight: float, stream: TextIO, layout: TextLayout
) -> None:
    """Write a function; its change is in bold if it is hot by its share of the base's total."""
    mark = f" [{row.mark}]" if row.mark else ""
    indent = len(_GAP.join(cells)) + len(_GAP)
    name = layout.located_name(
        row.name.name, row.name.file, row.name.object, indent + columns_of(mark)
    )
    first = layout.cost(cells[0], weight)
    stream.write(f"{_GAP.join((first, *cells[1:]))}{_GAP}{name}{mark}\n")
    if row.why:
        stream.write(f"{' ' * indent}{_GAP}{row.why}\n")
