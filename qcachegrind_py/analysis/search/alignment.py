"""Optimal alignment of a fuzzy query with names: scores and positions of the matched characters.

Runs of characters score highest, then starts of words, then matches in the function's own name,
behind its scopes; gaps and length are penalised. All names of a block are aligned at once, with one
row for each name and one column for each byte.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import BoolArray, Int64Array

START = 10.0  # a character at the start of a word
RUN = 14.0  # a character right after the previous one: more than a word start after a gap
GAP = 3.0  # penalty for each gap
GAP_CHARACTER = 0.1  # penalty for each byte of a gap
LENGTH = 0.05  # penalty for each of the first LONG bytes of the name
LONG = 240
_OWN = 4.0  # in the function's own name, behind its scopes and before its arguments
_NAME_START = 6.0  # at the start of the whole name or of the function's own name
_CASE = 1.0  # a capital that is a capital in the query, too
_PIECE = 20.0  # all characters in one piece
_WHOLE = 30.0  # the function's own name from start to end
_LOOKED_AT = 1000  # bytes of a name; hostile files have names of megabytes
_ALIGNED = 100  # characters of the query
_BLOCK = 40

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.signedinteger[Any]]  # offsets, of 32 bits if these suffice, for speed
Scores = npt.NDArray[np.float32]
_SMALL, _CAPITAL, _DIGIT = 1, 2, 3
_Number = TypeVar("_Number", np.uint8, np.float32)


def query_units(query: str) -> tuple[bytes, ...]:
    """Return the UTF-8 bytes of each character of a query, without blanks."""
    shown = (character for character in query if not character.isspace())
    return tuple(character.encode("utf-8", "replace") for character in shown)


def is_letter(byte: int) -> bool:
    """Return whether a byte is a lower-case letter, which also matches upper case."""
    return ord("a") <= byte <= ord("z")


def is_word_start(arena: Bytes, places: Places) -> BoolArray:
    """Return whether a word starts at each offset: after a separator, or at a camel-case hump."""
    before = arena[places - 1]  # offset 0 is preceded by the last byte, a line feed
    return _word_starts().ravel().take((before.astype(np.uint16) << 8) | arena[places])


@cache
def _word_starts() -> BoolArray:
    """Return whether a word starts at a byte, shape (preceding byte, byte)."""
    kind = np.zeros(256, np.uint8)
    for byte in range(256):
        if is_letter(byte) or byte >= 0x80:
            kind[byte] = _SMALL
        elif ord("A") <= byte <= ord("Z"):
            kind[byte] = _CAPITAL
        elif ord("0") <= byte <= ord("9"):
            kind[byte] = _DIGIT
    before, here = kind[:, None], kind[None, :]
    hump = (here == _CAPITAL) & (before != _CAPITAL)
    number = (here == _DIGIT) & (before != _DIGIT)
    starts: BoolArray = (here > 0) & ((before == 0) | hump | number)
    return starts


class Alignment:
    """The alignment of a query with names, which are given by their offsets in the arena."""

    def __init__(
        self, arena: Bytes, starts: Places, stops: Places, units: tuple[bytes, ...]
    ) -> None:
        self._arena = arena
        self._starts = starts
        self._stops = stops
        self._units = units[:_ALIGNED]  # the rest is known to match

    def scores(self) -> npt.NDArray[np.float64]:
        """Return the score of each name, shape (names,)."""
        length = self._stops - self._starts
        scores = np.empty(len(length))
        by_length = np.argsort(length, kind="stable")  # a block is as wide as its longest name
        for first in range(0, len(by_length), _BLOCK):
            rows = by_length[first : first + _BLOCK]
            scores[rows] = self._block(rows).best.max(axis=1)
        scores[np.isinf(scores)] = 0.0  # matches only beyond the bytes examined
        scores -= LENGTH * np.minimum(length, LONG)
        return scores

    def positions(self, rows: list[int]) -> dict[int, tuple[int, ...]]:
        """Return the positions of the matched characters in the displayed name of each row."""
        length = self._stops - self._starts
        ordered = sorted(set(rows), key=lambda row: int(length[row]))
        result = {}
        for first in range(0, len(ordered), _BLOCK):
            block = ordered[first : first + _BLOCK]
            aligned = self._block(np.array(block))
            for index, row in enumerate(block):
                ends = aligned.ends(index) or self._leftmost(row)
                result[row] = _characters(self._bytes(row), ends)
        return result

    def _block(self, rows: Int64Array) -> _Block:
        starts = self._starts[rows]
        stops = np.minimum(self._stops[rows], starts + _LOOKED_AT)
        places = starts[:, None] + np.arange(max(1, int((stops - starts).max())))
        text = self._arena.take(places, mode="clip")
        text[places >= stops[:, None]] = 0
        return _Block(text, self._units)

    def _bytes(self, row: int) -> bytes:
        return self._arena[self._starts[row] : self._stops[row]].tobytes()

    def _leftmost(self, row: int) -> list[int]:
        """Return the last byte of each character at its first occurrence in order."""
        text, offset = self._bytes(row).lower(), 0
        ends = []
        for unit in self._units:
            offset = text.index(unit.lower(), offset) + len(unit)
            ends.append(offset - 1)
        return ends


class _Block:
    """Score tables of a block: one for each query character, with the best score ending at a byte.

    Tables have the shape (names, bytes).
    """

    def __init__(self, text: Bytes, units: tuple[bytes, ...]) -> None:
        capital = (text >= ord("A")) & (text <= ord("Z"))
        self._units = units
        self._text = text
        self._small = text | (capital.view(np.uint8) * np.uint8(0x20))
        self._bonus = _bonus(text)
        self._gaps = (GAP_CHARACTER * np.arange(text.shape[1])).astype(np.float32)
        self._tables: list[Scores] = []
        for unit in units:
            self._tables.append(self._table(unit))
        self._piece = _ends(self._small, b"".join(units).lower())
        extra = self._piece * _PIECE + self._is_whole() * _WHOLE
        self.best: Scores = self._tables[-1] + extra.astype(np.float32)

    def _table(self, unit: bytes) -> Scores:
        score = self._bonus if len(unit) == 1 else _moved(self._bonus, len(unit) - 1, 0)
        if self._tables:
            before = _moved(self._tables[-1], len(unit), -np.inf)
            gap = np.maximum.accumulate(before + self._gaps, axis=1) - self._gaps - np.float32(GAP)
            score = score + np.maximum(before + np.float32(RUN), gap)
        if unit != unit.lower():
            score = score + np.float32(_CASE) * (self._text == unit[0])
        return np.where(_ends(self._small, unit.lower()), score, np.float32(-np.inf))

    def _is_whole(self) -> BoolArray:
        """Return a mask of the bytes where a function's own name ends and equals the query."""
        query = np.frombuffer(b"".join(self._units).lower(), np.uint8)
        start, stop = own_names(self._text)
        whole = np.zeros(self._text.shape, bool)
        rows = np.flatnonzero(stop - start == len(query))
        names = self._small[rows[:, None], start[rows, None] + np.arange(len(query))]
        whole[rows, stop[rows] - 1] = (names == query).all(axis=1)
        return whole

    def ends(self, row: int) -> list[int]:
        """Return the last byte of each character in the best alignment; empty without alignment."""
        at = int(self.best[row].argmax())
        if np.isinf(self.best[row, at]):
            return []
        if self._piece[row, at]:
            return [at - behind for behind in self._behind()]
        ends = [at]
        for unit, table in zip(self._units[:0:-1], self._tables[-2::-1], strict=True):
            near = at - len(unit)
            before = table[row, : near + 1] + self._gaps[: near + 1]
            far = int(before.argmax())
            is_run = table[row, near] + RUN >= before[far] - self._gaps[near] - GAP
            at = near if is_run else far
            ends.append(at)
        return ends[::-1]

    def _behind(self) -> list[int]:
        """Return the distance from the end of each query character to the end of the query."""
        ends = np.cumsum([len(unit) for unit in self._units])
        behind: list[int] = (ends[-1] - ends).tolist()
        return behind


