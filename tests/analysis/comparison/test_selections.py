"""Comparisons of parts of one profile, and of several runs on each side."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import (
    PartComparison,
    Ranges,
    RepeatedComparison,
    compare_parts,
    compare_repeats,
)
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA, profile_from
from tests.profile_text import profile_text

THREE_PARTS = profile_text("""
    events: Ir
    part: 1
    main@a.c 10 -> f 1x5
    f@a.c 5
    part: 2
    events: Ir Dr
    main@a.c 20,1 -> g 2x6,1
    g@a.c 6,1
    part: 3
    events: Ir
    h@a.c 100
    """)


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


LIMITS = -(2**63), 2**63 - 1


def run(summary: str = "", calls: int = 1, **costs: int) -> Profile:
    """A profile of functions that `main` calls."""
    lines = [
        "events: Ir",
        *([f"summary: {summary}"] if summary else []),
        "fl=a.c",
        "fn=main",
        "1 0",
    ]
    for name, cost in costs.items():
        lines += [f"cfn={name}", f"calls={calls} 1", f"1 {cost}"]
    for name, cost in costs.items():
        lines += [f"fn={name}", f"1 {cost}"]
    return profile_from("\n".join(lines).encode())


def medians(compared: RepeatedComparison) -> dict[str, tuple[int, int, bool]]:
    """Median of base and new of each function, and whether it changed."""
    ir = compared.events[0]
    sides, changed = compared.self_cost(ir), compared.is_changed(ir).tolist()
    names = [compared.queries.profile.function_name(row) for row in range(len(compared.pairing))]
    rows = zip(sides.base.tolist(), sides.new.tolist(), changed, strict=True)
    return dict(zip(names, rows, strict=True))


def test_medians_and_what_is_changed() -> None:
    """A function changed if all its runs on one side cost less than all on the other."""
    compared = compare_repeats(
        [run(f=10, g=5, h=7), run(f=14, g=5, h=7), run(f=11, g=6, h=9)],
        [run(f=20, g=6, h=7), run(f=15, g=8, h=7)],
    )
    assert medians(compared) == {
        "main": (0, 0, True),  # its inclusive cost is 22 to 26, and 30 to 33
        "f": (11, 18, True),
        "g": (5, 7, False),  # both have runs of 6: the ranges touch
        "h": (7, 7, False),
    }
    totals = compared.total(compared.events[0])
    assert [total.counted for total in totals] == [26, 32]


def test_a_function_that_some_runs_lack() -> None:
    """It costs 0 in these, so that one that a side has in some runs only is not surely new."""
    compared = compare_repeats([run(f=1), run(f=1)], [run(f=1, g=3), run(f=1)])

    assert medians(compared)["g"] == (0, 2, False)
    assert compared.pairing.how[-1].value is None


def test_one_run_on_each_side_is_a_comparison() -> None:
    """With single runs every difference is a change."""
    compared = compare_repeats([run("12", f=10, calls=3)], [run("15", f=11, calls=4)])
    ir = compared.events[0]

    assert medians(compared) == {"main": (0, 0, True), "f": (10, 11, True)}
    assert [total.recorded for total in compared.total(ir)] == [12, 15]
    assert (compared.called.base.tolist(), compared.called.new.tolist()) == ([0, 3], [0, 4])


def test_swapped_sides_change_the_sign() -> None:
    """Medians are those of each side alone."""
    sides = [run(f=1, g=5), run(f=2, g=5), run(f=9, g=6)], [run(f=3, g=7), run(f=4, g=1)]
    there, back = compare_repeats(*sides), compare_repeats(*reversed(sides))
    ir = there.events[0]

    assert (there.self_cost(ir).change == -back.self_cost(ir).change).all()
    assert (there.is_changed(ir) == back.is_changed(ir)).all()


def test_no_runs() -> None:
    """A side without a run has no median."""
    with pytest.raises(ValueError, match="needs a run"):
        compare_repeats([], [run(f=1)])


@given(st.lists(st.integers(*LIMITS), min_size=1, max_size=6))
def test_medians_are_exact(costs: list[int]) -> None:
    """Costs may be as large as 64 bits allow; halves are rounded to even."""
    column = np.array(costs, np.int64)[:, np.newaxis]
    ordered = sorted(costs)
    middle = ordered[(len(costs) - 1) // 2] + ordered[len(costs) // 2]

    assert Ranges(column, column).medians.base.tolist() == [
        middle // 2 + (middle // 2 % 2 if middle % 2 else 0)
    ]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=6))
def test_medians_of_ratios(ratios: list[float]) -> None:
    """They are not rounded."""
    column = np.array(ratios)[:, np.newaxis]
    assert Ranges(column, column).medians.base[0] == pytest.approx(median(ratios), abs=1e-6)
