"""A sample of the numbers of all views, added up from the raw text of their profiles."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import ProfileError
from tests.profile_rows import DATA
from tests.proof.profiles import profiles_in
from tests.proof.proving import Proof, proof_of, proof_of_comparison

WIDE = Path(__file__).parents[3] / "shared" / "corpus"
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


@pytest.mark.slow
@pytest.mark.skipif(not WIDE.exists(), reason="there is no wide collection")
def test_lines_add_up_in_a_wide_collection() -> None:
    """Some numbers of each profile; `python -m tests.proof` takes 10,000."""
    proofs: list[Proof] = []
    for seed, path in enumerate(profiles_in(WIDE)):
        try:
            proofs.append(proof_of(path, 5, seed))
        except ProfileError:
            continue
    assert [failure for proof in proofs for failure in proof.failures] == []
    assert sum(proof.views.total() for proof in proofs) > 1000
