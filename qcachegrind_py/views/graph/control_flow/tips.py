"""Tooltips of the control flow's blocks and arrows."""

from __future__ import annotations

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, EdgeKind
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.views.graph.control_flow.style import (
    EDGE_TEXT,
    FlowStyle,
    address_text,
    block_numbers,
)

_ONLY_NEW = "The base has no instruction of this block."


def block_tooltip(visible: VisibleBlocks, style: FlowStyle, row: int) -> str:
    """Return the tooltip of a block."""
    blocks, block = visible.blocks, int(visible.row[row])
    first, last = int(blocks.first[block]), int(blocks.last[block])
    count = last - first + 1
    lines = [
        f"{address_text(int(blocks.address[first]))} – {address_text(int(blocks.address[last]))}, "
        f"{style.format.count_text(count)} {plural(count, 'instruction')}",
        *_cost_lines(style, block),
    ]
    executed = block_numbers(style, block, int(blocks.executed[block]))[1]
    lines.append(f"executed {executed}" if executed else "")
    lines += ["The function begins here."] if block == blocks.entry else []
    more = (
        (visible.has_hidden_incoming[row], "lead here"),
        (visible.has_hidden_outgoing[row], "lead on"),
    )
    lines += [f"Edges not drawn {what}." for is_there, what in more if is_there]
    return tip_text(*filter(None, lines))


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


def arrow_tooltip(visible: VisibleBlocks, style: FlowStyle, arrow: int) -> str:
    """Return the tooltip of an arrow."""
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
    return tip_text(*lines)
