"""Prove random numbers of profiles by their lines: `python -m tests.proof [FILE or FOLDER...]`."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

from qcachegrind_py.profile.errors import ProfileError
from tests.profile_rows import DATA
from tests.proof.profiles import profiles_in
from tests.proof.proving import Proof, proof_of, proof_of_comparison

_AT_ONCE = 60  # numbers of a profile or comparison


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="profiles, or folders")
    parser.add_argument("--numbers", type=int, default=10_000, help="how many (10,000)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the numbers (1)")
    return parser.parse_args()


def main() -> int:
    options = _arguments()
    chance, views, failures = random.Random(options.seed), Counter[str](), 0
    paths = [path for each in options.paths or [DATA] for path in profiles_in(each)]
    works: list[tuple[Path, ...]] = [(path,) for path in paths]
    works += [pair for pair in pairwise(paths) if pair[0].parent == pair[1].parent]
    chance.shuffle(works)
    while views.total() < options.numbers and works:
        before = views.total()
        for work in works:
            proof = _proof(work, min(_AT_ONCE, options.numbers - views.total()), chance.random())
            if proof is None:
                continue
            views += proof.views
            failures += len(proof.failures)
            for failure in proof.failures[:5]:
                print(failure)
            if sys.stderr.isatty():
                print(f"\r{views.total():,} numbers, {failures} wrong ", end="", file=sys.stderr)
            if views.total() >= options.numbers:
                break
        if views.total() == before:
            break
    print(f"{views.total():,} numbers of {len(paths)} profiles: {failures} wrong")
    print(", ".join(f"{view} {count:,}" for view, count in sorted(views.items())))
    return 1 if failures else 0


def _proof(work: tuple[Path, ...], numbers: int, seed: float) -> Proof | None:
    """Prove numbers of a profile or a comparison; None for what is no readable profile."""
    try:
        if len(work) == 2:
            return proof_of_comparison(*work, numbers, int(seed * 1e9))
        return proof_of(work[0], numbers, int(seed * 1e9))
    except ProfileError:
        return None


if __name__ == "__main__":
    sys.exit(main())
