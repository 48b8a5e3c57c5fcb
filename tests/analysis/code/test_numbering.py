"""One numbering for the lines of two texts, or of one text and the calls of both sides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.code.line_numbering import (
    Numbering,
    number_by_calls,
    number_passages,
    number_texts,
    united_lines,
)
from qcachegrind_py.analysis.code.location_costs import LineCosts, file_lines
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import profile_from


def pairs(numbering: Numbering) -> list[str]:
    """The lines in order: base number, new number, and whether it has moved."""
    columns = numbering.base_line, numbering.new_line, numbering.is_moved
    rows = zip(*(column[1:].tolist() for column in columns), strict=True)
    return [f"{base}-{new}{' moved' if moved else ''}" for base, new, moved in rows]


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ("abc", "abc", ["1-1", "2-2", "3-3"]),
        ("abc", "xabc", ["0-1", "1-2", "2-3", "3-4"]),
        ("abc", "ac", ["1-1", "2-0", "3-2"]),
        ("abc", "axc", ["1-1", "2-0", "0-2", "3-3"]),
        ("abcd", "bcda", ["2-1", "3-2", "4-3", "1-4 moved"]),
        ("ab", "", ["1-0", "2-0"]),
        ("", "ab", ["0-1", "0-2"]),
    ],
)
def test_gone_lines_stand_behind_the_line_before_them(
    base: str, new: str, expected: list[str]
) -> None:
    """Each letter is a line; one that is elsewhere has moved."""
    found = sorted(pairs(number_texts(base, new)), key=expected.index)

    assert found == expected


@pytest.mark.parametrize(
    ("base", "new", "passages", "expected"),
    [
        # a comment, f with its lines, and a dot were moved; what is around them is other code
        ("o/fabc.p", "q/faXc.o", ((2, 6), (2, 6)), "2-2 3-3 4-4 5-0 0-5 6-6 7-7"),
        ("o/fabc.p", "q/faXc.o", ((3, 6), (2, 7)), "2-2 3-3 4-4 5-0 0-5 6-6 7-7"),
        ("abcfo", "ofabd", ((0, 3), (2, 5)), "1-3 2-4 3-0 0-5"),
        ("ab", "cd", ((0, 1), (1, 2)), "1-0 0-2"),
    ],
)
def test_a_passage_of_another_text(
    base: str, new: str, passages: tuple[tuple[int, int], tuple[int, int]], expected: str
) -> None:
    """Lines around it belong to it where they are equal; where costs begin may differ."""
    numbering = number_passages(base, new, *(range(*each) for each in passages))
    rows = pairs(numbering)
    within = [rows[number - 1] for number in numbering.passage]

    assert within == expected.split()
    assert [row for row in rows if row not in within] == [
        f"0-{line}" for line in range(1, len(new) + 1) if f"-{line} " not in f"{expected} "
    ]


@given(st.text("abcde"), st.text("abcde"))
def test_each_line_has_one_number_and_its_text(base: str, new: str) -> None:
    """Numbers of both sides lead back to their lines, and beyond the texts they go on."""
    numbering = number_texts(base, new)
    texts = numbering.texts(base, new)
    lines = np.arange(1, len(new) + 3)

    assert [numbering.line(number) for number in numbering.of_new(lines).tolist()] == lines.tolist()
    assert [texts[n - 1] for n in numbering.of_new(lines[:-2]).tolist()] == list(new)
    of_base = numbering.of_base(np.arange(1, len(base) + 1)).tolist()
    assert [texts[number - 1] for number in of_base] == list(base)
    assert sorted({*of_base, *numbering.of_new(lines[:-2]).tolist()}) == [*range(1, len(texts) + 1)]


def lines_of(*costs: str) -> tuple[Profile, LineCosts]:
    """The lines of a profile with these cost lines in the body of f, and functions g, h and k."""
    calls = [
        line if line[0].isdigit() else f"cfn={line.split()[0]}\ncalls=1 90\n{line.split()[1]} 1"
        for line in costs
    ]
    profile = profile_from(
        "events: Ir\nfl=a.c\nfn=g\n90 1\nfn=h\n91 1\nfn=k\n92 1\nfn=f\n" + "\n".join(calls) + "\n"
    )
    return profile, file_lines(profile, file_of(profile), None)


def file_of(profile: Profile) -> TextId:
    return TextId(profile.texts.index_of("a.c"))


def test_lines_align_by_their_calls_if_one_text_is_known() -> None:
    """Two lines were added above the first call, one between both: other lines follow the calls."""
    profile, base = lines_of("4 10", "g 5", "6 10", "h 7", "8 10")
    _, new = lines_of("6 10", "g 7", "8 10", "9 7", "h 10", "11 10")

    numbering = number_by_calls(base, new, file_of(profile), 91)

    found = numbering.of_base(np.array([4, 5, 6, 7, 8]))
    assert [numbering.line(number) for number in found.tolist()] == [6, 7, 8, 10, 11]


def test_a_line_with_a_call_is_no_line_without() -> None:
    """The call of g has moved: its line is not the one at the same distance from the call of h."""
    profile, base = lines_of("4 10", "h 5", "6 10", "g 7", "8 10")
    _, new = lines_of("6 10", "7 10", "8 10", "g 9", "h 10", "11 10")

    numbering = number_by_calls(base, new, file_of(profile), 91)

    found = numbering.of_base(np.array([4, 5, 6, 7, 8]))
    lines = [column.tolist() for column in numbering.lines_of(found)]
    assert lines == [[4, 5, 6, 7, 8], [0, 10, 11, 0, 13]]


def test_a_line_that_calls_another_function_is_the_same_line() -> None:
    """At the same distance from a call of both sides, one call has been replaced by another."""
    profile, base = lines_of("4 10", "g 5", "h 6")
    _, new = lines_of("6 10", "g 7", "k 8")

    numbering = number_by_calls(base, new, file_of(profile), 91)

    found = numbering.of_base(np.array([4, 5, 6]))
    assert numbering.lines_of(found)[1].tolist() == [6, 7, 8]


def test_the_only_text_may_be_that_of_the_base() -> None:
    """Its lines then have the numbers, and lines of the new side follow the calls."""
    profile, base = lines_of("4 10", "g 5", "6 10", "h 7", "8 10")
    _, new = lines_of("6 10", "g 7", "8 10", "9 7", "h 10", "11 10")

    numbering = number_by_calls(new, base, file_of(profile), 91).swapped()

    found = numbering.of_new(np.array([6, 7, 8, 9, 10, 11]))
    lines = [column.tolist() for column in numbering.lines_of(found)]
    # line 9 is between both calls, of which the second one is where it would be in the base
    assert lines == [[4, 5, 6, 0, 7, 8], [6, 7, 8, 9, 10, 11]]
    assert numbering.texts([f"base {line}" for line in range(1, 92)], ())[5] == "base 6"
    assert (numbering.has_all_base, numbering.has_all_new) == (True, False)


def test_both_sides_have_equal_rows_and_all_their_costs() -> None:
    """A line of one side alone has no cost on the other, and no cost is lost."""
    profile, base = lines_of("4 10", "g 5", "6 10")
    _, new = lines_of("6 11", "7 3", "g 7", "8 10")
    numbering = number_texts([*"abcdefg"], [*"xyabcdefg"])

    before, now = united_lines(base, new, file_of(profile), {file_of(profile): numbering})

    assert before.line.tolist() == now.line.tolist()
    assert (int(before.self_cost.sum()), int(now.self_cost.sum())) == (23, 27)
    assert before.calls.callee.tolist() == now.calls.callee.tolist()
    changes = (now.self_cost - before.self_cost)[0].tolist()
    lines = [numbering.line(line) for line in now.line.tolist()]
    assert dict(zip(lines, changes, strict=True)) == {6: 1, 7: 3, 8: 0, 90: 0, 91: 0, 92: 0}
