"""Conditions on functions and on how they changed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qcachegrind_py.analysis.filters.conditions import (
    BaseSide,
    ChangeCondition,
    ChangeLimit,
    ChangeUnit,
    CostCondition,
    CostField,
    Difference,
    DifferenceCondition,
    FilterSubject,
)
from qcachegrind_py.analysis.names.function_names import FunctionNames
from tests.profile_rows import profile_from

LARGE = (1 << 63) - 1
NAMES = FunctionNames(profile_from("events: Ir\n"))
COMPARED = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}


def held(condition: CostCondition, values: npt.NDArray[Any], total: int = 0) -> list[bool]:
    none = np.zeros(len(values), np.int64)
    subject = FilterSubject(NAMES, list, values, none, none, none.astype(np.int32), total)
    got = condition.matches(subject)
    assert got.dtype == bool
    return got.tolist()


@pytest.mark.parametrize("dtype", [np.int64, object])
@pytest.mark.parametrize("sign", list(COMPARED))
def test_percentages_are_exact(sign: str, dtype: type) -> None:
    """Shares of a total beyond 2^53 are compared as fractions, not as rounded floats."""
    total = LARGE
    exact = Fraction(total, 100) * Fraction(7)
    values = [int(exact) - 1, int(exact), int(exact) + 1, 0, -1, total]
    condition = CostCondition(CostField.SELF, sign, Fraction(7), is_percentage=True)
    got = held(condition, np.array(values, dtype), total)
    assert got == [COMPARED[sign](value, exact) for value in values]


@given(
    st.lists(st.integers(-LARGE, LARGE), min_size=1, max_size=4),
    st.sampled_from(list(COMPARED)),
    st.fractions(-2 * LARGE, 2 * LARGE),
    st.booleans(),
)
def test_comparing_any_number(
    values: list[int], sign: str, number: Fraction, is_large: bool
) -> None:
    """Comparisons are exact, with fractions and beyond 64 bits as well."""
    column = np.array([*values, LARGE], object if is_large else np.int64)
    got = held(CostCondition(CostField.SELF, sign, number), column)
    assert got == [COMPARED[sign](value, number) for value in [*values, LARGE]]


@pytest.mark.parametrize(
    ("sign", "number", "percent", "wanted"),
    [
        (">", Fraction(1, 2), False, [False, False, True, False]),
        (">=", Fraction(7), True, [False, True, True, False]),
        ("=", Fraction(7), True, [False, True, False, False]),
        ("<", Fraction(7), True, [True, False, False, False]),
        ("<=", Fraction(7, 100), False, [True, True, False, False]),
    ],
)
def test_ratios(sign: str, number: Fraction, percent: bool, wanted: list[bool]) -> None:
    """A percentage of a ratio is a hundredth of it; an undefined ratio matches no comparison."""
    values = np.array([0.01, 0.07, 1.5, np.nan])
    assert held(CostCondition(CostField.SELF, sign, number, percent), values, 10**6) == wanted


COSTS = st.integers(-LARGE - 1, LARGE)
COUNT, OWN, TOTAL = ChangeUnit


def compared(
    base: npt.NDArray[Any], new: npt.NDArray[Any], inclusive: npt.NDArray[Any] | None = None
) -> FilterSubject:
    """Functions with these self costs on both sides; inclusive costs are new, called are 0."""
    none = np.zeros(len(new), np.int64)
    inclusive = none if inclusive is None else inclusive
    side = BaseSide(base, none, none, 1000, none == 1, none == 1, none == 1)
    return FilterSubject(NAMES, list, new, inclusive, none, none.astype(np.int32), 2000, side)


def change_held(limit: ChangeLimit, base: npt.NDArray[Any], new: npt.NDArray[Any]) -> list[bool]:
    got = ChangeCondition(CostField.SELF, limit).matches(compared(base, new))
    assert got.dtype == bool
    return got.tolist()


@given(
    st.lists(st.tuples(COSTS, COSTS), min_size=1, max_size=4),
    st.sampled_from(list(COMPARED)),
    st.fractions(-2 * LARGE, 2 * LARGE) | st.fractions(-200, 200, max_denominator=100),
    st.sampled_from([COUNT, OWN, TOTAL]),
)
@example([(LARGE, -LARGE - 1)], "<", Fraction(-2 * LARGE), COUNT)
@example([(1000, 1050)], "=", Fraction(5), OWN)
@example([(1000, 1050)], "=", Fraction(5), TOTAL)
def test_changes_are_exact(
    costs: list[tuple[int, int]], sign: str, number: Fraction, unit: ChangeUnit
) -> None:
    """A change is compared as a fraction would be, also near 2^63, where it exceeds 64 bits."""
    base, new = (np.array(side, np.int64) for side in zip(*costs, strict=True))
    wanted = []
    for old, now in costs:
        of = {COUNT: 100, OWN: abs(old), TOTAL: 1000}[unit]
        is_defined = unit is not OWN or (old, now) != (0, 0)
        wanted.append(is_defined and COMPARED[sign](now - old, number * of / 100))
    assert change_held(ChangeLimit(sign, number, unit), base, new) == wanted


@pytest.mark.parametrize(
    ("sign", "number", "wanted"),
    [
        (">", 10**9, [True, False, False]),
        (">=", 0, [True, False, False]),
        ("<=", 0, [False, False, True]),
        ("=", -100, [False, False, True]),
        ("<", 5, [False, False, True]),
    ],
)
def test_percentages_of_nothing(sign: str, number: int, wanted: list[bool]) -> None:
    """Growth from 0 is above every percentage, 0 to 0 has none, and 5 to 0 is -100 %."""
    base, new = np.array([0, 0, 5]), np.array([5, 0, 0])
    assert change_held(ChangeLimit(sign, Fraction(number), OWN), base, new) == wanted


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        (ChangeLimit(">", Fraction(1, 2)), [True, False, False, False]),
        (ChangeLimit(">", Fraction(10), OWN), [True, True, False, False]),
        (ChangeLimit(">", Fraction(40), TOTAL), [True, False, False, False]),
        (ChangeLimit("<=", Fraction(0)), [False, False, False, True]),
    ],
)
def test_changes_of_ratios(limit: ChangeLimit, wanted: list[bool]) -> None:
    """Ratios change in points, and a percentage of a total is that of 1; undefined ones do not."""
    base, new = np.array([1.0, 1.0, np.nan, 2.0]), np.array([2.0, 1.25, 3.0, 1.0])
    assert change_held(limit, base, new) == wanted
    infinite = np.array([np.inf])
    assert change_held(limit, infinite, infinite) == [False]


def test_which_functions_differ() -> None:
    """A function is changed if its self or inclusive cost is; two undefined ratios are equal."""
    condition = DifferenceCondition(Difference.CHANGED)
    base, new = np.array([1, 1, 1]), np.array([1, 2, 1])
    changed = condition.matches(compared(base, new, np.array([0, 0, 3])))
    assert changed.tolist() == [False, True, True]
    ratios = np.array([np.nan, np.nan, 1.0])
    changed = condition.matches(compared(ratios, np.array([np.nan, 2.0, np.nan])))
    assert changed.tolist() == [False, True, True]


def test_a_change_needs_a_base() -> None:
    """Functions that are compared with nothing have no changes."""
    none = np.zeros(1, np.int64)
    alone = FilterSubject(NAMES, list, none, none, none, none.astype(np.int32), 0)
    with pytest.raises(ValueError, match="needs a base"):
        DifferenceCondition(Difference.NEW).matches(alone)
