"""Changes of samples in lists and pictures: how large those by chance are, and which are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.unit import Divisors, Unit

# within noise, beyond it, unchanged
FIGURES = Figures(
    Unit("samples", 10_000),
    np.array([360, 3300, 50]),
    np.array([340, 3000, 50]),
    sampling=Sampling((10_000, 10_000), (10_000, 10_000)),
).with_longest_bar()
THIN = "\N{THIN SPACE}"


def test_the_tip_of_a_change_says_its_noise_in_samples() -> None:
    """2·√(340·0.966 + 360·0.964) = 51.98 samples of 10,000, and 131.28."""
    assert [FIGURES.tip(row).replace(THIN, " ") for row in range(3)] == [
        "+20 samples. Within noise, ±0.52 %: seen in 340 and 360 of 10 000 samples",
        "+300 samples. Beyond noise, ±1.32 %: seen in 3 000 and 3 300 of 10 000 samples",
        "",
    ]


def test_both_numbers_of_samples_are_said_if_they_differ() -> None:
    figures = replace(FIGURES, sampling=Sampling((10_000, 5000), (10_000, 10_000)))
    assert figures.tip(0).replace(THIN, " ") == (
        "+20 samples. Within noise, ±0.64 %: seen in 340 of 10 000 and 180 of 5 000 samples"
    )


def test_changes_within_noise_are_grey_and_have_neither_bar_nor_colour() -> None:
    rows = range(3)
    assert [FIGURES.is_noise(row) for row in rows] == [True, False, False]
    assert [FIGURES.is_faint(row) for row in rows] == [True, False, False]
    assert [FIGURES.bar(row) for row in rows] == [0, 1, 0]
    assert [FIGURES.strength(row) for row in rows] == [0, 1, 0]


def test_shares_have_their_noise_in_points() -> None:
    unit = replace(FIGURES.unit, divisors=Divisors((10_000, 10_000), are_totals=True))
    assert replace(FIGURES, unit=unit).tip(0).replace(THIN, " ") == (
        "Within noise, ±0.52 (points): seen in 340 and 360 of 10 000 samples"
    )


def test_exact_costs_have_no_noise() -> None:
    exact = replace(FIGURES, sampling=None)
    assert exact.tip(0).replace(THIN, " ") == "+20 samples"
    assert not exact.is_faint(0)
