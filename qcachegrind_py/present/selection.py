"""What a report is about: the events it shows, and the functions in their order."""

from __future__ import annotations

from collections.abc import Callable
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
from qcachegrind_py.profile.tables import BoolArray, Int64Array, StringTable

SortKey = Literal["inclusive", "self", "called", "name"]


@frozen(eq=True)
class Order:
    """The order of functions: costliest or most called first, or by name."""

    key: SortKey = "inclusive"
    event: EventType | None = None  # of the costs; None: the first event of the report
    ties: tuple[EventType, ...] = ()  # order functions whose costs in that event are equal


@frozen(eq=True, slots=False)
class ReportSelection:
    """The events and functions of a report."""

    queries: ProfileQueries
    events: tuple[EventType, ...]  # side by side; the first decides what is not said of another
    scope: Scope = field(default_factory=Scope)
    order: Order = field(default_factory=Order)
    filter: Filter = NO_FILTER
    threshold: Fraction | None = None  # percent of the event that orders; None: all functions
    limit: int | None = None
    with_percentages: bool = False  # beside the costs in machine formats
    further_thresholds: tuple[tuple[EventType, Fraction], ...] = ()  # percent of other events
    texts: StringTable | None = None  # of names that people read; None: as recorded

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
        if self.thresholds:
            order = order[self._above_thresholds()[order]]
        if self.visible is not None:
            order = order[self.visible[order]]
        return order[: self.limit]

    @cached_property
    def nodes(self) -> Int64Array:
        """These functions and the cycles that they belong to, in order, shape (rows,), int64.

        A cycle stands before members that cost as much, and is there, too, where it is costly
        enough and none of its members is. By self cost, which it has of its members, it stands
        behind all functions.
        """
        functions, costs = self.functions, self.queries.costs(self.scope)
        is_shown = np.zeros(int(costs.cycle.max(initial=0)), bool)
        numbers = costs.cycle[functions]
        is_shown[numbers[numbers > 0] - 1] = True
        event, count = self.sort_event, self.queries.function_count
        if self.order.key == "inclusive" and self.limit is None:
            for measured, least in self.least_costs.items():
                is_shown |= self.queries.inclusive(measured, self.scope)[count:] >= least
        cycles = count + np.flatnonzero(is_shown)
        if self._visible_nodes is not None:
            cycles = cycles[self._visible_nodes[cycles]]
        rows = np.concatenate((cycles, functions))
        if event is None or self.order.key == "name" or not len(cycles):
            return rows
        if self.order.key == "called":
            return rows[costliest_first(costs.called[rows])]
        if self.order.key == "self":
            sums = self.queries.self_cost(event, self.scope)[cycles]
            return np.concatenate((functions, cycles[costliest_first(sums)]))
        return rows[costliest_first(self.queries.inclusive(event, self.scope)[rows])]

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
        ask = self.self_cost if self.order.key == "self" else self.inclusive
        order = np.arange(queries.function_count)
        for each in (*reversed(self.order.ties), event):
            order = order[costliest_first(ask(each)[order])]
        return order

    # ---------------------------------------------------------------- thresholds

    @property
    def thresholds(self) -> dict[EventType, Fraction]:
        """The percentage asked for of each event; empty: everything is in the report."""
        first, event = self.threshold, self.sort_event
        given = [
            *([(event, first)] if event and first is not None else []),
            *self.further_thresholds,
        ]
        return {self.queries.measured_event(each): share for each, share in given}

    def _above_thresholds(self) -> BoolArray:
        """Return the mask of the functions that matter in any of the events, shape (functions,).

        In the order of inclusive costs, with a threshold of N % these are functions that cost
        100 - N % of the total or more. Otherwise they are the functions with the highest self
        costs, as many as it takes to reach N % of the total.
        """
        if self.order.key != "inclusive":
            return self.covering(self.self_cost)
        mask = np.zeros(self.queries.function_count, bool)
        for event, least in self.least_costs.items():
            mask |= self.inclusive(event) >= least
        return mask

    def covering(self, costs_in: Callable[[EventType], CostArray]) -> BoolArray:
        """Return the mask of the highest costs, as many as it takes to reach all thresholds."""
        masks = [
            _covering(costs_in(event), _rounded_up(share / 100 * int(self.total(event))))
            for event, share in self.thresholds.items()
        ]
        mask: BoolArray = np.logical_or.reduce(masks)
        return mask

    @cached_property
    def least_costs(self) -> dict[EventType, int]:
        """For each event with a threshold of N %, 100 - N % of its total."""
        return {
            event: _rounded_up((1 - share / 100) * int(self.total(event)))
            for event, share in self.thresholds.items()
        }


def _covering(costs: CostArray, wanted: int) -> BoolArray:
    order = costliest_first(costs)
    reached = np.cumsum(costs[order]) >= wanted
    count = int(np.argmax(reached)) + 1 if reached.any() else len(order)
    mask = np.zeros(len(costs), bool)
    mask[order[:count]] = True
    return mask


def costliest_first(costs: CostArray) -> Int64Array:
    """Return the stable order of descending costs; undefined ratios come last."""
    keys = -costs if costs.dtype.kind == "f" else ~costs  # ~ cannot overflow
    return np.argsort(keys, kind="stable")


def _rounded_up(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
