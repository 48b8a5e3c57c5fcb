"""The functions of a history: what is written of them, and their table in the window."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history import History, Steps, Trends, trends
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import (
    ExactCells,
    FullNameCells,
    Member,
    PhraseCells,
    ValueCells,
    plain_columns,
)
from qcachegrind_py.present.page import (
    Chart,
    Facts,
    FunctionList,
    Listing,
    Note,
    Page,
    Records,
    Section,
    Step,
    StepList,
    counted_functions,
)
from qcachegrind_py.present.table import (
    Cells,
    ChangeCells,
    Column,
    FunctionName,
    NumberCells,
    Table,
    TextCells,
    Value,
)
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, TextId
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    NumberStyle,
    format_count,
    format_percentage,
    fraction_of,
    signed_text,
)
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array, StringTable, to_display
from qcachegrind_py.tools.demangler import demangle_names

HistoryKey = Literal["trend", "step", "spread"]
HistoryKind = Literal["self", "inclusive"]
HISTORY_KEYS: tuple[HistoryKey, ...] = ("trend", "step", "spread")


@frozen(eq=True)
class RevisionStep:
    """A revision with which self costs stepped to other levels."""

    revision: int
    functions: tuple[tuple[int, int], ...]  # function and change of its level, the largest first

    @property
    def change(self) -> int:
        """The sum of all changes; + is growth."""
        return sum(change for _, change in self.functions)


@frozen
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
    sampled = history.sampled(event)
    numbers = trends(costs, sampled)
    own = numbers if kind == "self" else trends(history.self_cost(event), sampled)
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


# ---------------------------------------------------------------- for people

_NAME_KEYS = ("name", "file", "object")
_MOST_STEPS = 8
_MOST_CAUSES = 5  # functions of a step


@frozen
class SeriesCells(ValueCells):
    """The costs of functions over the revisions, which are drawn, and a word on each."""

    costs: CostArray = field(kw_only=True)  # shape (rows, revisions)
    present: BoolArray = field(kw_only=True)  # where a revision has the function


def history_page(report: HistoryReport) -> Page:
    """Return the page: the total, the largest steps, and the functions."""
    labels, totals, event = report.history.labels, report.totals, report.event.name
    steps = largest_steps(report, _MOST_CAUSES)
    chart = Chart(
        f"Total of {event} in {len(totals)} revisions",
        labels,
        totals,
        [(step.revision, step.change) for step in report.steps[:_MOST_STEPS]],
    )
    said = steps if steps.steps else Note("No function steps beyond its noise.")
    functions = Listing(people_table(report, DEFAULT_STYLE), np.arange(len(report.functions)))
    caption = Note(counted_functions(len(report.functions), len(report.names)))
    facts = (
        ("Revisions", format_count(len(totals), DEFAULT_STYLE)),
        ("Event", event),
        ("Total", total_text(report, "", DEFAULT_STYLE)),
    )
    return Page(
        [Facts(facts)],
        f"History: {labels[0]}" + (f" → {labels[-1]}" if len(labels) > 1 else ""),
        [
            Section("total", "Total", [chart]),
            Section("steps", "Largest steps of self costs", [said]),
            Section(
                "functions",
                f"{report.kind.capitalize()} cost in {event}",
                [caption, FunctionList(functions)],
            ),
        ],
        "history",
    )


def total_text(report: HistoryReport, event: str, style: NumberStyle) -> str:
    """Return the first and the last total, and how they differ."""
    first, last = report.totals[0], report.totals[-1]
    ends = " → ".join(format_count(total, style) for total in (first, last))
    texts = change_text(last - first, style), percent_text(last - first, first, style)
    return f"{ends}{event}: {', '.join(filter(None, texts))}"


def largest_steps(report: HistoryReport, most_causes: int) -> StepList:
    """Return the largest steps of self costs, with the functions that changed most in each."""
    steps = [
        Step(
            report.history.labels[step.revision],
            step.change,
            [
                (change, FunctionName(*report.names[function]))
                for function, change in step.functions[:most_causes]
            ],
            max(0, len(step.functions) - most_causes),
        )
        for step in report.steps[:_MOST_STEPS]
    ]
    return StepList(steps, len(report.steps) - len(steps))


def people_table(report: HistoryReport, style: NumberStyle) -> Table:
    """Return the functions of the report in their order, with the revision of the largest step.

    A mark says of a family how many functions it has, and `new` or `gone` since when.
    """
    functions, numbers = report.functions, report.trends
    trend, step, oldest = (
        costs[functions] for costs in (numbers.trend, numbers.largest_step, numbers.oldest)
    )
    revision, newest = numbers.step_revision[functions], report.costs[functions, -1]
    percent = np.array(
        [
            change / base if base > 0 else math.nan
            for change, base in zip(trend.tolist(), oldest.tolist(), strict=True)
        ]
    )

    def percents(rows: Int64Array) -> list[str]:
        pairs = zip(trend[rows].tolist(), oldest[rows].tolist(), strict=True)
        return [percent_text(change, base, style) for change, base in pairs]

    def steps(rows: Int64Array) -> list[str]:
        pairs = zip(step[rows].tolist(), revision[rows].tolist(), strict=True)
        return [change_text(change, style) if at >= 0 else "" for change, at in pairs]

    count, change = partial(format_count, style=style), partial(change_text, style=style)
    labels = SeriesCells(
        lambda rows: _step_labels(report, functions[rows]),
        costs=report.costs[functions],
        present=report.history.present[functions],
    )
    names = FullNameCells(
        lambda rows: [FunctionName(*report.names[row]) for row in functions[rows].tolist()]
    )
    return Table(
        (
            Column("trend", "Trend", "", ExactCells(trend, change)),
            Column("percent", "%", "", PhraseCells(percent, phrases=percents)),
            Column("step", "Largest step", "", PhraseCells(step, phrases=steps)),
            Column("spread", "Range", "", ExactCells(numbers.spread[functions], count)),
            Column("newest", "Newest", "", ExactCells(newest, count)),
            Column("step_in", "Step in", "", labels),
            Column("name", "Function", "", names),
        ),
        len(functions),
        mark=lambda row: _mark(report, int(functions[row])),
    )


def change_text(change: int, style: NumberStyle) -> str:
    """Format a change with its sign: + is growth."""
    return signed_text(format_count(change, style), change)


def percent_text(change: int, base: int, style: NumberStyle) -> str:
    """Format a change in percent of a level; empty without a change, or of a level of 0 or less."""
    if base <= 0 or not change:
        return ""
    return signed_text(f"{format_percentage(change, base, style)} %", change)


def _mark(report: HistoryReport, function: int) -> str:
    """Return how many functions a family has, and when a function appeared or disappeared."""
    members = int(report.history.members[function])
    family = f"family of {members}" if members > 1 else ""
    return ", ".join(filter(None, (family, _presence(report, function))))


def _presence(report: HistoryReport, function: int) -> str:
    """Return the revision since which the history has, or no longer has, a function."""
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


_BLOCKS = 16  # characters of a line drawn as text
_LEVELS = "▁▂▃▄▅▆▇█"


class Measure(Enum):
    """Which cost of functions the list shows."""

    INCLUSIVE = "inclusive"
    SELF = "self"


@frozen(slots=False)
class HistoryRows:
    """Functions and their costs over revisions: shape (functions,) unless another is given."""

    identities: Sequence[Identity]  # name, file and object as recorded
    names: Sequence[str]  # as they are shown
    full_names: Sequence[str]
    locations: Sequence[str]
    labels: Sequence[str]  # of the revisions
    values: CostArray  # shape (functions, revisions)
    is_there: BoolArray  # shape (functions, revisions): whether a revision has the function
    trends: Trends
    members: Int64Array  # the most functions that a revision has in a row: the sizes of families

    @property
    def newest(self) -> CostArray:
        return self.values[:, -1]

    @cached_property
    def total(self) -> CostArray:
        total: CostArray = self.values.sum(axis=1)
        return total

    @cached_property
    def largest_change(self) -> int:
        """The size of the largest step or trend: that of a full bar."""
        parts = (part for part in (self.trends.largest_step, self.trends.trend) if len(part))
        return max((max(int(part.max()), -int(part.min())) for part in parts), default=0)

    def step_label(self, record: int) -> str:
        """Return the revision with the largest step of a function; empty if it has none."""
        at = int(self.trends.step_revision[record])
        return self.labels[at] if at >= 0 else ""


_NO_COSTS = np.empty((0, 1), np.int64)
NO_HISTORY_ROWS = HistoryRows(
    (), (), (), (), (),
    _NO_COSTS, _NO_COSTS.astype(bool), trends(_NO_COSTS), _NO_COSTS[:, 0],
)  # fmt: skip


def blocks(values: CostArray, is_there: BoolArray, count: int) -> str:
    """Return a row of costs as a line of blocks of eight heights, with blanks where it is not.

    Of more revisions than `count`, the highest of each group of neighbours is shown.
    """
    if not is_there.any():
        return ""
    known = values[is_there]
    lowest, highest = int(known.min()), int(known.max())
    floor = lowest if 2 * lowest > highest else min(lowest, 0)
    ends = np.linspace(0, len(values), min(count, len(values)) + 1).astype(int).tolist()
    text = []
    for begin, end in pairwise(ends):
        part = values[begin:end][is_there[begin:end]]
        text.append(_block(int(part.max()), floor, highest) if len(part) else " ")
    return "".join(text)


def _block(value: int, floor: int, highest: int) -> str:
    if highest <= floor:
        return _LEVELS[0] if highest <= 0 else _LEVELS[3]
    return _LEVELS[(value - floor) * (len(_LEVELS) - 1) // (highest - floor)]


# ---------------------------------------------------------------- the table


def trend_table(
    rows: HistoryRows, unit: Unit, nodes: Int64Array, pinned: frozenset[int] = frozenset()
) -> Table:
    """Return the table; `nodes` are the functions in the open profile, shape (functions,).

    Those that it does not have are `NO_NODE`; `pinned` are the rows whose lines are in the chart.
    """

    def family(row: int) -> str:
        members = int(rows.members[row])
        return f"family of {members}" if members > 1 else ""

    def mark(row: int) -> str:
        return ", ".join(filter(None, (family(row), "pinned" if row in pinned else "")))

    def tip(row: int) -> tuple[str, ...]:
        more = f"A {family(row)}, which are one in comparisons." if family(row) else ""
        if not more and int(nodes[row]) == NO_NODE:
            more = "The open profile does not have this function."
        lines = rows.full_names[row], *rows.identities[row][1:], more
        return tuple(filter(None, lines))

    return Table(_columns(rows, unit), len(rows.names), nodes, tip, mark)


def _columns(rows: HistoryRows, unit: Unit) -> tuple[Column, ...]:
    steps = rows.trends.step_revision
    return (
        Column(
            "step",
            "Largest step",
            "The largest step from one revision to the next that exceeds the noise around it",
            _StepCells(rows, unit, rows.trends.largest_step),
        ),
        Column(
            "step_at",
            "At",
            "The revision with the largest step",
            TextCells([rows.step_label(row) for row in range(len(rows.names))], ranks=steps),
            elides_start=False,
            width=11,  # it never gives way: with a step, one asks first since when
        ),
        Column(
            "trend",
            "Trend",
            "How the level of the newest revisions differs from that of the oldest",
            _StepCells(rows, unit, rows.trends.trend),
        ),
        Column(
            "spread",
            "Range",
            "The difference of the highest and the lowest cost",
            _AbsoluteCells(unit, rows.trends.spread),
            gives_way=2,
        ),
        Column(
            "newest",
            "Newest",
            "The cost in the newest revision",
            _AbsoluteCells(unit, rows.newest),
            gives_way=3,
        ),
        Column(
            "total",
            "Total",
            "The sum of the costs in all revisions",
            _AbsoluteCells(unit, rows.total),
            gives_way=5,
        ),
        Column(
            "course",
            "Trend line",
            "The cost in all revisions, from the oldest to the newest: from 0, or from the lowest "
            "cost if all are close together",
            CourseCells(rows),
            width=18,
        ),
        Column(
            "name",
            "Function",
            "Name",
            TextCells(rows.names, rows.full_names.__getitem__),
            stretches=True,
        ),
        Column(
            "location",
            "Location",
            "Program or library, and source file",
            TextCells(rows.locations),
            width=18,
            gives_way=1,
        ),
    )


@frozen
class _AbsoluteCells(NumberCells):
    """Costs in absolute numbers, as revisions have different totals."""

    unit: Unit
    costs: CostArray

    def text(self, row: int) -> str:
        return self.unit.absolute(as_number(self.costs[row])) if self.costs[row] else ""

    def numbers(self) -> CostArray:
        return self.costs

    def tip(self, row: int) -> str:
        return self.unit.exact(as_number(self.costs[row]))


@frozen
class _StepCells(ChangeCells):
    """Changes between revisions, sorted by their size."""

    rows: HistoryRows
    unit: Unit
    changes: CostArray

    def text(self, row: int) -> str:
        change = as_number(self.changes[row])
        return self.unit.absolute_change(change) if change else ""

    def numbers(self) -> CostArray:
        return self.changes

    def order(self) -> CostArray:
        return np.abs(self.changes)

    def tip(self, row: int) -> str:
        return self.unit.exact(as_number(self.changes[row]))

    def bar(self, row: int) -> float | None:
        change = as_number(self.changes[row])
        part = fraction_of(abs(change), self.rows.largest_change)
        return part if change > 0 else -part


@frozen
class CourseCells(Cells):
    """The costs in all revisions, as a line of blocks where they are not drawn."""

    rows: HistoryRows
    is_number = False

    def text(self, row: int) -> str:
        return blocks(self.rows.values[row], self.rows.is_there[row], _BLOCKS)

    def values(self, rows: Int64Array) -> list[Value]:
        return [" ".join(map(str, self.rows.values[row].tolist())) for row in rows.tolist()]

    def order(self) -> CostArray:
        return self.rows.trends.trend


NO_TREND_TABLE = trend_table(NO_HISTORY_ROWS, NO_UNIT, NO_HISTORY_ROWS.members)
