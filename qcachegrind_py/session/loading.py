"""Jobs that open a profile: read the files, prepare the profile, precompute the first view."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.analysis.code.recorded_positions import has_addresses
from qcachegrind_py.analysis.costs.recursion_levels import fold_levels
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.fingerprints import Fingerprints, fingerprints
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.sibling_parts import sibling_parts, skip_empty_files
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.part_choice import NO_PARTS, PartChoice
from qcachegrind_py.tools.demangler import demangle_names

if TYPE_CHECKING:
    from qcachegrind_py.analysis.costs.reload_summary import ReloadSummary
    from qcachegrind_py.session.early_reading import EarlyReading


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


@dataclass(frozen=True, slots=True, eq=False)
class ReadFiles:
    """A profile as read from its files."""

    profile: Profile
    fingerprints: Fingerprints  # of the files, taken before they were read
    seconds: float  # time that reading took


@dataclass(frozen=True, slots=True, eq=False)
class LoadedProfile:
    """A profile as read from its files, and the queries on its prepared form."""

    read: ReadFiles
    queries: ProfileQueries
    scope: Scope  # the requested scope, with the parts of this profile
    hidden: frozenset[PartId] = NO_PARTS  # the hidden parts of this profile
    reload_summary: ReloadSummary | None = None  # against the profile that it replaces

    @property
    def profile(self) -> Profile:
        """The profile as read."""
        return self.read.profile


def files_to_read(paths: tuple[Path, ...], with_siblings: bool) -> tuple[Path, ...]:
    """Return the files to read if the user chose `paths`."""
    return sibling_parts(paths[0]) if with_siblings and len(paths) == 1 else skip_empty_files(paths)


def read_files(progress: Progress, paths: tuple[Path, ...], with_siblings: bool) -> ReadFiles:
    """Read the files that the user chose."""
    files = files_to_read(paths, with_siblings)
    fingerprints_before = fingerprints(files)
    start = time.perf_counter()
    profile = load(*files, progress=progress)
    return ReadFiles(profile, fingerprints_before, time.perf_counter() - start)


def read_profile(
    progress: Progress,
    paths: tuple[Path, ...],
    with_siblings: bool,
    early: EarlyReading | None,
    before: Profile | None,
    preparation: Preparation,
    initial: InitialQuery,
) -> LoadedProfile:
    """Read and prepare the files.

    `early` has been reading them since the start of the program, if they were named there.
    `before` is the profile last read from the same files, if any; the parts that were active or
    hidden are so in the new profile, too.
    """
    read = read_files(progress, paths, with_siblings) if early is None else early.result(progress)
    profile = read.profile
    if before is not None:
        choice = PartChoice(initial.scope.parts, initial.hidden).carried_over(before, profile)
        scope = replace(initial.scope, parts=choice.active)
        initial = replace(initial, scope=scope, hidden=choice.hidden)
    loaded = prepare_profile(progress, read, preparation, initial)
    if before is None:
        return loaded
    from qcachegrind_py.analysis.costs.reload_summary import summarize_reload

    return replace(loaded, reload_summary=summarize_reload(before, profile))


def prepare_profile(
    progress: Progress, read: ReadFiles, preparation: Preparation, initial: InitialQuery
) -> LoadedProfile:
    """Prepare a profile that has been read: fold, demangle, compute the first view's costs."""
    profile = read.profile
    folded = fold_levels(profile) if preparation.fold_levels else profile
    texts = (
        demangle_names(profile.texts, _CancellationOnly(progress)) if preparation.demangle else None
    )
    queries = ProfileQueries(folded, texts)
    queries.set_user_events(preparation.user_events)
    event = queries.events.find(initial.event) or next(iter(queries.events.all), None)
    if event is not None:
        queries.prepare(event, initial.scope)
        queries.initial_function(event, initial.scope)
        queries.visible_nodes(initial.filter, event, initial.scope)
    progress.check(1.0)
    return LoadedProfile(read, queries, initial.scope, initial.hidden)


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
