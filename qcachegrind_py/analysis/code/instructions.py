"""Decoded instructions as columns: the result of a disassembler, without costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import Int32Array, UInt64Array

LONGEST_INSTRUCTION = 16  # bytes, on all machines
Int8Array = npt.NDArray[np.int8]


class Syntax(Enum):
    """The assembler syntax of x86 instructions."""

    ATT = "att"
    INTEL = "intel"


class InstructionKind(IntEnum):
    """The effect of an instruction on control flow."""

    PLAIN = 0
    JUMP = 1  # unconditional
    BRANCH = 2  # conditional
    CALL = 3
    RETURN = 4  # leaves the function or never returns
    DATA = 5  # bytes that are not an instruction


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """The instructions of a code range in order of address, one row each.

    Instructions do not overlap; there may be gaps between them.
    """

    address: UInt64Array
    size: Int32Array  # bytes
    kind: Int8Array
    target: UInt64Array  # of a direct jump or call; else 0
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
