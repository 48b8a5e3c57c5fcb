"""What a program prints, in lines that can be shown: never more than a window can take.

A program may print more than anybody reads: of what comes between two looks only the end is kept.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from typing import NamedTuple

_MAX_LINES = 500  # between two looks
_MAX_LINE_LENGTH = 2000
_MAX_UNREAD = 1 << 18  # bytes that come at once, of which the end is kept
_VALGRIND_PREFIX = re.compile(r"(==|--|\*\*)\d+\1 ?|valgrind: ")
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|[\x00-\x08\x0b-\x1f]"
)


class OutputLine(NamedTuple):
    """A line, and whether it is valgrind's own."""

    text: str
    is_valgrind: bool


def is_valgrind_line(line: str) -> bool:
    """Whether a line is valgrind's own, as far as its beginning tells."""
    return _VALGRIND_PREFIX.match(line) is not None


class ProgramOutput:
    """Takes the bytes of one stream, and gives lines."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""  # a line that has no end yet
        self._lines: deque[OutputLine] = deque(maxlen=_MAX_LINES)
        self._lost = 0  # lines

    def feed(self, data: bytes) -> None:
        """Take what was printed."""
        text = self._rest + self._decoder.decode(data[-_MAX_UNREAD:])
        *whole, self._rest = text.split("\n")
        self._rest = self._rest[-_MAX_LINE_LENGTH:]
        for line in whole:
            self._add(line)

    def lines(self, *, is_end: bool = False) -> list[OutputLine]:
        """The lines since the last look; in the end the one without an end, too."""
        if is_end and self._rest:
            self._add(self._rest)
            self._rest = ""
        found = list(self._lines)
        if self._lost:
            found.insert(0, OutputLine(f"… {self._lost} lines are left out", is_valgrind=True))
        self._lines.clear()
        self._lost = 0
        return found

    def _add(self, line: str) -> None:
        if len(self._lines) == _MAX_LINES:
            self._lost += 1
        line = _CONTROL.sub("", line)[:_MAX_LINE_LENGTH]
        self._lines.append(OutputLine(line, is_valgrind_line(line)))
