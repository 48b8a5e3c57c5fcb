"""The queries on one profile, whose latest results are cached.

Views ask them, and opening a profile prepares the first results. Any thread may ask: results never
change, and of two threads that ask for the same, one computes it while the other waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeGuard

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import (
    CallAdjacency,
    CallGraph,
    call_adjacency,
    call_graph,
    root_nodes,
)
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
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, UserEvent, as_number
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
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.profile.weighted_cache import WeightedCache

_CACHE_SIZE = 8  # results of a query, for going back and forth between settings
_SCOPE_CACHE_SIZE = 3  # large results: a hundred MB each, for a profile of 150 MB
_CODE_CACHE_SIZE = 2  # each result keeps its decoded instructions, too
_FILTER_CACHE_SIZE = 1  # all views ask for the same filter

_EventKey = tuple[EventTypes, EventType, Scope]
_CodeKey = tuple[FunctionId, Parts]


class ProfileQueries:
    """Answers about one profile. Functions and cycles are numbered as `profile.ids` says."""

    def __init__(self, profile: Profile, texts: StringTable | None = None) -> None:
        """`texts` are the names to show, where these are not the recorded ones."""
        self.profile = profile
        self.function_count = len(profile.functions)
        self.events = profile.events  # and those that the user defined
        self.names = FunctionNames(profile, texts)
        self._call_edges = WeightedCache[Parts, CallEdges](_SCOPE_CACHE_SIZE)
        self._costs = WeightedCache[Scope, FunctionCosts](_SCOPE_CACHE_SIZE)
        self._adjacency = WeightedCache[Scope, CallAdjacency](_SCOPE_CACHE_SIZE)
        self._self_cost = WeightedCache[_EventKey, CostArray](_CACHE_SIZE)
        self._inclusive = WeightedCache[_EventKey, CostArray](_CACHE_SIZE)
        self._call_graph = WeightedCache[_EventKey, CallGraph](_CACHE_SIZE)
        self._total = WeightedCache[tuple[EventTypes, EventType, Parts], Total](_CACHE_SIZE)
        self._groups = WeightedCache[Grouping, Groups](_CACHE_SIZE)
        self._visible = WeightedCache[tuple[_EventKey, Filter], BoolArray](_FILTER_CACHE_SIZE)
        self._lines = WeightedCache[_CodeKey, LineCosts](_CACHE_SIZE)
        self._instructions = WeightedCache[_CodeKey, InstructionCosts](_CACHE_SIZE)
        self._blocks = WeightedCache[tuple[_CodeKey, int, Code], BasicBlocks](_CODE_CACHE_SIZE)

    @cached_property
    def has_levels(self) -> bool:
        """Whether the profile has recursion levels that can be folded."""
        return has_levels(self.profile)

    @cached_property
    def _part_totals(self) -> Int64Array:
        return part_totals(self.profile)

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
        return self._costs.get(scope, lambda: self._compute_costs(scope))

    def _compute_costs(self, scope: Scope) -> FunctionCosts:
        costs = function_costs(self.profile, cycles=scope.cycles, parts=scope.parts, cut=scope.cut)
        return with_cycles(costs, self.call_edges(scope.parts))

    def call_edges(self, parts: Parts = None) -> CallEdges:
        """Who called whom."""
        return self._call_edges.get(parts, lambda: call_edges(self.profile, parts))

    def self_cost(self, event: EventType, scope: Scope) -> CostArray:
        """The self cost of all functions and cycles."""
        events = self.events
        return self._self_cost.get(
            (events, event, scope), lambda: events.evaluate(event, self.costs(scope).self_cost)
        )

    def inclusive(self, event: EventType, scope: Scope) -> CostArray:
        """The inclusive cost of all functions and cycles."""
        events = self.events
        return self._inclusive.get(
            (events, event, scope), lambda: events.evaluate(event, self.costs(scope).inclusive)
        )

    def total(self, event: EventType, parts: Parts = None) -> Total:
        """What all functions cost together, and what percentages are of."""
        events = self.events
        return self._total.get(
            (events, event, parts),
            lambda: total(self.profile, event, parts, events, self._part_totals),
        )

    def part_totals(self) -> Int64Array:
        """The sum of self costs of each part, active or not, shape (events, parts)."""
        return self._part_totals

    def call_graph(self, event: EventType, scope: Scope) -> CallGraph:
        """The calls between functions and cycles. Not for a ratio, which cannot be shared out."""
        events = self.events
        return self._call_graph.get(
            (events, event, scope),
            lambda: call_graph(self._call_adjacency(scope), self.costs(scope), events, event),
        )

    def _call_adjacency(self, scope: Scope) -> CallAdjacency:
        """Who calls whom in the scope, whatever the event."""
        return self._adjacency.get(
            scope,
            lambda: call_adjacency(
                self.call_edges(scope.parts), self.costs(scope), self.function_count
            ),
        )

    def labels(self, scope: Scope, *, short: bool = False) -> Labels:
        """The names to show."""
        return Labels(self.names, self.costs(scope).cycle, short=short)

    def groups(self, grouping: Grouping, scope: Scope) -> Groups:
        """Functions by what they are of. Classes take long the first time: ask in a job."""
        cycle = self.costs(scope).cycle
        if grouping is Grouping.CYCLE:
            return cycle_groups(cycle, self.function_count)
        groups = self._function_groups(grouping)
        of_entry = extended_by_first_member(groups.group_of_node, cycle)
        return Groups(groups.names, of_entry)

    def _function_groups(self, grouping: Grouping) -> Groups:
        """The groups of functions alone, which do not depend on the scope."""
        return self._groups.get(grouping, lambda: group_functions(self.names, grouping))

    def prepare(self, event: EventType, scope: Scope) -> None:
        """Answer ahead, in a job, what the views ask first."""
        self.self_cost(event, scope)
        self.inclusive(event, scope)
        self.total(event, scope.parts)
        self._call_adjacency(scope)
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
        return self._visible.get(
            ((self.events, event, scope), filter_),
            lambda: self._evaluate_filter(filter_, event, scope),
        )

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
        groups = self._function_groups(Grouping.CLASS)
        return TextColumn.from_indexed(groups.names, groups.group_of_node)

    # ---------------------------------------------------------------- one function or cycle

    def is_function(self, node: NodeId) -> TypeGuard[FunctionId]:
        """Whether the node is a function, not a cycle."""
        return is_function(node, self.function_count)

    def as_function(self, node: NodeId) -> FunctionId:
        """The node as a function; raises `ValueError` for a cycle, which has no code of its own."""
        if not self.is_function(node):
            raise ValueError("a cycle is not a function")
        return node

    def cycle_of(self, node: NodeId, scope: Scope) -> NodeId:
        """The cycle that the node is a member of, or is itself; `NO_NODE` for none."""
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
        return self._lines.get(
            (function, parts),
            lambda: function_lines(self.profile, function, parts, with_hosts=True),
        )

    def lines_of_file(
        self, file: TextId, parts: Parts, function: FunctionId = NO_FUNCTION
    ) -> LineCosts:
        """The source lines of a file: those of one function, or of all where none is given."""
        if function == NO_FUNCTION:
            return file_lines(self.profile, file, parts)
        return lines_in_file(function_lines(self.profile, function, parts), file)

    def instructions(self, function: FunctionId, parts: Parts) -> InstructionCosts:
        """The instructions of a function; raises `ValueError` where none were recorded."""
        return self._instructions.get(
            (function, parts), lambda: instruction_costs(self.profile, function, parts)
        )

    def basic_blocks(self, function: FunctionId, scope: Scope, code: Code) -> BasicBlocks:
        """The basic blocks of a function, of the recorded addresses where `code` is empty.

        Raises `ValueError` where no instructions were recorded. Remembered while `code` is the same
        object: it is not compared.
        """
        called = int(self.costs(scope).called[function])
        return self._blocks.get(
            ((function, scope.parts), called, code),
            lambda: basic_blocks(
                self.profile, self.instructions(function, scope.parts), code, called
            ),
        )

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
        cycles: list[Int64Array] = []
        if not scope.cycles or scope.cut:
            whole = self.costs(Scope(scope.parts))
            cycles = root_cycles(whole, self.call_edges(scope.parts), self.function_count)
        return root_nodes(self.call_graph(event, scope), cycles)

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
        if mains:
            return max(mains, key=inclusive.__getitem__)
        return function_id(int(np.argmax(inclusive)))

    def first_member(self, node: NodeId, scope: Scope) -> FunctionId:
        """The first function of a cycle; a function itself."""
        if self.is_function(node):
            return node
        return function_at(cycle_members(node, self.costs(scope), self.function_count), 0)

    def translate_node(self, after: Scope, node: NodeId, *, before: Scope) -> NodeId:
        """The function or cycle of one scope as another scope numbers it."""
        return translate_node(self.costs(after), node, self.costs(before), self.function_count)
