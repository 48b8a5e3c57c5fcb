"""Source files: their text, read within bounds, and its syntax colours.

Lines are counted as compilers do; `file_search` finds the files. Everything is done in small steps,
so that the window stays responsive while a large file is read.

Syntax highlighting of source lines: comments, strings, keywords, …

Pygments reads a file from its first line, 20,000 lines in 0.7 to 1.5 s. One call reads at most half
a second's worth of characters; for lines beyond them it starts at a declaration shortly before the
lines, outside of C comments. Colours are wrong if that lies within a string of many lines.

The text is untrusted. Regular expressions of lexers may take quadratic time, and cannot be
interrupted: so very long lines and long runs of blanks and stars stay plain, the number of
characters and the computing time are limited, and only listed lexers are used. The view chooses the
colours.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile import files
from qcachegrind_py.profile.errors import FileTooLarge, UnreadableFile, UnsuitableFile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array

if TYPE_CHECKING:
    from pygments.lexer import Lexer


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


_RUN_OUT = 20  # lines after them: whether words declare a function is told by what follows
_LONGEST_LINE = 2_000  # characters
_MOST_CHARACTERS = 400_000  # that are read at once: half a second
_FARTHEST = 3_000  # lines between where reading starts anew and the lines asked for
_DECLARATION = re.compile(r"[^\W\d]\w*(?!\w*\s*:(?!:))|@")  # in column 0, and no label
_PATIENCE = 3.0  # seconds of this thread, however busy the machine is
_BATCH = 256  # tokens between two looks whether to go on
_HARMLESS = 400  # characters of a line, whatever they are
_TEDIOUS_LINES = 50
_TEDIOUS = re.compile(r"[\s*&]*")  # what may stand between the words of a declaration in C
_TEDIOUS_STRETCH = re.compile(r"[\s*&]{400}")


class Token(IntEnum):
    """The kind of a highlighted span."""

    PLAIN = 0  # names of variables, punctuation, errors: these are in no `Highlights`
    KEYWORD = 1
    TYPE = 2
    NAME = 3  # of a function or class, where it is defined; in assembler the instruction
    STRING = 4
    NUMBER = 5
    COMMENT = 6
    PREPROCESSOR = 7  # with decorators, attributes and the directives of assemblers
    OPERATOR = 8


@frozen
class Highlights:
    """Highlighted spans within lines, one row each, in order; none overlap.

    Columns and lengths count Python's characters, not UTF-16 units; a tab counts as one.
    """

    first: int  # the first line, from 0
    starts: Int32Array  # of each line its first row, with one entry more: the end of the last
    column: Int32Array
    length: Int32Array
    kind: Int8Array  # a `Token`

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of_line(self, line: int) -> Iterator[tuple[int, int, Token]]:
        """Yield column, length and kind of a line's spans; nothing for lines not covered."""
        place = line - self.first
        if not 0 <= place < len(self):
            return
        rows = slice(int(self.starts[place]), int(self.starts[place + 1]))
        columns, lengths = self.column[rows].tolist(), self.length[rows].tolist()
        for column, length, kind in zip(columns, lengths, self.kind[rows].tolist(), strict=True):
            yield column, length, Token(kind)


def highlight(
    lines: Sequence[str], file_name: str, first: int, last: int, progress: Progress
) -> Highlights:
    """Highlight the lines from `first` to before `last`, counted from 0.

    The language is detected by the file's name, `#!` or `#include`. Lines stay plain if it is
    unknown, or beyond the limit of one call. `lines` are without line ends.
    """
    first = min(max(first, 0), len(lines))
    last = min(max(last, first), len(lines))
    language = language_of(file_name, lines)
    if not language or first == last:
        return _by_line(first, np.zeros(last - first + 1, np.int64), _NO_TOKENS)
    start = _start(lines, first, last)
    text, offsets = _text(lines[start : last + _RUN_OUT])
    offsets = offsets[first - start : last - start + 1]
    lexer = _lexer(language, is_inline=start > 0)
    return _by_line(first, offsets, _tokens(lexer, text, offsets, progress))


