"""Reads files of Python's profilers, `cProfile` and `profile`: each becomes a part of a profile.

A function is known by file, line and name; what it is called is in `names`. Its self time, and the
calls it makes, stand at the line of its definition, as no other is recorded. Times are an event in
nanoseconds. `callers` says who called from where nothing was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.formats.compression import OpenProfile
from qcachegrind_py.formats.pstats.call_times import ROOT, known_calls
from qcachegrind_py.formats.pstats.marshal_reader import BrokenMarshal
from qcachegrind_py.formats.pstats.profile_tables import (
    TextsToBe,
    call_table,
    cost_table,
    file_of,
    function_table,
    names_of,
    no_jumps,
    run_table,
)
from qcachegrind_py.formats.pstats.statistics import Place, Statistics, read_statistics
from qcachegrind_py.profile.diagnostics import Diagnostic
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress

_EVENT, _LONG_NAME = "ns", "Time"
_LARGEST = 256 << 20  # bytes, unpacked: programs have some ten thousand functions of 200 bytes
_STEP = 1 << 20
_NO_TIMES = (
    "Only the number of calls was recorded for each caller, not their time: inclusive costs of "
    "calls are shared out by it. Python's cProfile records both."
)


def read_file(
    file: OpenProfile, head: bytes, progress: Progress, share: tuple[float, float]
) -> Statistics:
    """Read a file of which `head` was read already; its share of the progress is from, to.

    Raises `InvalidProfile` where it is cut or broken: without its end nothing adds up.
    """
    data = bytearray(head)
    while chunk := _chunk(file):
        data += chunk
        if len(data) > _LARGEST:
            reason = f"is a profile of Python with more than {_LARGEST >> 20} MB."
            raise UnreadableFile(file.path, reason)
    if file.breakage:
        raise InvalidProfile(file.path, f"cannot be unpacked to its end ({file.breakage}).")
    try:
        return read_statistics(bytes(data), progress, share)
    except BrokenMarshal as error:
        raise InvalidProfile(
            file.path,
            f"looks like a profile of Python, and is cut or broken: {error}.",
            remedy="Record it again, and let the program end before it is opened.",
        ) from error


def _chunk(file: OpenProfile) -> bytes:
    chunk = bytearray(_STEP)
    with memoryview(chunk) as memory:
        return bytes(chunk[: file.readinto(memory)])


class PythonNames:
    """The names of all files together: the same function has the same one in each."""

    def __init__(self, files: Iterable[Statistics]) -> None:
        self._names = names_of(place for statistics in files for place in _places(statistics))

    def profile(self, path: str, statistics: Statistics) -> Profile:
        """The profile of one file."""
        calls = known_calls(statistics)
        roots = (ROOT,) if calls and calls[-1].caller == ROOT else ()
        places = list(_places(statistics) | dict.fromkeys(roots))
        texts = TextsToBe()
        functions = function_table(
            texts, [(self._names.get(place, place.name), file_of(place)) for place in places]
        )
        diagnostics = () if statistics.has_call_times else (_without_times(path),)
        return Profile(
            paths=(path,),
            events=event_types([_EVENT], {_EVENT: _LONG_NAME}, ()),
            parts=(_part(path, statistics),),
            texts=texts.finished(),
            functions=functions,
            runs=run_table(functions, len(statistics.functions)),
            costs=cost_table(statistics.functions),
            calls=call_table(calls, {place: row for row, place in enumerate(places)}, functions),
            jumps=no_jumps(),
            diagnostics=diagnostics,
            diagnostic_count=len(diagnostics),
        )


def _places(statistics: Statistics) -> dict[Place, None]:
    """The functions with costs, then those that are only known to have called them."""
    functions = statistics.functions
    return dict.fromkeys((*functions, *(by for f in functions.values() for by in f.callers)))


def _without_times(path: str) -> Diagnostic:
    return Diagnostic(path, 0, "calls-without-times", _NO_TIMES)


def _part(path: str, statistics: Statistics) -> Part:
    creator = "Python cProfile" if statistics.has_call_times else "Python profile"
    return Part(
        path=path,
        pid=0,
        part=0,
        thread=0,
        creator=creator,
        command="",
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
