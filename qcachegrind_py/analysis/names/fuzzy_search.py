"""Fuzzy search: finds functions by a few characters that occur in their name in order.

`vpb` finds `std::vector<int>::push_back(int const&)`. A greedy walk in numpy searches all names at
once for the characters; the best matches are then aligned optimally: runs of characters score
highest, then starts of words, then matches in the function's own name, behind its scopes; gaps and
length are penalised. No Python loop runs over all names.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable

_START = 10.0  # a character at the start of a word
_RUN = 14.0  # a character directly after the last: more than a word start after a gap
_GAP = 3.0  # before any gap
_GAP_CHARACTER = 0.1  # for each byte of a gap
_LENGTH = 0.05  # for each of the first `_LONG` bytes of the name
_LONG = 240
_OWN = 4.0  # in the function's own name, behind its scopes and before its arguments
_NAME_START = 6.0  # at the very start of the function's own name
_CASE = 1.0  # a capital that is also one in the query
_PIECE = 20.0  # all characters in one piece
_WHOLE = 30.0  # the function's own name, from its start to its end
_LOOKED_AT = 1000  # bytes of a name; a hostile one may have megabytes
_ALIGNED_CHARACTERS = 100  # characters of the query; any further ones are known to occur
_DIGITS = 6  # of a score, so that rounding errors do not order names that match equally well
_OTHER, _SMALL, _CAPITAL, _DIGIT = range(4)
_MARK = re.compile(rb"[][(){}<>:/ ']")  # what divides or ends names

_ALIGNED_NAMES = 200  # the best by the greedy walk
_MORE = 80  # the best of those with the query in one piece, and of those with words beginning so
_MOST_PIECES = 20_000  # places of the query in one piece, above which only word starts count
_PLACES_KEPT = 24  # characters whose places are remembered: those of a few queries
_WALKS_KEPT = 24  # characters of a query that need not be looked for again at the next key
_LARGEST = (1 << 31) - 1

_Bytes = npt.NDArray[np.uint8]
_Places = npt.NDArray[np.signedinteger[Any]]  # of 32 bits where these do, for speed
_FloatArray = npt.NDArray[np.float64]


@frozen(eq=True)
class Match:
    """A matching function; `positions` are the matched characters in its name."""

    function: FunctionId
    score: float
    positions: tuple[int, ...]


@frozen
class _Walk:
    """The state of the greedy walk: the names that contain all characters so far in order."""

    name: Int64Array  # rows of the names
    place: _Places  # in the arena, behind the last character found
    score: _FloatArray


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
        written = _query_units(query)
        if not written:
            return [Match(function, 0.0, ()) for function in _heaviest(heavy, limit)]
        names = self._candidates(tuple(unit.lower() for unit in written), heavy)
        aligned = {row: _align(self._name(row), written) for row in names.tolist()}
        score = np.full(len(self._starts), -np.inf)
        score[names] = [alignment.score for alignment in aligned.values()]
        functions = np.flatnonzero(np.isfinite(score)[self._row])
        order = np.lexsort((functions, -heavy[functions], -score[self._row[functions]]))
        chosen = functions[order[:limit]]
        rows = zip(function_ids(chosen), self._row[chosen].tolist(), strict=True)
        return [Match(f, aligned[row].score, aligned[row].positions()) for f, row in rows]

    def _name(self, row: int) -> bytes:
        return self._arena[self._starts[row] : self._stops[row]].tobytes()

    def _candidates(self, units: tuple[bytes, ...], heavy: _FloatArray) -> Int64Array:
        """Return the names to align, in ascending order."""
        walk = self._walk(units)
        if not len(walk.name):
            return walk.name
        heavy_of = np.zeros(len(self._starts))
        np.maximum.at(heavy_of, self._row, heavy)
        length = np.minimum(self._stops - self._starts, _LONG)
        rank = heavy_of / max(1.0, heavy_of.max()) - _LENGTH * length
        names = [walk.name[_largest(walk.score + rank[walk.name], _ALIGNED_NAMES)]]
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
        score: _FloatArray = np.where(_is_word_start(self._arena, place), _START, 0.0)
        return _Walk(np.flatnonzero(here), place + len(unit), score)

    def _step(self, walk: _Walk, unit: bytes) -> _Walk:
        """Move to the next occurrence of a character in each name; drop names without one."""
        here, place = _next_places(self._places(unit), walk.place, self._stops[walk.name])
        gap = place - walk.place[here]
        run = np.where(gap == 0, _RUN, -_GAP - _GAP_CHARACTER * gap)
        score = walk.score[here] + run
        score += _START * _is_word_start(self._arena, place)
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

    def _names_at(self, places: _Places) -> Int64Array:
        """Return the distinct names that contain these offsets of the arena."""
        rows = np.searchsorted(self._starts, places, side="right") - 1
        rows = rows[(rows >= 0) & (places < self._stops[rows])]  # the others are files or objects
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows


def _find_places(arena: _Bytes, unit: bytes) -> _Places:
    """Return the offsets of a character in the arena, in ascending order."""
    places = np.flatnonzero(_is_byte(arena[: len(arena) - len(unit) + 1], unit[0]))
    return places[_is_unit(arena, places, unit)] if len(unit) > 1 else places


def _next_places(places: _Places, after: _Places, stops: _Places) -> tuple[BoolArray, _Places]:
    """Return which names have an offset in `places` from `after` on, and the first such offsets."""
    if not len(places):
        return np.zeros(len(after), bool), places
    at = np.searchsorted(places, after)
    place = places.take(at, mode="clip")
    here = (place >= after) & (place < stops)
    return here, place[here]


def _followed(arena: _Bytes, places: _Places, units: tuple[bytes, ...]) -> _Places:
    """Return the offsets of the first character at which the others follow in one piece."""
    at = len(units[0])
    for unit in units[1:]:
        places = places[: np.searchsorted(places, len(arena) - at - len(unit), side="right")]
        places = places[_is_unit(arena, places + at, unit)]
        at += len(unit)
    return places


def _is_word_start(arena: _Bytes, places: _Places) -> BoolArray:
    """Return at which offsets a word starts; the arena ends with a line feed."""
    starts = np.frombuffer(_word_start_table(), np.bool_)
    return starts.take((arena[places - 1].astype(np.uint16) << 8) | arena[places])


def _is_byte(values: _Bytes, wanted: int) -> BoolArray:
    """Return where the values equal a byte, ignoring the case of A to Z."""
    found: BoolArray = (values | 0x20 if ord("a") <= wanted <= ord("z") else values) == wanted
    return found


def _is_unit(arena: _Bytes, places: _Places, unit: bytes) -> BoolArray:
    """Return at which of the offsets the character occurs."""
    found = np.ones(len(places), bool)
    for at, byte in enumerate(unit):
        found &= _is_byte(arena[places + at], byte)
    return found


def _as_floats(weight: Int64Array | None, functions: int) -> _FloatArray:
    """Return weights for sorting; functions without weight have 0."""
    if weight is None:
        return np.zeros(functions)
    return np.nan_to_num(weight.astype(np.float64), nan=0.0)


def _heaviest(heavy: _FloatArray, limit: int) -> list[FunctionId]:
    return function_ids(np.argsort(-heavy, kind="stable")[:limit])


def _largest(values: _FloatArray, count: int) -> Int64Array:
    """Return the rows of the largest values, in no particular order."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


