"""Texts of the control flow's blocks and arrows, and their sizes.

The job creates the texts once for each picture, and the items paint them; no widget is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, EdgeKind
from qcachegrind_py.analysis.code.instructions import NO_ROW, Code
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.models.code.flow_sides import FlowSides
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.views.graph.call_graph_style import (
    BAR_HEIGHT,
    PADDING,
    arrow_thickness,
    small_font,
)

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


@dataclass(frozen=True, slots=True, eq=False)
class FlowStyle:
    """Costs, formats, colours and fonts of a picture.

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
    color: QColor
    font: QFont
    code_font: QFont
    instructions: str  # NONE, COSTLY or ALL
    block_overrides: Mapping[int, str]  # shown instructions of single blocks, by address
    show_addresses: bool  # before each instruction
    sides: FlowSides | None = None  # base and new, while profiles are compared

    def instructions_of(self, block_address: int) -> str:
        """Return which instructions of a block are shown."""
        return self.block_overrides.get(block_address, self.instructions)


@dataclass(frozen=True, slots=True)
class LineText:
    """One line in a block; `address` is -1 for a placeholder of omitted instructions."""

    address: int
    text: str
    cost: str


@dataclass(frozen=True, slots=True)
class BlockChange:
    """How a block changed, for its colours."""

    strength: float  # part of the largest change, from -1 to 1
    smaller_part: float  # of the smaller cost in the larger one
    is_added: bool  # the new side alone has it


@dataclass(frozen=True, slots=True)
class BlockText:
    """The texts and the size in pixels of a block."""

    address: int
    title: str
    cost: str
    executed: str
    lines: tuple[LineText, ...]
    share: float
    width: float
    height: float
    header_height: float  # part of the height above the lines
    change: BlockChange | None = None  # while profiles are compared


@dataclass(frozen=True, slots=True)
class FlowArrowText:
    """The label of an arrow, its edge kind, its thickness and the label's size in pixels."""

    label_text: str
    kind: EdgeKind | None  # kind of its most frequent edge; None for a path through omitted blocks
    thickness: float
    width: float
    height: float


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


def block_texts(visible: VisibleBlocks, style: FlowStyle) -> list[BlockText]:
    """Return the texts of all visible blocks."""
    metrics, code = QFontMetricsF(style.font), QFontMetricsF(style.code_font)
    return [_block_text(visible, style, block, metrics, code) for block in visible.row.tolist()]


def _block_text(
    visible: VisibleBlocks,
    style: FlowStyle,
    block: int,
    metrics: QFontMetricsF,
    code: QFontMetricsF,
) -> BlockText:
    blocks = visible.blocks
    first, last = (int(blocks.address[end[block]]) for end in (blocks.first, blocks.last))
    title = address_text(first) + (f" – {address_text(last)}" if last > first else "")
    cost, executed, share = block_numbers(style, block, int(blocks.executed[block]))
    lines = tuple(_block_lines(visible, style, block))
    digit = code.horizontalAdvance("0")
    header = metrics.horizontalAdvance(cost) + 2 * _COLUMN_GAP + metrics.horizontalAdvance(executed)
    widths = [metrics.horizontalAdvance(title) * 1.1, header, digit * _MIN_WIDTH_DIGITS]
    widths += [
        code.horizontalAdvance(line.text) + 2 * _COLUMN_GAP + code.horizontalAdvance(line.cost)
        for line in lines
    ]
    header_height = round(2 * metrics.height() + BAR_HEIGHT + 2 * PADDING)
    height = round(header_height + len(lines) * code.height() + (PADDING if lines else 0))
    return BlockText(
        first, title, cost, executed, lines, share,
        round(max(widths) + 2 * PADDING), height, header_height, _block_change(style, block),
    )  # fmt: skip


def block_numbers(style: FlowStyle, block: int, executed: int) -> tuple[str, str, float]:
    """Return cost and executions of a block, on both sides if compared, and its part of all."""
    cost = as_number(style.self_cost[block])
    if style.sides is None:
        share = style.format.share(cost)
        return style.format.with_unit(cost), execution_text(style, executed), share
    counts = style.sides.executed_text(block)
    share = style.format.share(max(style.sides.values(block)))
    return style.sides.cost_text(block), f"{counts}×" if counts else "", share


