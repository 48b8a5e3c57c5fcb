"""How costs of code change: by which rule, and with which formats."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from qcachegrind_py.analysis.costs.series import Series
from qcachegrind_py.models.code.code_costs import ChangeRule
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId


def change_rule(query: ViewQuery, event: EventType | None) -> ChangeRule | None:
    """Return how costs of an event change; None if nothing is compared."""
    series = _series(query, event)
    if series is None:
        return None
    compared = query.comparison
    lacks_event = (False, False) if compared is None else compared.sides_without(series.event)
    return ChangeRule(partial(query.change, series), *lacks_event)


def code_change_format(
    query: ViewQuery, event: EventType | None, function: FunctionId, *, of_function: bool
) -> CostFormat:
    """Return the format of changes; 100 % is the function in the base, if the user wants that.

    `of_function` is false for code that is not of this function alone.
    """
    format_ = query.format(_series(query, event))
    return replace(format_, base=_whole(query, event, function, format_, of_function))


def code_side_formats(
    query: ViewQuery, event: EventType | None, function: FunctionId, *, of_function: bool
) -> tuple[CostFormat, CostFormat]:
    """Return the formats of the costs of base and new, whose 100 % are those of changes."""
    if event is None or not query.is_comparing:
        return NO_FORMAT, NO_FORMAT
    base, new = query.base_format(event), query.cost_format(event)
    whole = _whole(query, event, function, new, of_function)
    return replace(base, base=whole), replace(new, base=whole)


def _series(query: ViewQuery, event: EventType | None) -> Series | None:
    base = query.context.base
    if event is None or base is None:
        return None
    return Series(event, query.context.scope, base)


def _whole(
    query: ViewQuery,
    event: EventType | None,
    function: FunctionId,
    format_: CostFormat,
    of_function: bool,
) -> int | float:
    """Return 100 %: the function in the base, or now if it is new, or that of the format."""
    context = query.context
    if event is None or context.base is None or not (of_function and context.percent_of_function):
        return format_.base
    costs = (
        as_number(query.queries.inclusive(event, scope)[function])
        for scope in (context.base, context.scope)
    )
    return next(filter(None, costs), 0)
