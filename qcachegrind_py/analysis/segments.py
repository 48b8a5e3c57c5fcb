"""The exact sums: over stretches of rows, and of rows by group. Never in floating point."""

from __future__ import annotations

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


def rows_of(starts: Int64Array, segments: Index) -> tuple[Int64Array, Int64Array]:
    """All rows of these segments, one segment behind the other, and how many rows each has."""
    begin = starts[segments]
    lengths = starts[segments + 1] - begin
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - ends + lengths, lengths)
    return rows, lengths
