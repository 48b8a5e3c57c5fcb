"""Small Python programs for Python's own profilers, and the statistics of the module `pstats`."""

from __future__ import annotations

import argparse
import cProfile
import json
import profile
import pstats
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import function_rows

Key = tuple[str, int, str]


def read_and_written() -> None:
    """Calls between mutually recursive functions, and built-in ones."""
    text = json.dumps({str(n): [n, {"a": [n]}] for n in range(30)}, indent=1)
    json.loads(text)


def parsed() -> None:
    """Classes with methods of the same names."""
    parser = argparse.ArgumentParser(prog="x", exit_on_error=False)
    parser.add_argument("--size", type=int)
    parser.parse_args(["--size", "3"])
    re.sub("a+", lambda match: "b" * len(match[0]), "caat" * 20)


def fib(n: int) -> int:
    """Calls itself."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n: int) -> bool:
    """Calls `odd`, which calls it."""
    return n == 0 or odd(n - 1)


def odd(n: int) -> bool:
    """Calls `even`, which calls it."""
    return n != 0 and even(n - 1)


def recursive() -> None:
    """Recursion of one function and of two."""
    fib(9)
    even(7)
    odd(4)


def numbers(until: int) -> Iterator[int]:
    """A generator, which resumes where it was."""
    yield from (n * n for n in range(until))


def failing(n: int) -> int:
    """Ends with an error."""
    raise ValueError(n)


def odd_ways() -> None:
    """Ways to enter and leave a function other than plain calls."""
    sum(numbers(20))
    for n in range(3):
        try:
            failing(n)
        except ValueError:
            sorted([3, 1, n], key=lambda value: -value)
    pair = [
        lambda: 1,
        lambda: 2,  # on a line of its own: of two on a line cProfile drops one
    ]
    sum(one() for one in pair)
    thread = threading.Thread(target=fib, args=(4,))
    thread.start()
    thread.join()


PROGRAMS: tuple[Callable[[], None], ...] = (read_and_written, parsed, recursive, odd_ways)


def record(
    path: Path,
    program: Callable[[], None],
    kind: type[cProfile.Profile] | type[profile.Profile] = cProfile.Profile,
) -> Path:
    """Write a profiler's statistics of the program."""
    profiler = kind()
    profiler.runcall(program)
    profiler.dump_stats(path)
    return path


def pstats_rows(*paths: Path) -> dict[Key, tuple[int, int, float, float, dict[Key, Any]]]:
    """The statistics that `pstats` computes of the files, without its profiler's empty start."""
    stats = dict(pstats.Stats(*map(str, paths)).stats)  # type: ignore[attr-defined]  # not in stubs
    stats.pop(("profile", 0, "profiler"), None)
    return stats


def merge(path: Path, *paths: Path) -> Path:
    """Write the statistics of `pstats` to another file."""
    pstats.Stats(*map(str, paths)).dump_stats(path)
    return path


def profile_rows_by_key(profile: Profile, keys: Iterable[Key]) -> dict[Key, int]:
    """The row of each function, by Python's key for it; each appears once."""
    lines = dict(zip(profile.runs.function.tolist(), profile.costs.line.tolist(), strict=False))
    known = function_rows(profile)
    found = {}
    for row, line in lines.items():
        name, file, _ = known[row]
        found[file, line, name.removesuffix(f":{line}") if line else name] = row
    assert len(lines) == len(found)
    return {key: found[_file(key), key[1], _name(key)] for key in keys}


def _file(key: Key) -> str:
    return "" if key[:2] in (("~", 0), ("profile", 0)) else key[0]


def _name(key: Key) -> str:
    """The name as text; `profile` has a program's code object instead."""
    return key[2] if isinstance(key[2], str) else f"<code object {key[2].co_name}>"
