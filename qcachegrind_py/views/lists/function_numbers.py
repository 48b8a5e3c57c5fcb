"""The number under the cursor of the function list, as *Explain This Number* asks for it."""

from __future__ import annotations

from qcachegrind_py.analysis.explanation.numbers import (
    GroupKey,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.views.common.numbers.request import number_request
from qcachegrind_py.views.common.view_query import ViewQuery

_KINDS = {  # of the columns other than inclusive costs
    FunctionModel.SELF: NumberKind.SELF,
    FunctionModel.SECOND_SELF: NumberKind.SELF,
    FunctionModel.SELF_BASE: NumberKind.SELF,
    FunctionModel.SELF_NEW: NumberKind.SELF,
    FunctionModel.SELF_GROWTH: NumberKind.SELF,
    FunctionModel.SELF_PER_CALL: NumberKind.SELF,
    FunctionModel.CALLED: NumberKind.CALLED,
}
_OF_SECOND_EVENT = FunctionModel.SECOND_INCLUSIVE, FunctionModel.SECOND_SELF


def function_number(
    query: ViewQuery, node: NodeId, column: int, *, of_group: bool
) -> NumberRequest | None:
    """Return inclusive cost, self cost or calls of a function or cycle, by the column.

    With `of_group`, percentages of self costs are of the group. None without a function.
    """
    if node == NO_NODE:
        return None
    kind = _KINDS.get(column, NumberKind.INCLUSIVE)
    second = query.context.second_event if column in _OF_SECOND_EVENT else None
    parent = None
    if kind is NumberKind.SELF and of_group and second is None:
        groups = query.groups()
        parent = _group_key(query, groups.names[int(groups.group_of_node[node])])
    return number_request(query, NumberKey(kind, node), event=second, parent=parent)


def group_number(query: ViewQuery, name: str | None) -> NumberRequest | None:
    """Return the self cost of a group of the current grouping; None without a group."""
    return None if name is None else number_request(query, _group_key(query, name))


def _group_key(query: ViewQuery, name: str) -> NumberKey:
    group = GroupKey(query.context.grouping, name)
    return NumberKey(NumberKind.GROUP_SELF, NO_NODE, group=group)
