"""The exact sums, over stretches of rows and of rows by group: never in floating point.

Which rows those are is found here, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array

Index = npt.NDArray[np.integer]


def segment_sums(values: Int64Array, starts: Int64Array) -> Int64Array:
    """Sums of `values[…, starts[i]:starts[i + 1]]`, shape (…, len(starts) - 1); empty ones are 0.

    `starts` never fall.

    Plain `np.add.reduceat` gives a neighbour's value for an empty segment.
    """
    begin, end = starts[:-1], starts[1:]
    sums = np.zeros((*values.shape[:-1], len(begin)), np.int64)
    filled = np.flatnonzero(begin < end)
    if len(filled):
        sums[..., filled] = np.add.reduceat(values[..., : end[-1]], begin[filled], axis=-1)
    return sums


def sums_by_group(values: CostArray, group: Index, groups: int) -> CostArray:
    """Sums of the rows of each group, shape (…, groups); `np.bincount` would lose counts.

    Of Python's integers they are such, too.
    """
    sums = np.zeros((*values.shape[:-1], groups), object if values.dtype == object else np.int64)
    for row in np.ndindex(values.shape[:-1]):
        np.add.at(sums[row], group, values[row])
    return sums


def segment_rows(starts: Int64Array, segments: Index) -> tuple[Int64Array, Int64Array]:
    """All rows of these segments, one segment behind the other, and how many rows each has."""
    begin = starts[segments]
    lengths = starts[segments + 1] - begin
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - ends + lengths, lengths)
    return rows, lengths


def find_rows(column: npt.NDArray[Any], values: npt.NDArray[Any]) -> Int64Array:
    """The row of each wanted value in a column in order without equals; -1 where it is not there.

    Both are unsigned where they are addresses: mixed ones numpy would compare as floats.
    """
    if not len(column):
        return np.full(len(values), -1, np.int64)
    row = np.minimum(np.searchsorted(column, values), len(column) - 1)
    return np.where(column[row] == values, row, -1)
