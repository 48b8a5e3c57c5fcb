"""Folding takes as long as there are calls, whatever their shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from tests.bench.scaling.shapes import SHAPES
from tests.growth import assert_linear

FUNCTIONS = 50_000 if COMPILED else 4_000


def half(functions: int) -> BoolArray:
    """Half of the functions, at random."""
    return np.random.default_rng(1).random(functions) < 0.5


def all_but_main(functions: int) -> BoolArray:
    """All functions but the first."""
    return np.arange(functions) > 0


def main_alone(functions: int) -> BoolArray:
    """The function that all others call."""
    return np.arange(functions) == 0


def every_second(functions: int) -> BoolArray:
    """Each second function, so that each call leads into a folded function or out of one."""
    return np.arange(functions) % 2 == 1


def _called_back(rows: int) -> Iterator[str]:
    """A chain of functions of which each also calls one of its own."""
    yield from ("events: Ir", "fl=(1) main.c", "fn=(1) main", "1 1")
    yield from ("cfn=(2) chain_2", "calls=1 1", f"1 {rows}")
    links = rows // 2
    for number in range(2, links):
        yield from (f"fn=({number})", "1 1")
        yield from (f"cfn=({links + number}) callback_{number}", "calls=1 1", "1 1")
        yield from (f"cfn=({number + 1}) chain_{number + 1}", "calls=1 1", f"1 {rows - number}")
    yield from (f"fn=({links})", "1 1")
    yield from (f"fn=({links + number})\n1 1" for number in range(2, links))


def _crossing(rows: int) -> Iterator[str]:
    """A function that many call, and that calls as many others: no share would mean anything."""
    yield from ("events: Ir", "fl=(1) main.c", "fn=(1) main", "1 1")
    callers = rows // 2
    for number in range(2, rows):
        if number < callers:
            yield from (f"fn=({number}) caller_{number}", "1 1", "cfn=(1)", "calls=1 1", "1 3")
    yield "fn=(1)"
    for number in range(callers, rows):
        yield from (f"cfn=({number}) callee_{number}", "calls=1 1", "1 1")
    yield from (f"fn=({number})\n1 1" for number in range(callers, rows))


def _many_events(rows: int) -> Iterator[str]:
    """A chain of functions with 250 events."""
    costs = " ".join(str(number) for number in range(250))
    yield from ("events: " + " ".join(f"E{number}" for number in range(250)), "fl=(1) main.c")
    for number in range(1, rows + 1):
        yield from (f"fn=({number}) function_{number}", f"1 {costs}")
        yield from (f"cfn=({number + 1}) function_{number + 1}", "calls=1 1", f"1 {costs}")


def _called_in_parts(rows: int) -> Iterator[str]:
    """Parts of one run, in each of which a function calls another."""
    for number in range(1, rows + 1):
        yield from (f"part: {number}", "events: Ir", "fl=(1) main.c", "fn=(1) main", "1 1")
        yield from ("cfn=(2) callee", "calls=1 1", "1 5", "fn=(2)", "1 5")


def _layers(rows: int) -> Iterator[str]:
    """Functions that call three later ones each, as programs with libraries do."""
    chance = np.random.default_rng(2)
    yield from ("events: Ir", "fl=(1) main.c")
    for number in range(1, rows):
        yield from (f"fn=({number}) function_{number}", f"1 {number % 100 + 1}")
        for callee in chance.integers(number + 1, min(rows, number + 1000) + 1, 3).tolist():
            yield from (f"cfn=({callee}) function_{callee}", "calls=2 1", f"1 {number % 37 + 1}")


Lines = Callable[[int], Iterator[str]]
Mask = Callable[[int], BoolArray]
CASES: dict[str, tuple[Lines, Mask, int]] = {  # lines, what is folded, rows for all functions
    "layers, half": (_layers, half, FUNCTIONS),
    "one cycle, half": (SHAPES["one great cycle"], half, 3 * FUNCTIONS),
    "one cycle, all": (SHAPES["one great cycle"], all_but_main, 3 * FUNCTIONS),
    "chain": (SHAPES["chain"], all_but_main, FUNCTIONS),
    "chain, every second": (SHAPES["chain"], every_second, FUNCTIONS),
    "chain with callbacks": (_called_back, every_second, FUNCTIONS),
    "hub of callers": (SHAPES["callers of one"], main_alone, FUNCTIONS),
    "callers and callees": (_crossing, main_alone, FUNCTIONS),
    "star": (SHAPES["calls from one"], half, FUNCTIONS),
    "sites of one call": (SHAPES["sites of one call"], all_but_main, FUNCTIONS),
    "ring": (SHAPES["ring"], all_but_main, FUNCTIONS),
    "small cycles": (SHAPES["many small cycles"], half, FUNCTIONS),
    "parts": (_called_in_parts, all_but_main, FUNCTIONS // 10),
    "250 events": (_many_events, every_second, FUNCTIONS // 50),
}


def profile_of(lines: Iterator[str]) -> Profile:
    """The profile of a file with these lines."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "callgrind.out.1"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return load(path)


@pytest.mark.parametrize("title", CASES)
def test_every_shape_is_folded_in_linear_time(title: str) -> None:
    """Chains, rings, hubs and callbacks that pile up, of tens of thousands of functions."""
    lines, mask, size = CASES[title]
    profiles = {rows: profile_of(lines(rows)) for rows in (size, size // 8)}
    masks = {rows: mask(len(profile.functions)) for rows, profile in profiles.items()}
    assert_linear(lambda rows: fold_functions(profiles[rows], masks[rows]), size)
