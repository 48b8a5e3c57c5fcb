"""What a report is about: the events it shows, and the functions in their order."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array

SortKey = Literal["inclusive", "self", "called", "name"]


@frozen(eq=True)
class Order:
    """The order of functions: costliest or most called first, or by name."""

    key: SortKey = "inclusive"
    event: EventType | None = None  # of the costs; None: the first event of the report


@frozen(eq=True, slots=False)
class ReportSelection:
    """The events and functions of a report."""

    queries: ProfileQueries
    events: tuple[EventType, ...]  # side by side; the first decides what is not said of another
    scope: Scope = field(default_factory=Scope)
    order: Order = field(default_factory=Order)
    filter: Filter = NO_FILTER
    threshold: Fraction | None = None  # percent; None: all functions
    limit: int | None = None
    with_percentages: bool = False  # beside the costs in machine formats

    @property
    def profile(self) -> Profile:
        """The profile of the report."""
        return self.queries.profile

    @property
    def event(self) -> EventType | None:
        """The first event; None if the profile has none."""
        return self.events[0] if self.events else None

    @property
    def sort_event(self) -> EventType | None:
        """The event that orders the functions and that the threshold is a share of."""
        return self.order.event or self.event

    def inclusive(self, event: EventType) -> CostArray:
        """Return the inclusive cost of all functions, shape (functions,)."""
        return self.queries.inclusive(event, self.scope)[: self.queries.function_count]

    def self_cost(self, event: EventType) -> CostArray:
        """Return the self cost of all functions, shape (functions,)."""
        return self.queries.self_cost(event, self.scope)[: self.queries.function_count]

    def total(self, event: EventType) -> int | float:
        """Return what percentages of an event's costs are of."""
        return self.queries.total(event, self.scope.parts).base

    @cached_property
    def functions(self) -> Int64Array:
        """The functions of the report in order, shape (rows,), int64."""
        order = self._all_in_order()
        event = self.sort_event
        if event is None:
            return order[: self.limit]
        if self.threshold is not None:
            order = order[self._above_threshold(self.queries.measured_event(event))[order]]
        if self.visible is not None:
            order = order[self.visible[order]]
        return order[: self.limit]

    @cached_property
    def nodes(self) -> Int64Array:
        """These functions and the cycles that they belong to, in order, shape (rows,), int64.

        A cycle stands before members that cost as much, and is there, too, where it is costly
        enough and none of its members is.
        """
        functions, costs = self.functions, self.queries.costs(self.scope)
        is_shown = np.zeros(int(costs.cycle.max(initial=0)), bool)
        numbers = costs.cycle[functions]
        is_shown[numbers[numbers > 0] - 1] = True
        event, count = self.sort_event, self.queries.function_count
        if self._least_cost is not None and event is not None and self.limit is None:
            inclusive = self.queries.inclusive(self.queries.measured_event(event), self.scope)
            is_shown |= inclusive[count:] >= self._least_cost
        cycles = count + np.flatnonzero(is_shown)
        if self._visible_nodes is not None:
            cycles = cycles[self._visible_nodes[cycles]]
        rows = np.concatenate((cycles, functions))
        if event is None or self.order.key == "name" or not len(cycles):
            return rows
        if self.order.key == "called":
            return rows[costliest_first(costs.called[rows])]
        ask = self.queries.self_cost if self.order.key == "self" else self.queries.inclusive
        return rows[costliest_first(ask(event, self.scope)[rows])]

    @cached_property
    def visible(self) -> BoolArray | None:
        """The mask of functions that pass the filter, shape (functions,); None without a filter."""
        nodes = self._visible_nodes
        return None if nodes is None else nodes[: self.queries.function_count]

    @cached_property
    def _visible_nodes(self) -> BoolArray | None:
        if self.sort_event is None:
            return None
        return self.queries.visible_nodes(self.filter, self.sort_event, self.scope)

    def _all_in_order(self) -> Int64Array:
        queries, event = self.queries, self.sort_event
        if self.order.key == "name":
            names = self.profile.texts.lookup(self.profile.functions.name.tolist())
            return np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        if self.order.key == "called":
            called = queries.costs(self.scope).called[: queries.function_count]
            return costliest_first(called)
        if event is None:
            return np.arange(queries.function_count)
        is_self = self.order.key == "self"
        return costliest_first(self.self_cost(event) if is_self else self.inclusive(event))

    def _above_threshold(self, event: EventType) -> BoolArray:
        """Return the mask of the functions that matter, shape (functions,).

        In the order of inclusive costs, with a threshold of N % these are functions that cost
        100 - N % of the total or more. Otherwise they are the functions with the highest self
        costs, as many as it takes to reach N % of the total.
        """
        if self._least_cost is not None:
            mask: BoolArray = self.inclusive(event) >= self._least_cost
            return mask
        return self.covering(self.self_cost(event), event)

    def covering(self, costs: CostArray, event: EventType) -> BoolArray:
        """Return the mask of the highest costs, as many as it takes to reach the threshold."""
        share = (self.threshold or Fraction(0)) / 100
        order = costliest_first(costs)
        reached = np.cumsum(costs[order]) >= _rounded_up(share * int(self.total(event)))
        count = int(np.argmax(reached)) + 1 if reached.any() else len(order)
        mask = np.zeros(len(costs), bool)
        mask[order[:count]] = True
        return mask

    @cached_property
    def _least_cost(self) -> int | None:
        """The inclusive cost that a threshold asks for; None if it does not."""
        if self.threshold is None or self.sort_event is None or self.order.key != "inclusive":
            return None
        total = int(self.total(self.queries.measured_event(self.sort_event)))
        return _rounded_up((1 - self.threshold / 100) * total)


def costliest_first(costs: CostArray) -> Int64Array:
    """Return the stable order of descending costs; undefined ratios come last."""
    keys = -costs if costs.dtype.kind == "f" else ~costs  # ~ cannot overflow
    return np.argsort(keys, kind="stable")


def _rounded_up(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
