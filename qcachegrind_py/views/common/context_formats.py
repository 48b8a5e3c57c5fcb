"""How a view writes the costs of an event in a context, and colours functions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.group_colors import group_color, shade
from qcachegrind_py.models.base.plain_text import short_text
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.units import unit_of, without_unit
from qcachegrind_py.session.context import Context, CostUnit


def cost_format(
    queries: ProfileQueries,
    context: Context,
    event: EventType | None,
    parent: int | float | None = None,
) -> CostFormat:
    """The format of an event's costs; `parent` is the cost that these are a part of."""
    if event is None:
        return NO_FORMAT
    total = queries.total(event, context.scope.parts)
    base = total.base if context.of_recorded else total.counted
    if parent is not None and context.unit is CostUnit.PERCENT_OF_PARENT:
        base = parent
    return CostFormat(
        short_text(without_unit(event.name)),
        base,
        context.unit is not CostUnit.ABSOLUTE,
        event.is_ratio,
        context.numbers,
        unit_of(event.name, event.long_name),
    )


def call_format(
    queries: ProfileQueries, context: Context, event: EventType | None, node: NodeId
) -> CostFormat:
    """The same for calls: their parent is the active function, or the cycle that it is in."""
    if event is None:
        return NO_FORMAT
    cycle = queries.cycle_of(node, context.scope)
    parent = node if cycle == NO_NODE else cycle
    inclusive = as_number(queries.inclusive(event, context.scope)[parent])
    return cost_format(queries, context, event, inclusive)


def group_namer(queries: ProfileQueries, context: Context) -> Callable[[NodeId], str]:
    """The group of a function or cycle in pictures, by name.

    Without groups it is its source file, or its object where the file is unknown.
    """
    scope, names = context.scope, queries.names
    if context.grouping is not Grouping.NONE:
        groups = queries.groups(context.grouping, scope)
        return lambda node: groups.names[int(groups.group_of_node[node])]

    def source(node: NodeId) -> str:
        function = queries.first_member(node, scope)
        file = names.file(function)
        return file if file != UNKNOWN else names.object(function)

    return source


def node_colors(queries: ProfileQueries, context: Context) -> Callable[[NodeId], QColor]:
    """The colour of a function or cycle in pictures: its group's; without groups a shade of it."""
    group, scope = group_namer(queries, context), context.scope
    if context.grouping is not Grouping.NONE:
        return lambda node: group_color(group(node))
    name = queries.names.name
    return lambda node: shade(group(node), name(queries.first_member(node, scope)))
