"""The callers of a function or cycle, the node itself and its callees, as rows of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NodeId, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.function_table import chunks
from qcachegrind_py.reports.selection import ReportSelection, costliest_first

Relation = Literal["caller", "function", "callee"]
Costs = tuple[int | float, ...]  # one for each event of the report


@dataclass(frozen=True, slots=True)
class CallRow:
    """A caller or callee of a node with the calls between the two, or the node itself."""

    relation: Relation
    node: NodeId  # a function or a cycle
    # None: calls were not counted, or a cycle and its member, which are not linked by calls
    count: int | None
    is_active: bool  # none of the calls had returned when the profile was written
    inclusive: Costs | None  # None: the calls are within a cycle, whose cost they are part of
    self_cost: Costs | None = None  # of the node itself; None for callers and callees
    is_estimated: bool = False  # count and cost of the calls are, or part of the self cost
    is_member: bool = False  # a member of the cycle that the row is listed below


@dataclass(frozen=True)
class CallTable:
    """The calls between the functions of a selection, costliest first."""

    selection: ReportSelection
    with_all_events: bool = False  # all measured events, and of the selection the derived ones
    with_all_calls: bool = False  # whatever filter, threshold and limit of the selection

    @cached_property
    def events(self) -> tuple[EventType, ...]:
        """The events in which rows have costs."""
        events = self.selection.events
        if not self.with_all_events:
            return events
        derived = (event for event in events if event.is_derived)
        return *self.selection.profile.events.measured, *derived

    def rows(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a node, the node itself, and its callees."""
        yield from self.callers(node)
        yield self.itself(node)
        yield from self.callees(node)

    def itself(self, node: NodeId) -> CallRow:
        """Return the row of the node itself; its count is that of all calls to it."""
        costs = self.selection.queries.costs(self.selection.scope)
        (inclusive,), (self_cost,) = (
            self._event_costs(values[:, [node]]) for values in (costs.inclusive, costs.self_cost)
        )
        count = int(costs.called[node]) if costs.has_call_counts else None
        is_active = bool(costs.is_active[node])
        is_estimated = isinstance(self._queries, FoldedQueries) and bool(
            self._queries.has_estimates(self.selection.scope)[node]
        )
        return CallRow("function", node, count, is_active, inclusive, self_cost, is_estimated)

    def callers(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a function, or those of a cycle from outside."""
        calls = self.selection.queries.callers(node, self.selection.scope)
        return self._rows("caller", node, calls, self._chosen(calls))

    def callees(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callees of a function, or the members of a cycle with their own costs."""
        calls = self.selection.queries.callees(node, self.selection.scope)
        rows, is_cycle = self._chosen(calls), self._is_cycle(node)
        return self._rows("callee", node, calls, rows, are_members=is_cycle)

    def call(self, caller: NodeId, callee: NodeId) -> CallRow:
        """Return the row of a callee, or of a member of the cycle `caller`.

        Raises `StopIteration` if the one does not call the other.
        """
        queries, scope = self.selection.queries, self.selection.scope
        if self._is_cycle(callee):
            calls = queries.callers(callee, scope)
            rows = np.flatnonzero(calls.node == caller)
            return replace(next(self._rows("callee", caller, calls, rows)), node=callee)
        calls = queries.callees(caller, scope)
        rows = np.flatnonzero(calls.node == callee)
        return next(self._rows("callee", caller, calls, rows, are_members=self._is_cycle(caller)))

    def _is_cycle(self, node: NodeId) -> bool:
        return not self.selection.queries.is_function(node)

    def _rows(
        self,
        relation: Relation,
        node: NodeId,
        calls: DirectCalls,
        rows: Int64Array,
        *,
        are_members: bool = False,
    ) -> Iterator[CallRow]:
        """Yield the callers or callees of a node."""
        is_counted = self._queries.costs(self.selection.scope).has_call_counts and not are_members
        for chunk in chunks(rows):
            numbers = (column[chunk].tolist() for column in (calls.count, calls.is_active))
            is_hidden = calls.in_cycle[chunk] & (not are_members)
            others = calls.node[chunk].astype(np.int64)
            estimated = self._are_estimated(relation, node, others)
            columns = (node_ids(others), *numbers, is_hidden.tolist(), estimated.tolist())
            costs = self._event_costs(calls.values[:, chunk])
            for other, count, is_active, is_within, is_estimated, inclusive in zip(
                *columns, costs, strict=True
            ):
                yield CallRow(
                    relation,
                    other,
                    count if is_counted else None,
                    is_active,
                    None if is_within else inclusive,
                    None,
                    is_estimated,
                    are_members,
                )

    @property
    def _queries(self) -> ProfileQueries:
        return self.selection.queries

    def _are_estimated(self, relation: Relation, node: NodeId, others: Int64Array) -> BoolArray:
        """Return whether the calls between a node and these callers or callees are estimates."""
        estimated, queries = np.zeros(len(others), bool), self._queries
        if isinstance(queries, FoldedQueries):
            nodes = np.full(len(others), node, np.int64)
            pair = (others, nodes) if relation == "caller" else (nodes, others)
            rows = queries.callbacks.rows(*pair)
            estimated[rows >= 0] = ~queries.callbacks.is_exact[rows[rows >= 0]]
        return estimated

    def _event_costs(self, values: Int64Array) -> list[Costs]:
        """Return the costs of each row of measured costs, shape (events, rows), in `events`."""
        evaluate = self.selection.queries.events.evaluate
        columns = [evaluate(event, values).tolist() for event in self.events]
        return list(zip(*columns, strict=True)) if columns else [()] * values.shape[1]

    # ---------------------------------------------------------------- the choice of rows

    def _chosen(self, calls: DirectCalls) -> Int64Array:
        """Return the rows of the calls that are listed, costliest first, else as recorded."""
        event, is_listed = self.selection.sort_event, np.ones(len(calls), bool)
        if event is None:
            return np.arange(len(calls))
        rows = costliest_first(calls.cost(self.selection.queries.events, event))
        if self.with_all_calls:
            return rows
        if self._least_cost is not None:
            is_listed &= self._measured_costs(calls, event) >= self._least_cost
        if self.visible is not None:
            is_listed &= self.visible[calls.node]
        return rows[is_listed[rows]][: self.selection.limit]

    def _measured_costs(self, calls: DirectCalls, event: EventType) -> CostArray:
        queries = self.selection.queries
        return calls.cost(queries.events, queries.measured_event(event))

    @cached_property
    def visible(self) -> BoolArray | None:
        """The mask of the functions and cycles that pass the filter, shape (nodes,); None: all."""
        selection, event = self.selection, self.selection.sort_event
        if event is None:
            return None
        return selection.queries.visible_nodes(selection.filter, event, selection.scope)

    @cached_property
    def _least_cost(self) -> int | None:
        """The least cost of calls that are listed: with a threshold of N %, 100 - N % of all."""
        event, threshold = self.selection.sort_event, self.selection.threshold
        if event is None or threshold is None:
            return None
        total = self.selection.total(self.selection.queries.measured_event(event))
        least = (100 - threshold) * Fraction(total) / 100
        return -(-least.numerator // least.denominator)
