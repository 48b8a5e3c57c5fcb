"""The kinds of cases, and the case that belongs to a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import cast

from tests.fuzz.outcome import Content

KINDS = (
    "callgrind",
    "grammar",
    "packed",
    "python",
    "stacks",
    "elf",
    "sources",
    "settings",
    "layouts",
    "reports",
)
"""Modules of `kinds/`, each with `make` and `check`."""
COMPARED = frozenset({"callgrind", "grammar", "python", "reports"})
"""Kinds that the compiled modules read or question."""


@dataclass(frozen=True, slots=True)
class Case:
    """A file of some kind; `name` is what finds it again, `KIND:SEED` or a path."""

    kind: str
    data: bytes
    name: str


def case_of(kind: str, seed: int) -> Case:
    """The case with this seed; the same one on every machine with the same libraries."""
    name = f"{kind}:{seed}"
    make = cast("Callable[[Random], bytes]", import_module(f"tests.fuzz.kinds.{kind}").make)
    return Case(kind, make(Random(name)), name)


def case_in(path: Path) -> Case:
    """The case that a finding was saved as: `KIND-….case`."""
    return Case(path.name.partition("-")[0], path.read_bytes(), str(path))


def check_case(kind: str, data: bytes, folder: Path) -> Content:
    """Read a case with the folder for its files; raises what the program would fail with."""
    check = import_module(f"tests.fuzz.kinds.{kind}").check
    return cast("Content", check(data, folder))
