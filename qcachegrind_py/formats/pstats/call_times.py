"""Who called what for how long, with a caller for the calls that came from outside.

A function that was not called by one that was recorded, such as the first of a program, has calls
and a time of which no caller is known. They are given to a root that spent no time of its own: so
each function is called as often, and costs as much with what it called, as pstats says. For
functions that call each other round this is no sum: pstats counts the time in which one is on the
stack, and for each caller the time of its own calls, and these overlap. How much of it the root has
is told by the sum of all its calls, which is the time of the whole program.

Where only calls were counted, their times are estimates: a function's time is shared out among
the callers outside of its cycle by how often they called it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from qcachegrind_py.analysis.costs.cycles import find_cycles
from qcachegrind_py.formats.pstats.statistics import (
    CallStatistics,
    FunctionKey,
    FunctionStatistics,
    ProfileStatistics,
)

ROOT = FunctionKey(b"~", 0, b"(root)")


class RecordedCall(NamedTuple):
    """A caller and what it called: how often, and for how many nanoseconds."""

    caller: FunctionKey
    callee: FunctionKey
    calls: int
    time: int


def recorded_calls(statistics: ProfileStatistics) -> list[RecordedCall]:
    """All calls, in order of what was called; the root's are the last ones."""
    cycle = _cycle_numbers(statistics)
    calls: list[RecordedCall] = []
    for place, function in statistics.functions.items():
        spent = function.callers | _calls_from_outside(function)
        times = _caller_times(place, function.cumulative, spent, cycle)
        calls += [RecordedCall(by, place, spent[by].calls, times[by]) for by in spent]
    of_root = [call for call in calls if call.caller == ROOT]
    if statistics.has_caller_times:
        of_root = list(_complete_root_calls(of_root, statistics, cycle))
    return [call for call in calls if call.caller != ROOT] + of_root


def _calls_from_outside(function: FunctionStatistics) -> dict[FunctionKey, CallStatistics]:
    """The calls that nobody made who was recorded."""
    calls = function.calls - sum(spent.calls for spent in function.callers.values())
    return {ROOT: CallStatistics(calls, None)} if calls > 0 else {}


def _caller_times(
    callee: FunctionKey,
    cumulative: int,
    spent: dict[FunctionKey, CallStatistics],
    cycle: dict[FunctionKey, int],
) -> dict[FunctionKey, int]:
    """The time of each caller's calls; what was not recorded is shared out among these."""
    times = {by: 0 if known.time is None else known.time for by, known in spent.items()}
    open_ = [by for by, known in spent.items() if known.time is None and by != callee]
    left = cumulative - sum(time for by, time in times.items() if by != callee)
    inside = cycle.get(callee, 0)
    entering = [by for by in open_ if not inside or cycle.get(by, 0) != inside] or open_
    shares = _apportion(min(max(0, left), cumulative), [spent[by].calls for by in entering])
    return times | dict(zip(entering, shares, strict=True))


def _complete_root_calls(
    of_root: Sequence[RecordedCall], statistics: ProfileStatistics, cycle: dict[FunctionKey, int]
) -> Iterator[RecordedCall]:
    """The root's calls: those of functions in cycles get what is missing from the whole time."""
    functions = statistics.functions
    room = [
        functions[call.callee].cumulative - call.time if cycle.get(call.callee, 0) else 0
        for call in of_root
    ]
    whole = sum(function.time for function in functions.values())
    missing = whole - sum(call.time for call in of_root)
    more = _apportion(min(max(0, missing), sum(room)), room)
    for call, time in zip(of_root, more, strict=True):
        yield call._replace(time=call.time + time)


def _apportion(total: int, weights: Sequence[int]) -> list[int]:
    """The whole in parts that are in proportion to the weights, and of exactly that sum."""
    ends, sum_, all_ = [0], 0, sum(weights)
    for weight in weights:
        sum_ += weight
        ends.append(total * sum_ // all_ if all_ else 0)
    return [end - begin for begin, end in pairwise(ends)]


def _cycle_numbers(statistics: ProfileStatistics) -> dict[FunctionKey, int]:
    """The number of the cycle that a function is in, for all that are in one."""
    number: dict[FunctionKey, int] = {}
    caller, callee = [], []
    for place, function in statistics.functions.items():
        for by in function.callers:
            caller.append(number.setdefault(by, len(number)))
            callee.append(number.setdefault(place, len(number)))
    cycle = find_cycles(np.array(caller, np.int32), np.array(callee, np.int32), len(number))
    return {place: int(cycle[row]) for place, row in number.items() if cycle[row]}
