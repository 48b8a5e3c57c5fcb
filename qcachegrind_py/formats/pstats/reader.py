"""Reader of Python profiles, from `cProfile` and `profile`: each file becomes a part of a profile.

A function is identified by file, line and name. Its self time and its calls are at the line of its
definition, the only line recorded. Times are an event in nanoseconds. `call_times` adds a root for
calls without a recorded caller (docs/design.md, reading rule 15).
"""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.pstats.call_times import ROOT, recorded_calls
from qcachegrind_py.formats.pstats.magic import DAMAGED, RECORD_AGAIN
from qcachegrind_py.formats.pstats.marshal_reader import MarshalError
from qcachegrind_py.formats.pstats.profile_tables import (
    StringTableBuilder,
    call_table,
    cost_table,
    empty_jumps,
    file_path,
    function_names,
    function_table,
    run_table,
)
from qcachegrind_py.formats.pstats.statistics import FunctionKey, ProfileStatistics, read_statistics
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import Diagnostic, Part, Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress

_EVENT, _LONG_NAME = "ns", "Time"
_MAX_SIZE = 256 << 20  # bytes, decompressed; programs have some 10,000 functions of 200 bytes
_CHUNK_SIZE = 1 << 20
_READING = 0.7  # of the progress of a file; the rest is for the tables
_NAMING = 0.2  # of that rest
_MEMORY_PER_BYTE = 12  # taken by the statistics and the tables: 19 MB took 230 MB
_NO_TIMES = (
    "Only the number of calls was recorded for each caller, not their time: inclusive costs of "
    "calls are shared out by it. Python's cProfile records both."
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
        builder = PythonProfileBuilder(files, PartialProgress(progress, 0, _NAMING))
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


class PythonProfileBuilder:
    """Builds profiles with names that are consistent over all files."""

    def __init__(self, files: Iterable[ProfileStatistics], progress: Progress) -> None:
        locations = dict[FunctionKey, None]()
        for statistics in files:
            locations |= _function_locations(statistics)
            progress.check(0.0)
        self._names = function_names(locations, progress)

    def build(self, path: str, statistics: ProfileStatistics, progress: Progress) -> Profile:
        """Build the profile of one file. Raises `Cancelled`."""
        calls = recorded_calls(statistics, PartialProgress(progress, 0, 0.7))
        roots = (ROOT,) if calls and calls[-1].caller == ROOT else ()
        locations = list(_function_locations(statistics) | dict.fromkeys(roots))
        progress.check(0.8)
        texts = StringTableBuilder()
        functions = function_table(
            texts,
            [
                (self._names.get(location, location.name), file_path(location))
                for location in locations
            ],
        )
        progress.check(0.85)
        number = {location: row for row, location in enumerate(locations)}
        progress.check(0.9)
        call_rows = call_table(calls, number, functions)
        progress.check(0.95)
        has_times = statistics.has_caller_times
        diagnostics = () if has_times else (_missing_times_diagnostic(path),)
        return Profile(
            paths=(path,),
            events=event_types([_EVENT], {_EVENT: _LONG_NAME}, ()),
            parts=(_make_part(path, has_times=has_times),),
            texts=texts.build(),
            functions=functions,
            runs=run_table(functions, len(statistics.functions)),
            costs=cost_table(statistics.functions),
            calls=call_rows,
            jumps=empty_jumps(),
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
