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
        functions = self.functions
        nearest = np.full(functions, np.iinfo(np.int64).max)
        farthest = np.zeros(functions, np.int64)
        if up:
            rows, distance = self.roots, 0
            while len(rows := np.unique(self.contexts.parent[rows])) > 1 or (rows >= 0).any():
                rows, distance = rows[rows >= 0], distance + 1
                reached = self.contexts.function[rows]
                nearest[reached] = np.minimum(nearest[reached], distance)
                farthest[reached] = distance
        else:
            depth, rows = self.contexts.depth, self.below
            distances = (depth[rows] - depth[self._root_of[rows]]).astype(np.int64)
            np.minimum.at(nearest, self.contexts.function[rows], distances)
            np.maximum.at(farthest, self.contexts.function[rows], distances)
        return np.where(farthest > 0, nearest, 0), farthest


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


def trace_stacks(stacks: Stacks, graph: CallGraph, folding: CycleFolding) -> CostFlow:
    """Return the inclusive cost of the function on both sides of it."""
    down, up = (_flow_side(stacks, graph, up=up) for up in (False, True))
    return CostFlow(graph, folding, down, up, is_exact=True)


def _flow_side(stacks: Stacks, graph: CallGraph, *, up: bool) -> FlowSide:
    costs, nodes = stacks.costs(up=up), stacks.functions
    costs[stacks.function] = graph.inclusive[stacks.function]
    return FlowSide(
        cost=costs,
        self_cost=stacks.own,
        count=np.zeros(nodes, np.int64),
        is_active=np.zeros(nodes, bool),
        share=quotients(costs, graph.inclusive),
        is_exact=np.ones(nodes, bool),
    )


def calls_of_stacks(
    stacks: Stacks, edges: CallEdges, edge_cost: CostArray, carries: BoolArray
) -> CallFlow:
    """Return the calls in the mask, shape (edges,), with what passes along them.

    A call that stacks have on both sides of the function is on the side where it costs more.
    """
    rows = np.flatnonzero(carries)
    below, above = (stacks.call_costs(edges, up=up)[0][rows] for up in (False, True))
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


def carrying_calls(stacks: Stacks, edges: CallEdges) -> BoolArray:
    """Return which calls the stacks have, without direct recursion, shape (edges,)."""
    below, above = (stacks.call_costs(edges, up=up)[1] for up in (False, True))
    carries: BoolArray = (below | above) & (edges.caller != edges.callee)
    return carries
