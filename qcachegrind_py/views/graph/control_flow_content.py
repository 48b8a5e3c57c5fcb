"""What the control flow shows of a function: code, costs and basic blocks, loaded in a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
from qcachegrind_py.analysis.code.instructions import Code, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.control_flow import (
    ADDED,
    ControlFlow,
    FlowLook,
    control_flow,
    edge_text,
    flow_arrows,
    flow_boxes,
    instruction_text,
    omissions,
    visible_blocks,
)
from qcachegrind_py.present.diagram import Arrangement, lay_out
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import BASE
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.tools.annotation_inputs import CodeResult, find_function_code
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.graph.control_flow_options import FlowOptions
from qcachegrind_py.views.pictures.diagram_view import ShapedDiagram
from qcachegrind_py.write.dot import control_flow_dot

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
    """Find what the blocks cost in the base."""
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
    return LoadedBase(code, block_changes(base, costs, blocks, new_row))


# -------------------------------------------------------------------- picture


@dataclass(frozen=True, slots=True, eq=False)
class FlowContent:
    """The visible blocks of a flow and their diagram, with a box for each."""

    flow: ControlFlow
    visible: VisibleBlocks
    drawn: ShapedDiagram
    search_texts: Sequence[str]  # all instructions of each block, in lower case


def build_flow(
    query: ViewQuery,
    event: EventType,
    loaded: LoadedFunction,
    options: FlowOptions,
    look: FlowLook,
    anchor_address: int,
    layout: GraphLayout,
    progress: Progress,
) -> FlowContent:
    """Select the blocks, and create texts and layout. Raises what `GraphLayout.layout` raises."""
    changes = None if loaded.base is None else loaded.base.changes
    flow = control_flow(
        query, event, loaded.function, loaded.blocks, loaded.code, loaded.costs, changes
    )
    visible = visible_blocks(flow, options.least_block)
    boxes = flow_boxes(flow, visible, look)
    arrows = flow_arrows(flow, visible, look, boxes)
    progress.check(0.0)
    anchor = next((row for row, box in enumerate(boxes) if box.key == anchor_address), 0)
    arrangement = Arrangement(options.horizontal, _NODE_GAP, _RANK_GAP)
    diagram = lay_out(boxes, arrows, (), arrangement, look.small, layout, progress, anchor=anchor)
    return FlowContent(flow, visible, ShapedDiagram.of(diagram), _search_texts(flow, visible))


def _search_texts(flow: ControlFlow, visible: VisibleBlocks) -> list[str]:
    blocks = flow.blocks
    return [
        "\n".join(
            f"{int(blocks.address[row]):x} {instruction_text(flow, row)}"
            for row in range(int(blocks.start[block]), int(blocks.start[block + 1]))
        ).lower()
        for block in visible.row.tolist()
    ]


def flow_as_dot(content: FlowContent) -> str:
    """Return the control flow with the texts of the picture."""
    flow, diagram = content.flow, content.drawn.diagram
    return control_flow_dot(
        content.visible,
        [
            [box.name, f"{box.cost} {box.count}".strip()]
            + [f"{line.text}  {line.cost}".strip() for line in box.lines]
            for box in diagram.boxes
        ],
        [edge_text(flow, row) for row in range(len(flow.blocks.edges))],
        horizontal=diagram.is_horizontal,
    )


# -------------------------------------------------------------------- the note below


def summary_notes(content: FlowContent, loaded: LoadedFunction, profile: Profile) -> list[str]:
    """Return how much is shown, what is left out, and a legend of the arrows."""
    visible, flow = content.visible, content.flow
    notes = [f"{_counted(len(visible), 'block')}, {_counted(len(visible.source), 'arrow')}"]
    notes += _base_notes(flow, loaded)
    notes += omissions(visible)
    notes.append(cell_text(loaded.problem if len(loaded.code) else f"no code: {loaded.problem}"))
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
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
        notes.append(f"“{ADDED.strip()}”: instructions that the base does not have")
        if flow.gone:
            gone = flow.unit.with_unit(flow.gone, BASE)
            notes.append(f"{gone} of the base in instructions that are gone")
    elif loaded.base.code.is_paired:
        notes.append("this event cannot be compared")
    return notes


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"
