"""Numbers of recorded stacks: which contexts they are the sum of, and on which paths these are.

Every cost is a sum over contexts, each with what all stacks cost that pass through it. No two of
them are on one stack, so that recursion counts once, and nothing is an estimate.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.calls.stack_flow import Stacks
from qcachegrind_py.analysis.costs.function_costs import values_of_parts
from qcachegrind_py.analysis.costs.scope import Scope, is_active
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    AnyKey,
    CodePlace,
    EstimateKey,
    EstimateKind,
    Explanation,
    Measure,
    NumberKey,
    NumberKind,
    ProfileSum,
    StackPath,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts, distinct_rows
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NodeId, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MOST_PATHS = 20
_OF_CONTEXTS = (
    NumberKind.SELF,
    NumberKind.LINE_SELF,
    NumberKind.LINE_INCLUSIVE,
    NumberKind.INSTRUCTION_SELF,
    NumberKind.INSTRUCTION_INCLUSIVE,
    NumberKind.INCLUSIVE,
    NumberKind.CALL_COST,
)


@frozen
class _Passing:
    """Contexts of which no two are on one stack, and what they bring to a number."""

    rows: Int64Array
    values: Int64Array  # shape (events, rows)


def is_sum_of_contexts(key: AnyKey) -> bool:
    """Return whether a number is explained by contexts, and not by rows of costs and calls."""
    if isinstance(key, EstimateKey) or key.is_count:
        return True
    is_of_function = key.kind is not NumberKind.CALL_COST or key.place == CodePlace()
    return key.kind in _OF_CONTEXTS and is_of_function


def explain_stacks(
    queries: ProfileQueries, contexts: Contexts, key: AnyKey, event: EventType, scope: Scope
) -> Explanation:
    """Explain such a number by the paths to its contexts; how often is not known of any call."""
    nothing = ProfileSum(NO_ROWS, NO_ROWS)
    if key.is_count:
        return Explanation(key, event, 0, (), (), nothing, (), ())
    if isinstance(key, EstimateKey):
        event = queries.measured_event(event)
    passing = _ContextSum(queries, contexts, scope, event).passing(key)
    names, measured = queries.events.names, queries.events.constituents(event)
    chosen = [names.index(each.name) for each in measured]
    counted = passing.values[chosen].any(axis=0)
    passing = _Passing(passing.rows[counted], passing.values[:, counted])
    sums = passing.values.sum(axis=1)
    paths, more = _paths(queries, contexts, passing, event)
    return Explanation(
        key,
        event,
        as_number(queries.events.evaluate(event, sums[:, np.newaxis])[0]),
        terms=(),
        left_out=(),
        rows=nothing,
        measured=measured,
        sums=tuple(sums[chosen].tolist()),
        more=more,
        paths=paths,
        contexts=len(passing.rows),
    )


@frozen(eq=True)
class _ContextSum:
    """Finds the contexts of a number."""

    queries: ProfileQueries
    contexts: Contexts
    scope: Scope
    event: EventType

    def passing(self, key: AnyKey) -> _Passing:
        if isinstance(key, NumberKey):
            return self._of_number(key)
        if key.kind in (EstimateKind.FRAME, EstimateKind.BRANCH):
            return self._on_path(key)
        stacks = self._stacks(key.path[0])
        if key.kind is EstimateKind.GRAPH_CALL:
            return self._of_calls(stacks, key.path[1], key.path[2])
        if key.measure is Measure.SELF:
            rows = stacks.below[self.contexts.function[stacks.below] == key.path[-1]]
            return _Passing(rows, self._values[:, rows])
        if key.kind is EstimateKind.REACHED:
            return self._reached(stacks, key.path[-1], up=key.up)
        sides = [self._reached(stacks, key.path[-1], up=up) for up in (False, True)]
        return self._costlier(sides[0], sides[1])

    @property
    def _values(self) -> Int64Array:
        return values_of_parts(self.contexts, self.scope.parts)

    def _stacks(self, function: NodeId) -> Stacks:
        count = self.queries.function_count
        return Stacks(self.contexts, self.scope.parts, self._values, function, count)

    def _whole(self, rows: Int64Array) -> _Passing:
        return _Passing(rows, self.contexts.sums_below(self._values)[:, rows])

    def _outermost(self, is_chosen: BoolArray) -> Int64Array:
        if self.scope.parts is not None:
            is_chosen = is_chosen & is_active(self.contexts.part, self.scope.parts)
        rows = np.flatnonzero(is_chosen)
        return rows[self.contexts.are_outermost(np.zeros(len(rows), np.int64), rows)]

    def _of_number(self, key: NumberKey) -> _Passing:
        contexts, place = self.contexts, key.place
        is_chosen = contexts.function == key.node
        if key.kind is NumberKind.INCLUSIVE:
            return self._whole(self._outermost(is_chosen))
        if key.kind is NumberKind.CALL_COST:
            return self._whole(self._outermost(self._are_calls(key.node, key.callee)))
        if key.kind in (NumberKind.LINE_SELF, NumberKind.LINE_INCLUSIVE):
            is_chosen &= contexts.line == place.line
        elif place.address is not None and contexts.address is not None:
            is_chosen &= contexts.address == np.uint64(place.address)
        if key.kind in (NumberKind.LINE_INCLUSIVE, NumberKind.INSTRUCTION_INCLUSIVE):
            return self._whole(self._outermost(is_chosen))
        rows = np.flatnonzero(is_chosen)
        return _Passing(rows, self._values[:, rows])

    def _are_calls(self, caller: NodeId, callee: NodeId) -> BoolArray:
        contexts = self.contexts
        is_called = (contexts.parent >= 0) & (contexts.function[contexts.parent] == caller)
        are_calls: BoolArray = is_called & (contexts.function == callee)
        return are_calls

    # ---------------------------------------------------------------- through a function

    def _reached(self, stacks: Stacks, node: NodeId, *, up: bool) -> _Passing:
        """Return the contexts of a node on the stacks of a function, above it or below."""
        if node == stacks.function:
            rows = stacks.roots
        else:
            rows = stacks.above if up else stacks.below
            rows = rows[self.contexts.function[rows] == node]
            rows = rows[self.contexts.are_outermost(np.zeros(len(rows), np.int64), rows)]
        return _Passing(rows, stacks.passing[:, rows])

    def _of_calls(self, stacks: Stacks, caller: NodeId, callee: NodeId) -> _Passing:
        """Return the contexts of calls on the side of the function where they cost more."""
        sides = []
        below = np.setdiff1d(stacks.below, stacks.roots)
        for on_side in (below, np.union1d(stacks.above, stacks.roots)):
            is_on_side = np.zeros(len(self.contexts), bool)
            is_on_side[on_side] = True
            rows = self._outermost(self._are_calls(caller, callee) & is_on_side)
            sides.append(_Passing(rows, stacks.passing[:, rows]))
        return self._costlier(sides[0], sides[1])

    def _costlier(self, down: _Passing, up: _Passing) -> _Passing:
        """Return the side that the call graph shows, where both have the function or call."""
        sums = np.stack([side.values.sum(axis=1) for side in (down, up)], axis=1)
        below, above = self.queries.events.evaluate(self.event, sums)
        return up if above > below else down

    # ---------------------------------------------------------------- along a path

    def _on_path(self, key: EstimateKey) -> _Passing:
        """Return the contexts at the end of a path down, or at the beginning of one up."""
        contexts, path = self.contexts, key.path
        if not path:
            return self._whole(self._outermost(contexts.parent < 0))
        if key.is_inverted:
            rows = np.flatnonzero(contexts.function == path[0])
            begun = _Passing(rows, self._values[:, rows])
        elif key.is_program:
            is_first = (contexts.function == path[0]) & (contexts.parent < 0)
            begun = self._whole(self._outermost(is_first))
        else:
            begun = self._whole(self._outermost(contexts.function == path[0]))
        if key.up:
            return self._led_up(begun, path[1:])
        rows = begun.rows
        for node in path[1:]:
            is_above = np.zeros(len(contexts) + 1, bool)  # the last one: above outermost contexts
            is_above[rows] = True
            rows = np.flatnonzero(is_above[contexts.parent] & (contexts.function == node))
        if key.measure is Measure.SELF:
            return _Passing(rows, self._values[:, rows])
        return self._whole(rows)

    def _led_up(self, begun: _Passing, path: tuple[NodeId, ...]) -> _Passing:
        """Return the contexts that were called along the path, with what they begin with."""
        kept, above = np.arange(len(begun.rows)), begun.rows
        for node in path:
            above = self.contexts.parent[above].astype(np.int64)
            is_on_path = (above >= 0) & (self.contexts.function[above] == node)
            kept, above = kept[is_on_path], above[is_on_path]
        return _Passing(begun.rows[kept], begun.values[:, kept])


# ---------------------------------------------------------------- paths


def _paths(
    queries: ProfileQueries, contexts: Contexts, passing: _Passing, event: EventType
) -> tuple[tuple[StackPath, ...], tuple[int, int | float]]:
    """Return the costliest paths to contexts, and number and cost of the others."""
    if event.is_ratio:
        return (), (0, 0)
    path, first = _numbered_paths(contexts, passing.rows)
    cost = queries.events.evaluate(event, sums_by_group(passing.values, path, len(first)))
    order = np.argsort(-cost, kind="stable")
    paths = tuple(
        StackPath(
            _functions_above(contexts, int(passing.rows[first[place]])), as_number(cost[place])
        )
        for place in order[:_MOST_PATHS].tolist()
    )
    rest = order[_MOST_PATHS:]
    return paths, (len(rest), as_number(cost[rest].sum()) if len(rest) else 0)


def _numbered_paths(contexts: Contexts, rows: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Number the paths of functions to these contexts; return those, and a row for each number."""
    path = np.zeros(len(rows), np.int64)
    above, places = rows, np.arange(len(rows))
    while len(places):
        # a path that has ended is told from those that go on
        functions = np.full(len(rows), -1, np.int64)
        functions[places] = contexts.function[above]
        path, _ = distinct_rows([path, functions])
        above = contexts.parent[above].astype(np.int64)
        places, above = places[above >= 0], above[above >= 0]
    return path, np.unique(path, return_index=True)[1]


def _functions_above(contexts: Contexts, row: int) -> tuple[NodeId, ...]:
    """Return the functions on the stack of a context, from the outermost to its own."""
    rows = list[int]()
    while row >= 0:
        rows.append(row)
        row = int(contexts.parent[row])
    return tuple(node_ids(contexts.function[rows[::-1]]))
