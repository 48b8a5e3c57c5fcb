"""Searchable column of texts, such as the names, files or classes of functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from qcachegrind_py.analysis.search.text_index import TextIndex
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

ANY = "*"
_CACHE_SIZE = 8  # patterns whose rows are cached
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})")
_FIRST_BYTE, _LAST_BYTE = r"\x80", r"\xff"  # bytes that are not UTF-8 are escapes in a `TextIndex`


class TextColumn:
    """A column in which many rows may share a text; each text is searched once."""

    def __init__(self, texts: StringTable, number: Int32Array) -> None:
        """`number` is the text number of each row, shape (rows,)."""
        self._texts = texts
        self._number = number
        search = TextIndex(texts)
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
        if ANY not in text or found.any():
            return found
        pieces = map(_pattern, text.strip(ANY).split(ANY))
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
