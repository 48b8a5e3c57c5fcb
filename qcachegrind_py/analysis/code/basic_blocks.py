"""The flow of control in a function: basic blocks with their costs, and the edges between them.

Instructions are those that a disassembler found and those that the profile has costs of; what it
has at an address without code is here all the same, so that the costs of all blocks are those of
the function. Nothing is decoded here, and nothing is drawn.

A block ends

- before an instruction that a jump leads to, recorded or written in the code,
- after a jump, a branch and a return; a call comes back, so it ends none,
- before a gap, and between addresses with and without code,
- where there is no code: before an instruction that was executed another number of times, or that
  is further on than the longest instruction there is (`LONGEST_INSTRUCTION`).

How often something happened is known exactly or not at all (-1). Where the first measured event is
`Ir`, the self cost of an instruction is how often it was executed:

- A block was executed as often as its first instruction. (After a call that returned never, or
  twice as `setjmp` does, its last one may have been executed another number of times.)
- A recorded jump was followed as often as the profile says.
- A block went on to the next one as often as its last instruction was executed and did not jump,
  but at most as often as the next one was executed and not jumped to: a call may not have come
  back. Nobody goes on after a jump without condition, or a return; where there is no code, an
  instruction without recorded jumps is taken for one that goes on.
- A branch in the code of which nothing is recorded was never taken.

With another first event, only jumps tell: a branch went on as often as it was executed and not
followed, a block that ends with a jump was executed as often as that. These `executed` counts
Callgrind writes for each block of its own translation, and only where one was followed there: one
in thirty is too small, which is why `Ir` is preferred. Where no jumps were recorded at all, only
a jump without condition and a block that just ends tell where they went on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.recorded_flow import (
    NO_ROW,
    UNKNOWN,
    RecordedFlow,
    recorded_flow,
)
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

_BLOCK_ENDS = (
    InstructionKind.JUMP,
    InstructionKind.BRANCH,
    InstructionKind.RETURN,
    InstructionKind.DATA,
)
_NO_FALL_THROUGH = (InstructionKind.JUMP, InstructionKind.RETURN, InstructionKind.DATA)


class EdgeKind(IntEnum):
    """How control came from one block to another."""

    FALL_THROUGH = 0  # it went on to the next address
    JUMP = 1  # without condition
    TAKEN = 2  # a branch whose condition held
    NOT_TAKEN = 3  # and one whose did not


@dataclass(frozen=True, slots=True, eq=False)
class FlowEdges:
    """A row an edge, in order of source, then kind, then target."""

    source: Int64Array  # row of the block
    target: Int64Array
    kind: npt.NDArray[np.int64]  # of `EdgeKind`
    count: Int64Array  # UNKNOWN: not known

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class BasicBlocks:
    """Instructions and blocks, in order of address, and edges.

    Instructions of block `b` are the rows from `start[b]` to `start[b + 1]`; costs have the shape
    (events, blocks).
    """

    address: UInt64Array  # of each instruction
    code_row: Int64Array  # its row in the code; -1: none
    cost_row: Int64Array  # its row in the costs; -1: none
    start: Int64Array  # row of the first instruction; one more entry than there are blocks
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and that of all calls from there
    executed: Int64Array  # how often; UNKNOWN: not known
    entry: int  # the block where the function begins; -1: there are no blocks
    edges: FlowEdges

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def first(self) -> Int64Array:
        """Row of the first instruction of each block."""
        return self.start[:-1]

    @property
    def last(self) -> Int64Array:
        """Row of its last one."""
        return self.start[1:] - 1

    def block_of(self, instruction: npt.NDArray[np.integer]) -> Int64Array:
        """The blocks that these instructions are in."""
        return np.searchsorted(self.start, instruction, "right") - 1

    def blocks_at(self, addresses: UInt64Array) -> Int64Array:
        """The blocks that have an instruction at one of these addresses."""
        return np.unique(self.block_of(np.flatnonzero(np.isin(self.address, addresses))))


def basic_blocks(
    profile: Profile, costs: InstructionCosts, code: Code = NO_CODE, called: int = 0
) -> BasicBlocks:
    """The blocks of a function of the profile; without its code, of the recorded addresses.

    `called` says how often the function was called, by itself too; by that its entry is found.
    """
    flow = recorded_flow(profile, costs, code)
    start = np.append(np.flatnonzero(_block_starts(flow)), len(flow))
    of_cost = np.searchsorted(start, np.flatnonzero(flow.cost_row != NO_ROW), "right") - 1
    executed, edges = _executions(flow, start), _edges(flow, start)
    return BasicBlocks(
        flow.address,
        flow.code_row,
        flow.cost_row,
        start,
        sums_by_group(costs.self_cost, of_cost, len(executed)),
        sums_by_group(costs.inclusive, of_cost, len(executed)),
        executed,
        _entry_block(executed, edges, called),
        edges,
    )


def _block_starts(flow: RecordedFlow) -> BoolArray:
    """Whether a block begins with each instruction."""
    begins = np.ones(len(flow), bool)
    before, after = slice(None, -1), slice(1, None)
    has_code = flow.has_code[before]
    goes_on = (flow.fall_through[before] == np.arange(1, len(flow))) & (
        has_code == flow.has_code[after]
    )
    goes_on &= has_code | (flow.executed_count[before] == flow.executed_count[after])
    goes_on &= ~np.isin(flow.kind[before], _BLOCK_ENDS)
    goes_on |= (flow.kind[before] == InstructionKind.DATA) & (
        flow.kind[after] == InstructionKind.DATA
    )
    goes_on[flow.source[flow.source < len(goes_on)]] = False
    begins[after] = ~goes_on
    begins[flow.target] = True
    begins[flow.static_target[flow.static_target != NO_ROW]] = True
    return begins


def _executions(flow: RecordedFlow, start: Int64Array) -> Int64Array:
    """How often each block was executed."""
    first, last = flow.executed_count[start[:-1]], flow.recorded_executions()[start[1:] - 1]
    return np.where(first == UNKNOWN, last, first)


def _entry_block(executed: Int64Array, edges: FlowEdges, called: int) -> int:
    """The block to which control came from elsewhere as often as the function was called.

    Of several, or where none was, it is the nearest one by that: exceptions and `longjmp` come
    from elsewhere, too. Where nobody counted, it is the first block that no edge leads to.
    """
    if not len(executed):
        return -1
    came = sums_by_group(np.maximum(0, edges.count), edges.target, len(executed))
    is_counted = (executed != UNKNOWN) & (edges.count != UNKNOWN).all()
    from_elsewhere = np.where(is_counted, executed - came, 0)
    distance = np.abs(from_elsewhere - called)
    is_led_to = np.isin(np.arange(len(executed)), edges.target)
    return int(np.lexsort((is_led_to, distance, from_elsewhere <= 0))[0])


# ---------------------------------------------------------------- edges

_Rows = tuple[Int64Array, Int64Array, Int64Array, Int64Array]  # source, target, kind, count


def _edges(flow: RecordedFlow, start: Int64Array) -> FlowEdges:
    """All edges. Each comes from the last instruction of a block, and leads to the first of one."""
    last = start[1:] - 1
    kind = np.where(flow.conditional, EdgeKind.TAKEN, EdgeKind.JUMP)
    recorded = flow.source, flow.target, kind, flow.followed
    parts = recorded, _static_edges(flow, last), _fall_throughs(flow, last)
    source, target, kind, count = map(np.concatenate, zip(*parts, strict=True))
    source, target = (np.searchsorted(start, end, "right") - 1 for end in (source, target))
    order = np.lexsort((target, kind, source))
    return FlowEdges(source[order], target[order], kind[order], count[order])


def _static_edges(flow: RecordedFlow, last: Int64Array) -> _Rows:
    """Edges that the code has and the record has not.

    A jump without condition is followed whenever it is executed.
    """
    source = last[flow.static_target[last] != NO_ROW]
    target, width = flow.static_target[source], len(flow)
    is_new = ~np.isin(source * width + target, flow.source * width + flow.target)
    source, target = source[is_new], target[is_new]
    is_branch, executed = flow.kind[source] == InstructionKind.BRANCH, flow.executed_count[source]
    always = np.where(executed == UNKNOWN, UNKNOWN, executed - flow.jumps_from()[source])
    perhaps = np.where(flow.has_jumps | (executed == 0), 0, UNKNOWN)
    kind = np.where(is_branch, EdgeKind.TAKEN, EdgeKind.JUMP)
    return source, target, kind, np.where(is_branch, perhaps, always)


def _fall_throughs(flow: RecordedFlow, last: Int64Array) -> _Rows:
    """From the last instruction of a block to the one behind it."""
    source = last[(flow.fall_through[last] != NO_ROW) & ~np.isin(flow.kind[last], _NO_FALL_THROUGH)]
    source = source[flow.kind[flow.fall_through[source]] != InstructionKind.DATA]
    is_branch = flow.kind[source] == InstructionKind.BRANCH
    is_branch |= np.isin(source, flow.source[flow.conditional])
    count = _fall_through_counts(flow, source, is_branch)
    # without code, what jumps without condition is seen to go on only where it did
    jumps = ~flow.has_code[source] & np.isin(source, flow.source) & ~is_branch
    kept = ~jumps | (count > 0)
    kind = np.where(is_branch, EdgeKind.NOT_TAKEN, EdgeKind.FALL_THROUGH)
    return source[kept], flow.fall_through[source[kept]], kind[kept], count[kept]


def _fall_through_counts(
    flow: RecordedFlow, source: Int64Array, is_branch: BoolArray
) -> Int64Array:
    """How often control went on to the next instruction."""
    target, jumped = flow.fall_through[source], flow.jumps_from()[source]
    executed, room = (
        flow.executed_count[source],
        flow.executed_count[target] - flow.jumps_to()[target],
    )
    stayed = np.maximum(0, executed - jumped)
    count = np.where(flow.executed_count[target] == UNKNOWN, stayed, np.minimum(stayed, room))
    just_ends = flow.has_code[source] & (flow.kind[source] == InstructionKind.PLAIN)
    is_known = (executed != UNKNOWN) & (flow.has_jumps | just_ends | (executed == 0))
    come_to = flow.recorded_executions()[source]
    by_jumps = np.where(is_branch & (come_to != UNKNOWN), come_to - jumped, UNKNOWN)
    return np.where(is_known, count, by_jumps)
