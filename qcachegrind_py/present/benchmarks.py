"""The benchmarks of two suites in the window: their table, and what is said above it."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.no_figures import NO_FIGURES
from qcachegrind_py.present.suite import BenchmarkRow, SuiteFinding, SuiteReport
from qcachegrind_py.present.suite_table import counted, explanation, finding_facts
from qcachegrind_py.present.table import (
    ChangeCells,
    Column,
    CostCells,
    GrowthCells,
    Numbers,
    SideCells,
    Table,
    TextCells,
    cell_text,
)
from qcachegrind_py.present.unit import BASE, NEW, Unit
from qcachegrind_py.profile.numbers import NumberStyle, unit_of

MOST_FINDINGS = 3  # above the table
_MOST_DIFFERENCES = 3  # in a tip


@frozen
class _GrowthBarCells(ChangeCells, GrowthCells):
    """Changes in percent, with bars; a word for a benchmark that only one side has."""

    rows: tuple[BenchmarkRow, ...]
    longest: float  # the growth of the longest bar

    def order(self) -> Numbers:
        """Return the sizes: failures first, and new and gone ones behind all that changed."""
        growths = GrowthCells.order(self)
        for place, row in enumerate(self.rows):
            if row.state:
                growths[place] = math.inf if row.state == "failed" else sys.float_info.min
        return growths

    def text(self, row: int) -> str:
        return self.rows[row].state or self.figures.growth(row)

    def bar(self, row: int) -> float:
        growth = self.rows[row].relative
        finite = np.isfinite(growth) and bool(self.longest)
        return growth / self.longest if finite else 0.0


def benchmark_table(report: SuiteReport, style: NumberStyle, opened: int | None = None) -> Table:
    """Return the table of all benchmarks; `opened` is the one whose comparison is open."""
    unit = Unit(report.event, wants_percent=False, style=style, quantity=unit_of(report.event))
    base, new = (
        np.array([getattr(row, side) or 0 for row in report.rows]) for side in ("base", "new")
    )
    figures = Figures(unit, new, base).with_longest_bar()
    explanations = [explanation(report, row, style) for row in report.rows]

    def mark(row: int) -> str:
        return "open" if row == opened else ""

    def tip(row: int) -> tuple[str, ...]:
        shown = report.rows[row]
        differ = (
            f"{each.what}: {each.base} → {each.new}"
            for each in islice(shown.differences, _MOST_DIFFERENCES)
        )
        lines = shown.name, explanation(report, shown, style, str), *differ
        return tuple(map(cell_text, filter(None, lines)))

    return Table(_columns(report.rows, figures, explanations), len(report.rows), tip=tip, mark=mark)


def _columns(
    rows: tuple[BenchmarkRow, ...], figures: Figures, explanations: list[str]
) -> tuple[Column, ...]:
    names = [row.name for row in rows]
    growths = [abs(row.relative) for row in rows if np.isfinite(row.relative)]
    return (
        Column(
            "growth",
            "Growth",
            "The change of the total in percent of the base",
            _GrowthBarCells(figures, rows, max(growths, default=0.0)),
        ),
        Column(
            "change", "Change", "The change of the total", CostCells(figures), gives_way=3
        ),
        Column(
            "base", "Base", "The total in the base", SideCells(figures, BASE), gives_way=1
        ),
        Column(
            "new", "New", "The total on the new side", SideCells(figures, NEW), gives_way=2
        ),
        Column(
            "name",
            "Benchmark",
            "The name by which both sides have it",
            TextCells(_short_names(names), names.__getitem__),
            stretches=True,
        ),
        Column(
            "functions",
            "Explained by",
            "The functions whose own costs changed most",
            TextCells(explanations),
            width=30,
            gives_way=4,
            elides_start=False,
        ),
    )  # fmt: skip


def _short_names(names: Sequence[str]) -> list[str]:
    """Shorten each name to its last words, to as many as tell it from all others: split.case_4."""
    words = [name.split("/") for name in names]
    short = [each[-1] for each in words]
    for length in range(2, max(map(len, words), default=0) + 1):
        count = Counter(short)
        short = [
            "/".join(each[-length:]) if count[text] > 1 else text
            for text, each in zip(short, words, strict=True)
        ]
    return short


NO_BENCHMARK_TABLE = Table(_columns((), NO_FIGURES, []))


def headline(report: SuiteReport, style: NumberStyle) -> str:
    """Return what was compared, and what became of the benchmarks."""
    what = ", ".join((report.event, *report.folds))
    return cell_text(f"{report.base} → {report.new} in {what}. {counted(report, style)}")


def finding_texts(report: SuiteReport, style: NumberStyle) -> list[tuple[str, str]]:
    """Return the functions that explain most, a line for each, and how many more there are.

    Beside each line is the one with whole names and paths.
    """
    most = MOST_FINDINGS
    shown = (*map(_with_file_names, report.findings[:most]), *report.findings[most:])
    lines, whole = (
        [cell_text(f"{word}: {text}") for word, text in facts]
        for facts in (
            finding_facts(replace(report, findings=shown), style, most),
            finding_facts(report, style, most, str),
        )
    )
    return list(zip(lines, whole, strict=True))


def _with_file_names(finding: SuiteFinding) -> SuiteFinding:
    """Return a finding with the names of files in place of their paths."""
    change, caller = finding.change, finding.caller
    function = change.function._replace(file=base_name(change.function.file))
    return replace(
        finding,
        change=replace(change, function=function),
        places=tuple((base_name(file), line) for file, line in finding.places),
        caller=caller and replace(caller, file=base_name(caller.file)),
    )
