"""Cached queries on one profile, also with functions folded, for views, reports and commands.

Opening a profile computes the first results. Results are immutable, so any thread may query; if two
threads need the same result, one computes it while the other waits.

Queries on a profile in which functions are folded into their callers.

Functions have the numbers that they have in the profile before folding, and those that are folded
have neither costs nor calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import (
    AccountedCalls,
    CallAdjacency,
    CallGraph,
    CallStack,
    DirectCalls,
    FrameRoots,
    account_for_calls,
    call_adjacency,
    call_graph,
    costliest_path,
    costliest_stack,
    direct_callees,
    direct_callers,
    extended_stack,
)
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    LineCosts,
    file_lines,
    function_lines,
    has_lines,
    instruction_costs,
    lines_in_file,
)
from qcachegrind_py.analysis.costs.function_costs import (
    CallEdges,
    CallPairs,
    FunctionCosts,
    call_edges,
    call_pairs,
    cycle_members,
    extended_by_first_member,
    find_cycles,
    function_costs,
    translate_node,
    with_cycles,
    with_marked_cycles,
)
from qcachegrind_py.analysis.costs.recursion_levels import has_levels
from qcachegrind_py.analysis.costs.scope import Parts, Scope, calls_of_active_parts
from qcachegrind_py.analysis.costs.sums import segment_sums, sums_by_group
from qcachegrind_py.analysis.costs.totals import PartCosts, Total, part_costs, part_totals, total
from qcachegrind_py.analysis.filters.conditions import (
    BaseSide,
    FilterSubject,
    Fold,
    FoldKind,
    folded_functions,
)
from qcachegrind_py.analysis.filters.expression import Filter, matching_functions
from qcachegrind_py.analysis.folding.fold import (
    CallbackPairs,
    Folding,
    Origins,
    call_origins,
    cost_origins,
    fold_functions,
)
from qcachegrind_py.analysis.names.function_names import (
    FunctionNames,
    Grouping,
    Groups,
    Labels,
    cycle_groups,
    group_functions,
)
from qcachegrind_py.analysis.names.group_colors import (
    HUE_COUNT,
    NO_GROUPS,
    GroupHues,
    distinct_hues,
)
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import (
    CostArray,
    EventType,
    EventTypes,
    UserEvent,
    as_number,
    first_counted,
)
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    NO_TEXT,
    FunctionId,
    NodeId,
    TextId,
    cycle_node,
    function_at,
    function_id,
    is_function,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress, WeightedCache
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable

if TYPE_CHECKING:
    from qcachegrind_py.analysis.calls.call_tree import SearchedBranches
    from qcachegrind_py.analysis.calls.context_trees import ContextCosts
    from qcachegrind_py.analysis.calls.cost_flow import TransitiveCalls
    from qcachegrind_py.analysis.calls.frame_tree import FrameTree
    from qcachegrind_py.analysis.calls.stack_flow import Stacks
    from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
    from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
    from qcachegrind_py.analysis.code.instructions import Code

    _Base = Callable[[], BaseSide] | None
    _BlocksKey = tuple[tuple[FunctionId, Parts], int, Code]


_CACHE_SIZE = 8  # results of a query, for going back and forth between settings
_FRAMES = 2  # of which pairs of calls are kept
_SCOPE_CACHE_SIZE = 3  # large results: a hundred MB each, for a profile of 150 MB
_FIRST_ROWS = 1000  # have costs in nearly every profile: the other 25 million are not read
_CODE_CACHE_SIZE = 2  # each result keeps its decoded instructions, too
_FILTER_CACHE_SIZE = 1  # all views ask for the same filter

_EventKey = tuple[EventTypes, EventType, Scope]
_ContextsKey = tuple[EventTypes, EventType, tuple[Parts, ...]]
_CodeKey = tuple[FunctionId, Parts]


class ProfileQueries:
    """Queries on one profile, with cached results; nodes are numbered as in `profile.ids`."""

    folding: Folding | None = None  # how functions were folded into their callers

    def __init__(
        self, profile: Profile, texts: StringTable | None = None, *, scopes: int = _SCOPE_CACHE_SIZE
    ) -> None:
        """Prepare the queries; `texts` are the names to show, by default the recorded ones.

        Results of so many `scopes` are kept.
        """
        self.profile = profile
        self.function_count = len(profile.functions)
        self.events = profile.events  # includes user events once they are set
        self.names = FunctionNames(profile, texts)
        self._is_zero: dict[EventType, bool] = {}  # whether measured events counted nothing
        self._call_edges = WeightedCache[tuple[Parts, Parts], CallEdges](scopes)
        self._call_pairs = WeightedCache[Parts, CallPairs](_FRAMES)
        self._costs = WeightedCache[Scope, FunctionCosts](scopes)
        self._adjacency: WeightedCache[Scope, CallAdjacency] = WeightedCache(scopes)
        self._self_cost = WeightedCache[_EventKey, CostArray](_CACHE_SIZE)
        self._inclusive = WeightedCache[_EventKey, CostArray](_CACHE_SIZE)
        self._call_graph: WeightedCache[_EventKey, CallGraph] = WeightedCache(_CACHE_SIZE)
        self._accounted: WeightedCache[_EventKey, AccountedCalls] = WeightedCache(_CACHE_SIZE)
        self._program: WeightedCache[tuple[_EventKey, int], AccountedCalls] = WeightedCache(
            _CACHE_SIZE
        )
        self._contexts: WeightedCache[_ContextsKey, ContextCosts] = WeightedCache(scopes)
        self._total = WeightedCache[tuple[EventTypes, EventType, Parts], Total](_CACHE_SIZE)
        self._groups = WeightedCache[Grouping, Groups](_CACHE_SIZE)
        self._hues = WeightedCache[Grouping, GroupHues](_CACHE_SIZE)
        self._visible = WeightedCache[tuple[_EventKey, Filter], BoolArray](_FILTER_CACHE_SIZE)
        self._lines: WeightedCache[tuple[*_CodeKey, TextId], LineCosts] = WeightedCache(_CACHE_SIZE)
        self._instructions: WeightedCache[_CodeKey, InstructionCosts] = WeightedCache(_CACHE_SIZE)
        self._blocks: WeightedCache[_BlocksKey, BasicBlocks] = WeightedCache(_CODE_CACHE_SIZE)

    @cached_property
    def has_levels(self) -> bool:
        """Whether the profile has recursion levels that can be folded."""
        return has_levels(self.profile)

    @cached_property
    def part_totals(self) -> Int64Array:
        """The sum of self costs of each part, active or not, shape (events, parts)."""
        return part_totals(self.profile)

    @cached_property
    def has_lines(self) -> bool:
        """Whether source lines were recorded."""
        return has_lines(self.profile)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Add the user's events to those of the profile."""
        self.events = self.profile.events.with_user_events(user_events)

    def costs(self, scope: Scope) -> FunctionCosts:
        """Return the costs of all functions and cycles, in all measured events."""
        return self._costs.get(scope, lambda: self._compute_costs(scope))

    def _compute_costs(self, scope: Scope) -> FunctionCosts:
        costs = function_costs(
            self.profile, cycles=scope.cycles, parts=scope.parts, cut=scope.cut, frame=scope.frame
        )
        return with_cycles(costs, self.call_edges(scope))

    def call_edges(self, scope: Scope) -> CallEdges:
        """Return the calls between functions."""
        parts, frame = scope.parts, scope.frame
        return self._call_edges.get(
            (parts, frame),
            lambda: call_edges(self.profile, parts, frame, self._pairs_of_frame(frame)),
        )

    def _pairs_of_frame(self, frame: Parts) -> CallPairs | None:
        """Return the pairs of the calls of a frame, which may have hundreds of scopes."""
        if frame is None:
            return None
        profile, functions = self.profile, len(self.profile.functions)
        return self._call_pairs.get(
            frame, lambda: call_pairs(calls_of_active_parts(profile, frame), functions)
        )

    def self_cost(self, event: EventType, scope: Scope) -> CostArray:
        """Return the self cost of all functions and cycles, shape (nodes,)."""
        events = self.events
        return self._self_cost.get(
            (events, event, scope), lambda: events.evaluate(event, self.costs(scope).self_cost)
        )

    def inclusive(self, event: EventType, scope: Scope) -> CostArray:
        """Return the inclusive cost of all functions and cycles, shape (nodes,)."""
        events = self.events
        return self._inclusive.get(
            (events, event, scope), lambda: events.evaluate(event, self.costs(scope).inclusive)
        )

    def total(self, event: EventType, parts: Parts) -> Total:
        """Return the total cost of all functions, which percentages refer to."""
        events = self.events
        return self._total.get(
            (events, event, parts),
            lambda: total(self.profile, event, parts, events, self.part_totals),
        )

    def call_graph(self, event: EventType, scope: Scope) -> CallGraph:
        """Return the call graph; ratios are not supported, as they cannot be distributed."""
        events = self.events
        return self._call_graph.get(
            (events, event, scope),
            lambda: call_graph(self._call_adjacency(scope), self.costs(scope), events, event),
        )

    def accounted_calls(self, event: EventType, scope: Scope) -> AccountedCalls:
        """Return the calls so that what is inside each function adds up; no ratios."""
        return self._accounted.get(
            (self.events, event, scope),
            lambda: account_for_calls(self.call_graph(event, scope), self.function_count),
        )

    def program_calls(
        self, event: EventType, scope: Scope, total: int | None = None
    ) -> AccountedCalls:
        """Return the calls so that they add up to the total of the program; no ratios.

        By default that is the total which percentages refer to.
        """
        whole = int(self.total(event, scope.parts).base) if total is None else total
        return self._program.get(
            ((self.events, event, scope), whole),
            lambda: self.accounted_calls(event, scope).of_program(whole),
        )

    # ---------------------------------------------------------------- trees

    def frame_tree(
        self,
        node: NodeId,
        event: EventType,
        scope: Scope,
        *,
        base: Scope | None = None,
        up: bool = False,
        of_recorded: bool = True,
        **options: Any,
    ) -> FrameTree:
        """Return the frames of a node, or with `NO_NODE` of the whole program; no ratios.

        The program `up` is inverted; if not `of_recorded`, it costs what is counted. With a `base`
        the frames are those of both sides. `options` are those of `build_frame_tree`.
        """
        scopes = (scope,) if base is None else (base, scope)
        if (costs := self._context_costs(event, *scopes)) is not None:
            return costs.frame_tree(node, up=up, **options)
        from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree

        new = self._calls_from(node, event, scope, up=up, of_recorded=of_recorded)
        old = None
        if base is not None:
            old = self._calls_from(node, event, base, up=up, of_recorded=of_recorded)
        return build_frame_tree(*new, base=old, up=up, **options)

    def call_branches(
        self,
        node: NodeId,
        event: EventType,
        scope: Scope,
        visible: BoolArray | None,
        *,
        up: bool = False,
        of_recorded: bool = True,
    ) -> SearchedBranches:
        """Return the branches of a call tree; the arguments are as of `frame_tree`."""
        if (costs := self._context_costs(event, scope)) is not None:
            return costs.branches(node, visible, up=up)
        from qcachegrind_py.analysis.calls.call_tree import CallBranches, InvertedBranches

        calls, _ = self._calls_from(node, event, scope, up=up, of_recorded=of_recorded)
        if up and node == NO_NODE:
            return InvertedBranches(calls, visible)
        return CallBranches(calls, visible, up=up)

    def _calls_from(
        self, node: NodeId, event: EventType, scope: Scope, *, up: bool, of_recorded: bool
    ) -> tuple[AccountedCalls, FrameRoots]:
        """Return the calls to unfold, and where that begins."""
        if node != NO_NODE:
            calls = self.accounted_calls(event, scope)
            return calls, calls.roots_at([node])
        total = self.total(event, scope.parts)
        whole = int(total.base if of_recorded else total.counted)
        calls = self.program_calls(event, scope, whole)
        return calls, calls.self_roots() if up else calls.program_roots()

    def _context_costs(self, event: EventType, *scopes: Scope) -> ContextCosts | None:
        """Return what the contexts cost in each scope; None if the profile has calls alone."""
        contexts, events = self.profile.contexts, self.events
        if contexts is None:
            return None
        from qcachegrind_py.analysis.calls.context_trees import context_costs

        parts = tuple(scope.parts for scope in scopes)
        return self._contexts.get(
            (events, event, parts), lambda: context_costs(contexts, events, event, parts)
        )

    def costliest_stack(self, node: NodeId, event: EventType, scope: Scope) -> CallStack:
        """Return the costliest callers above a node and the costliest callees below it."""
        if (costs := self._context_costs(event, scope)) is not None:
            return costs.costliest_stack(node)
        return costliest_stack(node, self.call_graph(event, scope))

    def extended_stack(
        self, stack: CallStack, node: NodeId, event: EventType, scope: Scope
    ) -> CallStack:
        """Return a stack after a step to a node, keeping the path to it where possible."""
        if (costs := self._context_costs(event, scope)) is not None:
            return costs.extended_stack(stack, node)
        graph = self.call_graph(event, scope)
        return extended_stack(stack, node, graph, self.cycle_of(node, scope))

    def costliest_path(
        self, node: NodeId, event: EventType, scope: Scope, passable: BoolArray | None
    ) -> tuple[NodeId, ...]:
        """Return the costliest path from a root down to a node, through the nodes of a mask."""
        if (costs := self._context_costs(event, scope)) is not None:
            return costs.costliest_path(node, passable)
        return costliest_path(node, self.call_graph(event, scope), passable)

    def _call_adjacency(self, scope: Scope) -> CallAdjacency:
        """Return the edges of the call graph in the scope, with costs in all events."""
        return self._adjacency.get(
            scope,
            lambda: call_adjacency(self.call_edges(scope), self.costs(scope), self.function_count),
        )

    def labels(self, scope: Scope, *, short: bool = False) -> Labels:
        """Return the names to show."""
        return Labels(self.names, self.costs(scope).cycle, short=short)

    def groups(self, grouping: Grouping, scope: Scope, progress: Progress | None = None) -> Groups:
        """Group the functions; the first grouping by class is slow and belongs in a job."""
        cycle = self.costs(scope).cycle
        if grouping is Grouping.CYCLE:
            return cycle_groups(cycle, self.function_count)
        groups = self._function_groups(grouping, progress)
        group_of_node = extended_by_first_member(groups.group_of_node, cycle)
        return Groups(groups.names, group_of_node)

    def _function_groups(self, grouping: Grouping, progress: Progress | None = None) -> Groups:
        """Return the groups of functions, independent of the scope."""
        return self._groups.get(grouping, lambda: group_functions(self.names, grouping, progress))

    def prepare(self, event: EventType, scope: Scope) -> None:
        """Fill the caches, in a job, with the results that the views query first."""
        self.self_cost(event, scope)
        self.inclusive(event, scope)
        self.total(event, scope.parts)
        self._call_adjacency(scope)
        _ = self.call_edges(scope).rows_by_callee, self.has_levels, self.has_lines

    def group_costs(self, grouping: Grouping, event: EventType, scope: Scope) -> CostArray:
        """Return the self costs of the groups; ratios are computed from the sums."""
        groups = self.groups(grouping, scope)
        sums = groups.sums(self.costs(scope).self_cost, self.function_count)
        return self.events.evaluate(event, sums)

    def group_hues(self, grouping: Grouping) -> GroupHues:
        """Return the hues of the costliest groups, which are the same for all parts and events.

        Cycles are told apart by the hues of their numbers.
        """
        if grouping is Grouping.CYCLE:
            return ()
        return self._hues.get(grouping, lambda: distinct_hues(self._costliest_groups(grouping)))

    def _costliest_groups(self, grouping: Grouping) -> list[str]:
        """Return the groups of a grouping with the highest self cost in the first event."""
        groups, runs = self._function_groups(grouping), self.profile.runs
        event, measured = self.default_event(), self.profile.events.measured
        if not measured:
            return []
        row = measured.index(event) if event in measured else 0
        costs = segment_sums(self.profile.costs.of_event(row), runs.start)
        sums = sums_by_group(costs, groups.group_of_node[runs.function], len(groups))
        order = np.argsort(-np.abs(sums), kind="stable").tolist()
        names = (groups.names[group] for group in order if groups.names[group] not in NO_GROUPS)
        return list(islice(names, HUE_COUNT))

    def default_event(self, events: Sequence[EventType] | None = None) -> EventType | None:
        """Return the first measured event that counted anything, of these or of all events.

        Without one, it is the first event.
        """
        return first_counted(self.events.all if events is None else events, self.is_zero)

    def is_zero(self, event: EventType) -> bool:
        """Return whether a measured event is 0 in all lines and calls; False for derived ones."""
        if event not in self._is_zero:
            self._is_zero[event] = event in self.profile.events.measured and not self._counted(
                self.profile.events.measured.index(event)
            )
        return self._is_zero[event]

    def _counted(self, row: int) -> bool:
        costs, calls = self.profile.costs.values, self.profile.calls.values
        return bool(costs[row, :_FIRST_ROWS].any() or costs[row].any() or calls[row].any())

    def measured_event(self, event: EventType) -> EventType:
        """Return the event, or the first measured event if it is a ratio."""
        return self.events.measured[0] if event.is_ratio else event

    def visible_nodes(
        self, filter_: Filter, event: EventType, scope: Scope, base: _Base = None
    ) -> BoolArray | None:
        """Return the mask of functions that pass the filter and of cycles with such a member.

        It has the shape (nodes,); None without a filter. `base` is for scopes with a frame only.
        """

        def evaluate() -> BoolArray:
            visible = matching_functions(filter_, self._filter_subject(event, scope, base))
            return with_marked_cycles(visible, self.costs(scope).cycle)

        key = (self.events, event, scope), filter_
        return self._visible.get(key, evaluate) if filter_ else None

    def _filter_subject(self, event: EventType, scope: Scope, base: _Base) -> FilterSubject:
        costs, count = self.costs(scope), self.function_count
        return FilterSubject(
            self.names,
            self.classes,
            self_cost=self.self_cost(event, scope)[:count],
            inclusive=self.inclusive(event, scope)[:count],
            called=costs.called[:count],
            cycle=costs.cycle[:count],
            total=0 if event.is_ratio else int(self.total(event, scope.parts).base),
            base=None if base is None else base(),
            event=event.name,
        )

    def classes(self) -> TextColumn:
        """Return the classes of the functions; the first call is slow and belongs in a job."""
        return self._classes

    @cached_property
    def _classes(self) -> TextColumn:
        groups = self._function_groups(Grouping.CLASS)
        return TextColumn.from_indexed(groups.names, groups.group_of_node)

    # ---------------------------------------------------------------- one function or cycle

    def is_function(self, node: NodeId) -> TypeGuard[FunctionId]:
        return is_function(node, self.function_count)

    def as_function(self, node: NodeId) -> FunctionId:
        """Return the node as a function; raise `ValueError` for a cycle, which has no code."""
        if not self.is_function(node):
            raise ValueError("a cycle is not a function")
        return node

    def cycle_of(self, node: NodeId, scope: Scope) -> NodeId:
        """Return the cycle that the node is, or is a member of; `NO_NODE` if there is none."""
        cycle = int(self.costs(scope).cycle[node])
        return cycle_node(cycle, self.function_count) if cycle else NO_NODE

    def node_costs(
        self, node: NodeId, event: EventType, scope: Scope
    ) -> tuple[int | float, int | float]:
        """Return inclusive and self cost of one node without evaluating the others."""
        costs, one = self.costs(scope), [node]
        inclusive = self.events.evaluate(event, costs.inclusive[:, one])
        self_cost = self.events.evaluate(event, costs.self_cost[:, one])
        return as_number(inclusive[0]), as_number(self_cost[0])

    def callers(self, node: NodeId, scope: Scope) -> DirectCalls:
        return direct_callers(node, self.call_edges(scope), self.costs(scope), self.function_count)

    def callees(self, node: NodeId, scope: Scope) -> DirectCalls:
        return direct_callees(node, self.call_edges(scope), self.costs(scope), self.function_count)

    def transitive_callers(self, node: NodeId, event: EventType, scope: Scope) -> TransitiveCalls:
        """Return all direct and indirect callers, with costs that are estimates without stacks."""
        return self._transitive_calls(node, event, scope, up=True)

    def transitive_callees(self, node: NodeId, event: EventType, scope: Scope) -> TransitiveCalls:
        """Return all direct and indirect callees, with costs that are estimates without stacks."""
        return self._transitive_calls(node, event, scope, up=False)

    def _transitive_calls(
        self, node: NodeId, event: EventType, scope: Scope, *, up: bool
    ) -> TransitiveCalls:
        from qcachegrind_py.analysis.calls import cost_flow, stack_flow

        graph = self.call_graph(event, scope)
        if (stacks := self._stacks(node, event, scope)) is not None:
            return stack_flow.transitive_calls(stacks, graph, up=up)
        if up:
            return cost_flow.transitive_callers(node, graph)
        return cost_flow.transitive_callees(node, graph)

    def _stacks(self, node: NodeId, event: EventType, scope: Scope) -> Stacks | None:
        """Return the stacks that contain a function; None if the profile has calls alone."""
        if (costs := self._context_costs(event, scope)) is None:
            return None
        from qcachegrind_py.analysis.calls.stack_flow import Stacks

        frame = scope.parts if scope.frame is None else scope.frame
        return Stacks(costs.contexts, frame, costs.self_cost[0], node, self.function_count)

    def lines(self, function: FunctionId, parts: Parts, own_file: TextId = NO_TEXT) -> LineCosts:
        """Return the source lines of a function, inlined lines under the lines that host them.

        These are of `own_file`, by default that of the function.
        """
        return self._lines.get(
            (function, parts, own_file),
            lambda: function_lines(
                self.profile, function, parts, with_hosts=True, own_file=own_file
            ),
        )

    def lines_of_file(
        self, file: TextId, parts: Parts, function: FunctionId = NO_FUNCTION
    ) -> LineCosts:
        """Return the source lines of a file, of one function or by default of all."""
        if function == NO_FUNCTION:
            return file_lines(self.profile, file, parts)
        lines = function_lines(self.profile, function, parts)
        return lines_in_file(lines, file)

    def instructions(self, function: FunctionId, parts: Parts) -> InstructionCosts:
        """Return the instructions of a function; raise `ValueError` if none were recorded."""
        key = (function, parts)
        return self._instructions.get(key, lambda: instruction_costs(self.profile, *key))

    def basic_blocks(self, function: FunctionId, scope: Scope, code: Code) -> BasicBlocks:
        """Return the basic blocks of a function, from recorded addresses alone if `code` is empty.

        The cache compares `code` by identity. Raises `ValueError` if no instructions were recorded.
        """
        from qcachegrind_py.analysis.code.basic_blocks import basic_blocks
        from qcachegrind_py.analysis.code.calling_instructions import at_calling_instructions

        called = int(self.costs(scope).called[function])
        recorded = self.instructions(function, scope.parts)
        costs = at_calling_instructions(self.profile, recorded, code)
        return self._blocks.get(
            ((function, scope.parts), called, code),
            lambda: basic_blocks(self.profile, costs, code, called),
        )

    def subgraph(
        self,
        node: NodeId,
        event: EventType,
        scopes: Sequence[Scope],
        limits: SubgraphLimits,
        visible: BoolArray | None = None,
    ) -> Subgraph:
        """Return the call graph around a node; slow for large profiles, so it belongs in a job.

        Two scopes, of base and new, which are in one frame, are compared.
        """
        from qcachegrind_py.analysis.calls.subgraph import SideCalls, build_subgraph

        edges = [self.call_edges(scope) for scope in scopes]
        sides = [
            SideCalls(
                self.call_graph(event, scope),
                side,
                self.events.evaluate(event, side.inclusive),
                self._stacks(node, event, scope),
            )
            for scope, side in zip(scopes, edges, strict=True)
        ]
        cycle = self.costs(scopes[-1]).cycle
        return build_subgraph(node, sides, cycle, self.function_count, limits, visible)

    def part_costs(self, node: NodeId, scope: Scope) -> PartCosts:
        """Return the costs of a node in each part, active or not."""
        return part_costs(self.profile, self.costs(scope), node)

    def initial_function(
        self, event: EventType, scope: Scope, base: Scope | None = None
    ) -> FunctionId:
        """Return the function to start with: the one of highest self cost; `NO_FUNCTION` if none.

        Compared with a base, it is the one whose self cost has changed most, if any has.
        """
        if not self.function_count:
            return NO_FUNCTION
        measured = self.measured_event(event)
        cost = self.self_cost(measured, scope)[: self.function_count]
        if base is not None:
            change = np.abs(cost - self.self_cost(measured, base)[: self.function_count])
            cost = change if change.any() else cost
        return function_id(int(np.argmax(cost)))

    def first_member(self, node: NodeId, scope: Scope) -> FunctionId:
        """Return the first member of a cycle, or the function itself."""
        if self.is_function(node):
            return node
        return function_at(cycle_members(node, self.costs(scope), self.function_count), 0)

    def translate_node(self, after: Scope, node: NodeId, *, before: Scope) -> NodeId:
        """Translate a node from the scope `before` to the scope `after`."""
        return translate_node(self.costs(after), node, self.costs(before), self.function_count)


