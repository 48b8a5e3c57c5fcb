"""Lanes for arrows between rows, such as jumps beside a source text: which arrow is drawn where.

An arrow leaves its source row, goes up or down in its lane, and enters its target row. Lane 0 is
next to the text. Short arrows are given their lanes first, each the innermost that is free, so long
ones are outside of those they enclose and need not be crossed. Two arrows share rows of a lane only
where they have the same target: they merge there. Which arrows there are, their colours and their
drawing are the view's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from qcachegrind_py.profile.tables import Int32Array, Int64Array

_NO_LANE = -1


class LanePart(IntEnum):
    """What of an arrow is in a row."""

    PASSES = 0  # from above to below, or from below to above
    STARTS_UP = 1
    STARTS_DOWN = 2
    ENDS_FROM_ABOVE = 3  # it comes down
    ENDS_FROM_BELOW = 4
    LOOPS = 5  # starts and ends here


class LaneSegment(NamedTuple):
    """What is in one row of one lane: several arrows where they merged."""

    lane: int
    part: LanePart
    arrows: Int32Array  # never empty; all have the same target, those of one source are together


@dataclass(frozen=True, slots=True)
class _Lane:
    """The stretches of a lane, from top to bottom; each is of the arrows to one target.

    `first` and `last` are a stretch's rows. Its arrows are the `start` to the next one's.
    """

    first: list[int]
    last: list[int]
    target: list[int]
    start: list[int]  # one entry more: the end of the last


@dataclass(frozen=True, eq=False)
class JumpLanes:
    """A row an arrow, in the order they were given in."""

    source: Int32Array  # rows, as they were given
    target: Int32Array
    lane: Int32Array  # -1: there is no room for it
    count: int  # of lanes in use
    _lanes: tuple[_Lane, ...] = field(repr=False)
    _arrows: Int32Array = field(repr=False)  # by lane, target and source, as `_Lane.start` counts
    _sources: list[int] = field(repr=False)  # theirs

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def unplaced_arrows(self) -> dict[int, list[int]]:
        """The arrows that have no lane, by the rows where they begin and end."""
        found: dict[int, list[int]] = {}
        for arrow in np.flatnonzero(self.lane == _NO_LANE).tolist():
            for row in (int(self.source[arrow]), int(self.target[arrow])):
                found.setdefault(row, []).append(arrow)
        return found

    def segments(self, row: int) -> list[LaneSegment]:
        """What is in a row, from the innermost lane on."""
        found: list[LaneSegment] = []
        for number, lane in enumerate(self._lanes):
            stretch = bisect_right(lane.first, row) - 1
            if stretch >= 0 and row <= lane.last[stretch]:
                self._add(found, number, lane, stretch, row)
        return found

    def _add(
        self, found: list[LaneSegment], number: int, lane: _Lane, stretch: int, row: int
    ) -> None:
        """The segments of a stretch: its arrows are in order of source."""
        start, end, target = lane.start[stretch], lane.start[stretch + 1], lane.target[stretch]
        left = bisect_left(self._sources, row, start, end)
        right = bisect_right(self._sources, row, left, end)
        above, here, below = _PARTS[(row > target) - (row < target)]
        for first, last, part in ((start, left, above), (left, right, here), (right, end, below)):
            if first < last and part is not None:
                found.append(LaneSegment(number, part, self._arrows[first:last]))


# By the side of the target a row is on: what is there of arrows from above, from it, from below.
_PARTS = {
    -1: (LanePart.PASSES, LanePart.STARTS_DOWN, None),
    0: (LanePart.ENDS_FROM_ABOVE, LanePart.LOOPS, LanePart.ENDS_FROM_BELOW),
    1: (None, LanePart.STARTS_UP, LanePart.PASSES),
}


def assign_lanes(source: Int64Array, target: Int64Array, max_lanes: int = 10) -> JumpLanes:
    """Lanes for arrows between these rows, `most` at most; those without room are long ones."""
    lane = _lane_numbers(source, target, max_lanes)
    arrows = np.lexsort((source, target, lane))
    arrows = arrows[np.searchsorted(lane[arrows], 0) :]
    lanes = np.split(arrows, np.flatnonzero(np.diff(lane[arrows])) + 1) if len(arrows) else []
    begins = np.cumsum([0, *map(len, lanes)]).tolist()
    return JumpLanes(
        source.astype(np.int32),
        target.astype(np.int32),
        lane,
        len(lanes),  # a lane is used only where those inside of it are
        tuple(
            _lane(source[own], target[own], start)
            for own, start in zip(lanes, begins, strict=False)
        ),
        arrows.astype(np.int32),
        source[arrows].tolist(),
    )


def _lane(source: Int64Array, target: Int64Array, start: int) -> _Lane:
    """The stretches of a lane, from the ends of its arrows in order of target and source."""
    heads = np.flatnonzero(np.concatenate(([True], target[1:] != target[:-1])))
    first = np.minimum(source[heads], target[heads])
    tails = np.concatenate((heads[1:], [len(source)])) - 1
    last = np.maximum(source[tails], target[heads])
    starts = [*(heads + start).tolist(), start + len(source)]
    return _Lane(first.tolist(), last.tolist(), target[heads].tolist(), starts)


def _lane_numbers(source: Int64Array, target: Int64Array, most: int) -> Int32Array:
    """The lane of each arrow: shortest first, the one of an arrow to its target, or the innermost.

    To merge where that is possible leaves 7 % fewer of a compiler's jumps without room, and costs
    hardly a crossing more. Rows in which no arrow begins or ends do not matter, and are left out.
    """
    rows, places = np.unique(np.concatenate((source, target)), return_inverse=True)
    firsts, lasts, targets = _spans(places.reshape(2, -1))
    shortest = np.lexsort((source, np.abs(target - source))).tolist()
    taken = [bytearray(len(rows)) for _ in range(most)]  # of each lane, a byte a row
    merged: dict[int, tuple[int, int, int]] = {}  # by target: the lane and the rows taken in it
    lanes = [_NO_LANE] * len(source)
    for arrow in shortest:
        first, last, target_ = firsts[arrow], lasts[arrow], targets[arrow]
        lane, top, bottom = merged.get(target_, (_NO_LANE, first, last))
        if lane < 0 or not _is_free(taken[lane], first, last, top, bottom):
            lane, top, bottom = _innermost_free_lane(taken, first, last), first, last
        if lane >= 0:
            taken[lane][first : last + 1] = b"\1" * (last + 1 - first)
            merged[target_] = lane, min(first, top), max(last, bottom)
            lanes[arrow] = lane
    return np.array(lanes, np.int32)


def _spans(places: Int64Array) -> tuple[list[int], list[int], list[int]]:
    """First row, last row and target of each arrow, from sources and targets."""
    return places.min(axis=0).tolist(), places.max(axis=0).tolist(), places[1].tolist()


def _is_free(taken: bytearray, first: int, last: int, top: int, bottom: int) -> bool:
    """Whether all rows are that are not from top to bottom, which are its target's own."""
    return taken.find(1, first, top) < 0 and taken.find(1, bottom + 1, last + 1) < 0


def _innermost_free_lane(taken: list[bytearray], first: int, last: int) -> int:
    for lane, rows in enumerate(taken):
        if rows.find(1, first, last + 1) < 0:
            return lane
    return _NO_LANE
