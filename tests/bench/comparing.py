"""Measures how long two profiles take to be compared, and how much memory both sides take.

    python -m tests.bench.comparing [BASE NEW]

First the pairing of 100,000 generated functions, whose builds differ in folder, hashes, clones and,
in a tenth of them, template arguments. Then BASE against NEW: reading both, pairing and merging,
and the costs of all functions on both sides. Times are those of the processor, the best of three.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.comparison.matching import pair_functions
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import profile_from

_FUNCTIONS = 100_000
_RUNS = 3
_T = TypeVar("_T")


def build(number: int) -> Profile:
    """One of two builds of a large program in C++ and Rust."""
    chance = random.Random(number)
    lines = ["cmd: ./program", "events: Ir", "ob=/usr/bin/program"]
    for function in range(_FUNCTIONS):
        file = function % 3001
        lines += [
            f"fl=/build/{number}/src/d{file % 50}/f{file}.cc",
            f"fn={_name(function, number, chance)}",
            "1 5",
        ]
    return profile_from("\n".join(lines).encode())


def _name(function: int, build: int, chance: random.Random) -> str:
    path = f"ns{function % 97}::Class{function % 1009}::method_{function}"
    kind = function % 10
    if kind < 5:
        return f"{path}(int, std::vector<int, std::allocator<int> > const&)"
    if kind < 7:
        return f"core::{path}::h{chance.getrandbits(64):016x}"
    if kind == 7:
        return f"{path}.constprop.{chance.randrange(3)}"
    if kind == 8:
        return f"c_function_{function}"
    return f"std::vector<T{function}, A<T{function}_{build}> >::push_back(T{function} const&)"


def measure(title: str, work: Callable[[], _T]) -> _T:
    """Print the processor time of the work, and return its result."""
    best, result = float("inf"), None
    for _ in range(_RUNS):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    print(f"{title:36}{best:8.3f} s")
    assert result is not None
    return result


def compare_files(base: str, new: str) -> None:
    """Print the times and the memory of two files."""
    before = resident()
    sides = list(measure("read both", lambda: (load(base), load(new))))
    read = resident() - before
    compared = measure("pair and merge", lambda: compare(sides[0], sides[1]))
    event = compared.events[0]
    measure("pair, merge and costs", lambda: compare(sides[0], sides[1]).inclusive(event))
    print(dict(Counter(how.value for how in compared.pairing.how)))
    sides.clear()
    print(f"both profiles {read:,} MB, compared {resident() - before:,} MB")


def resident() -> int:
    """The memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 // 1_000_000


def main() -> None:
    """Run the measurements."""
    sides = build(1), build(2)
    pairing = measure(f"pair {_FUNCTIONS:,} functions", lambda: pair_functions(*sides))
    print(dict(Counter(how.value for how in pairing.how)))
    if len(sys.argv) > 2:
        compare_files(*sys.argv[1:3])


if __name__ == "__main__":
    main()
