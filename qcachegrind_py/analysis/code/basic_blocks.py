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

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.instructions import (
    LONGEST_INSTRUCTION,
    NO_CODE,
    NO_ROW,
    UNPAIRED,
    Code,
    InstructionKind,
)
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import find_rows, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

UNKNOWN = -1  # an unknown count
_JUMP_KINDS = (InstructionKind.JUMP, InstructionKind.BRANCH)


# ---------------------------------------------------------------- control flow at each instruction


@frozen
class _RecordedFlow:
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


def _recorded_flow(profile: Profile, costs: InstructionCosts, code: Code) -> _RecordedFlow:
    """Collect the recorded control flow of the function that `costs` and `code` belong to."""
    jumps = costs.jumps
    jump_rows = np.flatnonzero((jumps.followed > 0) | jumps.conditional)
    targets = jumps.target[jump_rows]
    address = np.unique(np.concatenate((code.address, costs.address, targets)))
    code_row, cost_row = find_rows(code.address, address), find_rows(costs.address, address)
    kind = np.full(len(address), InstructionKind.PLAIN, np.int64)
    kind[code_row != NO_ROW] = code.kind
    return _RecordedFlow(
        address=address,
        code_row=code_row,
        cost_row=cost_row,
        kind=kind,
        static_target=_static_targets(address, code_row, code),
        fall_through=_following_rows(address, code),
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


def _following_rows(address: UInt64Array, code: Code) -> Int64Array:
    """Return the row that follows each instruction in memory, or NO_ROW.

    Without code it is the next address, if that is near enough. An address in the middle of an
    instruction, as of a jump over a prefix, has the same successor as that instruction.
    """
    following = np.arange(1, len(address) + 1)
    is_near = np.diff(address) <= LONGEST_INSTRUCTION
    is_near &= address[:-1] != 0  # address 0 has the costs of parts without instructions
    following[:-1][~is_near] = NO_ROW
    following[-1:] = NO_ROW  # behind the last one
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


# ---------------------------------------------------------------- blocks

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


@frozen
class FlowEdges:
    """The edges between blocks, one row each, sorted by source, then kind, then target."""

    source: Int64Array  # row of the block
    target: Int64Array
    kind: npt.NDArray[np.int64]  # of `EdgeKind`
    count: Int64Array  # times control passed along the edge, or UNKNOWN

    def __len__(self) -> int:
        return len(self.source)


@frozen
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
    flow = _recorded_flow(profile, costs, code)
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


def _block_starts(flow: _RecordedFlow) -> BoolArray:
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


def _executions(flow: _RecordedFlow, start: Int64Array) -> Int64Array:
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


def _edges(flow: _RecordedFlow, start: Int64Array) -> FlowEdges:
    """Build all edges, from the last instruction of a block to the first of another."""
    last = start[1:] - 1
    kind = np.where(flow.conditional, EdgeKind.TAKEN, EdgeKind.JUMP)
    recorded = flow.source, flow.target, kind, flow.followed
    parts = recorded, _static_edges(flow, last), _fall_throughs(flow, last)
    source, target, kind, count = map(np.concatenate, zip(*parts, strict=True))
    source, target = (np.searchsorted(start, end, "right") - 1 for end in (source, target))
    order = np.lexsort((target, kind, source))
    return FlowEdges(source[order], target[order], kind[order], count[order])


def _static_edges(flow: _RecordedFlow, last: Int64Array) -> _Rows:
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


def _fall_throughs(flow: _RecordedFlow, last: Int64Array) -> _Rows:
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
    flow: _RecordedFlow, source: Int64Array, is_branch: BoolArray
) -> Int64Array:
    """Return how often control fell through to the next instruction, or UNKNOWN."""
    target, jumped = flow.fall_through[source], flow.jumps_from()[source]
    executed = flow.executed_count[source]
    available = flow.executed_count[target] - flow.jumps_to()[target]
    stayed = np.maximum(0, executed - jumped)
    count = np.where(flow.executed_count[target] == UNKNOWN, stayed, np.minimum(stayed, available))
    just_ends = flow.has_code[source] & (flow.kind[source] == InstructionKind.PLAIN)
    is_known = (executed != UNKNOWN) & (flow.has_jumps | just_ends | (executed == 0))
    branch_executed = flow.recorded_executions()[source]
    by_jumps = np.where(is_branch & (branch_executed != UNKNOWN), branch_executed - jumped, UNKNOWN)
    return np.where(is_known, count, by_jumps)


