"""A plain reader of single lines of profiles, which shares no code with the package.

It only knows how many numbers in front of the costs of a line are positions, and which events the
numbers behind them are of.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from tests import zstd

_COST = re.compile(r"-?(?:0x[0-9a-fA-F]+|[0-9]+)")
_HEADER = re.compile(rb"[ \t]*(positions|events):(.*)")


def unpacked(path: Path) -> bytes:
    """The bytes of a file, packed or not."""
    data = path.read_bytes()
    for magic, unpack in (
        (b"\x1f\x8b", gzip.decompress),
        (b"BZ", bz2.decompress),
        (b"\xfd7zXZ", lzma.decompress),
    ):
        if data.startswith(magic):
            return unpack(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return zstd.decompress(data)
    return data


@dataclass
class RawText:
    """The lines of a file, and the positions and events in force at each."""

    path: Path
    lines: list[bytes] = field(init=False)
    _starts: list[int] = field(init=False)
    _headers: list[tuple[int, list[str]]] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = unpacked(self.path).removeprefix(codecs.BOM_UTF8).split(b"\n")
        self._starts, self._headers = [0], [(1, [])]
        for number, line in enumerate(self.lines, start=1):
            found = _HEADER.match(line) if b":" in line[:20] else None
            if found is not None:
                positions, events = self._headers[-1]
                words = found[2].decode("utf-8", "replace").split()
                header = (len(words), events) if found[1] == b"positions" else (positions, words)
                self._starts.append(number)
                self._headers.append(header)

    def costs(self, number: int) -> dict[str, int]:
        """The costs on a line by event; missing ones are 0, repeated ones are added."""
        positions, events = self._headers[bisect_right(self._starts, number) - 1]
        words = self.text(number).split()[positions:]
        costs = dict.fromkeys(events, 0)
        for event, word in zip(events, words, strict=False):
            number = _COST.match(word)
            if number is None:
                break
            costs[event] += _signed(int(number[0], 16 if "0x" in number[0] else 10))
            if number.end() < len(word):
                break
        return costs

    def text(self, number: int) -> str:
        """A line, numbered from 1."""
        return self.lines[number - 1].decode("utf-8", "surrogateescape").strip()

    def count_before(self, number: int) -> int:
        """The number of calls that the last line `calls=` before the costs of a call states.

        A number below 0 stands for one that is not known, and counts as 0.
        """
        while not (text := self.text(number)).startswith("calls"):
            number -= 1
        words = text.partition("=")[2].split()
        return max(0, _signed(int(words[0], 0))) if words else 0


def _signed(value: int) -> int:
    """The value in 64 bits with a sign, as counters that went below 0 are written."""
    return (value + 2**63) % 2**64 - 2**63
