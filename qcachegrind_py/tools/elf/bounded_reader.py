"""Bounded reading of ELF files, which are untrusted: bytes, and tables as numpy arrays.

All bytes of ELF files are read here, from a file that is open only meanwhile. The layouts of the
tables are those of the System V ABI, chapters 4 and 5; the callers interpret them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.errors import UnsuitableFile
from qcachegrind_py.profile.files import reading
from qcachegrind_py.profile.progress import NoProgress, Progress

Records: TypeAlias = npt.NDArray[np.void]

# Raised by reading malformed tables.
_MALFORMED = (ValueError, LookupError, OverflowError, MemoryError)
# The largest browsers have 100 MB of symbols, and 500 MB of their names.
_LARGEST_TABLE = 1 << 29
# Limit of all reads of a file: twice its size, since headers and symbols are read more than once.
# It is exceeded only if tables claim the same bytes repeatedly.
_MOST_TIMES = 2
_SMALL = 1 << 20
_MOST_READ = 1 << 30

_ANOTHER = "Choose the file that was profiled."
_AGAIN = "Copy or build it again."

_LAYOUTS = {
    # the header after its first 16 bytes
    (
        "header",
        32,
    ): "type u2,machine u2,version u4,entry u4,segments u4,sections u4,flags u4,size u2,"
    "segment_size u2,segment_count u2,section_size u2,section_count u2,section_names u2",
    (
        "header",
        64,
    ): "type u2,machine u2,version u4,entry u8,segments u8,sections u8,flags u4,size u2,"
    "segment_size u2,segment_count u2,section_size u2,section_count u2,section_names u2",
    ("section", 32): "name u4,type u4,flags u4,address u4,offset u4,size u4,link u4,info u4,"
    "align u4,entry u4",
    ("section", 64): "name u4,type u4,flags u8,address u8,offset u8,size u8,link u4,info u4,"
    "align u8,entry u8",
    ("segment", 32): "type u4,offset u4,address u4,physical u4,size u4,memory u4,flags u4,align u4",
    ("segment", 64): "type u4,flags u4,offset u8,address u8,physical u8,size u8,memory u8,align u8",
    ("symbol", 32): "name u4,value u4,size u4,info u1,other u1,section u2",
    ("symbol", 64): "name u4,info u1,other u1,section u2,value u8,size u8",
    ("rel", 32): "offset u4,info u4",
    ("rel", 64): "offset u8,info u8",
    ("rela", 32): "offset u4,info u4,addend i4",
    ("rela", 64): "offset u8,info u8,addend i8",
}


def layout(record: str, bits: int, is_big_endian: bool) -> np.dtype[np.void]:
    """Return the dtype of a record of `_LAYOUTS`, such as `symbol`, in a 32-bit or 64-bit file."""
    order = ">" if is_big_endian else "<"
    fields = (field.split() for field in _LAYOUTS[record, bits].split(","))
    return np.dtype([(name, order + kind) for name, kind in fields])


class ElfBytes:
    """An open file, read in pieces that lie within it, up to a total limit."""

    def __init__(
        self, path: Path, stream: BinaryIO, status: os.stat_result, progress: Progress
    ) -> None:
        self.path = path
        self.stream = stream
        self.status = status
        self.progress = progress
        self._left = min(_MOST_TIMES * status.st_size + _SMALL, _MOST_READ)

    def read(self, offset: int, size: int, content: str) -> bytes:
        """Return the bytes at an offset; `what` names them in error messages.

        Raises `UnsuitableFile` and `Cancelled`.
        """
        self.progress.check(0.0)
        if offset + size > self.status.st_size:
            raise UnsuitableFile(self.path, f"is truncated: it ends before its {content}.", _AGAIN)
        if size > _LARGEST_TABLE:
            reason = f"has {size / 1e6:,.0f} MB for its {content}, which is impossible."
            raise UnsuitableFile(self.path, reason, _ANOTHER)
        self._left -= size
        if self._left < 0:
            reason = "is malformed: its tables overlap."
            raise UnsuitableFile(self.path, reason, _AGAIN)
        self.stream.seek(offset)
        data = self.stream.read(size)
        if len(data) < size:
            raise UnsuitableFile(self.path, "was truncated while it was read.", _AGAIN)
        return data

    def table(self, offset: int, size: int, record: np.dtype[np.void], content: str) -> Records:
        """Return the whole records at an offset; a partial last one is left out."""
        return np.frombuffer(self.read(offset, size - size % record.itemsize, content), record)


@contextlib.contextmanager
def opened(path: Path, progress: Progress | None = None) -> Iterator[ElfBytes]:
    """Open a regular file; errors from reading malformed tables become `UnsuitableFile`.

    Each read checks `progress` for cancellation. Raises `UnreadableFile` if the system denies
    reading.
    """
    with reading(path, "a program or library") as (stream, status):
        try:
            yield ElfBytes(path, stream, status, progress or NoProgress())
        except _MALFORMED as error:
            raise UnsuitableFile(path, "is malformed.", _AGAIN) from error
