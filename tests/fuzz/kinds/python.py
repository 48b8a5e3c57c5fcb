"""Profiles of Python's profilers: marshalled dictionaries, mutated, and of any other values."""

from __future__ import annotations

import marshal
from pathlib import Path
from random import Random
from typing import Any

import qcachegrind_py as q
from tests.formats.profile_comparison import json_report
from tests.fuzz.kinds import callgrind
from tests.fuzz.mutation import mutate, mutate_in_place
from tests.fuzz.outcome import Content

_NAMES = [
    "f",
    "<module>",
    "<built-in method len>",
    "~",
    "",
    "a.py",
    "/srv/x.py",
    "é",
    "\udc80",
    "a\nb",
]
_INTEGERS = [0, 1, -1, 7, 2**31 - 1, 2**31, -(2**31), 2**63, 2**64, 10**30]
_FLOATS = [0.0, 1e-9, 0.1, -0.5, 1e300, float("inf"), float("nan"), 5e-324]
_DEEPEST = 4


def make(random: Random) -> bytes:
    """A profile in one of marshal's versions; mostly with a few wrong bytes."""
    data = _marshalled(random)
    if random.random() < 0.5:
        return mutate_in_place(random, data)
    return mutate(random, data, _marshalled(random)) if random.random() < 0.4 else data


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile and its JSON report, or the error."""
    path = folder / "profile.prof"
    path.write_bytes(data)
    read = callgrind.content_or_error(lambda: q.load(path))
    return read if "error" in read else {**read, "report": json_report(q.load(path))}


def _marshalled(random: Random) -> bytes:
    keys = [_key(random) for _ in range(random.randint(1, 12))]
    profile: dict[Any, Any] = {key: _statistics(random, keys) for key in keys}
    if random.random() < 0.1:
        profile[_any_value(random, 0)] = _any_value(random, 0)
    return marshal.dumps(profile, random.randint(0, 4))


def _key(random: Random) -> tuple[str, int, str]:
    return random.choice(_NAMES), random.randint(0, 99), random.choice(_NAMES)


def _statistics(random: Random, keys: list[tuple[str, int, str]]) -> Any:
    if random.random() < 0.02:
        return _any_value(random, 0)
    callers = random.sample(keys, random.randint(0, min(3, len(keys))))
    by_caller: Any = {key: _numbers(random) for key in callers}
    if random.random() < 0.2:  # as `profile` records them
        by_caller = {key: random.randint(0, 9) for key in callers}
    return (*_numbers(random), by_caller)


def _numbers(random: Random) -> tuple[Any, ...]:
    counts: list[Any] = [random.randint(1, 50)] * 2
    times: list[Any] = [random.random(), random.choice((1e-9, random.random(), 1e6))]
    if random.random() < 0.01:
        counts[random.randrange(2)] = random.choice(_INTEGERS)
    if random.random() < 0.01:
        times[random.randrange(2)] = random.choice(_FLOATS)
    return (*counts, *times)


def _any_value(random: Random, depth: int) -> Any:
    """A value of any type that can be marshalled, and be a key if it is not within a list."""
    if depth < _DEEPEST and random.random() < 0.4:
        return tuple(_any_value(random, depth + 1) for _ in range(random.randint(0, 4)))
    constants = (None, True, False, ..., 1j, b"x", frozenset({1, "a"}), compile("x", "y", "eval"))
    return random.choice((*constants, *_NAMES, *_INTEGERS, *_FLOATS))
