"""The number under the cursor of the function list, as *Explain This Number* asks for it."""

from __future__ import annotations

from qcachegrind_py.analysis.explanation.numbers import (
    GroupKey,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.present.functions import is_of_groups
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.views.common.number_request import number_request

_KINDS = {  # of the columns other than inclusive costs
    "self": NumberKind.SELF,
    "second_self": NumberKind.SELF,
    "self_base": NumberKind.SELF,
    "self_new": NumberKind.SELF,
    "self_growth": NumberKind.SELF,
    "self_per_call": NumberKind.SELF,
    "called": NumberKind.CALLED,
}


def function_number(query: ViewQuery, node: NodeId, column: str) -> NumberRequest | None:
    """Return inclusive cost, self cost or calls of a function or cycle, by the key of the column.

    None without a function.
    """
    if node == NO_NODE:
        return None
    kind = _KINDS.get(column, NumberKind.INCLUSIVE)
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
