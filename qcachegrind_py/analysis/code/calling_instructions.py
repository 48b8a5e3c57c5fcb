"""Which instructions the calls of samples are made by.

A sampler records where a call returns to, which is the next instruction, or an address within the
one that calls.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.code.instructions import NO_ROW, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import InstructionCosts, LocationCalls
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.contexts import distinct_rows
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array, UInt64Array


def at_calling_instructions(
    profile: Profile, recorded: InstructionCosts, code: Code
) -> InstructionCosts:
    """Move the calls of samples to the instruction before their address, if that one calls.

    Calls of inlined functions stay at the instruction that executed, and so do those of profiles
    without stacks, which record the instruction that calls.
    """
    if profile.contexts is None or not len(code):
        return recorded
    old, calls = recorded.address, recorded.calls
    before, here = _instruction_at(code, old - np.uint64(1)), _instruction_at(code, old)
    is_call = (before >= 0) & (code.kind[before] == InstructionKind.CALL)
    row = np.where(is_call, before, here)
    calling = np.where(row >= 0, code.address[row], old)
    stays = recorded.self_cost.any(axis=0) | ~np.isin(np.arange(len(old)), calls.location)
    address = np.union1d(old[stays], calling[calls.location])

    self_cost = np.zeros((len(recorded.self_cost), len(address)), np.int64)
    place = np.searchsorted(address, old[stays])
    self_cost[:, place] = recorded.self_cost[:, stays]
    file, line = np.zeros((2, len(address)), np.int32)
    called_from = np.searchsorted(address, calling[calls.location])
    for column, known in ((file, recorded.file), (line, recorded.line)):
        column[called_from] = known[calls.location]
        column[place] = known[stays]

    group, first = distinct_rows([called_from, calls.callee])
    united = LocationCalls(
        called_from[first],
        calls.callee[first],
        sums_by_group(calls.count[np.newaxis], group, len(first))[0],
        sums_by_group(calls.inclusive, group, len(first)),
        calls.is_active[first],
    )
    callers = np.unique(calls.location)
    called = (recorded.inclusive - recorded.self_cost)[:, callers]
    places = np.searchsorted(address, calling[callers])
    inclusive = self_cost + sums_by_group(called, places, len(address))
    return InstructionCosts(address, file, line, self_cost, inclusive, united, recorded.jumps)


def _instruction_at(code: Code, addresses: UInt64Array) -> Int64Array:
    """Return the row of the instruction that contains each address; -1: none."""
    row = np.searchsorted(code.address, addresses, side="right").astype(np.int64) - 1
    inside = (row >= 0) & (addresses - code.address[row] < code.size[row].astype(np.uint64))
    return np.where(inside, row, NO_ROW)
