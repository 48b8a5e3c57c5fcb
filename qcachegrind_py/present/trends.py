"""The table of functions over the revisions of a program: trend, largest step, spread, total."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.trends import Trends, trends
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import Cells, Column, NumberCells, Table, TextCells, Value
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.numbers import fraction_of
from qcachegrind_py.profile.tables import BoolArray, Int64Array

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
        """The cost in the newest revision."""
        return self.values[:, -1]

    @cached_property
    def total(self) -> CostArray:
        """The sum of the costs in all revisions."""
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


def history_table(
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
            _ChangeCells(rows, unit, rows.trends.largest_step),
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
            _ChangeCells(rows, unit, rows.trends.trend),
        ),
        Column(
            "spread",
            "Spread",
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
            "Course",
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
class _ChangeCells(NumberCells):
    """Changes, sorted by their size, with bars from the middle."""

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

    @property
    def is_change(self) -> bool:
        return True

    @property
    def has_bars(self) -> bool:
        return True


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


NO_HISTORY_TABLE = history_table(NO_HISTORY_ROWS, NO_UNIT, NO_HISTORY_ROWS.members)
