"""The lines of profile files that rows of a profile were read from.

All files are read again. The same reader and scanner as before decide which lines are rows, so that
every rule about odd lines holds here, too. A first reading notes how many rows precede each block
of lines; a second one looks line by line into the blocks that have wanted rows.
"""

from __future__ import annotations

from array import array
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from qcachegrind_py.formats.callgrind.reader import CallgrindFiles, CallgrindReader
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.loading import HEAD_SIZE, detect_format
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import RecordsNotFound
from qcachegrind_py.profile.files import Fingerprint, fingerprint
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress, WeightedCache
from qcachegrind_py.profile.tables import Int64Array

BLOCK = 1024  # bytes, some 60 lines; what is noted of each takes 24 MB for 1 GB


@frozen(eq=True)
class Record:
    """A row of a profile in its file."""

    path: str
    line: int  # of the costs, from 1
    text: str  # of this line
    call_text: str = ""  # of the line `calls=` before the costs of a call


@frozen
class _Blocks:
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


class _BlockCounter(_RowCounter):
    """The first reading: counts the rows of costs and calls in front of each block of lines."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._cost_rows, self._call_rows, self._offsets = array("q"), array("q"), array("q")
        self._offset = 0

    def blocks(self) -> _Blocks:
        """Return the blocks, once all files have been read."""
        self._note_block()
        columns = self._cost_rows, self._call_rows, self._offsets
        return _Blocks(*(np.array(column, np.int64) for column in columns))

    def scan_lines(self, data: bytearray, at: int, stop: int) -> None:
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


class _AllFound(Exception):
    """All wanted rows have been found."""


class _RecordReader(_RowCounter):
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
        """Scan line by line what is in the ranges, all else at once. Raises `_AllFound`."""
        self._columns.discard_rows()
        while at < stop:
            if not self._waiting:
                raise _AllFound
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


# ----------------------------------------------------------------- finding

_NO_LINES = "so its lines cannot be shown."
_Files = tuple[tuple[str, Fingerprint], ...]
_blocks_of_files: WeightedCache[_Files, _Blocks] = WeightedCache(1)  # of the files read last


def find_records(
    profile: Profile, costs: Int64Array, calls: Int64Array, progress: Progress
) -> tuple[list[Record], list[Record]]:
    """Return the records of rows of `Profile.costs` and of `Profile.calls`, in their order.

    All files of the profile are read twice, the second time as far as the last of these rows; the
    first reading is not repeated for the files asked for last. Raises `RecordsNotFound` for files
    of Python's profilers, which have no lines, and for files that have changed or were removed,
    until all records are found; the errors of loading, and `Cancelled`.
    """
    files = tuple(zip(profile.paths, profile.fingerprints, strict=True))
    _check_unchanged(files)
    blocks = _blocks_of_files.get(
        files, lambda: _count_blocks(files, PartialProgress(progress, 0, 0.5)), progress
    )
    ranges = blocks.ranges(costs, calls)
    reader = _RecordReader(PartialProgress(progress, 0.5, 1), costs, calls, ranges)
    with suppress(_AllFound):
        _read(reader, files)
    _check_unchanged(files)
    found = [*reader.costs.values(), *reader.calls.values()]
    records = [record for record in found if record is not None]
    if len(records) < len(found):  # written within the resolution of the file's time
        raise _changed(files[0][0])
    return records[: len(reader.costs)], records[len(reader.costs) :]


def _count_blocks(files: _Files, progress: Progress) -> _Blocks:
    counter = _BlockCounter(progress)
    _read(counter, files)
    _check_unchanged(files)
    return counter.blocks()


def _check_unchanged(files: _Files) -> None:
    """Raise `RecordsNotFound` if a path has no longer the file that was read."""
    for path, as_read in files:
        now = fingerprint(Path(path))
        if now is None:
            raise RecordsNotFound(path, f"was removed, {_NO_LINES}")
        if now != as_read:
            raise _changed(path)


def _changed(path: str) -> RecordsNotFound:
    return RecordsNotFound(
        path, f"has changed since it was read, {_NO_LINES}", remedy="Read it again."
    )


def _read(reader: CallgrindReader, files: _Files) -> None:
    """Read all files; raises `RecordsNotFound` for a format without lines."""
    for index, (path, as_read) in enumerate(files):
        with closing(open_profile(path)) as file:
            if file.fingerprint != as_read:
                raise _changed(path)
            head = file.head(HEAD_SIZE)
            if detect_format(file.path, head).reader is not CallgrindFiles:
                raise RecordsNotFound(path, "is a Python profile, which has no lines to show.")
            reader.begin_file(file, (index / len(files), (index + 1) / len(files)))
            reader.read_lines(head)
