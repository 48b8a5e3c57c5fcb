"""Decoded instructions as columns: what a disassembler gives, and questions about code work on.

Nothing here decodes; costs are elsewhere, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import Int32Array, UInt64Array

LONGEST_INSTRUCTION = 16  # bytes, on all machines
Int8Array = npt.NDArray[np.int8]


class Syntax(Enum):
    """How instructions of x86 are written."""

    ATT = "att"
    INTEL = "intel"


class InstructionKind(IntEnum):
    """What an instruction does with the flow of control."""

    PLAIN = 0
    JUMP = 1  # always jumps
    BRANCH = 2  # jumps under a condition
    CALL = 3
    RETURN = 4  # leaves the function, or never comes back
    DATA = 5  # bytes that are no instruction


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A row an instruction, in order of address; none begins within another, gaps are allowed."""

    address: UInt64Array
    size: Int32Array  # bytes
    kind: Int8Array
    target: UInt64Array  # of the jump or call, where the instruction itself says it; else 0
    mnemonic: tuple[str, ...]
    operands: tuple[str, ...]  # with names of targets: `1139 <fib>`
    raw: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.address)


NO_CODE = Code(
    np.empty(0, np.uint64),
    np.empty(0, np.int32),
    np.empty(0, np.int8),
    np.empty(0, np.uint64),
    (),
    (),
    (),
)
