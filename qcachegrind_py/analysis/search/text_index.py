"""Finding and sorting texts without making a string of each: on the bytes they lie in.

A profile of 150 MB has 160,000 names. Lists of them take 30 MB, and making or sorting them holds
the interpreter until the window stands still for 0.7 s; numpy and one long text do not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_CHUNK = 32  # bytes compared at once when sorting
_BLOCK = 65_536  # characters that a pattern is looked for in at once
_FEW_TEXTS = 2000  # hits after which it is worth asking whether nearly every text is one


class TextIndex:
    """Search and order of all texts of a profile; letters A to Z count as small ones."""

    def __init__(self, texts: StringTable) -> None:
        self._texts = texts

    @cached_property
    def _lowered(self) -> npt.NDArray[np.uint8]:
        """The bytes with small letters; `bytes.lower` would hold the interpreter for 15 ms."""
        arena = np.frombuffer(self._texts.arena, np.uint8)
        capital = (arena >= ord("A")) & (arena <= ord("Z"))
        return arena + capital.view(np.uint8) * np.uint8(ord("a") - ord("A"))

    def containing(self, text: str) -> BoolArray:
        """Which texts contain this one; all contain nothing."""
        if not text:
            return np.ones(len(self._texts), bool)
        needle = re.escape(text.encode("utf-8", "surrogateescape").lower())
        hits = re.finditer(needle + rb"[^\n]*", self._lowered.data)
        places = np.fromiter((hit.start() for hit in hits), np.int64)
        found = np.zeros(len(self._texts), bool)
        found[np.searchsorted(self._texts.starts, places, side="right") - 1] = True
        return found

    @cached_property
    def _decoded(self) -> tuple[str, list[int]]:
        """All texts as one string, and where each begins in it."""
        arena = self._texts.arena
        text = arena.decode("utf-8", "replace")
        if len(text) == len(arena):
            return text, self._texts.starts.tolist()
        lengths = [len(line) + 1 for line in text.split("\n")[:-1]]
        return text, [0, *np.cumsum(lengths).tolist()]

    def matching(self, pattern: re.Pattern[str]) -> BoolArray:
        """In which texts the pattern finds something; it must be compiled with MULTILINE.

        The pattern runs through all texts at once, which is quick where hits are rare. A hit may
        reach over the end of a text, so it is looked for again inside.
        """
        text, starts = self._decoded
        if r"\A" in pattern.pattern or r"\Z" in pattern.pattern:  # these mean one text alone
            ends = ((starts[n], starts[n + 1] - 1) for n in range(len(self._texts)))
            return np.array([bool(pattern.search(text[start:stop])) for start, stop in ends])
        found = np.zeros(len(self._texts), bool)
        hits, number = 0, 0
        while number < len(found):
            # a block at a time: a search holds the interpreter, and the window with it
            end = min(bisect_right(starts, starts[number] + _BLOCK), len(found))
            hit = pattern.search(text, starts[number], starts[end])
            if hit is None or hit.start() >= starts[end]:
                number = end
                continue
            number = bisect_right(starts, hit.start()) - 1
            found[number] = pattern.search(text, starts[number], starts[number + 1] - 1) is not None
            hits, number = hits + 1, number + 1
            if hits > _FEW_TEXTS and number < 4 * hits:
                break
        else:
            return found
        for rest in range(number, len(found)):
            found[rest] = pattern.search(text, starts[rest], starts[rest + 1] - 1) is not None
        return found

    def ranks(self) -> Int64Array:
        """The place of each text in order of its bytes; equal ones keep their order.

        Sorted by the first bytes; texts that these leave equal, by the next ones, and so on.
        """
        arena = self._lowered
        starts, stops = self._texts.starts[:-1], self._texts.starts[1:] - 1
        order = np.argsort(_sort_keys(arena, starts, stops, 0), kind="stable")
        place = np.arange(len(order))  # in `order`, of those that are still in question
        group = np.zeros(len(order), np.int64)
        depth = 0
        while len(place):
            key = _sort_keys(arena, starts[order[place]], stops[order[place]], depth)
            same = (key[1:] == key[:-1]) & (group[1:] == group[:-1])
            group = np.cumsum(np.append(False, ~same))
            longer = starts[order[place]] + (depth + 1) * _CHUNK < stops[order[place]]
            open_ = (np.append(False, same) | np.append(same, False)) & _any_of_group(longer, group)
            place, group = place[open_], group[open_]
            depth += 1
            key = _sort_keys(arena, starts[order[place]], stops[order[place]], depth)
            order[place] = order[place][np.lexsort((key, group))]
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks


def _any_of_group(flags: BoolArray, group: Int64Array) -> BoolArray:
    """Whether a flag is set anywhere in the group of each row; groups are numbered from 0."""
    some = np.zeros(int(group[-1]) + 1 if len(group) else 0, bool)
    some[group[flags]] = True
    return some[group]


def _sort_keys(
    arena: npt.NDArray[np.uint8], starts: Int64Array, stops: Int64Array, depth: int
) -> npt.NDArray[np.bytes_]:
    """The bytes number 32 * depth and following of each text, filled up with zeros."""
    places = starts[:, None] + np.arange(depth * _CHUNK, (depth + 1) * _CHUNK)
    chunk = arena.take(places, mode="clip")
    chunk[places >= stops[:, None]] = 0
    return np.ascontiguousarray(chunk).view(f"S{_CHUNK}").ravel()
