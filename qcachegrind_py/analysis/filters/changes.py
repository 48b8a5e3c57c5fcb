"""Conditions on how functions differ from those of a base: `self>+5%`, `is:new`.

They need a subject with a base.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.filters.subject import (
    BaseSide,
    CostField,
    FilterSubject,
    no_percentages,
)
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray

_BEYOND_INT64 = 1 << 63
_IN_BASE = " in the base"
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


class ChangeUnit(Enum):
    """What the number of a change counts; the value is its spelling behind the number."""

    COUNT = ""  # the event, or calls
    OWN = "%"  # percent of the function's own value in the base
    TOTAL = "%t"  # percent of the base's total


@dataclass(frozen=True, slots=True)
class ChangeLimit:
    """What a change is compared to: one of < <= > >= = != and a number, which has a sign."""

    operator: str
    number: Fraction
    unit: ChangeUnit = ChangeUnit.COUNT

    def holds(
        self, base: npt.NDArray[Any], new: npt.NDArray[Any], total: int | float, event: str = ""
    ) -> BoolArray:
        """Return for which values new - base compares to the number, shape (values,).

        `total` is that of the base. Integers are compared exactly. A growth from 0 is above every
        percentage; 0 → 0 has none, and matches no comparison with one. Undefined ratios (NaN) match
        no comparison at all; ratios have no total: percentages of it are of 1. Raises `ValueError`,
        which names the event, for percentages of a total that is not positive, unless nothing cost
        anything in the base.
        """
        share = self.number if self.unit is ChangeUnit.COUNT else self.number / 100
        is_of_nothing = self.unit is ChangeUnit.OWN
        if new.dtype.kind == "f":
            change, bound = self._ratios(base, new, float(share))
        elif self.unit is ChangeUnit.TOTAL:
            is_of_nothing = int(total) <= 0
            if is_of_nothing and (total or np.any(base)):
                raise no_percentages(event, int(total), _IN_BASE)
            change, bound = _scaled(base, new, share * int(total), of_base=False)
        else:
            change, bound = _scaled(base, new, share, of_base=self.unit is ChangeUnit.OWN)
        holds: BoolArray = np.asarray(_COMPARISONS[self.operator](change, bound), bool)
        holds &= change == change
        return holds & ((base != 0) | (new != 0)) if is_of_nothing else holds

    def _ratios(
        self, base: npt.NDArray[Any], new: npt.NDArray[Any], share: float
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | float]:
        with np.errstate(invalid="ignore"):  # the change from ∞ to ∞ is undefined, too
            return new - base, np.abs(base) * share if self.unit is ChangeUnit.OWN else share


@dataclass(frozen=True, slots=True)
class ChangeCondition:
    """The change of a number compares to a constant."""

    field: CostField
    limit: ChangeLimit

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        base, field = base_of(subject), self.field
        values = base.values(field), subject.values(field)
        return self.limit.holds(*values, base.total, subject.event)


@dataclass(frozen=True, slots=True)
class TotalCondition:
    """The total cost compares to a constant, or its change does."""

    limit: ChangeLimit
    is_change: bool

    def holds(self, subject: FilterSubject) -> bool:
        """Return whether the total of all functions matches."""
        base = base_of(subject).total if self.is_change else type(subject.total)(0)
        if self.limit.unit is not ChangeUnit.COUNT and isinstance(base, int) and base < 0:
            raise no_percentages(subject.event, base, _IN_BASE)
        totals = as_array(base), as_array(subject.total)
        return bool(self.limit.holds(*totals, base, subject.event)[0])

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of all functions, or of none, shape (functions,)."""
        return np.full(len(subject.names), self.holds(subject))


class Difference(Enum):
    """How a function differs from the base; the value is its spelling behind `is:`."""

    NEW = "new"
    GONE = "gone"
    MOVED = "moved"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class DifferenceCondition:
    """A function is new, gone, moved to another file, or costs something else than before."""

    difference: Difference

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        base = base_of(subject)
        match self.difference:
            case Difference.NEW:
                return base.is_new
            case Difference.GONE:
                return base.is_gone
            case Difference.MOVED:
                return base.is_moved
            case Difference.CHANGED if base.is_changed is not None:
                return base.is_changed
            case Difference.CHANGED:
                own = _differs(base.self_cost, subject.self_cost)
                return own | _differs(base.inclusive, subject.inclusive)


def needs_base(condition: object) -> bool:
    """Return whether a condition is about a change, so that a subject needs a base for it."""
    if isinstance(condition, TotalCondition):
        return condition.is_change
    return isinstance(condition, ChangeCondition | DifferenceCondition)


def as_array(total: int | float) -> CostArray:
    """Return a total as an array of one number, which may exceed 64 bits."""
    return np.array([total], float if isinstance(total, float) else object)


def base_of(subject: FilterSubject) -> BaseSide:
    """Return the base of a comparison; raises ValueError if nothing is compared."""
    if subject.base is None:
        raise ValueError("a change needs a base")
    return subject.base


def _scaled(
    base: npt.NDArray[Any], new: npt.NDArray[Any], share: Fraction, *, of_base: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | int]:
    """Return the change and its bound, multiplied by the denominator of the share.

    The bound is the share itself, or the share of each base value. Integers that products may
    exceed 64 bits with become Python's: 100,000 comparisons take 20 ms then, instead of 1.
    """
    factor, divisor = share.numerator, share.denominator
    size = max(_largest(base), _largest(new))
    if max(2 * size * divisor, abs(factor) * (size if of_base else 1)) >= _BEYOND_INT64:
        base, new = base.astype(object), new.astype(object)
    return (new - base) * divisor, np.abs(base) * factor if of_base else factor


def _largest(values: npt.NDArray[Any]) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0


def _differs(base: npt.NDArray[Any], new: npt.NDArray[Any]) -> BoolArray:
    """Return where two numbers differ; undefined ratios, which equal nothing, do not."""
    differs: BoolArray = np.asarray((base != new) & ((base == base) | (new == new)), bool)
    return differs
