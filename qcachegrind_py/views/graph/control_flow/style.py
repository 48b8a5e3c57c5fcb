"""What the blocks and arrows of the control flow say, and how large that is.

Texts are made once for a picture, in its job; items only draw them. Nothing here is a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Code
from qcachegrind_py.analysis.code.recorded_flow import NO_ROW, UNKNOWN
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.views.graph.call_graph_style import (
    BAR_HEIGHT,
    PADDING,
    arrow_thickness,
    small_font,
)

NONE, COSTLY, ALL, UNABRIDGED = "none", "costly", "all", "every"  # instructions of a block
_MAX_LINES = {ALL: 12, COSTLY: 12, UNABRIDGED: 400}
_COSTLY_SHARE = 0.01  # of the function's self cost
_MAX_LINE_LENGTH = 44  # digits
_MIN_WIDTH_DIGITS = 16
_COLUMN_GAP = 6.0  # pixels between columns, and around labels
_THICKNESS_SCALE = 0.55  # than calls: most functions have arrows of which many are as frequent
EDGE_TEXT = {
    EdgeKind.FALL_THROUGH: "",
    EdgeKind.JUMP: "jump",
    EdgeKind.TAKEN: "taken",
    EdgeKind.NOT_TAKEN: "not taken",
}


@dataclass(frozen=True, slots=True, eq=False)
class FlowStyle:
    """How a picture is written; costs of instructions are by row of `costs`, others by block."""

    costs: InstructionCosts
    code: Code
    instruction_cost: CostArray
    self_cost: CostArray
    inclusive: CostArray
    weight: CostArray  # of instructions, to be compared: costs, but for a ratio
    format: CostFormat  # percentages are of the function's self cost
    location_text: Callable[[TextId, int], str]  # of a source line
    color: QColor
    font: QFont
    code_font: QFont
    instructions: str  # NONE, COSTLY or ALL
    block_overrides: Mapping[int, str]  # the same for single blocks, by their address; EVERY, too
    show_addresses: bool  # they are written before instructions

    def instructions_of(self, block_address: int) -> str:
        """Which instructions of a block are written."""
        return self.block_overrides.get(block_address, self.instructions)


@dataclass(frozen=True, slots=True)
class LineText:
    """An instruction in a block; `address` is -1 for a line that stands for some left out."""

    address: int
    text: str
    cost: str


@dataclass(frozen=True, slots=True)
class BlockText:
    """What a block says, and how large it is in pixels."""

    address: int
    title: str
    cost: str
    executed: str
    lines: tuple[LineText, ...]
    share: float
    width: float
    height: float
    header_height: float  # of the height: above the lines


@dataclass(frozen=True, slots=True)
class FlowArrowText:
    """What stands at an arrow, how it is drawn, and how large the text is."""

    label_text: str
    kind: EdgeKind | None  # of the most frequent of its edges; None: a way through others
    thickness: float
    width: float
    height: float


def address_text(address: int) -> str:
    """An address as disassemblers write it."""
    return f"{address:x}"


def instruction_text(style: FlowStyle, drawn: VisibleBlocks, row: int) -> str:
    """The instruction in a row; where there is no code, the source line that it was made from."""
    code_row = int(drawn.blocks.code_row[row])
    if code_row != NO_ROW:
        text = f"{style.code.mnemonic[code_row]} {style.code.operands[code_row]}"
        return cell_text(text.strip())
    cost_row = int(drawn.blocks.cost_row[row])
    if cost_row == NO_ROW or style.costs.line[cost_row] <= 0:
        return "?"
    place = style.location_text(
        text_at(style.costs.file, cost_row), int(style.costs.line[cost_row])
    )
    return cell_text(place)


def block_texts(drawn: VisibleBlocks, style: FlowStyle) -> list[BlockText]:
    """The texts of all drawn blocks."""
    metrics, code = QFontMetricsF(style.font), QFontMetricsF(style.code_font)
    return [_block_text(drawn, style, block, metrics, code) for block in drawn.row.tolist()]


def _block_text(
    drawn: VisibleBlocks, look: FlowStyle, block: int, metrics: QFontMetricsF, code: QFontMetricsF
) -> BlockText:
    blocks = drawn.blocks
    first, last = (int(blocks.address[end[block]]) for end in (blocks.first, blocks.last))
    title = address_text(first) + (f" – {address_text(last)}" if last > first else "")
    number = as_number(look.self_cost[block])
    cost, executed = (
        look.format.with_unit(number),
        execution_text(look, int(blocks.executed[block])),
    )
    lines = tuple(_block_lines(drawn, look, block))
    digit = code.horizontalAdvance("0")
    head = metrics.horizontalAdvance(cost) + 2 * _COLUMN_GAP + metrics.horizontalAdvance(executed)
    widths = [metrics.horizontalAdvance(title) * 1.1, head, digit * _MIN_WIDTH_DIGITS]
    widths += [
        code.horizontalAdvance(line.text) + 2 * _COLUMN_GAP + code.horizontalAdvance(line.cost)
        for line in lines
    ]
    top = round(2 * metrics.height() + BAR_HEIGHT + 2 * PADDING)
    height = round(top + len(lines) * code.height() + (PADDING if lines else 0))
    return BlockText(
        first, title, cost, executed, lines, look.format.share(number),
        round(max(widths) + 2 * PADDING), height, top,
    )  # fmt: skip


def execution_text(style: FlowStyle, count: int) -> str:
    """How often; nothing where nobody knows."""
    return "" if count == UNKNOWN else f"{style.format.count_text(count)}×"


def _block_lines(drawn: VisibleBlocks, look: FlowStyle, block: int) -> list[LineText]:
    blocks = drawn.blocks
    rows = np.arange(blocks.start[block], blocks.start[block + 1])
    shows = look.instructions_of(int(blocks.address[rows[0]]))
    if shows == NONE:
        return []
    kept = rows[_is_costly(drawn, look, rows)] if shows == COSTLY else rows
    most = _MAX_LINES[shows]
    if len(kept) > most:
        kept = np.concatenate((kept[: most // 2], kept[len(kept) - most // 2 :]))
    return _with_gaps(drawn, look, rows, kept.tolist())


def _is_costly(drawn: VisibleBlocks, look: FlowStyle, rows: CostArray) -> CostArray:
    costs = drawn.blocks.cost_row[rows]
    weight = np.where(costs == NO_ROW, 0, look.weight[costs] if len(look.weight) else 0)
    least = max(1, float(look.weight.sum()) * _COSTLY_SHARE)
    costly: CostArray = (weight >= least).astype(bool)
    return costly


def _with_gaps(
    drawn: VisibleBlocks, look: FlowStyle, rows: CostArray, shown_rows: list[int]
) -> list[LineText]:
    """The kept rows, and for those between them a line that says how many there are."""
    lines, before = [], int(rows[0]) - 1
    for row in [*shown_rows, int(rows[-1]) + 1]:
        if row - before > 1 and shown_rows:
            lines.append(LineText(-1, f"… {look.format.count_text(row - before - 1)} more", ""))
        if row <= rows[-1]:
            lines.append(_line(drawn, look, row))
        before = row
    return lines


def _line(drawn: VisibleBlocks, look: FlowStyle, row: int) -> LineText:
    address, text = int(drawn.blocks.address[row]), instruction_text(look, drawn, row)
    if len(text) > _MAX_LINE_LENGTH:
        text = f"{text[: _MAX_LINE_LENGTH - 1]}…"
    if look.show_addresses:
        text = f"{address_text(address)}  {text}"
    cost_row = int(drawn.blocks.cost_row[row])
    cost = as_number(look.instruction_cost[cost_row]) if cost_row != NO_ROW else 0
    return LineText(address, text, look.format.text(cost) if cost else "")


# ---------------------------------------------------------------- arrows


def arrow_texts(drawn: VisibleBlocks, style: FlowStyle) -> list[FlowArrowText]:
    """The texts of all arrows: how often each kind of edge was gone."""
    metrics = QFontMetricsF(small_font(style.font))
    most = max(1, int(drawn.count.max(initial=0)))
    return [
        _arrow_text(drawn, style, arrow, int(count) / most, metrics)
        for arrow, count in enumerate(drawn.count.tolist())
    ]


def _arrow_text(
    drawn: VisibleBlocks, look: FlowStyle, arrow: int, share: float, metrics: QFontMetricsF
) -> FlowArrowText:
    edges, rows = drawn.blocks.edges, drawn.edges[arrow].tolist()
    lines = [edge_text(look, EdgeKind(edges.kind[row]), int(edges.count[row])) for row in rows]
    lines = list(filter(None, lines or [_skipped_blocks_text(drawn, look, arrow)]))
    width = max((metrics.horizontalAdvance(line) for line in lines), default=0.0)
    thick = 1 + (arrow_thickness(max(0.0, share)) - 1) * _THICKNESS_SCALE
    room = (width + _COLUMN_GAP, len(lines) * metrics.height()) if lines else (0.0, 0.0)
    kind = EdgeKind(int(edges.kind[rows[0]])) if rows else None
    return FlowArrowText("\n".join(lines), kind, thick, round(room[0]), round(room[1]))


def _skipped_blocks_text(drawn: VisibleBlocks, look: FlowStyle, arrow: int) -> str:
    """How many blocks a way leads through that are not drawn; none for a mere arrow left out."""
    passed = int(drawn.skipped_blocks[arrow])
    return f"… {look.format.count_text(passed)}" if passed else "…"


def edge_text(style: FlowStyle, kind: EdgeKind, count: int) -> str:
    """What is said of one edge."""
    number = "" if count == UNKNOWN else style.format.count_text(count)
    return " ".join(filter(None, (EDGE_TEXT[kind], number)))


# ---------------------------------------------------------------- tips


def block_tooltip(drawn: VisibleBlocks, style: FlowStyle, row: int) -> str:
    """Everything about a block, line by line."""
    blocks, block = drawn.blocks, int(drawn.row[row])
    first, last = int(blocks.first[block]), int(blocks.last[block])
    count = last - first + 1
    lines = [
        f"{address_text(int(blocks.address[first]))} – {address_text(int(blocks.address[last]))}, "
        f"{style.format.count_text(count)} instruction{'' if count == 1 else 's'}",
        f"{_cost_texts(style, style.self_cost, block)} self",
        f"{_cost_texts(style, style.inclusive, block)} with calls from here",
    ]
    executed = int(blocks.executed[block])
    lines.append(f"executed {execution_text(style, executed)}" if executed != UNKNOWN else "")
    lines += ["The function begins here."] if block == blocks.entry else []
    more = (
        (drawn.has_hidden_incoming[row], "lead here"),
        (drawn.has_hidden_outgoing[row], "lead on"),
    )
    lines += [f"Edges that are not drawn {what}." for is_there, what in more if is_there]
    return tip_text(*filter(None, lines))


def _cost_texts(look: FlowStyle, costs: CostArray, block: int) -> str:
    """A cost in the unit of the picture, and as it is."""
    cost = as_number(costs[block])
    if look.format.exact_text(cost):
        return look.format.full_text(cost)
    shown, absolute = look.format.with_unit(cost), look.format.absolute_text(cost)
    return shown if shown == absolute else f"{shown} ({absolute})"


def arrow_tooltip(drawn: VisibleBlocks, style: FlowStyle, arrow: int) -> str:
    """Everything about an arrow."""
    blocks, edges = drawn.blocks, drawn.blocks.edges
    source, target = (int(drawn.row[int(end[arrow])]) for end in (drawn.source, drawn.target))
    last, first = (
        int(blocks.address[blocks.last[source]]),
        int(blocks.address[blocks.first[target]]),
    )
    lines = [f"{address_text(last)} → {address_text(first)}"]
    for row in drawn.edges[arrow].tolist():
        kind, count = EdgeKind(edges.kind[row]), int(edges.count[row])
        number = "count not known" if count == UNKNOWN else f"{style.format.count_text(count)}×"
        lines.append(f"{EDGE_TEXT[kind] or 'goes on'}: {number}")
    if not len(drawn.edges[arrow]):
        passed = style.format.count_text(int(drawn.skipped_blocks[arrow]))
        lines.append(f"A way through {passed} blocks that are not drawn.")
    return tip_text(*lines)
