"""What a reader of stacks is given of a file: its lines or all its bytes, with progress."""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.profile.progress import Progress

_CHUNK_SIZE = 1 << 20
_READING = 0.9  # of the progress of a file; the rest is for the tables of the profile
_LONGEST_LINE = 1 << 26  # bytes


class StackSource:
    """A file that is read once, from the start: by lines, or as a whole."""

    def __init__(
        self,
        file: ProfileStream,
        head: bytes,
        builder: StackBuilder,
        progress: Progress,
        share: tuple[float, float],
    ) -> None:
        """`head` are the bytes already read; `share` is the file's share of the progress."""
        self.path = file.path
        self.ends_within_line = False  # the last of `lines`, once all are read: the file may be cut
        self._file, self._head, self._builder = file, head, builder
        self._progress, self._share = progress, share

    def lines(self) -> Iterator[bytes]:
        """Yield the lines without their ends; a very long one in pieces. Raises `Cancelled`."""
        rest = b""
        for chunk in self._chunks():
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            yield from lines
            if len(rest) > _LONGEST_LINE:
                yield rest
                rest = b""
        if rest:
            self.ends_within_line = True
            yield rest

    def data(self, memory_per_byte: float = 1.0) -> bytes:
        """Return all bytes, of which what is made of them will take so many times more memory."""
        data = bytearray()
        for chunk in self._chunks():
            data += chunk
            self._file.report_memory(0, int((1 + memory_per_byte) * len(data)))
        return bytes(data)

    def check(self, fraction: float) -> None:
        """Report how much of the bytes returned by `data` has been read. Raises `Cancelled`."""
        begin, end = self._share
        self._progress.check(begin + (end - begin) * _READING * (0.3 + 0.7 * fraction))
        self._file.report_memory(0, self._builder.memory)

    def _chunks(self) -> Iterator[bytes]:
        begin, end = self._share
        yield self._head
        chunk = bytearray(_CHUNK_SIZE)
        with memoryview(chunk) as memory:
            while size := self._file.readinto(memory):
                read = min(1.0, self._file.position() / max(1, self._file.size))
                self._progress.check(begin + (end - begin) * _READING * read)
                self._file.report_memory(0, self._builder.memory)
                yield bytes(memory[:size])
