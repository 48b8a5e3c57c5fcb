"""The number under the cursor of a view, as *Explain This Number* asks for it."""

from __future__ import annotations

from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    BaseReason,
    GroupKey,
    NumberKey,
    NumberKind,
    NumberRequest,
    PercentageRule,
)
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.functions import is_of_groups
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId


def number_request(
    query: ViewQuery,
    key: AnyKey,
    *,
    event: EventType | None = None,
    scope: Scope | None = None,
    parent: NumberKey | None = None,
    reason: BaseReason = BaseReason.PARENT,
) -> NumberRequest:
    """Return the request for a number; event and scope are those of the context by default.

    Its percentage is of the `parent` for this `reason`, and always of a total, too: in a comparison
    of that of the base.
    """
    parts = query.context.scope.parts if query.context.base is None else query.context.base.parts
    return NumberRequest(key, event, scope, percentage_rule(query, parts, parent, reason))


def percentage_rule(
    query: ViewQuery,
    parts: Parts,
    parent: NumberKey | None = None,
    reason: BaseReason = BaseReason.PARENT,
) -> PercentageRule:
    context = query.context
    return PercentageRule(
        context.of_recorded, parts, parent, reason, is_of_base=context.base is not None
    )


def parent_of_calls(query: ViewQuery, node: NodeId) -> NumberKey | None:
    """Return the parent that percentages of the calls of a node are of; None if of the total."""
    context = query.context
    if context.unit is not CostUnit.PERCENT_OF_PARENT or query.is_comparing or node == NO_NODE:
        return None
    cycle = query.cycle_of(node)
    return NumberKey(NumberKind.INCLUSIVE, node if cycle == NO_NODE else cycle)


def function_number(query: ViewQuery, node: NodeId, column: str) -> NumberRequest | None:
    """Return inclusive cost, self cost or calls of a function or cycle, by the key of the column.

    None without a function.
    """
    if node == NO_NODE:
        return None
    kind = NumberKind.SELF if "self" in column else NumberKind.INCLUSIVE
    kind = NumberKind.CALLED if column == "called" else kind
    second = query.context.second_event if column.startswith("second_") else None
    parent = None
    if kind is NumberKind.SELF and second is None and is_of_groups(query):
        groups = query.groups()
        parent = _group_key(query, groups.names[int(groups.group_of_node[node])])
    return number_request(query, NumberKey(kind, node), event=second, parent=parent)


def group_number(query: ViewQuery, name: str | None) -> NumberRequest | None:
    """Return the self cost of a group of the current grouping; None without a group."""
    return None if name is None else number_request(query, _group_key(query, name))


def _group_key(query: ViewQuery, name: str) -> NumberKey:
    group = GroupKey(query.context.grouping, name)
    return NumberKey(NumberKind.GROUP_SELF, NO_NODE, group=group)
