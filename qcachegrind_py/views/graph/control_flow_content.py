"""What the control flow shows of a function: code, costs and basic blocks, loaded in a job.

The style of the picture follows from the context and the options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, EdgeKind
from qcachegrind_py.analysis.code.instructions import NO_ROW, Code, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks, select_visible_blocks
from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.code.flow_sides import FlowSides
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.diagram import Arrangement, lay_out
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.formats import largest
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, text_ids
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.dot import control_flow_dot
from qcachegrind_py.tools.annotation_inputs import CodeResult, find_function_code
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.graph.control_flow_options import FlowOptions
from qcachegrind_py.views.graph.control_flow_texts import (
    ADDED,
    FlowMeasures,
    FlowStyle,
    edge_text,
    flow_arrows,
    flow_boxes,
    instruction_text,
)
from qcachegrind_py.views.pictures.diagram_view import ShapedDiagram

if TYPE_CHECKING:  # imported where they are used: without a base, nothing of it is needed
    from qcachegrind_py.analysis.code.basic_blocks import BlockChanges
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.tools.compared_inputs import ComparedCode

_RANK_GAP, _NODE_GAP = 34.0, 26.0
_LEGEND = "solid: falls through · dash and dot: jump · dashed: branch taken · dotted: not taken"
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NO_COUNTS = "the first event is not Ir: most counts are not known"


# -------------------------------------------------------------------- loading


@dataclass(frozen=True, slots=True, eq=False)
class LoadedBase:
    """The code of both sides; there are no changes if the instructions cannot be paired."""

    code: ComparedCode
    changes: BlockChanges | None


@dataclass(frozen=True, slots=True, eq=False)
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
    costs = queries.instructions(function, context.scope.parts)
    blocks = queries.basic_blocks(function, context.scope, found.code)
    problem = str(found.problem or "")
    return LoadedFunction(function, code_inputs(context), costs, whole, found.code, blocks, problem)


def _load_both_sides(
    query: ViewQuery, compared: Comparison, syntax: Syntax, progress: Progress
) -> LoadedFunction:
    from qcachegrind_py.tools.compared_inputs import side_costs
    from qcachegrind_py.views.common.compared.code_pairs import load_compared_code

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
    """Find what the blocks cost in the base."""
    from qcachegrind_py.analysis.code.basic_blocks import block_changes
    from qcachegrind_py.views.common.compared.code_pairs import paired_rows

    function = query.active_function()
    if not code.is_paired:
        return LoadedBase(code, None)
    base = query.queries.basic_blocks(function, compared.base, code.base.code)
    new_row = paired_rows(
        code, (base.address, base.code_row), (blocks.address, blocks.code_row), progress
    )
    costs = query.queries.instructions(function, compared.base.parts)
    return LoadedBase(code, block_changes(base, costs, blocks, new_row))


# -------------------------------------------------------------------- style


@dataclass(frozen=True, slots=True)
class FlowAppearance:
    """What comes from the window, not from the profile."""

    color: str
    measures: FlowMeasures
    options: FlowOptions
    block_overrides: Mapping[int, str]  # shown instructions of single blocks, by address


def flow_style(
    query: ViewQuery, event: EventType, loaded: LoadedFunction, appearance: FlowAppearance
) -> FlowStyle:
    """Return the style for an event; percentages refer to the function's self cost."""
    evaluate, costs, blocks = query.events.evaluate, loaded.costs, loaded.blocks
    self_cost = evaluate(event, blocks.self_cost)
    format_, whole = query.cost_format(event), None
    if not event.is_ratio:
        whole = _whole(query, event, loaded, as_number(self_cost.sum()))
        format_ = replace(format_, base=whole)
    files = text_ids(np.unique(costs.file))
    paths = dict(zip(files, short_paths(query.profile.texts.lookup(files)), strict=True))
    instruction_cost = evaluate(event, costs.self_cost)
    return FlowStyle(
        costs=costs,
        code=loaded.code,
        instruction_cost=instruction_cost,
        self_cost=self_cost,
        inclusive=evaluate(event, blocks.inclusive),
        weight=costs.self_cost[0] if event.is_ratio else instruction_cost,
        format=format_,
        location_text=lambda file, line: f"{paths[file]}:{line}",
        color=appearance.color,
        instructions=appearance.options.instructions,
        block_overrides=appearance.block_overrides,
        show_addresses=appearance.options.addresses,
        sides=_sides(query, event, loaded, whole),
    )


def _whole(
    query: ViewQuery, event: EventType, loaded: LoadedFunction, self_cost: int | float
) -> int | float:
    """Return the cost that is 100 %: the self cost of the function, in a comparison of the base."""
    if loaded.base is None or query.context.base is None:
        return self_cost
    base = query.queries.node_costs(loaded.function, event, query.context.base)[1]
    return base or self_cost


def _sides(
    query: ViewQuery, event: EventType, loaded: LoadedFunction, whole: int | float | None
) -> FlowSides | None:
    """Return the numbers of both sides; None if they are not compared in this event.

    `whole` is 100 %, None for ratios.
    """
    changes, blocks = None if loaded.base is None else loaded.base.changes, loaded.blocks
    if changes is None or query.context.base is None or not query.is_comparable(event):
        return None
    series = Series(event, query.context.scope, query.context.base)

    def both(before: Int64Array, after: Int64Array) -> BothSides:
        return BothSides(query.events.evaluate(event, before), query.events.evaluate(event, after))

    self_cost = both(changes.base_cost, blocks.self_cost)
    inclusive = both(changes.base_inclusive, blocks.inclusive)
    instructions = both(changes.instruction_cost, _by_instruction(blocks, loaded.costs))
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


