"""Where a profile comes from, and the jobs that read, compare and fold it before it is shown.

Files, a profile read before, a history and the sides of a comparison are sources alike. Each job
takes what is open as a value and returns a `LoadedProfile`; the session alone shows it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from qcachegrind_py.analysis.code.location_costs import has_addresses
from qcachegrind_py.analysis.costs.recursion_levels import fold_levels
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.run_files import (
    opened_files,
    run_files,
    run_leaders,
    skip_empty_files,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import NO_PARTS, Context, PartChoice
from qcachegrind_py.profile.errors import FilterError, UnreadableFile
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.files import (
    ASKING_SHARE,
    NO_LIMIT,
    Fingerprints,
    fingerprints,
    limit_for,
)
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.tools.demangler import demangle_names

if TYPE_CHECKING:  # imported where they are used: to open a profile, nothing of it is needed
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.analysis.costs.totals import ReloadSummary
    from qcachegrind_py.analysis.filters.conditions import Fold
    from qcachegrind_py.analysis.history import OpenedHistory
    from qcachegrind_py.profile.tables import Int32Array


_REMOVED = "was removed. What was read from it stays open."
_FOLDED_SCOPES = 3  # of which results are kept
_COMPARED_SCOPES = 6  # both sides, with and without cycles, and two more


@frozen(eq=True)
class Preparation:
    """Transformations applied to a profile after reading."""

    demangle: bool = True
    fold_levels: bool = False  # fold f'2, f'3, … into f
    user_events: tuple[UserEvent, ...] = ()


# ---------------------------------------------------------------- sources


class ProfileSource(Protocol):
    """Where a profile comes from: files, or a profile that has been read."""

    def result(self, progress: Progress) -> ReadFiles:
        """Return the profile, read if need be; raises the errors of reading, and `Cancelled`."""


@frozen(eq=True)
class ProfileFiles:
    """The files of a profile, as the user chose them."""

    paths: tuple[Path, ...] = ()
    with_siblings: bool = True  # whether the other parts of one file's run are read, too
    any_size: bool = field(default=False, compare=False)  # whether the user has agreed to that

    def to_read(self) -> tuple[Path, ...]:
        """Return the files to read, as they are now."""
        if self.with_siblings and len(self.paths) == 1:
            return opened_files(self.paths[0])
        return skip_empty_files(self.paths)

    def result(self, progress: Progress) -> ReadFiles:
        start = time.perf_counter()
        limit = NO_LIMIT if self.any_size else limit_for(ASKING_SHARE)
        profile = load(*self.to_read(), progress=progress, limit=limit)
        return ReadFiles(profile, time.perf_counter() - start, self)


@frozen
class ReadFiles:
    """A profile as read from its files."""

    profile: Profile
    seconds: float  # time that reading took
    chosen: ProfileFiles = ProfileFiles()
    history: OpenedHistory | None = None  # whose newest revision this is, if it was read with it

    @property
    def fingerprints(self) -> Fingerprints:
        """The fingerprints of the files when they were opened."""
        prints = zip(self.profile.paths, self.profile.fingerprints, strict=True)
        return {Path(path): print_ for path, print_ in prints}

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.fingerprints)

    def result(self, _progress: Progress) -> ReadFiles:
        return self


@frozen
class ReadAgain:
    """A profile whose files are read again if they have changed."""

    before: ReadFiles

    def result(self, progress: Progress) -> ReadFiles:
        """Return the profile as it is, or as its files are now."""
        chosen = self.before.chosen
        if fingerprints(chosen.to_read()) == self.before.fingerprints:
            return self.before
        return chosen.result(progress)


@frozen
class SideAlone:
    """A side of a comparison, whose rows are copied so that the other one can be released."""

    read: ReadFiles

    def result(self, _progress: Progress) -> ReadFiles:
        from qcachegrind_py.analysis.comparison.comparison import with_own_rows

        return replace(self.read, profile=with_own_rows(self.read.profile))


@frozen
class LoadRequest:
    """A profile to load."""

    chosen: ProfileFiles
    source: ProfileSource  # of these files
    base: ProfileSource | None = None  # what it is to be compared with
    # the profile last read from the same files; parts that were active or hidden are so again
    before: Profile | None = None
    keeps_parts: bool = False  # whether the profile has the same parts as the open one

    @property
    def read_before(self) -> frozenset[str]:
        """The files that are read again, and whose content is open until then."""
        profiles = [self.before] if self.before is not None else []
        if isinstance(self.base, ReadAgain):
            profiles.append(self.base.before.profile)
        return frozenset(path for profile in profiles for path in profile.paths)

    def with_any_size(self) -> LoadRequest:
        """Return the request for files that may take as much memory as there is."""
        chosen = replace(self.chosen, any_size=True)
        source = chosen if isinstance(self.source, ProfileFiles) else self.source
        base = self.base
        if isinstance(base, ProfileFiles):
            base = replace(base, any_size=True)
        return replace(self, chosen=chosen, source=source, base=base)


@frozen(eq=True)
class RunFiles:
    """The other files of a profile's run, and the request that opens all of them."""

    others: int = 0
    all: ProfileFiles = ProfileFiles()


