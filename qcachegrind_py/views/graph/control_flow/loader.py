"""The job that loads a function's code, costs and basic blocks for the Control Flow dock.

The style of the picture follows from the context and the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QColor, QFont

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Code, Syntax
from qcachegrind_py.analysis.names.short_names import short_paths
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import find_function_code
from qcachegrind_py.views.common.view_query import ViewQuery
from qcachegrind_py.views.graph.control_flow.display_options import FlowOptions
from qcachegrind_py.views.graph.control_flow.style import FlowStyle


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


def code_inputs(context: Context) -> object:
    """Return the inputs of code and blocks, to compare with those of a loaded function."""
    syntax = context.annotation.intel_syntax
    return context.profile, context.function, context.scope.parts, context.files, syntax


def load_function(query: ViewQuery, progress: Progress) -> LoadedFunction:
    """Load the active function in a job; without code, blocks consist of recorded addresses.

    Raises only `Cancelled`.
    """
    queries, context = query.queries, query.context
    profile, function = query.profile, query.active_function()
    costs = queries.instructions(function, context.scope.parts)
    syntax = Syntax.INTEL if context.annotation.intel_syntax else Syntax.ATT
    whole = queries.instructions(function, None)  # finds the code if active parts have no costs
    result = find_function_code(profile, function, whole, context.files, syntax, progress)
    progress.check(0.5)
    blocks = queries.basic_blocks(function, context.scope, result.code)
    problem = str(result.problem or "")
    return LoadedFunction(
        function, code_inputs(context), costs, whole, result.code, blocks, problem
    )


@dataclass(frozen=True, slots=True)
class FlowAppearance:
    """The part of the style that comes from the window, not from the profile."""

    color: QColor
    font: QFont
    code_font: QFont
    options: FlowOptions
    block_overrides: Mapping[int, str]  # shown instructions of single blocks, by address


def flow_style(
    query: ViewQuery, event: EventType, loaded: LoadedFunction, appearance: FlowAppearance
) -> FlowStyle:
    """Return the style for an event; percentages refer to the function's self cost."""
    evaluate, costs, blocks = query.events.evaluate, loaded.costs, loaded.blocks
    self_cost = evaluate(event, blocks.self_cost)
    format_ = query.cost_format(event)
    if not event.is_ratio:
        format_ = replace(format_, base=as_number(self_cost.sum()))
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
        font=appearance.font,
        code_font=appearance.code_font,
        instructions=appearance.options.instructions,
        block_overrides=appearance.block_overrides,
        show_addresses=appearance.options.addresses,
    )