class FoldedQueries(ProfileQueries):
    """Queries on a folded profile; `unfolded` are those on the profile as it was read."""

    folding: Folding

    def __init__(
        self,
        unfolded: ProfileQueries,
        folds: tuple[Fold, ...],
        folding: Folding,
        *,
        scopes: int,
    ) -> None:
        super().__init__(folding.profile, scopes=scopes)
        self.unfolded = unfolded
        self.folds = folds
        self.folding = folding
        self._charged = WeightedCache[tuple[EventTypes, EventType, Scope], CostArray](scopes)
        self._estimated = WeightedCache[Scope, BoolArray](scopes)
        self._marked_edges = WeightedCache[tuple[Parts, Parts], CallEdges](scopes)
        self.names = unfolded.names
        self.events = unfolded.events

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Add the user's events, also before folding."""
        self.unfolded.set_user_events(user_events)
        self.events = self.unfolded.events

    def named(self, fold: Fold) -> BoolArray:
        """Return which functions a fold is about, shape (functions,); of collapsed ones in cycles.

        Without any, it has no effect, or in the case of `only:` is probably a mistake.
        """
        unfolded = self.unfolded
        named = fold.matches(_FoldNames(unfolded.names, unfolded.classes))
        if fold.kind is FoldKind.COLLAPSE:
            named = named & (_cycles(unfolded.profile, [fold]) > 0)
        return named

    def charged(self, event: EventType, scope: Scope) -> CostArray:
        """Return the part of each self cost that is of folded functions, shape (nodes,)."""
        events = self.events
        return self._charged.get(
            (events, event, scope), lambda: events.evaluate(event, self._measured_charges(scope))
        )

    def _measured_charges(self, scope: Scope) -> Int64Array:
        """Return what functions and cycles are charged with, shape (events, nodes)."""
        charged = self.folding.charged(scope.parts)
        cycle = self.costs(scope).cycle
        members = np.flatnonzero(cycle[: self.function_count])
        cycles = len(cycle) - self.function_count
        of_cycles = sums_by_group(charged[:, members], cycle[members] - 1, cycles)
        return np.concatenate((charged, of_cycles), axis=1)

    def has_estimates(self, scope: Scope) -> BoolArray:
        """Return whether each self cost is partly an estimate, shape (nodes,)."""
        return self._estimated.get(
            scope,
            lambda: with_marked_cycles(
                self.folding.is_estimated(scope.parts), self.costs(scope).cycle
            ),
        )

    def origins(self, costs: Int64Array, calls: Int64Array) -> tuple[Origins, Origins]:
        """Return which rows of the unfolded profile these rows of costs and calls come from."""
        of_costs = cost_origins(self.folding, self.unfolded.profile, costs)
        return of_costs, call_origins(self.folding, calls)

    @cached_property
    def callbacks(self) -> CallbackPairs:
        """The functions that call each other through folded ones."""
        return CallbackPairs.of(self.folding)

    def call_edges(self, scope: Scope) -> CallEdges:
        """Return the calls between functions; those through folded functions may be estimates."""
        return self._marked_edges.get((scope.parts, scope.frame), lambda: self._mark(scope))

    def _mark(self, scope: Scope) -> CallEdges:
        edges = super().call_edges(scope)
        rows = self.callbacks.rows(edges.caller, edges.callee)
        is_estimated = np.zeros(len(edges), bool)
        is_estimated[rows >= 0] = ~self.callbacks.is_exact[rows[rows >= 0]]
        return replace(edges, is_estimated=is_estimated)

    # ---------------------------------------------------------------- what folding leaves as it is

    def classes(self) -> TextColumn:
        """Return the classes of the functions; the first call is slow and belongs in a job."""
        return self.unfolded.classes()

    def _function_groups(self, grouping: Grouping, progress: Progress | None = None) -> Groups:
        return self.unfolded._function_groups(grouping, progress)

    def group_hues(self, grouping: Grouping) -> GroupHues:
        """Return the hues of the groups of the unfolded profile."""
        return self.unfolded.group_hues(grouping)

    def visible_nodes(
        self,
        filter_: Filter,
        event: EventType,
        scope: Scope,
        base: Callable[[], BaseSide] | None = None,
    ) -> BoolArray:
        """Return the mask of nodes that are not folded and pass the filter, shape (nodes,)."""
        shown = with_marked_cycles(~self.folding.is_folded, self.costs(scope).cycle)
        passing = super().visible_nodes(filter_, event, scope, base)
        return shown if passing is None else shown & passing


