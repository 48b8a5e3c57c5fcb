"""What annotations show, and the costs that all their forms have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    function_self_cost,
)
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout

CONTEXT_LINES = 3  # lines or instructions around each that has cost, by default

_UNDEFINED = "–"  # a ratio without a divisor


@dataclass(frozen=True, slots=True)
class AnnotationStyle:
    """The events of an annotation, side by side; the rest is for text."""

    events: tuple[EventType, ...]
    parts: Parts = None
    context: int = CONTEXT_LINES
    layout: TextLayout = PLAIN_TEXT
    _totals: dict[EventType, int | float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def total(self, profile: Profile, event: EventType) -> int | float:
        """Return what percentages of an event are of, in the one profile that is annotated."""
        if event not in self._totals:
            self._totals[event] = total(profile, event, self.parts).base
        return self._totals[event]


def cost_columns(
    annotated: AnnotatedLines | AnnotatedInstructions, style: AnnotationStyle
) -> list[list[int | float]]:
    """Return self and inclusive costs of all rows, for each event; zeros without events."""
    return [
        costs(event)
        for event in style.events or (None,)
        for costs in (annotated.self_cost, annotated.inclusive_cost)
    ]


def measured_self_cost(
    annotated: AnnotatedLines | AnnotatedInstructions, style: AnnotationStyle
) -> Int64Array:
    """Return the self cost of the function or of the file, shape (measured events, 1)."""
    if annotated.function == NO_FUNCTION:
        costs: Int64Array = annotated.costs.self_cost.sum(axis=1, keepdims=True)
        return costs
    return function_self_cost(annotated.profile, annotated.function, style.parts)


def subject_file(annotated: AnnotatedLines | AnnotatedInstructions) -> str:
    """Return the name of the one file that is annotated over all functions."""
    if isinstance(annotated, AnnotatedLines) and annotated.files:
        return annotated.profile.texts[next(iter(annotated.files))]
    return ""


def cost_text(cost: int | float) -> str:
    """Return a cost for people, with digits in groups; a dash for a ratio without a divisor."""
    if isinstance(cost, int):
        return f"{cost:,}"
    return f"{cost:,.4g}" if math.isfinite(cost) else _UNDEFINED
