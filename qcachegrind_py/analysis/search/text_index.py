"""Search and sorting of all texts of a profile, directly on the bytes of the string table.

A profile of 150 MB has 160,000 names. A list of strings takes 30 MB, and creating or sorting it
holds the interpreter so long that the window freezes for 0.7 s. Numpy and one long text avoid that.
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
_BLOCK = 65_536  # characters that a pattern searches at once
_FEW_TEXTS = 2000  # hits after which frequent matches switch to a search text by text


class TextIndex:
    """Search and sort order of all texts of a profile, ignoring the case of A to Z."""

    def __init__(self, texts: StringTable) -> None:
        self._texts = texts

    @cached_property
    def _lowered(self) -> npt.NDArray[np.uint8]:
        """The bytes in lower case; `bytes.lower` would hold the interpreter for 15 ms."""
        arena = np.frombuffer(self._texts.arena, np.uint8)
        capital = (arena >= ord("A")) & (arena <= ord("Z"))
        return arena + capital.view(np.uint8) * np.uint8(ord("a") - ord("A"))

    def containing(self, text: str) -> BoolArray:
        """Return the mask of texts that contain this one; an empty text is in all of them."""
        if not text:
            return np.ones(len(self._texts), bool)
        needle = re.escape(text.encode("utf-8", "surrogateescape").lower())
        hits = re.finditer(needle + rb"[^\n]*", self._lowered.data)
        offsets = np.fromiter((hit.start() for hit in hits), np.int64)
        matches = np.zeros(len(self._texts), bool)
        matches[np.searchsorted(self._texts.starts, offsets, side="right") - 1] = True
        return matches

    @cached_property
    def _decoded(self) -> tuple[str, list[int]]:
        """All texts as one string, as `to_display` shows them, and the offset of each."""
        arena = self._texts.arena
        text = arena.decode("utf-8", "backslashreplace")
        if arena.isascii():
            return text, self._texts.starts.tolist()
        lengths = [len(line) + 1 for line in text.split("\n")[:-1]]
        return text, [0, *np.cumsum(lengths).tolist()]

    def matching(self, pattern: re.Pattern[str]) -> BoolArray:
        """Return the mask of texts that match a pattern, which must have the flag MULTILINE.

        The pattern searches all texts at once, which is fast if hits are rare. A hit may extend
        beyond its text, so the search is repeated inside the text.
        """
        text, starts = self._decoded
        if r"\A" in pattern.pattern or r"\Z" in pattern.pattern:  # these need single texts
            ends = ((starts[n], starts[n + 1] - 1) for n in range(len(self._texts)))
            return np.array([bool(pattern.search(text[start:stop])) for start, stop in ends])
        matches = np.zeros(len(self._texts), bool)
        hits, number = 0, 0
        while number < len(matches):
            # block by block, since a search holds the interpreter and would freeze the window
            end = min(bisect_right(starts, starts[number] + _BLOCK), len(matches))
            hit = pattern.search(text, starts[number], starts[end])
            if hit is None or hit.start() >= starts[end]:
                number = end
                continue
            number = bisect_right(starts, hit.start()) - 1
            matches[number] = (
                pattern.search(text, starts[number], starts[number + 1] - 1) is not None
            )
            hits, number = hits + 1, number + 1
            if hits > _FEW_TEXTS and number < 4 * hits:
                break
        else:
            return matches
        for rest in range(number, len(matches)):
            matches[rest] = pattern.search(text, starts[rest], starts[rest + 1] - 1) is not None
        return matches

    def ranks(self) -> Int64Array:
        """Return the rank of each text in order of its bytes; equal texts keep their order.

        Texts are sorted by their first bytes; those still equal by the next ones, and so on.
        """
        arena = self._lowered
        starts, stops = self._texts.starts[:-1], self._texts.starts[1:] - 1
        order = np.argsort(_sort_keys(arena, starts, stops, 0), kind="stable")
        position = np.arange(len(order))  # positions in `order` that are not settled
        group = np.zeros(len(order), np.int64)
        depth = 0
        while len(position):
            key = _sort_keys(arena, starts[order[position]], stops[order[position]], depth)
            same = (key[1:] == key[:-1]) & (group[1:] == group[:-1])
            group = np.cumsum(np.append(False, ~same))
            longer = starts[order[position]] + (depth + 1) * _CHUNK < stops[order[position]]
            is_unsettled = (np.append(False, same) | np.append(same, False)) & _any_of_group(
                longer, group
            )
            position, group = position[is_unsettled], group[is_unsettled]
            depth += 1
            key = _sort_keys(arena, starts[order[position]], stops[order[position]], depth)
            order[position] = order[position][np.lexsort((key, group))]
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks


def _any_of_group(flags: BoolArray, group: Int64Array) -> BoolArray:
    """Return whether a flag is set anywhere in the group of each row; groups count from 0."""
    some = np.zeros(int(group[-1]) + 1 if len(group) else 0, bool)
    some[group[flags]] = True
    return some[group]


def _sort_keys(
    arena: npt.NDArray[np.uint8], starts: Int64Array, stops: Int64Array, depth: int
) -> npt.NDArray[np.bytes_]:
    """Return 32 bytes of each text from offset 32 * depth on, padded with zeros."""
    offsets = starts[:, None] + np.arange(depth * _CHUNK, (depth + 1) * _CHUNK)
    chunk = arena.take(offsets, mode="clip")
    chunk[offsets >= stops[:, None]] = 0
    return np.ascontiguousarray(chunk).view(f"S{_CHUNK}").ravel()
