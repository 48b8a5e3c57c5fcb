"""Search and sorting of texts: all of a profile, and columns of names, files or classes.

It works directly on the bytes of the string table. A profile of 150 MB has 160,000 names. A list of
strings takes 30 MB, and creating or sorting it holds the interpreter so long that the window
freezes for 0.7 s. Numpy and one long text avoid that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable

if TYPE_CHECKING:
    import numpy.typing as npt

_ANY = "*"
_CACHE_SIZE = 8  # patterns whose rows are cached
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})")
_FIRST_BYTE, _LAST_BYTE = r"\x80", r"\xff"  # bytes that are not UTF-8 are escapes in a `_TextIndex`
_CHUNK = 32  # bytes compared at once when sorting
_BLOCK = 65_536  # characters that a pattern searches at once
_FEW_TEXTS = 2000  # hits after which frequent matches switch to a search text by text


class _TextIndex:
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


class TextColumn:
    """A column in which many rows may share a text; each text is searched once."""

    def __init__(self, texts: StringTable, number: Int32Array) -> None:
        """`number` is the text number of each row, shape (rows,)."""
        self._texts = texts
        self._number = number
        search = _TextIndex(texts)
        self._search = search
        # a filter repeats its search for each event and scope; the local name avoids keeping `self`
        self._matching = lru_cache(_CACHE_SIZE)(lambda pattern: search.matching(pattern)[number])

    @classmethod
    def from_texts(cls, texts: StringTable, number: Int32Array) -> TextColumn:
        """Build a column with a table of its own, for columns that use few of the texts."""
        used = np.zeros(len(texts), bool)
        used[number] = True
        index = np.cumsum(used, dtype=np.int32) - np.int32(1)
        starts, stops = texts.starts[:-1][used].tolist(), texts.starts[1:][used].tolist()
        lines = (texts.arena[start:stop] for start, stop in zip(starts, stops, strict=True))
        return cls(_string_table(lines), index[number])

    @classmethod
    def from_indexed(cls, texts: Sequence[str], number: Int64Array) -> TextColumn:
        """Build a column from a list of texts and the index of each row's text."""
        lines = (text.encode("utf-8", "surrogateescape") + b"\n" for text in texts)
        return cls(_string_table(lines), number.astype(np.int32))

    def ranks(self) -> Int64Array:
        """Return the rank of each row by its text, shape (rows,)."""
        return self._search.ranks()[self._number]

    def containing(self, text: str) -> BoolArray:
        """Return the mask of rows whose text, or shown text, contains this one; case is ignored."""
        if _ESCAPE.search(text):
            return self.matching(re.compile(_pattern(text), re.IGNORECASE | re.MULTILINE))
        if "\n" in text:
            return np.zeros(len(self._number), bool)
        return self._search.containing(text)[self._number]

    def found_by(self, text: str) -> BoolArray:
        """Return the mask of rows that a search finds, shape (rows,); case is ignored.

        Where no text contains a `*` as written, it stands for any characters, so `a*b` finds
        `a::b`, while `operator*` finds multiplications alone.
        """
        found = self.containing(text)
        if _ANY not in text or found.any():
            return found
        pieces = map(_pattern, text.strip(_ANY).split(_ANY))
        return self.matching(re.compile(".*".join(pieces), re.IGNORECASE | re.MULTILINE))

    def matching(self, pattern: re.Pattern[str]) -> BoolArray:
        """Return the mask of rows that match a pattern, which must have the flag MULTILINE."""
        matches: BoolArray = self._matching(pattern)
        return matches

    def equal_to(self, text: str) -> BoolArray:
        """Return the mask of rows whose text is exactly this one, or is shown so."""
        if _ESCAPE.search(text):
            return self.matching(re.compile(f"^{_pattern(text)}$", re.MULTILINE))
        arena, matches = self._texts.arena, np.zeros(len(self._texts), bool)
        line = text.encode("utf-8", "surrogateescape") + b"\n"
        if "\n" in text:
            return matches[self._number]
        matches[:1] = arena.startswith(line)
        offset = arena.find(b"\n" + line)
        while offset >= 0:
            matches[np.searchsorted(self._texts.starts, offset + 1)] = True
            offset = arena.find(b"\n" + line, offset + 1)
        return matches[self._number]


def _pattern(text: str) -> str:
    """Return a pattern for a text in which escapes of `visible_text` stand for characters, too."""
    pieces = zip(_ESCAPE.split(text), [*_ESCAPE.findall(text), ""], strict=True)
    return "".join(re.escape(piece) + _escape_pattern(escape) for piece, escape in pieces)


def _escape_pattern(escape: str) -> str:
    if not escape or _FIRST_BYTE <= escape <= _LAST_BYTE:
        return re.escape(escape)
    return f"(?:{re.escape(escape)}|{re.escape(chr(int(escape[2:], 16)))})"


def _string_table(lines: Iterable[bytes]) -> StringTable:
    """Build a table of these lines, each of which ends in a line feed."""
    stored = list(lines)
    starts = np.zeros(len(stored) + 1, np.int64)
    np.cumsum([len(line) for line in stored], out=starts[1:])
    return StringTable(b"".join(stored), starts)
