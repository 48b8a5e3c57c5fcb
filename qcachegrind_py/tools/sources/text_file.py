"""Source files as lines of text: only regular files, and of bounded size.

Lines are those that compilers count. Where the file is, is found by `file_search`.

All is done in small pieces, so that a window lives on while a large file is read.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.profile import regular_file
from qcachegrind_py.profile.errors import FileTooLarge, UnreadableFile, UnsuitableFile
from qcachegrind_py.profile.progress import NoProgress, Progress

MAX_BYTES = 50_000_000
# A line takes some 60 bytes of memory beside its text: 300 MB. The longest source file of LLVM, of
# Linux, of CPython has less than 200,000.
MAX_LINES = 5_000_000
# Bytes that are read, decoded and split at once. No other thread runs meanwhile, so that it takes a
# few milliseconds.
_CHUNK_SIZE = 1 << 18

_BYTE_ORDER_MARKS = (  # that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ENCODING_COOKIE = re.compile(rb"coding[:=][ \t]*([-\w.]+?)(?:-unix|-dos|-mac)?(?![-\w.])")
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


def read_source(
    path: Path, *, limit: int | None = MAX_BYTES, progress: Progress | None = None
) -> SourceText:
    """The text of a file; with `limit` None however large it is.

    Raises UnreadableFile, UnsuitableFile (no regular file, no text, too many lines), LargeFile and
    Cancelled.
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
        raise UnsuitableFile(path, "not text in any known encoding.", "Choose another file.")
    except MemoryError as error:
        raise UnreadableFile(path, "does not fit into memory.") from error


def _read_chunks(
    path: Path, limit: int | None, progress: Progress
) -> tuple[list[bytes], os.stat_result]:
    """The bytes of a regular file, as many as it had when opened or fewer."""
    with regular_file.reading(path, "a file of text") as (file, status):
        if limit is not None and status.st_size > limit:
            raise FileTooLarge(path, status.st_size, limit)
        return _read_up_to(file, status.st_size, progress), status


def _read_up_to(file: BinaryIO, size: int, progress: Progress) -> list[bytes]:
    """The first bytes of a file; fewer where it ends, or has none at the moment."""
    pieces = []
    left = size
    while left > 0 and (piece := file.read(min(left, _CHUNK_SIZE))):
        progress.check((size - left) / size / 2)
        pieces.append(piece)
        left -= len(piece)
    return pieces


def _candidate_encodings(path: Path, pieces: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """What to try, and how errors are met: by its mark, UTF-8, what it says of itself, Western."""
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
    """The text, with a line feed for each carriage return, and for both together."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), True)
    for done, piece in enumerate(pieces):
        progress.check(0.5 + done / len(pieces) / 2)
        text = decoder.decode(piece)
        _check_is_text(path, "\0" not in text)
        yield text
    yield decoder.decode(b"", final=True)


def _check_is_text(path: Path, is_text: bool) -> None:
    if not is_text:
        raise UnsuitableFile(path, "not text: it has zero bytes.", "Choose another file.")


def _declared_encoding(data: bytes) -> str:
    """The encoding that one of the first two lines names as editors and Python read it."""
    for line in data[:1000].splitlines()[:2]:
        if said := _ENCODING_COOKIE.search(line):
            try:
                name = codecs.lookup(said[1].decode()).name
            except (LookupError, UnicodeDecodeError):
                continue
            if _ENCODINGS.fullmatch(name):
                return name
    return "utf-8"


def _split_lines(path: Path, texts: Iterator[str]) -> tuple[str, ...]:
    """What stands between line feeds.

    A form feed or a separator of Unicode ends no line for compilers, as it does for `splitlines`.
    """
    lines: list[str] = []
    begun: list[str] = []  # of a line whose end is not there yet
    for text in texts:
        first, *others = text.split("\n")
        begun.append(first)
        if others:
            lines.append("".join(begun))
            begun = [others.pop()]
            lines += others
        if len(lines) > MAX_LINES:
            raise UnsuitableFile(path, f"more than {MAX_LINES:,} lines, which no source has.")
    if last := "".join(begun):
        lines.append(last)
    return tuple(lines)