def find_run_files(progress: Progress, sides: Sequence[tuple[Path, ...]]) -> tuple[RunFiles, ...]:
    """Return, for each side, the files of the same runs that were not read."""
    return tuple(_run_files(progress, files) for files in sides)


def _run_files(progress: Progress, files: tuple[Path, ...]) -> RunFiles:
    runs = run_files(files, progress)
    others = len(set(runs) - set(files))
    if not others:
        return RunFiles()
    for leader in (*map(files[0].with_name, run_leaders(files[0].name)), files[0]):
        if leader.exists() and set(opened_files(leader)) == set(runs):
            return RunFiles(others, ProfileFiles((leader,)))
    return RunFiles(others, ProfileFiles(runs, with_siblings=False))


# ---------------------------------------------------------------- what is loaded


@frozen
class LoadedProfile:
    """A profile as read from its files, and the queries on its prepared form.

    While files are compared, the queries are on both sides together, as those of the comparison.
    """

    read: ReadFiles
    queries: ProfileQueries
    scope: Scope  # the requested scope, with the parts of this profile
    hidden: frozenset[PartId] = NO_PARTS  # the hidden parts of this profile
    reload_summary: ReloadSummary | None = None  # against the profile that it replaces
    base: ReadFiles | None = None  # what it is compared with; None also if parts are compared
    comparison: Comparison | None = None
    folds: tuple[Fold, ...] = ()  # what is folded into its callers in the queries
    marks: Int32Array | None = None  # of the functions compared: `analysis.comparison.marks`

    @property
    def profile(self) -> Profile:
        return self.read.profile

    @property
    def prepared(self) -> Profile:
        """The profile in its prepared form, without the base."""
        if self.base is None or self.comparison is None:
            return self.queries.profile
        return self.comparison.new_profile

    @property
    def unfolded(self) -> Profile:
        """The profile in its prepared form, in which no function is folded into its callers."""
        if self.folds and self.base is None:
            from qcachegrind_py.analysis.queries import unfolded_queries

            return unfolded_queries(self.queries).profile
        return self.prepared

    @property
    def sides(self) -> tuple[ReadFiles, ...]:
        """The profile as read, and the base if it is compared with one."""
        return (self.read,) if self.base is None else (self.read, self.base)

    @property
    def usable_events(self) -> tuple[EventType, ...]:
        """The events; in a comparison, those of both sides, if there are any."""
        compared, events = self.comparison, self.queries.events.all
        return events if compared is None else compared.events or events


