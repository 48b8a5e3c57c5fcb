"""The number under the cursor of a code view, as *Explain This Number* asks for it."""

from __future__ import annotations

from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    CodePlace,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.models.code.records import RecordKind
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.views.common.numbers.request import number_request, parent_of_calls

_KINDS = {  # of self and inclusive costs
    False: (NumberKind.LINE_SELF, NumberKind.LINE_INCLUSIVE),
    True: (NumberKind.INSTRUCTION_SELF, NumberKind.INSTRUCTION_INCLUSIVE),
}


def number_at(
    query: ViewQuery, model: CodeModel, record: int, column: int, position: Position
) -> NumberRequest | None:
    """Return the cost of a line, an instruction or a call of the active function at a position.

    None where the cell has another number: a sum over lines that were inlined in several places, a
    line of all functions, or the change of a comparison.
    """
    event, function = query.context.event, query.context.function
    if record < 0 or event is None or query.is_comparing or not query.queries.is_function(function):
        return None
    place = CodePlace(position.file, position.line, position.address)
    is_self = model.columns[max(0, column)].key.startswith("self")
    if model.rows.records.kind[record] == RecordKind.CALL:
        is_self, callee = False, model.function_of(record)
        key = NumberKey(NumberKind.CALL_COST, function, callee, place)
    elif model.rows.records.kind[record] == RecordKind.LOCATION:
        kind = _KINDS[position.address is not None][0 if is_self else 1]
        key = NumberKey(kind, function, place=place)
    else:
        return None
    costs = model.first_costs.self_cost if is_self else model.first_costs.inclusive
    explained = explain(query.queries, key, event, query.context.scope)
    if explained.value != as_number(costs[record]):
        return None
    return _request(query, key)


def _request(query: ViewQuery, key: NumberKey) -> NumberRequest:
    """Return the request, with what percentages beside code are of."""
    if query.context.percent_of_function:
        whole = NumberKey(NumberKind.INCLUSIVE, key.node)
        return number_request(query, key, parent=whole, reason=BaseReason.CODE)
    return number_request(query, key, parent=parent_of_calls(query, key.node))
