"""Exact integer sums of rows by segment or by group, and row lookup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array

Index = npt.NDArray[np.integer]


def segment_sums(values: Int64Array, starts: Int64Array) -> Int64Array:
    """Sum `values[…, starts[i]:starts[i + 1]]`, shape (…, len(starts) - 1); 0 if empty.

    `starts` must be in ascending order. Plain `np.add.reduceat` returns the value of a neighbour
    for an empty segment.
    """
    begin, end = starts[:-1], starts[1:]
    sums = np.zeros((*values.shape[:-1], len(begin)), np.int64)
    filled = np.flatnonzero(begin < end)
    if len(filled):
        sums[..., filled] = np.add.reduceat(values[..., : end[-1]], begin[filled], axis=-1)
    return sums


def sums_by_group(values: CostArray, group: Index, groups: int) -> CostArray:
    """Sum the rows of each group, shape (…, groups): int64, or Python integers if `values` are.

    `np.bincount` with weights would sum in floating point and lose counts.
    """
    sums = np.zeros((*values.shape[:-1], groups), object if values.dtype == object else np.int64)
    for row in np.ndindex(values.shape[:-1]):
        np.add.at(sums[row], group, values[row])
    return sums


def numbered(columns: Sequence[Int64Array], bound: int) -> tuple[Int64Array, list[Int64Array]]:
    """Number the distinct keys of all columns, which are at least 0 and less than `bound`.

    Returns the keys in ascending order, and for each column the indexes of its keys among them. For
    the 1.2 million keys of eight parts a table of all numbers takes a tenth of the time of sorting,
    and 55 MB less memory.
    """
    if bound > sum(map(len, columns)):
        keys, numbers = np.unique(np.concatenate(columns), return_inverse=True)
        return keys, np.split(numbers, np.cumsum([len(column) for column in columns[:-1]]))
    occurs = np.zeros(bound, np.bool_)
    for column in columns:
        occurs[column] = True
    number = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), [number[column] for column in columns]


def segment_rows(starts: Int64Array, segments: Index) -> tuple[Int64Array, Int64Array]:
    """Return all rows of these segments, concatenated, and the length of each segment."""
    begin = starts[segments]
    lengths = starts[segments + 1] - begin
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - ends + lengths, lengths)
    return rows, lengths


def find_rows(column: npt.NDArray[Any], values: npt.NDArray[Any]) -> Int64Array:
    """Return the row of each value in a sorted column of distinct values; -1: not found.

    Addresses must be unsigned in both, since numpy compares mixed signs as floats.
    """
    if not len(column):
        return np.full(len(values), -1, np.int64)
    row = np.minimum(np.searchsorted(column, values), len(column) - 1)
    return np.where(column[row] == values, row, -1)
