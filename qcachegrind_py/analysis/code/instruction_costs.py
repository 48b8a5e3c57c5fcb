"""Costs, calls and jumps of a function's instructions, by address.

Only addresses in the profile appear here; `tools.disassembly` decodes the instructions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.location_costs import (
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
    """The jumps from instructions: one row for each instruction, target and kind."""

    location: Int64Array  # row of the instruction
    target: UInt64Array  # address
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.location)


@dataclass(frozen=True, slots=True, eq=False)
class InstructionCosts:
    """The instructions of a function: one row for each address with cost, calls or jumps.

    Rows are in order of address; costs have the shape (events, instructions).
    """

    address: UInt64Array
    file: Int32Array  # source file: number in the profile's texts; 0: unknown
    line: Int32Array  # source line; 0: unknown
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and the cost of all calls from there, recursive ones included
    calls: LocationCalls
    jumps: InstructionJumps

    def __len__(self) -> int:
        return len(self.address)


def instruction_costs(
    profile: Profile, function: FunctionId, parts: Parts = None
) -> InstructionCosts:
    """Return the instruction costs of a function, in the active `parts` or in all (None).

    Parts without instructions have their costs at address 0, which belongs to no source line.
    Raises `ValueError` if the profile has no instructions.
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
    address, first, location = np.unique(addresses, return_index=True, return_inverse=True)
    cost_location, call_location, jump_location = np.split(location, np.cumsum(counts)[:-1])
    result = location_costs(profile, rows, cost_location, call_location, len(address))
    has_address = address > 0
    return InstructionCosts(
        address,
        np.where(has_address, file[first], 0).astype(np.int32),
        np.where(has_address, line[first], 0).astype(np.int32),
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(profile, jumps.target_address, rows.jumps, jump_location),
    )


def _jumps(
    profile: Profile, target_address: UInt64Array | None, rows: Int64Array, location: Int64Array
) -> InstructionJumps:
    target = np.zeros(len(rows), np.uint64) if target_address is None else target_address[rows]
    conditional = profile.jumps.conditional[rows]
    sums = jump_sums(profile, rows, location, target, conditional)
    first = sums.first
    return InstructionJumps(
        location[first], target[first], sums.executed, sums.followed, conditional[first]
    )
