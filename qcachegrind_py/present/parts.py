"""The parts of a profile: their table, the active function's costs in each, and their sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import NO_COUNTS, NO_NUMBERS, Counts, Figures
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    Column,
    CountCells,
    NumberCells,
    Table,
    TextCells,
    cost_column,
)
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Part
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_INT64 = np.iinfo(np.int64)


@frozen
class PartCosts:
    """The parts of a profile, and what they and the active function in them cost, shape (parts,).

    `unit` has the total of all parts, active or not, as 100 %.
    """

    parts: tuple[Part, ...]
    unit: Unit
    total: CostArray
    inclusive: CostArray
    self_cost: CostArray
    called: Counts
    base: frozenset[PartId] = frozenset()  # what other parts are compared with


def part_costs(query: ViewQuery, event: EventType) -> PartCosts:
    """Return the parts with the active function's costs in an event."""
    queries, context, events = query.queries, query.context, query.events
    costs = queries.part_costs(context.function, context.scope)
    known = query.costs().has_call_counts
    return PartCosts(
        query.profile.parts,
        replace(query.unit(event), total=queries.total(event, query.own_parts).base),
        events.evaluate(event, queries.part_totals),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
        Counts(
            costs.called,
            costs.called,
            context.numbers,
            (known, known),
            (costs.is_active, costs.is_active),
        ),
        context.base_parts or frozenset(),
    )


@frozen
class PartNumbers:
    """The process, the dump and the thread of each part, shape (parts,); 0 if unknown."""

    pid: Int64Array
    part: Int64Array
    thread: Int64Array

    def first(self, count: int) -> PartNumbers:
        """Return the numbers of the first parts."""
        return PartNumbers(self.pid[:count], self.part[:count], self.thread[:count])


def part_numbers(parts: Sequence[Part]) -> PartNumbers:
    """Return the numbers of parts."""
    return PartNumbers(*(_numbers(parts, key) for key in ("pid", "part", "thread")))


def part_table(costs: PartCosts, numbers: PartNumbers) -> Table:
    """Return the table of parts, numbered alike.

    Percentages of the active function's costs are of the part's total, as in KCachegrind.
    """
    parts, names = costs.parts, PartLabels(costs.parts)
    # each row is in percent of its part, which a part without a positive total has none of
    of_part = replace(costs.unit, total=as_number(costs.total.max()) if len(parts) else 0)
    inclusive, self_cost = (
        replace(Figures.alone(of_part, each), total=costs.total)
        for each in (costs.inclusive, costs.self_cost)
    )

    def mark(row: int) -> str:
        return "base" if row in costs.base else ""

    def written_name(row: int) -> str:  # which has no marks beside it
        return f"{names[row]} ({mark(row)})" if mark(row) else names[row]

    def tip(row: int) -> tuple[str, ...]:
        return parts[row].path, *(text for key, text in parts[row].header if key == "desc")

    in_part = "of the active function in the part, of the part's total"
    columns = (
        Column(
            "name",
            "Part",
            "Name",
            TextCells(names, written_name, np.arange(len(parts))),
            stretches=True,
        ),
        cost_column("total", "Total", "Cost of the part", Figures.alone(costs.unit, costs.total)),
        cost_column("inclusive", "Incl.", f"Inclusive cost {in_part}", inclusive),
        cost_column("self", "Self", f"Self cost {in_part}", self_cost),
        Column(
            "called",
            "Called",
            f"How often the active function was called in the part. {ACTIVE_TIP}",
            CountCells(costs.called),
            gives_way=4,
        ),
        # the name has these numbers, too
        Column("pid", "PID", "Process ID", _NumberOfPart(numbers.pid, parts, "pid"), gives_way=1),
        Column(
            "part",
            "Dump",
            "The number of the dump",
            _NumberOfPart(numbers.part, parts, "part"),
            gives_way=2,
        ),
        Column(
            "thread",
            "Thread",
            "The thread",
            _NumberOfPart(numbers.thread, parts, "thread"),
            gives_way=3,
        ),
        Column(
            "trigger",
            "Trigger",
            "Why the part was written",
            TextCells([part.trigger for part in parts]),
            width=24,
            gives_way=4,
        ),
    )
    return Table(columns, len(parts), tip=tip, mark=mark)


@frozen
class _NumberOfPart(NumberCells):
    """The processes, dumps or threads of parts; 0 is not known. Files can have longer numbers."""

    column: Int64Array
    parts: tuple[Part, ...]
    key: str

    def text(self, row: int) -> str:
        return str(getattr(self.parts[row], self.key) or "")

    def numbers(self) -> Int64Array:
        return self.column


class PartLabels(Sequence[str]):
    """The displayed names of parts, each formatted when it is asked for."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]  # parts are never sliced
        return _part_label(number, self._parts[number])


def _numbers(parts: Sequence[Part], key: str) -> Int64Array:
    """Return the process, dump or thread of each part, int64; 0 if unknown.

    A file can have longer numbers; they are the largest or smallest int64 here.
    """
    try:
        return np.fromiter(map(attrgetter(key), parts), np.int64, len(parts))
    except OverflowError:
        numbers = [min(max(getattr(part, key), _INT64.min), _INT64.max) for part in parts]
        return np.array(numbers, np.int64)


def _part_label(number: int, part: Part) -> str:
    """Return the process, the dump and the thread, as far as known, as KCachegrind does."""
    section = f", part {part.part}" if part.part else ""
    thread = f", thread {part.thread}" if part.thread else ""
    base = f"PID {part.pid}" if part.pid else f"{number + 1}: {base_name(part.path)}"
    return f"{base}{section}{thread}"


NO_PARTS = part_table(
    PartCosts((), NO_UNIT, NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, NO_COUNTS), part_numbers(())
)


# ---------------------------------------------------------------- sides of a comparison


@frozen
class PartSides:
    """The sides of all parts; arrays have the shape (parts,)."""

    is_base: BoolArray
    process: Int64Array  # int64, equal for a process of the base and its counterpart
    counterpart: Int64Array  # the same dump and thread on the other side; -1: there is none

    def name(self, part: PartId) -> str:
        """Return the side of a part."""
        return "base" if self.is_base[part] else "new"


def part_sides(numbers: PartNumbers, is_base: BoolArray, own: int) -> PartSides:
    """Return the sides of parts, of which those from `own` on are of another profile.

    Two runs have other process ids: their first processes are counterparts, and so on.
    """
    process = numbers.pid.copy()
    for of_side in (is_base, ~is_base):
        if own < len(process):
            process[of_side] = 1 + np.unique(process[of_side], return_inverse=True)[1].reshape(-1)
    columns = np.stack((process, numbers.thread, numbers.part), axis=1)
    _, key = np.unique(columns, axis=0, return_inverse=True)
    key = key.reshape(-1)
    base, new = (_first_parts(key, of_side) for of_side in (is_base, ~is_base))
    counterpart = np.where(is_base, new[key], base[key])
    return PartSides(is_base, process, counterpart)


def _first_parts(key: Int64Array, chosen: BoolArray) -> Int64Array:
    """Return the first of the chosen parts with each key, shape (keys,); -1 where there is none."""
    parts = np.flatnonzero(chosen)[::-1]
    first = np.full(len(key), -1, np.int64)
    first[key[parts]] = parts
    return first
