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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import find_cycles
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
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Runs,
    StringTable,
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
        raise MarshalError("a function has an impossible number of calls")
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
    number: dict[FunctionKey, int] = {}
    caller, callee = [], []
    for function_key, function in with_progress(statistics.functions.items(), progress):
        for by in function.callers:
            caller.append(number.setdefault(by, len(number)))
            callee.append(number.setdefault(function_key, len(number)))
    cycle = find_cycles(np.array(caller, np.int32), np.array(callee, np.int32), len(number))
    return {function_key: int(cycle[row]) for function_key, row in number.items() if cycle[row]}


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


def _cost_table(functions: Mapping[FunctionKey, FunctionStatistics]) -> Costs:
    """Build the cost table: the self time of each function, at the line of its definition."""
    times = _int64([function.time for function in functions.values()])
    return Costs(_int32([location.line for location in functions]), None, times.reshape(1, -1))


def _call_table(
    calls: Sequence[RecordedCall], number: Mapping[FunctionKey, int], functions: Functions
) -> Calls:
    """Build the call table; each call is at the line where its caller is defined."""
    caller = _int32([number[call.caller] for call in calls])
    return Calls(
        part=_int32([0] * len(calls)),
        caller=caller,
        callee=_int32([number[call.callee] for call in calls]),
        file=read_only(functions.file[caller]),
        line=_int32([call.caller.line for call in calls]),
        address=None,
        count=_int64([call.calls for call in calls]),
        values=_int64([call.time for call in calls]).reshape(1, -1),
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
            locations |= _function_locations(statistics)
            progress.check(0.0)
        self._names = _function_names(locations, progress)

    def build(self, path: str, statistics: ProfileStatistics, progress: Progress) -> Profile:
        """Build the profile of one file. Raises `Cancelled`."""
        calls = recorded_calls(statistics, PartialProgress(progress, 0, 0.7))
        roots = (ROOT,) if calls and calls[-1].caller == ROOT else ()
        locations = list(_function_locations(statistics) | dict.fromkeys(roots))
        progress.check(0.8)
        texts = _StringTableBuilder()
        functions = _function_table(
            texts,
            [
                (self._names.get(location, location.name), _file_path(location))
                for location in locations
            ],
        )
        progress.check(0.85)
        number = {location: row for row, location in enumerate(locations)}
        progress.check(0.9)
        call_rows = _call_table(calls, number, functions)
        progress.check(0.95)
        has_times = statistics.has_caller_times
        diagnostics = () if has_times else (_missing_times_diagnostic(path),)
        return Profile(
            paths=(path,),
            events=event_types([_EVENT], {_EVENT: _LONG_NAME}, ()),
            parts=(_make_part(path, has_times=has_times),),
            texts=texts.build(),
            functions=functions,
            runs=_run_table(functions, len(statistics.functions)),
            costs=_cost_table(statistics.functions),
            calls=call_rows,
            jumps=no_jumps(),
            diagnostics=diagnostics,
            diagnostic_count=len(diagnostics),
        )


def _function_locations(statistics: ProfileStatistics) -> dict[FunctionKey, None]:
    """Return the functions with costs, followed by those known only as callers."""
    functions = statistics.functions
    return dict.fromkeys((*functions, *(by for f in functions.values() for by in f.callers)))


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
