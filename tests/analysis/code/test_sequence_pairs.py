"""Aligned sequences: what is paired is equal and in order, and edits leave the rest paired."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.instructions import (
    UNPAIRED,
    pair_between,
    pair_sequences,
)
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array


def numbers(text: str) -> Int64Array:
    return np.array([ord(letter) for letter in text], np.int64)


def places(base: str, new: str) -> list[int]:
    return pair_sequences(numbers(base), numbers(new)).tolist()


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ("", "", []),
        ("abc", "", [-1, -1, -1]),
        ("", "abc", []),
        ("abc", "abc", [0, 1, 2]),
        ("abc", "axbc", [0, 2, 3]),
        ("axbc", "abc", [0, -1, 1, 2]),
        ("abcd", "abXd", [0, 1, -1, 3]),
        ("aaa", "aa", [0, 1, -1]),
        ("abcdef", "Xcd", [-1, -1, 1, 2, -1, -1]),
        ("abc", "xyz", [-1, -1, -1]),
    ],
)
def test_small_edits(base: str, new: str, expected: list[int]) -> None:
    assert places(base, new) == expected


def is_valid(place: Int64Array, base: Int64Array, new: Int64Array) -> bool:
    rows = np.flatnonzero(place != UNPAIRED)
    return bool((base[rows] == new[place[rows]]).all() and (np.diff(place[rows]) > 0).all())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("letters", [2, 30, 100_000])
def test_pairs_are_equal_and_in_order(seed: int, letters: int) -> None:
    random = Random(seed)
    base = [random.randrange(letters) for _ in range(random.randrange(3000))]
    new = list(base)
    for _ in range(random.randrange(60)):
        first = random.randrange(len(new) + 1)
        new[first : first + random.randrange(30)] = [
            random.randrange(letters) for _ in range(random.randrange(30))
        ]
    one, other = np.array(base, np.int64), np.array(new, np.int64)
    assert is_valid(pair_sequences(one, other), one, other)


def test_edits_of_distinct_elements_leave_all_others_paired() -> None:
    """Long sequences are divided at what is unique, so nothing that is kept may be lost."""
    random = Random(7)
    base = list(range(5000))
    kept = sorted(random.sample(base, 4600))
    new = []
    for number in kept:
        new += [number] if random.random() > 0.1 else [-random.randrange(1, 10**9), number]
    place = pair_sequences(np.array(base), np.array(new))
    assert np.flatnonzero(place != UNPAIRED).tolist() == kept
    assert [new[row] for row in place[place != UNPAIRED].tolist()] == kept


def test_an_insertion_into_repeated_code_is_found() -> None:
    """Code repeats the same few instructions: runs are unique where single ones are not."""
    random = Random(3)
    base = np.array([random.randrange(12) for _ in range(4000)], np.int64)
    new = np.insert(base, [1000, 1000, 3000], [50, 51, 52])
    place = pair_sequences(base, new)
    kept = np.flatnonzero(new < 50)
    assert (place == kept).mean() > 0.999
    assert is_valid(place, base, new)


def test_long_stretches_without_unique_runs_stay_unpaired() -> None:
    """They could only be aligned in quadratic time; equal ends are paired all the same."""
    base = np.concatenate(([7, 8], np.tile([1, 2], 1500), [9]))
    new = np.concatenate(([7, 8], np.tile([2, 1, 3], 1000), [9]))
    place = pair_sequences(base, new)
    assert place[[0, 1, -1]].tolist() == [0, 1, len(new) - 1]
    assert is_valid(place, base, new)


def test_more_pairs_between_those_that_there_are() -> None:
    """Pairs that were found stay, and new ones do not cross them."""
    exact = pair_sequences(numbers("aBcDe"), numbers("bacde"))
    assert exact.tolist() == [1, -1, 2, -1, 4]
    place = pair_between(exact, numbers("abcde"), numbers("bacde"))
    assert place.tolist() == [1, -1, 2, 3, 4]


def test_an_unwanted_alignment_ends() -> None:
    class Unwanted(Progress):
        def check(self, fraction: float, text: str = "") -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        pair_sequences(numbers("abc"), numbers("cba"), Unwanted())