# ---------------------------------------------------------------- alignment with one name

_Step: TypeAlias = "tuple[int, float, _Step | None]"
"""A matched character: where it ends, the best score up to it, and the step before it."""


@frozen(eq=True)
class _Alignment:
    """How well a name matches, and where in its bytes each character of the query ends."""

    name: bytes
    score: float
    ends: tuple[int, ...]

    def positions(self) -> tuple[int, ...]:
        """Return the positions of the matched characters in the name."""
        return tuple(
            len(self.name[:end].decode("utf-8", "surrogateescape")) - 1 for end in self.ends
        )


def _align(name: bytes, units: tuple[bytes, ...]) -> _Alignment:
    """Align the characters `units`, each in UTF-8, with a name that contains them in order."""
    units = units[:_ALIGNED_CHARACTERS]
    text = _Text(name[:_LOOKED_AT])
    steps: list[_Step] = []
    for number, unit in enumerate(units):
        steps = text.steps(unit, steps) if number else text.first_steps(unit)
    score, ends = text.best(steps, units) if steps else (0.0, _leftmost(name, units))
    score -= _LENGTH * min(len(name), _LONG)
    return _Alignment(name, round(score, _DIGITS), ends)


def _query_units(query: str) -> tuple[bytes, ...]:
    """Return the UTF-8 bytes of each character of a query, without blanks."""
    return tuple(character.encode("utf-8", "replace") for character in "".join(query.split()))


@cache
def _word_start_table() -> bytes:
    """Return a table of 65,536 flags: whether a word starts between two bytes, by 256 a + b.

    A word starts after anything but a letter or digit, and at a capital within a name.
    """
    kinds = [_kind(byte) for byte in range(256)]
    return bytes(
        here != _OTHER and (before == _OTHER or (here in (_CAPITAL, _DIGIT) and here != before))
        for before in kinds
        for here in kinds
    )


