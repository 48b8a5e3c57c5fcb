"""Arithmetic for estimates: costs and counts distributed in proportion, in floating point.

Estimates are displayed as whole numbers and rounded here by one rule. Exact costs are integers and
never pass through this module; `grouped_sums` adds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import Int64Array

_EXACT_FLOAT_LIMIT = 2.0**62  # from here on, the sum of two values may exceed 64 bits
_INT64 = np.dtype(np.int64)


def rounded_like(values: Float64Array, like: np.dtype[Any] = _INT64) -> CostArray:
    """Round to the nearest integers, ties to even; floats from 2**53 on are integers already.

    The result is int64, or Python integers (dtype object) if `like` is object or a value is large.
    """
    if like.hasobject or np.abs(values).max(initial=0) >= _EXACT_FLOAT_LIMIT:
        return np.array([round(value) for value in values.tolist()], object)
    return np.rint(values).astype(np.int64)


def quotients(costs: CostArray | Float64Array, of: CostArray) -> Float64Array:
    """Divide `costs` by `of`, float64; 0 where `of` is 0 or negative, as in derived events."""
    whole = of.astype(np.float64)
    parts = np.zeros(len(whole))
    return np.divide(costs.astype(np.float64), whole, out=parts, where=whole > 0)


def scaled_costs(costs: CostArray, share: Float64Array) -> CostArray:
    """Return the share of each cost, rounded; a share of 1 gives the exact cost."""
    return np.where(share == 1, costs, rounded_like(costs.astype(np.float64) * share))


def float_sums(values: Float64Array, group: Int64Array, groups: int) -> Float64Array:
    """Sum values by group in floating point, in order of the rows; shape (groups,)."""
    sums = np.zeros(groups)
    np.add.at(sums, group, values)
    return sums
