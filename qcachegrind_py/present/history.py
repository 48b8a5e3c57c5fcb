"""What is written of a history: an event, its functions in order, and the largest steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.history import History
from qcachegrind_py.analysis.history.trends import Steps, Trends, trends
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.present.exact import ExactCells, Member, ValueCells, plain_columns
from qcachegrind_py.present.page import Listing, Records
from qcachegrind_py.present.table import Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_percentage,
    signed_text,
)
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array, StringTable, to_display
from qcachegrind_py.tools.demangler import demangle_names

HistoryKey = Literal["trend", "step", "spread"]
HistoryKind = Literal["self", "inclusive"]
HISTORY_KEYS: tuple[HistoryKey, ...] = ("trend", "step", "spread")


@dataclass(frozen=True, slots=True)
class RevisionStep:
    """A revision with which self costs stepped to other levels."""

    revision: int
    functions: tuple[tuple[int, int], ...]  # function and change of its level, the largest first

    @property
    def change(self) -> int:
        """The sum of all changes; + is growth."""
        return sum(change for _, change in self.functions)


@dataclass(frozen=True, slots=True, eq=False)
class HistoryReport:
    """What is written of a history; functions are rows of it."""

    history: History
    event: EventType
    kind: HistoryKind
    totals: list[int]  # of the revisions
    costs: CostArray  # of the kind, shape (functions, revisions)
    trends: Trends  # of these
    steps: tuple[RevisionStep, ...]  # of self costs, the largest first
    functions: Int64Array  # those to show, in order
    names: tuple[Identity, ...]  # of all functions, as they are shown


def history_report(
    history: History,
    event: EventType,
    key: HistoryKey = "trend",
    kind: HistoryKind = "self",
    limit: int | None = None,
    *,
    readable: bool = False,
) -> HistoryReport:
    """Prepare the report of one event: functions by the size of their trend, step or spread.

    Names are as recorded unless they are to be `readable`, which takes a while for C++ and Rust.
    """
    costs = history.self_cost(event) if kind == "self" else history.inclusive(event)
    numbers = trends(costs)
    own = numbers if kind == "self" else trends(history.self_cost(event))
    sizes = {"trend": numbers.trend, "step": numbers.largest_step, "spread": numbers.spread}
    order = np.lexsort((-numbers.spread, -abs(sizes[key])))
    return HistoryReport(
        history,
        event,
        kind,
        history.totals(event).tolist(),
        costs,
        numbers,
        _by_revision(own.steps),
        order[:limit],
        _readable(history.functions) if readable else history.functions,
    )


def _readable(functions: tuple[Identity, ...]) -> tuple[Identity, ...]:
    """Return the functions with names that are readable where they were mangled."""
    recorded = (name.encode("utf-8", "surrogateescape") for name, _, _ in functions)
    texts = demangle_names(StringTable.from_bytes([UNKNOWN.encode(), *recorded]))
    return tuple(
        (texts[TextId(place)], file, object_)
        for place, (_, file, object_) in enumerate(functions, 1)
    )


def _by_revision(steps: Steps) -> tuple[RevisionStep, ...]:
    """Return the revisions with steps, by the larger one of their growth and shrinkage."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    columns = (steps.revision, steps.series, steps.change)
    for revision, function, change in zip(*(each.tolist() for each in columns), strict=True):
        found[revision].append((function, change))
    rows = [
        RevisionStep(revision, tuple(sorted(changes, key=lambda each: -abs(each[1]))))
        for revision, changes in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-_size(row), row.revision)))


def _size(step: RevisionStep) -> int:
    grown = sum(change for _, change in step.functions if change > 0)
    return max(grown, grown - step.change)


# ---------------------------------------------------------------- functions for people

_NAME_KEYS = ("name", "file", "object")
HISTORY_TITLES = ("Trend", "%", "Largest step", "Spread", "Newest")


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


# ---------------------------------------------------------------- exact numbers


def history_table(report: HistoryReport) -> Listing:
    """Return the functions with their cost in each revision; titles of these are the labels.

    A cost is empty where the revision does not have the function, and so is the revision of the
    largest step without one.
    """
    numbers, history = report.trends, report.history
    columns = plain_columns(
        ("trend", ExactCells(numbers.trend)),
        ("largest step", ExactCells(numbers.largest_step)),
        ("step in", ValueCells(partial(_step_labels, report))),
        ("spread", ExactCells(numbers.spread)),
        *_names(report).items(),
        *(
            (label, ExactCells(report.costs[:, at], is_absent=~history.present[:, at]))
            for at, label in enumerate(history.labels)
        ),
    )
    return Listing(Table(columns, len(report.names)), report.functions)


def history_records(report: HistoryReport) -> Records:
    """Return the history as JSON has it."""
    history, numbers = report.history, report.trends
    rows: dict[str, Member] = {
        **_names(report),
        "members": ExactCells(history.members),
        "trend": ExactCells(numbers.trend),
        "largest_step": ExactCells(numbers.largest_step),
        "step_revision": ExactCells(numbers.step_revision, is_absent=numbers.step_revision < 0),
        "spread": ExactCells(numbers.spread),
        "self": _lists(history.self_cost(report.event)),
        "inclusive": _lists(history.inclusive(report.event)),
        "called": _lists(history.called),
        "present": _lists(history.present),
    }
    return Records(_head(report), {"functions": (rows, report.functions)})


def _names(report: HistoryReport) -> dict[str, ValueCells]:
    def of(place: int) -> ValueCells:
        return ValueCells(lambda rows: [report.names[row][place] for row in rows.tolist()])

    return {key: of(place) for place, key in enumerate(_NAME_KEYS)}


def _step_labels(report: HistoryReport, rows: Int64Array) -> list[str]:
    labels, revisions = report.history.labels, report.trends.step_revision[rows].tolist()
    return [labels[revision] if revision >= 0 else "" for revision in revisions]


def _lists(numbers: CostArray | BoolArray) -> ValueCells:
    """Return the numbers of all revisions."""
    return ValueCells(lambda rows: numbers[rows].tolist())


def _head(report: HistoryReport) -> dict[str, Any]:
    history = report.history
    return {
        "labels": list(map(to_display, history.labels)),
        "files": [to_display(display_name(file)) for file in history.files],
        "events": [to_display(event.name) for event in history.events],
        "event": to_display(report.event.name),
        "totals": report.totals,
        "steps": [
            {
                "revision": step.revision,
                "change": step.change,
                "functions": [
                    {**_name(report, function), "change": change}
                    for function, change in step.functions
                ],
            }
            for step in report.steps
        ],
    }


def _name(report: HistoryReport, function: int) -> dict[str, str]:
    return dict(zip(_NAME_KEYS, map(to_display, report.names[function]), strict=True))
