"""Control flow at each instruction: execution counts, jumps and the following instruction.

The instructions are those of the code and those with costs or jumps in the profile. `basic_blocks`
groups them into blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.instructions import LONGEST_INSTRUCTION, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import find_rows, sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

UNKNOWN = -1  # an unknown count
NO_ROW = -1  # a missing row, as in the results of `find_rows`
_JUMP_KINDS = (InstructionKind.JUMP, InstructionKind.BRANCH)


@dataclass(frozen=True, slots=True, eq=False)
class RecordedFlow:
    """The instructions in order of address and the recorded jumps between them, one row each."""

    address: UInt64Array
    code_row: Int64Array  # its row in the code, or NO_ROW
    cost_row: Int64Array  # its row in the costs, or NO_ROW
    kind: Int64Array  # of `InstructionKind`; PLAIN without code
    static_target: (
        Int64Array  # row of the jump target in the code; NO_ROW: no jump, or not into the function
    )
    fall_through: Int64Array  # row of the instruction that follows in memory; NO_ROW: a gap
    executed_count: Int64Array  # execution count, or UNKNOWN

    has_jumps: bool  # the profile has recorded jumps, in this function or elsewhere
    source: Int64Array  # rows of instructions
    target: Int64Array
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.address)

    @property
    def has_code(self) -> BoolArray:
        """Whether the code of each instruction is known."""
        has_code: BoolArray = self.code_row != NO_ROW
        return has_code

    def jumps_from(self) -> Int64Array:
        """Return how often each instruction jumped, shape (instructions,)."""
        return self._sums(self.followed, self.source)

    def jumps_to(self) -> Int64Array:
        """Return how often each instruction was jumped to, shape (instructions,)."""
        return self._sums(self.followed, self.target)

    def recorded_executions(self) -> Int64Array:
        """Return the execution count of each instruction by its recorded jumps, or UNKNOWN."""
        count = self._sums(self.executed, self.source)
        count[~np.isin(np.arange(len(self)), self.source)] = UNKNOWN
        return count

    def _sums(self, values: Int64Array, rows: Int64Array) -> Int64Array:
        sums: Int64Array = sums_by_group(values, rows, len(self))
        return sums


def recorded_flow(profile: Profile, costs: InstructionCosts, code: Code) -> RecordedFlow:
    """Collect the recorded control flow of the function that `costs` and `code` belong to."""
    jumps = costs.jumps
    jump_rows = np.flatnonzero((jumps.followed > 0) | jumps.conditional)
    targets = jumps.target[jump_rows]
    address = np.unique(np.concatenate((code.address, costs.address, targets)))
    code_row, cost_row = find_rows(code.address, address), find_rows(costs.address, address)
    kind = np.full(len(address), InstructionKind.PLAIN, np.int64)
    kind[code_row != NO_ROW] = code.kind
    return RecordedFlow(
        address=address,
        code_row=code_row,
        cost_row=cost_row,
        kind=kind,
        static_target=_static_targets(address, code_row, code),
        fall_through=_fall_throughs(address, code),
        executed_count=_execution_counts(profile, costs, code_row, cost_row),
        has_jumps=len(profile.jumps) > 0,
        source=np.searchsorted(address, costs.address)[jumps.location[jump_rows]],
        target=np.searchsorted(address, targets),
        executed=jumps.executed[jump_rows],
        followed=jumps.followed[jump_rows],
        conditional=jumps.conditional[jump_rows],
    )


def _static_targets(address: UInt64Array, code_row: Int64Array, code: Code) -> Int64Array:
    """Return the row that each instruction jumps to by its code, or NO_ROW if outside the code."""
    static_target = np.full(len(address), NO_ROW, np.int64)
    rows = np.flatnonzero(code_row != NO_ROW)[np.isin(code.kind, _JUMP_KINDS)]
    target = find_rows(address, code.target[np.isin(code.kind, _JUMP_KINDS)])
    static_target[rows] = np.where(
        (target != NO_ROW) & (code_row[target] != NO_ROW), target, NO_ROW
    )
    return static_target


def _fall_throughs(address: UInt64Array, code: Code) -> Int64Array:
    """Return the row that follows each instruction in memory, or NO_ROW.

    Without code it is the next address, if that is near enough. An address in the middle of an
    instruction, as of a jump over a prefix, has the same successor as that instruction.
    """
    following = np.arange(1, len(address) + 1)
    following[address == 0] = 0  # address 0 has the costs of parts without instructions
    following[-1:] = 0
    is_far = address[following] - address > LONGEST_INSTRUCTION if len(address) else following
    following = np.where((following == 0) | is_far, NO_ROW, following)
    if len(code):
        code_row = np.searchsorted(code.address, address, "right") - 1
        end = code.address[code_row] + code.size[code_row].astype(np.uint64)
        is_inside = (code_row >= 0) & (address < end)
        following = np.where(is_inside, find_rows(address, end), following)
    return following


def _execution_counts(
    profile: Profile, costs: InstructionCosts, code_row: Int64Array, cost_row: Int64Array
) -> Int64Array:
    """Return the execution count of each instruction: its self cost in `Ir` if that comes first.

    Instructions that are known only as jump targets, and costs without address, are UNKNOWN.
    """
    count = np.full(len(cost_row), UNKNOWN, np.int64)
    measured = profile.events.measured
    if measured and measured[0].name == "Ir":
        count[code_row != NO_ROW] = 0
        rows = np.flatnonzero(cost_row != NO_ROW)
        count[rows] = np.where(costs.address > 0, costs.self_cost[0], UNKNOWN)
    return count