# ---------------------------------------------------------------- changes since the base


@frozen
class BlockChanges:
    """The base of the blocks and edges of the new side.

    The costs of the base in all blocks and `gone` add up to the self cost of the base.
    """

    new_row: Int64Array  # of each instruction of the base in the new blocks, or UNPAIRED
    instruction_cost: Int64Array  # of the base, shape (events, instructions of the new blocks)
    base_cost: Int64Array  # self cost of the paired instructions, shape (events, blocks)
    base_inclusive: Int64Array  # self cost and that of all calls from there
    base_executed: Int64Array  # of each block, or UNKNOWN: not paired, or with several blocks
    base_count: Int64Array  # of each edge, or UNKNOWN
    gone: Int64Array  # self cost of the instructions that the base alone has, shape (events,)
    is_added: BoolArray  # whether no instruction of a block is paired

    @property
    def is_paired(self) -> BoolArray:
        """Whether the base has each instruction of the new blocks, too."""
        paired: BoolArray = np.isin(
            np.arange(self.instruction_cost.shape[1]), self.new_row[self.new_row != UNPAIRED]
        )
        return paired


def block_changes(
    base: BasicBlocks, base_costs: InstructionCosts, new: BasicBlocks, new_row: Int64Array
) -> BlockChanges:
    """Find the base of each block; `new_row` are the rows of the base's instructions in `new`."""
    costs = _by_instruction(base, base_costs.self_cost)
    inclusive = _by_instruction(base, base_costs.inclusive)
    is_paired = new_row != UNPAIRED
    block = new.block_of(new_row[is_paired])
    there = np.zeros((len(costs), len(new.address)), np.int64)
    there[:, new_row[is_paired]] = costs[:, is_paired]
    return BlockChanges(
        new_row,
        there,
        sums_by_group(costs[:, is_paired], block, len(new)),
        sums_by_group(inclusive[:, is_paired], block, len(new)),
        _base_executions(base, new, new_row),
        _base_counts(base, new, new_row),
        costs[:, ~is_paired].sum(axis=1),
        ~np.isin(np.arange(len(new)), block),
    )


def _by_instruction(blocks: BasicBlocks, costs: Int64Array) -> Int64Array:
    """Return the costs of each instruction of the blocks, shape (events, instructions)."""
    result = np.zeros((len(costs), len(blocks.address)), np.int64)
    has_cost = blocks.cost_row != NO_ROW
    result[:, has_cost] = costs[:, blocks.cost_row[has_cost]]
    return result


def _base_executions(base: BasicBlocks, new: BasicBlocks, new_row: Int64Array) -> Int64Array:
    """Return how often the base executed each new block, if all its paired instructions agree."""
    row = np.flatnonzero(new_row != UNPAIRED)
    executed, block = base.executed[base.block_of(row)], new.block_of(new_row[row])
    least = np.full(len(new), np.iinfo(np.int64).max)
    most = np.full(len(new), UNKNOWN, np.int64)
    np.minimum.at(least, block, executed)
    np.maximum.at(most, block, executed)
    return np.where(least == most, most, UNKNOWN)


def _base_counts(base: BasicBlocks, new: BasicBlocks, new_row: Int64Array) -> Int64Array:
    """Return how often the base took each edge: from the same instruction to the same one."""
    edges, before = new.edges, base.edges
    source, target = new_row[base.last[before.source]], new_row[base.first[before.target]]
    is_paired = (source != UNPAIRED) & (target != UNPAIRED)
    count = dict(
        zip(
            zip(
                source[is_paired].tolist(),
                target[is_paired].tolist(),
                before.kind[is_paired].tolist(),
                strict=True,
            ),
            before.count[is_paired].tolist(),
            strict=True,
        )
    )
    ends = new.last[edges.source].tolist(), new.first[edges.target].tolist(), edges.kind.tolist()
    counts = (count.get(edge, UNKNOWN) for edge in zip(*ends, strict=True))
    return np.fromiter(counts, np.int64, len(edges))
