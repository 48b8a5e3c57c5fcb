"""What the instructions of a function cost: self, inclusive, calls and jumps, by address.

What the instructions are a disassembler says (`tools.machine_code`); here are only the addresses
that the profile names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.locations import (
    LocationCalls,
    jump_sums,
    location_costs,
    rows_of_function,
)
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array


@dataclass(frozen=True, slots=True, eq=False)
class InstructionJumps:
    """A row a (instruction, target, kind): how often it was come to, and how often taken."""

    location: Int64Array  # row of the instruction
    target: UInt64Array  # address
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.location)


@dataclass(frozen=True, slots=True, eq=False)
class InstructionCosts:
    """A row an address that has cost, a call or a jump, in order; costs: (events, instructions)."""

    address: UInt64Array
    file: Int32Array  # of the source line it was made from: number in the profile's texts, or 0
    line: Int32Array  # 0: not known
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and that of all calls from there, of itself included
    calls: LocationCalls
    jumps: InstructionJumps

    def __len__(self) -> int:
        return len(self.address)


def has_addresses(profile: Profile) -> bool:
    """Whether instructions were recorded (callgrind's `--dump-instr=yes`)."""
    return profile.costs.address is not None


def instruction_costs(
    profile: Profile, function: FunctionId, parts: Parts = None
) -> InstructionCosts:
    """The instructions of a function; raises `ValueError` where none were recorded.

    What a part without instructions recorded is at address 0: of many lines, so of none.
    """
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    if costs.address is None or calls.address is None or jumps.address is None:
        raise ValueError("no instructions were recorded")
    rows = rows_of_function(profile, function, parts)
    counts = len(rows.costs), len(rows.calls), len(rows.jumps)
    addresses = np.concatenate(
        (costs.address[rows.costs], calls.address[rows.calls], jumps.address[rows.jumps])
    )
    file = np.concatenate((rows.cost_file, calls.file[rows.calls], jumps.file[rows.jumps]))
    line = np.concatenate((costs.line[rows.costs], calls.line[rows.calls], jumps.line[rows.jumps]))
    address, first, site = np.unique(addresses, return_index=True, return_inverse=True)
    cost_site, call_site, jump_site = np.split(site, np.cumsum(counts)[:-1])
    result = location_costs(profile, rows, cost_site, call_site, len(address))
    is_one = address > 0
    return InstructionCosts(
        address,
        np.where(is_one, file[first], 0).astype(np.int32),
        np.where(is_one, line[first], 0).astype(np.int32),
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(profile, jumps.target_address, rows.jumps, jump_site),
    )


def _jumps(
    profile: Profile, target_address: UInt64Array | None, rows: Int64Array, site: Int64Array
) -> InstructionJumps:
    target = np.zeros(len(rows), np.uint64) if target_address is None else target_address[rows]
    conditional = profile.jumps.conditional[rows]
    sums = jump_sums(profile, rows, site, target, conditional)
    first = sums.first
    return InstructionJumps(
        site[first], target[first], sums.executed, sums.followed, conditional[first]
    )
