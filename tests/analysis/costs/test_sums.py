"""Exact sums by segment and by group, costliest rows, numbering of keys, and estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.costs.sums import (
    costliest_rows,
    find_rows,
    float_sums,
    numbered,
    quotients,
    rounded_like,
    scaled_costs,
    segment_sums,
    sums_by_group,
)

BIG = 2**53 + 1


@pytest.mark.parametrize(
    ("starts", "wanted"),
    [
        ([0, 2, 4], [3, 12]),
        ([0, 0, 2, 2, 2, 4, 4], [0, 3, 0, 0, 12, 0]),
        ([1, 1, 3], [0, 6]),
        ([4, 4], [0]),
        ([0], []),
        ([0, 4], [15]),
    ],
)
def test_sums_of_segments(starts: list[int], wanted: list[int]) -> None:
    """An empty segment has the sum 0, at the start, in the middle and after the last row."""
    values = np.array([[1, 2, 4, 8], [10, 20, 40, 80]], np.int64)
    sums = segment_sums(values, np.array(starts))
    assert sums.tolist() == [wanted, [10 * cost for cost in wanted]]


def test_sums_of_no_rows() -> None:
    """Without rows all sums are 0."""
    assert segment_sums(np.zeros((2, 0), np.int64), np.array([0, 0, 0])).tolist() == [[0, 0]] * 2
    assert segment_sums(np.zeros((0, 0), np.int64), np.array([0])).shape == (0, 0)


def test_segments_are_summed_exactly() -> None:
    """Sums above 2^53 keep all digits, unlike floats; negative sums stay negative."""
    values = np.array([BIG, BIG, -1, -(2**62)], np.int64)
    assert segment_sums(values, np.array([0, 3, 4])).tolist() == [2 * BIG - 1, -(2**62)]


def test_sums_of_groups() -> None:
    """Rows are summed by group, in any order; a group without rows has 0."""
    values = np.array([[1, 2, 4, 8], [BIG, 1, 1, BIG]], np.int64)
    sums = sums_by_group(values, np.array([3, 0, 0, 3], np.int32), 5)
    assert sums.tolist() == [[6, 0, 0, 9, 0], [2, 0, 0, 2 * BIG, 0]]


def test_sums_of_groups_of_one_column() -> None:
    """A plain column is summed like one with events, also of Python integers."""
    assert sums_by_group(np.array([1, 2, 4]), np.array([1, 0, 1]), 2).tolist() == [2, 5]
    large = np.array([2**70, 2, 1], object)
    assert sums_by_group(large, np.array([1, 0, 1]), 3).tolist() == [2, 2**70 + 1, 0]


def test_sums_of_no_groups() -> None:
    """Without rows and groups there are no sums."""
    nothing = np.zeros((3, 0), np.int64)
    assert sums_by_group(nothing, np.zeros(0, np.int64), 2).tolist() == [[0, 0]] * 3
    assert sums_by_group(nothing, np.zeros(0, np.int64), 0).shape == (3, 0)


@pytest.mark.parametrize("column", [[], [7], [0, 7, 2**63, 2**64 - 1], [3, 2**63 + 1]])
def test_finding_rows(column: list[int]) -> None:
    """A missing value has no row, whether before, between or after others; no value is rounded."""
    wanted = [0, 3, 7, 8, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 7]
    rows = find_rows(np.array(column, np.uint64), np.array(wanted, np.uint64))
    assert rows.tolist() == [column.index(each) if each in column else -1 for each in wanted]
    assert find_rows(np.array(column, np.uint64), np.empty(0, np.uint64)).tolist() == []


# ---------------------------------------------------------------- costliest rows


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


# ---------------------------------------------------------------- numbered keys


@pytest.mark.parametrize("bound", [8, 1 << 40])
def test_keys_are_numbered_in_ascending_order(bound: int) -> None:
    """Both ways give the distinct keys, and for each column their indexes among them."""
    columns = [np.array(keys, np.int64) for keys in ([5, 2, 5], [], [7, 2, 0, 5])]
    keys, numbers = numbered(columns, bound)
    assert keys.tolist() == [0, 2, 5, 7]
    assert [number.tolist() for number in numbers] == [[2, 1, 2], [], [3, 1, 0, 2]]


# ---------------------------------------------------------------- estimates


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
