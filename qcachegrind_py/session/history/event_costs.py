"""The costs of one event over the revisions of a history; a job computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.history.history import History
from qcachegrind_py.analysis.history.trends import Trends, trends
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, format_formula
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Courses:
    """One cost of several functions over the revisions, and its steps."""

    values: CostArray  # shape (functions, revisions)
    trends: Trends
    begin: Int64Array  # where the steps of each function begin, shape (functions + 1,)

    def steps_of(self, function: int) -> tuple[Int64Array, CostArray, CostArray]:
        """Return the revisions at which a function steps, and the levels before and after."""
        found = slice(int(self.begin[function]), int(self.begin[function + 1]))
        steps = self.trends.steps
        return steps.revision[found], steps.before[found], steps.after[found]


@dataclass(frozen=True, slots=True, eq=False)
class EventCosts:
    """The costs of an event over the revisions."""

    event: EventType
    inclusive: Courses
    self_cost: Courses
    total: Courses  # one row


def event_costs(
    progress: Progress, history: History, events: EventTypes, event: EventType
) -> EventCosts | None:
    """Compute the costs of an event of the open profile; None if a revision lacks it.

    `events` are those of the open profile, by which derived events are defined.
    """
    found = event_in(history, events, event)
    if found is None:
        return None
    progress.check(0.0)
    inclusive = courses(history.inclusive(found))
    progress.check(0.5)
    self_cost = courses(history.self_cost(found))
    return EventCosts(event, inclusive, self_cost, courses(history.totals(found).reshape(1, -1)))


def courses(values: CostArray) -> Courses:
    """Describe the rows of values, shape (functions, revisions)."""
    described = trends(values)
    begin = np.searchsorted(described.steps.series, np.arange(len(values) + 1)).astype(np.int64)
    return Courses(values, described, begin)


def event_in(history: History, events: EventTypes, event: EventType) -> EventType | None:
    """Return an event of the open profile for a history; None if a revision lacks it.

    A derived event is the sum that it is in the open profile, in all revisions. Ratios are no sums,
    and have no history.
    """
    if event.is_ratio:
        return None
    weights = zip(events.weights(event), events.names, strict=True)
    formula = tuple((weight, name) for weight, name in weights if weight)
    measured = {known.name: known for known in history.events if not known.is_derived}
    if not {name for _, name in formula} <= set(measured):
        return None
    if not event.is_derived:
        return measured[event.name]
    # costs are evaluated by name: one that no other event has, measured or of another formula
    return EventType(f"= {format_formula(formula)}", event.long_name, formula)
