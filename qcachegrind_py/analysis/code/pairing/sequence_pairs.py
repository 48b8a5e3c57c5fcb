"""Align two sequences of numbers, such as instructions with equal texts, in bounded time.

Runs that occur once on each side divide long sequences into short ones (as in a patience diff), and
short ones are aligned by their longest common runs. Code repeats itself so much that the second
alone would take minutes for a function of 100,000 instructions.
"""

from __future__ import annotations

from bisect import bisect_left
from difflib import SequenceMatcher

import numpy as np

from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import Int64Array

UNPAIRED = -1
_SHORT = 400 * 400  # product of both lengths
_LONGEST_RUN = 16
_Piece = tuple[int, ...]  # begin and end in the base, begin and end in the new sequence


def pair_sequences(
    base: Int64Array, new: Int64Array, progress: Progress | None = None
) -> Int64Array:
    """Return the place of each element of the base in the new sequence, or UNPAIRED.

    Paired elements are equal, and places ascend. Long stretches in which no run is unique stay
    unpaired. Raises `Cancelled`.
    """
    place = np.full(len(base), UNPAIRED, np.int64)
    _pair_piece(place, base, new, (0, len(base), 0, len(new)), progress or NoProgress())
    return place


def pair_between(
    place: Int64Array, base: Int64Array, new: Int64Array, progress: Progress | None = None
) -> Int64Array:
    """Return `place`, as of `pair_sequences`, with more pairs between those that it has."""
    result = place.copy()
    for piece in _gaps(place, len(new)).tolist():
        _pair_piece(result, base, new, piece, progress or NoProgress())
    return result


def _gaps(place: Int64Array, new_count: int) -> Int64Array:
    """Return the stretches between pairs with elements on both sides: shape (pieces, 4)."""
    rows = np.flatnonzero(place != UNPAIRED)
    ends = np.append(rows, len(place)), np.append(place[rows], new_count)
    begins = tuple(np.concatenate(([0], end[:-1] + 1)) for end in ends)
    has_both = (ends[0] > begins[0]) & (ends[1] > begins[1])
    pieces: Int64Array = np.stack((begins[0], ends[0], begins[1], ends[1]), axis=1)[has_both]
    return pieces


def _pair_piece(
    place: Int64Array, base: Int64Array, new: Int64Array, piece: _Piece, progress: Progress
) -> None:
    """Pair the elements of a piece, and write their places."""
    waiting = [piece]
    while waiting:
        progress.check(0.0)
        first, last, begin, end = _without_equal_ends(place, base, new, waiting.pop())
        one, other = base[first:last], new[begin:end]
        if not len(one) or not len(other):
            continue
        if len(one) * len(other) <= _SHORT:
            _pair_short(place[first:last], one, other, begin)
            continue
        rows, places = _anchors(one, other)
        place[first + rows] = begin + places
        if len(rows):
            found = np.full(len(one), UNPAIRED, np.int64)
            found[rows] = places
            offset = np.array([first, first, begin, begin])
            waiting += (tuple((gap + offset).tolist()) for gap in _gaps(found, len(other)))


def _without_equal_ends(
    place: Int64Array, base: Int64Array, new: Int64Array, piece: _Piece
) -> _Piece:
    """Pair what is equal at both ends of a piece, and return the rest."""
    first, last, begin, end = piece
    count = min(last - first, end - begin)
    equal = base[first : first + count] == new[begin : begin + count]
    head = count if equal.all() else int(np.argmin(equal))
    place[first : first + head] = np.arange(begin, begin + head)
    first, begin, count = first + head, begin + head, count - head
    equal = base[last - count : last][::-1] == new[end - count : end][::-1]
    tail = count if equal.all() else int(np.argmin(equal))
    place[last - tail : last] = np.arange(end - tail, end)
    return first, last - tail, begin, end - tail


def _pair_short(place: Int64Array, base: Int64Array, new: Int64Array, begin: int) -> None:
    matcher = SequenceMatcher(None, base.tolist(), new.tolist(), autojunk=False)
    for block in matcher.get_matching_blocks():
        there = begin + block.b
        place[block.a : block.a + block.size] = np.arange(there, there + block.size)


# ---------------------------------------------------------------- anchors


def _anchors(base: Int64Array, new: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the beginnings of runs that occur once on each side, in the same order on both.

    The longest runs are preferred, up to a length, as they are hardly ever the same by chance.
    """
    levels, length = [(base, new)], 1
    while length < _LONGEST_RUN and min(map(len, levels[-1])) > length:
        levels.append(_doubled(*levels[-1], length))
        length *= 2
    for one, other in reversed(levels):
        rows, places = _unique_in_both(one, other)
        if len(rows):
            kept = _longest_ascent(places)
            return rows[kept], places[kept]
    nothing = np.zeros(0, np.int64)
    return nothing, nothing


def _doubled(base: Int64Array, new: Int64Array, length: int) -> tuple[Int64Array, Int64Array]:
    """Return numbers of runs twice as long as those that the given numbers stand for."""
    count = int(max(base.max(), new.max())) + 1
    runs = [side[:-length] * count + side[length:] for side in (base, new)]
    _, number = np.unique(np.concatenate(runs), return_inverse=True)
    one, other = np.split(number.astype(np.int64), [len(runs[0])])
    return one, other


def _unique_in_both(base: Int64Array, new: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return where the numbers are that occur once on each side, in order of the base."""
    found = [np.unique(side, return_index=True, return_counts=True) for side in (base, new)]
    (number, row, count), (new_number, place, new_count) = found
    number, row = number[count == 1], row[count == 1]
    new_number, place = new_number[new_count == 1], place[new_count == 1]
    _, here, there = np.intersect1d(number, new_number, return_indices=True)
    order = np.argsort(row[here])
    return row[here][order], place[there][order]


def _longest_ascent(places: Int64Array) -> Int64Array:
    """Return the indexes of a longest ascending subsequence of distinct numbers."""
    ends: list[int] = []  # the least number that ends an ascent of each length
    index_of_end: list[int] = []
    before = []
    for index, number in enumerate(places.tolist()):
        length = bisect_left(ends, number)
        before.append(index_of_end[length - 1] if length else -1)
        ends[length : length + 1], index_of_end[length : length + 1] = [number], [index]
    chain = [index_of_end[-1]]
    while before[chain[-1]] >= 0:
        chain.append(before[chain[-1]])
    return np.array(chain[::-1], np.int64)
