"""Source highlighting: a few lines get the colours they have in the whole file."""

from __future__ import annotations

import ast
import inspect
import random
import statistics
from types import ModuleType

import pytest
from pygments.lexers import get_lexer_by_name

from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.text_file import Highlights, Token, highlight, language_of

SIGNS = " ktns1#p."  # by Token; "s" are strings, "#" comments, "." operators


LIKE = (
    ("Comment.PreprocFile", "s"), ("Comment.Preproc", "p"), ("Comment", "#"),
    ("Keyword.Type", "t"), ("Keyword", "k"), ("Operator.Word", "k"), ("Operator", "."),
    ("Name.Builtin", "k"), ("Name.Class", "n"), ("Name.Function", "n"), ("Name.Namespace", "n"),
    ("Name.Decorator", "p"), ("Name.Attribute", "p"), ("Name.Exception", "t"),
    ("Literal.String", "s"), ("Literal.Number", "1"),
)  # fmt: skip


def slowly_drawn(lines: list[str], lexer: str) -> list[str]:
    """The same for a whole file, one character at a time."""
    text = "\n".join(lines) + "\n"
    signs = [" "] * len(text)
    for start, name, value in get_lexer_by_name(lexer).get_tokens_unprocessed(text):
        sign = next((s for n, s in LIKE if str(name).startswith(f"Token.{n}")), " ")
        signs[start : start + len(value)] = sign * len(value)
    painted = "".join(s if c != "\n" else c for s, c in zip(signs, text, strict=True))
    return [line.rstrip() for line in painted.split("\n")[:-1]]


def drawn(highlights: Highlights, lines: list[str]) -> list[str]:
    """A sign below each character for its kind, without trailing blanks."""
    drawing = []
    for number in range(highlights.first, highlights.first + len(highlights)):
        signs = [" "] * len(lines[number])
        for column, length, kind in highlights.of_line(number):
            signs[column : column + length] = SIGNS[kind] * length
        drawing.append("".join(signs).rstrip())
    return drawing


def colours(lines: list[str], name: str, first: int = 0, last: int | None = None) -> list[str]:
    end = len(lines) if last is None else last
    return drawn(highlight(lines, name, first, end, NoProgress()), lines)


C = """
#include <vector>

/* over
  lines */ static int f(const char *s)
{
\treturn s == "a\\t" ? 0x1F : g(s); // "
}
struct P : Q {};
"""
C_DRAWN = """
pppppppp ssssssss

#######
########## kkkkkk ttt n kkkkk tttt .

 kkkkkk   .. sssss . 1111 .       ####

kkkkkk n .
"""
PYTHON = '''
@once
def f(x: int = 3) -> str:
    """Says
    so."""
    return f"{x}" if x else None  # end
'''
PYTHON_DRAWN = """
ppppp
kkk n    kkk . 1  .. kkk
    sssssss
ssssssssss
    kkkkkk sss ss kk   kkkk kkkk  #####
"""


@pytest.mark.parametrize(
    ("name", "text", "drawing"),
    [("/src/a.cpp", C, C_DRAWN), ("a.py", PYTHON, PYTHON_DRAWN)],
)
def test_kinds(name: str, text: str, drawing: str) -> None:
    """Keywords, types, names, strings, numbers, comments, directives and operators."""
    lines = text.strip("\n").split("\n")

    assert colours(lines, name) == drawing.strip("\n").split("\n")


# The end of each looks like the start of something else.
BLOCKS = (
    "/* was:\n\nint old(char c)\n{\n  return '\"';\n}\n\nstruct X {};\n*/",
    'const char *usage = R"(\nclass T {\n\nint main() /*\n)";',
    "#if 0\n\nint never(int a)\n{\n#ifdef A\n  /*\n#else\n#endif\n}\n#endif",
    "#define SWAP(a, b) \\\n  do { \\\n    auto c = a; a = b; /* \\\n */ b = c; \\\n  } while (0)",
    "template<typename T, int n>\nstatic inline T\nsum(const T (&all)[n])\n{\n  T x{};\n\n"
    "#ifdef FAST\n  x += all[0]; // it's \"\n#endif\n\n  for (T a : all)\n    x += a;\n\n"
    "again:\n  if (x < 1'000) goto again;\n  return x;\n}",
    "namespace inner {\n\nclass Q : public P {\n public:\n  Q() = default;\n\n"
    "  virtual bool is(char c) const { return c == '\\'' || c == '\"'; }\n\n};\n\n}  // inner",
    'extern "C" int puts(const char *); enum E { A, B };\nunion U { int a; float b; };',
)


def made_cpp(seed: int) -> list[str]:
    """A file of some 2,000 lines, with the blocks in random order."""
    chosen = random.Random(seed)
    blocks = [chosen.choice(BLOCKS) + "\n" * chosen.randint(1, 2) for _ in range(220)]
    return "\n".join(blocks).split("\n")


def test_few_lines_of_cpp_are_as_in_the_whole_file() -> None:
    """Lexing starts outside of comments, raw strings, `#if 0` and functions."""
    lines = made_cpp(1)
    whole = slowly_drawn(lines, "cpp")

    parts = {first: colours(lines, "a.h", first, first + 40) for first in range(0, len(lines), 97)}

    assert parts == {first: whole[first : first + 40] for first in parts}


@pytest.mark.slow
@pytest.mark.parametrize("module", [ast, statistics], ids=lambda m: m.__name__)
def test_few_lines_of_python_are_as_in_the_whole_file(module: ModuleType) -> None:
    """In real files with long docstrings, no docstring is taken for code or vice versa."""
    lines = inspect.getsource(module).split("\n")
    whole = slowly_drawn(lines, "python")

    starts = range(0, len(lines), 131)
    parts = {first: colours(lines, "a.py", first, first + 50) for first in starts}

    assert len(lines) > 600
    assert parts == {first: whole[first : first + 50] for first in parts}


