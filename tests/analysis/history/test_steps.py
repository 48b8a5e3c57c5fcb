"""Steps of series of costs: real ones are found where they are, and noise has none."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.costs.noise import SampledRevisions
from qcachegrind_py.analysis.history import steps, trends

Found = list[tuple[int, int, int, int]]


def found(*series: list[int]) -> Found:
    """Series, revision, level before and after of each step."""
    each = steps(np.array(series, np.int64))
    columns = (each.series, each.revision, each.before, each.after)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def noisy(level: int, count: int, seed: int, noise: float = 0.001) -> list[int]:
    """A level with noise of a normal distribution."""
    generator = random.Random(seed)
    return [round(generator.gauss(level, level * noise)) for _ in range(count)]


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ([5, 5, 5, 5, 6, 6, 6, 6], [(0, 4, 5, 6)]),
        ([7, 7, 7, 7, 3, 3, 3, 3], [(0, 4, 7, 3)]),
        ([5, 5, 5, 5, 5, 5, 9], [(0, 6, 5, 9)]),  # the newest revision, which matters most
        ([1, 5, 5, 5, 5, 5, 5], [(0, 1, 1, 5)]),
        ([5, 5, 5, 9, 5, 5, 5], []),  # an outlier
        ([5, 5, 5, 9, 9, 5, 5, 5], []),
        ([5, 5, 5, 5, 5, 9, 5], []),
        ([5, 5, 5, 9, 9, 9, 5, 5, 5, 5, 5], [(0, 3, 5, 9), (0, 6, 9, 5)]),
        ([5, 5, 5, 5, 7, 7, 7, 9, 9, 9, 9, 9], [(0, 4, 5, 7), (0, 7, 7, 9)]),
        ([5] * 4 + [50] + [5] * 4 + [9] * 6, [(0, 9, 5, 9)]),  # after an outlier
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], []),  # steady growth has no step
        ([5, 6, 5, 6, 6, 5, 6, 5, 5, 6], []),  # two levels by turns
        ([10, 20], []),  # two values alone
        ([10, 10, 20], [(0, 2, 10, 20)]),
        ([10], []),
        ([4, 4, 4, 4, 4], []),
        ([0, 0, 0, 800, 800, 800], [(0, 3, 0, 800)]),  # a new function
    ],
)
def test_where_a_series_steps(series: list[int], expected: Found) -> None:
    """A level lasts for three revisions, or to an end; what is shorter is an outlier."""
    assert found(series) == expected


@pytest.mark.parametrize(("samples", "has_step"), [(10_000, False), (100_000, True), (0, True)])
def test_a_step_of_samples_is_beyond_chance(samples: int, has_step: bool) -> None:
    """2·√(0.03·0.97 + 0.033·0.967) of 10,000 is 49 of as many samples, and 16 of ten times more.

    Without samples a cost is what it is.
    """
    whole = np.full(6, 10_000)
    sampled = SampledRevisions(np.full(6, samples), whole)
    found = steps(np.array([[300, 300, 300, 330, 330, 330]]), sampled)
    assert found.revision.tolist() == [3] * has_step


def test_a_step_beyond_noise() -> None:
    """The size that matters depends on the noise of the series."""
    before, after = noisy(100_000, 40, seed=1), noisy(102_000, 40, seed=2)
    ((series, revision, *_),) = found(before + after)
    assert (series, revision) == (0, 40)
    loud = noisy(100_000, 40, seed=1, noise=0.02) + noisy(102_000, 40, seed=2, noise=0.02)
    assert found(loud) == []


def test_noise_has_no_steps() -> None:
    """In 200,000 noisy values, none is a step; nor are outliers among them."""
    series = [noisy(1_000_000, 400, seed) for seed in range(500)]
    for number, values in enumerate(series):
        values[100 + number % 200] *= 2
    assert found(*series) == []


def test_a_step_near_louder_revisions() -> None:
    """Where a quiet series becomes loud for a while, its noise there counts."""
    loud = [100, 140, 90, 150, 95, 145, 99, 133, 104, 160]
    assert found([100] * 60 + loud + [100] * 60) == []


def test_rare_changes_of_a_constant_cost() -> None:
    """Of values that are nearly always equal, three others in a row, or the last, are no step."""
    rare = [1000] * 400
    for place in range(7, 400, 23):
        rare[place] = 1001
    assert found([*rare, 1000, 1001, 1001, 1001, *rare, 1001]) == []
    assert found([*rare, 1000, 1005, 1005, 1005, 1005]) == [(0, 401, 1000, 1005)]


def test_a_step_smaller_than_several_outliers() -> None:
    """Where four of five values on each side agree, outliers elsewhere do not hide the step."""
    series = [100] * 30 + [90] * 30
    for place, outlier in ((3, 300), (12, 20), (41, 180)):
        series[place] = outlier
    assert found(series) == [(0, 30, 100, 90)]


def test_common_changes_of_a_constant_cost() -> None:
    """Where one value in thirteen is another one, five of them in a row are no step."""
    common = [1000] * 400
    for place in range(7, 400, 13):
        common[place] = 1001
    assert found([*common, 1000, 1000, 1001, 1001, 1001, 1001, 1001, *common]) == []


def test_the_ends_are_compared_with_all_outliers() -> None:
    """The newest value alone is a step only if no outlier of the history was as large."""
    assert found([100] * 30 + [104] + [100] * 30 + [103]) == []
    assert found([100] * 30 + [104] + [100] * 30 + [105]) == [(0, 61, 100, 105)]


def test_huge_costs() -> None:
    """Levels are exact, also where differences exceed 64 bits."""
    low, high = -(2**63), 2**63 - 1
    assert found([low] * 4 + [high] * 4) == [(0, 4, low, high)]
    assert found([2**62 + 1] * 4 + [2**62 + 2**40] * 4) == [(0, 4, 2**62 + 1, 2**62 + 2**40)]


@given(
    st.lists(st.integers(-1000, 1000), min_size=3, max_size=20),
    st.integers(2, 50),
    st.integers(-(10**6), 10**6),
)
def test_steps_depend_on_no_scale(values: list[int], factor: int, offset: int) -> None:
    """A series in other units, or upside down, steps in the same revisions."""
    places = [place for _, place, _, _ in found(values)]
    assert [place for _, place, _, _ in found([offset + factor * v for v in values])] == places
    assert [place for _, place, _, _ in found([-value for value in values])] == places


def test_trend_largest_step_and_spread() -> None:
    """The trend compares the levels at both ends, which outliers there do not move."""
    numbers = trends(
        np.array(
            [
                [5, 50, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9],
                [9, 9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 2],
                [3] * 12,
            ]
        )
    )
    assert numbers.trend.tolist() == [4, -7, 0]
    assert numbers.largest_step.tolist() == [4, -7, 0]
    assert numbers.step_revision.tolist() == [5, 5, -1]
    assert numbers.spread.tolist() == [45, 7, 0]
    assert trends(np.array([[4, 7]])).trend.tolist() == [3]
    assert trends(np.array([[4]])).trend.tolist() == [0]
