"""The control flow of both sides of a comparison, in the formats of the window."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import (
    BasicBlocks,
    BlockChanges,
    block_changes,
)
from qcachegrind_py.analysis.code.instructions import NO_ROW
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.code.flow_sides import FlowSides
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.formats import largest
from qcachegrind_py.present.instruction_loading import paired_rows
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.compared_inputs import ComparedCode


@dataclass(frozen=True, slots=True, eq=False)
class LoadedBase:
    """The code of both sides; there are no changes if the instructions cannot be paired."""

    code: ComparedCode
    changes: BlockChanges | None


def load_base(
    query: ViewQuery,
    compared: Comparison,
    code: ComparedCode,
    blocks: BasicBlocks,
    progress: Progress,
) -> LoadedBase:
    """Find what the blocks cost in the base. Raises only `Cancelled`."""
    function = query.active_function()
    if not code.is_paired:
        return LoadedBase(code, None)
    base = query.queries.basic_blocks(function, compared.base, code.base.code)
    new_row = paired_rows(
        code, (base.address, base.code_row), (blocks.address, blocks.code_row), progress
    )
    costs = query.queries.instructions(function, compared.base.parts)
    return LoadedBase(code, block_changes(base, costs, blocks, new_row))


def flow_sides(
    query: ViewQuery,
    event: EventType,
    costs: InstructionCosts,
    blocks: BasicBlocks,
    base: LoadedBase | None,
    whole: int | float | None,
) -> FlowSides | None:
    """Return the numbers of both sides; None if they are not compared in this event.

    `costs` are those of the instructions of `blocks`; `whole` is 100 %, None for ratios.
    """
    changes = None if base is None else base.changes
    if changes is None or query.context.base is None or not query.is_comparable(event):
        return None
    series = Series(event, query.context.scope, query.context.base)

    def both(before: Int64Array, after: Int64Array) -> BothSides:
        return BothSides(query.events.evaluate(event, before), query.events.evaluate(event, after))

    self_cost = both(changes.base_cost, blocks.self_cost)
    inclusive = both(changes.base_inclusive, blocks.inclusive)
    instructions = both(changes.instruction_cost, _by_instruction(blocks, costs))
    executed = BothSides(changes.base_executed, blocks.executed)
    formats = (query.cost_format(event), query.base_format(event), query.format(series))
    new_format, base_format, change_format = (_of_whole(each, whole) for each in formats)
    change = query.change(series, self_cost)
    if not event.is_ratio:
        change_format = replace(change_format, bar_base=largest(change))
    no_split = np.zeros(len(blocks), bool)
    gone = query.events.evaluate(event, changes.gone[:, np.newaxis])
    return FlowSides(
        ComparedRows(self_cost, executed, no_split, new_format, base_format),
        inclusive,
        change,
        query.change(series, inclusive),
        query.change(series, instructions),
        changes.is_added,
        changes.is_paired,
        BothSides(changes.base_count, blocks.edges.count),
        change_format,
        as_number(gone[0]),
    )


def _of_whole(format_: CostFormat, whole: int | float | None) -> CostFormat:
    return format_ if whole is None else replace(format_, base=whole, bar_base=None)


def _by_instruction(blocks: BasicBlocks, costs: InstructionCosts) -> Int64Array:
    """Return the self costs of the instructions of blocks, shape (events, instructions)."""
    result = np.zeros((len(costs.self_cost), len(blocks.address)), np.int64)
    has_cost = blocks.cost_row != NO_ROW
    result[:, has_cost] = costs.self_cost[:, blocks.cost_row[has_cost]]
    return result
