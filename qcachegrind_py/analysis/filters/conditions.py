"""Filter conditions on functions: text, cost and cycle membership.

Conditions are values and compare equal if they have the same meaning. `expression` parses them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.filters.changes import (
    ChangeCondition,
    DifferenceCondition,
    TotalCondition,
)
from qcachegrind_py.analysis.filters.subject import CostField, FilterSubject, no_percentages
from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.tables import BoolArray

_LARGEST = (1 << 63) - 1


class TextField(Enum):
    """The text of a function that is searched."""

    NAME = "name"
    CLASS = "class"
    FILE = "file"
    OBJECT = "lib"


class Named(Protocol):
    """The names of functions that conditions on texts are about, such as a `FilterSubject`."""

    @property
    def names(self) -> FunctionNames:
        """The names, files and objects of the functions."""

    @property
    def classes(self) -> Callable[[], TextColumn]:
        """Returns the classes of the functions, which may take long."""


@dataclass(frozen=True, slots=True)
class TextCondition:
    """A text contains a string, equals it, or matches a regular expression anywhere."""

    field: TextField
    pattern: str | re.Pattern[str]
    is_exact: bool = False

    def matches(self, subject: Named) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        column = self._column(subject)
        if isinstance(self.pattern, re.Pattern):
            return column.matching(self.pattern)
        return column.equal_to(self.pattern) if self.is_exact else column.containing(self.pattern)

    def _column(self, subject: Named) -> TextColumn:
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
    """A number compares to a constant by `operator`: one of < <= > >= = !=."""

    field: CostField
    operator: str
    number: Fraction
    is_percentage: bool = False

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,).

        Raises `ValueError` for percentages of a total that is not positive.
        """
        values = subject.values(self.field)
        if values.dtype.kind == "f":  # a ratio has no total: percentages are relative to 1
            return self._matches_ratios(values, self.number / (100 if self.is_percentage else 1))
        if self.is_percentage and subject.total <= 0:
            raise no_percentages(subject.event, int(subject.total))
        bound = (
            self.number * Fraction(int(subject.total), 100) if self.is_percentage else self.number
        )
        # two integer comparisons express all six operators without rounding
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
            case "!=":
                return ~reached | below
        return reached & ~below

    def _matches_ratios(self, values: npt.NDArray[Any], bound: Fraction) -> BoolArray:
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        compare |= {"=": np.equal, "!=": np.not_equal}
        holds: BoolArray = compare[self.operator](values, float(bound))
        holds &= values == values  # undefined ratios (NaN) match nothing
        return holds


@dataclass(frozen=True, slots=True)
class CycleCondition:
    """A function is a member of a recursion cycle; None: of any."""

    cycle: int | None

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        cycle = subject.cycle
        return cycle > 0 if self.cycle is None else cycle == self.cycle


Condition = (
    TextCondition
    | CostCondition
    | CycleCondition
    | ChangeCondition
    | DifferenceCondition
    | TotalCondition  # of a rule
)


def _at_most(values: npt.NDArray[Any], bound: int) -> BoolArray:
    """Return which integers are at most `bound`, which may exceed 64 bits."""
    if values.dtype.kind == "O":
        matches: BoolArray = (values <= bound).astype(bool)
        return matches
    return values <= max(min(bound, _LARGEST), -_LARGEST - 1)
