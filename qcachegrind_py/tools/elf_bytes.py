"""Bytes of ELF files, read as what they are: hostile. The only place that opens them.

A file is opened for as long as it is read, and never waited for. Tables become numpy arrays, whose
layouts (System V ABI, chapters 4 and 5) are here too. What the bytes mean is told elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt
from elftools.common.exceptions import ELFError
from elftools.construct.core import ConstructError

from qcachegrind_py.profile.errors import UnreadableFile, UnsuitableFile

Records: TypeAlias = npt.NDArray[np.void]

_READ_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
# What a reader of malformed tables stumbles over: pyelftools hands all of these through.
_STUMBLES = (
    ELFError,
    ConstructError,
    struct.error,
    ValueError,
    LookupError,
    OverflowError,
    MemoryError,
)
# The largest browsers have 100 MB of symbols, and 500 MB of their names.
_LARGEST_TABLE = 1 << 29

_ANOTHER = "Choose the file that was profiled."
_AGAIN = "Copy or build it again."

_LAYOUTS = {
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
    """How a `section`, `segment`, `symbol`, `rel` or `rela` lies in a file of 32 or 64 bits."""
    order = ">" if is_big_endian else "<"
    fields = (field.split() for field in _LAYOUTS[record, bits].split(","))
    return np.dtype([(name, order + kind) for name, kind in fields])


class ElfBytes:
    """An open file, read in pieces that lie within it and are not absurdly large."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self.stream = stream
        self.status = os.fstat(stream.fileno())

    def read(self, offset: int, size: int, what: str) -> bytes:
        """The bytes at an offset; `what` names them to people. Raises `UnsuitableFile`."""
        if offset + size > self.status.st_size:
            raise UnsuitableFile(self.path, f"is cut off: it ends before its {what}.", _AGAIN)
        if size > _LARGEST_TABLE:
            large = f"has {size / 1e6:,.0f} MB for its {what}, which cannot be right."
            raise UnsuitableFile(self.path, large, _ANOTHER)
        self.stream.seek(offset)
        data = self.stream.read(size)
        if len(data) < size:
            raise UnsuitableFile(self.path, "became shorter while it was read.", _AGAIN)
        return data

    def table(self, offset: int, size: int, record: np.dtype[np.void], what: str) -> Records:
        """The records at an offset; what follows the last whole one is left out."""
        return np.frombuffer(self.read(offset, size - size % record.itemsize, what), record)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[ElfBytes]:
    """The regular file, open; what reading it stumbles over is raised as `UnsuitableFile`.

    Raises `UnreadableFile` where the system does not let us read it.
    """
    try:
        _require_regular(path, path.stat())  # some devices do things when they are opened
        with open(os.open(path, _READ_WITHOUT_WAITING), "rb") as stream:  # noqa: PTH123
            file = ElfBytes(path, stream)
            _require_regular(path, file.status)
            yield file
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read: {error.strerror or error}.") from error
    except _STUMBLES as error:
        raise UnsuitableFile(path, "is malformed, and cannot be understood.", _AGAIN) from error


def _require_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise UnsuitableFile(path, f"is {kind}.", _ANOTHER)
