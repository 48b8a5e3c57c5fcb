"""The lines of a function on both sides of a comparison."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from qcachegrind_py.analysis.code.line_numbering import (
    ChangedLines,
    Numbering,
    Numberings,
    changed_lines,
    number_by_calls,
    number_texts,
)
from qcachegrind_py.analysis.code.location_costs import LineCosts, file_lines, function_lines
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import TextId, function_id, text_ids
from qcachegrind_py.profile.profile import Profile
from tests.analysis.comparison.test_identities import generated, programs
from tests.profile_rows import DATA, profile_from

FOLDER = DATA / "comparison"
BASE = "events: Ir Dr\nfl=a.c\nfn=f\n1 10 1\n2 20 2\nfi=b.h\n7 70 7\nfe=a.c\n3 30 3\n"
NEW = "events: Ir Dr\nfl=a.c\nfn=f\n1 1 1\n2 11 1\n4 31 3\nfi=b.h\n7 71 7\nfi=c.h\n1 5 0\n"


def rows(changed: ChangedLines) -> list[tuple[int, int, int, int]]:
    """Line and first cost of base and new, of each row."""
    columns = changed.base_line, changed.new_line, changed.base[0], changed.new[0]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_lines_of_all_files() -> None:
    """By text in files whose texts are known, by number in others; a file may be new."""
    compared = compare(profile_from(BASE), profile_from(NEW))
    merged = compared.queries.profile
    sides = (
        function_lines(merged, function_id(0), scope.parts)
        for scope in (compared.base, compared.new)
    )
    numberings = {merged.texts.index_of("a.c"): number_texts(list("abc"), list("xabc"))}

    changed = changed_lines(*sides, numberings)
    names = [merged.texts[TextId(number)] for number in changed.file.tolist()]

    assert list(zip(names, rows(changed), strict=True)) == [
        ("a.c", (0, 1, 0, 1)),
        ("a.c", (1, 2, 10, 11)),
        ("a.c", (2, 3, 20, 0)),
        ("a.c", (3, 4, 30, 31)),
        ("b.h", (7, 7, 70, 71)),
        ("c.h", (1, 1, 0, 5)),
    ]


def test_no_lines() -> None:
    """A function without lines on either side has none."""
    profile = profile_from("events: Ir Dr\nfl=a.c\nfn=f\n1 10 1\n")
    empty = function_lines(profile, function_id(0), frozenset())
    changed = changed_lines(empty, empty, {})

    assert (len(changed), changed.base.shape, changed.new.shape) == (0, (2, 0), (2, 0))


@generated
@given(programs(), programs())
def test_lines_add_up_to_the_self_cost(one: bytes, other: bytes) -> None:
    """Of every function, in each event and on both sides, however its lines are numbered."""
    compared = compare(profile_from(one), profile_from(other))
    merged = compared.queries.profile
    for row in range(compared.queries.function_count):
        sides = [
            function_lines(merged, function_id(row), scope.parts)
            for scope in (compared.base, compared.new)
        ]
        base, new = sides
        files = text_ids(np.union1d(base.file, new.file))
        ways: list[Numberings] = [
            {},
            {file: number_texts(list("abcab"), list("bcaab")) for file in files},
            {file: number_by_calls(base, new, file, 4) for file in files},
            {file: number_by_calls(new, base, file, 4).swapped() for file in files},
        ]
        for numberings in ways:
            lines = changed_lines(base, new, numberings)

            assert lines.base.sum(axis=1).tolist() == base.self_cost.sum(axis=1).tolist()
            assert lines.new.sum(axis=1).tolist() == new.self_cost.sum(axis=1).tolist()


# ---------------------------------------------------------------- one file


def paired(base: dict[int, int], new: dict[int, int], numbering: Numbering) -> ChangedLines:
    """Pair the lines of a file; they are given with their costs."""
    sides = (lines_of(each) for each in (base, new))
    profile = profile_from("events: Ir\nfl=a.c\nfn=f\n1 1\n")
    return changed_lines(*sides, {file_of(profile): numbering})


def lines_of(costs: dict[int, int]) -> LineCosts:
    body = "".join(f"{line} {cost}\n" for line, cost in costs.items())
    profile = profile_from(f"events: Ir\nfl=a.c\nfn=f\n{body}")
    return file_lines(profile, file_of(profile), ALL_PARTS)


def file_of(profile: Profile) -> TextId:
    return profile.texts.index_of("a.c")


def test_costs_of_paired_lines() -> None:
    """Lines of one side have no cost on the other, and follow their predecessor."""
    numbering = number_texts(list("abcd"), list("xacde"))
    changed = paired({1: 10, 2: 20, 4: 40, 0: 7}, {1: 1, 2: 11, 4: 41}, numbering)

    assert rows(changed) == [
        (0, 0, 7, 0),  # the unknown line
        (0, 1, 0, 1),
        (1, 2, 10, 11),
        (2, 0, 20, 0),
        (4, 4, 40, 41),
    ]


def test_a_moved_line_is_one_row() -> None:
    """With both of its places: what it costs did not change."""
    numbering = number_texts(list("abcd"), list("bcda"))

    assert rows(paired({1: 10, 2: 5}, {4: 10, 1: 6}, numbering)) == [(2, 1, 5, 6), (1, 4, 10, 10)]


def test_lines_beyond_the_text() -> None:
    """A recorded line that the source does not have pairs by its number."""
    numbering = number_texts(["a"], ["a", "b"])

    assert rows(paired({9: 5, 2: 3}, {9: 6, 2: 4}, numbering)) == [
        (0, 2, 0, 4),  # the base has no second line: its text is not the recorded one
        (2, 2, 3, 0),
        (9, 9, 5, 6),
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
    by_number = changed_lines(base, new, {})
    by_text = changed_lines(base, new, {file: number_texts(*texts)})
    change = int(new.self_cost.sum() - base.self_cost.sum())

    assert changes(by_text) == changes(by_number) == change == 51_694
    assert (sizes(by_number), sizes(by_text)) == (1_873_138, 55_936)


def changes(lines: ChangedLines) -> int:
    return int((lines.new - lines.base).sum())


def sizes(lines: ChangedLines) -> int:
    return int(np.abs(lines.new - lines.base).sum())
