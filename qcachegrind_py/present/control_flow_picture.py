"""The picture of a control flow: boxes with instructions, arrows, tips, and the note below.

The sizes of texts come from the window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, EdgeKind, VisibleBlocks
from qcachegrind_py.analysis.code.instructions import NO_ROW
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.control_flow import (
    ALL,
    COSTLY,
    EDGE_TEXT,
    NONE,
    UNABRIDGED,
    ControlFlow,
    LoadedFunction,
    address_text,
    control_flow,
    visible_blocks,
)
from qcachegrind_py.present.figures import WORD_NEW, Figures
from qcachegrind_py.present.picture import (
    BAR_HEIGHT,
    PADDING,
    Arrangement,
    Arrow,
    Box,
    BoxLine,
    Change,
    Detail,
    Diagram,
    Line,
    TextMeasure,
    arrow_thickness,
    lay_out,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import BASE
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import text_at
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout

_MAX_LINES = {ALL: 12, COSTLY: 12, UNABRIDGED: 400}
_COSTLY_SHARE = 0.01  # of the function's self cost
_MAX_LINE_LENGTH = 44  # characters
_MIN_WIDTH_DIGITS = 16
_ADDED = "+ "  # before instructions that the new side alone has
_COLUMN_GAP = 6.0  # pixels between columns, and around labels
_THICKNESS_SCALE = 0.55  # thinner than calls, because many edges share the highest frequency
_LINES = {
    EdgeKind.FALL_THROUGH: Line.EXACT,
    EdgeKind.JUMP: Line.JUMP,
    EdgeKind.TAKEN: Line.TAKEN,
    EdgeKind.NOT_TAKEN: Line.NOT_TAKEN,
}
_MIN_OPACITY = 0.25  # of the colour of a small block without cost
_ONLY_NEW = "The base has no instruction of this block."
_LEGEND = "solid: falls through · dash and dot: jump · dashed: branch taken · dotted: not taken"
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NO_SAMPLED_JUMPS = "recorded stacks have no jumps"
_NO_COUNTS = "the first event is not Ir: most counts are not known"

# -------------------------------------------------------------------- boxes and arrows


@frozen(eq=True)
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
        return self.block_overrides.get(block_address, self.instructions)


def instruction_text(flow: ControlFlow, row: int) -> str:
    """Return the instruction in a row; without code, the source line it belongs to."""
    code_row = int(flow.blocks.code_row[row])
    if code_row != NO_ROW:
        return _instruction(flow, code_row, flow.operands)
    cost_row = int(flow.blocks.cost_row[row])
    if cost_row == NO_ROW or flow.costs.line[cost_row] <= 0:
        return "?"
    location = flow.location_text(
        text_at(flow.costs.file, cost_row), int(flow.costs.line[cost_row])
    )
    return cell_text(location)


def _instruction(flow: ControlFlow, code_row: int, operands: Sequence[str]) -> str:
    return cell_text(f"{flow.code.mnemonic[code_row]} {operands[code_row]}".strip())


def flow_boxes(flow: ControlFlow, visible: VisibleBlocks, look: FlowLook) -> list[Box]:
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
        tip=partial(_block_tip, flow, visible, row),
        detail=partial(Detail, title, tuple(filter(None, (cost, executed))), look.color),
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
        text = ("  " if flow.is_paired[row] else _ADDED) + text
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
        line=_LINES[EdgeKind(int(edges.kind[rows[0]]))] if rows else Line.HIDDEN,
        tip=partial(_arrow_tip, flow, visible, arrow),
        detail=partial(Detail, f"{boxes[source].name} → {boxes[target].name}", labels),
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


# -------------------------------------------------------------------- the whole picture


@frozen
class FlowContent:
    """The visible blocks of a flow and their diagram, with a box for each."""

    flow: ControlFlow
    visible: VisibleBlocks
    diagram: Diagram
    search_texts: Sequence[str]  # all instructions of each block, in lower case


def build_flow(
    query: ViewQuery,
    event: EventType,
    loaded: LoadedFunction,
    least: float,
    arrangement: Arrangement,
    look: FlowLook,
    anchor_address: int,
    layout: GraphLayout,
    progress: Progress,
) -> FlowContent:
    """Select the blocks that cost at least this share of the function, and lay them out.

    Raises what `GraphLayout.layout` raises.
    """
    changes = None if loaded.base is None else loaded.base.changes
    flow = control_flow(
        query, event, loaded.function, loaded.blocks, loaded.code, loaded.costs, changes
    )
    visible = visible_blocks(flow, least)
    boxes = flow_boxes(flow, visible, look)
    arrows = flow_arrows(flow, visible, look, boxes)
    progress.check(0.0)
    hottest = _hottest(flow, visible)
    anchor = next((row for row, box in enumerate(boxes) if box.key == anchor_address), hottest)
    diagram = lay_out(
        boxes, arrows, (), arrangement, look.small, layout, progress, anchor=anchor, home=hottest
    )
    return FlowContent(flow, visible, diagram, _search_texts(flow, visible))


def _hottest(flow: ControlFlow, visible: VisibleBlocks) -> int:
    """Return the box of the block with the highest cost, in a comparison the largest change."""
    sizes = np.nan_to_num(flow.self_cost.order()[visible.row])
    return int(sizes.argmax()) if len(sizes) else 0


def _search_texts(flow: ControlFlow, visible: VisibleBlocks) -> list[str]:
    """Return address and instruction, with whole names, of all instructions of each block."""
    blocks = flow.blocks
    return [
        "\n".join(
            f"{int(blocks.address[row]):x} {_whole_text(flow, row)}"
            for row in range(int(blocks.start[block]), int(blocks.start[block + 1]))
        ).lower()
        for block in visible.row.tolist()
    ]


def _whole_text(flow: ControlFlow, row: int) -> str:
    code_row = int(flow.blocks.code_row[row])
    if code_row == NO_ROW:
        return instruction_text(flow, row)
    return _instruction(flow, code_row, flow.code.operands)


# -------------------------------------------------------------------- the note below


def omissions(visible: VisibleBlocks) -> list[str]:
    texts = (
        (visible.below_threshold, "block", "hidden (below minimum cost)"),
        (visible.never_executed, "block", "hidden (never executed)"),
        (visible.over_limit, "block", "hidden (limit reached)"),
        (visible.omitted_arrows, "edge", "hidden"),
    )
    return [f"{_counted(count, noun)} {why}" for count, noun, why in texts if count]


def summary_notes(content: FlowContent, loaded: LoadedFunction, profile: Profile) -> list[str]:
    """Return how much is shown, what is left out, and a legend of the arrows."""
    visible, flow = content.visible, content.flow
    notes = [f"{_counted(len(visible), 'block')}, {_counted(len(visible.source), 'edge')}"]
    notes += _base_notes(flow, loaded)
    notes += omissions(visible)
    notes.append(cell_text(loaded.problem if len(loaded.code) else f"no code: {loaded.problem}"))
    if not len(profile.jumps):
        notes.append(_NO_JUMPS if profile.contexts is None else _NO_SAMPLED_JUMPS)
    if profile.events.measured[0].name != "Ir":
        notes.append(_NO_COUNTS)
    notes.append(_LEGEND)
    if not all(map(len, visible.edges)):
        notes.append("“…”: a path through hidden blocks")
    if flow.unit.in_percent:
        where = " in the base" if flow.is_compared else ""
        notes.append(f"percentages are of the function's self cost{where}")
    return list(filter(None, notes))


def _base_notes(flow: ControlFlow, loaded: LoadedFunction) -> list[str]:
    """Return how instructions are paired, and what those cost that are gone."""
    if loaded.base is None:
        return []
    notes = [cell_text(loaded.base.code.note)]
    if flow.is_compared:
        notes.append(f"“{_ADDED.strip()}”: instructions that the base does not have")
        if flow.gone:
            gone = flow.unit.with_unit(flow.gone, BASE)
            notes.append(f"{gone} of the base in instructions that are gone")
    elif loaded.base.code.is_paired:
        notes.append("this event cannot be compared")
    return notes


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"
