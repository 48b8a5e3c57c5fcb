"""The tables of a profile from what Python's profilers recorded: columns of numbers, and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.formats.pstats.call_times import RecordedCall
from qcachegrind_py.formats.pstats.statistics import FunctionKey, FunctionStatistics
from qcachegrind_py.profile.string_table import UNKNOWN, StringTable
from qcachegrind_py.profile.tables import (
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
)

_Number = TypeVar("_Number", bound=np.generic)


class StringTableBuilder:
    """Texts that are numbered as they come; the empty one is unknown."""

    def __init__(self) -> None:
        self._numbers = {UNKNOWN.encode(): 0, b"": 0}
        self._texts = [UNKNOWN.encode()]

    def index_of(self, text: bytes) -> int:
        """The number of a text without line ends."""
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def build(self) -> StringTable:
        """All texts."""
        return StringTable.from_bytes(self._texts)


def function_table(
    texts: StringTableBuilder, names_and_files: Sequence[tuple[bytes, bytes]]
) -> Functions:
    """A row for each pair of a name and a file; there are no objects."""
    names = [texts.index_of(name) for name, _ in names_and_files]
    files = [texts.index_of(file) for _, file in names_and_files]
    return Functions(_int32(names), _int32(files), _int32([0] * len(names)))


def run_table(functions: Functions, with_cost: int) -> Runs:
    """A run for each function with a cost; these are the first ones."""
    rows = np.arange(with_cost, dtype=np.int32)
    return Runs(
        start=read_only(np.arange(with_cost + 1, dtype=np.int64)),
        part=_int32([0] * with_cost),
        function=read_only(rows),
        file=read_only(functions.file[:with_cost].copy()),
    )


def cost_table(functions: Mapping[FunctionKey, FunctionStatistics]) -> Costs:
    """The self time of each function, at the line where it is defined."""
    times = _int64([function.time for function in functions.values()])
    return Costs(_int32([place.line for place in functions]), None, times.reshape(1, -1))


def call_table(
    calls: Sequence[RecordedCall], number: Mapping[FunctionKey, int], functions: Functions
) -> Calls:
    """The calls, each at the line where its caller is defined."""
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
    """Python's profilers know of none."""
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
    """The column, which nobody may change any more."""
    column.flags.writeable = False
    return column


def _int32(numbers: Sequence[int]) -> Int32Array:
    return read_only(np.array(numbers, np.int32))


def _int64(numbers: Sequence[int]) -> Int64Array:
    return read_only(np.array(numbers, np.int64))


_MAX_NAME_LENGTH = 500  # of a name with its line: a file may have one long name in very many lines
_LINE_ENDS = bytes.maketrans(b"\n\r", b"  ")


def function_names(locations: Iterable[FunctionKey]) -> dict[FunctionKey, bytes]:
    """The name of each function, different from all others of its file."""
    lines: dict[tuple[bytes, bytes], set[int]] = {}
    locations = list(locations)
    for file, line, name in locations:
        lines.setdefault((file, name), set()).add(line)
    return {
        place: _with_line(place)
        if len(lines[place.file, place.name]) > 1
        else _single_line(place.name)
        for place in locations
    }


def file_path(location: FunctionKey) -> bytes:
    """The path of its file; nothing for what is built in."""
    return b"" if location.is_built_in else _single_line(location.file)


def _with_line(place: FunctionKey) -> bytes:
    return b"%b:%d" % (_single_line(place.name)[:_MAX_NAME_LENGTH], place.line)


def _single_line(text: bytes) -> bytes:
    """Without line ends, which part the texts of a profile."""
    return text.translate(_LINE_ENDS)
