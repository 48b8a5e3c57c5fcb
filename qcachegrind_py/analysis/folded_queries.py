"""Queries on a profile in which functions are folded into their callers.

Functions have the numbers that they have in the profile before folding, and those that are folded
have neither costs nor calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.function_costs import function_cycles, with_marked_cycles
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, Scope
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.filters.conditions import BaseSide, Fold, FoldKind, folded_functions
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.folding.fold import (
    CallbackPairs,
    Folding,
    Origins,
    call_origins,
    cost_origins,
    fold_functions,
)
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.groups import Grouping, Groups
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.cache import WeightedCache
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, UserEvent
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


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
    """Return the queries on the profile as it was read."""
    return queries.unfolded if isinstance(queries, FoldedQueries) else queries


@frozen(eq=True)
class _FoldNames:
    names: FunctionNames
    classes: Callable[[], TextColumn]


def _cycles(profile: Profile, folds: Sequence[Fold]) -> Int32Array:
    """Return the cycle of each function in the whole profile, if a fold asks for it."""
    if any(fold.kind is FoldKind.COLLAPSE for fold in folds):
        return function_cycles(profile, ALL_PARTS)
    return np.zeros(len(profile.functions), np.int32)