def _ends(text: Bytes, pattern: bytes) -> BoolArray:
    """Return a mask of the positions where these bytes end in the text."""
    is_end: BoolArray = text == pattern[-1]
    for distance, byte in enumerate(pattern[-2::-1], 1):
        if not is_end.any():
            break
        is_end &= _moved(text, distance, 0) == byte
    return is_end


def _bonus(text: Bytes) -> Scores:
    """Return the score of a match at each byte, regardless of preceding matches."""
    before = _moved(text, 1, 0)
    bonus: Scores = _word_starts()[before, text] * np.float32(START)
    start, stop = own_names(text)
    column = np.arange(text.shape[1])
    is_own_name = (column >= start[:, None]) & (column < stop[:, None])
    bonus += is_own_name * np.float32(_OWN)
    rows = np.flatnonzero(start < text.shape[1])
    bonus[rows, start[rows]] += np.float32(_NAME_START)
    return bonus


def own_names(text: Bytes) -> tuple[Int64Array, Int64Array]:
    """Return start and stop of the function's own name in each row, as `push_back` in its scopes.

    Only brackets are considered. C++ operators such as `operator<` confuse this and rank lower.
    """
    opening = (text == ord("(")) | (text == ord("<")) | (text == ord("[")) | (text == ord("{"))
    closing = (text == ord(")")) | (text == ord(">")) | (text == ord("]")) | (text == ord("}"))
    before = _moved(text, 1, 0)
    closing &= before != ord("-")  # an arrow `->` closes nothing
    depth = np.cumsum(opening.astype(np.int8) - closing.astype(np.int8), axis=1, dtype=np.int16)
    column = np.arange(text.shape[1])
    inside = (depth > 0) | closing
    arguments = (text == ord("(")) & (depth == 1) & (before != ord(":")) & (before != 0)
    # `::(anonymous namespace)` is no argument list; `'` precedes a caller or a recursion level
    ends = (text == 0) | arguments | ((text == ord("'")) & (depth == 0) & (before != 0))
    stop = np.where(ends.any(axis=1), ends.argmax(axis=1), text.shape[1])
    divides = ~inside & ((text == ord(":")) | (text == ord("/")) | (text == ord(" ")))
    divides &= column < stop[:, None] - 1
    start = np.where(divides, column + 1, 0).max(axis=1)
    angle = (text == ord("<")) & (depth == 1) & (column > start[:, None])
    angle &= column < stop[:, None]
    return start, np.where(angle.any(axis=1), angle.argmax(axis=1), stop)


def _moved(table: npt.NDArray[_Number], columns: int, filling: float) -> npt.NDArray[_Number]:
    """Shift the table to the right by a number of columns."""
    moved = np.full_like(table, filling)
    moved[:, columns:] = table[:, :-columns]
    return moved


def _characters(name: bytes, ends: list[int]) -> tuple[int, ...]:
    """Convert the offsets of last bytes to positions in the displayed name."""
    return tuple(len(name[: end + 1].decode("utf-8", "replace")) - 1 for end in ends)
