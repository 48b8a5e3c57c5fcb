"""Exact sums by segment and by group."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.sums import find_rows, segment_sums, sums_by_group

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
