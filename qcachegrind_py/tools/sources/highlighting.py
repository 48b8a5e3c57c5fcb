"""Syntax highlighting of source lines: comments, strings, keywords, …

A file of 20,000 lines takes Pygments 0.7 s, so it only gets the requested lines, a run-up from
where `lexer_restart` allows it, and some lines more. Remaining errors only affect colours, such as
those of a here-document in Perl that looks like code.

The text is untrusted. Regular expressions of lexers may take quadratic time, and cannot be
interrupted: so very long lines and long runs of blanks and stars stay plain, the number of
characters and the time are limited, and only listed lexers are used. The view chooses the colours.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.tools.sources.lexer_restart import beginning, is_within_php

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_RUN_OUT = 20  # further lines: what follows a word may make it a declaration
_LONGEST_LINE = 2_000  # characters
_MOST_CHARACTERS = 400_000  # of run-up and lines: half a second
_PATIENCE = 3.0  # seconds
_BATCH = 256  # tokens between two checks for cancellation
_HARMLESS = 400  # characters of a line that are always fast
_TEDIOUS_LINES = 50
_TEDIOUS = re.compile(r"[\s*&]*")  # what may separate the words of a declaration in C
_TEDIOUS_STRETCH = re.compile(r"[\s*&]{400}")


class Token(IntEnum):
    """The kind of a highlighted span."""

    PLAIN = 0  # variables, punctuation, errors: not in `Highlights`
    KEYWORD = 1
    TYPE = 2
    NAME = 3  # of a function or class at its definition; in assembler, the mnemonic
    STRING = 4
    NUMBER = 5
    COMMENT = 6
    PREPROCESSOR = 7  # also decorators, attributes and assembler directives
    OPERATOR = 8


@dataclass(frozen=True, slots=True, eq=False)
class Highlights:
    """Highlighted spans within lines, one row each, in order; none overlap.

    Columns and lengths count Python's characters, not UTF-16 units; a tab counts as one.
    """

    first: int  # first line, from 0
    starts: Int32Array  # first row of each line, plus one element: the end of the last
    column: Int32Array
    length: Int32Array
    kind: Int8Array  # a `Token`

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of_line(self, line: int) -> Iterator[tuple[int, int, Token]]:
        """Yield column, length and kind of a line's spans; nothing for lines not covered."""
        offset = line - self.first
        if not 0 <= offset < len(self):
            return
        rows = slice(int(self.starts[offset]), int(self.starts[offset + 1]))
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
    begin = beginning(lines, first, language, progress)
    text, offsets = _text(lines[begin : last + _RUN_OUT])
    offsets = offsets[first - begin : last - begin + 1]
    lexer = _lexer(language, language == "php" and is_within_php(lines, begin))
    return _by_line(first, offsets, _tokens(lexer, text, offsets, progress))


# -------------------------------------------------------------------- languages

# Pygments' names of the lexers in use, with the file name suffixes that select them. Those of Java
# and C# search for declarations in quadratic time, and are excluded.
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
_HEADER_LINES = 60  # a licence may precede the first directive


def language_of(file_name: str, lines: Sequence[str]) -> str:
    """Return Pygments' name of a file's language; empty if it is not one of those above."""
    ending = PurePosixPath(file_name.replace("\\", "/")).suffix.removeprefix(".")
    if language := _LANGUAGES.get(ending) or _LANGUAGES.get(ending.lower()):
        return language
    first_lines = [line[:_LONGEST_LINE] for line in lines[:_HEADER_LINES]]
    if first_lines and (shebang := _SHEBANG.match(first_lines[0])):
        return "javascript" if shebang[1] == "node" else shebang[1]
    if not ending and any(map(_HEADER.match, first_lines)):
        return "cpp"  # such as <vector>
    return ""


def _lexer(language: str, is_inline: bool) -> Lexer:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, startinline=is_inline)  # of PHP; other lexers ignore it


# -------------------------------------------------------------------- tokens


def _text(lines: Iterable[str]) -> tuple[str, Int64Array]:
    """Return the lines as one text, and the offset of each line in it, plus one for the end.

    Long lines are empty in it. Runs of lines with nothing but blanks and stars are truncated, and
    lines beyond the character limit left out: these have the offset of the next line.
    """
    pieces, length, run_length = [], 0, 0
    for line in lines:
        run_length = run_length + 1 if _TEDIOUS.fullmatch(line) else 0
        piece = "" if run_length > _TEDIOUS_LINES else f"{line}\n" if _is_harmless(line) else "\n"
        length += len(piece)
        pieces.append(piece if length <= _MOST_CHARACTERS else "")
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return "".join(pieces), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def _is_harmless(line: str) -> bool:
    return len(line) <= _HARMLESS or (
        len(line) <= _LONGEST_LINE and not _TEDIOUS_STRETCH.search(line)
    )


_NO_TOKENS = np.empty((0, 3), np.int64)
_FAILURES = (RecursionError, LookupError, ValueError, TypeError)  # of lexers: highlighting ends


def _tokens(lexer: Lexer, text: str, offsets: Int64Array, progress: Progress) -> Int64Array:
    """Return start, end and kind of the highlighted tokens in these lines: shape (tokens, 3).

    Stops at the time limit.
    """
    tokens: list[tuple[int, int, int]] = []
    first, last = int(offsets[0]), int(offsets[-1])
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(*_FAILURES):
        for number, (start, name, value) in enumerate(lexer.get_tokens_unprocessed(text)):
            if number % _BATCH == 0:
                progress.check(min(1.0, start / max(last, 1)))
            if start >= last or (number % _BATCH == 0 and time.monotonic() > deadline):
                break
            end = start + len(value)
            if end > first and (kind := _kind(name)):
                tokens.append((start, min(end, last), kind))
    return np.array(tokens, np.int64).reshape(-1, 3)


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
    first_line = np.maximum(np.searchsorted(offsets, start, "right") - 1, 0)
    last_line = np.searchsorted(offsets, end - 1, "right") - 1
    row = np.repeat(np.arange(len(tokens)), last_line - first_line + 1)
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(last_line - first_line + 1)))[:-1]
    line = first_line[row] + np.arange(len(row)) - before[row]
    start = np.maximum(start[row], offsets[line])
    end = np.minimum(end[row], offsets[line + 1] - 1)  # without the line end
    is_visible = end > start
    return _joined(
        first, offsets, start[is_visible], end[is_visible], kind[row][is_visible], line[is_visible]
    )


def _joined(
    first: int,
    offsets: Int64Array,
    start: Int64Array,
    end: Int64Array,
    kind: Int64Array,
    line: Int64Array,
) -> Highlights:
    goes_on = (start[1:] == end[:-1]) & (kind[1:] == kind[:-1])  # a line end separates spans
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
