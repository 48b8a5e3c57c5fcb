"""Measures how time grows with the number of rows, for profiles of many shapes.

    python -m tests.bench.scaling [SHAPE...] [--sizes 10000 100000 1000000]
                                  [--what reading costs docks reports] [--limit 60]

Each step is measured in processor time, in a child process with a limit of time and memory; one
that exceeds the limit is shown as `>60`, and left out at larger sizes. A `!` marks what grows with
an exponent above 1.15 between the two largest sizes, exceeds the limit, or holds the GUI thread
for more than 50 ms.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it

from tests.bench.scaling.children import Figures, Step, measure
from tests.bench.scaling.docks import docks
from tests.bench.scaling.library import costs, reading
from tests.bench.scaling.reports import reports
from tests.bench.scaling.shapes import SHAPES, write_shape
from tests.bench.scaling.table import Row, print_table

_WHAT: dict[str, Callable[[Path, int], Iterator[Step]]] = {
    "reading": lambda path, _rows: reading(path),
    "costs": lambda path, _rows: costs(path),
    "docks": lambda path, _rows: docks(path),
    "reports": reports,
}
_SIZES = (10_000, 100_000, 1_000_000)


def measure_shape(
    shape: str, sizes: list[int], what: list[str], limit: float, folder: Path
) -> list[Row]:
    """Measure one shape at all sizes."""
    rows: dict[str, Row] = {}
    for size in sorted(sizes):
        path = write_shape(shape, size, folder)
        without = [name for name, row in rows.items() if row.exceeds_limit]
        for figures in _measure_file(path, size, what, limit, without):
            row = rows.setdefault(figures.name, Row(shape, figures.name, {}))
            row.by_size[size] = figures
        print(f"{shape}, {size:,}", file=sys.stderr, flush=True)
    return list(rows.values())


def _measure_file(
    path: Path, rows: int, what: list[str], limit: float, without: list[str]
) -> Iterator[Figures]:
    for name in what:
        preparation = f"{name}: preparation"
        if preparation not in without:
            for figures in measure(partial(_WHAT[name], path, rows), limit, without):
                is_preparation = figures.name == "preparation"
                yield replace(figures, name=preparation) if is_preparation else figures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.bench.scaling")
    parser.add_argument("shapes", metavar="SHAPE", nargs="*", help=", ".join(SHAPES))
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, metavar="ROWS")
    parser.add_argument("--what", nargs="+", choices=_WHAT, default=list(_WHAT))
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    options = parser.parse_args()
    if unknown := set(options.shapes) - set(SHAPES):
        parser.error(f"no such shapes: {', '.join(sorted(unknown))}")
    return options


def main() -> None:
    options = _options()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        for shape in options.shapes or SHAPES:
            rows += measure_shape(shape, options.sizes, options.what, options.limit, Path(folder))
    print_table(rows, sys.stdout)


if __name__ == "__main__":
    main()
