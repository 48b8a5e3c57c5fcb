"""Fuzzy search: finds functions by a few characters that occur in their name in order.

`vpb` finds `std::vector<int>::push_back(int const&)`. A greedy walk in numpy searches all names at
once for the characters; the best matches are then aligned optimally (`alignment`). No Python loop
runs over all names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.search import alignment as points
from qcachegrind_py.analysis.search.alignment import align, query_units, word_starts
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_ALIGNED = 200  # the best by the greedy walk
_MORE = 80  # the best of those with the query in one piece, and of those with words beginning so
_MOST_PIECES = 20_000  # places of the query in one piece, above which only word starts count
_PLACES_KEPT = 24  # characters whose places are remembered: those of a few queries
_WALKS_KEPT = 24  # characters of a query that need not be looked for again at the next key
_LARGEST = (1 << 31) - 1

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.signedinteger[Any]]  # of 32 bits where these do, for speed
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Match:
    """A matching function; `positions` are the matched characters in its name."""

    function: FunctionId
    score: float
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """The state of the greedy walk: the names that contain all characters so far in order."""

    name: Int64Array  # rows of the names
    place: Places  # in the arena, behind the last character found
    score: FloatArray


class FuzzySearch:
    """The fuzzy search over the functions of a profile, incremental while the user types."""

    def __init__(self, texts: StringTable, name: Int32Array) -> None:
        """`name` is the text number of each function's name, shape (functions,)."""
        used = np.zeros(len(texts), bool)
        used[name] = True
        self._row = (np.cumsum(used) - 1)[name]  # of each function, among the names
        self._arena = arena = np.frombuffer(texts.arena, np.uint8)
        kind: type[np.signedinteger[Any]] = np.int32 if len(arena) <= _LARGEST else np.int64
        self._starts = texts.starts[:-1][used].astype(kind)
        self._stops = (texts.starts[1:][used] - 1).astype(kind)
        # by local names: through `self` it would keep itself and the texts in memory
        places = lru_cache(_PLACES_KEPT)(lambda unit: _find_places(arena, unit).astype(kind))
        self._places = places
        self._word_starts = lru_cache(_PLACES_KEPT)(
            lambda unit: places(unit)[_is_word_start(arena, places(unit))]
        )
        self._walks: tuple[tuple[bytes, _Walk], ...] = ()  # of the beginnings of the last query

    def best(self, query: str, weight: Int64Array | None = None, limit: int = 50) -> list[Match]:
        """Return the best matches, best first; for an empty query the functions of most weight.

        `weight`, shape (functions,), breaks ties. Blanks in the query are ignored.
        """
        heavy = _as_floats(weight, len(self._row))
        written = query_units(query)
        if not written:
            return [Match(function, 0.0, ()) for function in _heaviest(heavy, limit)]
        names = self._candidates(tuple(unit.lower() for unit in written), heavy)
        aligned = {row: align(self._name(row), written) for row in names.tolist()}
        score = np.full(len(self._starts), -np.inf)
        score[names] = [alignment.score for alignment in aligned.values()]
        functions = np.flatnonzero(np.isfinite(score)[self._row])
        order = np.lexsort((functions, -heavy[functions], -score[self._row[functions]]))
        chosen = functions[order[:limit]]
        rows = zip(function_ids(chosen), self._row[chosen].tolist(), strict=True)
        return [Match(f, aligned[row].score, aligned[row].positions()) for f, row in rows]

    def _name(self, row: int) -> bytes:
        return self._arena[self._starts[row] : self._stops[row]].tobytes()

    def _candidates(self, units: tuple[bytes, ...], heavy: FloatArray) -> Int64Array:
        """Return the names to align, in ascending order."""
        walk = self._walk(units)
        if not len(walk.name):
            return walk.name
        heavy_of = np.zeros(len(self._starts))
        np.maximum.at(heavy_of, self._row, heavy)
        length = np.minimum(self._stops - self._starts, points.LONG)
        rank = heavy_of / max(1.0, heavy_of.max()) - points.LENGTH * length
        names = [walk.name[_largest(walk.score + rank[walk.name], _ALIGNED)]]
        for found in (self._in_one_piece(units), self._by_word_starts(units)):
            names.append(found[_largest(rank[found], _MORE)])
        return np.unique(np.concatenate(names))

    def _walk(self, units: tuple[bytes, ...]) -> _Walk:
        """Walk through all names, reusing the walk for the common prefix with the last query."""
        same = 0
        while same < min(len(self._walks), len(units)) and self._walks[same][0] == units[same]:
            same += 1
        walks = list(self._walks[:same])
        walk = walks[-1][1] if walks else None
        for unit in units[same:]:
            walk = self._step(walk, unit) if walk else self._first_step(unit)
            if len(walks) < _WALKS_KEPT:
                walks.append((unit, walk))
        self._walks = tuple(walks)
        assert walk is not None  # there is a character
        return walk

    def _first_step(self, unit: bytes) -> _Walk:
        """Move to the first occurrence of a character in each name that contains it."""
        here, place = _next_places(self._places(unit), self._starts, self._stops)
        score: FloatArray = np.where(_is_word_start(self._arena, place), points.START, 0.0)
        return _Walk(np.flatnonzero(here), place + len(unit), score)

    def _step(self, walk: _Walk, unit: bytes) -> _Walk:
        """Move to the next occurrence of a character in each name; drop names without one."""
        here, place = _next_places(self._places(unit), walk.place, self._stops[walk.name])
        gap = place - walk.place[here]
        run = np.where(gap == 0, points.RUN, -points.GAP - points.GAP_CHARACTER * gap)
        score = walk.score[here] + run
        score += points.START * _is_word_start(self._arena, place)
        return _Walk(walk.name[here], place + len(unit), score)

    def _in_one_piece(self, units: tuple[bytes, ...]) -> Int64Array:
        """Return the names that contain the query in one piece; if many, only at word starts."""
        names = self._names_at(_followed(self._arena, self._word_starts(units[0]), units))
        if len(names) >= _MORE:
            return names
        places = _followed(self._arena, self._places(units[0]), units)
        return names if len(places) > _MOST_PIECES else self._names_at(places)

    def _by_word_starts(self, units: tuple[bytes, ...]) -> Int64Array:
        """Return the names in which the query characters are starts of words, in order."""
        names, after = np.arange(len(self._starts)), self._starts
        for unit in units:
            here, place = _next_places(self._word_starts(unit), after, self._stops[names])
            names, after = names[here], place + len(unit)
        return names

    def _names_at(self, places: Places) -> Int64Array:
        """Return the distinct names that contain these offsets of the arena."""
        rows = np.searchsorted(self._starts, places, side="right") - 1
        rows = rows[(rows >= 0) & (places < self._stops[rows])]  # the others are files or objects
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows


