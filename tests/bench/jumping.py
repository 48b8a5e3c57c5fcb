"""Measures how long the fuzzy jump takes for each typed key, among many functions."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.names.fuzzy_search import FuzzySearch
from qcachegrind_py.formats.loading import load
from tests.bench.large_profiles import write_profile

_RUNS = 5
_QUERIES = ("method_99", "m9", "spacetype99", "char const", "std::vector", "vpb", "strlen", "zzz")
_SCOPES = ("std::", "std::__detail::", "boost::asio::", "llvm::", "clang::Sema::", "QtPrivate::")
_WORDS = ("vector", "push", "back", "string", "get", "Value", "Type", "Ref", "hash", "insert")
_ARGUMENTS = ("", "(int const&)", "(std::basic_string<char, std::char_traits<char> > const&)")


def write_named_profile(path: Path, functions: int) -> None:
    """Write a profile whose names are as long and as varied as real ones."""
    chance = random.Random(1)
    lines = ["events: Ir"]
    for number in range(functions):
        words = chance.sample(_WORDS, chance.randrange(1, 4))
        template = chance.choice(("", "<int>", "<std::pair<unsigned long, char*> >"))
        owner = f"{chance.choice(_SCOPES)}{chance.choice(_WORDS)}{template}::"
        name = owner + chance.choice(("_", "")).join(words) + f"_{number}"
        lines.append(f"fn={name}{chance.choice(_ARGUMENTS)}\n1 {chance.randrange(1, 10**6)}")
    path.write_text("\n".join(lines) + "\n")


def milliseconds(search: FuzzySearch, query: str, weight: np.ndarray) -> float:
    """The milliseconds that one search takes."""
    start = time.perf_counter()
    search.best(query, weight)
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    functions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.out"
        for kind in ("made", "named"):
            if kind == "made":
                write_profile(path, 1, functions)
            else:
                write_named_profile(path, functions)
            profile = load(path)
            weight = np.random.default_rng(1).integers(0, 10**9, functions)
            print(
                f"{kind}: {functions} functions, {len(profile.texts.arena) / 1e6:.1f} MB of names"
            )
            for query in _QUERIES:
                keys = []
                for _ in range(_RUNS):
                    search = FuzzySearch(profile.texts, profile.functions.name)
                    keys += [
                        milliseconds(search, query[:length], weight)
                        for length in range(1, len(query) + 1)
                    ]
                keys.sort()
                print(f"  {query}: median {keys[len(keys) // 2]:.0f} ms, most {keys[-1]:.0f} ms")


if __name__ == "__main__":
    main()
