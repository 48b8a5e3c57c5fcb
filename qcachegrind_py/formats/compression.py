"""Compressed files: transparent decompression by magic bytes, and compression by file ending.

Members of archives and text in UTF-16 are streams of the same kind.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from qcachegrind_py.profile.errors import IsADirectory, UnreadableFile
from qcachegrind_py.profile.files import (
    NO_LIMIT,
    Fingerprint,
    IrregularFile,
    MemoryLimit,
    archive_and_member,
    open_regular,
    unreadable,
)

if TYPE_CHECKING:
    from qcachegrind_py.formats.archives import Member

_IF_MISSING = "Check whether it was moved or misspelled."

_MAGIC_SIZE = 6  # the longest magic bytes
_ZIP_MAGIC = b"PK\x03\x04", b"PK\x05\x06"  # the second is that of an empty archive
_TAR_MAGIC, _TAR_MAGIC_OFFSET = b"ustar", 257
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# errors raised for compressed data that are corrupt or truncated
_DECOMPRESSION_ERRORS = (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError)


class _DecompressedStream(Protocol):
    def readinto1(self, memory: memoryview, /) -> int: ...


@dataclass(slots=True)
class ProfileStream:
    """An open file that reads decompressed bytes; `position` is the offset in the file itself."""

    path: Path
    fingerprint: Fingerprint  # when it was opened
    compression: str  # empty for a plain file; a member of an archive and UTF-16 are none
    _file: io.BufferedReader
    _decompressed: _DecompressedStream
    decompression_error: str = ""  # why the stream ended early, if the data are corrupt
    limit: MemoryLimit = NO_LIMIT  # of what is read from it
    _is_member: bool = False  # of an archive, which is the file
    _is_started: bool = False  # whether the first bytes have been read
    _unpacked: int = 0  # bytes read so far

    @property
    def size(self) -> int:
        """The size of the file in bytes, when it was opened."""
        return self.fingerprint.size

    def readinto(self, memory: memoryview) -> int:
        """Fill the memory with the next bytes and return their number; 0 at the end.

        Corrupt data end the stream and set `decompression_error`; the bytes before remain valid.
        Text in UTF-16 becomes UTF-8.
        """
        filled = self._fill(memory)
        is_first, self._is_started = not self._is_started, True
        if is_first and bytes(memory[:2]) in _UTF_16_MARKS:
            self._decompressed = _Utf16Text(bytes(memory[:filled]), self._decompressed)
            self.compression = self.compression or "UTF-16"
            filled = self._fill(memory)
        return filled

    def _fill(self, memory: memoryview) -> int:
        filled = 0
        # Python's decompressing streams discard what they have buffered if an error follows in the
        # same call, as one does if it asks for more than their buffer holds.
        step = io.DEFAULT_BUFFER_SIZE if self.compression else len(memory)
        try:
            while filled < len(memory) and not self.decompression_error:
                new = self._decompressed.readinto1(memory[filled : filled + step])
                if not new:
                    break
                filled += new
        except _DECOMPRESSION_ERRORS as error:
            self.decompression_error = str(error)
        self._unpacked += filled
        return filled

    def report_memory(self, before: int, taken: int) -> None:
        """Say what has been taken: by the files before this one, and by this one so far, in bytes.

        Raises `TooLargeForMemory` if the whole file will take more than it may.
        """
        packed = self.position()
        # where in its archive a member ends is not known
        share = min(1.0, packed / self.size) if packed and not self._is_member else 1.0
        self.limit.check(self.path, (before, taken), self._unpacked, share, packed)

    def head(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end."""
        head = bytearray(size)
        with memoryview(head) as memory:
            length = self.readinto(memory)
        return bytes(head[:length])

    def position(self) -> int:
        """Return the number of (compressed) bytes read from the file."""
        return self._file.tell()

    def members(self) -> Iterator[Member]:
        """Yield the files in this archive, of which nothing was read; raises `UnusableArchive`."""
        from qcachegrind_py.formats.archives import members  # 10 ms that few files need

        is_zip = not self.compression and archive_kind(self._file.peek(_MAGIC_SIZE)) == "zip"
        return members("zip" if is_zip else "tar", self._file, self)

    def member_stream(self, path: Path, member: Member) -> ProfileStream:
        """Return the stream of a member, which closes the archive; it may be packed as well."""
        try:
            packing, unpacked = _decompressed_stream(member.stream)
        except OSError:  # damaged; reading says so
            packing, unpacked = "", member.stream
        packing = packing or "an archive"
        return ProfileStream(path, self.fingerprint, packing, self._file, unpacked, _is_member=True)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_profile(path: str | os.PathLike[str]) -> ProfileStream:
    """Open a regular file or `ARCHIVE!MEMBER`; raise `UnreadableFile` if that is impossible."""
    path = Path(path)
    if (both := archive_and_member(path)) is not None:
        return _open_member(path, *both)
    try:
        file, status = open_regular(path)
    except IrregularFile as error:
        if error.is_folder:
            raise IsADirectory(path, "is a folder.", remedy="Choose a profile in it.") from error
        remedy = "Save it to a file first."
        raise UnreadableFile(path, "is not a regular file.", remedy=remedy) from error
    except OSError as error:
        raise unreadable(path, error, _IF_MISSING) from error
    try:
        packing, unpacked = _decompressed_stream(file)
    except OSError as error:  # as of /proc/self/mem, of which the first bytes are not mapped
        file.close()
        raise unreadable(path, error, _IF_MISSING) from error
    return ProfileStream(path, Fingerprint.of(status), packing, file, unpacked)


