"""The lines of a function on both sides of a comparison."""

from __future__ import annotations

from hypothesis import given

from qcachegrind_py.analysis.code.line_changes import ChangedLines, changed_lines
from qcachegrind_py.analysis.code.line_costs import function_lines
from qcachegrind_py.analysis.code.line_pairs import pair_lines
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from tests.analysis.comparison.test_identities import generated, programs
from tests.profile_rows import profile_from

BASE = "events: Ir Dr\nfl=a.c\nfn=f\n1 10 1\n2 20 2\nfi=b.h\n7 70 7\nfe=a.c\n3 30 3\n"
NEW = "events: Ir Dr\nfl=a.c\nfn=f\n1 1 1\n2 11 1\n4 31 3\nfi=b.h\n7 71 7\nfi=c.h\n1 5 0\n"


def rows(profile: Profile, changed: ChangedLines) -> list[tuple[str, int, int, int, int]]:
    """File, line and first cost of base and new, of each row."""
    lines = changed.lines
    columns = lines.base_line, lines.new_line, lines.base[0], lines.new[0]
    names = [profile.texts[number] for number in changed.file.tolist()]
    return list(zip(names, *(column.tolist() for column in columns), strict=True))


def test_lines_of_all_files() -> None:
    """By text in files whose texts are known, by number in others; a file may be new."""
    compared = compare(profile_from(BASE), profile_from(NEW))
    merged = compared.queries.profile
    sides = (
        function_lines(merged, function_id(0), scope.parts)
        for scope in (compared.base, compared.new)
    )
    new_line = {merged.texts.index_of("a.c"): pair_lines(list("abc"), list("xabc"))}

    assert sorted(rows(merged, changed_lines(*sides, new_line))) == [
        ("a.c", 0, 1, 0, 1),
        ("a.c", 1, 2, 10, 11),
        ("a.c", 2, 3, 20, 0),
        ("a.c", 3, 4, 30, 31),
        ("b.h", 7, 7, 70, 71),
        ("c.h", 0, 1, 0, 5),
    ]


def test_no_lines() -> None:
    """A function without lines on either side has none."""
    profile = profile_from("events: Ir Dr\nfl=a.c\nfn=f\n1 10 1\n")
    empty = function_lines(profile, function_id(0), frozenset())
    changed = changed_lines(empty, empty, {})

    assert (len(changed), len(changed.lines), changed.lines.base.shape) == (0, 0, (2, 0))


@generated
@given(programs(), programs())
def test_lines_add_up_to_the_self_cost(one: bytes, other: bytes) -> None:
    """Of every function, in each event and on both sides."""
    compared = compare(profile_from(one), profile_from(other))
    merged = compared.queries.profile
    for row in range(compared.queries.function_count):
        sides = [
            function_lines(merged, function_id(row), scope.parts)
            for scope in (compared.base, compared.new)
        ]
        lines = changed_lines(*sides, {}).lines

        assert lines.base.sum(axis=1).tolist() == sides[0].self_cost.sum(axis=1).tolist()
        assert lines.new.sum(axis=1).tolist() == sides[1].self_cost.sum(axis=1).tolist()