def with_folds(
    queries: ProfileQueries, folds: Sequence[Fold], *, scopes: int = 3
) -> ProfileQueries:
    """Return the queries on the profile with these folds in place of those that it has, if any.

    It takes as long as a change of scope, and belongs in a job. Results of so many `scopes` are
    kept.
    """
    unfolded = unfolded_queries(queries)
    if not folds:
        return unfolded
    profile, names = unfolded.profile, _FoldNames(unfolded.names, unfolded.classes)
    folded = folded_functions(folds, names, _cycles(profile, folds))
    return FoldedQueries(unfolded, tuple(folds), fold_functions(profile, folded), scopes=scopes)


def folded_mask(queries: ProfileQueries) -> BoolArray | None:
    """Return which functions do not occur since they are folded, shape (functions,); None: none."""
    return queries.folding.is_folded if isinstance(queries, FoldedQueries) else None


def described_profile(queries: ProfileQueries) -> Profile:
    """Return the profile to save; a `desc:` line of each part says what is folded, if any is."""
    if not isinstance(queries, FoldedQueries):
        return queries.profile
    lines = tuple(("desc", f"Folded: {fold.text}") for fold in queries.folds)
    profile = queries.profile
    parts = tuple(replace(part, header=(*part.header, *lines)) for part in profile.parts)
    return replace(profile, parts=parts)


def unfolded_queries(queries: ProfileQueries) -> ProfileQueries:
    return queries.unfolded if isinstance(queries, FoldedQueries) else queries


@frozen(eq=True)
class _FoldNames:
    names: FunctionNames
    classes: Callable[[], TextColumn]


def _cycles(profile: Profile, folds: Sequence[Fold]) -> Int32Array:
    """Return the cycle of each function in the whole profile, if a fold asks for it."""
    if any(fold.kind is FoldKind.COLLAPSE for fold in folds):
        return find_cycles(profile.calls.caller, profile.calls.callee, len(profile.functions))
    return np.zeros(len(profile.functions), np.int32)
