"""Jobs that open a profile: read the files, prepare the profile, precompute the first view."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
from qcachegrind_py.present.context import NO_PARTS
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
from qcachegrind_py.session.part_choice import PartChoice
from qcachegrind_py.tools.demangler import demangle_names

if TYPE_CHECKING:
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.analysis.costs.totals import ReloadSummary
    from qcachegrind_py.analysis.filters.conditions import Fold
    from qcachegrind_py.profile.tables import Int32Array


_REMOVED = "was removed. What was read from it stays open."


@dataclass(frozen=True, slots=True)
class Preparation:
    """Transformations applied to a profile after reading."""

    demangle: bool = True
    fold_levels: bool = False  # fold f'2, f'3, … into f
    user_events: tuple[UserEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class InitialQuery:
    """The query of the first view, whose answers are computed in advance."""

    event: str  # event name; the profile's first event if it has none of that name
    scope: Scope
    filter: Filter
    hidden: frozenset[PartId] = NO_PARTS


class ProfileSource(Protocol):
    """Where a profile comes from: files, or a profile that has been read."""

    def result(self, progress: Progress) -> ReadFiles:
        """Return the profile, read if need be; raises the errors of reading, and `Cancelled`."""


@dataclass(frozen=True, slots=True)
class ProfileFiles:
    """The files of a profile, as the user chose them."""

    paths: tuple[Path, ...] = ()
    with_siblings: bool = True  # whether the other parts of one file's run are read, too
    any_size: bool = field(default=False, compare=False)  # whether the user has agreed to that

    def result(self, progress: Progress) -> ReadFiles:
        """Read the files."""
        return read_files(progress, self)


@dataclass(frozen=True, slots=True, eq=False)
class ReadFiles:
    """A profile as read from its files."""

    profile: Profile
    seconds: float  # time that reading took
    chosen: ProfileFiles = ProfileFiles()

    @property
    def fingerprints(self) -> Fingerprints:
        """The fingerprints of the files when they were opened."""
        prints = zip(self.profile.paths, self.profile.fingerprints, strict=True)
        return {Path(path): print_ for path, print_ in prints}

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were read."""
        return tuple(self.fingerprints)

    def result(self, _progress: Progress) -> ReadFiles:
        """Return the profile as it is."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class ReadAgain:
    """A profile whose files are read again if they have changed."""

    before: ReadFiles

    def result(self, progress: Progress) -> ReadFiles:
        """Return the profile as it is, or as its files are now."""
        chosen = self.before.chosen
        files = files_to_read(chosen.paths, chosen.with_siblings)
        if fingerprints(files) == self.before.fingerprints:
            return self.before
        return read_files(progress, chosen)


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
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
    folds: tuple[Fold, ...] = ()  # what is charged to its callers in the queries
    marks: Int32Array | None = None  # of the functions compared: `analysis.comparison.marks`

    @property
    def profile(self) -> Profile:
        """The profile as read."""
        return self.read.profile

    @property
    def prepared(self) -> Profile:
        """The profile in its prepared form, without the base."""
        if self.base is None or self.comparison is None:
            return self.queries.profile
        return self.comparison.new_profile

    @property
    def unfolded(self) -> Profile:
        """The profile in its prepared form, in which no function is charged to its callers."""
        if self.folds and self.base is None:
            from qcachegrind_py.analysis.folded_queries import unfolded_queries

            return unfolded_queries(self.queries).profile
        return self.prepared


def files_to_read(paths: tuple[Path, ...], with_siblings: bool) -> tuple[Path, ...]:
    """Return the files to read if the user chose `paths`."""
    return opened_files(paths[0]) if with_siblings and len(paths) == 1 else skip_empty_files(paths)


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The other files of the run that a profile is of, and what opens all of them."""

    others: int = 0
    all: ProfileFiles = ProfileFiles()


def find_run_files(progress: Progress, sides: Sequence[tuple[Path, ...]]) -> tuple[RunFiles, ...]:
    """Return for the files of each side which others are of the same runs and were not read."""
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


