"""Two selections of parts of one profile compared: two threads, or two dumps of one run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import (
    Comparison,
    Difference,
    QueriesInScope,
    differences,
)
from qcachegrind_py.analysis.comparison.matching import How, Pairing, Rename
from qcachegrind_py.analysis.comparison.sides import Counterparts
from qcachegrind_py.analysis.costs.scope import Scope, is_active
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray

_Parts = frozenset[PartId]


@dataclass(frozen=True, eq=False)
class PartComparison(Comparison):
    """Two selections of parts of one profile, which is that of both sides.

    A function that does not occur in the parts of a side has the row -1 there.
    """

    @property
    def separate_queries(self) -> tuple[QueriesInScope, QueriesInScope]:
        """Queries on both selections; there are no families within one profile."""
        return (self.queries, self.base), (self.queries, self.new)

    def _side_events(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._events_of(self.base), self._events_of(self.new)

    def _events_of(self, scope: Scope) -> tuple[str, ...]:
        """Return the measured events that one of the parts has."""
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

    Raises `ValueError` if one of the selections is empty.
    """
    sides = [frozenset(map(PartId, parts)) for parts in (base, new)]
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


def _occurs(profile: Profile, parts: _Parts) -> BoolArray:
    """Return which functions have costs or calls in the parts, shape (functions,)."""
    occurs = np.zeros(len(profile.functions), bool)
    runs, calls = profile.runs, profile.calls
    occurs[runs.function[is_active(runs.part, parts)]] = True
    rows = is_active(calls.part, parts)
    occurs[calls.caller[rows]] = True
    occurs[calls.callee[rows]] = True
    return occurs
