"""The job that loads a function's code, costs and basic blocks for the Control Flow dock.

The style of the picture follows from the context and the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor, QFont

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
from qcachegrind_py.analysis.code.instructions import Code, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.models.code.flow_sides import FlowSides
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, text_ids
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.tools.annotation_inputs import CodeResult, find_function_code
from qcachegrind_py.views.graph.control_flow.display_options import FlowOptions
from qcachegrind_py.views.graph.control_flow.style import FlowStyle

if TYPE_CHECKING:  # imported where they are used: without a base, nothing of it is needed
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.views.graph.control_flow.sides import LoadedBase


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
    from qcachegrind_py.present.instruction_loading import load_compared_code
    from qcachegrind_py.tools.compared_inputs import side_costs
    from qcachegrind_py.views.graph.control_flow.sides import load_base

    code = load_compared_code(query, compared, syntax, PartialProgress(progress, 0, 0.5))
    _base, whole = side_costs(compared, query.active_function())
    loaded = _loaded(query, whole, code.new)
    base = load_base(query, compared, code, loaded.blocks, PartialProgress(progress, 0.5, 1))
    return replace(loaded, base=base)


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
        font=appearance.font,
        code_font=appearance.code_font,
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
    if loaded.base is None:
        return None
    from qcachegrind_py.views.graph.control_flow.sides import flow_sides

    return flow_sides(query, event, loaded.costs, loaded.blocks, loaded.base, whole)
