"""Base and new in the control flow: numbers and words about blocks, edges and instructions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.present.former.change_format import growth_text
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"


@dataclass(frozen=True, eq=False)
class FlowSides:
    """The costs of blocks on both sides, and what is known of their executions.

    A change is in the unit shown. Counts are UNKNOWN where nothing of the base is paired.
    """

    blocks: ComparedRows  # self costs and executions, shape (blocks,)
    inclusive: BothSides
    change: CostArray  # of the self costs
    inclusive_change: CostArray
    instruction_change: CostArray  # of the self costs of instructions
    is_added: BoolArray  # whether the new side alone has a block
    is_paired: BoolArray  # whether both sides have an instruction
    edge_count: BothSides  # shape (edges,)
    changes: CostFormat  # how changes are written
    gone: int | float  # self cost of the instructions that the base alone has

    def values(self, block: int) -> tuple[int | float, int | float]:
        """Return the self cost of a block in the base and in the new side."""
        costs = self.blocks.cost
        return as_number(costs.base[block]), as_number(costs.new[block])

    def cost_text(self, block: int) -> str:
        """Return both costs and the growth: 1 200 → 1 500 (+25 %); one cost if they are equal."""
        base, new = self.values(block)
        before, now = (
            self.blocks.base_format.with_unit(base),
            self.blocks.cost_format.with_unit(new),
        )
        if base == new and before == now:
            return now
        growth = growth_text(base, new, self.blocks.cost_format)
        both = f"{self.blocks.base_format.text(base)}{_ARROW}{now}"  # the unit is said once
        return f"{both} ({growth})" if growth else both

    def executed_text(self, block: int) -> str:
        """Return how often a block was executed, on both sides: 3 → 4; empty if not known."""
        return self.count_text(self.blocks.count, block)

    def count_text(self, counts: BothSides, row: int) -> str:
        """Return a count of both sides, or of the new one if that of the base is not known."""
        base, new = int(counts.base[row]), int(counts.new[row])
        text = self.blocks.cost_format.count_text
        if new == UNKNOWN:
            return ""
        return text(new) if base in (new, UNKNOWN) else f"{text(base)}{_ARROW}{text(new)}"

    @cached_property
    def largest_change(self) -> float:
        """The size of the largest change of a block; 0 without any."""
        known = self.change[self.change == self.change]  # without NaN
        return float(max(abs(known.max()), abs(known.min()))) if len(known) else 0.0

    def strength(self, block: int) -> float:
        """Return the change as a part of the largest one, from -1 to 1; 0 if it is not known."""
        change = float(self.change[block])
        return change / self.largest_change if change == change and self.largest_change else 0.0


def count_changes(counts: BothSides) -> Int64Array:
    """Return the sizes of the changes of counts, to sort by; 0 where a side is not known."""
    is_known = (counts.base != UNKNOWN) & (counts.new != UNKNOWN)
    changes: Int64Array = np.where(is_known, np.abs(counts.new - counts.base), 0)
    return changes
