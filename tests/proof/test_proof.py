"""A sample of the numbers of all views, added up from the raw text of their profiles."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.profile_rows import DATA
from tests.proof.profiles import profiles_in
from tests.proof.proving import proof_of, proof_of_comparison

PROFILES = [*profiles_in(DATA)]
PAIRS = [pair for pair in pairwise(PROFILES) if pair[0].parent == pair[1].parent]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", PROFILES, ids=name_of)
def test_lines_add_up_to_numbers_of_all_views(path: Path) -> None:
    """In some parts, with cycles and without; estimates are products of such numbers."""
    proof = proof_of(path, 40, seed=1)
    assert proof.failures == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " ".join(map(name_of, pair)))
def test_lines_add_up_to_both_sides_of_comparisons(pair: tuple[Path, Path]) -> None:
    """The lines of each side are in its own file."""
    proof = proof_of_comparison(*pair, 20, seed=1)
    assert proof.failures == []
