"""The files in archives: zip, and tar in any packing.

Members are read as streams, and nothing is unpacked to disk. What an archive can make this program
read or keep in memory is limited, as its headers may state any sizes.
"""

from __future__ import annotations

import io
import os
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple, Protocol, cast

_MAX_MEMBERS = 10_000
_MAX_UNPACKED = 1 << 30  # bytes of a tar archive in which members are looked for
_MAX_HEADER = 1 << 20  # bytes of a long name in a tar archive, which are read at once
_MAX_DIRECTORY = 8 << 20  # bytes of the list of files in a zip archive, which is read at once
_STEP = 8192  # bytes read at once from a member
_LONG_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_TOO_MANY = f"has more than {_MAX_MEMBERS:,} files, of which these were looked into."
# of the others, a few bytes may take gigabytes of memory
_BOUNDED_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
# of the libraries: RuntimeError for a password, NotImplementedError for an unknown packing
_MEMBER_ERRORS = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    RuntimeError,
    ValueError,
)


class UnusableArchive(OSError):
    """The archive is damaged, or exceeds a limit; the message says why."""


class Member(NamedTuple):
    """A file in an archive; `stream` has to be read before the next member is asked for."""

    name: str  # without `./`
    size: int  # bytes as stated, unpacked
    modified: float  # seconds since 1970
    stream: io.BufferedReader


class Unpacked(Protocol):
    """A stream of unpacked bytes, such as a `ProfileStream`."""

    def readinto(self, memory: memoryview) -> int:
        """Fill the memory with the next bytes and return their number; 0 at the end."""


def same_member(name: str, other: str) -> bool:
    """Return whether both name the same file in an archive: `./a//b` is `a/b`."""
    return _plain(name) == _plain(other)


def members(kind: str, file: IO[bytes], unpacked: Unpacked) -> Iterator[Member]:
    """Yield the regular files in an archive, each name once; raises `UnusableArchive`.

    `file` is the archive itself, of which zip archives are read; `unpacked` reads its bytes from
    the beginning.
    """
    seen: set[str] = set()
    try:
        for member in _zip_members(file) if kind == "zip" else _tar_members(unpacked):
            if member.name not in seen:
                seen.add(member.name)
                yield member
    except UnusableArchive:
        raise
    except (*_MEMBER_ERRORS, OSError) as error:
        raise UnusableArchive(f"is a damaged archive, or not one: {error}.") from error


def _plain(name: str) -> str:
    return "/".join(word for word in name.split("/") if word not in ("", "."))


class _MemberStream(io.RawIOBase):
    """Reads a member in small steps; the libraries' errors become those of reading files."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, memory: memoryview) -> int:  # type: ignore[override]  # BufferedReader's
        try:
            data = self._source.read(min(len(memory), _STEP))
        except _MEMBER_ERRORS as error:
            raise OSError(str(error)) from error
        memory[: len(data)] = data
        return len(data)


def _reader(source: IO[bytes]) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", _MemberStream(source)))


def _zip_members(file: IO[bytes]) -> Iterator[Member]:
    _check_directory(file)
    archive = zipfile.ZipFile(file)
    problem = ""
    for count, entry in enumerate(archive.infolist()):
        if count == _MAX_MEMBERS:
            raise UnusableArchive(_TOO_MANY)
        name = _plain(entry.filename)
        if not name or entry.filename.endswith("/"):  # a folder
            continue
        try:
            if entry.compress_type not in _BOUNDED_PACKINGS:
                raise NotImplementedError("its compression is a rare one")
            stream = _reader(archive.open(entry))
        except _MEMBER_ERRORS as error:  # among others, it needs a password
            problem = f"has a file that cannot be unpacked: {error}."
            continue
        yield Member(name, entry.file_size, _seconds(entry.date_time), stream)
    if problem:
        raise UnusableArchive(problem)


def _seconds(date: tuple[int, int, int, int, int, int]) -> float:
    try:
        return time.mktime((*date, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _check_directory(file: IO[bytes]) -> None:
    """Raise `UnusableArchive` if the list of files would take too much memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 200))
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    if end < 0:
        raise UnusableArchive("is a damaged zip archive: its end is missing.")
    sizes = [0]
    for start in (end, len(tail) - 22):  # the library takes either
        sizes += struct.unpack("<L", tail[start + 12 : start + 16].ljust(4, b"\0"))
        if tail[max(0, start - 20) : start - 16] == b"PK\x06\x07":  # with 64 bits
            record = tail[max(0, start - 76) : start - 20]
            sizes += struct.unpack("<Q", record[40:48].ljust(8, b"\xff"))
    if max(sizes) > _MAX_DIRECTORY:
        raise UnusableArchive("is a zip archive with too many files.")


class _BoundedHeader(tarfile.TarInfo):
    """A header of a tar archive; one that would take much memory is an error."""

    # `tarfile` names this method as the one to override; `frombuf` is not called by all versions
    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size < 0 or (self.type in _LONG_HEADERS and self.size > _MAX_HEADER):
            raise UnusableArchive("is a tar archive with a header that is too long.")
        header: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]  # not in stubs
        return header


class _BoundedSource:
    """What `tarfile` reads of a stream: blocks, up to a limit of all of them."""

    def __init__(self, unpacked: Unpacked) -> None:
        self._unpacked = unpacked
        self.left = _MAX_UNPACKED

    def read(self, size: int) -> bytes:
        block = bytearray(size)
        with memoryview(block) as memory:
            length = self._unpacked.readinto(memory)
        self.left -= length
        if self.left < 0:
            limit = _MAX_UNPACKED >> 20
            raise UnusableArchive(f"was searched for files in its first {limit:,} MiB only.")
        return bytes(block[:length])


def _tar_members(unpacked: Unpacked) -> Iterator[Member]:
    source = _BoundedSource(unpacked)
    archive = tarfile.open(  # noqa: SIM115 -- the caller closes the file
        mode="r|", fileobj=cast("IO[bytes]", source), tarinfo=_BoundedHeader
    )
    for count, header in enumerate(archive):
        if count == _MAX_MEMBERS:
            raise UnusableArchive(_TOO_MANY)
        name = _plain(header.name)
        is_plain = header.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not header.issparse()
        if name and is_plain and (content := archive.extractfile(header)) is not None:
            left, source.left = source.left, 1 << 62  # the reader of a profile has its own limits
            yield Member(name, header.size, header.mtime, _reader(content))
            source.left = left
