"""Where each part is on the time line: in the lane of its thread, as wide as its cost.

Callgrind writes the parts of all threads at once and gives them one number. So parts of the same
number begin at the same place, and the next number begins where the widest of them ends. A part
without a number counts as the next one of its lane.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


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
        """The right end of all lanes."""
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
) -> Lanes:
    """Place the `shown` parts; all arrays have one element for each part, numbers are 0 if unknown.

    Parts without cost have no width, except if no part has any. With `is_base`, each thread has a
    lane of the base above that of the new side.
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
    titles = tuple(_titles(distinct))
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


def _titles(threads: Int64Array) -> Iterable[str]:
    """Name each lane by what tells it from the others: its process, its thread, or both.

    A lane on its own has no name. While profiles are compared, each also has its side.
    """
    names = list(_thread_names(threads[:, :2]))
    if threads.shape[1] == 2:
        yield from names if len(names) > 1 else [""]
        return
    for name, is_new in zip(names, threads[:, 2].tolist(), strict=True):
        side = "New" if is_new else "Base"
        yield f"{name} · {side}" if len({*names}) > 1 else side


def _thread_names(threads: Int64Array) -> Iterable[str]:
    pids, numbers = (len(np.unique(threads[:, column])) > 1 for column in (0, 1))
    for pid, thread in threads.tolist():
        process = f"PID {pid}" if pid else "No PID"
        name = f"Thread {thread}" if thread else "No Thread"
        yield f"{process} · {name}" if pids and numbers else process if pids else name
