"""Base and new side by side: two scopes of one profile, whose answers have the same rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from qcachegrind_py.analysis.comparison.comparability import Difference, differences
from qcachegrind_py.analysis.comparison.matching import How, Pairing
from qcachegrind_py.analysis.comparison.merging import merge_sides, sharing_rows
from qcachegrind_py.analysis.comparison.renames import Rename, pair_with_renames, proposed_renames
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.costs.function_costs import SplitCycle, split_cycles
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.costs.sums import GrossChange, gross_change
from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.filters.subject import BaseSide
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array

QueriesInScope = tuple[ProfileQueries, Scope]
_SCOPES = 6  # of which results are kept: both sides, with and without cycles, and two more


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two profiles compared. Rows are the functions of the merged profile of `queries`."""

    base_profile: Profile  # equal to that given, with its rows in common with the merged one
    new_profile: Profile
    pairing: Pairing
    queries: ProfileQueries  # on both sides together: the parts of the new side come first
    cycles: bool = True
    scopes: tuple[Scope, Scope] | None = None  # base and new; by default all parts of each

    def within(self, base: Scope, new: Scope) -> Self:
        """Return the comparison of other scopes: of chosen parts, or with other cycles.

        Both are in the frame of this comparison.
        """
        return replace(self, cycles=new.cycles, scopes=(base, new))

    @cached_property
    def new(self) -> Scope:
        """The scope of the new side, in the frame of both."""
        if self.scopes is not None:
            return self.scopes[1]
        return self._scope(range(len(self.new_profile.parts)))

    @cached_property
    def base(self) -> Scope:
        """The scope of the base, in the frame of both."""
        if self.scopes is not None:
            return self.scopes[0]
        first = len(self.new_profile.parts)
        return self._scope(range(first, first + len(self.base_profile.parts)))

    def _scope(self, parts: range) -> Scope:
        frame = frozenset(map(PartId, range(len(self.queries.profile.parts))))
        return Scope(frozenset(map(PartId, parts)), self.cycles, frame=frame)

    @cached_property
    def separate_queries(self) -> tuple[QueriesInScope, QueriesInScope]:
        """Queries on the base and on the new profile alone, where members of families differ."""
        base, new = (
            ProfileQueries(profile, scopes=1) for profile in (self.base_profile, self.new_profile)
        )
        scope = replace(self.new, frame=ALL_PARTS)
        return (base, replace(scope, parts=ALL_PARTS)), (new, scope)

    # ---------------------------------------------------------------- events

    @property
    def events(self) -> tuple[EventType, ...]:
        """The events that both sides have, in the order of the new one, and those of the user."""
        base, new = self._side_events()
        common = set(base) & set(new)
        events = self.queries.events
        missing = {name for name in events.names if name not in common}
        return tuple(event for event in events.all if not _depends_on(events, event, missing))

    @property
    def only_base(self) -> tuple[str, ...]:
        """The measured events that only the base has."""
        base, new = self._side_events()
        return _without(base, new)

    @property
    def only_new(self) -> tuple[str, ...]:
        """The measured events that only the new side has."""
        base, new = self._side_events()
        return _without(new, base)

    def sides_without(self, event: EventType) -> tuple[bool, bool]:
        """Return whether the base and whether the new side lacks an event, or part of it."""
        events = self.queries.events
        base, new = (
            _depends_on(events, event, set(events.names) - set(names))
            for names in self._side_events()
        )
        return base, new

    def _side_events(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the measured events of the base and of the new side."""
        return self.base_profile.events.names, self.new_profile.events.names

    # ---------------------------------------------------------------- functions

    def self_cost(self, event: EventType) -> BothSides:
        """Return the self costs of all functions and cycles, shape (nodes,)."""
        return BothSides(
            self.queries.self_cost(event, self.base), self.queries.self_cost(event, self.new)
        )

    def inclusive(self, event: EventType) -> BothSides:
        """Return the inclusive costs of all functions and cycles, shape (nodes,)."""
        return BothSides(
            self.queries.inclusive(event, self.base), self.queries.inclusive(event, self.new)
        )

    @cached_property
    def called(self) -> BothSides:
        """How often functions and cycles were called, shape (nodes,)."""
        base, new = (self.queries.costs(scope).called for scope in (self.base, self.new))
        return BothSides(base, new)

    @cached_property
    def in_base(self) -> BoolArray:
        """Whether the base has the function, shape (functions,)."""
        return self._occurs(self.pairing.row_of_base)

    @cached_property
    def in_new(self) -> BoolArray:
        """Whether the new side has the function, shape (functions,)."""
        return self._occurs(self.pairing.row_of_new)

    def _occurs(self, rows: Int32Array) -> BoolArray:
        occurs = np.zeros(len(self.pairing), bool)
        occurs[rows[rows >= 0]] = True
        return occurs

    @cached_property
    def split_cycles(self) -> tuple[SplitCycle, ...]:
        """The cycles that are others, or none, on one side alone; none without cycles."""
        return split_cycles(self.queries.profile, self._cycle, self._scopes_of_cycles)

    @property
    def split_cycle(self) -> Int32Array:
        """The number of such a cycle for each function in it, else 0, shape (functions,).

        Its inclusive cost on a side may be another than in a report of that side alone.
        """
        numbers = [each.number for each in self.split_cycles]
        return np.where(np.isin(self._cycle, numbers), self._cycle, 0).astype(np.int32)

    @property
    def _cycle(self) -> Int32Array:
        return self.queries.costs(self.new).cycle[: len(self.pairing)]

    @property
    def _scopes_of_cycles(self) -> tuple[Scope, ...]:
        """The scopes of which each alone may have other cycles than all together."""
        return self.base, self.new

    @cached_property
    def renames(self) -> tuple[Rename, ...]:
        """Functions of one side each that may be the same by another name; none is paired."""
        return proposed_renames(self.base_profile, self.new_profile, self.pairing)

    def how(self, row: int) -> How:
        """Return by which rule the function was found on both sides."""
        return self.pairing.how[row]

    def base_side(self, event: EventType) -> BaseSide:
        """Return the base as filters have it, in one event."""
        functions = slice(len(self.pairing))
        return BaseSide(
            self.self_cost(event).base[functions],
            self.inclusive(event).base[functions],
            self.called.base[functions],
            self.total(event)[0].base,
            ~self.in_base,
            ~self.in_new,
            np.array([how is How.MOVED for how in self.pairing.how], bool),
        )

    # ---------------------------------------------------------------- totals

    def total(self, event: EventType) -> tuple[Total, Total]:
        """Return the totals of the base and of the new side, each by its own summaries."""
        base, new = (self.queries.total(event, scope.parts) for scope in (self.base, self.new))
        return base, new

    def gross_change(self, event: EventType) -> GrossChange:
        """Return the growth and the shrinkage of the functions; the event is no ratio.

        They add up to the change of the counted totals.
        """
        functions, sides = len(self.pairing), self.self_cost(event)
        costs = (sides.base, sides.new, sides.change)
        return gross_change(*(each[:functions] for each in costs))

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """What differs between the runs besides the code; none if they are comparable."""
        return tuple(differences(self.base_profile, self.new_profile))


def compare(
    base: Profile,
    new: Profile,
    rules: MatchingRules = NO_RULES,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two profiles: pair their functions, and merge them into one profile.

    Large profiles take as long as reading them, so it belongs in a job; raises `Cancelled`.
    """
    progress = progress or NoProgress()
    pairing = pair_with_renames(base, new, rules, PartialProgress(progress, 0, 0.5))
    progress.check(0.5)
    merged = merge_sides(base, new, pairing)
    progress.check(1)
    sides = sharing_rows(base, merged, is_base=True), sharing_rows(new, merged, is_base=False)
    return Comparison(*sides, pairing, ProfileQueries(merged, scopes=_SCOPES))


def _depends_on(events: EventTypes, event: EventType, missing: set[str]) -> bool:
    """Whether the costs of an event depend on a measured event that a side does not have."""
    return any(each.name in missing for each in events.constituents(event))


def _without(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)
