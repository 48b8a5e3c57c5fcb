"""Two profiles as a report needs them: their costs in an event, and functions to test rules on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.code.location_costs import first_line
from qcachegrind_py.analysis.comparison.comparison import (
    Comparison,
    Difference,
    compare,
    differences,
)
from qcachegrind_py.analysis.comparison.effects import FunctionEffects, function_effects
from qcachegrind_py.analysis.comparison.selections import RepeatedComparison, compare_repeats
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.filters.conditions import BaseSide, FilterSubject, Fold
from qcachegrind_py.analysis.folded_queries import FoldedQueries, folded_mask, with_folds
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable
from qcachegrind_py.reports.comparison.contents import (
    EventComparison,
    FoldedSides,
    RenameProposal,
    ReportSide,
)
from qcachegrind_py.reports.comparison.pairs import FunctionPairs, function_names
from qcachegrind_py.reports.folding import estimated_functions, folding_facts
from qcachegrind_py.tools.demangler import demangle_names

# where names are readable that were mangled: what filters and rules find, and what is shown
ReadableNames = frozenset[Literal["found", "shown"]]


@dataclass(frozen=True, eq=False)
class Sides:
    """Both profiles of a report; `compared` is None if there is no base.

    Functions are the rows of `queries`, and all arrays have the shape (functions,).
    """

    queries: ProfileQueries
    scope: Scope  # of the new profile
    new_profile: Profile
    compared: Comparison | None = None
    differences: tuple[Difference, ...] = ()  # between the runs, besides the code
    texts: StringTable | None = None  # of names to show; None: as recorded

    @cached_property
    def pairs(self) -> FunctionPairs:
        """The functions by their names."""
        merged = self.queries.profile
        if self.compared is None:
            return FunctionPairs(merged, self.new_profile, texts=self.texts)
        base, pairing = self.compared.base_profile, self.compared.pairing
        return FunctionPairs(merged, self.new_profile, base, pairing, self.texts)

    @property
    def base(self) -> ReportSide | None:
        """What is said of the base; None if there is none."""
        return None if self.compared is None else self._side(self.compared.base_profile, 0)

    @property
    def new(self) -> ReportSide:
        """What is said of the new profile."""
        return self._side(self.new_profile, 1)

    def _side(self, profile: Profile, side: int) -> ReportSide:
        totals = {
            event.name: int(self._total(event)[side])
            for event in self.queries.events.measured
            if event.name in profile.events.names
        }
        return ReportSide(
            profile.paths,
            profile.command,
            totals,
            self.runs[side],
            has_calls=len(profile.calls) > 0,
            has_call_counts=has_call_counts(profile),
            diagnostics=profile.diagnostics,
            diagnostic_count=profile.diagnostic_count,
            damage=profile.damage,
        )

    @property
    def runs(self) -> tuple[int, int]:
        """The number of runs of both sides, of which costs are the medians."""
        if not isinstance(self.compared, RepeatedComparison):
            return 1, 1
        return len(self.compared.base_runs), len(self.compared.new_runs)

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
        if self.compared is not None:
            return self._functions(self.compared.called)
        return self._alone(self.queries.costs(self.scope).called)

    def self_cost(self, event: EventType) -> BothSides:
        """Return the self costs in an event."""
        if self.compared is not None:
            return self._functions(self.compared.self_cost(event))
        return self._alone(self.queries.self_cost(event, self.scope))

    def inclusive(self, event: EventType) -> BothSides:
        """Return the inclusive costs in an event."""
        if self.compared is not None:
            return self._functions(self.compared.inclusive(event))
        return self._alone(self.queries.inclusive(event, self.scope))

    def _alone(self, costs: CostArray) -> BothSides:
        return self._functions(BothSides(np.zeros_like(costs), costs))

    def _functions(self, sides: BothSides) -> BothSides:
        """Return the numbers of functions, without those of cycles."""
        count = self.queries.function_count
        return BothSides(sides.base[:count], sides.new[:count])

    def _total(self, event: EventType) -> tuple[int | float, int | float]:
        if self.compared is not None:
            base, new = self.compared.total(event)
            return base.base, new.base
        total = self.queries.total(event, self.scope.parts).base
        return type(total)(0), total

    def event_comparison(self, event: EventType) -> EventComparison:
        """Return the costs in an event that both sides have."""
        grown = shrunk = 0
        if self.compared is not None and not event.is_ratio:
            gross = self.compared.gross_change(event)
            grown, shrunk = gross.grown, gross.shrunk
        return EventComparison(
            event,
            self._total(event),
            grown,
            shrunk,
            self.self_cost(event),
            self.inclusive(event),
            self._effects(event),
            self._is_changed(event),
        )

    def _is_changed(self, event: EventType) -> BoolArray | None:
        """Return which functions differ by more than chance; None where a side has one run."""
        if not isinstance(self.compared, RepeatedComparison):
            return None
        return self.compared.is_changed(event)[: self.queries.function_count]

    def _effects(self, event: EventType) -> FunctionEffects:
        if self.compared is not None:
            return function_effects(self.compared, event)
        nothing = np.zeros(self.queries.function_count, np.int64)
        return FunctionEffects(nothing, nothing, nothing > 0)

    # ---------------------------------------------------------------- functions

    def occurring(self, rows: Int64Array) -> Int64Array:
        """Return these functions without those that are folded."""
        is_folded = folded_mask(self.queries)
        return rows if is_folded is None else rows[~is_folded[rows]]

    @property
    def split_cycle(self) -> Int32Array:
        """The number of the cycle of each function that one side alone does not have, else 0."""
        if self.compared is None:
            return np.zeros(self.queries.function_count, np.int32)
        return self.compared.split_cycle

    @property
    def folded(self) -> FoldedSides | None:
        """What is folded on both sides; None if nothing is."""
        if not isinstance(self.queries, FoldedQueries):
            return None
        compared = self.compared
        new = self._run_scopes(1)
        base = self._run_scopes(0) if compared is not None else ()
        return FoldedSides(
            tuple(fold.text for fold in self.queries.folds),
            tuple(folding_facts(self.queries, (*base, *new))),
            estimated_functions(self.queries, base),
            estimated_functions(self.queries, new),
        )

    def _run_scopes(self, side: int) -> tuple[Scope, ...]:
        compared = self.compared
        if isinstance(compared, RepeatedComparison):
            return (compared.base_runs, compared.new_runs)[side]
        if compared is not None:
            return ((compared.base, compared.new)[side],)
        return (self.scope,)

    def subject(self, event: EventType) -> FilterSubject:
        """Return the functions as filters and rules test them, with their costs in an event."""
        queries = self.queries
        own, inclusive = self.self_cost(event), self.inclusive(event)
        base_total, total = self._total(event)
        base = BaseSide(
            own.base,
            inclusive.base,
            self.called.base,
            base_total,
            self.pairs.only_new,
            self.pairs.only_base,
            self.pairs.is_moved,
            self._is_changed(event),
        )
        return FilterSubject(
            queries.names,
            queries.classes,
            own.new,
            inclusive.new,
            self.called.new,
            queries.costs(self.scope).cycle[: queries.function_count],
            total,
            None if self.compared is None else base,
            folded_mask(queries),
            event.name,
        )

    def first_line(self, function: int) -> int:
        """Return the line at which a function begins, 0 if it is not known."""
        return first_line(self.queries.profile, FunctionId(NodeId(function)))


def report_sides(
    bases: Sequence[Profile],
    news: Sequence[Profile],
    rules: MatchingRules = NO_RULES,
    *,
    cycles: bool = True,
    readable: ReadableNames = frozenset(),
    folds: Sequence[Fold] = (),
) -> Sides:
    """Pair the functions of two profiles, or prepare a report of the new one alone.

    Several profiles are repeated runs of their side; without a base, the report is of the first.
    Names are as recorded but where they are to be `readable`, which takes a while for C++ and Rust.
    Functions are folded on both sides alike, and after pairing.
    """
    runs, found = len(bases) + len(news), tuple[Difference, ...]()
    compared = None
    if bases:
        compare_runs = compare_repeats if runs > 2 else _compare_one
        compared = replace(compare_runs(bases, news, rules), cycles=cycles)
        found = tuple(differences(bases[0], news[0]))
    profile = news[0] if compared is None else compared.queries.profile
    texts = demangle_names(profile.texts) if readable else None
    queries = ProfileQueries(profile, texts if "found" in readable else None, scopes=runs + 2)
    queries = with_folds(queries, folds, scopes=runs + 2)
    shown = texts if "shown" in readable else None
    if compared is None:
        return Sides(queries, Scope(cycles=cycles), profile, texts=shown)
    compared = replace(compared, queries=queries)
    return Sides(queries, compared.new, compared.new_profile, compared, found, shown)


def _compare_one(
    bases: Sequence[Profile], news: Sequence[Profile], rules: MatchingRules
) -> Comparison:
    return compare(bases[0], news[0], rules)
