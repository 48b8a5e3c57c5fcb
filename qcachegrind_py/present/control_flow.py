"""The control flow of a function: its blocks as loaded, figures of blocks and edges, two tables.

A job computes all of it. `control_flow_picture` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import (
    UNKNOWN,
    BasicBlocks,
    BlockChanges,
    EdgeKind,
    VisibleBlocks,
    select_visible_blocks,
)
from qcachegrind_py.analysis.code.calling_instructions import at_calling_instructions
from qcachegrind_py.analysis.code.instructions import NO_ROW, Code, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.figures import ARROW, Counts, Figures
from qcachegrind_py.present.named_addresses import short_operands
from qcachegrind_py.present.no_figures import NO_FIGURES, NO_NUMBERS
from qcachegrind_py.present.table import (
    Column,
    CountCells,
    NumberCells,
    Numbers,
    Table,
    TextCells,
    Value,
    cost_column,
    side_columns,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, TextId, text_ids
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, UNDEFINED, NumberStyle, format_count
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array
from qcachegrind_py.tools.annotation_inputs import CodeResult, find_function_code

if TYPE_CHECKING:  # imported where they are used: without a base, nothing of it is needed
    from qcachegrind_py.analysis.code.basic_blocks import BlockChanges
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.tools.compared_inputs import ComparedCode

NONE, COSTLY, ALL, UNABRIDGED = "none", "costly", "all", "every"  # shown instructions of a block
_NAME_LENGTH = 24  # characters of a name in an instruction: blocks are narrow
EDGE_TEXT = {
    EdgeKind.FALL_THROUGH: "",
    EdgeKind.JUMP: "jump",
    EdgeKind.TAKEN: "taken",
    EdgeKind.NOT_TAKEN: "not taken",
}

# -------------------------------------------------------------------- loading


@frozen
class LoadedBase:
    """The code of both sides; there are no changes if the instructions cannot be paired."""

    code: ComparedCode
    changes: BlockChanges | None


@frozen
class LoadedFunction:
    """A loaded function; `problem` explains missing or possibly wrong code."""

    function: FunctionId
    inputs: object  # from `code_inputs`
    costs: InstructionCosts  # of the active parts
    whole: InstructionCosts  # of all parts: knows the lines if active parts have no costs
    code: Code
    blocks: BasicBlocks
    problem: str
    base: LoadedBase | None = None  # while profiles are compared


def code_inputs(context: Context) -> object:
    """Return the inputs of code and blocks, to compare with those of a loaded function."""
    syntax = context.annotation.intel_syntax
    base = context.base_parts, context.base_programs
    return context.profile, context.function, context.scope.parts, context.files, syntax, base


def load_function(query: ViewQuery, progress: Progress) -> LoadedFunction:
    """Load the active function in a job; without code, blocks consist of recorded addresses.

    Raises only `Cancelled`.
    """
    context = query.context
    syntax = Syntax.INTEL if context.annotation.intel_syntax else Syntax.ATT
    compared = query.comparison
    if compared is not None:
        return _load_both_sides(query, compared, syntax, progress)
    profile, function = query.profile, query.active_function()
    whole = query.queries.instructions(function, None)  # finds code where active parts have no cost
    found = find_function_code(profile, function, whole, context.files, syntax, progress)
    progress.check(0.5)
    return _loaded(query, whole, found)


def _loaded(query: ViewQuery, whole: InstructionCosts, found: CodeResult) -> LoadedFunction:
    queries, context, function = query.queries, query.context, query.active_function()
    whole = at_calling_instructions(query.profile, whole, found.code)
    costs = queries.instructions(function, context.scope.parts)
    costs = at_calling_instructions(query.profile, costs, found.code)
    blocks = queries.basic_blocks(function, context.scope, found.code)
    problem = str(found.problem or "")
    return LoadedFunction(function, code_inputs(context), costs, whole, found.code, blocks, problem)


def _load_both_sides(
    query: ViewQuery, compared: Comparison, syntax: Syntax, progress: Progress
) -> LoadedFunction:
    from qcachegrind_py.present.code_instructions import load_compared_code
    from qcachegrind_py.tools.compared_inputs import side_costs

    code = load_compared_code(query, compared, syntax, PartialProgress(progress, 0, 0.5))
    _base, whole = side_costs(compared, query.active_function())
    loaded = _loaded(query, whole, code.new)
    base = _load_base(query, compared, code, loaded.blocks, PartialProgress(progress, 0.5, 1))
    return replace(loaded, base=base)


def _load_base(
    query: ViewQuery,
    compared: Comparison,
    code: ComparedCode,
    blocks: BasicBlocks,
    progress: Progress,
) -> LoadedBase:
    from qcachegrind_py.analysis.code.basic_blocks import block_changes
    from qcachegrind_py.present.code_instructions import paired_rows

    function = query.active_function()
    if not code.is_paired:
        return LoadedBase(code, None)
    base = query.queries.basic_blocks(function, compared.base, code.base.code)
    new_row = paired_rows(
        code, (base.address, base.code_row), (blocks.address, blocks.code_row), progress
    )
    costs = query.queries.instructions(function, compared.base.parts)
    costs = at_calling_instructions(query.profile, costs, code.base.code)
    return LoadedBase(code, block_changes(base, costs, blocks, new_row))


# -------------------------------------------------------------------- figures


@frozen
class FlowCounts:
    """How often blocks or edges were executed, shape (rows,); UNKNOWN where it is not known.

    `base` is `new` if nothing is compared, and UNKNOWN where nothing of the base is paired.
    """

    new: Int64Array
    base: Int64Array
    style: NumberStyle = DEFAULT_STYLE

    @property
    def is_compared(self) -> bool:
        return self.base is not self.new

    def text(self, row: int) -> str:
        """Return the count, of both sides if they are known and differ: 3 → 4."""
        base, new = int(self.base[row]), int(self.new[row])
        if new == UNKNOWN:
            return ""
        shown = format_count(new, self.style)
        is_same = base in (new, UNKNOWN)
        return shown if is_same else f"{format_count(base, self.style)}{ARROW}{shown}"


@frozen
class ControlFlow:
    """The blocks of a function and the edges between them, on both sides if compared."""

    blocks: BasicBlocks
    code: Code
    operands: Sequence[str]  # of the instructions of the code, with short names
    costs: InstructionCosts  # of the new side
    location_text: Callable[[TextId, int], str]  # text of a source line's file and number
    self_cost: Figures  # of blocks; percentages are of the function's self cost
    inclusive: Figures
    instructions: Figures  # self costs of the instructions of blocks
    weight: CostArray  # for comparing instructions: their costs, or the first event for a ratio
    executed: FlowCounts
    edge_counts: FlowCounts
    is_added: BoolArray | None = None  # whether the new side alone has a block
    is_paired: BoolArray | None = None  # whether both sides have an instruction
    gone: int | float = 0  # self cost of the instructions that the base alone has

    @property
    def unit(self) -> Unit:
        return self.self_cost.unit

    @property
    def is_compared(self) -> bool:
        return self.self_cost.is_compared

    def is_new(self, block: int) -> bool:
        """Return whether the new side alone has a block."""
        return self.is_added is not None and bool(self.is_added[block])

    def count(self, number: int) -> str:
        return format_count(number, self.unit.style)


def control_flow(
    query: ViewQuery,
    event: EventType,
    function: FunctionId,
    blocks: BasicBlocks,
    code: Code,
    costs: InstructionCosts,
    changes: BlockChanges | None,
) -> ControlFlow:
    """Return the flow of a function in an event; `changes` are those from the base, if paired.

    Percentages refer to the function's self cost, in a comparison to that of the base.
    """
    evaluate, base = query.events.evaluate, query.context.base
    if base is None or not query.is_comparable(event):
        changes = None
    costs_of_rows = _by_instruction(blocks, costs)
    self_cost = evaluate(event, blocks.self_cost)
    unit = query.unit(event)
    if not event.is_ratio:
        whole = as_number(self_cost.sum())
        if query.is_comparing and base is not None:
            whole = query.queries.node_costs(function, event, base)[1] or whole
        unit = replace(unit, total=whole)

    def figures(new: Int64Array, base_column: str) -> Figures:
        now = evaluate(event, new)
        if changes is None:
            return Figures.alone(unit, now)
        return Figures(unit, now, evaluate(event, getattr(changes, base_column)))

    def counts(new: Int64Array, base_column: str) -> FlowCounts:
        before = new if changes is None else getattr(changes, base_column)
        return FlowCounts(new, before, unit.style)

    own = figures(blocks.self_cost, "base_cost")
    if changes is not None:
        own = own.with_longest_bar()
        unit = own.unit
    instructions = figures(costs_of_rows, "instruction_cost")
    files = text_ids(np.unique(costs.file))
    paths = dict(zip(files, short_paths(query.profile.texts.lookup(files)), strict=True))
    flow = ControlFlow(
        blocks,
        code,
        short_operands(code, blocks.address, _NAME_LENGTH),
        costs,
        lambda file, line: f"{paths[file]}:{line}",
        own,
        figures(blocks.inclusive, "base_inclusive"),
        instructions,
        costs_of_rows[0] if event.is_ratio else instructions.new,
        counts(blocks.executed, "base_executed"),
        counts(blocks.edges.count, "base_count"),
    )
    if changes is None:
        return flow
    gone = as_number(evaluate(event, changes.gone[:, np.newaxis])[0])
    return replace(flow, is_added=changes.is_added, is_paired=changes.is_paired, gone=gone)


def _by_instruction(blocks: BasicBlocks, costs: InstructionCosts) -> Int64Array:
    """Return the self costs of the instructions of blocks, shape (events, instructions)."""
    result = np.zeros((len(costs.self_cost), len(blocks.address)), np.int64)
    has_cost = blocks.cost_row != NO_ROW
    result[:, has_cost] = costs.self_cost[:, blocks.cost_row[has_cost]]
    return result


def visible_blocks(flow: ControlFlow, least: float) -> VisibleBlocks:
    """Select the blocks to draw: those that cost this share of the function on either side."""
    blocks, cost = flow.blocks, flow.self_cost
    drawn = blocks.self_cost[0] if flow.unit.is_ratio else np.maximum(cost.new, cost.base)
    if not flow.is_compared:
        return select_visible_blocks(blocks, drawn, least)
    return select_visible_blocks(blocks, drawn, least, base_count=flow.edge_counts.base)


# -------------------------------------------------------------------- tables


def address_text(address: int) -> str:
    """Return an address as disassemblers write it."""
    return f"{address:x}"


@frozen
class _ExecutedCells(NumberCells):
    """Execution counts; unknown ones show a dash and are exported empty."""

    counts: FlowCounts

    def text(self, row: int) -> str:
        return self.counts.text(row) or UNDEFINED

    def order(self) -> Numbers:
        base, new = self.counts.base, self.counts.new
        if not self.counts.is_compared:
            return new
        return np.where((base != UNKNOWN) & (new != UNKNOWN), np.abs(new - base), 0)

    def numbers(self) -> Numbers:
        return self.counts.new

    def values(self, rows: Int64Array) -> list[Value]:
        return [None if count == UNKNOWN else count for count in self.counts.new[rows].tolist()]

    def base_numbers(self) -> Numbers | None:
        if not self.counts.is_compared:
            return None
        known = [None if count == UNKNOWN else count for count in self.counts.base.tolist()]
        return np.array(known, object)


@frozen
class _AddressCells(NumberCells):
    """Addresses, in hexadecimal digits."""

    addresses: UInt64Array

    def text(self, row: int) -> str:
        return address_text(int(self.addresses[row]))

    def numbers(self) -> Numbers:
        return self.addresses.view(np.int64)  # in address order up to half of the address space

    def values(self, rows: Int64Array) -> list[Value]:
        return [f"0x{address:x}" for address in self.addresses[rows].tolist()]


def _address_column(key: str, title: str, tip: str, addresses: UInt64Array) -> Column:
    return Column(key, title, tip, _AddressCells(addresses), width=10)


def block_table(flow: ControlFlow, function: FunctionId) -> Table:
    blocks, count = flow.blocks, len(flow.blocks)
    first, last = blocks.address[blocks.first], blocks.address[blocks.last]
    sizes = np.diff(blocks.start)
    columns = _block_columns(flow.self_cost, flow.inclusive, flow.executed, sizes, first, last)

    def tip(row: int) -> tuple[str, ...]:
        return (f"{address_text(int(first[row]))} – {address_text(int(last[row]))}",)

    return Table(columns, count, np.full(count, function), tip)


def _block_columns(
    self_cost: Figures,
    inclusive: Figures,
    executed: FlowCounts,
    instructions: Int64Array,
    first: UInt64Array,
    last: UInt64Array,
) -> tuple[Column, ...]:
    inclusive_tip = "Self cost, and that of all calls from the block"
    executed_tip = "How often the block was executed"
    counts = CountCells(Counts.alone(instructions, self_cost.unit.style))
    return (
        cost_column("self", "Self", "Cost of the instructions", self_cost),
        *side_columns(self_cost, "Self cost"),
        cost_column("inclusive", "Incl.", inclusive_tip, inclusive),
        Column("executed", "Executed", executed_tip, _ExecutedCells(executed)),
        Column("instructions", "Instructions", "Number of known instructions", counts),
        _address_column("first", "Address", "Address of the first instruction", first),
        _address_column("last", "Last", "Address of the last instruction", last),
    )


def edge_table(flow: ControlFlow, function: FunctionId) -> Table:
    """Return the table of all edges of a function, from the jump itself to its target."""
    blocks, edges = flow.blocks, flow.blocks.edges
    source = blocks.address[blocks.last[edges.source]]
    target = blocks.address[blocks.first[edges.target]]
    kinds = [EDGE_TEXT[EdgeKind(value)] or "falls through" for value in edges.kind.tolist()]
    columns = _edge_columns(flow.edge_counts, TextCells(kinds, ranks=edges.kind), source, target)

    def tip(row: int) -> tuple[str, ...]:
        ends = f"{address_text(int(source[row]))} → {address_text(int(target[row]))}"
        return (f"{ends}, {kinds[row]}",)

    return Table(columns, len(kinds), np.full(len(kinds), function), tip)


def _edge_columns(
    counts: FlowCounts, kinds: TextCells, source: UInt64Array, target: UInt64Array
) -> tuple[Column, ...]:
    kind_tip = "Fall-through, jump, branch taken or branch not taken"
    return (
        Column("count", "Count", "How often this edge was taken", _ExecutedCells(counts)),
        Column("kind", "Kind", kind_tip, kinds, width=10),
        _address_column("from", "From", "The last instruction of the block", source),
        _address_column("to", "To", "The first instruction of the block", target),
    )


_NOWHERE: UInt64Array = np.empty(0, np.uint64)
_NEVER = FlowCounts(NO_NUMBERS, NO_NUMBERS)
NO_BLOCKS = Table(
    _block_columns(NO_FIGURES, NO_FIGURES, _NEVER, NO_NUMBERS, _NOWHERE, _NOWHERE), nodes=NO_NUMBERS
)
NO_EDGES = Table(
    _edge_columns(_NEVER, TextCells([], ranks=NO_NUMBERS), _NOWHERE, _NOWHERE), nodes=NO_NUMBERS
)
