"""Estimates: costs and counts that are shared out in proportion, in floating point.

They are written as whole numbers, so they are rounded here, all by one rule. What a profile proves
is never taken from here: that has no fractions, and `segments` sums it up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import Int64Array

_EXACT_FLOAT_LIMIT = 2.0**62  # from here on, sums of two may not have room in 64 bits
_INT64 = np.dtype(np.int64)


def rounded_like(values: Float64Array, like: np.dtype[Any] = _INT64) -> CostArray:
    """The nearest integers, of two the even one; a float from 2**53 on is one already.

    They have 64 bits, or are Python's where `like` is the type of such, or one is large.
    """
    if like.hasobject or np.abs(values).max(initial=0) >= _EXACT_FLOAT_LIMIT:
        return np.array([round(value) for value in values.tolist()], object)
    return np.rint(values).astype(np.int64)


def quotients(costs: CostArray | Float64Array, of: CostArray) -> Float64Array:
    """Costs as parts of others; 0 where that is not above 0, as formulas may give."""
    whole = of.astype(np.float64)
    parts = np.zeros(len(whole))
    return np.divide(costs.astype(np.float64), whole, out=parts, where=whole > 0)


def scaled_costs(costs: CostArray, share: Float64Array) -> CostArray:
    """The share of each cost, rounded; all of it to the last count."""
    return np.where(share == 1, costs, rounded_like(costs.astype(np.float64) * share))


def float_sums(values: Float64Array, group: Int64Array, groups: int) -> Float64Array:
    """The sums by group, in floating point and in order of the rows."""
    sums = np.zeros(groups)
    np.add.at(sums, group, values)
    return sums
