"""Profile tables built from the statistics of Python's profilers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.formats.pstats.call_times import RecordedCall
from qcachegrind_py.formats.pstats.statistics import (
    FunctionKey,
    FunctionStatistics,
    with_progress,
)
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    StringTable,
)

_Number = TypeVar("_Number", bound=np.generic)


class StringTableBuilder:
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
        """Build the table of all texts."""
        return StringTable.from_bytes(self._texts)


def function_table(
    texts: StringTableBuilder, names_and_files: Sequence[tuple[bytes, bytes]]
) -> Functions:
    """Build the function table, a row for each name and file; objects are unknown."""
    names = [texts.index_of(name) for name, _ in names_and_files]
    files = [texts.index_of(file) for _, file in names_and_files]
    return Functions(_int32(names), _int32(files), _int32([0] * len(names)))


def run_table(functions: Functions, with_cost: int) -> Runs:
    """Build a run for each of the first `with_cost` functions, which have costs."""
    rows = np.arange(with_cost, dtype=np.int32)
    return Runs(
        start=read_only(np.arange(with_cost + 1, dtype=np.int64)),
        part=_int32([0] * with_cost),
        function=read_only(rows),
        file=read_only(functions.file[:with_cost].copy()),
    )


def cost_table(functions: Mapping[FunctionKey, FunctionStatistics]) -> Costs:
    """Build the cost table: the self time of each function, at the line of its definition."""
    times = _int64([function.time for function in functions.values()])
    return Costs(_int32([location.line for location in functions]), None, times.reshape(1, -1))


def call_table(
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


def empty_jumps() -> Jumps:
    """Return a jump table without rows, since Python's profilers record no jumps."""
    none, counts = _int32([]), _int64([])
    return Jumps(
        part=none,
        function=none,
        file=none,
        line=none,
        address=None,
        target_function=none,
        target_file=none,
        target_line=none,
        target_address=None,
        executed=counts,
        followed=counts,
        conditional=read_only(np.zeros(0, np.bool_)),
    )


def read_only(column: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Make the column read-only and return it."""
    column.flags.writeable = False
    return column


def _int32(numbers: Sequence[int]) -> Int32Array:
    return read_only(np.array(numbers, np.int32))


def _int64(numbers: Sequence[int]) -> Int64Array:
    return read_only(np.array(numbers, np.int64))


_MAX_NAME_LENGTH = 500  # of names with a line, since one long name may occur on very many lines
_LINE_ENDS = bytes.maketrans(b"\n\r", b"  ")


def function_names(
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


def file_path(location: FunctionKey) -> bytes:
    """Return the path of the function's file; empty for built-in functions."""
    return b"" if location.is_built_in else _single_line(location.file)


def _with_line(location: FunctionKey) -> bytes:
    return b"%b:%d" % (_single_line(location.name)[:_MAX_NAME_LENGTH], location.line)


def _single_line(text: bytes) -> bytes:
    """Replace line ends by blanks, since they separate the texts of a profile."""
    return text.translate(_LINE_ENDS)
