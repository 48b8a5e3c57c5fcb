"""The costliest rows of a column."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.costs.sums import costliest_rows

NUMBERS = st.integers(-5, 5) | st.integers(-(2**62), 2**62)


@given(st.lists(NUMBERS, max_size=40), st.integers(0, 45))
def test_costliest_rows(costs: list[int], count: int) -> None:
    """The rows are the first of all rows sorted by cost; equal costs keep their order."""
    wanted = sorted(range(len(costs)), key=lambda row: -costs[row])[:count]
    assert costliest_rows(np.array(costs, np.int64), count).tolist() == wanted


def test_costs_beyond_64_bits() -> None:
    """Costs of derived events may be Python integers."""
    costs = np.array([2**70, 1, 2**80, 2**70], object)
    assert costliest_rows(costs, 3).tolist() == [2, 0, 3]
