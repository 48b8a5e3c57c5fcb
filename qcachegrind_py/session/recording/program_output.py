"""The output of a recorded program as displayable lines, bounded in length and number.

A program may print more than anyone can read: only the end of the output between two polls is kept.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from typing import NamedTuple

_MAX_LINES = 500  # between two polls
_MAX_LINE_LENGTH = 2000
_MAX_UNREAD = 1 << 18  # bytes in one chunk, of which the end is kept
_VALGRIND_PREFIX = re.compile(r"(==|--|\*\*)\d+\1 ?|valgrind: ")
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|[\x00-\x08\x0b-\x1f]"
)


class OutputLine(NamedTuple):
    """A line of output, and whether valgrind printed it."""

    text: str
    is_valgrind: bool


def is_valgrind_line(line: str) -> bool:
    """Whether valgrind printed the line, judged by its prefix."""
    return _VALGRIND_PREFIX.match(line) is not None


class ProgramOutput:
    """Splits the bytes of one stream into lines."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""  # an incomplete last line
        self._lines: deque[OutputLine] = deque(maxlen=_MAX_LINES)
        self._lost = 0  # lines

    def feed(self, data: bytes) -> None:
        """Add bytes of output."""
        text = self._rest + self._decoder.decode(data[-_MAX_UNREAD:])
        *complete_lines, self._rest = text.split("\n")
        self._rest = self._rest[-_MAX_LINE_LENGTH:]
        for line in complete_lines:
            self._add(line)

    def lines(self, *, is_end: bool = False) -> list[OutputLine]:
        """Return the lines since the last call; `is_end` includes an incomplete last line."""
        if is_end and self._rest:
            self._add(self._rest)
            self._rest = ""
        lines = list(self._lines)
        if self._lost:
            lines.insert(0, OutputLine(f"… {self._lost} lines omitted", is_valgrind=True))
        self._lines.clear()
        self._lost = 0
        return lines

    def _add(self, line: str) -> None:
        if len(self._lines) == _MAX_LINES:
            self._lost += 1
        line = _CONTROL.sub("", line)[:_MAX_LINE_LENGTH]
        self._lines.append(OutputLine(line, is_valgrind_line(line)))
