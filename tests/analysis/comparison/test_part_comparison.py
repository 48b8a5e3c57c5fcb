"""Two selections of parts of one profile."""

from __future__ import annotations

import pytest
from qcachegrind_py.analysis.comparison.selections import PartComparison, compare_parts

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from tests.profile_rows import DATA, profile_from

THREE_PARTS = """
    events: Ir
    part: 1
    fl=a.c
    fn=main
    1 10
    cfn=f
    calls=1 1
    1 5
    fn=f
    1 5
    part: 2
    events: Ir Dr
    fl=a.c
    fn=main
    1 20 1
    cfn=g
    calls=2 1
    1 6 1
    fn=g
    1 6 1
    part: 3
    events: Ir
    fl=a.c
    fn=h
    1 100
    """


def compared(base: list[int], new: list[int]) -> PartComparison:
    """Two selections of the parts of the drawn profile."""
    return compare_parts(profile_from(THREE_PARTS), base, new)


def numbers(comparison: Comparison) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """Self, inclusive and called of base and new, by function; without those of neither side."""
    ir = comparison.events[0]
    sides = comparison.self_cost(ir), comparison.inclusive(ir), comparison.called
    names = comparison.queries.names
    return {
        names.identity(function_id(row)): tuple(
            (int(side.base[row]), int(side.new[row])) for side in sides
        )
        for row in range(len(comparison.pairing))
        if comparison.in_base[row] or comparison.in_new[row]
    }


def test_two_dumps_of_one_run() -> None:
    """Only the parts of both sides count, and a function is gone that the new ones lack."""
    comparison = compared([0], [1])

    assert numbers(comparison) == {
        ("main", "a.c", "???"): ((10, 20), (15, 26), (0, 0)),
        ("f", "a.c", "???"): ((5, 0), (5, 0), (1, 0)),
        ("g", "a.c", "???"): ((0, 6), (0, 6), (0, 2)),
    }
    assert [how.value for how in comparison.pairing.how] == ["exact", None, None, None]
    assert comparison.in_base.tolist() == [True, True, False, False]
    assert comparison.pairing.new_members(1).tolist() == []


def test_events_of_the_parts() -> None:
    """An event that no part of a side has cannot be compared."""
    comparison = compared([0], [1, 2])

    assert [event.name for event in comparison.events if not event.is_derived] == ["Ir"]
    assert (comparison.only_base, comparison.only_new) == ((), ("Dr",))
    assert [each.what for each in comparison.differences] == ["Parts"]


def test_a_part_against_itself() -> None:
    """Nothing changes."""
    comparison = compared([1], [1])

    assert not comparison.self_cost(comparison.events[0]).change.any()
    assert comparison.differences == ()
    assert comparison.renames == ()


def test_a_side_without_parts() -> None:
    """There is nothing to compare with."""
    with pytest.raises(ValueError, match="needs a part"):
        compared([], [1])


def test_parts_are_compared_like_files() -> None:
    """Two parts of a profile of several files have the numbers of their files compared."""
    whole = load(*sorted(DATA.glob("dump-before-after/*.1[0-9]")))
    of_parts = compare_parts(whole, [2], [5])
    of_files = compare(*(load(whole.parts[number].path) for number in (2, 5)))
    ir = of_parts.events[0]

    assert numbers(of_parts) == numbers(of_files)
    assert of_parts.gross_change(ir) == of_files.gross_change(ir)
    assert of_parts.total(ir) == of_files.total(ir)


def test_threads() -> None:
    """What one thread does and the other does not is new or gone."""
    whole = load(*sorted(DATA.glob("separate-threads/*-0?")))
    comparison = compare_parts(whole, [1], [2])
    names = comparison.queries.names
    new = [
        names.name(function_id(row))
        for row in range(len(comparison.pairing))
        if comparison.in_new[row] and not comparison.in_base[row]
    ]
    assert [name for name in new if name.startswith("work")] == ["work_even"]