def archive_kind(head: bytes) -> str:
    """Return the kind of an archive by its first bytes, unpacked; empty if it is none."""
    if head.startswith(_ZIP_MAGIC):
        return "zip"
    return "tar" if head.startswith(_TAR_MAGIC, _TAR_MAGIC_OFFSET) else ""


def _open_member(path: Path, archive: Path, name: str) -> ProfileStream:
    """Open a member of an archive; in a tar archive, those before it are read."""
    from qcachegrind_py.formats.archives import UnusableArchive, same_member

    whole, reason = open_profile(archive), "is not in the archive."
    try:
        for member in whole.members():
            if same_member(member.name, name):
                return whole.member_stream(path, member)
    except UnusableArchive as error:
        reason = f"was not found: {archive} {error}"
    whole.close()
    raise UnreadableFile(path, reason)


def _decompressed_stream(file: io.BufferedReader) -> tuple[str, _DecompressedStream]:
    head = file.peek(_MAGIC_SIZE)[:_MAGIC_SIZE]
    if head.startswith(b"\x1f\x8b"):
        return "gzip", gzip.GzipFile(fileobj=file)
    if head.startswith(b"BZh"):
        return "bzip2", bz2.BZ2File(file)
    if head == b"\xfd7zXZ\x00":
        return "xz", lzma.LZMAFile(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd", _ZstdStream(file)
    return "", file


class _Utf16Text:
    """Turns text in UTF-16 with a byte order mark, as PowerShell writes it, into UTF-8."""

    def __init__(self, first: bytes, source: _DecompressedStream) -> None:
        """`first` are the bytes that were read from the source already."""
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._text = io.BytesIO(self._decoder.decode(first).encode())
        self._buffer = memoryview(bytearray(io.DEFAULT_BUFFER_SIZE))

    def readinto1(self, memory: memoryview, /) -> int:
        """Read some of the next bytes into the memory and return their number; 0 at the end."""
        while not (new := self._text.readinto(memory)):
            size = self._source.readinto1(self._buffer)
            text = self._decoder.decode(self._buffer[:size], final=not size)
            if not size and not text:
                break
            self._text = io.BytesIO(text.encode())
        return new


class _ZstdFrame(Protocol):
    """A frame that is being decompressed."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _zstd_frames() -> tuple[type[Exception], Callable[[], _ZstdFrame]]:
    """Return the error that damaged data raise, and what begins a frame."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdError, zstd.ZstdDecompressor
    import zstandard  # 20 ms that only these files need

    return zstandard.ZstdError, zstandard.ZstdDecompressor().decompressobj


def _zstd_writer(file: BinaryIO) -> contextlib.AbstractContextManager[BinaryIO]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return cast("contextlib.AbstractContextManager[BinaryIO]", zstd.ZstdFile(file, "wb"))
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


class _ZstdStream:
    """Decompresses zstd with the same errors as the other formats for truncated and corrupt data.

    The library's own stream ignores truncation. Its decompression objects detect it, but have no
    limit on their output, so the input is fed in small steps: 512 bytes yield at most 16 MB.
    """

    _STEP = 512

    def __init__(self, file: io.BufferedReader) -> None:
        self._error, self._new_frame = _zstd_frames()
        self._frame = self._new_frame()
        self._file = file
        self._compressed = b""  # read and not yet decompressed
        self._in_frame = False
        self._decompressed = io.BytesIO()

    def readinto1(self, memory: memoryview, /) -> int:
        """Read some of the next bytes into the memory and return their number; 0 at the end."""
        while not (new := self._decompressed.readinto(memory)):
            if not self._decompress_more():
                break
        return new

    def _decompress_more(self) -> bool:
        packed = self._compressed or self._file.read(self._STEP)
        if not packed and self._in_frame:
            raise EOFError("the compressed data end too early")
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


_COMPRESSION_LEVEL = 6  # gzip's own default; Python's default takes three times as long


def compressing_stream(
    file: BinaryIO, path: str | os.PathLike[str]
) -> contextlib.AbstractContextManager[BinaryIO]:
    """Return a stream that compresses into the file by the ending of the path, or the file itself.

    The output is reproducible, since neither time nor name is stored. The file stays open.
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
        return _zstd_writer(file)
    return contextlib.nullcontext(file)
