"""Numbering of keys: by a table of all numbers, and by sorting where that would be too large."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.sums import numbered


@pytest.mark.parametrize("bound", [8, 1 << 40])
def test_keys_are_numbered_in_ascending_order(bound: int) -> None:
    """Both ways give the distinct keys, and for each column their indexes among them."""
    columns = [np.array(keys, np.int64) for keys in ([5, 2, 5], [], [7, 2, 0, 5])]
    keys, numbers = numbered(columns, bound)
    assert keys.tolist() == [0, 2, 5, 7]
    assert [number.tolist() for number in numbers] == [[2, 1, 2], [], [3, 1, 0, 2]]
