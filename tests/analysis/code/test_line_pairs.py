"""Source lines of two versions of a file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.code.line_costs import LineCosts, file_lines
from qcachegrind_py.analysis.code.line_pairs import PairedLines, pair_lines, paired_costs
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA, profile_from

FOLDER = DATA / "comparison"


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


def lines_of(**costs: int) -> LineCosts:
    """The lines of a file with their costs: `l3=5` is line 3."""
    rows = "".join(f"{line[1:]} {cost}\n" for line, cost in costs.items())
    return file_of(profile_from(f"events: Ir\nfl=a.c\nfn=f\n{rows}"), "a.c")


def file_of(profile: Profile, path: str) -> LineCosts:
    return file_lines(profile, profile.texts.index_of(path), ALL_PARTS)


def rows(lines: PairedLines) -> list[tuple[int, int, int, int]]:
    """Line and cost of base and new, of each row."""
    columns = lines.base_line, lines.new_line, lines.base[0], lines.new[0]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_costs_of_paired_lines() -> None:
    """Lines of one side have no cost on the other, and follow their predecessor."""
    new_line = pair_lines(list("abcd"), list("xacde"))
    paired = paired_costs(
        lines_of(l1=10, l2=20, l4=40, l0=7), lines_of(l1=1, l2=11, l4=41), new_line
    )

    assert rows(paired) == [
        (0, 0, 7, 0),  # the unknown line
        (0, 1, 0, 1),
        (1, 2, 10, 11),
        (2, 0, 20, 0),
        (4, 4, 40, 41),
    ]


def test_lines_beyond_the_text() -> None:
    """A recorded line that the source does not have pairs by its number."""
    assert rows(paired_costs(lines_of(l9=5), lines_of(l9=6), pair_lines(["a"], ["a"]))) == [
        (9, 9, 5, 6)
    ]


def test_lines_added_on_top() -> None:
    """By number, almost every line changes; by text, those that do add up to the change."""
    compared = compare(
        load(FOLDER / "callgrind.out.lines-before.xz"),
        load(FOLDER / "callgrind.out.lines-after.xz"),
    )
    queries = compared.queries
    file = queries.profile.texts.index_of("/corpus/comparison/lines.c")
    base, new = (queries.lines_of_file(file, side.parts) for side in (compared.base, compared.new))
    texts = [
        (FOLDER / name).read_text(encoding="utf-8").splitlines()
        for name in ("clones.c", "clones-edited.c")
    ]
    by_number = paired_costs(base, new, np.arange(60, dtype=np.int32))
    by_text = paired_costs(base, new, pair_lines(*texts))
    change = int(new.self_cost.sum() - base.self_cost.sum())

    assert changes(by_text) == changes(by_number) == change == 51_694
    assert (sizes(by_number), sizes(by_text)) == (1_873_138, 55_936)


def changes(lines: PairedLines) -> int:
    return int((lines.new - lines.base).sum())


def sizes(lines: PairedLines) -> int:
    return int(np.abs(lines.new - lines.base).sum())
