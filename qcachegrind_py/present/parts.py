"""The parts of a profile: their table, costs and sides, and their places on the timeline.

Callgrind writes the parts of all threads at once and gives them one number. So parts of the same
number begin at the same place on the timeline, and the next number begins where the widest of them
ends. A part without a number counts as the next one of its lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.no_figures import NO_COUNTS, NO_NUMBERS
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    Column,
    CountCells,
    NumberCells,
    Table,
    TextCells,
    cell_text,
    cost_column,
)
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array, as_number
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import readable_description
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
    threads: Mapping[int, str] = field(default_factory=dict)  # names by number, where recorded

    def first(self, count: int) -> PartNumbers:
        return PartNumbers(self.pid[:count], self.part[:count], self.thread[:count], self.threads)


def part_numbers(parts: Sequence[Part]) -> PartNumbers:
    pid, part, thread = (_numbers(parts, key) for key in ("pid", "part", "thread"))
    return PartNumbers(pid, part, thread, thread_names(parts))


def thread_names(parts: Sequence[Part]) -> dict[int, str]:
    """Return the names of threads by their numbers; those of equal names have these, too.

    A number that stands for several names, as in several processes, has none.
    """
    found: dict[int, set[str]] = {}
    for part in parts:
        found.setdefault(part.thread, set()).add(part.thread_name)
    names = {thread: cell_text(*names) for thread, names in found.items() if len(names) == 1}
    count = Counter(names.values())
    return {
        thread: name if count[name] == 1 else f"{name} {thread}"
        for thread, name in names.items()
        if name
    }


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
        texts = (text for key, text in parts[row].header if key == "desc")
        return parts[row].path, *(
            readable_description(text.replace("Timerange:", "Time range:", 1)) for text in texts
        )

    of_profile = of_its_part = ""
    if costs.unit.in_percent:
        of_profile, of_its_part = ", in percent of the whole profile", ", in percent of this part"
    in_part = f"of the active function in the part{of_its_part}"
    columns = (
        Column(
            "name",
            "Part",
            "Name",
            TextCells(names, written_name, np.arange(len(parts))),
            stretches=True,
        ),
        cost_column(
            "total",
            "Total",
            f"Cost of the part{of_profile}",
            Figures.alone(costs.unit, costs.total),
        ),
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
    """Return the process, the dump and the thread, as far as known, as KCachegrind does.

    The name of a thread stands before its numbers.
    """
    section = f", part {part.part}" if part.part else ""
    thread = f", thread {part.thread}" if part.thread else ""
    base = f"PID {part.pid}" if part.pid else f"{number + 1}: {base_name(part.path)}"
    if part.thread_name:
        base = f"{part.thread_name}, {base}" if part.pid else part.thread_name
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


@frozen
class Lanes:
    """The places of parts: one row for each, in order of lanes and, in a lane, from the left.

    Positions are costs, summed from the left. A lane is a thread of a process.
    """

    titles: tuple[str, ...]  # of each lane, from the top
    part: Int64Array
    lane: Int64Array
    left: Float64Array
    right: Float64Array
    number: Int64Array  # the numbers of parts, ascending: the labels of the axis
    start: Float64Array  # where each number begins, and where the last one ends

    @property
    def width(self) -> float:
        return float(self.start[-1])

    def part_at(self, lane: int, position: float, tolerance: float = 0.0) -> PartId | None:
        """Return the part at a position; one within `tolerance` if none is right there."""
        first, stop = np.searchsorted(self.lane, (lane, lane + 1))
        if first == stop:
            return None
        left, right = self.left[first:stop], self.right[first:stop]
        after = int(np.searchsorted(left, position, side="right"))
        near = np.arange(max(0, after - 1), min(len(left), after + 1))
        distance = np.maximum(left[near] - position, position - right[near])
        closest = int(distance.argmin())
        if distance[closest] > tolerance:
            return None
        return PartId(int(self.part[first + near[closest]]))

    def parts_between(self, lanes: tuple[int, int], span: tuple[float, float]) -> list[PartId]:
        """Return the parts in these lanes, first and last, that lie at least partly in a span."""
        is_inside = (self.lane >= lanes[0]) & (self.lane <= lanes[1])
        is_inside &= (self.right > span[0]) & (self.left < span[1])
        return [PartId(part) for part in sorted(self.part[is_inside].tolist())]

    def rows_in(self, lanes: tuple[int, int], span: tuple[float, float]) -> Int64Array:
        """Return the rows of these lanes, first and last, that a picture of this span shows."""
        first, stop = np.searchsorted(self.lane, (lanes[0], lanes[1] + 1))
        is_seen = (self.right[first:stop] >= span[0]) & (self.left[first:stop] <= span[1])
        return np.flatnonzero(is_seen) + int(first)

    def merged(self, rows: Int64Array, unit: float) -> Int64Array:
        """Return the indexes in `rows` at which a bar begins: bars under a `unit` share one.

        A row begins a bar if it is in another lane than the row before it, in another unit, or at
        least a unit wide.
        """
        lane, left = self.lane[rows], self.left[rows]
        place = np.floor(left / unit)
        is_wide = self.right[rows] - left >= unit
        begins = is_wide.copy()
        begins[:1] = True
        begins[1:] |= (lane[1:] != lane[:-1]) | (place[1:] != place[:-1]) | is_wide[:-1]
        return np.flatnonzero(begins)


def lanes_of(
    pid: Int64Array,
    thread: Int64Array,
    number: Int64Array,
    cost: Float64Array,
    shown: BoolArray,
    is_base: BoolArray | None = None,
    names: Mapping[int, str] = MappingProxyType({}),
) -> Lanes:
    """Place the `shown` parts; all arrays have one element for each part, numbers are 0 if unknown.

    Parts without cost have no width, except if no part has any. With `is_base`, each thread has a
    lane of the base above that of the new side. `names` are those of threads.
    """
    part = np.flatnonzero(shown)
    columns = [pid[part], thread[part]]
    columns += [] if is_base is None else [(~is_base[part]).astype(np.int64)]
    threads = np.stack(columns, axis=1)
    distinct, lane = np.unique(threads, axis=0, return_inverse=True)
    lane = lane.reshape(-1)
    number = np.where(number[part] > 0, number[part], _ranks_in(lane) + 1)
    order = np.lexsort((number, lane))
    part, lane, number = part[order], lane[order], number[order]
    numbers, column = np.unique(number, return_inverse=True)
    cost = np.maximum(cost[part], 0)
    width = cost if cost.any() else np.ones(len(part))
    offset, column_width = _offsets(lane, column, width, len(numbers))
    start = np.concatenate(([0.0], np.cumsum(column_width)))
    left = start[column] + offset
    titles = tuple(_titles(distinct, names))
    return Lanes(titles, part, lane, left, left + width, numbers, start)


def _ranks_in(lane: Int64Array) -> Int64Array:
    """Return how many elements of the same lane precede each one."""
    order = np.argsort(lane, kind="stable")
    in_order = lane[order]
    ranks = np.empty(len(lane), np.int64)
    ranks[order] = np.arange(len(lane)) - np.searchsorted(in_order, in_order)
    return ranks


def _offsets(
    lane: Int64Array, column: Int64Array, width: Float64Array, columns: int
) -> tuple[Float64Array, Float64Array]:
    """Return how far each part is from the left of its column, and the width of each column.

    Several parts of a lane with the same number, as several runs have, follow one another.
    """
    begins = np.ones(len(lane), bool)
    begins[1:] = (lane[1:] != lane[:-1]) | (column[1:] != column[:-1])
    before = np.cumsum(width) - width
    offset = before - np.maximum.accumulate(np.where(begins, before, 0.0))
    widest = np.zeros(columns)
    np.maximum.at(widest, column, offset + width)
    return offset, widest


def _titles(threads: Int64Array, known: Mapping[int, str]) -> Iterable[str]:
    """Name each lane by what distinguishes it: its process, its thread, or both.

    A lane on its own has no name. While profiles are compared, each also has its side.
    """
    names = list(_lane_names(threads[:, :2], known))
    if threads.shape[1] == 2:
        yield from names if len(names) > 1 else [""]
        return
    for name, is_new in zip(names, threads[:, 2].tolist(), strict=True):
        side = "New" if is_new else "Base"
        yield f"{name} · {side}" if len({*names}) > 1 else side


def _lane_names(threads: Int64Array, known: Mapping[int, str]) -> Iterable[str]:
    pids, numbers = (len(np.unique(threads[:, column])) > 1 for column in (0, 1))
    for pid, thread in threads.tolist():
        process = f"PID {pid}" if pid else "No PID"
        name = known.get(thread) or (f"Thread {thread}" if thread else "No Thread")
        yield f"{process} · {name}" if pids and numbers else process if pids else name
