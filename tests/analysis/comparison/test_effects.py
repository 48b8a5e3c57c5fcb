"""The split of a change into calls and cost per call."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.comparison.effects import Effects, effects, rounded

COUNTS = st.tuples(st.integers(1, 2**63), st.integers(1, 2**63))
COSTS = st.tuples(st.integers(0, 2**63), st.integers(0, 2**63))


@pytest.mark.parametrize(
    ("counts", "costs", "expected"),
    [
        ((10, 20), (100, 200), Effects(Fraction(100), Fraction(0))),
        ((10, 10), (100, 300), Effects(Fraction(0), Fraction(200))),
        ((1, 3), (10, 60), Effects(Fraction(30), Fraction(20))),
        ((0, 3), (10, 60), None),
        ((3, 0), (10, 60), None),
    ],
)
def test_effects(counts: tuple[int, int], costs: tuple[int, int], expected: Effects | None) -> None:
    """Only calls, only cost per call, both, and no calls on one side."""
    assert effects(counts, costs) == expected


@given(COUNTS, COSTS)
def test_effects_add_up_and_change_sign(counts: tuple[int, int], costs: tuple[int, int]) -> None:
    """They are the change, exactly; swapped sides have the opposite ones."""
    there, back = effects(counts, costs), effects(counts[::-1], costs[::-1])
    assert there is not None
    assert back is not None
    assert (
        there.by_calls + there.per_call
        == costs[1] - costs[0]
        == sum(rounded(there, costs[1] - costs[0]))
    )
    assert (there.by_calls, there.per_call) == (-back.by_calls, -back.per_call)
