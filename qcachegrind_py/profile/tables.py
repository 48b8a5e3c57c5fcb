"""The tables of a profile: frozen bundles of read-only columns of equal length, in file order.

`name`, `file` and `object` are numbers in the profile's `texts`; `function`, `caller` and `callee`
are rows of `Functions`; `part` is an index of the profile's parts. `values` has the shape (events,
rows), with the costs of each event contiguous in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
UInt64Array = npt.NDArray[np.uint64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """The functions: one row for each triple of name, file and object."""

    name: Int32Array
    file: Int32Array
    object: Int32Array

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of consecutive cost lines with the same part, function and file, one row each.

    For inlined code, `file` is the file the code came from.
    """

    start: Int64Array  # first row in `Costs` of each run and the end of the last, shape (runs + 1,)
    part: Int32Array
    function: Int32Array
    file: Int32Array

    def __len__(self) -> int:
        return len(self.part)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """The lines of self cost, one row each."""

    line: Int32Array
    address: UInt64Array | None  # None if no part was recorded with instructions
    values: Int64Array

    def __len__(self) -> int:
        return len(self.line)


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """The `calls=` lines, one row each: count, call site, and cost spent in the callee."""

    part: Int32Array
    caller: Int32Array
    callee: Int32Array
    file: Int32Array
    line: Int32Array
    address: UInt64Array | None
    count: Int64Array  # 0: still running when the profile was written
    values: Int64Array

    def __len__(self) -> int:
        return len(self.caller)


@dataclass(frozen=True, slots=True, eq=False)
class CallTargets:
    """The positions that `calls=` lines give for their callees, which only a saved file needs.

    Most calls of a function have the same one: that of its first call. The others are listed.
    """

    line: Int32Array  # of each function, shape (functions,); 0: unknown
    address: UInt64Array | None
    other_call: Int64Array  # rows in `Calls` with another target, ascending
    other_line: Int32Array
    other_address: UInt64Array | None

    def positions(
        self, callee: Int32Array, calls: Int64Array
    ) -> tuple[Int64Array, UInt64Array | None]:
        """Return the lines and addresses of some calls, of which `callee` are the functions."""
        line = self.line[callee].astype(np.int64)
        address = None if self.address is None else self.address[callee]
        own, others = self._others(calls)
        line[own] = self.other_line[others]
        if address is not None and self.other_address is not None:
            address[own] = self.other_address[others]
        return line, address

    def of_calls(self, calls: Int64Array) -> CallTargets:
        """Return the targets of a table that has these calls, in this order."""
        own, others = self._others(calls)
        address = None if self.other_address is None else self.other_address[others]
        return CallTargets(self.line, self.address, own, self.other_line[others], address)

    def _others(self, calls: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return which of the calls have another target, and its row."""
        place = np.searchsorted(self.other_call, calls)
        place[place == len(self.other_call)] = 0
        if not len(self.other_call):
            return place[:0], place[:0]
        own = np.flatnonzero(self.other_call[place] == calls)
        return own, place[own]


@dataclass(frozen=True, slots=True, eq=False)
class Jumps:
    """The `jump=` and `jcnd=` lines, one row each; unconditional jumps are always followed."""

    part: Int32Array
    function: Int32Array
    file: Int32Array
    line: Int32Array
    address: UInt64Array | None
    target_function: Int32Array
    target_file: Int32Array
    target_line: Int32Array
    target_address: UInt64Array | None
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.function)
