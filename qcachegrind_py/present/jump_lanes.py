"""Lane assignment for arrows between table rows, such as the jumps beside source lines.

An arrow leaves its source row, goes up or down in its lane, and enters its target row. Lane 0 is
next to the text. Short arrows are assigned first, each to the innermost free lane, so long ones lie
outside those they enclose and need not cross them. Two arrows share rows of a lane only if they
have the same target: they merge there. The view chooses the arrows and draws them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.tables import Int32Array, Int64Array

_NO_LANE = -1
_BLOCK = 1024  # rows


class LanePart(IntEnum):
    """The section of an arrow within a row."""

    PASSES = 0  # from above to below, or from below to above
    STARTS_UP = 1
    STARTS_DOWN = 2
    ENDS_FROM_ABOVE = 3  # coming down
    ENDS_FROM_BELOW = 4
    LOOPS = 5  # starts and ends in this row


class LaneSegment(NamedTuple):
    """The content of one lane in one row: one arrow, or several that merged."""

    lane: int
    part: LanePart
    arrows: Int32Array  # never empty; all have the same target, those of one source are adjacent


@frozen(eq=True)
class _Lane:
    """The spans of a lane, from top to bottom; each belongs to the arrows to one target.

    `first` and `last` are a span's rows. Its arrows are numbered from its `start` to the next
    span's.
    """

    first: list[int]
    last: list[int]
    target: list[int]
    start: list[int]  # one element more: the end of the last span


@frozen(slots=False)
class JumpLanes:
    """Arrows with their lanes, in input order."""

    source: Int32Array  # rows
    target: Int32Array
    lane: Int32Array  # -1: no lane was free
    count: int  # of lanes in use
    _lanes: tuple[_Lane, ...] = field(repr=False)
    # sorted by lane, target and source; `_Lane.start` indexes it
    _arrows: Int32Array = field(repr=False)
    _sources: list[int] = field(repr=False)  # of `_arrows`
    # the rows where arrows without a lane start and end, sorted, and these arrows
    _unplaced_rows: Int32Array = field(repr=False)
    _unplaced: Int32Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.source)

    def unplaced_arrows(self, row: int) -> list[int]:
        """Return the arrows without a lane that start or end in a row; one that loops is twice."""
        first, end = np.searchsorted(self._unplaced_rows, (row, row + 1)).tolist()
        arrows: list[int] = self._unplaced[first:end].tolist()
        return arrows

    def segments(self, row: int) -> list[LaneSegment]:
        """Return the segments in a row, from the innermost lane outwards."""
        segments: list[LaneSegment] = []
        for number, lane in enumerate(self._lanes):
            span = bisect_right(lane.first, row) - 1
            if span >= 0 and row <= lane.last[span]:
                self._add(segments, number, lane, span, row)
        return segments

    def _add(
        self, segments: list[LaneSegment], number: int, lane: _Lane, span: int, row: int
    ) -> None:
        """Append the segments of one span; its arrows are sorted by source."""
        start, end, target = lane.start[span], lane.start[span + 1], lane.target[span]
        left = bisect_left(self._sources, row, start, end)
        right = bisect_right(self._sources, row, left, end)
        above, here, below = _PARTS[(row > target) - (row < target)]
        for first, last, part in ((start, left, above), (left, right, here), (right, end, below)):
            if first < last and part is not None:
                segments.append(LaneSegment(number, part, self._arrows[first:last]))


# By the side of the target (row above, at, below): sections of arrows from above, here, below.
_PARTS = {
    -1: (LanePart.PASSES, LanePart.STARTS_DOWN, None),
    0: (LanePart.ENDS_FROM_ABOVE, LanePart.LOOPS, LanePart.ENDS_FROM_BELOW),
    1: (None, LanePart.STARTS_UP, LanePart.PASSES),
}


def assign_lanes(source: Int64Array, target: Int64Array, max_lanes: int = 10) -> JumpLanes:
    """Assign lanes to arrows between these rows, `max_lanes` at most.

    `source` and `target` are rows, shape (arrows,), int64. The longest arrows are left without a
    lane if there are not enough.
    """
    lane = _lane_numbers(source, target, max_lanes)
    arrows = np.lexsort((source, target, lane))
    arrows = arrows[np.searchsorted(lane[arrows], 0) :]
    lanes = np.split(arrows, np.flatnonzero(np.diff(lane[arrows])) + 1) if len(arrows) else []
    begins = np.cumsum([0, *map(len, lanes)]).tolist()
    unplaced = np.repeat(np.flatnonzero(lane == _NO_LANE), 2)
    unplaced_rows = np.where(np.arange(len(unplaced)) % 2, target[unplaced], source[unplaced])
    by_row = np.argsort(unplaced_rows, kind="stable")
    return JumpLanes(
        source.astype(np.int32),
        target.astype(np.int32),
        lane,
        len(lanes),  # a lane is used only if all inner ones are
        tuple(
            _lane(source[members], target[members], start)
            for members, start in zip(lanes, begins, strict=False)
        ),
        arrows.astype(np.int32),
        source[arrows].tolist(),
        unplaced_rows[by_row].astype(np.int32),
        unplaced[by_row].astype(np.int32),
    )


def _lane(source: Int64Array, target: Int64Array, start: int) -> _Lane:
    """Return the spans of a lane; its arrows are sorted by target and source."""
    heads = np.flatnonzero(np.concatenate(([True], target[1:] != target[:-1])))
    first = np.minimum(source[heads], target[heads])
    tails = np.concatenate((heads[1:], [len(source)])) - 1
    last = np.maximum(source[tails], target[heads])
    starts = [*(heads + start).tolist(), start + len(source)]
    return _Lane(first.tolist(), last.tolist(), target[heads].tolist(), starts)


def _lane_numbers(source: Int64Array, target: Int64Array, max_lanes: int) -> Int32Array:
    """Assign a lane to each arrow, shortest first: its target's lane, or the innermost free one.

    Merging where possible leaves 7 % fewer of a compiler's jumps without a lane, at the price of
    hardly any more crossings. Rows without an end of an arrow do not matter, and are left out.
    """
    rows, positions = np.unique(np.concatenate((source, target)), return_inverse=True)
    positions = positions.reshape(2, -1)
    firsts, lasts = positions.min(axis=0).tolist(), positions.max(axis=0).tolist()
    targets = positions[1].tolist()
    shortest = np.lexsort((source, np.abs(target - source))).tolist()
    occupied = [_OccupiedRows(len(rows)) for _ in range(max_lanes)]  # of each lane
    merged: dict[int, tuple[int, int, int]] = {}  # by target: the lane, and its occupied rows
    lanes = [_NO_LANE] * len(source)
    for arrow in shortest:
        first, last, target_ = firsts[arrow], lasts[arrow], targets[arrow]
        # the rows from top to bottom belong to the same target
        lane, top, bottom = merged.get(target_, (_NO_LANE, first, last))
        if lane < 0 or not (
            occupied[lane].are_free(first, top) and occupied[lane].are_free(bottom + 1, last + 1)
        ):
            lane, top, bottom = _innermost_free_lane(occupied, first, last), last + 1, last
        if lane >= 0:
            occupied[lane].add(first, top)
            occupied[lane].add(bottom + 1, last + 1)
            merged[target_] = lane, min(first, top), max(last, bottom)
            lanes[arrow] = lane
    return np.array(lanes, np.int32)


def _innermost_free_lane(occupied: list[_OccupiedRows], first: int, last: int) -> int:
    for lane, rows in enumerate(occupied):
        if rows.are_free(first, last + 1):
            return lane
    return _NO_LANE


class _OccupiedRows:
    """The rows of a lane that arrows occupy, one byte each, and one byte for each block of rows.

    Long arrows ask for blocks: 100,000 that enclose one another take 0.3 s instead of 1, and the
    time grows with their number instead of its square.
    """

    def __init__(self, rows: int) -> None:
        self._rows = bytearray(rows)
        self._blocks = bytearray(rows // _BLOCK + 1)  # 1: some row is occupied

    def are_free(self, first: int, end: int) -> bool:
        """Whether no row from `first` to before `end` is occupied."""
        if end - first < 2 * _BLOCK:
            return self._rows.find(1, first, end) < 0
        block, last_block = -(-first // _BLOCK), end // _BLOCK  # those that are within the rows
        return (
            self._blocks.find(1, block, last_block) < 0
            and self._rows.find(1, first, block * _BLOCK) < 0
            and self._rows.find(1, last_block * _BLOCK, end) < 0
        )

    def add(self, first: int, end: int) -> None:
        """Occupy the rows from `first` to before `end`, if there are any."""
        if first < end:
            self._rows[first:end] = b"\1" * (end - first)
            block, last_block = first // _BLOCK, (end - 1) // _BLOCK
            self._blocks[block : last_block + 1] = b"\1" * (last_block + 1 - block)