def _kind(byte: int) -> int:
    if ord("A") <= byte <= ord("Z"):
        return _CAPITAL
    if ord("0") <= byte <= ord("9"):
        return _DIGIT
    return _SMALL if ord("a") <= byte <= ord("z") or byte >= 0x80 else _OTHER


def _leftmost(name: bytes, units: tuple[bytes, ...]) -> tuple[int, ...]:
    """Return the end of the leftmost match of each character, for names too long to align."""
    small, end, ends = name.lower(), 0, []
    for unit in units:
        end = small.index(unit.lower(), end) + len(unit)
        ends.append(end)
    return tuple(ends)


class _Text:
    """A name to be aligned, one character of the query after the other."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._small = text.lower()
        self._own_start, self._own_stop = _own_name(text)

    def first_steps(self, unit: bytes) -> list[_Step]:
        """Return a step for each occurrence of the first character."""
        return [(at + len(unit), self._points(unit, at), None) for at in self._places(unit)]

    def steps(self, unit: bytes, before: list[_Step]) -> list[_Step]:
        """Return a step for each occurrence of the next character, with the best path to it."""
        found: list[_Step] = []
        passed, reach, best = 0, -math.inf, None
        for at in self._places(unit):
            while passed < len(before) and before[passed][0] <= at:
                last = before[passed]
                if last[1] + _GAP_CHARACTER * last[0] > reach:
                    reach, best = last[1] + _GAP_CHARACTER * last[0], last
                passed += 1
            if best is not None:
                run = last[1] + _RUN if last[0] == at else -math.inf
                gap = reach - _GAP_CHARACTER * at - _GAP
                score = self._points(unit, at) + max(run, gap)
                found.append((at + len(unit), score, last if run >= gap else best))
        return found

    def best(self, steps: list[_Step], units: tuple[bytes, ...]) -> tuple[float, tuple[int, ...]]:
        """Return the score of the best path, and where its characters end."""
        query = b"".join(units).lower()
        scores = [score + self._extra(end, query) for end, score, _ in steps]
        best = scores.index(max(scores))
        if self._small.endswith(query, 0, steps[best][0]):
            start = steps[best][0] - len(query)
            return scores[best], tuple(start + end for end in accumulate(map(len, units)))
        ends: list[int] = []
        step: _Step | None = steps[best]
        while step is not None:
            end, _, step = step
            ends.append(end)
        return scores[best], tuple(reversed(ends))

    def _places(self, unit: bytes) -> list[int]:
        """Return where the character occurs, ignoring its case."""
        unit, places = unit.lower(), []
        at = self._small.find(unit)
        while at >= 0:
            places.append(at)
            at = self._small.find(unit, at + 1)
        return places

    def _points(self, unit: bytes, at: int) -> float:
        """Return the score of a character at a position, whatever precedes it."""
        before = self._text[at - 1] if at else 0
        points = _START * _word_start_table()[before << 8 | self._text[at]]
        if self._own_start <= at < self._own_stop:
            points += _OWN
        if at == self._own_start:
            points += _NAME_START
        is_capital = unit != unit.lower() and self._text.startswith(unit, at)
        return points + _CASE if is_capital else points

    def _extra(self, end: int, query: bytes) -> float:
        """Return the bonus for all characters in one piece, and for the whole own name."""
        if not self._small.endswith(query, 0, end):
            return 0.0
        is_whole = self._own_stop == end and self._own_start == end - len(query)
        return _PIECE + _WHOLE if is_whole else _PIECE


def _own_name(text: bytes) -> tuple[int, int]:
    """Return start and stop of the function's own name, such as `push_back`, without its scopes.

    Only brackets are considered, so an `operator<` ranks lower than it should.
    """
    depth, stop, divides, angles = 0, len(text), [-1], []
    for mark in _MARK.finditer(text):
        at, sign, before = mark.start(), mark[0], text[mark.start() - 1 : mark.start()]
        if sign in b"(<[{":
            depth += 1
            # `::(anonymous namespace)` has no arguments
            if sign == b"(" and depth == 1 and before not in (b"", b":"):
                stop = at
                break
            if sign == b"<" and depth == 1:
                angles.append(at)
        elif sign in b")>]}":
            depth -= before != b"-"  # of an arrow
        elif depth <= 0 and sign != b"'":
            divides.append(at)
        elif sign == b"'" and depth == 0 and before:  # a caller or a recursion level follows
            stop = at
            break
    start = max(at for at in divides if at < stop - 1) + 1 if stop else 0
    return start, next((at for at in angles if at > start), stop)
