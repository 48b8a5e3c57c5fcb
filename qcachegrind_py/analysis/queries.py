"""The questions about one profile, each answered once.

The views ask them; opening a profile prepares the first answers. Answers are arrays that nobody
changes, so any thread may ask; two that ask the same at once do the work twice and get equal ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TypeGuard

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph, call_adjacency, call_graph
from qcachegrind_py.analysis.calls.direct_calls import DirectCalls, direct_callees, direct_callers
from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits, build_subgraph
from qcachegrind_py.analysis.calls.transitive_calls import (
    TransitiveCalls,
    transitive_callees,
    transitive_callers,
)
from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, basic_blocks
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts, instruction_costs
from qcachegrind_py.analysis.code.instructions import Code
from qcachegrind_py.analysis.code.line_costs import (
    LineCosts,
    file_lines,
    function_lines,
    has_lines,
    lines_in_file,
)
from qcachegrind_py.analysis.costs.call_edges import CallEdges, call_edges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, function_costs
from qcachegrind_py.analysis.costs.nodes import (
    cycle_members,
    extended_by_first_member,
    root_cycles,
    translate_node,
    with_cycles,
)
from qcachegrind_py.analysis.costs.part_totals import (
    PartCosts,
    Total,
    part_costs,
    part_totals,
    total,
)
from qcachegrind_py.analysis.costs.recursion_levels import has_levels
from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.filters.expression import Filter, FilterSubject, matching_functions
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.groups import Grouping, Groups, cycle_groups, group_functions
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.events import CostArray, EventType, UserEvent, as_number
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    FunctionId,
    NodeId,
    TextId,
    cycle_node,
    function_at,
    function_id,
    is_function,
    node_ids,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_CACHE_SIZE = 8  # answers a question, for going back and forth between settings
_SCOPE_CACHE_SIZE = 3  # of what is large: a hundred MB each, of a profile of 150 MB
_CODE_CACHE_SIZE = 2  # each keeps its decoded instructions, too


class ProfileQueries:
    """Answers about one profile. Functions and cycles are numbered as `entries` says."""

    def __init__(self, profile: Profile, texts: StringTable | None = None) -> None:
        """`texts` are the names to show, where these are not the recorded ones."""
        self.profile = profile
        self.function_count = len(profile.functions)
        self.events = profile.events  # and those that the user defined
        self.names = names = FunctionNames(profile, texts)
        # remembered by all arguments: with a default left out, one question would be two
        # (and through local names: through `self` it would keep itself and the profile in memory)
        self._call_edges = pairs = lru_cache(_SCOPE_CACHE_SIZE)(
            lambda parts: call_edges(profile, parts)
        )
        self._costs = costs = lru_cache(_SCOPE_CACHE_SIZE)(
            lambda scope: with_cycles(
                function_costs(profile, cycles=scope.cycles, parts=scope.parts, cut=scope.cut),
                pairs(scope.parts),
            )
        )
        self._self_cost = lru_cache(_CACHE_SIZE)(
            lambda events, event, scope: events.evaluate(event, costs(scope).self_cost)
        )
        self._inclusive = lru_cache(_CACHE_SIZE)(
            lambda events, event, scope: events.evaluate(event, costs(scope).inclusive)
        )
        self._adjacency = shape = lru_cache(_SCOPE_CACHE_SIZE)(
            lambda scope: call_adjacency(pairs(scope.parts), costs(scope), len(profile.functions))
        )
        self._call_graph = lru_cache(_CACHE_SIZE)(
            lambda events, event, scope: call_graph(shape(scope), costs(scope), events, event)
        )
        self._part_totals = totals = lru_cache(1)(lambda: part_totals(profile))
        self._total = lru_cache(_CACHE_SIZE)(
            lambda events, event, parts: total(profile, event, parts, events, totals())
        )
        self._groups = lru_cache(_CACHE_SIZE)(lambda grouping: group_functions(names, grouping))
        self._lines = lru_cache(_CACHE_SIZE)(
            lambda function, parts: function_lines(profile, function, parts, with_hosts=True)
        )
        self._instructions = instructions = lru_cache(_CACHE_SIZE)(
            lambda function, parts: instruction_costs(profile, function, parts)
        )
        self._blocks = lru_cache(_CODE_CACHE_SIZE)(
            lambda function, parts, called, code: basic_blocks(
                profile, instructions(function, parts), code, called
            )
        )
        self._last_visible: tuple[object, BoolArray] | None = (
            None  # all views ask for the same filter
        )

    @cached_property
    def has_levels(self) -> bool:
        """Whether the profile has recursion levels that can be folded."""
        return has_levels(self.profile)

    @cached_property
    def has_lines(self) -> bool:
        """Whether source lines were recorded."""
        return has_lines(self.profile)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Offer the user's events, too."""
        self.events = self.profile.events.with_user_events(user_events)

    # ---------------------------------------------------------------- all functions

    def costs(self, scope: Scope) -> FunctionCosts:
        """What all functions and cycles cost, in all measured events."""
        return self._costs(scope)

    def call_edges(self, parts: Parts = None) -> CallEdges:
        """Who called whom."""
        return self._call_edges(parts)

    def self_cost(self, event: EventType, scope: Scope) -> CostArray:
        """The self cost of all functions and cycles."""
        costs: CostArray = self._self_cost(self.events, event, scope)
        return costs

    def inclusive(self, event: EventType, scope: Scope) -> CostArray:
        """The inclusive cost of all functions and cycles."""
        costs: CostArray = self._inclusive(self.events, event, scope)
        return costs

    def total(self, event: EventType, parts: Parts = None) -> Total:
        """What all functions cost together, and what percentages are of."""
        return self._total(self.events, event, parts)

    def part_totals(self) -> Int64Array:
        """The sum of self costs of each part, active or not, shape (events, parts)."""
        return self._part_totals()

    def call_graph(self, event: EventType, scope: Scope) -> CallGraph:
        """The calls between functions and cycles. Not for a ratio, which cannot be shared out."""
        return self._call_graph(self.events, event, scope)

    def labels(self, scope: Scope, *, short: bool = False) -> Labels:
        """The names to show."""
        return Labels(self.names, self.costs(scope).cycle, short=short)

    def groups(self, grouping: Grouping, scope: Scope) -> Groups:
        """Functions by what they are of. Classes take long the first time: ask in a job."""
        cycle = self.costs(scope).cycle
        if grouping is Grouping.CYCLE:
            return cycle_groups(cycle, self.function_count)
        groups = self._groups(grouping)
        of_entry = extended_by_first_member(groups.group_of_node, cycle)
        return Groups(groups.names, of_entry)

    def prepare(self, event: EventType, scope: Scope) -> None:
        """Answer ahead, in a job, what the views ask first."""
        self.self_cost(event, scope)
        self.inclusive(event, scope)
        self.total(event, scope.parts)
        self._adjacency(scope)
        _ = self.has_levels, self.has_lines

    def group_costs(self, grouping: Grouping, event: EventType, scope: Scope) -> CostArray:
        """The self costs of the groups: computed from their sums, as a ratio must be."""
        groups = self.groups(grouping, scope)
        sums = groups.sums(self.costs(scope).self_cost, self.function_count)
        costs: CostArray = self.events.evaluate(event, sums)
        return costs

    def measured_event(self, event: EventType) -> EventType:
        """An event that is counted: the first one where this is a ratio."""
        return self.events.measured[0] if event.is_ratio else event

    def visible_nodes(self, filter_: Filter, event: EventType, scope: Scope) -> BoolArray | None:
        """Which functions pass the filter, and cycles of which a member does; None for all."""
        if not filter_:
            return None
        key, passed = (self.events, filter_, event, scope), self._last_visible
        if passed is None or passed[0] != key:  # a job may ask, too: look once, then use that
            passed = self._last_visible = key, self._evaluate_filter(filter_, event, scope)
        return passed[1]

    def _evaluate_filter(self, filter_: Filter, event: EventType, scope: Scope) -> BoolArray:
        costs = self.costs(scope)
        subject = FilterSubject(
            names=self.names,
            classes=lambda: self._classes,
            self_cost=self.self_cost(event, scope)[: self.function_count],
            inclusive=self.inclusive(event, scope)[: self.function_count],
            called=costs.called[: self.function_count],
            cycle=costs.cycle[: self.function_count],
            total=0 if event.is_ratio else int(self.total(event, scope.parts).base),
        )
        passing = matching_functions(filter_, subject)
        cycles = np.zeros(len(costs.cycle) - self.function_count, bool)
        cycles[costs.cycle[: self.function_count][passing & (subject.cycle > 0)] - 1] = True
        return np.concatenate((passing, cycles))

    @cached_property
    def _classes(self) -> TextColumn:
        """The class of each function."""
        groups = self._groups(Grouping.CLASS)
        return TextColumn.from_indexed(groups.names, groups.group_of_node)

    # ---------------------------------------------------------------- one function or cycle

    def is_function(self, node: NodeId) -> TypeGuard[FunctionId]:
        """Whether the node is a function, and no cycle."""
        return is_function(node, self.function_count)

    def as_function(self, node: NodeId) -> FunctionId:
        """The node, which must be a function: a cycle has no code of its own.

        Raises `ValueError` for a cycle.
        """
        if not self.is_function(node):
            raise ValueError("a cycle is no function")
        return node

    def cycle_of(self, node: NodeId, scope: Scope) -> NodeId:
        """The cycle that the function is a member of, or that the node is; `NO_NODE` for none."""
        cycle = int(self.costs(scope).cycle[node])
        return cycle_node(cycle, self.function_count) if cycle else NO_NODE

    def node_costs(
        self, node: NodeId, event: EventType, scope: Scope
    ) -> tuple[int | float, int | float]:
        """Inclusive and self cost of one function or cycle, whatever the others cost."""
        costs, one = self.costs(scope), [node]
        inclusive = self.events.evaluate(event, costs.inclusive[:, one])
        own = self.events.evaluate(event, costs.self_cost[:, one])
        return as_number(inclusive[0]), as_number(own[0])

    def callers(self, node: NodeId, scope: Scope) -> DirectCalls:
        """Who called the function."""
        return direct_callers(
            node, self.call_edges(scope.parts), self.costs(scope), self.function_count
        )

    def callees(self, node: NodeId, scope: Scope) -> DirectCalls:
        """Whom the function called."""
        return direct_callees(
            node, self.call_edges(scope.parts), self.costs(scope), self.function_count
        )

    def transitive_callers(self, node: NodeId, event: EventType, scope: Scope) -> TransitiveCalls:
        """Everybody who led to the function, by an estimate."""
        return transitive_callers(node, self.call_graph(event, scope))

    def transitive_callees(self, node: NodeId, event: EventType, scope: Scope) -> TransitiveCalls:
        """Everything the function led to, by an estimate."""
        return transitive_callees(node, self.call_graph(event, scope))

    def lines(self, function: FunctionId, parts: Parts) -> LineCosts:
        """The source lines of a function, those of other files under the lines that host them."""
        return self._lines(function, parts)

    def lines_of_file(
        self, file: TextId, parts: Parts, function: FunctionId = NO_FUNCTION
    ) -> LineCosts:
        """The source lines of a file: those of one function, or of all where none is given."""
        if function == NO_FUNCTION:
            return file_lines(self.profile, file, parts)
        return lines_in_file(function_lines(self.profile, function, parts), file)

    def instructions(self, function: FunctionId, parts: Parts) -> InstructionCosts:
        """The instructions of a function; raises `ValueError` where none were recorded."""
        return self._instructions(function, parts)

    def basic_blocks(self, function: FunctionId, scope: Scope, code: Code) -> BasicBlocks:
        """The basic blocks of a function, of the recorded addresses where `code` is empty.

        Raises `ValueError` where no instructions were recorded. Remembered while `code` is the same
        object: it is not compared.
        """
        called = int(self.costs(scope).called[function])
        return self._blocks(function, scope.parts, called, code)

    def subgraph(
        self,
        node: NodeId,
        event: EventType,
        scope: Scope,
        limits: SubgraphLimits,
        filter_: Filter | None = None,
    ) -> Subgraph:
        """The call graph around the function. Takes long in large profiles: ask in a job."""
        pairs = self.call_edges(scope.parts)
        return build_subgraph(
            node,
            self.call_graph(event, scope),
            pairs,
            self.events.evaluate(event, pairs.inclusive),
            self.costs(scope).cycle,
            self.function_count,
            limits,
            self.visible_nodes(filter_, event, scope) if filter_ is not None else None,
        )

    def root_nodes(self, event: EventType, scope: Scope) -> list[NodeId]:
        """The functions and cycles that nobody called, and that cost something.

        Where functions that nobody else called call each other round, and are not counted as one
        cycle, it is the costliest of them.
        """
        graph = self.call_graph(event, scope)
        is_called = np.diff(graph.adjacency.callee_start) > 0
        is_top = ~is_called & (graph.inclusive > 0).astype(bool)
        if not scope.cycles or scope.cut:
            whole = self.costs(Scope(scope.parts))
            for members in root_cycles(whole, self.call_edges(scope.parts), self.function_count):
                top = members[np.argmax(graph.inclusive[members])]
                is_top[top] |= not is_top[members].any() and bool(graph.inclusive[top] > 0)
        return node_ids(np.flatnonzero(is_top))

    def part_costs(self, node: NodeId, scope: Scope) -> PartCosts:
        """What the function cost in each part, active or not."""
        return part_costs(self.profile, self.costs(scope), node)

    def initial_function(self, event: EventType, scope: Scope) -> FunctionId:
        """Where to begin: `main`, or else the costliest function; `NO_FUNCTION` if there are none.

        Without calls, where `main` has no inclusive cost, it is the costliest by itself.
        """
        if not self.function_count:
            return NO_FUNCTION
        measured = self.measured_event(event)
        if not len(self.profile.calls):  # main is as good as any, and costs nothing by itself
            own = self.self_cost(measured, scope)[: self.function_count]
            return function_id(int(np.argmax(own)))
        inclusive = self.inclusive(measured, scope)[: self.function_count]
        mains = [f for f in self.names.with_name("main") if inclusive[f] > 0]
        return (
            max(mains, key=inclusive.__getitem__)
            if mains
            else function_id(int(np.argmax(inclusive)))
        )

    def first_member(self, node: NodeId, scope: Scope) -> FunctionId:
        """The first function of a cycle; a function itself."""
        if self.is_function(node):
            return node
        return function_at(cycle_members(node, self.costs(scope), self.function_count), 0)

    def translate_node(self, after: Scope, node: NodeId, *, before: Scope) -> NodeId:
        """The function or cycle of one scope as another scope numbers it."""
        return translate_node(self.costs(after), node, self.costs(before), self.function_count)
