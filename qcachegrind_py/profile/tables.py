"""The tables of a profile: frozen bundles of read-only columns of equal length, in file order.

`name`, `file` and `object` are numbers in the profile's `texts`; `function`, `caller` and `callee`
are rows of `Functions`; `part` is an index of the profile's parts. `values` has the shape (events,
rows), each event's costs in one stretch of memory.
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
    """A row a function: there is one for each (name, file, object)."""

    name: Int32Array
    file: Int32Array
    object: Int32Array

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """A row a run of cost lines that share part, function and file; `file` is the inlined one."""

    start: (
        Int64Array  # first row in `Costs`; one more entry than there are runs: the end of the last
    )
    part: Int32Array
    function: Int32Array
    file: Int32Array

    def __len__(self) -> int:
        return len(self.part)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """A row a line of self cost."""

    line: Int32Array
    address: UInt64Array | None  # None where no part was recorded with instructions
    values: Int64Array

    def __len__(self) -> int:
        return len(self.line)


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """A row a calls= line: how often, from where, and what was spent in the callee."""

    part: Int32Array
    caller: Int32Array
    callee: Int32Array
    file: Int32Array
    line: Int32Array
    address: UInt64Array | None
    count: Int64Array  # 0: still active when the profile was written
    values: Int64Array

    def __len__(self) -> int:
        return len(self.caller)


@dataclass(frozen=True, slots=True, eq=False)
class Jumps:
    """A row a jump= or jcnd= line; of an unconditional jump all executions are followed."""

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
