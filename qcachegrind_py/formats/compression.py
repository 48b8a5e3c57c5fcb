"""Files as bytes: opened, recognised by their first bytes if packed, and unpacked on the way."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from qcachegrind_py.profile.errors import IsADirectory, UnreadableFile
from qcachegrind_py.profile.regular_file import IrregularFile, open_regular, unreadable

_IF_MISSING = "Look whether it was moved or its name mistyped."

# what unpacking raises when the packed data are broken or end too early
_DECOMPRESSION_ERRORS = (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError)


class _DecompressedStream(Protocol):
    def readinto1(self, memory: memoryview, /) -> int: ...


@dataclass(slots=True)
class ProfileStream:
    """An open file: `readinto` gives unpacked bytes, `position` how far it is in the file."""

    path: Path
    size: int
    compression: str  # "" where it is plain
    _file: io.BufferedReader
    _decompressed: _DecompressedStream
    decompression_error: str = ""  # why nothing follows, where the data are broken

    def readinto(self, memory: memoryview) -> int:
        """Fill the memory with the next bytes; gives how many there were, 0 at the end.

        Broken data are as an end, and said in `breakage`: what was unpacked before counts.
        """
        filled = 0
        try:
            while filled < len(memory) and not self.decompression_error:
                new = self._decompressed.readinto1(memory[filled:])
                if not new:
                    break
                filled += new
        except _DECOMPRESSION_ERRORS as error:
            self.decompression_error = str(error)
        return filled

    def head(self, size: int) -> bytes:
        """The next bytes, as many as that or all there are."""
        head = bytearray(size)
        with memoryview(head) as memory:
            length = self.readinto(memory)
        return bytes(head[:length])

    def position(self) -> int:
        """How many bytes of the file, as it lies on the disk, have been taken."""
        return self._file.tell()

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def open_profile(path: str | os.PathLike[str]) -> ProfileStream:
    """Open a regular file; raises `UnreadableFile` with the reason."""
    path = Path(path)
    try:
        file, status = open_regular(path)
    except IrregularFile as error:
        if error.is_folder:
            raise IsADirectory(path, "is a folder.", remedy="Choose a profile in it.") from error
        remedy = "Save it to a file first."
        raise UnreadableFile(path, "is not a regular file.", remedy=remedy) from error
    except OSError as error:
        raise unreadable(path, error, _IF_MISSING) from error
    packing, unpacked = _decompressed_stream(file)
    return ProfileStream(path, status.st_size, packing, file, unpacked)


def _decompressed_stream(file: io.BufferedReader) -> tuple[str, _DecompressedStream]:
    head = file.read(6)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return "gzip", gzip.GzipFile(fileobj=file)
    if head.startswith(b"BZh"):
        return "bzip2", bz2.BZ2File(file)
    if head == b"\xfd7zXZ\x00":
        return "xz", lzma.LZMAFile(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd", _ZstdStream(file)
    return "", file


class _ZstdStream:
    """Unpacks zstd as the others unpack: an early end and broken data are errors.

    The library's own stream takes an early end for the end. Its objects that tell have no bound on
    what they unpack, so they get little at once: of 512 bytes come 16 MB at the most.
    """

    _STEP = 512

    def __init__(self, file: io.BufferedReader) -> None:
        import zstandard  # 20 ms that only these files need

        self._error = zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._file = file
        self._compressed = b""  # read and not unpacked
        self._in_frame = False
        self._decompressed = io.BytesIO()

    def readinto1(self, memory: memoryview, /) -> int:
        """Put some of the next bytes into the memory; gives how many, 0 at the end."""
        while not (new := self._decompressed.readinto(memory)):
            if not self._decompress_more():
                break
        return new

    def _decompress_more(self) -> bool:
        packed = self._compressed or self._file.read(self._STEP)
        if not packed and self._in_frame:
            raise EOFError("the packed data end too early")
        if not packed:
            return False
        try:
            self._decompressed = io.BytesIO(self._frame.decompress(packed))
        except self._error as error:
            raise OSError(str(error)) from error
        self._compressed, self._in_frame = b"", not self._frame.eof
        if self._frame.eof:
            self._compressed, self._frame = self._frame.unused_data, self._new_frame()
        return True


_COMPRESSION_LEVEL = 6  # how hard gzip works: its own choice, where Python's takes thrice the time


def compressing_stream(
    file: BinaryIO, path: str | os.PathLike[str]
) -> contextlib.AbstractContextManager[BinaryIO]:
    """A stream that packs into the file as the path's end says, or the file itself.

    The same bytes give the same file: no time and no name is written. The file stays open.
    """
    end = Path(path).suffix.lower()
    if end == ".gz":
        stream = gzip.GzipFile("", "wb", _COMPRESSION_LEVEL, file, mtime=0)
        return cast("contextlib.AbstractContextManager[BinaryIO]", stream)
    if end == ".bz2":
        return cast("contextlib.AbstractContextManager[BinaryIO]", bz2.BZ2File(file, "wb"))
    if end == ".xz":
        return cast("contextlib.AbstractContextManager[BinaryIO]", lzma.LZMAFile(file, "wb"))
    if end in (".zst", ".zstd"):
        import zstandard  # 20 ms that only these files need

        return zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return contextlib.nullcontext(file)
