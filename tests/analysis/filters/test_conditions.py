"""What conditions match: exact numbers, ratios, cycles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.filters.conditions import CostCondition, CostField, FilterSubject
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
