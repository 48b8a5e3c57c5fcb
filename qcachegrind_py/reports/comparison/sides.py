"""Two profiles as a report needs them: their costs in an event, and functions to test rules on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.first_line import first_line
from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.comparison import BothSides, Comparison, compare
from qcachegrind_py.analysis.comparison.function_effects import FunctionEffects, function_effects
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.subject import BaseSide, FilterSubject
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.comparison.contents import (
    EventComparison,
    RenameProposal,
    ReportSide,
)
from qcachegrind_py.reports.comparison.pairs import FunctionPairs, function_names
from qcachegrind_py.tools.demangler import demangle_names


@dataclass(frozen=True, eq=False)
class Sides:
    """Both profiles of a report; `compared` is None if there is no base.

    Functions are the rows of `queries`, and all arrays have the shape (functions,).
    """

    queries: ProfileQueries
    scope: Scope  # of the new profile
    new_profile: Profile
    compared: Comparison | None = None

    @cached_property
    def pairs(self) -> FunctionPairs:
        """The functions by their names."""
        merged = self.queries.profile
        if self.compared is None:
            return FunctionPairs(merged, self.new_profile)
        base, pairing = self.compared.base_profile, self.compared.pairing
        return FunctionPairs(merged, self.new_profile, base, pairing)

    @property
    def base(self) -> ReportSide | None:
        """What is said of the base; None if there is none."""
        if self.compared is None:
            return None
        return self._side(self.compared.base_profile, self.compared.base)

    @property
    def new(self) -> ReportSide:
        """What is said of the new profile."""
        return self._side(self.new_profile, self.scope)

    def _side(self, profile: Profile, scope: Scope) -> ReportSide:
        totals = {
            event.name: int(self.queries.total(event, scope.parts).base)
            for event in self.queries.events.measured
            if event.name in profile.events.names
        }
        return ReportSide(profile.paths, profile.command, totals)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What differs between the runs besides the code."""
        return () if self.compared is None else self.compared.differences

    @cached_property
    def proposals(self) -> tuple[RenameProposal, ...]:
        """The functions that may be the same by another name, and are not paired."""
        if self.compared is None:
            return ()
        renames = self.compared.renames
        base, new = (
            function_names(profile, np.array(functions, np.int64))
            for profile, functions in (
                (self.compared.base_profile, [rename.base for rename in renames]),
                (self.new_profile, [rename.new for rename in renames]),
            )
        )
        return tuple(map(RenameProposal, base, new, [rename.alike for rename in renames]))

    # ---------------------------------------------------------------- events

    @cached_property
    def events(self) -> tuple[EventType, ...]:
        """The events that both sides have; those of the new profile without a base."""
        return self.queries.events.all if self.compared is None else self.compared.events

    def is_new(self, event: EventType) -> bool:
        """Return whether the new profile measured an event, or one that it is derived from."""
        events, seen = self.queries.events, set[str]()
        names = [event.name]
        while names:
            part = events.find(names.pop())
            if part is not None and part.name not in seen:
                seen.add(part.name)
                names += [name for _, name in (*part.formula, *part.divisor)]
        return not seen.isdisjoint(self.new_profile.events.names)

    # ---------------------------------------------------------------- costs

    @cached_property
    def called(self) -> BothSides:
        """The called counts."""
        return self._both(lambda scope: self.queries.costs(scope).called)

    def _both(self, costs: Callable[[Scope], CostArray]) -> BothSides:
        functions = self.queries.function_count
        new = costs(self.scope)[:functions]
        if self.compared is None:
            return BothSides(np.zeros_like(new), new)
        return BothSides(costs(self.compared.base)[:functions], new)

    def event_comparison(self, event: EventType) -> EventComparison:
        """Return the costs in an event that both sides have."""
        gross = (
            None if self.compared is None or event.is_ratio else (self.compared.gross_change(event))
        )
        return EventComparison(
            event,
            self._total(event),
            gross.grown if gross else 0,
            gross.shrunk if gross else 0,
            self._both(lambda scope: self.queries.self_cost(event, scope)),
            self._both(lambda scope: self.queries.inclusive(event, scope)),
            self._effects(event),
        )

    def _total(self, event: EventType) -> tuple[int | float, int | float]:
        new = self.queries.total(event, self.scope.parts).base
        if self.compared is None:
            return type(new)(0), new
        return self.queries.total(event, self.compared.base.parts).base, new

    def _effects(self, event: EventType) -> FunctionEffects:
        if self.compared is not None:
            return function_effects(self.compared, event)
        nothing = np.zeros(self.queries.function_count, np.int64)
        return FunctionEffects(nothing, nothing, nothing > 0)

    # ---------------------------------------------------------------- functions

    def subject(self, event: EventType) -> FilterSubject:
        """Return the functions as filters and rules test them, with their costs in an event."""
        costs, queries, functions = self.queries.costs, self.queries, self.queries.function_count
        own = self._both(lambda scope: queries.self_cost(event, scope))
        inclusive = self._both(lambda scope: queries.inclusive(event, scope))
        base_total, total = self._total(event)
        base = BaseSide(
            own.base,
            inclusive.base,
            self.called.base,
            base_total,
            self.pairs.only_new,
            self.pairs.only_base,
            self.pairs.is_moved,
        )
        return FilterSubject(
            queries.names,
            queries.classes,
            own.new,
            inclusive.new,
            self.called.new,
            costs(self.scope).cycle[:functions],
            total,
            None if self.compared is None else base,
        )

    def first_line(self, function: int) -> int:
        """Return the line at which a function begins, 0 if it is not known."""
        return first_line(self.queries.profile, FunctionId(NodeId(function)))


def report_sides(
    base: Profile | None,
    new: Profile,
    rules: MatchingRules = NO_RULES,
    *,
    cycles: bool = True,
    with_readable_names: bool = False,
) -> Sides:
    """Pair the functions of two profiles, or prepare a report of the new one alone.

    Filters and rules find recorded names, or readable ones, which take a while for C++ and Rust.
    """
    compared = None if base is None else compare(base, new, rules)
    queries = ProfileQueries(new) if compared is None else compared.queries
    if with_readable_names:
        profile = queries.profile
        queries = ProfileQueries(profile, demangle_names(profile.texts))
    if compared is None:
        return Sides(queries, Scope(cycles=cycles), new)
    compared = replace(compared, queries=queries, cycles=cycles)
    return Sides(queries, compared.new, new, compared)
