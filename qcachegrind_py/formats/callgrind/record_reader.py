"""Reads a file again to find the lines that certain rows of a profile were read from.

The same reader and scanner as before decide which lines are rows, so that every rule about odd
lines holds here, too. A first reading notes how many rows precede each block of lines; a second one
looks line by line into the blocks that have wanted rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array

BLOCK = 1024  # bytes, some 60 lines; the numbers of rows before each take 16 MB for 1 GB


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a profile in its file."""

    path: str
    line: int  # of the costs, from 1
    text: str  # of this line
    call_text: str = ""  # of the line `calls=` before the costs of a call


class BlockCounter(CallgrindReader):
    """The first reading: counts the rows of costs and calls in front of each block of lines."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._cost_rows = array("q")
        self._call_rows = array("q")

    def rows(self) -> tuple[Int64Array, Int64Array]:
        """Return the rows of costs and calls in front of each block, and behind the last one."""
        costs, calls = self._row_numbers()
        return np.array([*self._cost_rows, costs]), np.array([*self._call_rows, calls])

    def scan_lines(self, data: bytearray, at: int, stop: int) -> None:
        """Scan the lines block by block."""
        self._columns.discard_rows()
        while at < stop:
            costs, calls = self._row_numbers()
            self._cost_rows.append(costs)
            self._call_rows.append(calls)
            at = self._scan_block(data, at, stop)

    def _scan_block(self, data: bytearray, at: int, stop: int) -> int:
        """Scan a block, which never ends between `calls=` and the line of its cost."""
        end = _line_end(data, min(at + BLOCK, stop) - 1, stop)
        super().scan_lines(data, at, end)
        while self._scanner.awaited and end < stop:
            start, end = end, _line_end(data, end, stop)
            super().scan_lines(data, start, end)
        return end

    def _row_numbers(self) -> tuple[int, int]:
        discarded, scanner = self._columns.discarded, self._scanner
        return discarded["costs"] + scanner.costs, discarded["calls"] + scanner.calls

    def _take_summary_of_next(self, _key: str) -> str | None:
        """Return that no `summary:` is that of the next part, which does not matter for rows."""
        return None


class RecordReader(BlockCounter):
    """The second reading: finds the lines of wanted rows of costs and calls."""

    def __init__(
        self, progress: Progress, costs: Int64Array, calls: Int64Array, blocks: Container[int]
    ) -> None:
        """`costs` and `calls` are the wanted rows, which are in these blocks, counted from 0."""
        super().__init__(progress)
        self.costs: dict[int, Record | None] = dict.fromkeys(costs.tolist())
        self.calls: dict[int, Record | None] = dict.fromkeys(calls.tolist())
        self._blocks = blocks
        self._block = -1

    def _scan_block(self, data: bytearray, at: int, stop: int) -> int:
        self._block += 1
        if self._block not in self._blocks:
            return super()._scan_block(data, at, stop)
        end = _line_end(data, min(at + BLOCK, stop) - 1, stop)
        call_text = ""
        while at < end or (self._scanner.awaited and at < stop):
            start, at = at, _line_end(data, at, stop)
            before = self._row_numbers()
            CallgrindReader.scan_lines(self, data, start, at)
            text = bytes(data[start:at]).decode("utf-8", "surrogateescape").strip()
            if text.startswith("calls"):
                call_text = text
            self._keep(before, text, call_text)
        return at

    def _keep(self, before: tuple[int, int], text: str, call_text: str) -> None:
        """Keep the line that was read last if it made a wanted row."""
        after, line = self._row_numbers(), self._scanner.line_number
        if after[0] > before[0] and before[0] in self.costs:
            self.costs[before[0]] = Record(self._path, line, text)
        if after[1] > before[1] and before[1] in self.calls:
            self.calls[before[1]] = Record(self._path, line, text, call_text)


def blocks_of(rows: Int64Array, starts: Int64Array) -> set[int]:
    """Return the blocks of some rows; `starts` are the rows in front of each, and of the end."""
    inside = rows[(rows >= starts[0]) & (rows < starts[-1])]
    return set((np.searchsorted(starts, inside, side="right") - 1).tolist())


def _line_end(data: bytearray, at: int, stop: int) -> int:
    """Return the offset behind the line that has the offset `at`."""
    return data.index(b"\n", at, stop) + 1
