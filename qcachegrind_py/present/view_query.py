"""Queries of the open profile bound to a context, and the units of their costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import costliest_callers
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, Scope, Series
from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Grouping, Groups, Labels
from qcachegrind_py.analysis.names.group_colors import GroupHues
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.present.figures import Figures, largest
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.unit import NO_UNIT, Divisors, Unit
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId, PartId
from qcachegrind_py.profile.numbers import has_percentages, unit_of, without_unit
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

if TYPE_CHECKING:
    from qcachegrind_py.analysis.calls.call_tree import SearchedBranches
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.analysis.costs.noise import Sampling


_CALLERS_IN_TIPS = 3
_NAME_IN_TIPS = 48  # characters of a caller


@frozen(eq=True)
class ViewQuery:
    """The queries of a profile, bound to one context: its scope, filter, grouping and formats.

    Both are immutable, so a job may use them while the window moves on.
    """

    queries: ProfileQueries
    context: Context
    compared: Comparison | None = None  # whatever its sides are now
    own: Profile | None = None  # the open profile without a base in another file, if there is one
    marks: Int32Array | None = None  # of the functions compared: `analysis.comparison.marks`

    @property
    def profile(self) -> Profile:
        return self.queries.profile

    @property
    def events(self) -> EventTypes:
        return self.queries.events

    # ---------------------------------------------------------------- comparison

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the sides in the context; None if nothing is compared."""
        base = self.context.base
        if base is None or self.compared is None:
            return None
        return self.compared.within(base, self.context.scope)

    @property
    def is_comparing(self) -> bool:
        return self.context.base_parts is not None

    def is_comparable(self, event: EventType) -> bool:
        """Whether both sides have an event; true if nothing is compared."""
        compared = self.comparison
        return compared is None or event in compared.events

    @property
    def own_part_count(self) -> int:
        """The number of parts of the open profile, without those of a base."""
        return len((self.own or self.profile).parts)

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
        return self.queries.function_count if self.own is None else len(self.own.functions)

    def own_visible_functions(self) -> BoolArray | None:
        """Return which functions of the open profile pass the filter; None if all do."""
        visible = self.visible_nodes()
        if visible is None:
            return None
        if self.own is None or self.own is self.profile or self.compared is None:
            return visible[: self.queries.function_count]
        shown: BoolArray = visible[self.compared.pairing.row_of_new]
        return shown

    def mark(self, node: NodeId) -> str:
        """Return the word that marks a function in a comparison, such as "new"; or an empty one."""
        marks = self.marks
        if marks is None or node == NO_NODE or not self.queries.is_function(node):
            return ""
        from qcachegrind_py.analysis.comparison.comparison import MARK_WORDS, Mark

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

    def figures(
        self, series: Series, ask: Callable[[EventType, Scope], CostArray], unit: Unit | None = None
    ) -> Figures:
        """Return what `ask` answers for both sides of a column.

        `ask` returns the costs of all rows, shape (rows,), of an event in a scope. Changes are not
        known of an event that one side lacks. `unit` is by default that of the event.
        """
        unit = self.unit(series.event) if unit is None else unit
        new = ask(series.event, series.scope)
        if series.against is None:
            return Figures.alone(unit, new)
        base, known = ask(series.event, series.against), self.known(series.event)
        return Figures(unit, new, base, known, sampling=self.sampling(series.event))

    def sampling(self, event: EventType) -> Sampling | None:
        """The samples of both sides; None if nothing is compared, or costs of one are exact."""
        return None if self.comparison is None else self.comparison.sampling(event)

    def inclusive(self, series: Series) -> Figures:
        """The inclusive costs of all functions and cycles, shape (nodes,)."""
        return self.figures(series, self.queries.inclusive)

    def self_cost(self, series: Series) -> Figures:
        """The self costs of all functions and cycles, shape (nodes,)."""
        return self.figures(series, self.queries.self_cost)

    def known(self, event: EventType) -> tuple[bool, bool]:
        compared = self.comparison
        if compared is None or event in compared.events:
            return True, True
        lacking = compared.sides_without(event)
        return not lacking[0], not lacking[1]

    # ---------------------------------------------------------------- functions and cycles

    def labels(self) -> Labels:
        return self.queries.labels(self.context.scope, short=self.context.short_names)

    def visible_nodes(self) -> BoolArray | None:
        """Return a mask of the nodes that pass the filter, shape (nodes,); None if all do.

        Terms that cannot be checked in the event are left out; `filter_problem` says which.
        """
        return self._visible(self.context.filter)

    def _visible(self, filter_: Filter) -> BoolArray | None:
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
        """Return a mask of these callers or callees that pass the filter; None if all do.

        Terms about changes are for the list of functions: what called a new one is seldom new.
        """
        visible = self._visible(self.context.filter.without_changes())
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
        return self.queries.total(event, self.context.scope.parts)

    def costs(self) -> FunctionCosts:
        return self.queries.costs(self.context.scope)

    def node_costs(self, event: EventType, node: NodeId) -> tuple[int | float, int | float]:
        return self.queries.node_costs(node, event, self.context.scope)

    def inclusive_cost(self, event: EventType, node: NodeId) -> int | float:
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

    def call_branches(
        self, node: NodeId, scope: Scope, visible: BoolArray | None, *, up: bool
    ) -> SearchedBranches:
        """The branches to unfold in the event: of a node, or with `NO_NODE` of the program."""
        event = self.context.event
        assert event is not None
        recorded = self.context.of_recorded
        return self.queries.call_branches(node, event, scope, visible, up=up, of_recorded=recorded)

    # ---------------------------------------------------------------- units

    def unit(self, event: EventType | None, parent: int | float | None = None) -> Unit:
        """Return the unit of an event's costs; `parent` is 100 % in the unit "of parent".

        In a comparison, 100 % is the total of the base, so that costs and changes add up, and the
        longest bar is the largest change of an inclusive or self cost.
        """
        if event is None:
            return NO_UNIT
        context, total = self.context, self.total(event)
        if context.base is not None:
            total = self.queries.total(event, context.base.parts)
        whole = total.base if context.of_recorded else total.counted
        if parent is not None and context.unit is CostUnit.PERCENT_OF_PARENT:
            whole = parent
        divisors = self._divisors(event)
        is_divided = context.unit in (CostUnit.SHARES, CostUnit.PER_CALL)  # in comparisons
        return Unit(
            short_text(without_unit(event.name)),
            whole,
            context.unit is not CostUnit.ABSOLUTE
            and divisors is None
            and not (self.is_comparing and is_divided),
            is_ratio=event.is_ratio,
            style=context.numbers,
            quantity=unit_of(event.name, event.long_name),
            can_exceed=context.base is not None,
            divisors=divisors,
        )

    def function_unit(self, event: EventType | None) -> Unit:
        """Return the unit of an event in lists of all functions.

        The longest bar is the largest change of an inclusive or self cost.
        """
        series = self._series(event)
        unit = self.unit(event)
        if series is None or not series.is_change or event is None or event.is_ratio:
            return unit
        if not all(self.known(event)):
            return unit
        changes = self.inclusive(series).change, self.self_cost(series).change
        return replace(unit, longest_change=max(map(largest, changes)))

    def _divisors(self, event: EventType) -> Divisors | None:
        """Return what both sides are divided by; None in other units, and for ratios.

        None, too, if there are no shares, as a total is 0 or negative.
        """
        base, context = self.context.base, self.context
        is_share = context.unit is CostUnit.SHARES
        if base is None or event.is_ratio or not (is_share or context.unit is CostUnit.PER_CALL):
            return None
        sides, queries = (base, context.scope), self.queries
        if is_share:
            before, now = (int(queries.total(event, side.parts).base) for side in sides)
            if not (has_percentages(before) and has_percentages(now)):
                return None
        else:
            before, now = (int(queries.costs(side).called[context.function]) for side in sides)
        return Divisors((before, now), are_totals=is_share)

    def call_unit(self, event: EventType | None, node: NodeId) -> Unit:
        """Return the unit of a node's calls, whose parent is the node or its cycle."""
        if event is None:
            return NO_UNIT
        cycle = self.cycle_of(node)
        parent = node if cycle == NO_NODE else cycle
        return self.unit(event, self.inclusive_cost(event, parent))

    def code_unit(self, event: EventType | None, function: FunctionId) -> Unit:
        """Return the unit of the lines and instructions of a function.

        100 % is the inclusive cost of the function, if the user wants that, or as for calls.
        """
        if event is None or not self.context.percent_of_function:
            return self.call_unit(event, function)
        return replace(self.unit(event), total=self.inclusive_cost(event, function))

    # ---------------------------------------------------------------- groups in pictures

    def group_namer(self) -> Callable[[NodeId], str]:
        """Return a function that names the group of a node that has a colour."""
        grouping = self.color_grouping
        if self.context.grouping is Grouping.NONE and grouping is Grouping.OBJECT:
            names = self.queries.names
            return lambda node: names.object(self._first_member(node))
        groups = self.color_groups()
        return lambda node: groups.names[int(groups.group_of_node[node])]

    def color_groups(self) -> Groups:
        """The groups that have colours, of all functions and cycles."""
        return self.queries.groups(self.color_grouping, self.context.scope)

    @property
    def color_grouping(self) -> Grouping:
        """The current grouping; without one the programs and libraries, or files of scripts."""
        grouping = self.context.grouping
        if grouping is not Grouping.NONE:
            return grouping
        is_script = self.profile.contexts is not None and not self.profile.functions.object.any()
        return Grouping.FILE if is_script else Grouping.OBJECT

    def group_hues(self) -> GroupHues:
        return self.queries.group_hues(self.color_grouping)

    def node_shades(self) -> Callable[[NodeId], tuple[str, str]]:
        """Return a function for colours: the group of a node, and its name for a shade of it."""
        group, name = self.group_namer(), self.queries.names.name
        return lambda node: (group(node), name(self._first_member(node)))

    def list_callers(self) -> Callable[[NodeId], str]:
        """Return a function for the tips of lists: the costliest callers of a node, as a line.

        It does not keep the profile alive.
        """
        context, queries = self.context, ref(self.queries)

        def callers(node: NodeId) -> str:
            alive = queries()
            return "" if alive is None else ViewQuery(alive, context)._callers_line(node)

        return callers

    def excess_reasons(self, event: EventType | None) -> Callable[[NodeId], str]:
        """Return a function for tips: why the inclusive cost of a node is above 100 %.

        It does not keep the profile alive.
        """
        scope, queries = self.context.scope, ref(self.queries)

        def reason(node: NodeId) -> str:
            from qcachegrind_py.analysis.explanation.numbers import excess_cause

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
        names = (name_within(labels.name(caller), _NAME_IN_TIPS) for caller in callers)
        return f"Costliest callers: {' ← '.join(names)}" if callers else ""

    def _first_member(self, node: NodeId) -> FunctionId:
        return self.queries.first_member(node, self.context.scope)
