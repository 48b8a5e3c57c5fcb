"""String table of a profile: each text is stored once as bytes and decoded on access."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.ids import NO_TEXT, UNKNOWN_TEXT, TextId, text_ids

UNKNOWN = "???"


class StringTable:
    """The names of functions, files and objects by number; number 0 is the unknown name.

    Bytes that are not UTF-8 become lone surrogates, so that the bytes of a name can be restored.
    """

    def __init__(self, arena: bytes, starts: npt.NDArray[np.int64]) -> None:
        """Wrap the concatenated texts, each followed by a line feed.

        `starts` has the offset of each text and the end of the last, shape (texts + 1,).
        """
        self.arena = arena
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: TextId) -> str:
        if number == UNKNOWN_TEXT:
            return UNKNOWN
        start, stop = int(self.starts[number]), int(self.starts[number + 1]) - 1
        return self.arena[start:stop].decode("utf-8", "surrogateescape")

    def index_of(self, text: str) -> TextId:
        """Return the number of a text, or `NO_TEXT` if the profile does not have it."""
        if text == UNKNOWN:
            return UNKNOWN_TEXT
        length = len(text.encode("utf-8", "surrogateescape")) + 1
        for number in text_ids(np.flatnonzero(np.diff(self.starts) == length)):
            if number and self[number] == text:
                return number
        return NO_TEXT

    @classmethod
    def from_bytes(cls, raw_strings: Iterable[bytes]) -> StringTable:
        """Build a table of these texts in order; the first one is the unknown name."""
        lines = [word + b"\n" for word in raw_strings]
        starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
        starts.flags.writeable = False
        return cls(b"".join(lines), starts)

    def raw_strings(self) -> list[bytes]:
        """Return the bytes of all texts, in order."""
        return [self.arena[start : stop - 1] for start, stop in pairwise(self.starts.tolist())]

    def lookup(self, indexes: Iterable[TextId]) -> list[str]:
        """Return the texts with these numbers, in order."""
        numbers = np.fromiter(indexes, np.int64)
        begins, ends = self.starts[numbers].tolist(), self.starts[numbers + 1].tolist()
        arena = self.arena
        texts = [
            arena[begin : end - 1].decode("utf-8", "surrogateescape")
            for begin, end in zip(begins, ends, strict=True)
        ]
        for row in np.flatnonzero(numbers == UNKNOWN_TEXT).tolist():
            texts[row] = UNKNOWN
        return texts


def to_display(name: str) -> str:
    r"""Return a name that can be encoded anywhere: a byte that is not UTF-8 becomes, say, `\xe9`.

    `visible_text` shows such bytes alike, and control characters, too.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