def _find_places(arena: Bytes, unit: bytes) -> Places:
    """Return the offsets of a character in the arena, in ascending order."""
    places = np.flatnonzero(_is_byte(arena[: len(arena) - len(unit) + 1], unit[0]))
    return places[_is_unit(arena, places, unit)] if len(unit) > 1 else places


def _next_places(places: Places, after: Places, stops: Places) -> tuple[BoolArray, Places]:
    """Return which names have an offset in `places` from `after` on, and the first such offsets."""
    if not len(places):
        return np.zeros(len(after), bool), places
    at = np.searchsorted(places, after)
    place = places.take(at, mode="clip")
    here = (place >= after) & (place < stops)
    return here, place[here]


def _followed(arena: Bytes, places: Places, units: tuple[bytes, ...]) -> Places:
    """Return the offsets of the first character at which the others follow in one piece."""
    at = len(units[0])
    for unit in units[1:]:
        places = places[: np.searchsorted(places, len(arena) - at - len(unit), side="right")]
        places = places[_is_unit(arena, places + at, unit)]
        at += len(unit)
    return places


def _is_word_start(arena: Bytes, places: Places) -> BoolArray:
    """Return at which offsets a word starts; the arena ends with a line feed."""
    starts = np.frombuffer(word_starts(), np.bool_)
    return starts.take((arena[places - 1].astype(np.uint16) << 8) | arena[places])


def _is_byte(values: Bytes, wanted: int) -> BoolArray:
    """Return where the values equal a byte, ignoring the case of A to Z."""
    found: BoolArray = (values | 0x20 if ord("a") <= wanted <= ord("z") else values) == wanted
    return found


def _is_unit(arena: Bytes, places: Places, unit: bytes) -> BoolArray:
    """Return at which of the offsets the character occurs."""
    found = np.ones(len(places), bool)
    for at, byte in enumerate(unit):
        found &= _is_byte(arena[places + at], byte)
    return found


def _as_floats(weight: Int64Array | None, functions: int) -> FloatArray:
    """Return weights for sorting; functions without weight have 0."""
    if weight is None:
        return np.zeros(functions)
    return np.nan_to_num(weight.astype(np.float64), nan=0.0)


def _heaviest(heavy: FloatArray, limit: int) -> list[FunctionId]:
    return function_ids(np.argsort(-heavy, kind="stable")[:limit])


def _largest(values: FloatArray, count: int) -> Int64Array:
    """Return the rows of the largest values, in no particular order."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]
