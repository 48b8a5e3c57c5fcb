"""The control flow graph of a function: basic blocks with their costs, and the edges between them.

The instructions are those that a disassembler decoded and those that have costs in the profile.
Costs at addresses without code are included, so that the blocks add up to the function.

A block ends

- before an instruction that is the target of a jump, recorded or static,
- after a jump, a branch or a return; calls return, so they end no block,
- before a gap, and between addresses with and without code,
- without code: before an instruction with a different execution count, or one further away than
  the longest possible instruction (`LONGEST_INSTRUCTION`).

Counts are exact or unknown (-1). If the first measured event is `Ir`, the self cost of an
instruction is its execution count:

- The count of a block is that of its first instruction. (The last one may differ after a call that
  never returned, or returned twice as `setjmp` does.)
- The count of a recorded jump is the one in the profile.
- A block fell through to the next one as often as its last instruction was executed without a jump,
  but at most as often as the next one was executed without being jumped to, since a call may not
  have returned. There is no fall-through after an unconditional jump or a return; without code, an
  instruction with no recorded jumps is assumed to fall through.
- A static branch without a recorded jump was never taken.

With another first event, only jumps give counts: a branch fell through as often as it was executed
and not followed, and a block that ends with a jump was executed as often as the jump. Callgrind
writes these `executed` counts for each block of its own translation, and only where a jump was
followed there: one in thirty is too small, which is why `Ir` is preferred. If no jumps were
recorded at all, only unconditional jumps and blocks that end without a jump have known successors.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.basic_blocks import (
    NO_ROW,
    UNKNOWN,
    RecordedFlow,
    recorded_flow,
)
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import sums_by_group
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
    """How control passes from one block to another."""

    FALL_THROUGH = 0  # to the next address, without a branch
    JUMP = 1  # unconditional
    TAKEN = 2  # a branch whose condition held
    NOT_TAKEN = 3  # a branch whose condition did not hold


@dataclass(frozen=True, slots=True, eq=False)
class FlowEdges:
    """The edges between blocks, one row each, sorted by source, then kind, then target."""

    source: Int64Array  # row of the block
    target: Int64Array
    kind: npt.NDArray[np.int64]  # of `EdgeKind`
    count: Int64Array  # times control passed along the edge, or UNKNOWN

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class BasicBlocks:
    """The basic blocks of a function and their instructions, in order of address, and the edges.

    Block `b` has the instructions from row `start[b]` up to `start[b + 1]`. Costs have the shape
    (events, blocks).
    """

    address: UInt64Array  # of each instruction
    code_row: Int64Array  # its row in the code; -1: none
    cost_row: Int64Array  # its row in the costs; -1: none
    start: Int64Array  # row of each block's first instruction, shape (blocks + 1,)
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and the cost of all calls from the block
    executed: Int64Array  # execution count of each block, or UNKNOWN
    entry: int  # the block where the function begins; -1: there are no blocks
    edges: FlowEdges

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def first(self) -> Int64Array:
        """The row of each block's first instruction, shape (blocks,)."""
        return self.start[:-1]

    @property
    def last(self) -> Int64Array:
        """The row of each block's last instruction, shape (blocks,)."""
        return self.start[1:] - 1

    def block_of(self, instruction: npt.NDArray[np.integer]) -> Int64Array:
        """Return the block of each of these instructions."""
        return np.searchsorted(self.start, instruction, "right") - 1

    def blocks_at(self, addresses: UInt64Array) -> Int64Array:
        """Return the blocks with an instruction at one of these addresses, in ascending order."""
        return np.unique(self.block_of(np.flatnonzero(np.isin(self.address, addresses))))


def basic_blocks(
    profile: Profile, costs: InstructionCosts, code: Code = NO_CODE, called: int = 0
) -> BasicBlocks:
    """Build the basic blocks of a function; without code, from the recorded addresses alone.

    `called` is the number of calls to the function, including those from itself; it serves to find
    the entry block.
    """
    flow = recorded_flow(profile, costs, code)
    start = np.append(np.flatnonzero(_block_starts(flow)), len(flow))
    block_of_cost = np.searchsorted(start, np.flatnonzero(flow.cost_row != NO_ROW), "right") - 1
    executed, edges = _executions(flow, start), _edges(flow, start)
    return BasicBlocks(
        flow.address,
        flow.code_row,
        flow.cost_row,
        start,
        sums_by_group(costs.self_cost, block_of_cost, len(executed)),
        sums_by_group(costs.inclusive, block_of_cost, len(executed)),
        executed,
        _entry_block(executed, edges, called),
        edges,
    )


def _block_starts(flow: RecordedFlow) -> BoolArray:
    """Return whether a block begins at each instruction, shape (instructions,)."""
    begins = np.ones(len(flow), bool)
    before, after = slice(None, -1), slice(1, None)
    has_code = flow.has_code[before]
    continues = (flow.fall_through[before] == np.arange(1, len(flow))) & (
        has_code == flow.has_code[after]
    )
    continues &= has_code | (flow.executed_count[before] == flow.executed_count[after])
    continues &= ~np.isin(flow.kind[before], _BLOCK_ENDS)
    continues |= (flow.kind[before] == InstructionKind.DATA) & (
        flow.kind[after] == InstructionKind.DATA
    )
    continues[flow.source[flow.source < len(continues)]] = False
    begins[after] = ~continues
    begins[flow.target] = True
    begins[flow.static_target[flow.static_target != NO_ROW]] = True
    return begins


