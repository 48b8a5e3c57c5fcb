"""The table of what was measured: seconds at each size, exponents, marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TextIO

from tests.bench.scaling.children import Figures

LARGEST_EXPONENT = 1.15
LARGEST_GAP = 50.0  # ms of processor time in the GUI thread
# seconds at the two sizes of an exponent; less is noise
_LEAST_SMALL, _LEAST_LARGE = 0.005, 0.1
_SLOWEST = 10  # rows in the list of the slowest


@dataclass(frozen=True, slots=True)
class Row:
    """What one measurement of one shape took, by the number of its rows."""

    shape: str
    measurement: str
    by_size: dict[int, Figures]

    @property
    def exponent(self) -> float | None:
        """How the time grows between the two largest sizes; None if too little was measured.

        With three sizes, size and time of the smallest are taken off both, and with them what
        takes the same time for any size: what is linear then has an exponent of exactly 1.
        """
        points = sorted((size, f.seconds) for size, f in self.by_size.items() if not f.failure)
        first = points[0] if len(points) > 2 else (0, 0.0)
        rises = [(size - first[0], seconds - first[1]) for size, seconds in points[-2:]]
        if len(rises) < 2 or rises[1][1] < _LEAST_LARGE or rises[0][1] < _LEAST_SMALL:
            return None
        (small, short), (large, long) = rises
        return math.log(long / short) / math.log(large / small)

    @property
    def gap(self) -> float:
        """The longest time, in ms, for which the GUI thread was busy at any size."""
        return max((figures.gap for figures in self.by_size.values()), default=0.0)

    @property
    def exceeds_limit(self) -> bool:
        """Whether some size was not finished in time."""
        return any(figures.failure.startswith(">") for figures in self.by_size.values())

    @property
    def mark(self) -> str:
        """A `!` for what grows too fast or holds the GUI thread for too long."""
        grows = self.exponent is not None and self.exponent > LARGEST_EXPONENT
        return "!" if grows or self.gap > LARGEST_GAP or self.exceeds_limit else ""


def print_table(rows: list[Row], file: TextIO) -> None:
    """Print all rows, then the slowest, then the gaps of docks."""
    sizes = sorted({size for row in rows for size in row.by_size})
    titles = "".join(f"{size:>11,}" for size in sizes)
    print(f"{'seconds of processor time':51}{titles}  exponent   gap ms   MB", file=file)
    shape = ""
    for row in rows:
        if row.shape != shape:
            shape = row.shape
            print(f"\n{shape}", file=file)
        print(_line(row, sizes), file=file)
    _print_slowest(rows, sizes[-1], file)
    _print_gaps(rows, file)


def _line(row: Row, sizes: list[int]) -> str:
    seconds = "".join(f"{seconds_text(row.by_size.get(size)):>11}" for size in sizes)
    exponent = "" if row.exponent is None else f"{row.exponent:.2f}"
    gap = f"{row.gap:.0f}" if row.gap else ""
    memory = max(figures.memory for figures in row.by_size.values())
    failures = {f.failure for f in row.by_size.values() if f.failure and f.failure[0] != ">"}
    line = f"{row.mark:1} {row.measurement:49}{seconds}{exponent:>10}{gap:>9}{memory:>7.0f}"
    return "  ".join((line, *(failure[:60] for failure in sorted(failures))))


def seconds_text(figures: Figures | None) -> str:
    """Return the seconds, or the limit that they exceed; empty without figures."""
    if figures is None:
        return ""
    if figures.failure:
        return figures.failure if figures.failure.startswith(">") else "failed"
    return f"{figures.seconds:.3f}"


def _print_slowest(rows: list[Row], size: int, file: TextIO) -> None:
    at_size = [(row, row.by_size[size]) for row in rows if size in row.by_size]
    at_size.sort(key=lambda pair: (not pair[0].exceeds_limit, -pair[1].seconds))
    print(f"\nThe slowest at {size:,}:", file=file)
    for row, figures in at_size[:_SLOWEST]:
        print(f"  {seconds_text(figures):>9}  {row.shape}: {row.measurement}", file=file)


def _print_gaps(rows: list[Row], file: TextIO) -> None:
    print(f"\nThe GUI thread busy for more than {LARGEST_GAP:.0f} ms:", file=file)
    worst: dict[str, list[tuple[float, str]]] = {}
    for row in rows:
        if row.gap > LARGEST_GAP:
            worst.setdefault(row.measurement, []).append((row.gap, row.shape))
    for measurement, gaps in worst.items():
        gaps.sort(reverse=True)
        text = ", ".join(f"{shape} {gap:.0f}" for gap, shape in gaps)
        print(f"  {measurement}: {text}", file=file)
