"""A text a row, as the names, files or classes of functions are, and which rows a search finds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from qcachegrind_py.analysis.search.text_index import TextIndex
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_CACHE_SIZE = 8  # patterns whose rows are remembered
_NO_TEXT = "\ufffd"  # is shown for bytes that are not UTF-8, and is not among them


class TextColumn:
    """The rows are found through their texts, each of which is searched once."""

    def __init__(self, texts: StringTable, number: Int32Array) -> None:
        """`number` is that of the text of each row."""
        self._texts = texts
        self._number = number
        search = TextIndex(texts)
        self._search = search
        # a filter asks the same for each event and scope; by a local name, as `self` would be kept
        self._matching = lru_cache(_CACHE_SIZE)(lambda pattern: search.matching(pattern)[number])

    @classmethod
    def from_texts(cls, texts: StringTable, number: Int32Array) -> TextColumn:
        """A column with texts of its own, where the column has few of them all."""
        used = np.zeros(len(texts), bool)
        used[number] = True
        place = np.cumsum(used, dtype=np.int32) - np.int32(1)
        starts, stops = texts.starts[:-1][used].tolist(), texts.starts[1:][used].tolist()
        lines = (texts.arena[start:stop] for start, stop in zip(starts, stops, strict=True))
        return cls(_string_table(lines), place[number])

    @classmethod
    def from_indexed(cls, texts: Sequence[str], number: Int64Array) -> TextColumn:
        """A column of few texts, of which each row has one."""
        lines = (text.encode("utf-8", "replace") + b"\n" for text in texts)
        return cls(_string_table(lines), number.astype(np.int32))

    def ranks(self) -> Int64Array:
        """The place of each row in order of its text."""
        return self._search.ranks()[self._number]

    def containing(self, text: str) -> BoolArray:
        """The rows whose texts contain this one, in upper or lower case."""
        if _NO_TEXT in text:
            return self.matching(re.compile(re.escape(text), re.IGNORECASE | re.MULTILINE))
        if "\n" in text:
            return np.zeros(len(self._number), bool)
        return self._search.containing(text)[self._number]

    def matching(self, pattern: re.Pattern[str]) -> BoolArray:
        """The rows in which the pattern finds something; it must be compiled with MULTILINE."""
        found: BoolArray = self._matching(pattern)
        return found

    def equal_to(self, text: str) -> BoolArray:
        """The rows that are shown as exactly this text."""
        if _NO_TEXT in text:
            return self.matching(re.compile(f"^{re.escape(text)}$", re.MULTILINE))
        arena, found = self._texts.arena, np.zeros(len(self._texts), bool)
        line = text.encode("utf-8", "surrogateescape") + b"\n"
        if "\n" in text:
            return found[self._number]
        found[:1] = arena.startswith(line)
        at = arena.find(b"\n" + line)
        while at >= 0:
            found[np.searchsorted(self._texts.starts, at + 1)] = True
            at = arena.find(b"\n" + line, at + 1)
        return found[self._number]


def _string_table(lines: Iterable[bytes]) -> StringTable:
    """Texts of these lines, each with its line feed."""
    kept = list(lines)
    starts = np.zeros(len(kept) + 1, np.int64)
    np.cumsum([len(line) for line in kept], out=starts[1:])
    return StringTable(b"".join(kept), starts)