# -------------------------------------------------------------------- picture


@dataclass(frozen=True, slots=True, eq=False)
class FlowContent:
    """The visible blocks and their diagram, with a box for each."""

    visible: VisibleBlocks
    style: FlowStyle
    drawn: ShapedDiagram
    search_texts: Sequence[str]  # all instructions of each block, in lower case


def build_flow(
    loaded: LoadedFunction,
    style: FlowStyle,
    appearance: FlowAppearance,
    anchor_address: int,
    layout: GraphLayout,
    progress: Progress,
) -> FlowContent:
    """Select the blocks, and create texts and layout. Raises what `GraphLayout.layout` raises."""
    options, measures = appearance.options, appearance.measures
    visible = _visible_blocks(loaded, style, options.least_block)
    boxes = flow_boxes(visible, style, measures)
    arrows = flow_arrows(visible, style, boxes, measures.small)
    progress.check(0.0)
    anchor = next((row for row, box in enumerate(boxes) if box.key == anchor_address), 0)
    arrangement = Arrangement(options.horizontal, _NODE_GAP, _RANK_GAP)
    diagram = lay_out(
        boxes, arrows, (), arrangement, measures.small, layout, progress, anchor=anchor
    )
    return FlowContent(visible, style, ShapedDiagram.of(diagram), _search_texts(visible, style))


def _visible_blocks(loaded: LoadedFunction, style: FlowStyle, least: float) -> VisibleBlocks:
    """Select the blocks to draw; in a comparison those that cost enough on either side."""
    blocks, sides = loaded.blocks, style.sides
    cost = blocks.self_cost[0] if style.format.is_ratio else style.self_cost
    if sides is None:
        return select_visible_blocks(blocks, cost, least)
    if not style.format.is_ratio:
        cost = np.maximum(cost, sides.blocks.cost.base)
    return select_visible_blocks(blocks, cost, least, base_count=sides.edge_count.base)


def _search_texts(visible: VisibleBlocks, style: FlowStyle) -> list[str]:
    start = visible.blocks.start
    return [
        "\n".join(
            f"{int(visible.blocks.address[row]):x} {instruction_text(style, visible, row)}"
            for row in range(int(start[block]), int(start[block + 1]))
        ).lower()
        for block in visible.row.tolist()
    ]


def flow_as_dot(content: FlowContent) -> str:
    """Return the control flow with the texts of the picture."""
    edges, diagram = content.visible.blocks.edges, content.drawn.diagram
    counts = zip(edges.kind.tolist(), edges.count.tolist(), strict=True)
    return control_flow_dot(
        content.visible,
        [
            [box.name, f"{box.cost} {box.count}".strip()]
            + [f"{line.text}  {line.cost}".strip() for line in box.lines]
            for box in diagram.boxes
        ],
        [
            edge_text(content.style, EdgeKind(kind), count, row)
            for row, (kind, count) in enumerate(counts)
        ],
        horizontal=diagram.is_horizontal,
    )


# -------------------------------------------------------------------- the note below


def summary_notes(content: FlowContent, loaded: LoadedFunction, profile: Profile) -> list[str]:
    """Return how much is shown, what is left out, and a legend of the arrows."""
    visible, format_ = content.visible, content.style.format
    notes = [f"{_counted(len(visible), 'block')}, {_counted(len(visible.source), 'arrow')}"]
    notes += _base_notes(content.style.sides, loaded)
    notes += _omissions(visible)
    notes.append(cell_text(loaded.problem if len(loaded.code) else f"no code: {loaded.problem}"))
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    if profile.events.measured[0].name != "Ir":
        notes.append(_NO_COUNTS)
    notes.append(_LEGEND)
    if not all(map(len, visible.edges)):
        notes.append("“…”: a path through hidden blocks")
    if format_.in_percent:
        where = "" if content.style.sides is None else " in the base"
        notes.append(f"percentages are of the function's self cost{where}")
    return list(filter(None, notes))


def _base_notes(sides: FlowSides | None, loaded: LoadedFunction) -> list[str]:
    """Return how instructions are paired, and what those cost that are gone."""
    if loaded.base is None:
        return []
    notes = [cell_text(loaded.base.code.note)]
    if sides is not None:
        notes.append(f"“{ADDED.strip()}”: instructions that the base does not have")
        if sides.gone:
            gone = sides.blocks.base_format.with_unit(sides.gone)
            notes.append(f"{gone} of the base in instructions that are gone")
    elif loaded.base.code.is_paired:
        notes.append("this event cannot be compared")
    return notes


def _omissions(visible: VisibleBlocks) -> list[str]:
    texts = (
        (visible.below_threshold, "cheaper blocks hidden"),
        (visible.never_executed, "blocks never executed hidden"),
        (visible.over_limit, "more blocks hidden (limit reached)"),
        (visible.omitted_arrows, "edges hidden"),
    )
    return [f"{count} {text}" for count, text in texts if count]


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"
