"""Comparing in a session: the open profile with another, or parts of it with other parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qcachegrind_py.analysis.costs.recursion_levels import fold_levels
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import NO_PARTS
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array
from qcachegrind_py.session.entering import one_sided_events
from qcachegrind_py.session.loading import (
    InitialQuery,
    LoadedProfile,
    LoadRequest,
    Preparation,
    ProfileSource,
    ReadFiles,
    prepare_scopes,
    shown_texts,
)
from qcachegrind_py.session.part_choice import PartChoice, matching_parts

if TYPE_CHECKING:  # imported where they are used: without a base, nothing of it is needed
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.analysis.comparison.selections import PartComparison
    from qcachegrind_py.session.session import Session

_SCOPES = 6  # of which results are kept: both sides, with and without cycles, and two more


def compare_files(
    progress: Progress,
    read: ReadFiles,
    base: ReadFiles,
    preparation: Preparation,
    initial: InitialQuery,
) -> LoadedProfile:
    """Compare two profiles; recursion levels are folded on both sides or on neither.

    Profiles that are not folded have their rows in common with the merged one.
    """
    from qcachegrind_py.analysis.comparison.comparison import compare, row_marks

    sides = [
        fold_levels(side.profile) if preparation.fold_levels else side.profile
        for side in (base, read)
    ]
    compared = compare(sides[0], sides[1], progress=progress)
    merged = compared.queries.profile
    queries = ProfileQueries(merged, shown_texts(merged, preparation, progress), scopes=_SCOPES)
    active = PartChoice(initial.scope.parts, initial.hidden).active or compared.new.parts
    scope = replace(initial.scope, parts=active, frame=compared.new.frame)
    compared = replace(compared, queries=queries).within(
        replace(scope, parts=compared.base.parts), scope
    )
    if sides[1] is read.profile:
        read = replace(read, profile=compared.new_profile)
    if sides[0] is base.profile:
        base = replace(base, profile=compared.base_profile)
    return LoadedProfile(
        read,
        queries,
        scope,
        initial.hidden,
        base=base,
        comparison=compared,
        marks=row_marks(compared),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Alone:
    """A side of a comparison, whose rows are copied so that the other one can be released."""

    read: ReadFiles

    def result(self, _progress: Progress) -> ReadFiles:
        """Return the profile with rows of its own."""
        from qcachegrind_py.analysis.comparison.comparison import with_own_rows

        return replace(self.read, profile=with_own_rows(self.read.profile))


@dataclass(frozen=True, slots=True, eq=False)
class _KeptParts:
    """The parts that were compared before their files were read again."""

    read: ReadFiles
    base: frozenset[PartId]
    new: frozenset[PartId]


class Comparing:
    """What the user compares; each change is made by a job, and what is open stays until then."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: _KeptParts | None = None
        session.opening.connect(self._keep_parts)
        session.opened.connect(self._compare_kept_parts)

    @property
    def is_of_files(self) -> bool:
        """Whether two profiles are compared, rather than parts of one."""
        loaded = self._session.loaded
        return loaded is not None and loaded.base is not None

    @property
    def is_of_parts(self) -> bool:
        """Whether parts of the open profile are compared."""
        loaded = self._session.loaded
        return loaded is not None and loaded.comparison is not None and loaded.base is None

    @property
    def base(self) -> ReadFiles | None:
        """The profile that the open one is compared with."""
        loaded = self._session.loaded
        return None if loaded is None else loaded.base

    def compare_with(self, base: ProfileSource) -> None:
        """Compare the open profile with another; it is not read again."""
        loaded = self._session.loaded
        if loaded is not None:
            self._stop_comparing_parts()
            read = loaded.read
            self._session.load(LoadRequest(read.chosen, read, base, keeps_parts=True))

    def swap(self) -> None:
        """Make the base the new side, and the new side the base."""
        loaded = self._session.loaded
        if loaded is None or loaded.comparison is None:
            return
        if loaded.base is not None:
            new = loaded.base
            self._session.load(LoadRequest(new.chosen, new, loaded.read))
        else:
            self._compare_parts(loaded.comparison.new.parts, loaded.comparison.base.parts)

    def stop(self) -> None:
        """Show the new side alone again."""
        loaded = self._session.loaded
        if loaded is None or loaded.comparison is None:
            return
        if loaded.base is None:
            self._stop_comparing_parts()
        else:
            alone = _Alone(loaded.read)
            self._session.load(LoadRequest(loaded.read.chosen, alone, keeps_parts=True))

    # ---------------------------------------------------------------- parts of one profile

    def can_compare_parts(self, parts: Collection[PartId]) -> bool:
        """Whether other parts can be compared with these: some are left, of the same profile."""
        loaded, hidden = self._session.loaded, self._session.navigation.context.hidden_parts
        if loaded is None or loaded.base is not None or not parts:
            return False
        return len(frozenset(parts) | hidden) < len(loaded.profile.parts)

    def use_parts_as_base(self, parts: Iterable[PartId]) -> None:
        """Compare the other active parts with these, or all others if only these are active.

        Without others nothing changes, nor while two profiles are compared.
        """
        loaded, base = self._session.loaded, frozenset(parts)
        if loaded is None or self.is_of_files:
            return
        choice = PartChoice(ALL_PARTS, self._session.navigation.context.hidden_parts)
        shown = choice.shown(len(loaded.profile.parts))
        active = self._session.requested_scope.parts or shown
        self._compare_parts(base & shown, (active - base) or (shown - base))

    def choose_new_parts(self, parts: frozenset[PartId]) -> None:
        """Compare other parts of the open profile with the same base; without others, stop."""
        context = self._session.navigation.context
        base = (context.base_parts or frozenset()) - context.hidden_parts
        if base and (new := parts - base):
            self._compare_parts(base, new)
        else:
            self.stop()

    def _compare_parts(self, base: frozenset[PartId] | None, new: frozenset[PartId] | None) -> None:
        session = self._session
        queries, event = session.queries, session.navigation.context.event
        if not base or not new or queries is None or event is None:
            return
        scope = replace(session.requested_scope, parts=new, frame=base | new)
        session.run_scope_job(
            lambda _progress: _compared_parts(queries, event, scope, base),
            self._enter_part_comparison,
        )

    def _keep_parts(self) -> None:
        """Remember which parts are compared, for when their files have been read again."""
        loaded, self._kept = self._session.loaded, None
        if loaded is not None and loaded.comparison is not None and self.is_of_parts:
            sides = loaded.comparison.base.parts, loaded.comparison.new.parts
            self._kept = _KeptParts(loaded.read, sides[0] or NO_PARTS, sides[1] or NO_PARTS)

    def _compare_kept_parts(self) -> None:
        kept, self._kept, loaded = self._kept, None, self._session.loaded
        if kept is None or loaded is None or kept.read.chosen != loaded.read.chosen:
            return
        if loaded.comparison is None:
            base, new = (
                matching_parts(parts, kept.read.profile, loaded.profile)
                for parts in (kept.base, kept.new)
            )
            self._compare_parts(base, new)

    def _enter_part_comparison(self, found: tuple[Comparison, Int32Array]) -> None:
        compared, marks = found
        self._enter(compared, marks, compared.new, compared.base.parts)

    def _stop_comparing_parts(self) -> None:
        if self.is_of_parts and self._session.loaded is not None:
            hidden = self._session.navigation.context.hidden_parts
            count = len(self._session.loaded.profile.parts)
            choice = PartChoice(hidden=hidden).choosing((), count)
            scope = replace(self._session.requested_scope, parts=choice.active, frame=ALL_PARTS)
            self._enter(None, None, scope, None)

    def _enter(
        self,
        compared: Comparison | None,
        marks: Int32Array | None,
        scope: Scope,
        base: frozenset[PartId] | None,
    ) -> None:
        session = self._session
        if session.loaded is not None:
            session.loaded = replace(session.loaded, comparison=compared, marks=marks)
            session.requested_scope = scope
            filter_ = session.navigation.context.filter
            session.navigation.set(
                scope=scope,
                base_parts=base,
                one_sided=one_sided_events(compared),
                filter=filter_.without_changes() if compared is None else filter_,
            )


def _compared_parts(
    queries: ProfileQueries, event: EventType, scope: Scope, base: frozenset[PartId]
) -> tuple[PartComparison, Int32Array]:
    """Compare parts of one profile, and compute what the views ask for first."""
    from qcachegrind_py.analysis.comparison.comparison import row_marks
    from qcachegrind_py.analysis.comparison.selections import compare_parts

    compared = compare_parts(queries.profile, base, scope.parts or (), queries)
    compared = compared.within(replace(scope, parts=base), scope)
    prepare_scopes(queries, event, (compared.base, compared.new))
    return compared, row_marks(compared)
