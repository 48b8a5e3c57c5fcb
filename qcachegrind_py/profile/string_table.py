"""The texts of a profile, each kept once as bytes and decoded when somebody looks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.ids import NO_TEXT, UNKNOWN_TEXT, TextId, text_ids

UNKNOWN = "???"


class StringTable:
    """Names of functions, files and objects by number; number 0 is the unknown one.

    Bytes that are not UTF-8 become lone surrogates, so that a name's bytes can be had back.
    """

    def __init__(self, arena: bytes, starts: npt.NDArray[np.int64]) -> None:
        """All texts behind one another, a line feed after each; `starts` has one entry more."""
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
        """The number of the text; -1 where the profile does not have it."""
        if text == UNKNOWN:
            return UNKNOWN_TEXT
        length = len(text.encode("utf-8", "surrogateescape")) + 1
        for number in text_ids(np.flatnonzero(np.diff(self.starts) == length)):
            if number and self[number] == text:
                return number
        return NO_TEXT

    @classmethod
    def from_bytes(cls, raw_strings: Iterable[bytes]) -> StringTable:
        """The texts with these bytes, in their order; the first one stands for the unknown."""
        ended = [word + b"\n" for word in raw_strings]
        starts = np.cumsum([0, *map(len, ended)], dtype=np.int64)
        starts.flags.writeable = False
        return cls(b"".join(ended), starts)

    def raw_strings(self) -> list[bytes]:
        """The bytes of all texts, in their order."""
        return [self.arena[start : stop - 1] for start, stop in pairwise(self.starts.tolist())]

    def lookup(self, indexes: Iterable[TextId]) -> list[str]:
        """The texts of these numbers, in their order."""
        return [self[number] for number in indexes]


def to_display(name: str) -> str:
    """The name as text that can be written anywhere: what is not UTF-8 is U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
