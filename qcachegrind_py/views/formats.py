"""How a view writes the costs of an event in a context."""

from __future__ import annotations

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.plain_text import short_text
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.quantities import quantity_of
from qcachegrind_py.session.context import Context, CostUnit


def cost_format(
    questions: Questions,
    context: Context,
    event: EventType | None,
    parent: int | float | None = None,
) -> CostFormat:
    """The format of an event's costs; `parent` is the cost that these are a part of."""
    if event is None:
        return NO_FORMAT
    total = questions.total(event, context.scope.parts)
    base = total.base if context.of_recorded else total.counted
    if parent is not None and context.unit is CostUnit.PERCENT_OF_PARENT:
        base = parent
    return CostFormat(
        short_text(event.name),
        base,
        context.unit is not CostUnit.ABSOLUTE,
        event.is_ratio,
        context.numbers,
        quantity_of(event.name, event.long_name),
    )


def call_format(
    questions: Questions, context: Context, event: EventType | None, function: int
) -> CostFormat:
    """The same for calls: their parent is the active function, or the cycle that it is in."""
    if event is None:
        return NO_FORMAT
    cycle = int(questions.costs(context.scope).cycle[function])
    parent = questions.functions + cycle - 1 if cycle else function
    inclusive = as_number(questions.inclusive(event, context.scope)[parent])
    return cost_format(questions, context, event, inclusive)
