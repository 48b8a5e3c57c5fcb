"""Calls and their times in Python profiles, with a root that makes the calls from outside.

Calls without a recorded caller, such as that of the first function of a program, are attributed to
a root function without time of its own. Each function is thus called as often, and costs as much
including its callees, as `pstats` prints. In recursion cycles the times of the callers do not add
up: pstats counts the time during which a function is on the stack, and for each caller the time of
its own calls, and these overlap. There, the root's share follows from the sum of all its calls,
which is the time of the whole program.

If only the number of calls was recorded, times are estimates: the time of a function is distributed
among the callers outside its cycle in proportion to their calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import find_cycles
from qcachegrind_py.formats.pstats.statistics import (
    CallStatistics,
    FunctionKey,
    FunctionStatistics,
    ProfileStatistics,
    with_progress,
)
from qcachegrind_py.profile.progress import PartialProgress, Progress

ROOT = FunctionKey(b"~", 0, b"(root)")


class RecordedCall(NamedTuple):
    """The calls from one function to another: count and time in nanoseconds."""

    caller: FunctionKey
    callee: FunctionKey
    calls: int
    time: int


def recorded_calls(statistics: ProfileStatistics, progress: Progress) -> list[RecordedCall]:
    """Return all calls in order of callee; the root's calls are last. Raises `Cancelled`."""
    cycle = _cycle_numbers(statistics, PartialProgress(progress, 0, 0.3))
    has_times = statistics.has_caller_times
    calls: list[RecordedCall] = []
    functions, rest = statistics.functions, PartialProgress(progress, 0.3, 1)
    for function_key, function in with_progress(functions.items(), rest):
        outside = _calls_from_outside(function)
        spent = function.callers | outside
        if has_times and not outside:
            times = {by: known.time or 0 for by, known in spent.items()}
        else:
            times = _caller_times(function_key, function.cumulative, spent, cycle)
        calls += [RecordedCall(by, function_key, spent[by].calls, times[by]) for by in spent]
    root_calls = [call for call in calls if call.caller == ROOT]
    if has_times:
        root_calls = list(_complete_root_calls(root_calls, statistics, cycle))
    return [call for call in calls if call.caller != ROOT] + root_calls


def _calls_from_outside(function: FunctionStatistics) -> dict[FunctionKey, CallStatistics]:
    """Return the calls that have no recorded caller."""
    calls = function.calls - sum(spent.calls for spent in function.callers.values())
    return {ROOT: CallStatistics(calls, None)} if calls > 0 else {}


def _caller_times(
    callee: FunctionKey,
    cumulative: int,
    spent: dict[FunctionKey, CallStatistics],
    cycle: dict[FunctionKey, int],
) -> dict[FunctionKey, int]:
    """Return the time of each caller's calls; missing times are estimated."""
    times = {by: 0 if known.time is None else known.time for by, known in spent.items()}
    unknown = [by for by, known in spent.items() if known.time is None and by != callee]
    remaining = cumulative - sum(time for by, time in times.items() if by != callee)
    inside = cycle.get(callee, 0)
    entering = [by for by in unknown if not inside or cycle.get(by, 0) != inside] or unknown
    shares = _apportion(min(max(0, remaining), cumulative), [spent[by].calls for by in entering])
    return times | dict(zip(entering, shares, strict=True))


def _complete_root_calls(
    root_calls: Sequence[RecordedCall], statistics: ProfileStatistics, cycle: dict[FunctionKey, int]
) -> Iterator[RecordedCall]:
    """Yield the root's calls; calls to members of cycles get the time missing from the total."""
    functions = statistics.functions
    available = [
        functions[call.callee].cumulative - call.time if cycle.get(call.callee, 0) else 0
        for call in root_calls
    ]
    whole = sum(function.time for function in functions.values())
    missing = whole - sum(call.time for call in root_calls)
    additions = _apportion(min(max(0, missing), sum(available)), available)
    for call, time in zip(root_calls, additions, strict=True):
        yield call._replace(time=call.time + time)


def _apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Divide a total in proportion to the weights into integers of exactly that sum."""
    ends, sum_, all_ = [0], 0, sum(weights)
    for weight in weights:
        sum_ += weight
        ends.append(total * sum_ // all_ if all_ else 0)
    return [end - begin for begin, end in pairwise(ends)]


def _cycle_numbers(statistics: ProfileStatistics, progress: Progress) -> dict[FunctionKey, int]:
    """Return the cycle number of each function that is in a cycle."""
    number: dict[FunctionKey, int] = {}
    caller, callee = [], []
    for function_key, function in with_progress(statistics.functions.items(), progress):
        for by in function.callers:
            caller.append(number.setdefault(by, len(number)))
            callee.append(number.setdefault(function_key, len(number)))
    cycle = find_cycles(np.array(caller, np.int32), np.array(callee, np.int32), len(number))
    return {function_key: int(cycle[row]) for function_key, row in number.items() if cycle[row]}
