"""The cost of a function along the stacks that contain it: exactly, from contexts.

Costs of contexts below a function are its own; all others become 0. What the stacks cost together
that contain the function and another one is then the inclusive cost of that other one, and the same
holds for calls. The results have the form of `cost_flow`, which estimates them without contexts.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    CycleFolding,
    FlowSide,
    TransitiveCalls,
)
from qcachegrind_py.analysis.costs.function_costs import CallEdges
from qcachegrind_py.analysis.costs.scope import Parts, is_active
from qcachegrind_py.analysis.costs.sums import quotients, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@frozen(slots=False)
class Stacks:
    """The stacks of some parts that contain a function, with their costs in one event."""

    contexts: Contexts
    parts: Parts
    values: CostArray  # self costs, 0 where they do not count, shape (contexts,)
    function: NodeId
    functions: int

    @cached_property
    def roots(self) -> Int64Array:
        """The contexts of the function that have none above them, ascending."""
        has_function = self.contexts.function == self.function
        if self.parts is not None:
            has_function &= is_active(self.contexts.part, self.parts)
        rows = np.flatnonzero(has_function)
        return rows[self.contexts.are_outermost(np.zeros(len(rows), np.int64), rows)]

    @cached_property
    def below(self) -> Int64Array:
        """The roots and all contexts below them, ascending."""
        return np.flatnonzero(self._root_of >= 0)

    @cached_property
    def above(self) -> Int64Array:
        """The contexts that call roots, directly or not, ascending."""
        counts = self.contexts.sums_below(self._is_root.astype(np.int64))
        return np.flatnonzero((counts > 0) & (self._root_of < 0))

    @cached_property
    def passing(self) -> CostArray:
        """What the stacks cost together that contain the function and a context."""
        own = np.where(self._root_of >= 0, self.values, 0)
        return self.contexts.sums_below(own)

    @cached_property
    def own(self) -> CostArray:
        """The self costs of functions on these stacks, shape (functions,)."""
        below = self.below
        return sums_by_group(self.values[below], self.contexts.function[below], self.functions)

    @cached_property
    def _is_root(self) -> BoolArray:
        is_root = np.zeros(len(self.contexts), bool)
        is_root[self.roots] = True
        return is_root

    @cached_property
    def _root_of(self) -> Int64Array:
        """The root that is or is above each context; -1: none."""
        rows = np.arange(len(self.contexts))
        last = np.maximum.accumulate(np.where(self._is_root, rows, -1))
        is_inside = (last >= 0) & (rows < self.contexts.end[last])
        return np.where(is_inside, last, -1)

    def costs(self, *, up: bool) -> CostArray:
        """Return what stacks cost with each function above or below, shape (functions,)."""
        rows = self.above if up else self.below
        key = self.contexts.function[rows]
        counted = self.contexts.are_outermost(key, rows)
        return sums_by_group(self.passing[rows[counted]], key[counted], self.functions)

    def call_costs(self, edges: CallEdges, *, up: bool) -> tuple[CostArray, BoolArray]:
        """Return what stacks cost with each call above or below, and which calls they have."""
        rows = np.concatenate((self.above, self.roots)) if up else self.below
        rows = np.sort(rows) if up else rows[~self._is_root[rows]]
        rows = rows[self.contexts.parent[rows] >= 0]
        caller = self.contexts.function[self.contexts.parent[rows]].astype(np.int64)
        key = np.searchsorted(
            edges.caller * self.functions + edges.callee,
            caller * self.functions + self.contexts.function[rows],
        )
        counted = self.contexts.are_outermost(key, rows)
        occurs = np.zeros(len(edges), bool)
        occurs[key] = True
        return sums_by_group(self.passing[rows[counted]], key[counted], len(edges)), occurs

    def distances(self, *, up: bool) -> tuple[Int64Array, Int64Array]:
        """Return the calls to each function on the shortest and longest stack; 0: none."""
        depth, rows = self.contexts.depth, self.above if up else self.below
        if up:
            least, most = self._steps_to_roots
        else:
            least = most = depth - depth[np.maximum(self._root_of, 0)]
        nearest = np.full(self.functions, np.iinfo(np.int64).max)
        farthest = np.zeros(self.functions, np.int64)
        np.minimum.at(nearest, self.contexts.function[rows], least[rows])
        np.maximum.at(farthest, self.contexts.function[rows], most[rows])
        return np.where(farthest > 0, nearest, 0), farthest

    @property
    def _steps_to_roots(self) -> tuple[Int64Array, Int64Array]:
        """The fewest and the most calls from each context above to a root, shape (contexts,)."""
        least = np.full(len(self.contexts), np.iinfo(np.int64).max)
        least[self.roots] = 0
        most = np.zeros(len(self.contexts), np.int64)
        rows = np.concatenate((self.above, self.roots))
        rows = rows[np.argsort(-self.contexts.depth[rows], kind="stable")]
        borders = np.flatnonzero(np.diff(self.contexts.depth[rows])) + 1
        for level in np.split(rows, borders)[:-1]:  # the last ones are outermost
            np.minimum.at(least, self.contexts.parent[level], least[level] + 1)
            np.maximum.at(most, self.contexts.parent[level], most[level] + 1)
        return least, most

    def trace(self, graph: CallGraph, folding: CycleFolding) -> CostFlow:
        """Return the inclusive cost of the function on both sides of it."""
        down, up = (self._flow_side(graph, up=up) for up in (False, True))
        return CostFlow(graph, folding, down, up, is_exact=True)

    def _flow_side(self, graph: CallGraph, *, up: bool) -> FlowSide:
        costs, nodes = self.costs(up=up), self.functions
        costs[self.function] = graph.inclusive[self.function]
        return FlowSide(
            cost=costs,
            self_cost=self.own,
            count=np.zeros(nodes, np.int64),
            is_active=np.zeros(nodes, bool),
            share=quotients(costs, graph.inclusive),
            is_exact=np.ones(nodes, bool),
        )

    def call_flow(self, edges: CallEdges, edge_cost: CostArray, carries: BoolArray) -> CallFlow:
        """Return the calls in the mask, shape (edges,), with what passes along them.

        A call that stacks have on both sides of the function is on the side where it costs more.
        """
        rows = np.flatnonzero(carries)
        below, above = (self.call_costs(edges, up=up)[0][rows] for up in (False, True))
        is_up = (above > below).astype(bool)
        cost, recorded = np.where(is_up, above, below), edge_cost[rows]
        caller, callee, none = edges.caller[rows], edges.callee[rows], np.zeros(len(rows), bool)
        return CallFlow(
            caller=caller,
            callee=callee,
            count=np.zeros(len(rows), np.int64),
            is_active=none,
            cost=cost,
            recorded=recorded,
            share=quotients(cost, recorded),
            flow_source=np.where(is_up, callee, caller),
            is_up=is_up,
            is_inner=none,
            carries=(cost != 0).astype(bool),
            is_estimated=none,
        )

    def carrying_edges(self, edges: CallEdges) -> BoolArray:
        """Return which calls the stacks have, without direct recursion, shape (edges,)."""
        below, above = (self.call_costs(edges, up=up)[1] for up in (False, True))
        carries: BoolArray = (below | above) & (edges.caller != edges.callee)
        return carries


def transitive_calls(stacks: Stacks, graph: CallGraph, *, up: bool) -> TransitiveCalls:
    """Return all functions above or below on the stacks, costliest first."""
    costs, own = stacks.costs(up=up), stacks.own
    nearest, farthest = stacks.distances(up=up)
    occurs = farthest > 0
    occurs[stacks.function] = False
    nodes = np.flatnonzero(occurs)
    by_distance = nodes[np.argsort(nearest[nodes], kind="stable")]
    nodes = by_distance[np.argsort(-costs[by_distance], kind="stable")]
    return TransitiveCalls(
        node=nodes,
        cost=costs[nodes],
        self_cost=own[nodes],
        count=np.zeros(len(nodes), np.int64),
        min_distance=nearest[nodes],
        max_distance=farthest[nodes],
        is_complete=(costs[nodes] == graph.inclusive[nodes]).astype(bool),
        is_active=np.zeros(len(nodes), bool),
        is_exact=np.ones(len(nodes), bool),
        is_self_exact=np.ones(len(nodes), bool),
    )
