"""Costs and calls of both sides in the same rows, which add up to the function on each side."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.code.annotated_function import (
    AlignedCosts,
    AnnotatedCosts,
    AnnotatedInstructions,
    align_costs,
    annotate_instructions,
)
from qcachegrind_py.analysis.code.instructions import NO_CODE, align_rows
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.profile.ids import FunctionId, PartId
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import profile_from

BOTH = """
    positions: instr line
    events: Ir Dr
    part: 1

    fl=a.c
    fn=f
    0x10 1 5 1
    0x14 2 7 0
    cfn=g
    calls=3 0x90 9
    0x14 2 30 3
    cfn=f
    calls=1 0x10 1
    0x14 2 50 5
    0x18 3 2 0
    fn=g
    0x90 9 30 3

    part: 2

    fl=a.c
    fn=f
    0x10 1 6 1
    0x14 2 8 0
    cfn=g
    calls=4 0x90 9
    0x14 2 44 4
    cfn=h
    calls=1 0xa0 10
    0x14 2 11 0
    0x20 4 9 9
    fn=g
    0x90 9 44 4
    fn=h
    0xa0 10 11 0
    """


def side(profile: Profile, part: int) -> AnnotatedInstructions:
    """The function f in one part; it calls itself in the first."""
    costs = instruction_costs(profile, 0, frozenset({PartId(part)}))
    no_cycles = np.zeros(len(profile.functions), np.int32)
    return annotate_instructions(profile, FunctionId(0), costs, no_cycles, NO_CODE)


@pytest.fixture
def aligned() -> AlignedCosts:
    """0x10 and 0x14 are paired; 0x18 is gone, and 0x20 is new."""
    profile = profile_from(BOTH)
    base, new = side(profile, 0), side(profile, 1)
    rows = align_rows(find_rows(new.address, base.address), len(new.address))
    assert (rows.base.tolist(), rows.new.tolist()) == ([0, 1, 2, -1], [0, 1, -1, 2])
    return align_costs(base, new, rows)


def calls(costs: AnnotatedCosts) -> list[tuple[int, int, int, list[int], bool]]:
    """Row, callee, count, costs, and whether it stays within the cycle, of each call."""
    calls = costs.calls
    columns = calls.location, calls.callee, calls.count, calls.inclusive.T, costs.within_cycle
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_costs_are_in_the_same_rows(aligned: AlignedCosts) -> None:
    """Inclusive costs are without the call of the function to itself."""
    assert aligned.base.self_cost.tolist() == [[5, 7, 2, 0], [1, 0, 0, 0]]
    assert aligned.new.self_cost.tolist() == [[6, 8, 0, 9], [1, 0, 0, 9]]
    assert aligned.base.inclusive.tolist() == [[5, 37, 2, 0], [1, 3, 0, 0]]
    assert aligned.new.inclusive.tolist() == [[6, 63, 0, 9], [1, 4, 0, 9]]
    assert aligned.has_cost.all()
    assert aligned.line.tolist() == [1, 2, 0, 4]
    assert (aligned.file > 0).tolist() == [True, True, False, True]


def test_both_sides_have_the_same_calls(aligned: AlignedCosts) -> None:
    """In the order of the new side; the callee 0 is f itself, 1 is g, and 2 is h."""
    assert calls(aligned.base) == [
        (1, 1, 3, [30, 3], False),
        (1, 2, 0, [0, 0], False),
        (1, 0, 1, [50, 5], True),
    ]
    assert calls(aligned.new) == [
        (1, 1, 4, [44, 4], False),
        (1, 2, 1, [11, 0], False),
        (1, 0, 0, [0, 0], True),
    ]


def test_a_side_without_the_function(aligned: AlignedCosts) -> None:
    profile = profile_from(BOTH)
    new = side(profile, 1)
    absent = annotate_instructions(
        profile, FunctionId(0), instruction_costs(profile, 0, frozenset()),
        np.zeros(len(profile.functions), np.int32), NO_CODE,
    )  # fmt: skip
    alone = align_costs(absent, new, align_rows(np.zeros(0, np.int64), len(new.address)))
    assert alone.new.self_cost.tolist() == new.costs.self_cost.tolist()
    assert not alone.base.self_cost.any()
    assert not alone.base.calls.count.any()
