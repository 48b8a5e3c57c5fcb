"""The number under the cursor of the parts, as *Explain This Number* asks for it."""

from __future__ import annotations

from dataclasses import replace

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.models.parts import PartModel
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.views.common.numbers.request import percentage_rule

_KINDS = {
    PartModel.INCLUSIVE: NumberKind.INCLUSIVE,
    PartModel.SELF: NumberKind.SELF,
    PartModel.CALLED: NumberKind.CALLED,
}


def part_number(query: ViewQuery, part: PartId, column: int) -> NumberRequest:
    """Return the cost of a part, or what the active function has of it, by the column.

    Cycles are those of the active parts, as in the list.
    """
    whole = NumberKey(NumberKind.TOTAL, NO_NODE)
    kind, scope = _KINDS.get(column), part_scope(query, part)
    if kind is None:
        rule = replace(percentage_rule(query, query.own_parts), is_of_base=False)
        return NumberRequest(whole, None, scope, rule)
    rule = percentage_rule(query, scope.parts, whole, BaseReason.PART)
    key = NumberKey(kind, query.context.function)
    return NumberRequest(key, None, scope, replace(rule, is_of_base=False))


def bar_number(query: ViewQuery, part: PartId) -> NumberRequest:
    """Return the cost of a part that its bar is as wide as: that of a counted event."""
    event = query.context.event
    measured = None if event is None else query.queries.measured_event(event)
    return replace(part_number(query, part, PartModel.TOTAL), event=measured)


def part_scope(query: ViewQuery, part: PartId) -> Scope:
    """Return one part, with the cycles of those that are active."""
    scope = query.context.scope
    active = scope.frame if scope.frame is not None else scope.parts
    every = frozenset(map(PartId, range(len(query.profile.parts))))
    return replace(scope, parts=frozenset({part}), frame=every if active is None else active)
