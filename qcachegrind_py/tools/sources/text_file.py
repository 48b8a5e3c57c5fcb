"""Read source files as lines of text: only regular files of bounded size.

Lines are counted as compilers do; `file_search` finds the files. Everything is done in small steps,
so that the window stays responsive while a large file is read.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile import files
from qcachegrind_py.profile.errors import FileTooLarge, UnreadableFile, UnsuitableFile
from qcachegrind_py.profile.progress import NoProgress, Progress

MAX_BYTES = 50_000_000
# A line takes some 60 bytes of memory in addition to its text: 300 MB. The longest source files of
# LLVM, Linux and CPython have less than 200,000.
MAX_LINES = 5_000_000
# Bytes read, decoded and split at once; no other thread runs during these few milliseconds.
_CHUNK_SIZE = 1 << 18

_BYTE_ORDER_MARKS = (  # that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ENCODING_COOKIE = re.compile(rb"coding[:=][ \t]*([-\w.]+?)(?:-unix|-dos|-mac)?(?![-\w.])")
# Python's other encodings are not for text, or take time quadratic in a length.
_ENCODINGS = re.compile(
    r"ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis\w*|johab|tis-620|hz"
)


@frozen
class SourceText:
    """A source file's text as it was when read."""

    path: Path
    lines: tuple[str, ...]
    """Without line ends; a compiler's line 1 is `lines[0]`."""
    encoding: str
    """Python's name of it."""
    modified: float
    """Seconds since 1970."""


def read_source(
    path: Path, *, limit: int | None = MAX_BYTES, progress: Progress | None = None
) -> SourceText:
    """Return the text of a file of at most `limit` bytes; None allows any size.

    Raises UnreadableFile, UnsuitableFile (no regular file, no text, too many lines), FileTooLarge
    and Cancelled.
    """
    progress = progress or NoProgress()
    try:
        pieces, status = _read_chunks(path, limit, progress)
        for encoding, errors in _candidate_encodings(path, pieces):
            try:
                lines = _split_lines(path, _decode(path, pieces, encoding, errors, progress))
            except UnicodeDecodeError:
                continue
            return SourceText(path, lines, encoding, status.st_mtime)
        raise UnsuitableFile(path, "is not text in a known encoding.", "Choose another file.")
    except MemoryError as error:
        raise UnreadableFile(path, "does not fit into memory.") from error


def _read_chunks(
    path: Path, limit: int | None, progress: Progress
) -> tuple[list[bytes], os.stat_result]:
    """Read a regular file, up to its size when it was opened."""
    with files.reading(path, "a text file") as (file, status):
        if limit is not None and status.st_size > limit:
            raise FileTooLarge(path, status.st_size, limit)
        return _read_up_to(file, status.st_size, progress), status


def _read_up_to(file: BinaryIO, size: int, progress: Progress) -> list[bytes]:
    """Read up to `size` bytes; fewer if the file ends earlier."""
    pieces = []
    left = size
    while left > 0 and (piece := file.read(min(left, _CHUNK_SIZE))):
        progress.check((size - left) / size / 2)
        pieces.append(piece)
        left -= len(piece)
    return pieces


def _candidate_encodings(path: Path, pieces: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield encodings to try and their error handlers: by mark, UTF-8, declared, Western."""
    begin = pieces[0] if pieces else b""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if begin.startswith(mark):
            yield encoding, "replace"
            return
    _check_is_text(path, not any(b"\0" in piece for piece in pieces))
    for encoding in ("utf-8", _declared_encoding(begin), "cp1252", "latin-1"):
        yield encoding, "strict"


def _decode(
    path: Path, pieces: Sequence[bytes], encoding: str, errors: str, progress: Progress
) -> Iterator[str]:
    """Decode the text, with a line feed for each carriage return, and for both together."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), True)
    for done, piece in enumerate(pieces):
        progress.check(0.5 + done / len(pieces) / 2)
        text = decoder.decode(piece)
        _check_is_text(path, "\0" not in text)
        yield text
    yield decoder.decode(b"", final=True)


def _check_is_text(path: Path, is_text: bool) -> None:
    if not is_text:
        raise UnsuitableFile(path, "is not text: it contains null bytes.", "Choose another file.")


def _declared_encoding(data: bytes) -> str:
    """Return the encoding declared in one of the first two lines, as editors and Python read it."""
    for line in data[:1000].splitlines()[:2]:
        if cookie := _ENCODING_COOKIE.search(line):
            try:
                name = codecs.lookup(cookie[1].decode()).name
            except (LookupError, UnicodeDecodeError):
                continue
            if _ENCODINGS.fullmatch(name):
                return name
    return "utf-8"


def _split_lines(path: Path, texts: Iterator[str]) -> tuple[str, ...]:
    """Split the text at line feeds.

    Unlike for `splitlines`, a form feed or a Unicode separator ends no line, as for compilers.
    """
    lines: list[str] = []
    pending: list[str] = []  # pieces of an incomplete line
    for text in texts:
        first, *others = text.split("\n")
        pending.append(first)
        if others:
            lines.append("".join(pending))
            pending = [others.pop()]
            lines += others
        if len(lines) > MAX_LINES:
            raise UnsuitableFile(path, f"has more than {MAX_LINES:,} lines, which no source has.")
    if last := "".join(pending):
        lines.append(last)
    return tuple(lines)
