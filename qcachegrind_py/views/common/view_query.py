"""Queries of the open profile bound to a context, with the formats and colours of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np
from PySide6.QtGui import QColor

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, FrameRoots
from qcachegrind_py.analysis.calls.direct_calls import costliest_callers
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, Scope
from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.elisions import fitted_name
from qcachegrind_py.analysis.names.groups import Grouping, Groups
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.group_colors import GroupPalette, group_palette
from qcachegrind_py.models.base.plain_text import short_text
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId, PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.profile.units import unit_of, without_unit
from qcachegrind_py.session.context import Context, CostUnit
from qcachegrind_py.session.loading import LoadedProfile
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.compared.formats import change_format, largest, side_format
from qcachegrind_py.views.common.compared.measures import Measure, measure

if TYPE_CHECKING:
    from qcachegrind_py.analysis.comparison.comparison import Comparison

_CALLERS_IN_TIPS = 3
_NAME_IN_TIPS = 48  # characters of a caller


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """The queries of a profile, bound to one context: its scope, filter, grouping and formats.

    Both are immutable, so a job may use them while the window moves on.
    """

    queries: ProfileQueries
    context: Context
    loaded: LoadedProfile | None = None  # needed for what is compared

    @property
    def profile(self) -> Profile:
        """The open profile."""
        return self.queries.profile

    @property
    def events(self) -> EventTypes:
        """The events of the profile, including user events."""
        return self.queries.events

    # ---------------------------------------------------------------- comparison

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the sides in the context; None if nothing is compared."""
        base, loaded = self.context.base, self.loaded
        if base is None or loaded is None or loaded.comparison is None:
            return None
        return loaded.comparison.within(base, self.context.scope)

    @property
    def is_comparing(self) -> bool:
        """Whether profiles or parts are compared."""
        return self.context.base_parts is not None

    def is_comparable(self, event: EventType) -> bool:
        """Whether both sides have an event; true if nothing is compared."""
        compared = self.comparison
        return compared is None or event in compared.events

    @property
    def own_part_count(self) -> int:
        """The number of parts of the open profile, without those of a base."""
        return len(self.profile.parts if self.loaded is None else self.loaded.prepared.parts)

    @property
    def own_parts(self) -> Parts:
        """All parts of the open profile, without those of a base in another profile."""
        count = self.own_part_count
        return (
            ALL_PARTS if count == len(self.profile.parts) else frozenset(map(PartId, range(count)))
        )

    @property
    def own_function_count(self) -> int:
        """The number of functions of the open profile, without those of a base."""
        loaded = self.loaded
        return self.queries.function_count if loaded is None else len(loaded.prepared.functions)

    def own_visible_functions(self) -> BoolArray | None:
        """Return which functions of the open profile pass the filter; None if all do."""
        visible, loaded = self.visible_nodes(), self.loaded
        if visible is None:
            return None
        if loaded is None or loaded.base is None or loaded.comparison is None:
            return visible[: self.queries.function_count]
        shown: BoolArray = visible[loaded.comparison.pairing.row_of_new]
        return shown

    def mark(self, node: NodeId) -> str:
        """Return the word that marks a function in a comparison, such as "new"; or an empty one."""
        marks = None if self.loaded is None else self.loaded.marks
        if marks is None or node == NO_NODE or not self.queries.is_function(node):
            return ""
        from qcachegrind_py.analysis.comparison.marks import MARK_WORDS, Mark

        mark = Mark(int(marks[node]))
        return MARK_WORDS[mark] if mark != Mark.CYCLE or self.context.scope.cycles else ""

    # ---------------------------------------------------------------- columns of costs

    @property
    def series(self) -> Series | None:
        """The main column of costs: those of the selected event, or their changes."""
        return self._series(self.context.event)

    @property
    def second_series(self) -> Series | None:
        """The column of the second event; None without one."""
        return self._series(self.context.second_event)

    def _series(self, event: EventType | None) -> Series | None:
        context = self.context
        return None if event is None else Series(event, context.scope, context.base)

    def inclusive(self, series: Series) -> CostArray:
        """The inclusive costs of all functions and cycles, or their changes, shape (nodes,)."""
        return self._values(series, self.queries.inclusive)

    def self_cost(self, series: Series) -> CostArray:
        """The self costs of all functions and cycles, or their changes, shape (nodes,)."""
        return self._values(series, self.queries.self_cost)

    def group_self_cost(self, series: Series) -> CostArray:
        """The self cost of each group, or its change, shape (groups,)."""
        return self._values(series, partial(self.queries.group_costs, self.context.grouping))

    def _values(self, series: Series, ask: Callable[[EventType, Scope], CostArray]) -> CostArray:
        return self.change(series, series.sides(ask)) if series.is_change else series.values(ask)

    def change(self, series: Series, sides: BothSides) -> CostArray:
        """Return the changes of costs; none is known, NaN, of an event that one side lacks."""
        if not self.is_comparable(series.event):
            return np.full(len(sides.new), np.nan)
        divided = self._measure(series.event)
        return sides.change if divided is None else divided.change(sides)

    def format(self, series: Series | None, parent: int | float | None = None) -> CostFormat:
        """Return the format of a column: of costs, or of changes with the base's total as 100 %.

        A full bar of changes is the largest change of an inclusive or self cost.
        """
        if series is None or series.against is None:
            return self.cost_format(None if series is None else series.event, parent)
        costs, has_bars = self.cost_format(series.event), self.is_comparable(series.event)
        columns = self.inclusive(series), self.self_cost(series)
        longest = max(map(largest, columns)) if has_bars and not costs.is_ratio else None
        return change_format(costs, self._measure(series.event), longest)

    def base_format(self, event: EventType) -> CostFormat:
        """Return the format for the costs of the base, which may be divided by other numbers."""
        return side_format(self.cost_format(event), self._measure(event), side=0)

    def _measure(self, event: EventType) -> Measure | None:
        return measure(self.queries, self.context, event)

    # ---------------------------------------------------------------- functions and cycles

    def labels(self) -> Labels:
        """The names of functions and cycles, short ones if the user prefers them."""
        return self.queries.labels(self.context.scope, short=self.context.short_names)

    def visible_nodes(self) -> BoolArray | None:
        """Return a mask of the nodes that pass the filter, shape (nodes,); None if all do.

        Terms that cannot be checked in the event are left out; `filter_problem` says which.
        """
        filter_ = self.context.filter
        while True:
            try:
                return self._passing(filter_)
            except FilterError as error:
                checked = tuple(term for term in filter_.terms if term.text != error.term)
                filter_ = replace(filter_, terms=checked)

    def filter_problem(self) -> str:
        """Return why a term of the filter cannot be checked in the event; empty if all can."""
        try:
            self._passing(self.context.filter)
        except FilterError as error:
            return str(error)
        return ""

    def _passing(self, filter_: Filter) -> BoolArray | None:
        context = self.context
        if context.event is None:
            return None
        base, compared = None, self.comparison
        if compared is not None:
            base = partial(compared.base_side, context.event)
        return self.queries.visible_nodes(filter_, context.event, context.scope, base)

    def visible_among(self, nodes: Int64Array) -> BoolArray | None:
        """Return a mask of the given nodes that pass the filter; None if all do."""
        visible = self.visible_nodes()
        return None if visible is None else visible[nodes]

    def active_function(self) -> FunctionId:
        """The active function. Raises `ValueError` if a cycle is active."""
        return self.queries.as_function(self.context.function)

    def cycle_of(self, node: NodeId) -> NodeId:
        """Return the cycle of a member, a cycle itself, or `NO_NODE`."""
        return self.queries.cycle_of(node, self.context.scope)

    def groups(self) -> Groups:
        """The groups of the current grouping, which is not `Grouping.NONE`."""
        return self.queries.groups(self.context.grouping, self.context.scope)

    # ---------------------------------------------------------------- costs

    def total(self, event: EventType) -> Total:
        """The total cost of the active parts."""
        return self.queries.total(event, self.context.scope.parts)

    def costs(self) -> FunctionCosts:
        """The costs of all functions and cycles in all measured events."""
        return self.queries.costs(self.context.scope)

    def node_costs(self, event: EventType, node: NodeId) -> tuple[int | float, int | float]:
        """The inclusive and the self cost of a function or cycle."""
        return self.queries.node_costs(node, event, self.context.scope)

    def inclusive_cost(self, event: EventType, node: NodeId) -> int | float:
        """The inclusive cost of a function or cycle."""
        return as_number(self.queries.inclusive(event, self.context.scope)[node])

    def hottest_function(self) -> NodeId:
        """The function with the highest self cost of those that pass the filter, or `NO_NODE`."""
        event, queries = self.context.event, self.queries
        if event is None or not queries.function_count:
            return NO_NODE
        cost = queries.self_cost(queries.measured_event(event), self.context.scope)
        if (visible := self.visible_nodes()) is not None:
            cost = np.where(visible, cost, -1)
        return NodeId(int(np.argmax(cost[: queries.function_count])))

    def calls_from(self, node: NodeId, scope: Scope) -> tuple[AccountedCalls, FrameRoots]:
        """The calls to unfold from a function or cycle in the event, and where that begins."""
        assert self.context.event is not None
        calls = self.queries.accounted_calls(self.context.event, scope)
        return calls, calls.roots_at([node])

    def calls_of_program(self, scope: Scope) -> tuple[AccountedCalls, FrameRoots]:
        """The calls to unfold of the whole program, which add up to what percentages are of."""
        event = self.context.event
        assert event is not None
        total = self.queries.total(event, scope.parts)
        whole = int(total.base if self.context.of_recorded else total.counted)
        calls = self.queries.program_calls(event, scope, whole)
        return calls, calls.program_roots()

    # ---------------------------------------------------------------- formats

    def cost_format(self, event: EventType | None, parent: int | float | None = None) -> CostFormat:
        """Return the format for costs of an event; `parent` is 100 % in the unit "of parent".

        In a comparison, 100 % is the total of the base, so that costs and changes add up.
        """
        if event is None:
            return NO_FORMAT
        context, total = self.context, self.total(event)
        if context.base is not None:
            total = self.queries.total(event, context.base.parts)
        base = total.base if context.of_recorded else total.counted
        if parent is not None and context.unit is CostUnit.PERCENT_OF_PARENT:
            base = parent
        is_divided = context.unit in (CostUnit.SHARES, CostUnit.PER_CALL)  # in comparisons
        format_ = CostFormat(
            short_text(without_unit(event.name)),
            base,
            context.unit is not CostUnit.ABSOLUTE and not (self.is_comparing and is_divided),
            event.is_ratio,
            context.numbers,
            unit_of(event.name, event.long_name),
            can_exceed=context.base is not None,
        )
        return side_format(format_, self._measure(event), side=1)

    def call_format(self, event: EventType | None, node: NodeId) -> CostFormat:
        """Return the format for a node's calls, whose parent is the node or its cycle."""
        if event is None:
            return NO_FORMAT
        cycle = self.cycle_of(node)
        parent = node if cycle == NO_NODE else cycle
        return self.cost_format(event, self.inclusive_cost(event, parent))

    def code_format(self, event: EventType | None, function: FunctionId) -> CostFormat:
        """Return the format for the lines and instructions of a function.

        100 % is the inclusive cost of the function, if the user wants that, or as for calls.
        """
        if event is None or not self.context.percent_of_function:
            return self.call_format(event, function)
        return replace(self.cost_format(event), base=self.inclusive_cost(event, function))

    # ---------------------------------------------------------------- groups in pictures

    @property
    def palette(self) -> GroupPalette:
        """The colours of groups, some of them chosen by the user."""
        return group_palette(self.context.group_colors)

    def group_namer(self) -> Callable[[NodeId], str]:
        """Return a function that names the group of a node.

        Without a grouping it is the source file, or the object if the file is unknown.
        """
        if self.context.grouping is not Grouping.NONE:
            groups = self.groups()
            return lambda node: groups.names[int(groups.group_of_node[node])]
        return self._source_name

    def node_colors(self) -> Callable[[NodeId], QColor]:
        """Return a function for node colours: the group's, or a shade of it if ungrouped."""
        group, palette = self.group_namer(), self.palette
        if self.context.grouping is not Grouping.NONE:
            return lambda node: palette.group(group(node))
        name = self.queries.names.name
        return lambda node: palette.shade(group(node), name(self._first_member(node)))

    def list_colors(self) -> Callable[[NodeId], QColor | None]:
        """Return `node_colors` for lists, which keep it while they rest.

        It does not keep the profile alive: without it, no node has a colour.
        """
        context, queries = self.context, ref(self.queries)

        def color(node: NodeId) -> QColor | None:
            alive = queries()
            return None if alive is None else ViewQuery(alive, context).node_colors()(node)

        return color

    def list_callers(self) -> Callable[[NodeId], str]:
        """Return a function for the tips of lists: the costliest callers of a node, as a line.

        As `list_colors`, it does not keep the profile alive.
        """
        context, queries = self.context, ref(self.queries)

        def callers(node: NodeId) -> str:
            alive = queries()
            return "" if alive is None else ViewQuery(alive, context)._callers_line(node)

        return callers

    def excess_reasons(self, event: EventType | None) -> Callable[[NodeId], str]:
        """Return a function for tips: why the inclusive cost of a node is above 100 %.

        As `list_colors`, it does not keep the profile alive.
        """
        scope, queries = self.context.scope, ref(self.queries)

        def reason(node: NodeId) -> str:
            from qcachegrind_py.analysis.excess_causes import excess_cause

            alive = queries()
            return (
                ""
                if alive is None or event is None
                else excess_cause(alive, node, event, scope).value
            )

        return reason

    def _callers_line(self, node: NodeId) -> str:
        queries, context, labels = self.queries, self.context, self.labels()
        if context.event is None or node == NO_NODE:
            return ""
        event, scope = queries.measured_event(context.event), context.scope
        callers = costliest_callers(
            node,
            lambda called: queries.callers(called, scope),
            lambda calls: calls.cost(queries.events, event),
            self.cycle_of,
            _CALLERS_IN_TIPS,
        )
        names = (
            fitted_name(labels.name(caller), lambda text: len(text) <= _NAME_IN_TIPS).text
            for caller in callers
        )
        return f"Costliest callers: {' ← '.join(names)}" if callers else ""

    def _source_name(self, node: NodeId) -> str:
        function, names = self._first_member(node), self.queries.names
        file = names.file(function)
        return file if file != UNKNOWN else names.object(function)

    def _first_member(self, node: NodeId) -> FunctionId:
        return self.queries.first_member(node, self.context.scope)


def current_query(session: Session) -> ViewQuery | None:
    """The query of the open profile in the current context; None while no profile is open."""
    if session.queries is None:
        return None
    return ViewQuery(session.queries, session.navigation.context, session.loaded)