def load_profile(
    progress: Progress, request: LoadRequest, preparation: Preparation, wanted: Context
) -> LoadedProfile:
    """Read and prepare a profile, and compute what the `wanted` context shows of it first.

    It is compared with the base of the request, or its parts with each other if the context has a
    base.
    """
    try:
        if request.base is None:
            read, base = request.source.result(progress), None
        else:
            read = request.source.result(PartialProgress(progress, 0, 0.45))
            base = request.base.result(PartialProgress(progress, 0.45, 0.9))
            progress = PartialProgress(progress, 0.9, 1)
    except UnreadableFile as error:
        if isinstance(error.__cause__, FileNotFoundError) and error.path in request.read_before:
            raise UnreadableFile(error.path, _REMOVED) from error
        raise
    summary = None
    if request.before is not None:
        from qcachegrind_py.analysis.costs.totals import summarize_reload

        wanted = _in_another_reading(wanted, request.before, read.profile)
        summary = summarize_reload(request.before, read.profile)
    if base is None:
        loaded = _alone(progress, read, preparation, wanted)
    else:
        loaded = _compare_files(progress, (base, read), preparation, wanted)
    loaded.queries.set_user_events(preparation.user_events)
    if wanted.filter.folds:
        loaded = _folded(loaded, wanted.filter)
    if base is None and wanted.base_parts and wanted.scope.parts:
        frame = wanted.base_parts | wanted.scope.parts
        loaded = _with_compared_parts(loaded, replace(wanted.scope, frame=frame), wanted.base_parts)
    _prepare_first_view(loaded, wanted)
    progress.check(1.0)
    return replace(loaded, reload_summary=summary)


def _alone(
    progress: Progress, read: ReadFiles, preparation: Preparation, wanted: Context
) -> LoadedProfile:
    parts = wanted.scope.parts
    if parts is not None and len(parts) == len(read.profile.parts):
        parts = ALL_PARTS  # of a side of a comparison, which there is no longer
    profile = fold_levels(read.profile) if preparation.fold_levels else read.profile
    queries = ProfileQueries(profile, _shown_texts(profile, preparation, progress))
    scope = replace(wanted.scope, parts=parts, frame=ALL_PARTS)
    return LoadedProfile(read, queries, scope, wanted.hidden_parts)


def _compare_files(
    progress: Progress,
    sides: tuple[ReadFiles, ReadFiles],
    preparation: Preparation,
    wanted: Context,
) -> LoadedProfile:
    """Compare a base and a new side; recursion levels are folded on both sides or on neither.

    Profiles that are not folded have their rows in common with the merged one.
    """
    from qcachegrind_py.analysis.comparison.comparison import compare, row_marks

    base, read = (
        fold_levels(side.profile) if preparation.fold_levels else side.profile for side in sides
    )
    compared = compare(base, read, progress=progress)
    merged = compared.queries.profile
    texts = _shown_texts(merged, preparation, progress)
    queries = ProfileQueries(merged, texts, scopes=_COMPARED_SCOPES)
    active = wanted.scope.parts or compared.new.parts
    scope = replace(wanted.scope, parts=active, frame=compared.new.frame)
    base_scope = replace(scope, parts=compared.base.parts)
    compared = replace(compared, queries=queries).within(base_scope, scope)
    merged_sides = [
        side if profile is not side.profile else replace(side, profile=shared)
        for side, profile, shared in zip(
            sides, (base, read), (compared.base_profile, compared.new_profile), strict=True
        )
    ]
    return LoadedProfile(
        merged_sides[1],
        queries,
        scope,
        wanted.hidden_parts,
        base=merged_sides[0],
        comparison=compared,
        marks=row_marks(compared),
    )


def _in_another_reading(wanted: Context, before: Profile, after: Profile) -> Context:
    """Return the context with the parts of another reading of the files.

    If all that were shown were active, further parts are active, too.
    """
    same = partial(_matching_parts, before=before, after=after)
    if wanted.base_parts is not None:
        base, new = same(wanted.base_parts), same(wanted.scope.parts or NO_PARTS)
        if base and new:
            scope, hidden = replace(wanted.scope, parts=new), same(wanted.hidden_parts)
            return replace(wanted, scope=scope, base_parts=base, hidden_parts=hidden)
    choice = carried_over(PartChoice(wanted.scope.parts, wanted.hidden_parts), before, after)
    scope = replace(wanted.scope, parts=choice.active)
    return replace(wanted, scope=scope, base_parts=None, hidden_parts=choice.hidden)


def carried_over(choice: PartChoice, before: Profile, after: Profile) -> PartChoice:
    """Return the choice of the same parts in another reading of the files.

    If all that were shown were active, further parts are active, too.
    """
    count = len(after.parts)
    hidden = _matching_parts(choice.hidden, before, after)
    chosen = NO_PARTS
    if not choice.is_all(len(before.parts)):
        chosen = _matching_parts(choice.active or NO_PARTS, before, after)
    return PartChoice().hiding(hidden, count).choosing(chosen, count)


