"""Files that are packed or written whole: decompression by content, and atomic writing.

Members of archives and text in UTF-16 are streams of the same kind.

Atomic file writing: a file is replaced completely or, if anything fails, left unchanged.

A program that is killed leaves the half that it has written; `remove_leftovers` deletes it later.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from qcachegrind_py.profile.errors import IsADirectory, UnreadableFile, UnwritableFile
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


# its recordings are folders
FROM_INSTRUMENTS = (
    "Edit ▸ Deep Copy in Instruments, then pbpaste | instrumentsToPprof, make a file that opens."
)
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
            remedy = FROM_INSTRUMENTS if path.suffix == ".trace" else "Choose a profile in it."
            raise IsADirectory(path, "is a folder.", remedy=remedy) from error
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


_CREATE_FLAGS = (  # a file or a link that is already there is not opened
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_PART_NAME = re.compile(r"\..*\.qcachegrind-py-[0-9a-f]{8}\.part", re.DOTALL)
_MAX_NAME = 50  # characters of the target's name: at 4 bytes each, below the limit of 255 bytes
_LEFT_FOR = 24 * 3600  # s
_REMEDIES = {
    errno.ENOSPC: "Make room on the disk, or choose another one.",
    errno.EDQUOT: "Your disk quota is exceeded. Make room, or choose another disk.",
    errno.EFBIG: "Choose a disk that takes larger files.",
    errno.EACCES: "Choose a folder you can write to.",
    errno.EPERM: "Choose a folder you can write to.",
    errno.EROFS: "Choose a folder you can write to.",
    errno.ENOENT: "Choose an existing folder.",
    errno.ENOTDIR: "Choose an existing folder.",
    errno.EISDIR: "Choose a file name, not a folder.",
}


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes replace the file at `path` when the block ends without error.

    After an error the file is unchanged. Devices and pipes are written directly. Raises
    `UnwritableFile` for any `OSError` in the block.
    """
    target = Path(path)
    try:
        mode = _mode(target)
        is_replaced = mode is None or stat.S_ISREG(mode)
        with _write_and_rename(target, mode) if is_replaced else target.open("wb") as stream:
            yield stream
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise _unwritable_file(target, error) from error


def remove_leftovers(folder: Path, pattern: re.Pattern[str]) -> None:
    """Delete this user's files and folders of such names that nobody has written for a day.

    Programs that were killed leave them. Whoever is about to make another one in the same folder
    looks for them first: no other place is known to have any, and a full disk gets room again.
    Links are not followed, and what others own or a process has locked stays.
    """
    latest = time.time() - _LEFT_FOR
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    is_left = status.st_uid == _user() and status.st_mtime < latest
                    if is_left and is_unlocked(Path(entry.path)):
                        _remove(Path(entry.path), status.st_mode)


def lock(file: int) -> None:
    """Lock a file or folder until it is closed; Windows locks open files itself."""
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_unlocked(path: Path) -> bool:
    """Whether no process locks it; on Windows, a locked file cannot be removed anyway."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _remove(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0  # 0: the owner of every file on Windows


def _mode(path: Path) -> int | None:
    """Return type and permissions of the file that is there; None if there is none.

    Unlike a look into the link itself, this is refused for links that others have put into a
    folder such as /tmp, wherever the system protects its users against those.
    """
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _write_and_rename(path: Path, mode: int | None) -> Iterator[BinaryIO]:
    """Write a temporary file beside the target, then rename it in one step.

    Nobody may read in it what they cannot read in the target, which has this mode.
    """
    path = path.resolve()  # a link remains a link
    remove_leftovers(path.parent, _PART_NAME)
    part = path.with_name(f".{path.name[:_MAX_NAME]}.qcachegrind-py-{os.urandom(4).hex()}.part")
    created = os.open(part, _CREATE_FLAGS, 0o666 if mode is None else 0o600)
    try:
        with open(created, "wb") as stream:  # noqa: PTH123 (a descriptor)
            if mode is not None:
                os.chmod(created if os.chmod in os.supports_fd else part, mode & 0o777)  # noqa: PTH101 (a descriptor)
            yield stream
            stream.flush()
            os.fsync(created)  # some file systems report a full disk only here
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _unwritable_file(path: Path, error: OSError | ValueError) -> UnwritableFile:
    reason = f"cannot be written: {getattr(error, 'strerror', None) or error}."
    return UnwritableFile(
        path, reason, remedy=_REMEDIES.get(getattr(error, "errno", None) or 0, "")
    )
