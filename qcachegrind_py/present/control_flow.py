"""The control flow of a function: figures of its blocks and edges, their picture, two tables.

A job computes all of it; the sizes of texts come from the window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, BasicBlocks, BlockChanges, EdgeKind
from qcachegrind_py.analysis.code.instructions import NO_ROW, Code
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks, select_visible_blocks
from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.present.diagram import arrow_thickness
from qcachegrind_py.present.figures import (
    ARROW,
    NO_FIGURES,
    NO_NUMBERS,
    WORD_NEW,
    Counts,
    Figures,
)
from qcachegrind_py.present.picture import (
    BAR_HEIGHT,
    PADDING,
    Arrow,
    Box,
    BoxLine,
    Change,
    Detail,
    Line,
    TextMeasure,
)
from qcachegrind_py.present.table import (
    Column,
    CountCells,
    NumberCells,
    Numbers,
    Table,
    TextCells,
    Value,
    cell_text,
    cost_column,
    side_columns,
)
from qcachegrind_py.present.unit import BASE, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    UNDEFINED,
    NumberStyle,
    format_count,
    plural,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

NONE, COSTLY, ALL, UNABRIDGED = "none", "costly", "all", "every"  # shown instructions of a block
_MAX_LINES = {ALL: 12, COSTLY: 12, UNABRIDGED: 400}
_COSTLY_SHARE = 0.01  # of the function's self cost
_MAX_LINE_LENGTH = 44  # characters
_MIN_WIDTH_DIGITS = 16
ADDED = "+ "  # before instructions that the new side alone has
_COLUMN_GAP = 6.0  # pixels between columns, and around labels
_THICKNESS_SCALE = 0.55  # thinner than calls, because many edges share the highest frequency
EDGE_TEXT = {
    EdgeKind.FALL_THROUGH: "",
    EdgeKind.JUMP: "jump",
    EdgeKind.TAKEN: "taken",
    EdgeKind.NOT_TAKEN: "not taken",
}
LINES = {
    EdgeKind.FALL_THROUGH: Line.EXACT,
    EdgeKind.JUMP: Line.JUMP,
    EdgeKind.TAKEN: Line.TAKEN,
    EdgeKind.NOT_TAKEN: Line.NOT_TAKEN,
}
_MIN_OPACITY = 0.25  # of the colour of a small block without cost
_ONLY_NEW = "The base has no instruction of this block."


# -------------------------------------------------------------------- figures


@dataclass(frozen=True, slots=True, eq=False)
class FlowCounts:
    """How often blocks or edges were executed, shape (rows,); UNKNOWN where it is not known.

    `base` is `new` if nothing is compared, and UNKNOWN where nothing of the base is paired.
    """

    new: Int64Array
    base: Int64Array
    style: NumberStyle = DEFAULT_STYLE

    @property
    def is_compared(self) -> bool:
        """Whether the counts have a base."""
        return self.base is not self.new

    def text(self, row: int) -> str:
        """Return the count, of both sides if they are known and differ: 3 → 4."""
        base, new = int(self.base[row]), int(self.new[row])
        if new == UNKNOWN:
            return ""
        shown = format_count(new, self.style)
        is_same = base in (new, UNKNOWN)
        return shown if is_same else f"{format_count(base, self.style)}{ARROW}{shown}"


@dataclass(frozen=True, slots=True, eq=False)
class ControlFlow:
    """The blocks of a function and the edges between them, on both sides if compared."""

    blocks: BasicBlocks
    code: Code
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
        """The unit of all costs."""
        return self.self_cost.unit

    @property
    def is_compared(self) -> bool:
        """Whether the flow has two sides."""
        return self.self_cost.is_compared

    def is_new(self, block: int) -> bool:
        """Return whether the new side alone has a block."""
        return self.is_added is not None and bool(self.is_added[block])

    def count(self, number: int) -> str:
        """Format a count in the style of the costs."""
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


# -------------------------------------------------------------------- boxes and arrows


@dataclass(frozen=True, slots=True)
class FlowLook:
    """What boxes show, and how large their texts are."""

    color: str
    plain: TextMeasure
    small: TextMeasure  # of labels of arrows
    code: TextMeasure
    instructions: str  # NONE, COSTLY or ALL
    block_overrides: Mapping[int, str]  # shown instructions of single blocks, by address
    show_addresses: bool  # before each instruction

    def instructions_of(self, block_address: int) -> str:
        """Return which instructions of a block are shown."""
        return self.block_overrides.get(block_address, self.instructions)


def address_text(address: int) -> str:
    """Return an address as disassemblers write it."""
    return f"{address:x}"


def instruction_text(flow: ControlFlow, row: int) -> str:
    """Return the instruction in a row; without code, the source line it belongs to."""
    code_row = int(flow.blocks.code_row[row])
    if code_row != NO_ROW:
        text = f"{flow.code.mnemonic[code_row]} {flow.code.operands[code_row]}"
        return cell_text(text.strip())
    cost_row = int(flow.blocks.cost_row[row])
    if cost_row == NO_ROW or flow.costs.line[cost_row] <= 0:
        return "?"
    location = flow.location_text(
        text_at(flow.costs.file, cost_row), int(flow.costs.line[cost_row])
    )
    return cell_text(location)


def flow_boxes(flow: ControlFlow, visible: VisibleBlocks, look: FlowLook) -> list[Box]:
    """Return the boxes of all visible blocks."""
    return [_box(flow, visible, look, row) for row in range(len(visible.row))]


def _box(flow: ControlFlow, visible: VisibleBlocks, look: FlowLook, row: int) -> Box:
    blocks, plain, code, block = flow.blocks, look.plain, look.code, int(visible.row[row])
    first, last = (int(blocks.address[end[block]]) for end in (blocks.first, blocks.last))
    title = address_text(first) + (f" – {address_text(last)}" if last > first else "")
    costs, executed = flow.self_cost, _executed_text(flow, block)
    cost, sides = costs.both(block), (costs.base[block], costs.new[block])
    share = flow.unit.bar(max(map(as_number, sides)))
    lines = tuple(_block_lines(flow, look, block))
    widths = [
        plain.width(title) * 1.1,
        plain.width(cost) + 2 * _COLUMN_GAP + plain.width(executed),
        code.width("0") * _MIN_WIDTH_DIGITS,
        *(code.width(line.text) + 2 * _COLUMN_GAP + code.width(line.cost) for line in lines),
    ]
    head = round(2 * plain.height + BAR_HEIGHT + 2 * PADDING)
    stubs = bool(visible.has_hidden_incoming[row]), bool(visible.has_hidden_outgoing[row])
    change = Change.of(costs, block)
    return Box(
        key=first,
        name=title,
        cost=cost,
        count=executed,
        share=share,
        width=round(max(widths) + 2 * PADDING),
        height=round(head + len(lines) * code.height + (PADDING if lines else 0)),
        color=look.color,
        tip=_block_tip(flow, visible, row),
        detail=Detail(title, tuple(filter(None, (cost, executed))), look.color),
        lines=lines,
        head=head,
        is_active=block == blocks.entry,
        opacity=_MIN_OPACITY + (1 - _MIN_OPACITY) * sqrt(share),
        stubs=stubs,
        change=change and replace(change, word=WORD_NEW if flow.is_new(block) else ""),
    )


def _executed_text(flow: ControlFlow, block: int) -> str:
    """Return how often a block was executed; empty if it is unknown."""
    count = flow.executed.text(block)
    return f"{count}×" if count else ""


def _block_lines(flow: ControlFlow, look: FlowLook, block: int) -> list[BoxLine]:
    blocks = flow.blocks
    rows = np.arange(blocks.start[block], blocks.start[block + 1])
    shows = look.instructions_of(int(blocks.address[rows[0]]))
    if shows == NONE:
        return []
    shown_rows = rows[_are_costly(flow, rows)] if shows == COSTLY else rows
    max_lines = _MAX_LINES[shows]
    if len(shown_rows) > max_lines:
        shown_rows = np.concatenate(
            (shown_rows[: max_lines // 2], shown_rows[len(shown_rows) - max_lines // 2 :])
        )
    return _with_gaps(flow, look, rows, shown_rows.tolist())


def _are_costly(flow: ControlFlow, rows: Int64Array) -> BoolArray:
    weight = flow.weight[rows]
    if flow.is_compared:
        weight = np.maximum(weight, np.abs(flow.instructions.change[rows]))
    costly: BoolArray = weight >= max(1, float(flow.weight.sum()) * _COSTLY_SHARE)
    return costly.astype(bool)


def _with_gaps(
    flow: ControlFlow, look: FlowLook, rows: Int64Array, shown_rows: list[int]
) -> list[BoxLine]:
    """Return lines for the shown rows, with a count in place of the rows left out between them."""
    lines, before = [], int(rows[0]) - 1
    for row in [*shown_rows, int(rows[-1]) + 1]:
        if row - before > 1 and shown_rows:
            lines.append(BoxLine(-1, f"… {flow.count(row - before - 1)} more", ""))
        if row <= rows[-1]:
            lines.append(_line(flow, look, row))
        before = row
    return lines


def _line(flow: ControlFlow, look: FlowLook, row: int) -> BoxLine:
    address, text = int(flow.blocks.address[row]), instruction_text(flow, row)
    if len(text) > _MAX_LINE_LENGTH:
        text = f"{text[: _MAX_LINE_LENGTH - 1]}…"
    if look.show_addresses:
        text = f"{address_text(address)}  {text}"
    if flow.is_paired is not None:
        text = ("  " if flow.is_paired[row] else ADDED) + text
    costs = flow.instructions
    return BoxLine(address, text, costs.cell(row) if costs.shown[row] else "")


# -------------------------------------------------------------------- arrows


def flow_arrows(
    flow: ControlFlow, visible: VisibleBlocks, look: FlowLook, boxes: Sequence[Box]
) -> list[Arrow]:
    """Return all arrows between these boxes; their labels have kinds and counts of edges."""
    counts = [
        max(count, _base_count(flow, visible, arrow))
        for arrow, count in enumerate(visible.count.tolist())
    ]
    max_count = max([1, *counts])
    return [
        _arrow(flow, visible, look, arrow, boxes, count / max_count)
        for arrow, count in enumerate(counts)
    ]


def _base_count(flow: ControlFlow, visible: VisibleBlocks, arrow: int) -> int:
    """Return how often the base took the edges of an arrow, as far as that is known."""
    if not flow.is_compared:
        return 0
    counts = flow.edge_counts.base[visible.edges[arrow]]
    return int(counts[counts != UNKNOWN].sum())


def _arrow(
    flow: ControlFlow,
    visible: VisibleBlocks,
    look: FlowLook,
    arrow: int,
    boxes: Sequence[Box],
    share: float,
) -> Arrow:
    edges, rows, small = flow.blocks.edges, visible.edges[arrow].tolist(), look.small
    texts = [edge_text(flow, row) for row in rows]
    labels = tuple(filter(None, texts or [_skipped_blocks_text(flow, visible, arrow)]))
    source, target = int(visible.source[arrow]), int(visible.target[arrow])
    return Arrow(
        source=source,
        target=target,
        labels=labels,
        thickness=1 + (arrow_thickness(max(0.0, share)) - 1) * _THICKNESS_SCALE,
        width=round(max(map(small.width, labels)) + _COLUMN_GAP) if labels else 0.0,
        height=round(len(labels) * small.height),
        line=LINES[EdgeKind(int(edges.kind[rows[0]]))] if rows else Line.HIDDEN,
        tip=_arrow_tip(flow, visible, arrow),
        detail=Detail(f"{boxes[source].name} → {boxes[target].name}", labels),
    )


def _skipped_blocks_text(flow: ControlFlow, visible: VisibleBlocks, arrow: int) -> str:
    """Return "…" with the number of omitted blocks on the path; without it if only edges are."""
    skipped = int(visible.skipped_blocks[arrow])
    return f"… {flow.count(skipped)}" if skipped else "…"


def edge_text(flow: ControlFlow, row: int) -> str:
    """Return the kind and the count of the edge in a row, on both sides if compared."""
    kind = EDGE_TEXT[EdgeKind(int(flow.blocks.edges.kind[row]))]
    return " ".join(filter(None, (kind, flow.edge_counts.text(row))))


# -------------------------------------------------------------------- tooltips


def _block_tip(flow: ControlFlow, visible: VisibleBlocks, row: int) -> tuple[str, ...]:
    blocks, block = flow.blocks, int(visible.row[row])
    first, last = int(blocks.first[block]), int(blocks.last[block])
    count = last - first + 1
    executed = _executed_text(flow, block)
    lines = [
        f"{address_text(int(blocks.address[first]))} – {address_text(int(blocks.address[last]))}, "
        f"{flow.count(count)} {plural(count, 'instruction')}",
        *_cost_lines(flow, block),
        f"executed {executed}" if executed else "",
        "The function begins here." if block == blocks.entry else "",
    ]
    more = (
        (visible.has_hidden_incoming[row], "lead here"),
        (visible.has_hidden_outgoing[row], "lead on"),
    )
    lines += [f"Edges not drawn {what}." for is_there, what in more if is_there]
    return tuple(filter(None, lines))


def _cost_lines(flow: ControlFlow, block: int) -> list[str]:
    """Return self and inclusive cost of a block; base, new and change if compared."""
    costs, unit = flow.self_cost, flow.unit
    if not flow.is_compared:
        return [
            f"{_cost_text(costs, block)} self",
            f"{_cost_text(flow.inclusive, block)} with calls from here",
        ]
    base, new = as_number(costs.base[block]), as_number(costs.new[block])
    return [
        f"Base {unit.full(base, BASE)}, new {unit.full(new)}, change {_change_text(costs, block)}",
        f"Change with calls from here {_change_text(flow.inclusive, block)}",
        *([_ONLY_NEW] if flow.is_new(block) else []),
    ]


def _change_text(costs: Figures, block: int) -> str:
    """Return a change, with its exact count if that was shortened."""
    change, unit = as_number(costs.change[block]), costs.unit
    shown, exact = unit.change_with_unit(change), unit.exact_change(change)
    return f"{shown} ({exact})" if exact not in ("", shown) else shown


def _cost_text(costs: Figures, block: int) -> str:
    """Return a cost in the unit of the picture, and its absolute value if it differs."""
    cost, unit = as_number(costs.new[block]), costs.unit
    if unit.exact(cost):
        return unit.full(cost)
    shown, absolute = unit.with_unit(cost), unit.absolute(cost)
    return shown if shown == absolute else f"{shown} ({absolute})"


def _arrow_tip(flow: ControlFlow, visible: VisibleBlocks, arrow: int) -> tuple[str, ...]:
    blocks = flow.blocks
    source, target = (int(visible.row[int(end[arrow])]) for end in (visible.source, visible.target))
    last, first = blocks.address[blocks.last[source]], blocks.address[blocks.first[target]]
    lines = [f"{address_text(int(last))} → {address_text(int(first))}"]
    for row in visible.edges[arrow].tolist():
        kind = EDGE_TEXT[EdgeKind(int(blocks.edges.kind[row]))] or "falls through"
        count = flow.edge_counts.text(row)
        lines.append(f"{kind}: {f'{count}×' if count else 'unknown count'}")
    if not len(visible.edges[arrow]):
        skipped = flow.count(int(visible.skipped_blocks[arrow]))
        lines.append(f"A path through {skipped} blocks that are not drawn.")
    return tuple(lines)


# -------------------------------------------------------------------- the note below


def omissions(visible: VisibleBlocks) -> list[str]:
    """Return what is left out."""
    texts = (
        (visible.below_threshold, "cheaper blocks hidden"),
        (visible.never_executed, "blocks never executed hidden"),
        (visible.over_limit, "more blocks hidden (limit reached)"),
        (visible.omitted_arrows, "edges hidden"),
    )
    return [f"{count} {text}" for count, text in texts if count]


# -------------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
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
    """Return the table of all blocks of a function, whether they are drawn or not."""
    blocks = flow.blocks
    first, last = blocks.address[blocks.first], blocks.address[blocks.last]
    return _block_table(
        (flow.self_cost, flow.inclusive),
        flow.executed,
        np.diff(blocks.start),
        first,
        last,
        function,
    )


def _block_table(
    costs: tuple[Figures, Figures],
    executed: FlowCounts,
    instructions: Int64Array,
    first: UInt64Array,
    last: UInt64Array,
    function: FunctionId,
) -> Table:
    self_cost, inclusive = costs
    inclusive_tip = "Self cost, and that of all calls from the block"
    counts = CountCells(Counts.alone(instructions, self_cost.unit.style))
    columns = (
        cost_column("self", "Self", "Cost of the instructions", self_cost),
        *side_columns(self_cost, "Self cost"),
        cost_column("inclusive", "Incl.", inclusive_tip, inclusive),
        Column(
            "executed", "Executed", "How often the block was executed", _ExecutedCells(executed)
        ),
        Column("instructions", "Instructions", "Number of known instructions", counts),
        _address_column("first", "Address", "Address of the first instruction", first),
        _address_column("last", "Last", "Address of the last instruction", last),
    )
    nodes = np.full(len(first), function)
    return Table(
        columns, len(first), nodes, lambda row: (f"{int(first[row]):x} – {int(last[row]):x}",)
    )


def edge_table(flow: ControlFlow, function: FunctionId) -> Table:
    """Return the table of all edges of a function, from the jump itself to its target."""
    blocks, edges = flow.blocks, flow.blocks.edges
    source = blocks.address[blocks.last[edges.source]]
    target = blocks.address[blocks.first[edges.target]]
    return _edge_table(flow.edge_counts, edges.kind, source, target, function)


def _edge_table(
    counts: FlowCounts,
    kind: Int64Array,
    source: UInt64Array,
    target: UInt64Array,
    function: FunctionId,
) -> Table:
    kinds = [EDGE_TEXT[EdgeKind(value)] or "falls through" for value in kind.tolist()]
    kind_tip = "Fall-through, jump, branch taken or branch not taken"
    columns = (
        Column("count", "Count", "How often this edge was taken", _ExecutedCells(counts)),
        Column("kind", "Kind", kind_tip, TextCells(kinds, ranks=kind), width=10),
        _address_column("from", "From", "The last instruction of the block", source),
        _address_column("to", "To", "The first instruction of the block", target),
    )
    nodes = np.full(len(source), function)
    return Table(
        columns,
        len(source),
        nodes,
        lambda row: (f"{int(source[row]):x} → {int(target[row]):x}, {kinds[row]}",),
    )


_NOWHERE: UInt64Array = np.empty(0, np.uint64)
_NEVER = FlowCounts(NO_NUMBERS, NO_NUMBERS)
NO_BLOCKS = _block_table(
    (NO_FIGURES, NO_FIGURES), _NEVER, NO_NUMBERS, _NOWHERE, _NOWHERE, NO_FUNCTION
)
NO_EDGES = _edge_table(_NEVER, NO_NUMBERS, _NOWHERE, _NOWHERE, NO_FUNCTION)