def _executions(flow: RecordedFlow, start: Int64Array) -> Int64Array:
    """Return the execution count of each block, or UNKNOWN."""
    first, last = flow.executed_count[start[:-1]], flow.recorded_executions()[start[1:] - 1]
    return np.where(first == UNKNOWN, last, first)


def _entry_block(executed: Int64Array, edges: FlowEdges, called: int) -> int:
    """Return the block entered from outside the function as often as the function was called.

    Several blocks may be entered from outside, also by exceptions and `longjmp`: the one with the
    closest count wins. Without counts it is the first block without incoming edges.
    """
    if not len(executed):
        return -1
    incoming = sums_by_group(np.maximum(0, edges.count), edges.target, len(executed))
    is_counted = (executed != UNKNOWN) & (edges.count != UNKNOWN).all()
    from_outside = np.where(is_counted, executed - incoming, 0)
    distance = np.abs(from_outside - called)
    has_incoming = np.isin(np.arange(len(executed)), edges.target)
    return int(np.lexsort((has_incoming, distance, from_outside <= 0))[0])


# ---------------------------------------------------------------- edges

_Rows = tuple[Int64Array, Int64Array, Int64Array, Int64Array]  # source, target, kind, count


def _edges(flow: RecordedFlow, start: Int64Array) -> FlowEdges:
    """Build all edges, from the last instruction of a block to the first of another."""
    last = start[1:] - 1
    kind = np.where(flow.conditional, EdgeKind.TAKEN, EdgeKind.JUMP)
    recorded = flow.source, flow.target, kind, flow.followed
    parts = recorded, _static_edges(flow, last), _fall_throughs(flow, last)
    source, target, kind, count = map(np.concatenate, zip(*parts, strict=True))
    source, target = (np.searchsorted(start, end, "right") - 1 for end in (source, target))
    order = np.lexsort((target, kind, source))
    return FlowEdges(source[order], target[order], kind[order], count[order])


def _static_edges(flow: RecordedFlow, last: Int64Array) -> _Rows:
    """Return the edges of jumps in the code that were not recorded.

    An unconditional jump is followed whenever it is executed.
    """
    source = last[flow.static_target[last] != NO_ROW]
    target, width = flow.static_target[source], len(flow)
    is_new = ~np.isin(source * width + target, flow.source * width + flow.target)
    source, target = source[is_new], target[is_new]
    is_branch, executed = flow.kind[source] == InstructionKind.BRANCH, flow.executed_count[source]
    jump_count = np.where(executed == UNKNOWN, UNKNOWN, executed - flow.jumps_from()[source])
    branch_count = np.where(flow.has_jumps | (executed == 0), 0, UNKNOWN)
    kind = np.where(is_branch, EdgeKind.TAKEN, EdgeKind.JUMP)
    return source, target, kind, np.where(is_branch, branch_count, jump_count)


def _fall_throughs(flow: RecordedFlow, last: Int64Array) -> _Rows:
    """Return the edges from the last instruction of a block to the following instruction."""
    source = last[(flow.fall_through[last] != NO_ROW) & ~np.isin(flow.kind[last], _NO_FALL_THROUGH)]
    source = source[flow.kind[flow.fall_through[source]] != InstructionKind.DATA]
    is_branch = flow.kind[source] == InstructionKind.BRANCH
    is_branch |= np.isin(source, flow.source[flow.conditional])
    count = _fall_through_counts(flow, source, is_branch)
    # without code, an instruction with unconditional jumps falls through only if it is seen to
    jumps = ~flow.has_code[source] & np.isin(source, flow.source) & ~is_branch
    is_edge = ~jumps | (count > 0)
    kind = np.where(is_branch, EdgeKind.NOT_TAKEN, EdgeKind.FALL_THROUGH)
    return source[is_edge], flow.fall_through[source[is_edge]], kind[is_edge], count[is_edge]


def _fall_through_counts(
    flow: RecordedFlow, source: Int64Array, is_branch: BoolArray
) -> Int64Array:
    """Return how often control fell through to the next instruction, or UNKNOWN."""
    target, jumped = flow.fall_through[source], flow.jumps_from()[source]
    executed, available = (
        flow.executed_count[source],
        flow.executed_count[target] - flow.jumps_to()[target],
    )
    stayed = np.maximum(0, executed - jumped)
    count = np.where(flow.executed_count[target] == UNKNOWN, stayed, np.minimum(stayed, available))
    just_ends = flow.has_code[source] & (flow.kind[source] == InstructionKind.PLAIN)
    is_known = (executed != UNKNOWN) & (flow.has_jumps | just_ends | (executed == 0))
    branch_executed = flow.recorded_executions()[source]
    by_jumps = np.where(is_branch & (branch_executed != UNKNOWN), branch_executed - jumped, UNKNOWN)
    return np.where(is_known, count, by_jumps)