def test_a_file_that_is_one_comment_is_a_comment_anywhere() -> None:
    """Without a safe start, lexing begins at the comment that encloses everything."""
    lines = ["/*", *["int f() {", "", "}"] * 2000, "*/ int x;"]

    assert colours(lines, "a.c", 4999, 5002) == ["#" * 9, "", "#"]
    assert colours(lines, "a.c", 6001, 6002) == ["## ttt"]


def test_far_lines_of_a_large_file_are_read_from_a_declaration_before_them() -> None:
    """Beyond what is read at once, reading starts anew outside of functions and comments."""
    block = ["/*", "", "int old() {", "*/", "int f(const char *s)", "{", "", "  return 1;", "}", ""]
    comment = ["/* long", *["", "int old() {"] * 1000, "*/"]
    lines = [*block * 10_000, *comment, *block]
    once = colours(block, "a.c")

    assert colours(lines, "a.c", 90_007, 90_047) == (once * 5)[7:47]
    assert colours(lines, "a.c", 101_999, 102_012) == ["", "#" * 11, "##", *once]


@pytest.mark.parametrize(
    ("name", "lines", "language"),
    [
        ("/usr/include/c++/12/bits/stl_vector.h", [], "cpp"),
        ("C:\\src\\a.CPP", [], "cpp"),
        ("/usr/include/c++/12/vector", ["// <vector> -*- C++ -*-"], "cpp"),
        ("/opt/QtCore/QString", ['#include "qstring.h"'], "cpp"),
        ("vfscanf-internal.c", [], "c"),
        ("start.S", [], "gas"),
        ("memcpy.s", [], "gas"),
        ("/rustc/ab12/library/core/src/iter.rs", [], "rust"),
        ("solve.f90", [], "fortran"),
        ("OLD.F", [], "fortranfixed"),
        ("app.d", [], "d"),
        ("index.php", [], "php"),
        ("tool", ["#!/usr/bin/env python3"], "python"),
        ("tool", ["#! /usr/bin/perl -w"], "perl"),
        ("run", ["#!/bin/sh"], ""),
        ("x.unknown", ["#include <a>"], ""),
        ("notes", ["about", "nothing"], ""),
        ("", [], ""),
        ("???", [], ""),
    ],
)
def test_languages(name: str, lines: list[str], language: str) -> None:
    """The suffix decides, else the first lines; unknown languages stay plain."""
    assert language_of(name, lines) == language


def test_within_php_and_outside() -> None:
    """Lexing may start inside PHP or in the text around it."""
    body = ["", "function f() {", "  return 'x';", "}"] * 150
    inside, outside = ["<?php", *body], ["<?php", "?>", *body]

    assert colours(inside, "a.php", 401, 405) == ["", "kkkkkkkk n", "  kkkkkk sss", ""]
    assert colours(outside, "a.php", 402, 406) == ["", "", "", ""]


def test_invalid_requests() -> None:
    """Lines beyond the file are omitted; an unknown language gives lines without colours."""
    text = ["int a;"]

    shapes = [
        (h.first, len(h), h.starts.tolist(), [list(h.of_line(n)) for n in (-1, 0, 1)])
        for h in (
            highlight(text, "a.c", -3, 9, NoProgress()),
            highlight(text, "a.c", 5, 9, NoProgress()),
            highlight([], "a.c", 0, 0, NoProgress()),
            highlight(text, "a.txt", 0, 1, NoProgress()),
        )
    ]

    assert shapes == [
        (0, 1, [0, 1], [[], [(0, 3, Token.TYPE)], []]),
        (1, 0, [0], [[], [], []]),
        (0, 0, [0], [[], [], []]),
        (0, 1, [0, 0], [[], [], []]),
    ]


def test_columns_are_characters() -> None:
    """Non-BMP and combining characters count as one column each, as in Python."""
    assert colours(["s = '😀é'; int x;"], "a.js")[0][:11] == "  . ssss  k"


@pytest.mark.slow
def test_pathological_text_is_left_plain() -> None:
    """Long lines, endless blanks or stars, and text beyond the limit have no colour.

    The lines around them do; Pygments' C lexer takes minutes for these ranges.
    """
    lines = ["int a; // " + "x" * 3000, "int b;"]
    lines += ["static T", *["*  "] * 30_000, "int c;", "x" + " * " * 500 + "y", "int d;"]
    lines += ["int e; /* long */" * 20] * 2000 + ["int f;"]

    drawing = colours(lines, "a.c")

    tail = len(lines) - 2001
    assert drawing[:2] == ["", "ttt"]
    assert drawing[tail - 3 : tail] == ["ttt", "", "ttt"]
    assert drawing[tail : tail + 2] == ["ttt    ##########" * 20] * 2
    assert drawing[-1] == ""


class Impatient:
    """Progress that is cancelled at the second check."""

    looks = 0

    def check(self, fraction: float, text: str = "") -> None:
        assert 0 <= fraction <= 1
        self.looks += 1
        if self.looks == 2:
            raise Cancelled


@pytest.mark.parametrize("first", [0, 19_000])
def test_highlighting_can_be_cancelled(first: int) -> None:
    """Lexing and the search for its start both check for cancellation."""
    lines = ["int f(int a) { return a + 1; }  // one", ""] * 10_000
    progress = Impatient()

    with pytest.raises(Cancelled):
        highlight(lines, "a.c", first, first + 1000, progress)

    assert progress.looks == 2
