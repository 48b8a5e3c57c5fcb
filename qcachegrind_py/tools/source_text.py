"""Source files as lines of text: read with care, since a profile can name any path as a source.

Only regular files are opened, and only their bytes are looked at: no device, no pipe. Lines are
those that compilers count. Where the file is, is found by `file_search`.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.profile.errors import LargeFile, UnreadableFile, UnsuitableFile

MOST_BYTES = 50_000_000
# A line takes some 60 bytes of memory beside its text: 300 MB. The longest source file of LLVM, of
# Linux, of CPython has less than 200,000.
MOST_LINES = 5_000_000

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not make us wait for somebody to write into it
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_MARKS = (  # that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COOKIE = re.compile(rb"coding[:=][ \t]*([-\w.]+?)(?:-unix|-dos|-mac)?(?![-\w.])")
# Others of Python's are no encodings of text, or take time that grows with the square of a length.
_ENCODINGS = re.compile(
    r"ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis\w*|johab|tis-620|hz"
)


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """A source file's text as it was when read."""

    path: Path
    lines: tuple[str, ...]
    """Each without its end; line 1 of a compiler is `lines[0]`."""
    encoding: str
    """As Python calls it."""
    modified: float
    """Seconds since 1970."""


def read_source(path: Path, *, limit: int | None = MOST_BYTES) -> SourceText:
    """The text of a file; with `limit` None however large it is.

    Raises UnreadableFile, UnsuitableFile (no regular file, no text) and LargeFile.
    """
    try:
        data, status = _bytes_of(path, limit)
        text, encoding = _decoded(path, data)
        del data  # one copy at a time
        text = _with_line_feeds(text)
        if limit is not None and (count := text.count("\n")) > MOST_LINES:
            raise UnsuitableFile(path, f"{count:,} lines, more than any source has.")
        return SourceText(path, _lines_of(text), encoding, status.st_mtime)
    except MemoryError as error:
        raise UnreadableFile(path, "does not fit into memory.") from error


def _bytes_of(path: Path, limit: int | None) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, as many as it had when opened or fewer."""
    try:
        _require_regular(path, path.stat())  # to open some devices is to start something
        with os.fdopen(os.open(path, _FLAGS), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            _require_regular(path, status)
            if limit is not None and status.st_size > limit:
                raise LargeFile(path, status.st_size, limit)
            return _read(file, status.st_size), status
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = f"cannot be read: {getattr(error, 'strerror', None) or error}."
        raise UnreadableFile(path, reason, remedy=_remedy(error)) from error


def _read(file: io.FileIO, size: int) -> bytes:
    """The first bytes of a file; fewer where it ends, or has none at the moment."""
    pieces = []
    while size > 0 and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _require_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((kind for is_kind, kind in _KINDS if is_kind(status.st_mode)), "no file")
        raise UnsuitableFile(path, f"{kind}, not a file of text.", "Choose the file itself.")


def _remedy(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "Ask its owner for the right to read it."
    if isinstance(error, FileNotFoundError):
        return "Look whether it was moved."
    return ""


def _decoded(path: Path, data: bytes) -> tuple[str, str]:
    """The text and its encoding: by its mark, UTF-8, what it says of itself, or Western."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            _require_text(path, "\0" not in text)
            return text, encoding
    _require_text(path, b"\0" not in data)
    for encoding in ("utf-8", _said_encoding(data), "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _require_text(path: Path, is_text: bool) -> None:
    if not is_text:
        raise UnsuitableFile(path, "not text: it has zero bytes.", "Choose another file.")


def _said_encoding(data: bytes) -> str:
    """The encoding that one of the first two lines names as editors and Python read it."""
    for line in data[:1000].splitlines()[:2]:
        if said := _COOKIE.search(line):
            try:
                name = codecs.lookup(said[1].decode()).name
            except (LookupError, UnicodeDecodeError):
                continue
            if _ENCODINGS.fullmatch(name):
                return name
    return "utf-8"


def _with_line_feeds(text: str) -> str:
    """The text with a line feed for each carriage return, and for both together."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _lines_of(text: str) -> tuple[str, ...]:
    """What stands between line feeds.

    A form feed or a separator of Unicode ends no line for compilers, as it does for `splitlines`.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)