def _start(lines: Sequence[str], first: int, last: int) -> int:
    """Return the line to start at: the first of the file, or a declaration after an empty line."""
    if first == 0 or sum(map(len, lines[:last])) <= _MOST_CHARACTERS:
        return 0
    nearest = range(first, max(0, first - _FARTHEST), -1)
    is_start = (not lines[n - 1].strip() and _DECLARATION.match(lines[n]) for n in nearest)
    start = next((line for line, found in zip(nearest, is_start, strict=True) if found), first)
    return _start_of_comment(lines, start)


def _start_of_comment(lines: Sequence[str], start: int) -> int:
    """Return the first line of the C comment that contains the line; else the line itself."""
    for line in range(start - 1, max(0, start - _FARTHEST), -1):
        opened, closed = lines[line].rfind("/*"), lines[line].rfind("*/")
        if opened != closed:
            return line if opened > closed else start
    return start


# -------------------------------------------------------------------- languages

# Pygments' names of the lexers that are used, and the endings of names that ask for them. Those of
# Java and C# look for declarations in a time that grows with the square: they are not among them.
_ENDINGS = {
    "cpp": "h hh hpp hxx h++ H c++ cc cpp cxx C cp inl ipp ixx tcc tpp txx inc def cppm",
    "c": "c y",
    "cuda": "cu cuh",
    "objective-c++": "m mm",
    "gas": "s S asm",
    "rust": "rs",
    "go": "go",
    "d": "d di",
    "fortran": "f90 F90 f95 F95 f03 F03 f08 F08",
    "fortranfixed": "f F for f77",
    "python": "py pyi pyw",
    "cython": "pyx pxd pxi",
    "php": "php php3 php4 php5 phtml",
    "javascript": "js mjs cjs",
    "typescript": "ts",
    "zig": "zig",
    "nim": "nim",
    "ruby": "rb",
    "perl": "pl pm t",
    "haskell": "hs",
    "ocaml": "ml mli",
    "delphi": "pas pp",
    "ada": "adb ads",
}
_LANGUAGES = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}
_SHEBANG = re.compile(r"#!.*?\b(python|perl|php|ruby|node)[\d.]*(?:\s|$)")
_HEADER = re.compile(r"\s*#\s*(?:include|ifndef|pragma)\b|.*-\*-\s*C\+\+\s*-\*-")
_HEADER_LINES = 60  # a licence stands before the first directive


def language_of(file_name: str, lines: Sequence[str]) -> str:
    """Return Pygments' name of a file's language; empty if it is not one of those above."""
    ending = PurePosixPath(file_name.replace("\\", "/")).suffix.removeprefix(".")
    if language := _LANGUAGES.get(ending) or _LANGUAGES.get(ending.lower()):
        return language
    beginning = [line[:_LONGEST_LINE] for line in lines[:_HEADER_LINES]]
    if beginning and (found := _SHEBANG.match(beginning[0])):
        return "javascript" if found[1] == "node" else found[1]
    if not ending and any(map(_HEADER.match, beginning)):
        return "cpp"  # <vector> is a file's whole name
    return ""


def _lexer(language: str, is_inline: bool) -> Lexer:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, startinline=is_inline)  # of PHP; others have no such option


# -------------------------------------------------------------------- tokens


def _text(lines: Iterable[str]) -> tuple[str, Int64Array]:
    """Return the lines as one text, and the offset of each line in it, plus one for the end.

    Long lines are empty in it. Runs of lines with nothing but blanks and stars are truncated, and
    lines beyond the character limit left out: these have the offset of the next line.
    """
    pieces, length, run = [], 0, 0
    for line in lines:
        run = run + 1 if _TEDIOUS.fullmatch(line) else 0
        piece = "" if run > _TEDIOUS_LINES else f"{line}\n" if _is_harmless(line) else "\n"
        length += len(piece)
        pieces.append(piece if length <= _MOST_CHARACTERS else "")
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return "".join(pieces), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def _is_harmless(line: str) -> bool:
    return len(line) <= _HARMLESS or (
        len(line) <= _LONGEST_LINE and not _TEDIOUS_STRETCH.search(line)
    )


