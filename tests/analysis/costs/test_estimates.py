"""Estimates as whole numbers, exact up to the limits of floats and of 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.sums import (
    float_sums,
    quotients,
    rounded_like,
    scaled_costs,
)

OBJECT = np.dtype(object)


def test_halves_are_rounded_to_the_even_integer() -> None:
    """The rounding does not depend on the type of the result."""
    values, integers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 1e15]), [0, 2, 2, 0, -2, 2]
    for got in (rounded_like(values), rounded_like(values, OBJECT)):
        assert got.tolist() == [*integers, 10**15]


@pytest.mark.parametrize("sign", [1, -1])
def test_costs_that_may_overflow_are_python_integers(sign: int) -> None:
    """From 2^62 on, where a sum of two may overflow, results are exact Python integers."""
    below = float(np.nextafter(2.0**62, 0))
    assert rounded_like(sign * np.array([below, 1.0])).dtype == np.int64
    for large in (2.0**62, 2.0**63, 1e30):
        got = rounded_like(sign * np.array([large, 1.0]))
        assert (got.dtype, got.tolist()) == (OBJECT, [sign * int(large), sign])
    assert rounded_like(np.empty(0)).dtype == np.int64


def test_quotients_by_zero_and_negative_numbers() -> None:
    """Zero and negative totals have quotient 0; negative parts are allowed."""
    costs, of = np.array([3, 0, 7, 7, -5]), np.array([4, 4, 0, -2, 10])
    for kind in (np.int64, object):
        assert quotients(costs.astype(kind), of.astype(kind)).tolist() == [0.75, 0, 0, 0, -0.5]


@pytest.mark.parametrize("factor", [1, 2**10])
def test_the_whole_cost_is_not_rounded(factor: int) -> None:
    """A share of 1 is exactly the cost, even if a float cannot hold it."""
    cost = (2**60 + 1) * factor
    costs = np.array([cost, cost, 5], np.int64 if factor == 1 else object)
    got = scaled_costs(costs, np.array([1, 0.5, 0.5]))
    assert got.tolist() == [cost, 2**59 * factor, 2]


def test_sums_by_group() -> None:
    """A group without rows has the sum 0."""
    assert float_sums(np.array([0.5, 0.25, 2.0]), np.array([2, 0, 2]), 4).tolist() == [
        *(0.25, 0, 2.5, 0)
    ]
