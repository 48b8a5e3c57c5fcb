"""Measures how long functions take to be charged to their callers, and the memory it needs.

For each shape of 100,000 functions: the time of folding some of them, of that and the costs of all
functions, as a view waits for them, and how the time of folding grows from an eighth of the size. A
file as argument is folded by terms: `FILE [TERM...]`, by default `stdlib`, with the peak of memory
before and after.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_folds
from qcachegrind_py.analysis.folded_queries import with_folds
from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from tests.bench.scaling.shapes import SHAPES

FUNCTIONS = 100_000
_RUNS = 5
_GROWTH = 8


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
CASES: dict[str, tuple[Lines, Mask, int]] = {  # lines, what is folded, rows for 100,000 functions
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


def milliseconds(work: Callable[[], object]) -> float:
    """The least time of several runs."""
    times = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return min(times)


def _measure(title: str) -> None:
    lines, mask, rows = CASES[title]
    profile, small = profile_of(lines(rows)), profile_of(lines(rows // _GROWTH))
    folded, of_small = mask(len(profile.functions)), mask(len(small.functions))
    folding = fold_functions(profile, folded)
    spent = milliseconds(lambda: fold_functions(profile, folded))
    before = milliseconds(lambda: fold_functions(small, of_small))
    costs = milliseconds(lambda: ProfileQueries(folding.profile).costs(Scope()))
    print(
        f"{title:22} {len(profile.functions):8,} {int(folded.sum()):8,} "
        f"{int(folding.is_folded.sum()):8,} {len(profile.calls):8,} "
        f"{spent:7.1f} {costs:7.1f} {log(spent / before, _GROWTH):8.2f}"
    )


def _peak() -> float:
    """The most memory that was in use, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure_file(path: str, terms: str) -> None:
    queries = ProfileQueries(load(path))
    queries.costs(Scope())
    size, read = Path(path).stat().st_size / 1e6, _peak()
    start = time.perf_counter()
    folded = with_folds(queries, parse_folds(terms))
    seconds = time.perf_counter() - start
    folded.costs(Scope())
    count = 0 if folded.folding is None else int(folded.folding.is_folded.sum())
    print(f"{path}: {size:,.0f} MB; {queries.function_count:,} functions, {count:,} of them folded")
    print(f"read: {read:,.0f} MB; folded by {terms}: {_peak():,.0f} MB, {1000 * seconds:,.0f} ms")
    print(f"folded again: {milliseconds(lambda: with_folds(queries, parse_folds(terms))):,.0f} ms")


def main(arguments: list[str]) -> None:
    """Measure all shapes, or a file."""
    if arguments:
        _measure_file(arguments[0], " ".join(arguments[1:]) or "stdlib")
        return
    titles = ("functions", "to fold", "folded", "calls", "fold ms", "costs", "exponent")
    widths = (8, 8, 8, 8, 7, 7, 8)
    print(f"{'':22} " + " ".join(f"{t:>{w}}" for t, w in zip(titles, widths, strict=True)))
    for title in CASES:
        _measure(title)


if __name__ == "__main__":
    main(sys.argv[1:])
