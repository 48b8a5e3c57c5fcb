"""Reads a file again to find the lines that certain rows of a profile were read from.

The same reader and scanner as before decide which lines are rows, so that every rule about odd
lines holds here, too. A first reading notes how many rows precede each block of lines; a second one
looks line by line into the blocks that have wanted rows.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array

BLOCK = 1024  # bytes, some 60 lines; what is noted of each takes 24 MB for 1 GB


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a profile in its file."""

    path: str
    line: int  # of the costs, from 1
    text: str  # of this line
    call_text: str = ""  # of the line `calls=` before the costs of a call


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """What is in front of each block of lines of all files, and of their end: shape (blocks + 1,).

    A block never ends between `calls=` and the line of its cost.
    """

    costs: Int64Array  # rows
    calls: Int64Array
    offset: Int64Array  # bytes, as unpacked

    def ranges(self, costs: Int64Array, calls: Int64Array) -> list[tuple[int, int]]:
        """Return begin and end of the blocks with these rows, in bytes and in order."""
        blocks = np.union1d(_blocks_of(costs, self.costs), _blocks_of(calls, self.calls))
        ends = self.offset[blocks].tolist(), self.offset[blocks + 1].tolist()
        return list(zip(*ends, strict=True))


class _RowCounter(CallgrindReader):
    """Reads a file without keeping its rows, which are only counted."""

    def _row_numbers(self) -> tuple[int, int]:
        discarded, scanner = self._columns.discarded, self._scanner
        return discarded["costs"] + scanner.costs, discarded["calls"] + scanner.calls

    def _report_progress(self) -> None:
        """Report the share of bytes, since the costs read so far are not kept."""
        begin, end = self._share
        self._progress.check(begin + (end - begin) * self._byte_fraction(), self._path)


class BlockCounter(_RowCounter):
    """The first reading: counts the rows of costs and calls in front of each block of lines."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._cost_rows, self._call_rows, self._offsets = array("q"), array("q"), array("q")
        self._offset = 0

    def blocks(self) -> Blocks:
        """Return the blocks, once all files have been read."""
        self._note_block()
        columns = self._cost_rows, self._call_rows, self._offsets
        return Blocks(*(np.array(column, np.int64) for column in columns))

    def scan_lines(self, data: bytearray, at: int, stop: int) -> None:
        """Scan the lines block by block."""
        self._columns.discard_rows()
        while at < stop:
            self._note_block()
            start, at = at, self._scan_block(data, at, stop)
            self._offset += at - start

    def _note_block(self) -> None:
        costs, calls = self._row_numbers()
        self._cost_rows.append(costs)
        self._call_rows.append(calls)
        self._offsets.append(self._offset)

    def _scan_block(self, data: bytearray, at: int, stop: int) -> int:
        end = _line_end(data, min(at + BLOCK, stop) - 1, stop)
        super().scan_lines(data, at, end)
        while self._scanner.awaited and end < stop:
            start, end = end, _line_end(data, end, stop)
            super().scan_lines(data, start, end)
        return end


class AllFound(Exception):
    """All wanted rows have been found."""


class RecordReader(_RowCounter):
    """The second reading: finds the lines of wanted rows of costs and calls."""

    def __init__(
        self,
        progress: Progress,
        costs: Int64Array,
        calls: Int64Array,
        ranges: list[tuple[int, int]],
    ) -> None:
        """`costs` and `calls` are the wanted rows, which are in these ranges of bytes."""
        super().__init__(progress)
        self.costs: dict[int, Record | None] = dict.fromkeys(costs.tolist())
        self.calls: dict[int, Record | None] = dict.fromkeys(calls.tolist())
        self._waiting = ranges[::-1]
        self._offset = 0

    def scan_lines(self, data: bytearray, at: int, stop: int) -> None:
        """Scan line by line what is in the ranges, all else at once. Raises `AllFound`."""
        self._columns.discard_rows()
        while at < stop:
            if not self._waiting:
                raise AllFound
            begin, end = (at + offset - self._offset for offset in self._waiting[-1])
            start = at
            if begin > at:
                at = min(begin, stop)
                super().scan_lines(data, start, at)
            else:
                at = self._find_lines(data, at, min(end, stop))
                self._waiting.pop()
            self._offset += at - start

    def _find_lines(self, data: bytearray, at: int, stop: int) -> int:
        call_text = ""
        while at < stop:
            start, at = at, _line_end(data, at, stop)
            before = self._row_numbers()
            super().scan_lines(data, start, at)
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


def _blocks_of(rows: Int64Array, starts: Int64Array) -> Int64Array:
    """Return the blocks of some rows; `starts` are the rows in front of each, and of the end."""
    inside = rows[(rows >= starts[0]) & (rows < starts[-1])]
    return np.unique(np.searchsorted(starts, inside, side="right") - 1)


def _line_end(data: bytearray, at: int, stop: int) -> int:
    """Return the offset behind the line that has the offset `at`."""
    return data.index(b"\n", at, stop) + 1
