"""Several runs on each side."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qcachegrind_py.analysis.comparison.selections import (
    Ranges,
    RepeatedComparison,
    compare_repeats,
)

from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import profile_from

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


def numbers(compared: RepeatedComparison) -> dict[str, tuple[int, int, bool]]:
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
    assert numbers(compared) == {
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

    assert numbers(compared)["g"] == (0, 2, False)
    assert compared.pairing.how[-1].value is None


def test_one_run_on_each_side_is_a_comparison() -> None:
    """With single runs every difference is a change."""
    compared = compare_repeats([run("12", f=10, calls=3)], [run("15", f=11, calls=4)])
    ir = compared.events[0]

    assert numbers(compared) == {"main": (0, 0, True), "f": (10, 11, True)}
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
    assert Ranges(column, column).medians.base[0] == pytest.approx(median(ratios))
