"""Statistics in a file of Python's profilers: calls, times and callers of each function.

The file is a dictionary, as `pstats.Stats.dump_stats` and `python -m cProfile -o` write it:

    (file, line, name): (primitive calls, calls, self time, cumulative time, callers)

`callers` maps each caller to (calls, primitive calls, self time, cumulative time), or to the number
of calls alone in files of the slower profiler `profile`. Times in the file are in seconds; here
they are whole nanoseconds, the unit of Python's clocks. The file is in Python's marshal format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import find_cycles
from qcachegrind_py.formats.pstats.marshal_reader import MarshalError, MarshalReader, Value
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import PartialProgress, Progress

_NANOSECONDS = 10**9
_COUNT_LIMIT = 1 << 63
_MAX_LINE = 2**31 - 1
_CHECK_INTERVAL = 1000  # functions


_Item = TypeVar("_Item")


class FunctionKey(NamedTuple):
    """The key of a function in Python's profilers.

    Built-in functions are at line 0 of the file `~`, those of `profile` itself of `profile`.
    """

    file: bytes
    line: int
    name: bytes

    @property
    def is_built_in(self) -> bool:
        """Whether the function is written in C and has no Python file."""
        return self.line == 0 and self.file in (b"~", b"profile")


class _CallStatistics(NamedTuple):
    """The number of calls and their time in nanoseconds."""

    calls: int
    time: int | None  # None: not recorded


@frozen(eq=True)
class FunctionStatistics:
    """The statistics of a function: `time` is its self time, `cumulative` includes callees."""

    calls: int
    time: int
    cumulative: int
    callers: dict[FunctionKey, _CallStatistics]


_PROFILER = FunctionKey(b"profile", 0, b"profiler")  # root of `profile`; it is never called


@frozen(eq=True)
class ProfileStatistics:
    """The statistics in one file."""

    functions: dict[FunctionKey, FunctionStatistics] = field(default_factory=dict)

    @property
    def has_caller_times(self) -> bool:
        """Whether the times of each caller's calls were recorded."""
        return all(
            spent.time is not None
            for function in self.functions.values()
            for spent in function.callers.values()
        )


def read_statistics(
    data: bytes, progress: Progress, share: tuple[float, float]
) -> ProfileStatistics:
    """Parse the bytes of a file; raises `MarshalError` if they are invalid.

    `share` is the start and end of the file's share of the progress.
    """
    file = MarshalReader(data)
    statistics = ProfileStatistics()
    begin, end = share
    for number, (key, value) in enumerate(file.pairs()):
        if number % _CHECK_INTERVAL == 0:
            progress.check(begin + (end - begin) * file.position / len(data))
        function_key = _function_key(key)
        statistics.functions[function_key] = _function_statistics(value)
    statistics.functions.pop(_PROFILER, None)
    _check_sums_fit(statistics, PartialProgress(progress, end, end))
    return statistics


def _check_sums_fit(statistics: ProfileStatistics, progress: Progress) -> None:
    """Raise `MarshalError` if any sum exceeds 64 bits, which no real program reaches."""
    calls = times = 0
    for function in with_progress(statistics.functions.values(), progress):
        calls += function.calls + sum(spent.calls for spent in function.callers.values())
        times += abs(function.time) + abs(function.cumulative)
        times += sum(abs(spent.time or 0) for spent in function.callers.values())
    if max(calls, times) >= _COUNT_LIMIT:
        raise MarshalError("the numbers are impossible")


def with_progress(items: Collection[_Item], progress: Progress) -> Iterator[_Item]:
    """Yield the items, and report how many are done; raises `Cancelled`."""
    for number, item in enumerate(items):
        if number % _CHECK_INTERVAL == 0:
            progress.check(number / len(items))
        yield item


def _function_key(key: Value) -> FunctionKey:
    match key:
        case (bytes(file), int(line), bytes(name)):
            return FunctionKey(file, min(max(line, 0), _MAX_LINE), name)
    raise MarshalError("a function has no file, line and name")


def _function_statistics(value: Value) -> FunctionStatistics:
    match value:
        case (int(_), int(calls), int() | float() as time, int() | float() as cumulative, list(by)):
            callers = dict(_callers(by))
            callers.pop(_PROFILER, None)
            return FunctionStatistics(
                _count(calls), _nanoseconds(time), _nanoseconds(cumulative), callers
            )
    raise MarshalError("a function has no calls, times and callers")


def _callers(pairs: list[tuple[Value, Value]]) -> Iterator[tuple[FunctionKey, _CallStatistics]]:
    for key, value in pairs:
        match value:
            case int(calls):
                yield _function_key(key), _CallStatistics(_count(calls), None)
            case (int(calls), int(_), int() | float(), int() | float() as cumulative):
                yield _function_key(key), _CallStatistics(_count(calls), _nanoseconds(cumulative))
            case _:
                raise MarshalError("a caller has no calls and times")


def _count(calls: int) -> int:
    if not 0 <= calls < _COUNT_LIMIT:
        raise MarshalError("a function was called impossibly often")
    return calls


def _nanoseconds(seconds: float) -> int:
    if not abs(seconds) < _COUNT_LIMIT // _NANOSECONDS:  # also rejects NaN
        raise MarshalError("a time is impossible")
    return round(seconds * _NANOSECONDS)


# --------------------------------------------------- calls and their times
# Calls without a recorded caller, such as that of the first function of a program, are attributed
# to a root function without time of its own. Each function is thus called as often, and costs as
# much including its callees, as `pstats` prints. In recursion cycles the times of the callers do
# not add up: pstats counts the time during which a function is on the stack, and for each caller
# the time of its own calls, and these overlap. There, the root's share follows from the sum of
# all its calls, which is the time of the whole program.
#
# If only the number of calls was recorded, times are estimates: the time of a function is
# distributed among the callers outside its cycle in proportion to their calls.

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


def _calls_from_outside(function: FunctionStatistics) -> dict[FunctionKey, _CallStatistics]:
    """Return the calls that have no recorded caller."""
    calls = function.calls - sum(spent.calls for spent in function.callers.values())
    return {ROOT: _CallStatistics(calls, None)} if calls > 0 else {}


def _caller_times(
    callee: FunctionKey,
    cumulative: int,
    spent: dict[FunctionKey, _CallStatistics],
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
