"""Files as bytes: opened, recognised by their first bytes if packed, and unpacked on the way."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from qcachegrind_py.profile.errors import UnreadableFile


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def readinto(self, memory: memoryview, /) -> int: ...


# a named pipe must not make us wait for somebody to write into it
_READ_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# what unpacking raises when the packed data are broken or end too early
BROKEN_PACKING = (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError)


@dataclass(slots=True)
class OpenProfile:
    """An open file: `read` gives unpacked bytes, `position` how far it is in the file."""

    path: Path
    size: int
    packing: str  # "" where it is plain
    _file: io.BufferedReader
    _unpacked: _Readable

    def read(self, size: int) -> bytes:
        """The next bytes, unpacked; none at the end."""
        return self._unpacked.read(size)

    def readinto(self, memory: memoryview) -> int:
        """Put the next bytes, unpacked, into this memory; gives how many, 0 at the end."""
        return self._unpacked.readinto(memory)

    def position(self) -> int:
        """How many bytes of the file, as it lies on the disk, have been taken."""
        return self._file.tell()

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def open_profile(path: str | os.PathLike[str]) -> OpenProfile:
    """Open a regular file; raises `UnreadableFile` with the reason."""
    path = Path(path)
    try:
        file = os.fdopen(os.open(path, _READ_WITHOUT_WAITING), "rb")
    except IsADirectoryError as error:
        raise _is_folder(path) from error
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}."
        raise UnreadableFile(path, reason, remedy=_remedy(error)) from error
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        if stat.S_ISDIR(status.st_mode):
            raise _is_folder(path)
        raise UnreadableFile(path, "is not a regular file.", remedy="Save it to a file first.")
    packing, unpacked = _unpack(file)
    return OpenProfile(path, status.st_size, packing, file, unpacked)


def _is_folder(path: Path) -> UnreadableFile:
    return UnreadableFile(path, "is a folder.", remedy="Choose a profile in it.")


def _remedy(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "Ask its owner for the right to read it."
    if isinstance(error, FileNotFoundError):
        return "Look whether it was moved or its name mistyped."
    return ""


def _unpack(file: io.BufferedReader) -> tuple[str, _Readable]:
    head = file.read(6)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return "gzip", gzip.GzipFile(fileobj=file)
    if head.startswith(b"BZh"):
        return "bzip2", bz2.BZ2File(file)
    if head == b"\xfd7zXZ\x00":
        return "xz", lzma.LZMAFile(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd", _zstd(file)
    return "", file


def _zstd(file: io.BufferedReader) -> _Readable:
    import zstandard  # 20 ms that only these files need

    return io.BufferedReader(
        zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    )