def _block_change(style: FlowStyle, block: int) -> BlockChange | None:
    sides = style.sides
    if sides is None:
        return None
    smaller, larger = sorted(sides.values(block))
    part = smaller / larger if larger > 0 else 1.0
    return BlockChange(sides.strength(block), part, bool(sides.is_added[block]))


def execution_text(style: FlowStyle, count: int) -> str:
    """Return the execution count; empty if it is unknown."""
    return "" if count == UNKNOWN else f"{style.format.count_text(count)}×"


def _block_lines(visible: VisibleBlocks, style: FlowStyle, block: int) -> list[LineText]:
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
) -> list[LineText]:
    """Return lines for the shown rows, with a count in place of the rows left out between them."""
    lines, before = [], int(rows[0]) - 1
    for row in [*shown_rows, int(rows[-1]) + 1]:
        if row - before > 1 and shown_rows:
            lines.append(LineText(-1, f"… {style.format.count_text(row - before - 1)} more", ""))
        if row <= rows[-1]:
            lines.append(_line(visible, style, row))
        before = row
    return lines


def _line(visible: VisibleBlocks, style: FlowStyle, row: int) -> LineText:
    address, text = int(visible.blocks.address[row]), instruction_text(style, visible, row)
    if len(text) > _MAX_LINE_LENGTH:
        text = f"{text[: _MAX_LINE_LENGTH - 1]}…"
    if style.show_addresses:
        text = f"{address_text(address)}  {text}"
    if style.sides is not None:
        mark = "  " if style.sides.is_paired[row] else ADDED
        change = as_number(style.sides.instruction_change[row])
        return LineText(address, mark + text, style.sides.changes.cell(change))
    cost_row = int(visible.blocks.cost_row[row])
    cost = as_number(style.instruction_cost[cost_row]) if cost_row != NO_ROW else 0
    return LineText(address, text, style.format.text(cost) if cost else "")


# ---------------------------------------------------------------- arrows


def arrow_texts(visible: VisibleBlocks, style: FlowStyle) -> list[FlowArrowText]:
    """Return the labels of all arrows: the kinds and counts of their edges."""
    metrics = QFontMetricsF(small_font(style.font))
    counts = [
        max(count, _base_count(visible, style, arrow))
        for arrow, count in enumerate(visible.count.tolist())
    ]
    max_count = max([1, *counts])
    return [
        _arrow_text(visible, style, arrow, count / max_count, metrics)
        for arrow, count in enumerate(counts)
    ]


def _base_count(visible: VisibleBlocks, style: FlowStyle, arrow: int) -> int:
    """Return how often the base took the edges of an arrow, as far as that is known."""
    if style.sides is None:
        return 0
    counts = style.sides.edge_count.base[visible.edges[arrow]]
    return int(counts[counts != UNKNOWN].sum())


def _arrow_text(
    visible: VisibleBlocks, style: FlowStyle, arrow: int, share: float, metrics: QFontMetricsF
) -> FlowArrowText:
    edges, rows = visible.blocks.edges, visible.edges[arrow].tolist()
    lines = [
        edge_text(style, EdgeKind(edges.kind[row]), int(edges.count[row]), row) for row in rows
    ]
    lines = list(filter(None, lines or [_skipped_blocks_text(visible, style, arrow)]))
    width = max((metrics.horizontalAdvance(line) for line in lines), default=0.0)
    thick = 1 + (arrow_thickness(max(0.0, share)) - 1) * _THICKNESS_SCALE
    size = (width + _COLUMN_GAP, len(lines) * metrics.height()) if lines else (0.0, 0.0)
    kind = EdgeKind(int(edges.kind[rows[0]])) if rows else None
    return FlowArrowText("\n".join(lines), kind, thick, round(size[0]), round(size[1]))


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
