"""Finding functions by a few characters of their names, in order but not in one piece.

`vpb` finds `std::vector<int>::push_back(int const&)`. Numpy looks for the characters in all names
at once, by a greedy walk; the few best are then aligned as well as can be (`alignment`). No
Python loop runs over all names.
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
    """A function that was found; `positions` are those of the characters in its shown name."""

    function: FunctionId
    score: float
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """The names that have all characters up to one in order, and where the greedy walk stands."""

    name: Int64Array  # rows of the names
    place: Places  # in the arena, behind the last character found
    score: FloatArray


class FuzzySearch:
    """The search over the names of the functions of a profile; what was typed last is kept."""

    def __init__(self, texts: StringTable, name: Int32Array) -> None:
        """`name` is the number of the name of each function."""
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
        """The best functions, best first; of no query, the heaviest. Blanks divide nothing."""
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
        """The names worth a closer look, in order."""
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
        """The greedy walk through all names, from where the last query began as this one does."""
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
        """Go to the first place of a character in each name that has one."""
        here, place = _next_places(self._places(unit), self._starts, self._stops)
        score: FloatArray = np.where(_is_word_start(self._arena, place), points.START, 0.0)
        return _Walk(np.flatnonzero(here), place + len(unit), score)

    def _step(self, walk: _Walk, unit: bytes) -> _Walk:
        """Go on to the next place of a character in each name; names without one drop out."""
        here, place = _next_places(self._places(unit), walk.place, self._stops[walk.name])
        gap = place - walk.place[here]
        run = np.where(gap == 0, points.RUN, -points.GAP - points.GAP_CHARACTER * gap)
        score = walk.score[here] + run
        score += points.START * _is_word_start(self._arena, place)
        return _Walk(walk.name[here], place + len(unit), score)

    def _in_one_piece(self, units: tuple[bytes, ...]) -> Int64Array:
        """The names that contain the query as it is; of very many, those where a word starts so."""
        names = self._names_at(_followed(self._arena, self._word_starts(units[0]), units))
        if len(names) >= _MORE:
            return names
        places = _followed(self._arena, self._places(units[0]), units)
        return names if len(places) > _MOST_PIECES else self._names_at(places)

    def _by_word_starts(self, units: tuple[bytes, ...]) -> Int64Array:
        """The names in which words start with the characters of the query."""
        names, after = np.arange(len(self._starts)), self._starts
        for unit in units:
            here, place = _next_places(self._word_starts(unit), after, self._stops[names])
            names, after = names[here], place + len(unit)
        return names

    def _names_at(self, places: Places) -> Int64Array:
        """The names in which these places of the arena are, each once."""
        rows = np.searchsorted(self._starts, places, side="right") - 1
        rows = rows[(rows >= 0) & (places < self._stops[rows])]  # the others are files or objects
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows


def _find_places(arena: Bytes, unit: bytes) -> Places:
    """Where in the arena a character is, in order."""
    places = np.flatnonzero(_is_byte(arena[: len(arena) - len(unit) + 1], unit[0]))
    return places[_is_unit(arena, places, unit)] if len(unit) > 1 else places


def _next_places(places: Places, after: Places, stops: Places) -> tuple[BoolArray, Places]:
    """Which of the names have one of the places from `after` on, and the first such."""
    if not len(places):
        return np.zeros(len(after), bool), places
    at = np.searchsorted(places, after)
    place = places.take(at, mode="clip")
    here = (place >= after) & (place < stops)
    return here, place[here]


def _followed(arena: Bytes, places: Places, units: tuple[bytes, ...]) -> Places:
    """Those places of the first character at which the others follow in one piece."""
    at = len(units[0])
    for unit in units[1:]:
        places = places[: np.searchsorted(places, len(arena) - at - len(unit), side="right")]
        places = places[_is_unit(arena, places + at, unit)]
        at += len(unit)
    return places


def _is_word_start(arena: Bytes, places: Places) -> BoolArray:
    """At which places a word starts; before the first place comes the last byte, a line feed."""
    starts = np.frombuffer(word_starts(), np.bool_)
    return starts.take((arena[places - 1].astype(np.uint16) << 8) | arena[places])


def _is_byte(values: Bytes, wanted: int) -> BoolArray:
    """Where this byte is; a letter A to Z is its small one, too."""
    found: BoolArray = (values | 0x20 if ord("a") <= wanted <= ord("z") else values) == wanted
    return found


def _is_unit(arena: Bytes, places: Places, unit: bytes) -> BoolArray:
    """At which of the places this character is."""
    found = np.ones(len(places), bool)
    for at, byte in enumerate(unit):
        found &= _is_byte(arena[places + at], byte)
    return found


def _as_floats(weight: Int64Array | None, functions: int) -> FloatArray:
    """Weights to order by; what has none is the lightest."""
    if weight is None:
        return np.zeros(functions)
    return np.nan_to_num(weight.astype(np.float64), nan=0.0)


def _heaviest(heavy: FloatArray, limit: int) -> list[FunctionId]:
    return function_ids(np.argsort(-heavy, kind="stable")[:limit])


def _largest(values: FloatArray, count: int) -> Int64Array:
    """The rows of the largest values, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]
