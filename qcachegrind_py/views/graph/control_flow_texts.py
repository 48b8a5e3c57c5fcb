"""The boxes and arrows of the control flow: their texts, sizes, tooltips and changes.

A job creates them once for each picture; no widget is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, EdgeKind
from qcachegrind_py.analysis.code.instructions import NO_ROW, Code
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.models.code.flow_sides import FlowSides
from qcachegrind_py.present.diagram import arrow_thickness
from qcachegrind_py.present.figures import WORD_NEW
from qcachegrind_py.present.former.cost_format import CostFormat
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
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.profile.numbers import plural

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


@dataclass(frozen=True, slots=True, eq=False)
class FlowStyle:
    """Costs, formats and colour of a picture.

    `instruction_cost` and `weight` have one element for each row of `costs`; `self_cost` and
    `inclusive` have one for each block.
    """

    costs: InstructionCosts
    code: Code
    instruction_cost: CostArray
    self_cost: CostArray
    inclusive: CostArray
    weight: CostArray  # for comparing instructions: their costs, or the first event for a ratio
    format: CostFormat  # percentages refer to the function's self cost
    location_text: Callable[[TextId, int], str]  # text of a source line's file and number
    color: str
    instructions: str  # NONE, COSTLY or ALL
    block_overrides: Mapping[int, str]  # shown instructions of single blocks, by address
    show_addresses: bool  # before each instruction
    sides: FlowSides | None = None  # base and new, while profiles are compared

    def instructions_of(self, block_address: int) -> str:
        """Return which instructions of a block are shown."""
        return self.block_overrides.get(block_address, self.instructions)


@dataclass(frozen=True, slots=True)
class FlowMeasures:
    """The sizes of texts in boxes, beside arrows, and of code."""

    plain: TextMeasure
    small: TextMeasure
    code: TextMeasure


def address_text(address: int) -> str:
    """Return an address as disassemblers write it."""
    return f"{address:x}"


def instruction_text(style: FlowStyle, visible: VisibleBlocks, row: int) -> str:
    """Return the instruction in a row; without code, the source line it belongs to."""
    code_row = int(visible.blocks.code_row[row])
    if code_row != NO_ROW:
        text = f"{style.code.mnemonic[code_row]} {style.code.operands[code_row]}"
        return cell_text(text.strip())
    cost_row = int(visible.blocks.cost_row[row])
    if cost_row == NO_ROW or style.costs.line[cost_row] <= 0:
        return "?"
    location = style.location_text(
        text_at(style.costs.file, cost_row), int(style.costs.line[cost_row])
    )
    return cell_text(location)


def flow_boxes(visible: VisibleBlocks, style: FlowStyle, measures: FlowMeasures) -> list[Box]:
    """Return the boxes of all visible blocks."""
    return [
        _box(visible, style, row, block, measures) for row, block in enumerate(visible.row.tolist())
    ]


def _box(
    visible: VisibleBlocks, style: FlowStyle, row: int, block: int, measures: FlowMeasures
) -> Box:
    blocks, plain, code = visible.blocks, measures.plain, measures.code
    first, last = (int(blocks.address[end[block]]) for end in (blocks.first, blocks.last))
    title = address_text(first) + (f" – {address_text(last)}" if last > first else "")
    cost, executed, share = _numbers(style, block, int(blocks.executed[block]))
    lines = tuple(_block_lines(visible, style, block))
    widths = [
        plain.width(title) * 1.1,
        plain.width(cost) + 2 * _COLUMN_GAP + plain.width(executed),
        code.width("0") * _MIN_WIDTH_DIGITS,
        *(code.width(line.text) + 2 * _COLUMN_GAP + code.width(line.cost) for line in lines),
    ]
    head = round(2 * plain.height + BAR_HEIGHT + 2 * PADDING)
    stubs = bool(visible.has_hidden_incoming[row]), bool(visible.has_hidden_outgoing[row])
    return Box(
        key=first,
        name=title,
        cost=cost,
        count=executed,
        share=share,
        width=round(max(widths) + 2 * PADDING),
        height=round(head + len(lines) * code.height + (PADDING if lines else 0)),
        color=style.color,
        tip=_block_tip(visible, style, row, block),
        detail=Detail(title, tuple(filter(None, (cost, executed))), style.color),
        lines=lines,
        head=head,
        is_active=block == blocks.entry,
        opacity=_MIN_OPACITY + (1 - _MIN_OPACITY) * sqrt(share),
        stubs=stubs,
        change=_change(style.sides, block),
    )


def _numbers(style: FlowStyle, block: int, executed: int) -> tuple[str, str, float]:
    """Return cost and executions of a block, on both sides if compared, and its part of all."""
    cost = as_number(style.self_cost[block])
    if style.sides is None:
        share = style.format.share(cost)
        return style.format.with_unit(cost), _execution_text(style, executed), share
    counts = style.sides.executed_text(block)
    share = style.format.share(max(style.sides.values(block)))
    return style.sides.cost_text(block), f"{counts}×" if counts else "", share


def _change(sides: FlowSides | None, block: int) -> Change | None:
    if sides is None:
        return None
    smaller, larger = sorted(sides.values(block))
    word = WORD_NEW if sides.is_added[block] else ""
    return Change(sides.strength(block), smaller / larger if larger > 0 else 1.0, word)


def _execution_text(style: FlowStyle, count: int) -> str:
    """Return the execution count; empty if it is unknown."""
    return "" if count == UNKNOWN else f"{style.format.count_text(count)}×"


def _block_lines(visible: VisibleBlocks, style: FlowStyle, block: int) -> list[BoxLine]:
    blocks = visible.blocks
    rows = np.arange(blocks.start[block], blocks.start[block + 1])
    shows = style.instructions_of(int(blocks.address[rows[0]]))
    if shows == NONE:
        return []
    shown_rows = rows[_is_costly(visible, style, rows)] if shows == COSTLY else rows
    max_lines = _MAX_LINES[shows]
    if len(shown_rows) > max_lines:
        shown_rows = np.concatenate(
            (shown_rows[: max_lines // 2], shown_rows[len(shown_rows) - max_lines // 2 :])
        )
    return _with_gaps(visible, style, rows, shown_rows.tolist())


def _is_costly(visible: VisibleBlocks, style: FlowStyle, rows: CostArray) -> CostArray:
    costs = visible.blocks.cost_row[rows]
    weight = np.where(costs == NO_ROW, 0, style.weight[costs] if len(style.weight) else 0)
    if style.sides is not None:
        weight = np.maximum(weight, np.abs(style.sides.instruction_change[rows]))
    min_weight = max(1, float(style.weight.sum()) * _COSTLY_SHARE)
    costly: CostArray = (weight >= min_weight).astype(bool)
    return costly


def _with_gaps(
    visible: VisibleBlocks, style: FlowStyle, rows: CostArray, shown_rows: list[int]
) -> list[BoxLine]:
    """Return lines for the shown rows, with a count in place of the rows left out between them."""
    lines, before = [], int(rows[0]) - 1
    for row in [*shown_rows, int(rows[-1]) + 1]:
        if row - before > 1 and shown_rows:
            lines.append(BoxLine(-1, f"… {style.format.count_text(row - before - 1)} more", ""))
        if row <= rows[-1]:
            lines.append(_line(visible, style, row))
        before = row
    return lines


def _line(visible: VisibleBlocks, style: FlowStyle, row: int) -> BoxLine:
    address, text = int(visible.blocks.address[row]), instruction_text(style, visible, row)
    if len(text) > _MAX_LINE_LENGTH:
        text = f"{text[: _MAX_LINE_LENGTH - 1]}…"
    if style.show_addresses:
        text = f"{address_text(address)}  {text}"
    if style.sides is not None:
        mark = "  " if style.sides.is_paired[row] else ADDED
        change = as_number(style.sides.instruction_change[row])
        return BoxLine(address, mark + text, style.sides.changes.cell(change))
    cost_row = int(visible.blocks.cost_row[row])
    cost = as_number(style.instruction_cost[cost_row]) if cost_row != NO_ROW else 0
    return BoxLine(address, text, style.format.text(cost) if cost else "")


# -------------------------------------------------------------------- arrows


def flow_arrows(
    visible: VisibleBlocks, style: FlowStyle, boxes: Sequence[Box], small: TextMeasure
) -> list[Arrow]:
    """Return all arrows between these boxes; their labels have kinds and counts of edges."""
    counts = [
        max(count, _base_count(visible, style, arrow))
        for arrow, count in enumerate(visible.count.tolist())
    ]
    max_count = max([1, *counts])
    return [
        _arrow(visible, style, arrow, boxes, count / max_count, small)
        for arrow, count in enumerate(counts)
    ]


def _base_count(visible: VisibleBlocks, style: FlowStyle, arrow: int) -> int:
    """Return how often the base took the edges of an arrow, as far as that is known."""
    if style.sides is None:
        return 0
    counts = style.sides.edge_count.base[visible.edges[arrow]]
    return int(counts[counts != UNKNOWN].sum())


def _arrow(
    visible: VisibleBlocks,
    style: FlowStyle,
    arrow: int,
    boxes: Sequence[Box],
    share: float,
    small: TextMeasure,
) -> Arrow:
    edges, rows = visible.blocks.edges, visible.edges[arrow].tolist()
    texts = [
        edge_text(style, EdgeKind(edges.kind[row]), int(edges.count[row]), row) for row in rows
    ]
    labels = tuple(filter(None, texts or [_skipped_blocks_text(visible, style, arrow)]))
    source, target = int(visible.source[arrow]), int(visible.target[arrow])
    return Arrow(
        source=source,
        target=target,
        labels=labels,
        thickness=1 + (arrow_thickness(max(0.0, share)) - 1) * _THICKNESS_SCALE,
        width=round(max(map(small.width, labels)) + _COLUMN_GAP) if labels else 0.0,
        height=round(len(labels) * small.height),
        line=LINES[EdgeKind(int(edges.kind[rows[0]]))] if rows else Line.HIDDEN,
        tip=_arrow_tip(visible, style, arrow),
        detail=Detail(f"{boxes[source].name} → {boxes[target].name}", labels),
    )


def _skipped_blocks_text(visible: VisibleBlocks, style: FlowStyle, arrow: int) -> str:
    """Return "…" with the number of omitted blocks on the path; without it if only edges are."""
    skipped = int(visible.skipped_blocks[arrow])
    return f"… {style.format.count_text(skipped)}" if skipped else "…"


def edge_text(style: FlowStyle, kind: EdgeKind, count: int, row: int) -> str:
    """Return the kind and the count of the edge in a row, on both sides if compared."""
    number = "" if count == UNKNOWN else style.format.count_text(count)
    if style.sides is not None:
        number = style.sides.count_text(style.sides.edge_count, row)
    return " ".join(filter(None, (EDGE_TEXT[kind], number)))


# -------------------------------------------------------------------- tooltips


def _block_tip(visible: VisibleBlocks, style: FlowStyle, row: int, block: int) -> tuple[str, ...]:
    blocks = visible.blocks
    first, last = int(blocks.first[block]), int(blocks.last[block])
    count = last - first + 1
    lines = [
        f"{address_text(int(blocks.address[first]))} – {address_text(int(blocks.address[last]))}, "
        f"{style.format.count_text(count)} {plural(count, 'instruction')}",
        *_cost_lines(style, block),
    ]
    executed = _numbers(style, block, int(blocks.executed[block]))[1]
    lines.append(f"executed {executed}" if executed else "")
    lines += ["The function begins here."] if block == blocks.entry else []
    more = (
        (visible.has_hidden_incoming[row], "lead here"),
        (visible.has_hidden_outgoing[row], "lead on"),
    )
    lines += [f"Edges not drawn {what}." for is_there, what in more if is_there]
    return tuple(filter(None, lines))


def _cost_lines(style: FlowStyle, block: int) -> list[str]:
    """Return self and inclusive cost of a block; base, new and change if compared."""
    sides = style.sides
    if sides is None:
        return [
            f"{_cost_texts(style, style.self_cost, block)} self",
            f"{_cost_texts(style, style.inclusive, block)} with calls from here",
        ]
    base, new = sides.values(block)
    change, inclusive = (
        as_number(costs[block]) for costs in (sides.change, sides.inclusive_change)
    )
    lines = [
        f"Base {sides.blocks.base_format.full_text(base)}, "
        f"new {sides.blocks.cost_format.full_text(new)}, change {sides.changes.full_text(change)}",
        f"Change with calls from here {sides.changes.full_text(inclusive)}",
    ]
    return [*lines, *([_ONLY_NEW] if sides.is_added[block] else [])]


def _cost_texts(style: FlowStyle, costs: CostArray, block: int) -> str:
    """Return a cost in the unit of the picture, and its absolute value if it differs."""
    cost = as_number(costs[block])
    if style.format.exact_text(cost):
        return style.format.full_text(cost)
    shown, absolute = style.format.with_unit(cost), style.format.absolute_text(cost)
    return shown if shown == absolute else f"{shown} ({absolute})"


def _arrow_tip(visible: VisibleBlocks, style: FlowStyle, arrow: int) -> tuple[str, ...]:
    blocks, edges = visible.blocks, visible.blocks.edges
    source, target = (int(visible.row[int(end[arrow])]) for end in (visible.source, visible.target))
    last, first = (
        int(blocks.address[blocks.last[source]]),
        int(blocks.address[blocks.first[target]]),
    )
    lines = [f"{address_text(last)} → {address_text(first)}"]
    for row in visible.edges[arrow].tolist():
        kind, count = EdgeKind(edges.kind[row]), int(edges.count[row])
        number = "unknown count" if count == UNKNOWN else f"{style.format.count_text(count)}×"
        if style.sides is not None and count != UNKNOWN:
            number = f"{style.sides.count_text(style.sides.edge_count, row)}×"
        lines.append(f"{EDGE_TEXT[kind] or 'falls through'}: {number}")
    if not len(visible.edges[arrow]):
        skipped = style.format.count_text(int(visible.skipped_blocks[arrow]))
        lines.append(f"A path through {skipped} blocks that are not drawn.")
    return tuple(lines)
