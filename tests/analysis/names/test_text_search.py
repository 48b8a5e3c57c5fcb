"""Columns of texts, which are searched and sorted."""

from __future__ import annotations

import re

import numpy as np
import pytest

from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.visible_text import visible_text
from tests.profile_rows import profile_from

ROWS = ["lib.so", "", "LIB.so", "b", "lib.so", "näme", "x\ufffd", "li"]


@pytest.fixture
def column() -> TextColumn:
    return TextColumn.from_indexed(ROWS, np.arange(len(ROWS)))


def rows(found: np.ndarray) -> list[int]:
    return np.flatnonzero(found).tolist()


@pytest.mark.parametrize(
    ("text", "equal", "containing"),
    [
        ("lib.so", [0, 4], [0, 2, 4]),
        ("LIB.so", [2], [0, 2, 4]),
        ("", [1], [0, 1, 2, 3, 4, 5, 6, 7]),
        ("li", [7], [0, 2, 4, 7]),
        ("b", [3], [0, 2, 3, 4]),
        ("näme", [5], [5]),
        ("x\ufffd", [6], [6]),
        ("b\nlib.so", [], []),
        (r"b\x0alib.so", [], []),
        ("lib.so\n", [], []),
    ],
)
def test_rows_of_a_text(
    column: TextColumn, text: str, equal: list[int], containing: list[int]
) -> None:
    """Equality compares every character, containment ignores case; no match spans two texts."""
    assert (rows(column.equal_to(text)), rows(column.containing(text))) == (equal, containing)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a*b", ["a::b", "acb"]),
        ("A*b*", ["a::b", "acb"]),
        ("*cb", ["acb"]),
        ("operator*", ["operator*"]),
        ("b*a", []),
        (".", []),
        ("*", ["operator*"]),
    ],
)
def test_a_star_stands_for_any_characters_where_no_name_has_it(text: str, found: list[str]) -> None:
    """A star as written is found first, so C++ operators and pointers can be searched for."""
    names = ["a::b", "acb", "operator*", "operator+"]
    column = TextColumn.from_indexed(names, np.arange(len(names)))

    assert [names[row] for row in rows(column.found_by(text))] == found


def test_rows_of_a_pattern(column: TextColumn) -> None:
    """A pattern is matched against one text at a time."""
    assert rows(column.matching(re.compile("^li", re.MULTILINE))) == [0, 4, 7]
    assert rows(column.matching(re.compile("o$", re.MULTILINE))) == [0, 2, 4]


def test_a_column_without_rows() -> None:
    """A column without rows has no matches."""
    none = TextColumn.from_indexed([], np.arange(0))
    assert [rows(none.containing("a")), rows(none.equal_to("a")), rows(none.equal_to(""))] == [
        [],
        [],
        [],
    ]


def test_columns_of_functions() -> None:
    """Names, files and objects are searched separately, as displayed."""
    names = FunctionNames(
        profile_from(
            b"events: Ir\nob=/lib/a.so\nfl=b.c\nfn=c\n1 1\nob=\nfl=a.so\nfn=\xe9\n1 1\n"
            b"ob=/lib/a.so\nfl=\nfn=b.c\n1 1\nfn=\n1 1\n"
        )
    )
    found = [
        [rows(names.containing(text, of)) for of in NameColumn]
        for text in ("a.so", "b.c", "???", r"\xe9")
    ]
    assert found == [
        [[], [1], [0, 2, 3]],
        [[2], [0], []],
        [[3], [2, 3], [1]],
        [[1], [], []],
    ]
    assert rows(names.column(NameColumn.NAME).equal_to(r"\xe9")) == [1]
    assert rows(names.column(NameColumn.NAME).equal_to("???")) == [3]
    assert rows(names.column(NameColumn.OBJECT).equal_to("a.so")) == []
    assert rows(names.matching("A.SO$", NameColumn.OBJECT)) == [0, 2, 3]


@pytest.mark.parametrize(
    ("shown", "exact", "found"),
    [
        (r"a\x1b[31m", "a\x1b[31m", [0]),
        (r"b\u202ec", "b\u202ec", [1]),
        (r"\x1b", "\x1b", [0, 2]),
        (r"caf\xe9", "caf\udce9", [3]),
        ("café", "café", [4]),
        (r"\U00110000", r"\U00110000", []),
    ],
)
def test_a_text_is_found_by_what_is_seen_of_it(shown: str, exact: str, found: list[int]) -> None:
    """Text that is copied from the screen finds the name, as the name itself does."""
    texts = ["a\x1b[31m", "b\u202ec", r"c\x1b", "caf\udce9", "café"]
    column = TextColumn.from_indexed(texts, np.arange(len(texts)))
    whole = [row for row in found if visible_text(texts[row]) == shown]
    assert rows(column.containing(shown)) == found
    assert rows(column.equal_to(shown)) == whole
    assert set(rows(column.containing(exact))) <= set(found)
    assert [texts[row] for row in rows(column.equal_to(exact))] == [
        text for text in texts if text == exact
    ]
