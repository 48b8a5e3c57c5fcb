"""The functions that conditions are tested on: their names and numbers, here and in a base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy.typing as npt

from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


def no_percentages(event: str, total: int, where: str = "") -> ValueError:
    """Return the error that a total is not positive, so that no cost is a percentage of it."""
    return ValueError(f"the total of {event}{where} is {total:,}, which has no percentages.")


class CostField(Enum):
    """The number of a function that is compared."""

    SELF = "self"
    INCLUSIVE = "incl"
    CALLED = "called"


@dataclass(frozen=True, slots=True, eq=False)
class BaseSide:
    """What the same functions cost in the base of a comparison, and which are in one side only.

    Arrays have the shape (functions,). Costs are of the kinds that `FilterSubject` has; those of
    functions that the base lacks are 0, or NaN for ratios.
    """

    self_cost: npt.NDArray[Any]
    inclusive: npt.NDArray[Any]
    called: Int64Array
    total: int | float  # 100 % of the base
    is_new: BoolArray  # in the new profile only
    is_gone: BoolArray  # in the base only
    is_moved: BoolArray  # in both, in different files
    is_changed: BoolArray | None = None  # by more than chance; None: if a cost is another one

    def values(self, field: CostField) -> npt.NDArray[Any]:
        """Return this number of all functions in the base."""
        return _values(self, field)


@dataclass(frozen=True, slots=True, eq=False)
class FilterSubject:
    """The functions to filter, with all properties that conditions refer to.

    Arrays have the shape (functions,). Costs are integers (int64 or Python's) or ratios as floats,
    with NaN for undefined ones. In a comparison they are those of the new profile.
    """

    names: FunctionNames
    classes: Callable[[], TextColumn]  # called only if a condition needs classes
    self_cost: npt.NDArray[Any]
    inclusive: npt.NDArray[Any]
    called: Int64Array
    cycle: Int32Array  # number of the cycle of each function; 0: none
    total: int | float  # 100 % of integer costs
    base: BaseSide | None = None  # None: nothing is compared
    is_folded: BoolArray | None = None  # those that occur no more, and match nothing
    event: str = ""  # of the costs

    def values(self, field: CostField) -> npt.NDArray[Any]:
        """Return this number of all functions."""
        return _values(self, field)


def _values(side: FilterSubject | BaseSide, field: CostField) -> npt.NDArray[Any]:
    match field:
        case CostField.SELF:
            return side.self_cost
        case CostField.INCLUSIVE:
            return side.inclusive
        case CostField.CALLED:
            return side.called
