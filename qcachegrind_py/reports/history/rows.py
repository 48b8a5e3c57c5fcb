"""The functions of a history as texts, and what is said of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_percentage,
    signed_text,
)
from qcachegrind_py.reports.history.contents import HistoryReport

TITLES = ("Trend", "%", "Largest step", "Spread", "Newest")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One function; texts are not escaped."""

    function: int
    cells: tuple[str, ...]  # of the titles
    step_label: str  # the revision of the largest step; empty without one
    name: Identity
    mark: str  # of a family how many functions it has, and `new` or `gone` since when, or empty


def history_rows(report: HistoryReport, style: NumberStyle) -> Iterator[HistoryRow]:
    """Yield the functions of the report, in order."""
    numbers, labels = report.trends, report.history.labels
    for function in report.functions.tolist():
        trend, step = int(numbers.trend[function]), int(numbers.largest_step[function])
        at = int(numbers.step_revision[function])
        cells = (
            change_text(trend, style),
            percent_text(trend, int(numbers.oldest[function]), style),
            change_text(step, style) if at >= 0 else "",
            format_count(int(numbers.spread[function]), style),
            format_count(int(report.costs[function, -1]), style),
        )
        label = labels[at] if at >= 0 else ""
        yield HistoryRow(function, cells, label, report.names[function], _mark(report, function))


def change_text(change: int, style: NumberStyle) -> str:
    """Format a change with its sign: + is growth."""
    return signed_text(format_count(change, style), change)


def percent_text(change: int, base: int, style: NumberStyle) -> str:
    """Format a change in percent of a level; empty without a change, or of a level of 0 or less."""
    if base <= 0 or not change:
        return ""
    return signed_text(f"{format_percentage(change, base, style)} %", change)


def _mark(report: HistoryReport, function: int) -> str:
    """Return of how many functions a family is, and when a function appeared or disappeared."""
    members = int(report.history.members[function])
    family = f"family of {members}" if members > 1 else ""
    return ", ".join(filter(None, (family, _presence(report, function))))


def _presence(report: HistoryReport, function: int) -> str:
    """Return since which revision the history has, or no longer has, a function."""
    present, labels = report.history.present[function].tolist(), report.history.labels
    if not present[-1]:
        last = len(present) - 1 - present[::-1].index(True)
        return f"gone since {labels[last + 1]}"
    return "" if present[0] else f"new in {labels[present.index(True)]}"
