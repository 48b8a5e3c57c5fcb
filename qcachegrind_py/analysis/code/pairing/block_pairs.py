"""How the basic blocks of a function changed, where its instructions are paired with the base's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import NO_ROW, UNKNOWN, BasicBlocks
from qcachegrind_py.analysis.code.instructions import UNPAIRED
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
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
