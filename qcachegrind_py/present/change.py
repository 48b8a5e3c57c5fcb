"""Two profiles for a report: both sides, their functions in pairs, and each function's costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.code.location_costs import first_line
from qcachegrind_py.analysis.comparison.comparability import Difference, differences, doubts
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.effects import FunctionEffects, function_effects
from qcachegrind_py.analysis.comparison.matching import How, Pairing
from qcachegrind_py.analysis.comparison.selections import RepeatedComparison, compare_repeats
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.scope import BothSides, Scope
from qcachegrind_py.analysis.costs.sums import exact_sum
from qcachegrind_py.analysis.filters.conditions import (
    BaseSide,
    ChangeCondition,
    CostField,
    FilterSubject,
    Fold,
)
from qcachegrind_py.analysis.filters.rules import Rule, RuleResult, check_rule, unchecked
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries, folded_mask, with_folds
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import recorded_names
from qcachegrind_py.present.facts import estimated_functions, folding_facts
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import FunctionName
from qcachegrind_py.present.unit import BASE, NEW, Divisors, Unit
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.profile import Diagnostic, Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable
from qcachegrind_py.tools.demangler import demangle_names


@frozen(slots=False)
class FunctionPairs:
    """The rows of a comparison; without a base, they are the functions of the new profile.

    `merged` has a function for each row, with the name to show; `texts` are its texts, readable
    where they were mangled.
    """

    merged: Profile
    new_profile: Profile
    base_profile: Profile | None = None
    pairing: Pairing | None = None
    texts: StringTable | None = None  # None: as recorded

    def __len__(self) -> int:
        return len(self.merged.functions)

    def shown(self, rows: Int64Array) -> list[FunctionName]:
        """Return the names to show of these rows: those of the new side, where it has any."""
        return list(function_names(self.merged, rows, self.texts))

    def new(self, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        if self.pairing is None:
            return [(name,) for name in function_names(self.merged, rows)]
        return self._new_members.names(self.new_profile, rows)

    def base(self, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        if self.base_profile is None:
            return [() for _ in rows]
        return self._base_members.names(self.base_profile, rows)

    @cached_property
    def sizes(self) -> Int64Array:
        """How many functions each row has on the side that has most of them, shape (rows,)."""
        sides = self._new_members.start, self._base_members.start
        sizes: Int64Array = np.maximum(*map(np.diff, sides))
        return sizes

    def how(self, rows: Int64Array) -> list[How]:
        """Return by what both sides of each of these rows were paired."""
        if self.pairing is None:
            return [How.NONE] * len(rows)
        return [self.pairing.how[row] for row in rows.tolist()]

    @cached_property
    def only_base(self) -> BoolArray:
        """Which rows the new profile has not, shape (rows,)."""
        return self._new_members.is_empty

    @cached_property
    def only_new(self) -> BoolArray:
        """Which rows the base has not, shape (rows,)."""
        return self._base_members.is_empty

    @cached_property
    def is_moved(self) -> BoolArray:
        """Which rows are in another file than before, shape (rows,)."""
        how = self.how(np.arange(len(self)))
        return np.array([each is How.MOVED for each in how], bool)

    @cached_property
    def _new_members(self) -> _Members:
        rows = np.arange(len(self)) if self.pairing is None else self.pairing.row_of_new
        return _Members.of(rows, len(self))

    @cached_property
    def _base_members(self) -> _Members:
        rows = np.zeros(0, np.int64) if self.pairing is None else self.pairing.row_of_base
        return _Members.of(rows, len(self))


@frozen
class _Members:
    """The functions of one side by row."""

    function: Int64Array  # sorted by row
    start: Int64Array  # where those of each row begin, and the end, shape (rows + 1,)

    @staticmethod
    def of(row: Int32Array | Int64Array, rows: int) -> _Members:
        """Return the members of each row; `row` is that of each function."""
        function = np.argsort(row, kind="stable")
        return _Members(function, np.searchsorted(row[function], np.arange(rows + 1)))

    @property
    def is_empty(self) -> BoolArray:
        """Which rows have no function, shape (rows,)."""
        empty: BoolArray = np.diff(self.start) == 0
        return empty

    def names(self, profile: Profile, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        begin, end = self.start[rows], self.start[rows + 1]
        counts = end - begin
        places = np.arange(counts.sum()) + np.repeat(begin - np.cumsum(counts) + counts, counts)
        names = function_names(profile, self.function[places])
        return [tuple(next(names) for _ in range(count)) for count in counts.tolist()]


def function_names(
    profile: Profile, functions: Int64Array, texts: StringTable | None = None
) -> Iterator[FunctionName]:
    """Yield the names of these functions, as recorded by default."""
    return map(FunctionName, *recorded_names(profile, functions, texts))


CostKind = Literal["self", "inclusive"]


@frozen(eq=True)
class ReportSide:
    """One of the two profiles.

    `totals` are what percentages are of, by the events that this side measured.
    """

    files: tuple[str, ...]
    command: str
    totals: Mapping[str, int]
    runs: int = 1  # of which costs are the medians
    has_calls: bool = True  # False: inclusive costs are those of each function alone
    has_call_counts: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()  # odd lines of the files
    diagnostic_count: int = 0  # may exceed the number of `diagnostics`
    damage: tuple[Diagnostic, ...] = ()  # the first of each file that is cut or lacks costs


@frozen
class EventComparison:
    """The costs in one event that both sides have."""

    event: EventType
    total: tuple[int | float, int | float]  # of the base, and of the new profile
    grown: int  # sum of the self costs' growth; 0 for ratios
    shrunk: int  # sum of the self costs' shrinkage, negative
    self_cost: BothSides
    inclusive: BothSides
    effects: FunctionEffects
    is_changed: BoolArray | None = None  # by more than chance; None if any change counts
    sampling: Sampling | None = None  # None: costs of a side are exact, or medians

    @property
    def attributed(self) -> tuple[int, int] | None:
        """The sums of the self costs, whose change is that of growth and shrinkage; of no ratio."""
        if self.event.is_ratio:
            return None
        return exact_sum(self.self_cost.base), exact_sum(self.self_cost.new)

    @property
    def remainder(self) -> tuple[int, int] | None:
        """What no function has of the totals; None for ratios and medians, which do not add up."""
        are_medians = self.is_changed is not None and self.sampling is None
        if self.attributed is None or are_medians:
            return None
        base, new = (
            int(total) - own for total, own in zip(self.total, self.attributed, strict=True)
        )
        return base, new

    def costs(self, kind: CostKind) -> BothSides:
        return self.self_cost if kind == "self" else self.inclusive


Divide = Callable[[EventComparison], Divisors | None]  # what the costs in an event are divided by


def undivided(_each: EventComparison) -> None:
    """Return costs as they are."""


def by_totals(each: EventComparison) -> Divisors | None:
    """Return costs as percentages of the total of each side; ratios have none."""
    base, new = each.total
    return None if each.event.is_ratio else Divisors((int(base), int(new)), are_totals=True)


def by_calls(calls: tuple[int, int]) -> Divide:
    """Return costs divided by the numbers of calls in the base and the new profile."""
    divisors = Divisors(calls, are_totals=False)
    return lambda each: None if each.event.is_ratio else divisors


def cost_figures(each: EventComparison, kind: CostKind, divide: Divide) -> Figures:
    """Return the costs in an event of all functions, shape (functions,)."""
    costs = each.costs(kind)
    unit = Unit(each.event.name, divisors=divide(each))
    return Figures(unit, costs.new, costs.base, sampling=each.sampling)


@frozen(eq=True)
class RenameProposal:
    """Two functions that may be the same by another name: callees in common, 0 to 1."""

    base: FunctionName
    new: FunctionName
    alike: float


@frozen
class FoldedSides:
    """What is folded on both sides, and which self costs are partly estimates for that."""

    folds: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]  # key and value of what text says of it
    is_estimated_base: BoolArray
    is_estimated_new: BoolArray


@frozen(slots=False)
class ComparisonReport:
    """All that a report says, and the functions in their order; `base` is None if there is none."""

    base: ReportSide | None
    new: ReportSide
    differences: tuple[Difference, ...]
    doubts: tuple[str, ...]  # what may change costs from run to run
    events: tuple[EventComparison, ...]  # the first decides what is not said of another
    measured: tuple[EventComparison, ...]  # for JSON, in file order
    events_only_base: tuple[str, ...]
    events_only_new: tuple[str, ...]
    pairs: FunctionPairs
    called: BothSides
    functions: Int64Array  # in the order of the report, shape (rows,)
    split_cycle: Int32Array  # of each function a cycle that one side alone does not have, or 0
    rules: tuple[RuleResult, ...] = ()
    earlier: tuple[EarlierReport, ...] = ()  # of further bases, with their rules
    proposals: tuple[RenameProposal, ...] = ()
    exit_code: int = 0
    folded: FoldedSides | None = None
    entry: Callable[[int], tuple[str, int]] = field(default=lambda _: ("", 0))  # of a function
    kind: CostKind = "self"  # of the costs that people see
    divide: Divide = undivided
    unit: str = ""  # what is said of divided costs: `%`, or `per call of main`
    unchanged: int = 0  # functions that are left out, since nothing that is shown of them changed

    @property
    def damage(self) -> tuple[Diagnostic, ...]:
        """What is damaged on both sides."""
        return (*(self.base.damage if self.base else ()), *self.new.damage)

    @property
    def event(self) -> EventComparison:
        return self.events[0]

    def figures(self, each: EventComparison | None = None, kind: CostKind | None = None) -> Figures:
        """Return costs of all functions, by default those that people see."""
        return cost_figures(each or self.event, kind or self.kind, self.divide)

    @property
    def total_events(self) -> Sequence[EventComparison]:
        """The events of which totals are shown: all measured ones, and those asked for."""
        named = [each.event for each in self.events]
        return [*self.events, *(each for each in self.measured if each.event not in named)]


@frozen
class EarlierReport:
    """A report of another base, an earlier revision, without functions of its own."""

    which: str  # such as `the best of 10 revisions`
    file: str
    report: ComparisonReport


# where names are readable that were mangled: what filters and rules find, and what is shown
ReadableNames = frozenset[Literal["found", "shown"]]


@frozen(slots=False)
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
        return self._side(self.new_profile, 1)

    def _side(self, profile: Profile, side: int) -> ReportSide:
        totals = {
            event.name: int(self.total(event)[side])
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
        if self.compared is not None:
            return self._functions(self.compared.called)
        return self._alone(self.queries.costs(self.scope).called)

    def self_cost(self, event: EventType) -> BothSides:
        if self.compared is not None:
            return self._functions(self.compared.self_cost(event))
        return self._alone(self.queries.self_cost(event, self.scope))

    def inclusive(self, event: EventType) -> BothSides:
        if self.compared is not None:
            return self._functions(self.compared.inclusive(event))
        return self._alone(self.queries.inclusive(event, self.scope))

    def _alone(self, costs: CostArray) -> BothSides:
        return self._functions(BothSides(np.zeros_like(costs), costs))

    def _functions(self, sides: BothSides) -> BothSides:
        """Return the numbers of functions, without those of cycles."""
        count = self.queries.function_count
        return BothSides(sides.base[:count], sides.new[:count])

    def total(self, event: EventType) -> tuple[int | float, int | float]:
        """Return the total of the base, 0 if there is none, and of the new profile."""
        if self.compared is not None:
            base, new = self.compared.total(event)
            return base.base, new.base
        total = self.queries.total(event, self.scope.parts).base
        return type(total)(0), total

    def event_comparison(self, event: EventType) -> EventComparison:
        grown = shrunk = 0
        if self.compared is not None and not event.is_ratio:
            gross = self.compared.gross_change(event)
            grown, shrunk = gross.grown, gross.shrunk
        return EventComparison(
            event,
            self.total(event),
            grown,
            shrunk,
            self.self_cost(event),
            self.inclusive(event),
            self._effects(event),
            self._is_changed(event),
            self._sampling(event),
        )

    def _is_changed(self, event: EventType) -> BoolArray | None:
        """Return which functions differ by more than chance; None where any change counts."""
        changed = None if self.compared is None else self.compared.is_changed(event)
        return None if changed is None else changed[: self.queries.function_count]

    def _sampling(self, event: EventType) -> Sampling | None:
        return None if self.compared is None else self.compared.sampling(event)

    def _effects(self, event: EventType) -> FunctionEffects:
        if self.compared is not None:
            return function_effects(self.compared, event)
        nothing = np.zeros(self.queries.function_count, np.int64)
        return FunctionEffects(nothing, nothing, nothing > 0)

    def report(
        self, events: tuple[EventComparison, ...], functions: Int64Array, kind: CostKind = "self"
    ) -> ComparisonReport:
        """Return the report of these events, and of these functions in their order."""
        known = {each.event: each for each in events}
        measured = [
            known.get(event) or self.event_comparison(event)
            for event in self.events
            if not event.is_derived
        ]
        return ComparisonReport(
            base=self.base,
            new=self.new,
            differences=self.differences,
            doubts=tuple(doubts(self.new_profile)),
            events=events,
            measured=(*measured, *(each for each in events if each.event.is_derived)),
            events_only_base=self.compared.only_base if self.compared else (),
            events_only_new=self.compared.only_new if self.compared else (),
            pairs=self.pairs,
            called=self.called,
            functions=functions,
            split_cycle=self.split_cycle,
            proposals=self.proposals,
            folded=self.folded,
            entry=self.entry,
            kind=kind,
        )

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
        base_total, total = self.total(event)
        base = BaseSide(
            own.base,
            inclusive.base,
            self.called.base,
            base_total,
            self.pairs.only_new,
            self.pairs.only_base,
            self.pairs.is_moved,
            self._is_changed(event),
            self._sampling(event),
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

    # ---------------------------------------------------------------- rules

    def check(self, rules: Sequence[Rule], first: EventType) -> tuple[RuleResult, ...]:
        """Return which rules are met, and why others cannot be checked.

        The event `first` is that of terms that name none.
        """
        subjects: dict[EventType, FilterSubject] = {}

        def subject_in(name: str | None) -> FilterSubject:
            event = first if name is None else self.queries.events.find(name)
            assert event is not None  # or else the rule cannot be checked
            if event not in subjects:
                subjects[event] = self.subject(event)
            return subjects[event]

        return tuple(
            unchecked(rule, reason)
            if (reason := self._hindrance(rule))
            else check_rule(rule, subject_in)
            for rule in rules
        )

    def _hindrance(self, rule: Rule) -> str:
        """Return what a side lacks for a rule, an event or calls, in a sentence; or nothing."""
        for term in rule.terms:
            if term.event is not None and (lacks := self.lacks(term.event)):
                event = self.queries.events.find(term.event)
                if event is None or term.needs_base or not self.is_new(event):
                    return lacks
            condition = term.condition
            if (
                isinstance(condition, ChangeCondition)
                and condition.field is not CostField.SELF
                and (base := self.base) is not None
                and base.has_calls != self.new.has_calls
            ):
                where = "new profile" if base.has_calls else "base"
                return f"the {where} has no calls, so only self costs can be compared."
        return ""

    def lacks(self, name: str) -> str:
        """Return which side lacks the event of this name, in a sentence; or nothing."""
        event = self.queries.events.find(name)
        if event is None:
            return f"there is no event {name}."
        if event in self.events:
            return ""
        where = "in the new profile only" if self.is_new(event) else "in the base only"
        return f"the event {name} is {where}."

    def entry(self, row: int) -> tuple[str, int]:
        """Return file and line at which a function begins; the line is 0 if it is not known."""
        function, queries = FunctionId(NodeId(row)), self.queries
        return queries.names.file(function), first_line(queries.profile, function)


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


ComparisonKey = Literal["change", "growth", "base", "new", "calls"]
Only = Literal["grown", "shrunk", "new", "gone"]


@frozen(eq=True)
class ComparisonOrder:
    """The order of functions, largest first, by their self or their inclusive cost.

    `change` is by size whatever its sign, `growth` with it; `calls` is by size of the change of the
    called count.
    """

    key: ComparisonKey = "change"
    kind: CostKind = "self"


def rows_in_order(order: ComparisonOrder, costs: Figures, called: BothSides) -> Int64Array:
    """Return all functions in order, shape (functions,); undefined numbers come last.

    Equal ones keep their order. `costs` are of the kind of the order.
    """
    match order.key:
        case "calls":
            numbers = np.abs(called.change)
        case "change":
            numbers = np.abs(costs.change)
        case "growth":
            numbers = costs.change
        case "base":
            numbers = costs.divided(BASE)
        case "new":
            numbers = costs.divided(NEW)
    return _largest_first(numbers.tolist())


def only_rows(only: Only, costs: Figures, pairs: FunctionPairs) -> BoolArray:
    """Return the mask of functions that grew, shrank, are new or gone, shape (functions,)."""
    if only == "new":
        return pairs.only_new
    if only == "gone":
        return pairs.only_base
    is_kept: BoolArray = costs.change > 0 if only == "grown" else costs.change < 0
    return is_kept.astype(bool)


def changed_rows(costs: Figures, kind: CostKind, sides: Sides) -> BoolArray:
    """Return the mask of functions of which cost, called count or being there changed.

    So did those whose inclusive cost lacks calls within a cycle that one side alone has.
    """
    base, new, called = costs.divided(BASE), costs.divided(NEW), sides.called
    is_equal = (base == new) | ((base != base) & (new != new))
    changed: BoolArray = ~is_equal | (called.base != called.new)
    changed = changed | sides.pairs.only_new | sides.pairs.only_base
    return changed | (sides.split_cycle > 0) if kind == "inclusive" else changed


def _largest_first(numbers: Sequence[int | float]) -> Int64Array:
    """Return the stable order of numbers, which may exceed 64 bits; NaN comes last."""
    keys = [(number != number, -number) for number in numbers]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
