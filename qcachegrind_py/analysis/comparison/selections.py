"""Comparisons of other selections of parts: two of one profile, or several runs on each side.

Two threads, or two dumps of one run, are parts of one profile. A single pair of runs cannot tell a
change from noise, so several runs of each side are compared by their medians, and by whether they
differ by more than chance; the runs of a side are merged by equal names, and each is a selection of
parts, like each side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from qcachegrind_py.analysis.comparison.comparability import Difference, differences
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.matching import How, Pairing, Rename
from qcachegrind_py.analysis.comparison.sides import NO_RULES, Counterparts, MatchingRules
from qcachegrind_py.analysis.costs.scope import BothSides, Scope, is_active, parts_of
from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile, merge_profiles
from qcachegrind_py.profile.tables import BoolArray

# ---------------------------------------------------------------- parts of one profile


@frozen(slots=False)
class PartComparison(Comparison):
    """Two selections of parts of one profile, which is that of both sides.

    A function that does not occur in the parts of a side has the row -1 there.
    """

    def _side_events(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._events_of(self.base), self._events_of(self.new)

    def _events_of(self, scope: Scope) -> tuple[str, ...]:
        profile = self.queries.profile
        found = {name for part in scope.parts or () for name in profile.parts[part].events}
        return tuple(name for name in profile.events.names if name in found)

    @property
    def renames(self) -> tuple[Rename, ...]:
        """No function is renamed within one profile."""
        return ()

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """What differs between the two selections besides their costs."""
        profile = self.queries.profile
        base, new = (
            replace(profile, parts=tuple(profile.parts[part] for part in sorted(scope.parts or ())))
            for scope in (self.base, self.new)
        )
        return tuple(differences(base, new))


def compare_parts(
    profile: Profile,
    base: Iterable[int],
    new: Iterable[int],
    queries: ProfileQueries | None = None,
) -> PartComparison:
    """Compare two selections of parts, by their indexes; `queries` on the profile may be given.

    Raises `ValueError` if one of the selections is empty, and `NotInProfile` for a wrong index.
    """
    sides = [parts_of(profile, parts) or frozenset() for parts in (base, new)]
    if not all(sides):
        raise ValueError("each side needs a part")
    in_base, in_new = (_occurs(profile, parts) for parts in sides)
    rows = np.arange(len(profile.functions), dtype=np.int32)
    pairing = Pairing(
        row_of_base=np.where(in_base, rows, -1).astype(np.int32),
        row_of_new=np.where(in_new, rows, -1).astype(np.int32),
        how=tuple(How.EXACT if both else How.NONE for both in (in_base & in_new).tolist()),
        names={},
        counterparts=Counterparts({}, {}),
    )
    frame = sides[0] | sides[1]
    scopes = Scope(sides[0], frame=frame), Scope(sides[1], frame=frame)
    queries = queries or ProfileQueries(profile)
    return PartComparison(profile, profile, pairing, queries, scopes=scopes)


def _occurs(profile: Profile, parts: frozenset[PartId]) -> BoolArray:
    """Return which functions have costs or calls in the parts, shape (functions,)."""
    occurs = np.zeros(len(profile.functions), bool)
    runs, calls = profile.runs, profile.calls
    occurs[runs.function[is_active(runs.part, parts)]] = True
    rows = is_active(calls.part, parts)
    occurs[calls.caller[rows]] = True
    occurs[calls.callee[rows]] = True
    return occurs


# ---------------------------------------------------------------- several runs on each side


@frozen
class Ranges:
    """The costs of each run, of shape (runs, nodes) on each side."""

    base: CostArray
    new: CostArray

    @property
    def medians(self) -> BothSides:
        """The medians of both sides, shape (nodes,)."""
        return BothSides(_medians(self.base), _medians(self.new))

    @property
    def are_apart(self) -> BoolArray:
        """Whether all runs of one side cost less than all of the other, shape (nodes,)."""
        is_higher = self.base.max(axis=0) < self.new.min(axis=0)
        apart: BoolArray = is_higher | (self.new.max(axis=0) < self.base.min(axis=0))
        return apart


@frozen(slots=False)
class RepeatedComparison(Comparison):
    """Two sides of several runs each; costs, counts and totals are the medians of the runs.

    Growth and shrinkage are those of the functions' medians, which need not add up to the change
    of the median total. The queries on a scope of a side sum up its runs.
    """

    base_parts: tuple[int, ...] = ()  # the number of parts of each run
    new_parts: tuple[int, ...] = ()

    @cached_property
    def base_runs(self) -> tuple[Scope, ...]:
        return self._runs(self.base_parts, len(self.new_profile.parts))

    @cached_property
    def new_runs(self) -> tuple[Scope, ...]:
        """The scopes of the runs of the new side, in the frame of all runs."""
        return self._runs(self.new_parts, 0)

    def _runs(self, counts: Sequence[int], first: int) -> tuple[Scope, ...]:
        return tuple(self._scope(range(*ends)) for ends in pairwise(accumulate((first, *counts))))

    # ---------------------------------------------------------------- functions

    def self_ranges(self, event: EventType) -> Ranges:
        """Return the self costs of all functions and cycles in each run."""
        return self._ranges(lambda run: self.queries.self_cost(event, run))

    def inclusive_ranges(self, event: EventType) -> Ranges:
        """Return the inclusive costs of all functions and cycles in each run."""
        return self._ranges(lambda run: self.queries.inclusive(event, run))

    def self_cost(self, event: EventType) -> BothSides:
        """Return the medians of the self costs, shape (nodes,)."""
        return self.self_ranges(event).medians

    def inclusive(self, event: EventType) -> BothSides:
        """Return the medians of the inclusive costs, shape (nodes,)."""
        return self.inclusive_ranges(event).medians

    @cached_property
    def called(self) -> BothSides:
        """The medians of how often functions and cycles were called, shape (nodes,)."""
        return self._ranges(lambda run: self.queries.costs(run).called).medians

    def sampling(self, event: EventType) -> None:
        """Return None: the runs themselves show the noise, also that of samples."""

    def is_changed(self, event: EventType) -> BoolArray:
        """Return which functions and cycles changed by more than chance, shape (nodes,).

        All runs of one side are below all of the other, in self or inclusive cost.
        """
        changed: BoolArray = self.self_ranges(event).are_apart
        return changed | self.inclusive_ranges(event).are_apart

    def _ranges(self, costs: Callable[[Scope], CostArray]) -> Ranges:
        base, new = (np.stack([costs(run) for run in runs]) for runs in self._sides)
        return Ranges(base, new)

    @property
    def _sides(self) -> tuple[tuple[Scope, ...], tuple[Scope, ...]]:
        return self.base_runs, self.new_runs

    @property
    def _scopes_of_cycles(self) -> tuple[Scope, ...]:
        return *self.base_runs, *self.new_runs

    # ---------------------------------------------------------------- totals

    def total_ranges(self, event: EventType) -> tuple[tuple[Total, ...], tuple[Total, ...]]:
        """Return the totals of each run of the base and of the new side."""
        base, new = (
            tuple(self.queries.total(event, run.parts) for run in runs) for runs in self._sides
        )
        return base, new

    def total(self, event: EventType) -> tuple[Total, Total]:
        """Return the medians of the totals of the base and of the new side."""
        base, new = map(_median_total, self.total_ranges(event))
        return base, new


def compare_repeats(
    bases: Sequence[Profile], news: Sequence[Profile], rules: MatchingRules = NO_RULES
) -> RepeatedComparison:
    """Compare several runs on each side; raise `ValueError` if a side has none."""
    if not bases or not news:
        raise ValueError("each side needs a run")
    one = compare(merge_profiles(bases), merge_profiles(news), rules)
    return RepeatedComparison(
        one.base_profile,
        one.new_profile,
        one.pairing,
        one.queries,
        one.cycles,
        base_parts=tuple(len(run.parts) for run in bases),
        new_parts=tuple(len(run.parts) for run in news),
    )


def _medians(costs: CostArray) -> CostArray:
    """Return the medians over the runs, shape (nodes,).

    Of an even number of runs it is the mean of the two in the middle; that of integers is rounded
    to an even integer if it lies between two.
    """
    ordered = np.sort(costs, axis=0)
    low, high = ordered[(len(costs) - 1) // 2], ordered[len(costs) // 2]
    if costs.dtype.kind == "f":
        ratios: CostArray = low + (high - low) / 2
        return ratios
    floor = (low >> 1) + (high >> 1)  # the sum of both may exceed 64 bits
    halves = (low & 1) + (high & 1)
    floor += halves >> 1
    medians: CostArray = floor + (halves & floor & 1)
    return medians


def _median_total(totals: Sequence[Total]) -> Total:
    recorded = [total.recorded for total in totals if total.recorded is not None]
    return Total(
        _median([total.counted for total in totals]),
        _median(recorded) if len(recorded) == len(totals) else None,
    )


def _median(numbers: Sequence[int | float]) -> int | float:
    kind = float if isinstance(numbers[0], float) else object
    median: int | float = _medians(np.array(numbers, kind)[:, np.newaxis])[0]
    return median