def _matching_parts(parts: Iterable[PartId], before: Profile, after: Profile) -> frozenset[PartId]:
    """Return the parts with the same file, process, number and thread as these had before."""
    from qcachegrind_py.analysis.costs.totals import part_key

    keys = {part_key(before.parts[part]) for part in parts}
    return frozenset(PartId(i) for i, part in enumerate(after.parts) if part_key(part) in keys)


# ---------------------------------------------------------------- the open profile, otherwise


def compare_parts(
    progress: Progress,
    loaded: LoadedProfile,
    event: EventType,
    scope: Scope,
    base: frozenset[PartId],
) -> LoadedProfile:
    """Compare parts of a profile with those in `scope`, and compute what views ask for first."""
    loaded = _with_compared_parts(loaded, scope, base)
    progress.check(0.5)
    prepare_scopes(loaded.queries, event, (replace(scope, parts=base), scope))
    return loaded


def _with_compared_parts(
    loaded: LoadedProfile, scope: Scope, base: frozenset[PartId]
) -> LoadedProfile:
    from qcachegrind_py.analysis.comparison.comparison import row_marks
    from qcachegrind_py.analysis.comparison.selections import compare_parts

    queries = loaded.queries
    compared = compare_parts(queries.profile, base, scope.parts or (), queries)
    compared = compared.within(replace(scope, parts=base), scope)
    return replace(loaded, scope=scope, comparison=compared, marks=row_marks(compared))


def fold(
    progress: Progress, loaded: LoadedProfile, context: Context, filter_: Filter
) -> LoadedProfile:
    """Fold functions into their callers as the filter says, and compute the first answers."""
    loaded = replace(_folded(loaded, filter_), scope=context.scope)
    progress.check(0.5)
    _prepare_first_view(loaded, replace(context, filter=filter_))
    return loaded


def _folded(loaded: LoadedProfile, filter_: Filter) -> LoadedProfile:
    """Return the profile with the folds of the filter in place of those that it has."""
    from qcachegrind_py.analysis.queries import with_folds

    compared, folds = loaded.comparison, filter_.folds
    scopes = _FOLDED_SCOPES if compared is None else _COMPARED_SCOPES
    queries = with_folds(loaded.queries, folds, scopes=scopes)
    if compared is not None:
        compared = replace(compared, queries=queries)
    return replace(loaded, queries=queries, comparison=compared, folds=folds)


# ---------------------------------------------------------------- what is computed in advance


def _shown_texts(
    profile: Profile, preparation: Preparation, progress: Progress
) -> StringTable | None:
    """Return the names to show; None for those that were recorded."""
    if not preparation.demangle:
        return None
    only_cancelling = PartialProgress(progress, 1, 1)  # reading took most of the time
    return demangle_names(profile.texts, only_cancelling)


def _prepare_first_view(loaded: LoadedProfile, wanted: Context) -> None:
    """Compute the answers that the first view asks for."""
    queries, scope = loaded.queries, loaded.scope
    event = queries.events.find(wanted.event.name) if wanted.event is not None else None
    if event is None or queries.is_zero(event):
        event = queries.default_event(loaded.usable_events)
    if event is None:
        return
    compared, filter_ = loaded.comparison, wanted.filter
    prepare_scopes(queries, event, [scope] if compared is None else [compared.base, scope])
    base = None if compared is None else partial(compared.base_side, event)
    with suppress(FilterError):  # the views leave out what cannot be checked
        queries.visible_nodes(
            filter_.without_changes() if base is None else filter_, event, scope, base
        )


def prepare_scopes(queries: ProfileQueries, event: EventType, scopes: Iterable[Scope]) -> None:
    """Compute the answers that views ask for first: of a profile, or of both sides."""
    for scope in scopes:
        queries.prepare(event, scope)


def prefetch(progress: Progress, queries: ProfileQueries) -> None:
    """Prepare name sorting, name search and the disassembler before they are needed."""
    progress.check(0.0)
    _ = queries.names.name_ranks
    progress.check(0.5)
    _ = queries.names.location_ranks
    progress.check(0.8)
    if has_addresses(queries.profile):
        from qcachegrind_py.tools.annotation_inputs import preload

        preload()
