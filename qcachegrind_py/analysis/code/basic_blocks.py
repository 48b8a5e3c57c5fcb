"""The control flow graph of a function: basic blocks with costs and edges, and which are drawn.

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

Selection of the basic blocks to draw: the costliest of a function, up to a maximum.

Edges between the same two blocks, as of a branch to the following block, become one arrow. A block
that these arrows do not connect to the entry gets an arrow for a path through omitted blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from heapq import heapify, heappop, heappush

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
from qcachegrind_py.profile.events import CostArray
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


NEVER_EXECUTED = -1.0  # as the minimum share: include blocks that were never executed
MAX_BLOCKS = 250
MAX_ARROWS = 500


@frozen
class VisibleBlocks:
    """The visible blocks, the entry first, then by address; and arrows, the most frequent first."""

    blocks: BasicBlocks
    row: Int64Array  # of each visible block, in `blocks`
    source: Int64Array  # of each arrow: index of a visible block
    target: Int64Array
    edges: tuple[Int64Array, ...]  # rows of the edges of each arrow, the most frequent first
    count: Int64Array  # sum over these edges; UNKNOWN: none is known
    skipped_blocks: (
        Int64Array  # number of omitted blocks on the path of an arrow; 0 for arrows with edges
    )
    has_hidden_incoming: (
        BoolArray  # of each visible block: it has incoming edges that were taken and are not drawn
    )
    has_hidden_outgoing: BoolArray
    never_executed: int  # number of blocks omitted because they were never executed
    below_threshold: int  # omitted for their cost
    over_limit: int  # costly enough, but beyond the maximum
    omitted_arrows: int

    def __len__(self) -> int:
        return len(self.row)


def select_visible_blocks(
    blocks: BasicBlocks,
    cost: CostArray,
    min_share: float,
    max_blocks: int = MAX_BLOCKS,
    max_arrows: int = MAX_ARROWS,
    base_count: Int64Array | None = None,
) -> VisibleBlocks:
    """Select the executed blocks with at least `min_share` of the total cost, and the entry.

    `cost` is the self cost of each block in one event, shape (blocks,); in a comparison that of the
    side where it is larger. `base_count` is how often the base took each edge, or UNKNOWN.
    """
    selection = _select_blocks(blocks, cost, min_share, max_blocks)
    row, index = selection.row, selection.index
    was_taken = blocks.edges.count != 0
    if base_count is not None:
        was_taken |= base_count > 0
    arrows = _arrows(blocks, index, was_taken | (min_share == NEVER_EXECUTED))
    visible_arrows = arrows[:max_arrows]
    connecting = _connecting_arrows(
        blocks, row, index, [(arrow.source, arrow.target) for arrow in visible_arrows]
    )
    all_arrows, hidden = [*visible_arrows, *connecting], _hidden_edges(blocks, visible_arrows)
    return VisibleBlocks(
        blocks,
        row,
        np.array([arrow.source for arrow in all_arrows], np.int64),
        np.array([arrow.target for arrow in all_arrows], np.int64),
        tuple(arrow.edges for arrow in all_arrows),
        np.array([arrow.count for arrow in all_arrows], np.int64),
        np.array([arrow.skipped_blocks for arrow in all_arrows], np.int64),
        np.isin(row, blocks.edges.target[hidden]),
        np.isin(row, blocks.edges.source[hidden]),
        selection.never_executed,
        selection.below_threshold,
        selection.over_limit,
        omitted_arrows=len(arrows) - len(visible_arrows),
    )


@frozen
class _Selection:
    """The visible blocks and the numbers of omitted ones, as in `VisibleBlocks`."""

    row: Int64Array
    index: Int64Array  # of each block among the visible ones; -1: omitted
    never_executed: int
    below_threshold: int
    over_limit: int


def _select_blocks(
    blocks: BasicBlocks, cost: CostArray, min_share: float, max_blocks: int
) -> _Selection:
    """Select the entry and the costliest blocks, `max_blocks` in all."""
    was_executed = _was_executed(blocks) | (cost > 0) | (min_share == NEVER_EXECUTED)
    is_costly = was_executed & ((cost >= min_share * cost.sum()).astype(bool) | (min_share <= 0))
    is_entry = np.arange(len(blocks)) == blocks.entry
    candidates = np.flatnonzero(is_costly | is_entry)
    # at equal cost the blocks executed more often come first, those never executed last
    order = np.lexsort((-blocks.executed[candidates], -cost[candidates], ~is_entry[candidates]))
    selected = np.sort(candidates[order[:max_blocks]])
    row = np.concatenate((selected[selected == blocks.entry], selected[selected != blocks.entry]))
    index = np.full(len(blocks), -1, np.int64)
    index[row] = np.arange(len(row))
    return _Selection(
        row,
        index,
        never_executed=int((~was_executed & ~is_entry).sum()),
        below_threshold=int((was_executed & ~is_costly & ~is_entry).sum()),
        over_limit=len(candidates) - len(row),
    )


def _was_executed(blocks: BasicBlocks) -> BoolArray:
    """Return whether each block was executed, by its count or, if unknown, by any cost."""
    was_executed: BoolArray = (blocks.executed > 0) | (blocks.inclusive != 0).any(axis=0)
    return was_executed


@frozen
class _Arrow:
    source: int  # index of a visible block
    target: int
    edges: Int64Array
    count: int
    skipped_blocks: int = 0


def _hidden_edges(blocks: BasicBlocks, arrows: Sequence[_Arrow]) -> BoolArray:
    """Return whether each edge was taken, or may have been, and belongs to none of the arrows."""
    shown = np.zeros(len(blocks.edges), bool)
    for arrow in arrows:
        shown[arrow.edges] = True
    hidden: BoolArray = ~shown & (blocks.edges.count != 0)
    return hidden


def _arrows(blocks: BasicBlocks, index: Int64Array, is_included: BoolArray) -> list[_Arrow]:
    """Group the included edges between visible blocks into arrows, the most frequent first."""
    edges = blocks.edges
    is_drawn = (index[edges.source] >= 0) & (index[edges.target] >= 0) & is_included
    rows = np.flatnonzero(is_drawn)
    ends = edges.source[rows] * max(1, len(blocks)) + edges.target[rows]
    order = np.lexsort((-edges.count[rows], ends))
    rows, ends = rows[order], ends[order]
    groups = np.split(rows, np.flatnonzero(np.diff(ends)) + 1) if len(rows) else []
    arrows = [
        _Arrow(
            int(index[edges.source[group[0]]]),
            int(index[edges.target[group[0]]]),
            group,
            _known_sum(edges.count[group]),
        )
        for group in groups
    ]
    return sorted(arrows, key=lambda arrow: -arrow.count)


def _known_sum(counts: Int64Array) -> int:
    known = counts[counts != UNKNOWN]
    return int(known.sum()) if len(known) else UNKNOWN


# ---------------------------------------------------------------- paths through omitted blocks


def _connecting_arrows(
    blocks: BasicBlocks, row: Int64Array, index: Int64Array, arrows: Sequence[tuple[int, int]]
) -> list[_Arrow]:
    """Add arrows to visible blocks that the other arrows do not connect to the entry.

    Each arrow is the last section, through omitted blocks, of the most frequent path from the
    entry.
    """
    if len(row) == len(blocks):
        return []
    predecessors = _predecessors_from_entry(blocks)
    successors: dict[int, list[int]] = {}
    for source, target in arrows:
        successors.setdefault(source, []).append(target)
    reached = _reachable({0}, successors, set())
    result = []
    for block in predecessors:
        here = int(index[block])
        if here < 0 or here in reached:
            continue
        origin, skipped = predecessors[block], 0
        while index[origin] < 0:
            origin, skipped = predecessors[origin], skipped + 1
        result.append(_Arrow(int(index[origin]), here, np.empty(0, np.int64), UNKNOWN, skipped))
        reached |= _reachable({here}, successors, reached)
    return result


def _predecessors_from_entry(blocks: BasicBlocks) -> dict[int, int]:
    """Return each block's predecessor on a path of frequent edges from the entry.

    Keys are in the order of discovery by Prim's algorithm: the most frequent edge that leads out of
    the tree is next.
    """
    edges = blocks.edges
    outgoing: dict[int, list[tuple[int, int]]] = {}
    taken = np.flatnonzero(edges.count != 0)
    for source, target, count in zip(
        edges.source[taken].tolist(), edges.target[taken].tolist(), edges.count[taken].tolist(),
        strict=True,
    ):  # fmt: skip
        outgoing.setdefault(source, []).append((count, target))
    predecessors = {blocks.entry: blocks.entry}
    heap = [(-count, target, blocks.entry) for count, target in outgoing.get(blocks.entry, ())]
    heapify(heap)
    while heap:
        _, block, origin = heappop(heap)
        if block not in predecessors:
            predecessors[block] = origin
            for count, target in outgoing.get(block, ()):
                heappush(heap, (-count, target, block))
    return predecessors


def _reachable(start: set[int], successors: dict[int, list[int]], known: set[int]) -> set[int]:
    """Return all blocks reachable from `start`, itself included, without those in `known`."""
    reached, waiting = set(start), list(start)
    while waiting:
        for target in successors.get(waiting.pop(), ()):
            if target not in reached and target not in known:
                reached.add(target)
                waiting.append(target)
    return reached