_NO_TOKENS = np.empty((0, 3), np.int64)
_FAILURES = (RecursionError, LookupError, ValueError, TypeError)  # of a lexer: it stops there


def _tokens(lexer: Lexer, text: str, offsets: Int64Array, progress: Progress) -> Int64Array:
    """Return start, end and kind of the highlighted tokens in these lines: shape (tokens, 3).

    Stops at the time limit.
    """
    found: list[tuple[int, int, int]] = []
    first, last = int(offsets[0]), int(offsets[-1])
    deadline = time.thread_time() + _PATIENCE
    with contextlib.suppress(*_FAILURES):
        for number, (start, name, value) in enumerate(lexer.get_tokens_unprocessed(text)):
            if number % _BATCH == 0:
                progress.check(min(1.0, start / max(last, 1)))
            if start >= last or (number % _BATCH == 0 and time.thread_time() > deadline):
                break
            end = start + len(value)
            if end > first and (kind := _kind(name)):
                found.append((start, min(end, last), kind))
    return np.array(found, np.int64).reshape(-1, 3)


@cache
def _kind(name: Any) -> Token:
    """Return the kind of a Pygments token type: that of its nearest known ancestor."""
    from pygments.token import Token as Names

    while name is not Names:
        if kind := _KINDS.get(str(name).removeprefix("Token.")):
            return kind
        name = name.parent
    return Token.PLAIN


_KINDS = {
    "Comment": Token.COMMENT,
    "Comment.Preproc": Token.PREPROCESSOR,
    "Comment.PreprocFile": Token.STRING,
    "Keyword": Token.KEYWORD,
    "Keyword.Type": Token.TYPE,
    "Name.Attribute": Token.PREPROCESSOR,
    "Name.Builtin": Token.KEYWORD,
    "Name.Class": Token.NAME,
    "Name.Decorator": Token.PREPROCESSOR,
    "Name.Exception": Token.TYPE,
    "Name.Function": Token.NAME,
    "Name.Namespace": Token.NAME,
    "Literal.String": Token.STRING,
    "Literal.Number": Token.NUMBER,
    "Operator": Token.OPERATOR,
    "Operator.Word": Token.KEYWORD,
}


def _by_line(first: int, offsets: Int64Array, tokens: Int64Array) -> Highlights:
    """Cut tokens at line ends, and join adjacent ones of the same kind."""
    start, end, kind = tokens.T
    top = np.maximum(np.searchsorted(offsets, start, "right") - 1, 0)
    bottom = np.searchsorted(offsets, end - 1, "right") - 1
    row = np.repeat(np.arange(len(tokens)), bottom - top + 1)
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(bottom - top + 1)))[:-1]
    line = top[row] + np.arange(len(row)) - before[row]
    start = np.maximum(start[row], offsets[line])
    end = np.minimum(end[row], offsets[line + 1] - 1)  # without the line's end
    seen = end > start
    return _joined(first, offsets, start[seen], end[seen], kind[row][seen], line[seen])


def _joined(
    first: int,
    offsets: Int64Array,
    start: Int64Array,
    end: Int64Array,
    kind: Int64Array,
    line: Int64Array,
) -> Highlights:
    goes_on = (start[1:] == end[:-1]) & (kind[1:] == kind[:-1])  # a line's end is between lines
    heads = np.flatnonzero(np.concatenate((np.ones(min(1, len(start)), bool), ~goes_on)))
    tails = np.concatenate((heads[1:] - 1, [len(start) - 1]))[: len(heads)]
    line = line[heads]
    starts = np.searchsorted(line, np.arange(len(offsets)))
    return Highlights(
        first,
        starts.astype(np.int32),
        (start[heads] - offsets[line]).astype(np.int32),
        (end[tails] - start[heads]).astype(np.int32),
        kind[heads].astype(np.int8),
    )
