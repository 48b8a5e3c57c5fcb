"""What differs between base and new besides their costs: the runs, the events, the cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.comparison import Comparison, Difference
from qcachegrind_py.analysis.comparison.selections import PartComparison
from qcachegrind_py.analysis.costs.function_costs import SplitCycle
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.progress import Progress

_MAX_CYCLES = 20  # that are listed
_MAX_SIZES = 5  # of the cycles of one side
_SAID_OTHERWISE = {"Events"}
_CHOSEN = {*_SAID_OTHERWISE, "Parts", "Threads"}  # where parts of one profile are compared


@dataclass(frozen=True, slots=True)
class Comparability:
    """What differs, in words; nothing if the runs are comparable in every respect."""

    differences: tuple[Difference, ...] = ()  # between the runs
    cycles: tuple[Difference, ...] = ()  # that are others, or none, on one side alone
    cycle_count: int = 0  # of these; not all are listed


def find_differences(progress: Progress, compared: Comparison) -> Comparability:
    """Find what differs besides the costs; long for a large profile, so it belongs in a job."""
    expected = _CHOSEN if isinstance(compared, PartComparison) else _SAID_OTHERWISE
    runs = [each for each in compared.differences if each.what not in expected]
    progress.check(0.3)
    split = compared.split_cycles
    progress.check(1.0)
    cycles = tuple(_cycle_difference(each) for each in split[:_MAX_CYCLES])
    return Comparability((*_event_differences(compared), *runs), cycles, len(split))


def _event_differences(compared: Comparison) -> Iterator[Difference]:
    """Yield the events that one side lacks, in one row."""
    sides = compared.only_base, compared.only_new
    if any(sides):
        base, new = (f"{' '.join(names)} (only here)" if names else "" for names in sides)
        yield Difference("Events", base, new)


def _cycle_difference(split: SplitCycle) -> Difference:
    count = format_count(split.functions)
    what = f"Cycle {split.number} of {count} {plural(split.functions, 'function')}"
    base, new = (_alone_text(sizes) for sizes in split.alone)
    return Difference(what, base, new)


def _alone_text(sizes: Sequence[int]) -> str:
    """Return the cycles of one side alone by their sizes."""
    if not sizes:
        return "no cycle"
    shown = " + ".join(map(format_count, sizes[:_MAX_SIZES]))
    more = f" + {format_count(len(sizes) - _MAX_SIZES)} more" if len(sizes) > _MAX_SIZES else ""
    cycles = f"{format_count(len(sizes))} cycles" if len(sizes) > 1 else "a cycle"
    return f"{cycles} of {shown}{more} functions"
