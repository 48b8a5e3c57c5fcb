"""What a term of a filter asks of functions, and which functions answer it.

Each condition is a value: equal ones ask the same. How they are written is the filter's own affair.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True, eq=False)
class FilterSubject:
    """The functions that are filtered, by what a filter may ask of them.

    Costs are integers, of 64 bits or Python's, or ratios as floats, NaN for none.
    """

    names: FunctionNames
    classes: Callable[[], TextColumn]  # of the functions; asked only where a term is about them
    self_cost: npt.NDArray[Any]
    inclusive: npt.NDArray[Any]
    called: Int64Array
    cycle: Int32Array  # number of the cycle of each function, 0 for none
    total: int  # what percentages of integers are of


class TextField(Enum):
    """Which text of a function is searched."""

    NAME = "name"
    CLASS = "class"
    FILE = "file"
    OBJECT = "lib"


class CostField(Enum):
    """Which number of a function is compared."""

    SELF = "self"
    INCLUSIVE = "incl"
    CALLED = "called"


@dataclass(frozen=True, slots=True)
class TextCondition:
    """A text contains this one, is this one, or has a place where the pattern fits."""

    field: TextField
    pattern: str | re.Pattern[str]
    is_exact: bool = False

    def matches(self, subject: FilterSubject) -> BoolArray:
        """The functions for which it is so."""
        column = self._column(subject)
        if isinstance(self.pattern, re.Pattern):
            return column.matching(self.pattern)
        return column.equal_to(self.pattern) if self.is_exact else column.containing(self.pattern)

    def _column(self, subject: FilterSubject) -> TextColumn:
        match self.field:
            case TextField.NAME:
                return subject.names.column(NameColumn.NAME)
            case TextField.FILE:
                return subject.names.column(NameColumn.FILE)
            case TextField.OBJECT:
                return subject.names.column(NameColumn.OBJECT)
            case TextField.CLASS:
                return subject.classes()


@dataclass(frozen=True, slots=True)
class CostCondition:
    """A number compares so to another: `sign` is one of < <= > >= =."""

    field: CostField
    operator: str
    number: Fraction
    is_percentage: bool = False

    def matches(self, subject: FilterSubject) -> BoolArray:
        """The functions for which it is so."""
        values = self._values(subject)
        if values.dtype.kind == "f":  # a ratio is a percentage of nothing but itself
            return self._matches_ratios(values, self.number / (100 if self.is_percentage else 1))
        bound = (
            self.number * Fraction(int(subject.total), 100) if self.is_percentage else self.number
        )
        # at most the one or the other: that is all five signs, in integers and without rounding
        reached = _at_most(values, math.floor(bound))
        below = _at_most(values, math.ceil(bound) - 1)
        match self.operator:
            case "<":
                return below
            case "<=":
                return reached
            case ">":
                return ~reached
            case ">=":
                return ~below
        return reached & ~below

    def _values(self, subject: FilterSubject) -> npt.NDArray[Any]:
        match self.field:
            case CostField.SELF:
                return subject.self_cost
            case CostField.INCLUSIVE:
                return subject.inclusive
            case CostField.CALLED:
                return subject.called

    def _matches_ratios(self, values: npt.NDArray[Any], bound: Fraction) -> BoolArray:
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        holds: BoolArray = compare.get(self.operator, np.equal)(values, float(bound))
        return holds  # a ratio of nothing is neither less nor more


@dataclass(frozen=True, slots=True)
class CycleCondition:
    """A function is a member of this recursion cycle, or of any."""

    cycle: int | None

    def matches(self, subject: FilterSubject) -> BoolArray:
        """The functions for which it is so."""
        cycle = subject.cycle
        return cycle > 0 if self.cycle is None else cycle == self.cycle


Condition = TextCondition | CostCondition | CycleCondition


def _at_most(values: npt.NDArray[Any], bound: int) -> BoolArray:
    """Which integers are not above the bound, which may be beyond 64 bits."""
    if values.dtype.kind == "O":
        found: BoolArray = (values <= bound).astype(bool)
        return found
    return values <= max(min(bound, _LARGEST), -_LARGEST - 1)
