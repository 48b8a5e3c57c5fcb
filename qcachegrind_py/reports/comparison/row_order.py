"""The functions of a report on two profiles: which of them, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.comparison.contents import CostKind
from qcachegrind_py.reports.comparison.measures import MeasuredCosts
from qcachegrind_py.reports.comparison.pairs import FunctionPairs

ComparisonKey = Literal["change", "growth", "base", "new", "calls"]
Only = Literal["grown", "shrunk", "new", "gone"]


@dataclass(frozen=True, slots=True)
class ComparisonOrder:
    """The order of functions, largest first, by their self or their inclusive cost.

    `change` is by size whatever its sign, `growth` with it; `calls` is by size of the change of the
    called count.
    """

    key: ComparisonKey = "change"
    kind: CostKind = "self"


def rows_in_order(order: ComparisonOrder, costs: MeasuredCosts, called: BothSides) -> Int64Array:
    """Return all functions in order, shape (functions,); undefined numbers come last.

    Equal ones keep their order. `costs` are of the kind of the order.
    """
    if order.key == "calls":
        return _largest_first(list(map(abs, called.change.tolist())))
    if order.key == "change":
        return _largest_first(list(map(abs, costs.change)))
    return _largest_first({"growth": costs.change, "base": costs.base, "new": costs.new}[order.key])


def only_rows(only: Only, costs: MeasuredCosts, pairs: FunctionPairs) -> BoolArray:
    """Return the mask of functions that grew, shrank, are new or gone, shape (functions,)."""
    if only == "new":
        return pairs.only_new
    if only == "gone":
        return pairs.only_base
    sign = 1 if only == "grown" else -1
    return np.array([sign * change > 0 for change in costs.change], bool)


def _largest_first(numbers: Sequence[int | float]) -> Int64Array:
    """Return the stable order of numbers, which may exceed 64 bits; NaN comes last."""
    keys = [(number != number, -number) for number in numbers]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
