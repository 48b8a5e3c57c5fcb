"""Growth and shrinkage: their sums, and how many functions make most of them."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.sums import (
    Contributors,
    GrossChange,
    gross_change,
    growing,
    shrinking,
)


def test_growth_and_shrinkage_add_up_to_the_net_change() -> None:
    """They are summed apart, so that large changes that cancel out are seen."""
    base, new = np.array([10, 20, 30, 5]), np.array([40, 0, 30, 1])

    gross = gross_change(base, new, new - base)

    assert gross == GrossChange(base=65, new=71, grown=30, shrunk=-24)
    assert gross.change == gross.grown + gross.shrunk == 6


@pytest.mark.parametrize(
    ("change", "contributors"),
    [
        ([], Contributors(0, 0)),
        ([0, -3], Contributors(0, 0)),
        ([7], Contributors(1, 1)),
        ([95, 5], Contributors(2, 1)),  # exactly 95 %
        ([949, 51], Contributors(2, 2)),  # less
        ([1, 50, -40, 2, 47, 0], Contributors(4, 2)),
        ([1] * 100, Contributors(100, 95)),
    ],
)
def test_the_fewest_functions_that_make_95_percent(
    change: list[int], contributors: Contributors
) -> None:
    """The largest changes come first; the same holds for what shrank."""
    assert growing(np.array(change, np.int64)) == contributors
    assert shrinking(-np.array(change, np.int64)) == contributors


@pytest.mark.parametrize("kind", [np.int64, object])
def test_sums_may_exceed_64_bits(kind: type) -> None:
    """Sums of large changes are exact, whatever the arrays hold."""
    large = 2**61
    change = np.array([large, large, large, large, -3], kind)

    assert gross_change(change, change, change) == GrossChange(
        4 * large - 3, 4 * large - 3, 4 * large, -3
    )
    assert growing(change) == Contributors(4, 4)
