"""Optimal alignment of a fuzzy query with names: scores and positions of the matched characters.

Runs of characters score highest, then starts of words, then matches in the function's own name,
behind its scopes; gaps and length are penalised.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TypeAlias

START = 10.0  # a character at the start of a word
RUN = 14.0  # a character directly after the last: more than a word start after a gap
GAP = 3.0  # before any gap
GAP_CHARACTER = 0.1  # for each byte of a gap
LENGTH = 0.05  # for each of the first LONG bytes of the name
LONG = 240
_OWN = 4.0  # in the function's own name, behind its scopes and before its arguments
_NAME_START = 6.0  # at the very start of the function's own name
_CASE = 1.0  # a capital that is also one in the query
_PIECE = 20.0  # all characters in one piece
_WHOLE = 30.0  # the function's own name, from its start to its end
_LOOKED_AT = 1000  # bytes of a name; a hostile one may have megabytes
_ALIGNED = 100  # characters of the query; any further ones are known to occur
_DIGITS = 6  # of a score, so that rounding errors do not order names that match equally well
_OTHER, _SMALL, _CAPITAL, _DIGIT = range(4)
_MARK = re.compile(rb"[][(){}<>:/ ']")  # what divides or ends names

_Step: TypeAlias = "tuple[int, float, _Step | None]"
"""A matched character: where it ends, the best score up to it, and the step before it."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well a name matches, and where in its bytes each character of the query ends."""

    name: bytes
    score: float
    ends: tuple[int, ...]

    def positions(self) -> tuple[int, ...]:
        """Return the positions of the matched characters in the name."""
        return tuple(
            len(self.name[:end].decode("utf-8", "surrogateescape")) - 1 for end in self.ends
        )


def align(name: bytes, units: tuple[bytes, ...]) -> Alignment:
    """Align the characters `units`, each in UTF-8, with a name that contains them in order."""
    units = units[:_ALIGNED]
    text = _Text(name[:_LOOKED_AT])
    steps: list[_Step] = []
    for number, unit in enumerate(units):
        steps = text.steps(unit, steps) if number else text.first_steps(unit)
    score, ends = text.best(steps, units) if steps else (0.0, _leftmost(name, units))
    score -= LENGTH * min(len(name), LONG)
    return Alignment(name, round(score, _DIGITS), ends)


def query_units(query: str) -> tuple[bytes, ...]:
    """Return the UTF-8 bytes of each character of a query, without blanks."""
    return tuple(character.encode("utf-8", "replace") for character in "".join(query.split()))


@cache
def word_starts() -> bytes:
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
        self._own_start, self._own_stop = own_name(text)

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
                if last[1] + GAP_CHARACTER * last[0] > reach:
                    reach, best = last[1] + GAP_CHARACTER * last[0], last
                passed += 1
            if best is not None:
                run = last[1] + RUN if last[0] == at else -math.inf
                gap = reach - GAP_CHARACTER * at - GAP
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
        points = START * word_starts()[before << 8 | self._text[at]]
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


def own_name(text: bytes) -> tuple[int, int]:
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
