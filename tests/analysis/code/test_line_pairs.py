"""Source lines of two versions of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.code.line_numbering import pair_lines


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ("abc", "abc", [1, 2, 3]),
        ("abc", "xxabc", [3, 4, 5]),
        ("abcd", "abxd", [1, 2, 0, 4]),
        ("abcd", "ad", [1, 0, 0, 2]),
        ("", "abc", []),
        ("abc", "", [0, 0, 0]),
        ("aa", "aaa", [1, 2]),
        ("abcdef", "defabc", [4, 5, 6, 0, 0, 0]),  # a block that moved is gone and new
    ],
)
def test_lines_pair_by_text(base: str, new: str, expected: list[int]) -> None:
    """Each letter is a line: added, removed and changed ones have no counterpart."""
    assert pair_lines(list(base), list(new)).tolist() == [0, *expected]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_paired_lines_have_equal_texts(base: list[str], new: list[str]) -> None:
    """In the same order, and each line of the new text at most once."""
    pairs = [(n, other) for n, other in enumerate(pair_lines(base, new).tolist()) if other]

    assert all(base[one - 1] == new[other - 1] for one, other in pairs)
    assert [other for _, other in pairs] == sorted({other for _, other in pairs})
