"""Reader of files of Python's profilers: their statistics, and the profile made of them.

The file is a dictionary, as `pstats.Stats.dump_stats` and `python -m cProfile -o` write it:

    (file, line, name): (primitive calls, calls, self time, cumulative time, callers)

`callers` maps each caller to (calls, primitive calls, self time, cumulative time), or to the number
of calls alone in files of the slower profiler `profile`. Times in the file are in seconds; here
they are whole nanoseconds, the unit of Python's clocks. The file is in Python's marshal format.

Reader of files of Python's profilers: builds the tables of a profile from statistics.

A function is identified by file, line and name. Its self time and its calls are at the line of its
definition, the only line recorded. Times are an event in nanoseconds. `statistics` adds a root for
calls without a recorded caller (docs/design.md, reading rule 15).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import find_cycles
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.pstats.marshal_reader import (
    DAMAGED,
    RECORD_AGAIN,
    MarshalError,
    MarshalReader,
    Value,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import Diagnostic, Part, Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    BoolArray,
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Runs,
    StringTable,
    joined,
    no_jumps,
    read_only,
)

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


_PROFILER = FunctionKey(b"profile", 0, b"profiler")  # root of `profile`; it is never called


@frozen
class RecordedCalls:
    """The calls from one function to another: numbers of both, count and time, shape (calls,)."""

    caller: Int64Array
    callee: Int64Array
    count: Int64Array
    time: Int64Array  # in nanoseconds; 0 where it is unknown
    has_time: BoolArray


@frozen
class ProfileStatistics:
    """The statistics in one file.

    Functions are numbered; those that are known only as callers come last, and have no numbers of
    their own. The columns have the shape (functions,).
    """

    functions: list[FunctionKey]
    with_numbers: int  # how many come first
    count: Int64Array
    time: Int64Array  # self time in nanoseconds
    cumulative: Int64Array  # includes callees
    calls: RecordedCalls

    @property
    def has_caller_times(self) -> bool:
        """Whether the times of each caller's calls were recorded."""
        return bool(self.calls.has_time.all())

    @property
    def root(self) -> int:
        """The number of the root, which is none of the functions, unless one is named like it."""
        return self.functions.index(ROOT) if ROOT in self.functions else len(self.functions)


def read_statistics(
    data: bytes, progress: Progress, share: tuple[float, float]
) -> ProfileStatistics:
    """Parse the bytes of a file; raises `MarshalError` if they are invalid.

    `share` is the start and end of the file's share of the progress.
    """
    file, numbers = MarshalReader(data), dict[FunctionKey, int]()
    functions, calls = list[_FunctionRow](), list[_CallRow]()
    begin, end = share
    for place, (key, value) in enumerate(file.pairs()):
        if place % _CHECK_INTERVAL == 0:
            progress.check(begin + (end - begin) * file.position / len(data))
        if (function_key := _function_key(key)) != _PROFILER:
            function = numbers.setdefault(function_key, len(numbers))
            called, time, cumulative, callers = _function_numbers(value)
            functions.append((function, called, time, cumulative))
            for caller_key, count, spent in map(_caller, callers):
                if caller_key != _PROFILER:
                    caller = numbers.setdefault(caller_key, len(numbers))
                    calls.append((caller, function, count, spent))
    return _statistics(list(numbers), functions, calls)


_FunctionRow = tuple[int, int, float, float]  # number, calls, self and cumulative time in seconds
_CallRow = tuple[int, int, int, float | None]  # caller, callee, calls, time in seconds


def _statistics(
    keys: list[FunctionKey], functions: list[_FunctionRow], calls: list[_CallRow]
) -> ProfileStatistics:
    """Build the columns of what was read; `keys` are in the order in which they are mentioned."""
    function, *own = zip(*functions, strict=True) if functions else ((),) * 4
    caller, callee, count, seconds = zip(*calls, strict=True) if calls else ((),) * 4
    first = dict.fromkeys((*function, *range(len(keys))))
    number = np.empty(len(keys), np.int64)
    number[list(first)] = np.arange(len(keys))
    numbers = np.array([_counts(own[0]), _nanoseconds(own[1]), _nanoseconds(own[2])])
    called = RecordedCalls(
        number[list(caller)],
        number[list(callee)],
        _counts(count),
        _nanoseconds([time or 0 for time in seconds]),
        np.array([time is not None for time in seconds], bool),
    )
    _check_sums_fit(numbers[0], called.count)
    _check_sums_fit(*np.abs(numbers[1:]), np.abs(called.time))
    count, time, cumulative = sums_by_group(numbers, number[list(function)], len(keys))
    functions_ = [keys[old] for old in first]
    return ProfileStatistics(functions_, len(set(function)), count, time, cumulative, called)


