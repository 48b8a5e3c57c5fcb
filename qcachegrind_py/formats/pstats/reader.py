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
from qcachegrind_py.profile.diagnostics import Diagnostic
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress

_EVENT, _LONG_NAME = "ns", "Time"
_MAX_SIZE = 256 << 20  # bytes, decompressed; programs have some 10,000 functions of 200 bytes
_CHUNK_SIZE = 1 << 20
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

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; `head` are the bytes already read, `share` its range of the progress.

        Raises `InvalidProfile` if the file is truncated or corrupt, since then its sums are wrong.
        """
        statistics = _read_statistics_file(file, head, self._progress, share)
        self._files[index] = str(file.path), statistics

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their file, with consistent function names."""
        builder = PythonProfileBuilder(statistics for _, statistics in self._files.values())
        return {index: builder.build(*file) for index, file in self._files.items()}


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

    def __init__(self, files: Iterable[ProfileStatistics]) -> None:
        self._names = function_names(
            location for statistics in files for location in _function_locations(statistics)
        )

    def build(self, path: str, statistics: ProfileStatistics) -> Profile:
        """Build the profile of one file."""
        calls = recorded_calls(statistics)
        roots = (ROOT,) if calls and calls[-1].caller == ROOT else ()
        locations = list(_function_locations(statistics) | dict.fromkeys(roots))
        texts = StringTableBuilder()
        functions = function_table(
            texts,
            [
                (self._names.get(location, location.name), file_path(location))
                for location in locations
            ],
        )
        diagnostics = () if statistics.has_caller_times else (_missing_times_diagnostic(path),)
        return Profile(
            paths=(path,),
            events=event_types([_EVENT], {_EVENT: _LONG_NAME}, ()),
            parts=(_make_part(path, statistics),),
            texts=texts.build(),
            functions=functions,
            runs=run_table(functions, len(statistics.functions)),
            costs=cost_table(statistics.functions),
            calls=call_table(
                calls, {location: row for row, location in enumerate(locations)}, functions
            ),
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


def _make_part(path: str, statistics: ProfileStatistics) -> Part:
    creator = "Python cProfile" if statistics.has_caller_times else "Python profile"
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
