"""Statistics in a file of Python's profilers: calls, times and callers of each function.

The file is a dictionary, as `pstats.Stats.dump_stats` and `python -m cProfile -o` write it:

    (file, line, name): (primitive calls, calls, self time, cumulative time, callers)

`callers` maps each caller to (calls, primitive calls, self time, cumulative time), or to the number
of calls alone in files of the slower profiler `profile`. Times in the file are in seconds; here
they are whole nanoseconds, the unit of Python's clocks. The file is in Python's marshal format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from qcachegrind_py.formats.pstats.marshal_reader import MarshalError, MarshalReader, Value
from qcachegrind_py.profile.progress import PartialProgress, Progress

_NANOSECONDS = 10**9
_COUNT_LIMIT = 1 << 63
_MAX_LINE = 2**31 - 1
CHECK_INTERVAL = 1000  # functions


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


class CallStatistics(NamedTuple):
    """The number of calls and their time in nanoseconds."""

    calls: int
    time: int | None  # None: not recorded


@dataclass(frozen=True, slots=True)
class FunctionStatistics:
    """The statistics of a function: `time` is its self time, `cumulative` includes callees."""

    calls: int
    time: int
    cumulative: int
    callers: dict[FunctionKey, CallStatistics]


_PROFILER = FunctionKey(b"profile", 0, b"profiler")  # root of `profile`; it is never called


@dataclass(frozen=True, slots=True)
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
        if number % CHECK_INTERVAL == 0:
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
        if number % CHECK_INTERVAL == 0:
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


def _callers(pairs: list[tuple[Value, Value]]) -> Iterator[tuple[FunctionKey, CallStatistics]]:
    for key, value in pairs:
        match value:
            case int(calls):
                yield _function_key(key), CallStatistics(_count(calls), None)
            case (int(calls), int(_), int() | float(), int() | float() as cumulative):
                yield _function_key(key), CallStatistics(_count(calls), _nanoseconds(cumulative))
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