def _check_sums_fit(*columns: Int64Array) -> None:
    """Raise `MarshalError` if a sum exceeds 64 bits, which no real program reaches."""
    if sum(sum(column.tolist()) for column in columns) >= _COUNT_LIMIT:
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


def _function_numbers(value: Value) -> tuple[int, float, float, list[tuple[Value, Value]]]:
    match value:
        case (int(_), int(calls), int() | float() as time, int() | float() as cumulative, list(by)):
            return calls, time, cumulative, by
    raise MarshalError("a function has no calls, times and callers")


def _caller(pair: tuple[Value, Value]) -> tuple[FunctionKey, int, float | None]:
    """Return a caller with the number of its calls and their time."""
    key, value = pair
    match value:
        case int(calls):
            return _function_key(key), calls, None
        case (int(calls), int(_), int() | float(), int() | float() as cumulative):
            return _function_key(key), calls, cumulative
    raise MarshalError("a caller has no calls and times")


def _counts(calls: Sequence[int]) -> Int64Array:
    if not 0 <= min(calls, default=0) <= max(calls, default=0) < _COUNT_LIMIT:
        raise MarshalError("a function has an impossible number of calls")
    return np.array(calls, np.int64)


def _nanoseconds(seconds: Sequence[float]) -> Int64Array:
    times = np.array(seconds, np.float64)
    if not (np.abs(times) < _COUNT_LIMIT // _NANOSECONDS).all():  # also rejects NaN
        raise MarshalError("a time is impossible")
    return np.rint(times * _NANOSECONDS).astype(np.int64)


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


def complete_calls(statistics: ProfileStatistics) -> RecordedCalls:
    """Return the calls with all times, and behind them those of the root, if there are any."""
    recorded, functions = statistics.calls, len(statistics.functions)
    outside = statistics.count - sums_by_group(recorded.count, recorded.callee, functions)
    first = np.flatnonzero(outside > 0)  # functions that the root calls
    nothing = np.zeros(len(first), np.int64)
    by_root = RecordedCalls(nothing + statistics.root, first, outside[first], nothing, nothing != 0)
    calls = joined((recorded, by_root))
    pairs = recorded.caller.astype(np.int32), recorded.callee.astype(np.int32)
    cycle = np.append(find_cycles(*pairs, functions), 0)  # the root is in none
    time = calls.time + _missing_times(statistics.cumulative, calls, cycle)
    if statistics.has_caller_times:
        of_root = slice(len(recorded.time), None)
        time[of_root] += _missing_in_cycles(statistics, first, cycle, time[of_root])
    return replace(calls, time=time)


def _missing_times(cumulative: Int64Array, calls: RecordedCalls, cycle: Int32Array) -> Int64Array:
    """Return the times of the calls whose time is unknown, shape (calls,); 0 of the others.

    Callers in the cycle of a function have a share only if it has no others.
    """
    caller, callee = calls.caller, calls.callee
    is_other = caller != callee
    is_unknown = is_other & ~calls.has_time
    is_inside = (cycle[callee] > 0) & (cycle[caller] == cycle[callee])
    is_entered = np.zeros(len(cumulative), bool)
    is_entered[callee[is_unknown & ~is_inside]] = True
    shares = np.flatnonzero(is_unknown & ~(is_inside & is_entered[callee]))
    known = sums_by_group(calls.time[is_other], callee[is_other], len(cumulative))
    remaining = np.minimum(np.maximum(0, cumulative - known), cumulative)
    times = np.zeros(len(callee), np.int64)
    times[shares] = _apportioned(remaining, callee[shares], calls.count[shares])
    return times


def _missing_in_cycles(
    statistics: ProfileStatistics, callee: Int64Array, cycle: Int32Array, time: Int64Array
) -> Int64Array:
    """Return what the root's calls to members of cycles get of the time missing from the total."""
    available = np.where(cycle[callee] > 0, statistics.cumulative[callee] - time, 0)
    missing = int(statistics.time.sum()) - int(time.sum())
    total = np.array([min(max(0, missing), int(available.sum()))])
    return _apportioned(total, np.zeros(len(callee), np.int64), available)


def _apportioned(totals: Int64Array, group: Int64Array, weight: Int64Array) -> Int64Array:
    """Divide each group's total in proportion to the weights into integers of exactly that sum."""
    order = np.argsort(group, kind="stable")
    group, weight = group[order], weight[order]
    end = np.cumsum(weight)
    before = (end - weight)[np.searchsorted(group, group)]  # of the groups before
    end -= before
    of_group = end[np.searchsorted(group, group, "right") - 1]
    whole = np.maximum(of_group, 1).astype(object)  # products may exceed 64 bits
    total = totals[group].astype(object)
    shares = np.empty(len(order), np.int64)
    shares[order] = total * end // whole - total * (end - weight) // whole
    return shares


# ------------------------------------------------------------------ tables

_Number = TypeVar("_Number", bound=np.generic)


class _StringTableBuilder:
    """Collects texts and numbers them in order; the empty text is the unknown name."""

    def __init__(self) -> None:
        self._numbers = {UNKNOWN.encode(): 0, b"": 0}
        self._texts = [UNKNOWN.encode()]

    def index_of(self, text: bytes) -> int:
        """Return the number of a text, which must not contain line ends."""
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def build(self) -> StringTable:
        return StringTable.from_bytes(self._texts)


def _function_table(
    texts: _StringTableBuilder, names_and_files: Sequence[tuple[bytes, bytes]]
) -> Functions:
    """Build the function table, a row for each name and file; objects are unknown."""
    names = [texts.index_of(name) for name, _ in names_and_files]
    files = [texts.index_of(file) for _, file in names_and_files]
    return Functions(_int32(names), _int32(files), _int32([0] * len(names)))


def _run_table(functions: Functions, with_cost: int) -> Runs:
    """Build a run for each of the first `with_cost` functions, which have costs."""
    rows = np.arange(with_cost, dtype=np.int32)
    return Runs(
        start=read_only(np.arange(with_cost + 1, dtype=np.int64)),
        part=_int32([0] * with_cost),
        function=read_only(rows),
        file=read_only(functions.file[:with_cost].copy()),
    )


def _cost_table(line: Int32Array, time: Int64Array) -> Costs:
    """Build the cost table: the self time of each function, at the line of its definition."""
    return Costs(read_only(line.copy()), None, read_only(time.copy()).reshape(1, -1))


def _call_table(calls: RecordedCalls, functions: Functions, line: Int32Array) -> Calls:
    """Build the call table; each call is at the line where its caller is defined."""
    caller = read_only(calls.caller.astype(np.int32))
    return Calls(
        part=_int32([0] * len(caller)),
        caller=caller,
        callee=read_only(calls.callee.astype(np.int32)),
        file=read_only(functions.file[caller]),
        line=read_only(line[caller]),
        address=None,
        count=read_only(calls.count),
        values=read_only(calls.time).reshape(1, -1),
    )


def _int32(numbers: Sequence[int]) -> Int32Array:
    return read_only(np.array(numbers, np.int32))


def _int64(numbers: Sequence[int]) -> Int64Array:
    return read_only(np.array(numbers, np.int64))


_MAX_NAME_LENGTH = 500  # of names with a line, since one long name may occur on very many lines
_LINE_ENDS = bytes.maketrans(b"\n\r", b"  ")


def _function_names(
    locations: Collection[FunctionKey], progress: Progress
) -> dict[FunctionKey, bytes]:
    """Return a name for each function that is unique in its file. Raises `Cancelled`."""
    first_line: dict[tuple[bytes, bytes], int] = {}
    has_others = set[tuple[bytes, bytes]]()
    for file, line, name in with_progress(locations, PartialProgress(progress, 0, 0.5)):
        if first_line.setdefault((file, name), line) != line:
            has_others.add((file, name))
    return {
        location: _with_line(location)
        if (location.file, location.name) in has_others
        else _single_line(location.name)
        for location in with_progress(locations, PartialProgress(progress, 0.5, 1))
    }


def _file_path(location: FunctionKey) -> bytes:
    """Return the path of the function's file; empty for built-in functions."""
    return b"" if location.is_built_in else _single_line(location.file)


def _with_line(location: FunctionKey) -> bytes:
    return b"%b:%d" % (_single_line(location.name)[:_MAX_NAME_LENGTH], location.line)


def _single_line(text: bytes) -> bytes:
    """Replace line ends by blanks, since they separate the texts of a profile."""
    return text.translate(_LINE_ENDS)


# ------------------------------------------------------------------- files

_EVENT, _LONG_NAME = "ns", "Time"
_MAX_SIZE = 256 << 20  # bytes, decompressed; programs have some 10,000 functions of 200 bytes
_CHUNK_SIZE = 1 << 20
_READING = 0.7  # of the progress of a file; the rest is for the tables
_NAMING = 0.2  # of that rest
_MEMORY_PER_BYTE = 12  # taken by the statistics and the tables: 19 MB took 230 MB
_NO_TIMES = (
    "Only the number of calls was recorded for each caller, not their time: inclusive costs of "
    "calls are divided in proportion to it. Python's cProfile records both."
)


class PythonFiles:
    """Reads files of Python's profilers, each of which becomes a profile."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._files: dict[int, tuple[str, ProfileStatistics]] = {}  # by index: path, content
        self._rest = (0.0, 0.0)  # of the progress, for the tables

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; `head` are the bytes already read, `share` its range of the progress.

        Raises `InvalidProfile` if the file is truncated or corrupt, since then its sums are wrong.
        """
        begin, end = share
        middle = begin + _READING * (end - begin)
        statistics = _read_statistics_file(file, head, self._progress, (begin, middle))
        self._rest = middle, end
        self._files[index] = str(file.path), statistics

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their file, with consistent function names."""
        progress = PartialProgress(self._progress, *self._rest)
        files, share = [statistics for _, statistics in self._files.values()], 1 - _NAMING
        builder = _PythonProfileBuilder(files, PartialProgress(progress, 0, _NAMING))
        profiles = {}
        for number, (index, (path, statistics)) in enumerate(self._files.items()):
            begin, end = (_NAMING + share * each / len(files) for each in (number, number + 1))
            part = PartialProgress(progress, begin, end)
            profiles[index] = builder.build(path, statistics, part)
        return profiles


def _read_statistics_file(
    file: ProfileStream, head: bytes, progress: Progress, share: tuple[float, float]
) -> ProfileStatistics:
    data = bytearray(head)
    while chunk := _read_chunk(file):
        data += chunk
        file.report_memory(0, _MEMORY_PER_BYTE * len(data))
        if len(data) > _MAX_SIZE:
            reason = f"is a Python profile of more than {_MAX_SIZE >> 20} MB."
            raise UnreadableFile(file.path, reason)
    if file.decompression_error:
        raise InvalidProfile(
            file.path, f"cannot be decompressed completely ({file.decompression_error})."
        )
    try:
        return read_statistics(bytes(data), progress, share)
    except MarshalError as error:
        raise InvalidProfile(
            file.path,
            f"{DAMAGED.removesuffix('.')}: {error}.",
            remedy=RECORD_AGAIN,
        ) from error


def _read_chunk(file: ProfileStream) -> bytes:
    chunk = bytearray(_CHUNK_SIZE)
    with memoryview(chunk) as memory:
        return bytes(chunk[: file.readinto(memory)])


class _PythonProfileBuilder:
    """Builds profiles with names that are consistent over all files."""

    def __init__(self, files: Iterable[ProfileStatistics], progress: Progress) -> None:
        locations = dict[FunctionKey, None]()
        for statistics in files:
            locations |= dict.fromkeys(statistics.functions)
            progress.check(0.0)
        self._names = _function_names(locations, progress)

    def build(self, path: str, statistics: ProfileStatistics, progress: Progress) -> Profile:
        """Build the profile of one file. Raises `Cancelled`."""
        calls = complete_calls(statistics)
        progress.check(0.3)
        has_root = len(statistics.functions) in calls.caller
        locations = [*statistics.functions, ROOT] if has_root else statistics.functions
        texts = _StringTableBuilder()
        functions = _function_table(
            texts,
            [
                (self._names.get(location, location.name), _file_path(location))
                for location in locations
            ],
        )
        progress.check(0.9)
        line, with_cost = _int32([each.line for each in locations]), statistics.with_numbers
        has_times = statistics.has_caller_times
        diagnostics = () if has_times else (_missing_times_diagnostic(path),)
        return Profile(
            paths=(path,),
            events=event_types([_EVENT], {_EVENT: _LONG_NAME}, ()),
            parts=(_make_part(path, has_times=has_times),),
            texts=texts.build(),
            functions=functions,
            runs=_run_table(functions, with_cost),
            costs=_cost_table(line[:with_cost], statistics.time[:with_cost]),
            calls=_call_table(calls, functions, line),
            jumps=no_jumps(),
            diagnostics=diagnostics,
            diagnostic_count=len(diagnostics),
        )


def _missing_times_diagnostic(path: str) -> Diagnostic:
    return Diagnostic(path, 0, "calls-without-times", _NO_TIMES)


def _make_part(path: str, *, has_times: bool) -> Part:
    creator = "Python cProfile" if has_times else "Python profile"
    return Part(
        path=path,
        pid=0,
        part=0,
        thread=0,
        creator=creator,
        command="",
        positions=("line",),
        events=(_EVENT,),
        summary=None,
        totals=None,
        header=(
            ("creator", creator),
            ("positions", "line"),
            ("event", f"{_EVENT} : {_LONG_NAME}"),
            ("events", _EVENT),
        ),
    )
