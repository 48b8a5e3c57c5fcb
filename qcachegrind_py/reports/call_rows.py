"""The callers of a function or cycle, the node itself and its callees, as rows of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.calls.direct_calls import DirectCalls
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array

Relation = Literal["caller", "function", "callee"]
Costs = tuple[int | float, ...]  # one for each event of the report


@dataclass(frozen=True, slots=True)
class CallRow:
    """A caller or callee of a node with the calls between the two, or the node itself."""

    relation: Relation
    node: NodeId  # a function or a cycle
    count: int | None  # None: a cycle and its member, which are not linked by calls
    is_active: bool  # none of the calls had returned when the profile was written
    inclusive: Costs | None  # None: the calls are within a cycle, whose cost they are part of
    self_cost: Costs | None = None  # of the node itself; None for callers and callees


@dataclass(frozen=True, slots=True, eq=False)
class RowChoice:
    """Which callers, and which callees, are listed; all by default."""

    limit: int | None = None  # the number of the costliest ones
    threshold: float | None = None  # per cent of the cost of all that the costliest ones reach
    visible: BoolArray | None = None  # the mask of nodes that pass a filter, shape (nodes,)


ALL_ROWS = RowChoice()


@dataclass(frozen=True, slots=True, eq=False)
class CallTable:
    """The calls of a profile as rows, with costs in `events`, the costliest in `order` first."""

    queries: ProfileQueries
    scope: Scope
    events: tuple[EventType, ...]
    order: EventType | None  # None if the profile has no events
    choice: RowChoice = ALL_ROWS

    def rows(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a node, costliest first, the node itself, and its callees."""
        yield from self.callers(node)
        yield self.itself(node)
        yield from self.callees(node)

    def itself(self, node: NodeId) -> CallRow:
        """Return the row of the node itself; its count is that of all calls to it."""
        costs = self.queries.costs(self.scope)
        inclusive, self_cost = (
            self._event_costs(values[:, [node]])[0] for values in (costs.inclusive, costs.self_cost)
        )
        count, is_active = int(costs.called[node]), bool(costs.is_active[node])
        return CallRow("function", node, count, is_active, inclusive, self_cost)

    def callers(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a function, or those of a cycle from outside."""
        calls = self.queries.callers(node, self.scope)
        return self._rows("caller", calls, self._chosen(calls))

    def callees(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callees of a function, or the members of a cycle with their own costs."""
        calls = self.queries.callees(node, self.scope)
        is_cycle = not self.queries.is_function(node)
        return self._rows("callee", calls, self._chosen(calls), are_members=is_cycle)

    def call(self, caller: NodeId, callee: NodeId) -> CallRow:
        """Return the row of a callee, or of a member of the cycle `caller`.

        Raises `StopIteration` if the one does not call the other.
        """
        if not self.queries.is_function(callee):
            calls = self.queries.callers(callee, self.scope)
            rows = np.flatnonzero(calls.node == caller)
            return replace(next(self._rows("callee", calls, rows)), node=callee)
        calls = self.queries.callees(caller, self.scope)
        rows, is_cycle = np.flatnonzero(calls.node == callee), not self.queries.is_function(caller)
        return next(self._rows("callee", calls, rows, are_members=is_cycle))

    def _rows(
        self,
        relation: Relation,
        calls: DirectCalls,
        rows: Int64Array,
        *,
        are_members: bool = False,
    ) -> Iterator[CallRow]:
        costs = self._event_costs(calls.values[:, rows])
        for row, inclusive in zip(rows.tolist(), costs, strict=True):
            yield CallRow(
                relation,
                node_at(calls.node, row),
                None if are_members else int(calls.count[row]),
                bool(calls.is_active[row]),
                inclusive if are_members or not calls.in_cycle[row] else None,
            )

    def _chosen(self, calls: DirectCalls) -> Int64Array:
        """Return the rows of the calls that are listed, costliest first; equal ones as recorded."""
        choice, cost = self.choice, self._order_costs(calls)
        rows = np.argsort(-cost, kind="stable")
        if choice.threshold is not None:
            rows = rows[: count_reaching(choice.threshold, cost[rows])]
        if choice.visible is not None:
            rows = rows[choice.visible[calls.node[rows]]]
        return rows[: choice.limit]

    def _order_costs(self, calls: DirectCalls) -> CostArray:
        if self.order is None:
            return np.zeros(len(calls), np.int64)
        return calls.cost(self.queries.events, self.order)

    def _event_costs(self, values: Int64Array) -> list[Costs]:
        """Return the costs of each row of measured costs, shape (events, rows), in `events`."""
        columns = [self.queries.events.evaluate(event, values) for event in self.events]
        return [
            tuple(as_number(column[row]) for column in columns) for row in range(values.shape[1])
        ]


def count_reaching(percentage: float, costs: CostArray) -> int:
    """Return how many of the costs, the highest first, are at least this share of their sum."""
    target, reached = percentage * sum(costs.tolist()), 0
    for count, cost in enumerate(costs.tolist()):
        if 100 * reached >= target:
            return count
        reached += cost
    return len(costs)
