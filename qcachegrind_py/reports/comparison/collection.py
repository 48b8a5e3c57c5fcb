"""Collects what a report on two profiles says from the queries of the profile that has both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.first_line import first_line
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter, matching_functions
from qcachegrind_py.analysis.filters.subject import BaseSide, FilterSubject
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.reports.comparison.contents import (
    Effects,
    EventComparison,
    FunctionPairs,
    TwoSided,
)


@dataclass(frozen=True, eq=False)
class ComparedProfiles:
    """Two profiles as one: its queries, and which of its parts are those of each side.

    `base` is None if there is none. The events are the names of those that each side measured. A
    function that a side lacks costs nothing there.
    """

    queries: ProfileQueries
    base: Scope | None
    new: Scope
    base_events: frozenset[str]
    new_events: frozenset[str]
    pairs: FunctionPairs
    effects: Callable[[EventType], Effects]

    def is_in_both(self, event: EventType) -> bool:
        """Return whether both sides have an event; the new one, if there is no base.

        A derived event is in both if all is that it is derived from: if one side lacks the misses
        of which it is the sum, the sums are of different things.
        """
        return self._measured(event) <= self._in_both

    def is_new(self, event: EventType) -> bool:
        """Return whether the new profile has an event, or one of those that it is derived from."""
        return not self._measured(event).isdisjoint(self.new_events)

    @cached_property
    def _in_both(self) -> frozenset[str]:
        return self.new_events if self.base is None else self.base_events & self.new_events

    def _measured(self, event: EventType) -> set[str]:
        """Return the measured events that an event is derived from, or itself."""
        events = self.queries.events
        found, names = set(), [event.name]
        while names:
            part = events.find(names.pop())
            if part is not None and part.name not in found:
                found.add(part.name)
                names += [name for _, name in (*part.formula, *part.divisor)]
        return found.intersection(events.names)

    @cached_property
    def called(self) -> TwoSided:
        """The called counts, shape (functions,)."""
        count = self.queries.function_count
        new = self.queries.costs(self.new).called[:count]
        if self.base is None:
            return TwoSided(np.zeros_like(new), new)
        return TwoSided(self.queries.costs(self.base).called[:count], new)

    def self_cost(self, event: EventType) -> TwoSided:
        """Return the self costs of all functions, shape (functions,)."""
        return self._sides(lambda scope: self.queries.self_cost(event, scope))

    def inclusive(self, event: EventType) -> TwoSided:
        """Return the inclusive costs of all functions, shape (functions,)."""
        return self._sides(lambda scope: self.queries.inclusive(event, scope))

    def _sides(self, costs: Callable[[Scope], CostArray]) -> TwoSided:
        count = self.queries.function_count
        new = costs(self.new)[:count]
        return TwoSided(np.zeros_like(new) if self.base is None else costs(self.base)[:count], new)

    def total(self, event: EventType) -> tuple[int | float, int | float]:
        """Return what percentages of an event are of, in the base and in the new profile."""
        new = self.queries.total(event, self.new.parts).base
        if self.base is None:
            return type(new)(0), new
        return self.queries.total(event, self.base.parts).base, new

    def event_comparison(self, event: EventType) -> EventComparison:
        """Return the costs of all functions in an event that both sides have."""
        self_cost = self.self_cost(event)
        grown, shrunk = (0, 0) if event.is_ratio else _gross(self_cost.change)
        return EventComparison(
            event,
            self.total(event),
            grown,
            shrunk,
            self_cost,
            self.inclusive(event),
            self.effects(event),
        )

    def subject(self, event: EventType) -> FilterSubject:
        """Return the functions as filters and rules test them, with their costs in an event."""
        self_cost, inclusive, called = self.self_cost(event), self.inclusive(event), self.called
        base_total, total = self.total(event)
        base = None
        if self.base is not None:
            base = BaseSide(
                self_cost.base,
                inclusive.base,
                called.base,
                base_total,
                self.pairs.only_new,
                self.pairs.only_base,
                self._is_moved,
            )
        queries = self.queries
        return FilterSubject(
            queries.names,
            queries.classes,
            self_cost.new,
            inclusive.new,
            called.new,
            queries.costs(self.new).cycle[: queries.function_count],
            total,
            base,
        )

    @cached_property
    def _is_moved(self) -> BoolArray:
        how = self.pairs.how(np.arange(self.pairs.count))
        return np.array([each == "moved" for each in how], bool)

    def matching(self, filter_: Filter, event: EventType) -> BoolArray:
        """Return the mask of functions that pass a filter, shape (functions,)."""
        return matching_functions(filter_, self.subject(event))

    def first_line(self, function: int) -> int:
        """Return the line at which a function begins, 0 if it is not known."""
        return first_line(self.queries.profile, FunctionId(NodeId(function)))


def _gross(changes: CostArray) -> tuple[int, int]:
    """Return the sums of the changes above and below 0, exactly."""
    numbers: list[int] = changes.tolist()
    return sum(max(number, 0) for number in numbers), sum(min(number, 0) for number in numbers)
