"""Reading of a large file in two pieces at the same time, each in a thread of its own.

The scanner releases the GIL, so two processor cores take little more than half of the time of one.
The result is the same. The thread of the second piece first reads the names, header lines and
numbers of rows of the first piece without its costs, which takes a quarter of the time. It is then
in the state in which a single reader would be, except for the base of relative positions; the file
is therefore cut behind a function's first line of costs, which has absolute positions in files of
Callgrind. From there on, both threads write to the same columns.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from qcachegrind_py.formats.callgrind.line_buffer import CHUNK_SIZE, LineBuffer
from qcachegrind_py.formats.callgrind.reader import CallgrindReader, NeedsCosts
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.callgrind.scanner_tables import TooManyRows
from qcachegrind_py.formats.compression import ProfileStream, open_profile
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import Progress

if TYPE_CHECKING:
    from concurrent.futures import Future

_SMALLEST_FILE = 32_000_000  # bytes; at 18 MB (65 ms) two threads gained nothing
_FIRST_SHARE = 0.6  # of the file: its reader has no names to look for
_SEARCHED = 1 << 18  # bytes in which a function is looked for
_FUNCTION = re.compile(rb"\n(fn=[^\n]*\n[0-9][0-9a-fA-FxX \t\r]*\n)")
_SPARE_SHARE = 1.1  # of the rows expected; more rows wait until the first piece is read
_WAITING = 0.01  # seconds between two reports of progress, when the first piece is read


def read_first_file(
    file: ProfileStream, head: bytes, progress: Progress, share: tuple[float, float]
) -> CallgrindReader:
    """Read the first file of a profile, in two pieces if that is faster.

    `head` are the bytes already read, `share` the start and end of the file's share of progress.
    """
    is_large = file.size >= _SMALLEST_FILE and not file.compression
    if is_large and COMPILED and _usable_cores() > 1:
        with contextlib.closing(open_profile(file.path)) as other:
            cut = find_cut(other, int(_FIRST_SHARE * file.size))
            if cut and other.fingerprint == file.fingerprint:
                reader = TwoPieces(file, other, head, cut).read(progress, share)
                if reader is not None:
                    return reader
                file.seek(len(head))
    reader = CallgrindReader(progress)
    reader.read(file, head, share)
    return reader


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Cut(NamedTuple):
    """The border between two pieces: behind `lines`, an `fn=` at `start` and its first costs."""

    start: int
    lines: bytes

    @property
    def stop(self) -> int:
        """The offset of the second piece."""
        return self.start + len(self.lines)


def find_cut(file: ProfileStream, start: int) -> Cut | None:
    """Return the next cut from an offset on, or None if there is none near."""
    file.seek(start)
    found = _FUNCTION.search(file.head(_SEARCHED))
    file.seek(0)
    return Cut(start + found.start(1), found[1]) if found else None


class TwoPieces:
    """The pieces of a file before and behind a cut, and their readers."""

    def __init__(self, file: ProfileStream, other: ProfileStream, head: bytes, cut: Cut) -> None:
        """`head` are the bytes read from `file`; `other` is the same file, of which none are."""
        self._file, self._other = file, other
        self._head, self._cut = head, cut
        self._first_piece = _Piece(file, 0, cut.stop, already_read=len(head))
        self._second_piece = _Piece(other, cut.stop)
        self._stopped = threading.Event()
        self._names_are_read = threading.Event()
        self._columns_are_shared = threading.Event()
        self._first_is_read = threading.Event()

    def read(self, progress: Progress, share: tuple[float, float]) -> CallgrindReader | None:
        """Return the reader of the whole file, or None if it must be read again, in one piece.

        That is so if the file changes meanwhile, if a line is too long for the reserved rows, or if
        the sum of costs of both pieces decides to which part a header line belongs.
        """
        from concurrent.futures import ThreadPoolExecutor  # 5 ms that only large files need

        self._progress, self._share = progress, share
        self._first = CallgrindReader(_Checked(self._watch))
        self._second = CallgrindReader(_Checked(self._stop_if_unwanted))
        with ThreadPoolExecutor(1) as thread:
            self._pending: Future[LineBuffer | None] = thread.submit(self._read_second)
            try:
                self._first.begin_file(self._first_piece, (0.0, 1.0))
                self._first.read_lines(self._first_piece, self._head)
                self._first_is_read.set()
                return self._joined() if self._first_piece.is_complete() else None
            except (TooManyRows, NeedsCosts):
                return None
            finally:
                self._stopped.set()
                self._first_is_read.set()
                self._columns_are_shared.set()
                self._first.progress = self._second.progress = progress

    def _read_second(self) -> LineBuffer | None:
        """Read the second piece; return None if it depends on positions in the first one."""
        names = _Piece(self._other, 0, self._cut.start)
        self._second.begin_file(names, (0.0, 1.0))
        head = names.head(min(len(self._head), self._cut.start))
        if not self._second.read_names(names, head, self._cut.lines):
            return None
        self._other.seek(self._cut.stop)
        self._names_are_read.set()
        self._columns_are_shared.wait()
        self._stop_if_unwanted()
        return self._second.read_lines(self._second_piece, self._second_piece.head(CHUNK_SIZE))

    def _joined(self) -> CallgrindReader:
        """Wait for the second piece; read it here if it depends on the first one."""
        from concurrent.futures import wait

        while not wait((self._pending,), _WAITING).done:
            self._watch()
        self._watch()
        lines = self._pending.result()
        if lines is None:
            rest = _Piece(self._file, self._cut.stop)
            self._first.end_file(self._first.read_lines(rest, rest.head(CHUNK_SIZE)))
            return self._first
        self._second.continue_after(self._first)
        self._second.end_file(lines)
        return self._second

    def _watch(self) -> None:
        """Between two chunks of the first piece, report progress and attend to the other thread.

        Raises `Cancelled`, and whatever the other thread has raised.
        """
        if self._pending.done():
            self._pending.result()
        if self._names_are_read.is_set() and not self._columns_are_shared.is_set():
            growth = _SPARE_SHARE * self._file.size / self._cut.stop
            self._first.share_columns(self._second, growth, self._first_is_read.wait)
            self._columns_are_shared.set()
        read = self._first_piece.position() + self._second_piece.position()
        begin, end = self._share
        fraction = min(1.0, read / self._file.size)
        self._progress.check(begin + (end - begin) * fraction, str(self._file.path))

    def _stop_if_unwanted(self) -> None:
        if self._stopped.is_set():
            raise Cancelled


class _Piece:
    """A piece of a file, from the offset `start` to `stop` or the end, as a stream of bytes."""

    def __init__(
        self, file: ProfileStream, start: int, stop: int | None = None, already_read: int = 0
    ) -> None:
        self.path = file.path
        self.size = file.size - start  # columns are reserved for all pieces
        self._file, self._is_first = file, start == 0
        self._length = sys.maxsize if stop is None else stop - start
        self._read = already_read  # counted, as only the thread that reads may ask the file

    @property
    def decompression_error(self) -> str:
        """Why reading failed, or an empty string."""
        return self._file.decompression_error

    def readinto(self, memory: memoryview) -> int:
        """Fill the memory with the next bytes and return their number; 0 at the end."""
        length = self._file.readinto(memory[: self._length - self._read])
        self._read += length
        return length

    def head(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end of the file."""
        head = self._file.head(size)
        self._read += len(head)
        return head

    def position(self) -> int:
        """Return the number of bytes read."""
        return self._read

    def report_memory(self, before: int, taken: int) -> None:
        """Let the first piece, from whose share the whole is estimated, ask for memory."""
        if self._is_first:
            self._file.report_memory(before, taken)

    def is_complete(self) -> bool:
        """Return whether the stream has reached `stop`."""
        return self._read >= self._length


class _Checked:
    """The progress of the reader of a piece, which calls a function between two chunks."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def check(self, fraction: float, text: str = "") -> None:
        """Call the function."""
        self._check()
