"""What is known of the flow of control at each instruction: counts, jumps, what is behind it.

Instructions are those of the code and those that the profile has costs of or jumps to. Blocks are
made of this in `basic_blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import LONGEST_INSTRUCTION, Code, InstructionKind
from qcachegrind_py.analysis.costs.grouped_sums import find_rows, sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

UNKNOWN = -1  # instead of a count
NO_ROW = -1  # instead of a row, as `rows_among` has it
_JUMP_KINDS = (InstructionKind.JUMP, InstructionKind.BRANCH)


@dataclass(frozen=True, slots=True, eq=False)
class RecordedFlow:
    """A row an instruction, in order of address; and a row a recorded jump, which names these."""

    address: UInt64Array
    code_row: Int64Array  # its row in the code; NOWHERE: it has none
    cost_row: Int64Array  # its row in the costs; NOWHERE: it has none
    kind: Int64Array  # of `Kind`; PLAIN where there is no code
    static_target: (
        Int64Array  # where its code says that it jumps to; NOWHERE: it does not, or elsewhere
    )
    fall_through: Int64Array  # what is behind it in memory; NOWHERE: a gap
    executed_count: Int64Array  # how often it was executed; UNKNOWN

    has_jumps: bool  # jumps were recorded in this profile, if not here
    source: Int64Array
    target: Int64Array
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.address)

    @property
    def has_code(self) -> BoolArray:
        """Whether there is code of each instruction."""
        has_code: BoolArray = self.code_row != NO_ROW
        return has_code

    def jumps_from(self) -> Int64Array:
        """How often each instruction jumped."""
        return self._sums(self.followed, self.source)

    def jumps_to(self) -> Int64Array:
        """How often each instruction was jumped to."""
        return self._sums(self.followed, self.target)

    def recorded_executions(self) -> Int64Array:
        """How often each instruction was executed, as its recorded jumps say; else UNKNOWN."""
        count = self._sums(self.executed, self.source)
        count[~np.isin(np.arange(len(self)), self.source)] = UNKNOWN
        return count

    def _sums(self, values: Int64Array, rows: Int64Array) -> Int64Array:
        sums: Int64Array = sums_by_group(values, rows, len(self))
        return sums


def recorded_flow(profile: Profile, costs: InstructionCosts, code: Code) -> RecordedFlow:
    """The flow in a function of the profile, whose costs and whose code these are."""
    jumps = costs.jumps
    kept = np.flatnonzero((jumps.followed > 0) | jumps.conditional)
    targets = jumps.target[kept]
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
        source=np.searchsorted(address, costs.address)[jumps.location[kept]],
        target=np.searchsorted(address, targets),
        executed=jumps.executed[kept],
        followed=jumps.followed[kept],
        conditional=jumps.conditional[kept],
    )


def _static_targets(address: UInt64Array, code_row: Int64Array, code: Code) -> Int64Array:
    """Where the code of each instruction says that it jumps to, as far as there is code, too."""
    said = np.full(len(address), NO_ROW, np.int64)
    rows = np.flatnonzero(code_row != NO_ROW)[np.isin(code.kind, _JUMP_KINDS)]
    target = find_rows(address, code.target[np.isin(code.kind, _JUMP_KINDS)])
    said[rows] = np.where((target != NO_ROW) & (code_row[target] != NO_ROW), target, NO_ROW)
    return said


def _fall_throughs(address: UInt64Array, code: Code) -> Int64Array:
    """What is behind each instruction; without code it is near enough.

    In the middle of an instruction of the code, where one begins if a prefix is jumped over, it is
    what is behind that.
    """
    following = np.arange(1, len(address) + 1)
    following[address == 0] = 0  # all that a part without instructions recorded
    following[-1:] = 0
    far = address[following] - address > LONGEST_INSTRUCTION if len(address) else following
    following = np.where((following == 0) | far, NO_ROW, following)
    if len(code):
        inside = np.searchsorted(code.address, address, "right") - 1
        end = code.address[inside] + code.size[inside].astype(np.uint64)
        is_inside = (inside >= 0) & (address < end)
        following = np.where(is_inside, find_rows(address, end), following)
    return following


def _execution_counts(
    profile: Profile, costs: InstructionCosts, code_row: Int64Array, cost_row: Int64Array
) -> Int64Array:
    """How often each instruction was executed: its self cost in `Ir`, if that comes first.

    What is only jumped to, nobody knows; and what has no address is no instruction.
    """
    count = np.full(len(cost_row), UNKNOWN, np.int64)
    measured = profile.events.measured
    if measured and measured[0].name == "Ir":
        count[code_row != NO_ROW] = 0
        rows = np.flatnonzero(cost_row != NO_ROW)
        count[rows] = np.where(costs.address > 0, costs.self_cost[0], UNKNOWN)
    return count
