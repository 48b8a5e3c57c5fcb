"""Compares two tables of `tests.bench.scaling --tsv`.

python -m tests.bench.scaling.comparison BEFORE AFTER

Prints the rows that changed by half or more at their largest common size, or whose mark came or
went, then how many rows are marked in each.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.bench.scaling.children import Figures
from tests.bench.scaling.table import Row, read_tsv, seconds_text

_LEAST = 0.1  # seconds: changes of less are noise
_FACTOR = 1.5


def print_changes(before: list[Row], after: list[Row]) -> None:
    """Print what changed."""
    former = {(row.shape, row.measurement): row for row in before}
    keys = [(row.shape, row.measurement) for row in after]
    pairs = [(former[key], row) for key, row in zip(keys, after, strict=True) if key in former]
    print(f"{'':52}{'rows':>9}  {'before':>18}  {'after':>18}")
    for old, new in pairs:
        if (size := _common_size(old, new)) and _has_changed(old, new, size):
            name = f"{new.shape}: {new.measurement}"
            print(f"{name:52}{size:>9}  {_row_text(old, size):>18}  {_row_text(new, size):>18}")
    marked = (sum(bool(row.mark) for row in rows) for rows in zip(*pairs, strict=True))
    print("marked of {} rows in both: {} before, {} after".format(len(pairs), *marked))


def _common_size(old: Row, new: Row) -> int:
    """The largest number of rows that both were measured at; 0 if there is none."""
    return max(set(old.by_size) & set(new.by_size), default=0)


def _has_changed(old: Row, new: Row, size: int) -> bool:
    first, second = old.by_size[size], new.by_size[size]
    if old.mark != new.mark or first.failure != second.failure:
        return True
    low, high = sorted((first.seconds, second.seconds))
    return high > _LEAST and high > _FACTOR * low


def _row_text(row: Row, size: int) -> str:
    figures: Figures = row.by_size[size]
    gap = f", {row.gap:.0f} ms" if row.gap else ""
    return f"{row.mark} {seconds_text(figures)}{gap}"


def main() -> None:
    before, after = (read_tsv(Path(name)) for name in sys.argv[1:3])
    print_changes(before, after)


if __name__ == "__main__":
    main()