def read_files(progress: Progress, chosen: ProfileFiles) -> ReadFiles:
    """Read the files that the user chose."""
    files = files_to_read(chosen.paths, chosen.with_siblings)
    start = time.perf_counter()
    limit = NO_LIMIT if chosen.any_size else limit_for(ASKING_SHARE)
    profile = load(*files, progress=progress, limit=limit)
    return ReadFiles(profile, time.perf_counter() - start, chosen)


def load_profile(
    progress: Progress, request: LoadRequest, preparation: Preparation, initial: InitialQuery
) -> LoadedProfile:
    """Read and prepare a profile, and compare it with a base if one is given."""
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
    before, profile = request.before, read.profile
    if before is not None:
        choice = PartChoice(initial.scope.parts, initial.hidden).carried_over(before, profile)
        scope = replace(initial.scope, parts=choice.active)
        initial = replace(initial, scope=scope, hidden=choice.hidden)
    loaded = prepare_profile(progress, read, base, preparation, initial)
    if before is None:
        return loaded
    from qcachegrind_py.analysis.costs.totals import summarize_reload

    return replace(loaded, reload_summary=summarize_reload(before, profile))


def prepare_profile(
    progress: Progress,
    read: ReadFiles,
    base: ReadFiles | None,
    preparation: Preparation,
    initial: InitialQuery,
) -> LoadedProfile:
    """Prepare a profile that has been read: fold, demangle, compute the first view's costs."""
    if base is not None:
        from qcachegrind_py.session.comparing import compare_files

        loaded = compare_files(progress, read, base, preparation, initial)
    else:
        parts = initial.scope.parts
        if parts is not None and len(parts) == len(read.profile.parts):
            parts = ALL_PARTS  # of a side of a comparison, which there is no longer
        scope = replace(initial.scope, parts=parts, frame=ALL_PARTS)
        profile = fold_levels(read.profile) if preparation.fold_levels else read.profile
        queries = ProfileQueries(profile, shown_texts(profile, preparation, progress))
        loaded = LoadedProfile(read, queries, scope, initial.hidden)
    loaded.queries.set_user_events(preparation.user_events)
    if initial.filter.folds:
        from qcachegrind_py.session.folding import folded

        loaded = folded(loaded, initial.filter.folds)
    prepare_first_view(loaded, initial)
    progress.check(1.0)
    return loaded


def shown_texts(
    profile: Profile, preparation: Preparation, progress: Progress
) -> StringTable | None:
    """Return the names to show; None for those that were recorded."""
    if not preparation.demangle:
        return None
    return demangle_names(profile.texts, _CancellationOnly(progress))


def prepare_first_view(loaded: LoadedProfile, initial: InitialQuery) -> None:
    """Compute the answers that the first view asks for."""
    queries, scope = loaded.queries, loaded.scope
    event = queries.events.find(initial.event)
    if event is None or queries.is_zero(event):
        event = queries.default_event(usable_events(loaded))
    if event is None:
        return
    compared = loaded.comparison
    prepare_scopes(queries, event, [scope] if compared is None else [compared.base, scope])
    queries.initial_function(event, scope)
    with suppress(FilterError):  # the views leave out what cannot be checked
        if compared is None:
            queries.visible_nodes(initial.filter.without_changes(), event, scope)
        else:
            base = partial(compared.base_side, event)
            queries.visible_nodes(initial.filter, event, scope, base)


def usable_events(loaded: LoadedProfile) -> tuple[EventType, ...]:
    """Return the events of a profile; in a comparison, those of both sides, if there are any."""
    compared, events = loaded.comparison, loaded.queries.events.all
    return events if compared is None else compared.events or events


def prepare_scopes(queries: ProfileQueries, event: EventType, scopes: Iterable[Scope]) -> None:
    """Compute the answers that views ask for first: of a profile, or of both sides."""
    for scope in scopes:
        queries.prepare(event, scope)


class _CancellationOnly:
    """A progress that can be cancelled but reports nothing, as reading took most of the time."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def check(self, fraction: float, text: str = "") -> None:
        """Raise `Cancelled` if the user cancelled the job."""
        self._progress.check(1.0)


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
