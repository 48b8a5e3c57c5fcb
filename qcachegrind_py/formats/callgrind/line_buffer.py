"""Line buffer: reads a file in chunks of whole lines into memory that is reused.

Reading each chunk into new bytes took three times as long, since the system clears them first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

CHUNK_SIZE = 256 * 1024  # scanned in 1 ms compiled and 80 ms interpreted, for quick cancellation
MAX_LINE_LENGTH = 16 * 1024 * 1024


class ByteStream(Protocol):
    """A file that is read from start to end, or a piece of one."""

    @property
    def path(self) -> Path:
        """The path of the file."""

    @property
    def size(self) -> int:
        """The size in bytes, still compressed."""

    @property
    def decompression_error(self) -> str:
        """Why the stream ended early, or an empty string."""

    def readinto(self, memory: memoryview) -> int:
        """Fill the memory with the next bytes and return their number; 0 at the end."""

    def position(self) -> int:
        """Return the number of (compressed) bytes read."""

    def report_memory(self, before: int, taken: int) -> None:
        """Say what the files before this one and what was read of it take; may refuse the rest."""


class LineBuffer:
    """A buffer whose `data` begins with whole lines; `fill` returns their length in bytes.

    `has_long_line` is set if the first line was longer than 16 MB and was truncated,
    `lacks_final_newline` if the last line of the file has no line end.
    """

    def __init__(self, file: ByteStream, head: bytes, before_reading: Callable[[], None]) -> None:
        """`head` are the bytes already read from the file."""
        self.data = bytearray(max(2 * CHUNK_SIZE, len(head) + CHUNK_SIZE))
        self.data[: len(head)] = head
        self.has_long_line = False
        self.lacks_final_newline = False
        self._file = file
        self._before_reading = before_reading
        self._filled = len(head)
        self._consumed = 0

    def fill(self) -> int:
        """Move the next whole lines to the start of `data`; return their length, 0 at the end."""
        self.has_long_line = False
        new = self._filled if self._consumed == 0 else self._discard_consumed()
        while new:
            end = self.data.rfind(b"\n", self._filled - new, self._filled) + 1
            if end:
                self._consumed = end
                return end
            new = self._read_more()
        return self._terminate_last_line()

    def _discard_consumed(self) -> int:
        """Discard the lines already returned, and read more."""
        rest = self._filled - self._consumed
        self.data[:rest] = self.data[self._consumed : self._filled]
        self._filled = rest
        return self._read_more()

    def _read_more(self) -> int:
        """Append bytes from the file and return their number."""
        self._before_reading()
        if self._filled >= MAX_LINE_LENGTH:
            return self._skip_line()
        if len(self.data) - self._filled < CHUNK_SIZE:
            self.data.extend(bytes(len(self.data)))
        new = self._read_into(self._filled)
        self._filled += new
        return new

    def _skip_line(self) -> int:
        """Drop the rest of a line that is too long."""
        self.has_long_line = True
        self._filled = MAX_LINE_LENGTH
        if len(self.data) - self._filled < CHUNK_SIZE:
            self.data.extend(bytes(CHUNK_SIZE))
        while new := self._read_into(self._filled):
            self._before_reading()
            end = self.data.find(b"\n", self._filled, self._filled + new)
            if end >= 0:
                new -= end - self._filled
                self.data[self._filled : self._filled + new] = self.data[end : end + new]
                self._filled += new
                return new
        return 0

    def _read_into(self, offset: int) -> int:
        with memoryview(self.data) as memory, memory[offset : offset + CHUNK_SIZE] as free:
            return self._file.readinto(free)

    def _terminate_last_line(self) -> int:
        """Add the missing line end of the last line; return the length to scan."""
        if not self._filled:
            return 0
        self.lacks_final_newline = True
        self.data[self._filled : self._filled + 1] = b"\n"
        self._consumed = self._filled + 1
        self._filled = self._consumed
        return self._consumed
