"""What is read for the control flow of a function: its costs, its code, and the blocks of both.

How it is written then follows from the context and the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QColor, QFont

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Code, Syntax
from qcachegrind_py.analysis.names.short_paths import short_paths
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import find_function_code
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.graph.control_flow.display_options import FlowOptions
from qcachegrind_py.views.graph.control_flow.style import FlowStyle


@dataclass(frozen=True, slots=True, eq=False)
class LoadedFunction:
    """A function as it was read; `problem` says why there is no code, or why it may be wrong."""

    function: FunctionId
    inputs: object  # what it depends on
    costs: InstructionCosts
    code: Code
    blocks: BasicBlocks
    problem: str


def code_inputs(context: Context) -> object:
    """What code and blocks depend on."""
    syntax = context.annotation.intel_syntax
    return context.profile, context.function, context.scope.parts, context.files, syntax


def load_function(queries: ProfileQueries, context: Context, progress: Progress) -> LoadedFunction:
    """Read it; a job. Without code the blocks are those of the recorded addresses."""
    profile, function = queries.profile, queries.as_function(context.function)
    costs = queries.instructions(function, context.scope.parts)
    syntax = Syntax.INTEL if context.annotation.intel_syntax else Syntax.ATT
    whole = queries.instructions(function, None)  # the chosen parts may have no cost
    found = find_function_code(profile, function, whole, context.files, syntax, progress)
    progress.check(0.5)
    blocks = queries.basic_blocks(function, context.scope, found.code)
    problem = str(found.problem or "")
    return LoadedFunction(function, code_inputs(context), costs, found.code, blocks, problem)


@dataclass(frozen=True, slots=True)
class FlowAppearance:
    """What of the look the window says, not the profile."""

    color: QColor
    font: QFont
    code_font: QFont
    options: FlowOptions
    block_overrides: Mapping[int, str]  # what single blocks show


def flow_style(
    queries: ProfileQueries,
    context: Context,
    event: EventType,
    loaded: LoadedFunction,
    appearance: FlowAppearance,
) -> FlowStyle:
    """How the function is written in an event; percentages are of its self cost."""
    evaluate, costs, blocks = queries.events.evaluate, loaded.costs, loaded.blocks
    own = evaluate(event, blocks.self_cost)
    format_ = cost_format(queries, context, event)
    if not event.is_ratio:
        format_ = replace(format_, base=as_number(own.sum()))
    files = text_ids(np.unique(costs.file))
    paths = dict(zip(files, short_paths(queries.profile.texts.lookup(files)), strict=True))
    instruction_cost = evaluate(event, costs.self_cost)
    return FlowStyle(
        costs=costs,
        code=loaded.code,
        instruction_cost=instruction_cost,
        self_cost=own,
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
