"""The jobs of opening: read files, prepare the profile, answer what the first picture asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from qcachegrind_py.analysis.code.instruction_costs import has_addresses
from qcachegrind_py.analysis.costs.recursion_levels import fold_levels
from qcachegrind_py.analysis.costs.reload_summary import ReloadSummary, part_key, summarize_reload
from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.fingerprints import Fingerprints, fingerprints
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.sibling_parts import sibling_parts, skip_empty_files
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.annotation_inputs import clear_caches, preload
from qcachegrind_py.tools.demangler import demangle_names


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is done to a profile once it is read."""

    demangle: bool = True
    fold_levels: bool = False  # f'2, f'3, … are one function with f
    user_events: tuple[UserEvent, ...] = ()  # the user's events


@dataclass(frozen=True, slots=True)
class InitialQuery:
    """What the first picture will ask for."""

    event: str  # its name; the first one where there is none of that name
    scope: Scope
    filter: Filter


@dataclass(frozen=True, slots=True, eq=False)
class LoadedProfile:
    """A profile as it is read, and the questions to it once it is prepared."""

    profile: Profile
    queries: ProfileQueries
    scope: Scope  # the one that was asked for, with the parts of this profile
    fingerprints: Fingerprints  # of its files, from before they were read
    reload_summary: ReloadSummary | None = None  # from the profile whose place it takes


def files_to_read(paths: tuple[Path, ...], with_siblings: bool) -> tuple[Path, ...]:
    """The files that are read where these were chosen."""
    return sibling_parts(paths[0]) if with_siblings and len(paths) == 1 else skip_empty_files(paths)


def read_profile(
    progress: Progress,
    paths: tuple[Path, ...],
    with_siblings: bool,
    before: Profile | None,
    preparation: Preparation,
    initial: InitialQuery,
) -> LoadedProfile:
    """Read the files. `before` is what they were when they were read the last time.

    The parts of the scope are those of `before`, and those of the new profile that are the same.
    """
    clear_caches()  # they may have come or gone since the last time
    files = files_to_read(paths, with_siblings)
    taken = fingerprints(files)
    profile = load(*files, progress=progress)
    if before is not None:
        chosen = [before.parts[part] for part in initial.scope.parts or ()]
        initial = replace(
            initial, scope=replace(initial.scope, parts=_matching_parts(chosen, profile.parts))
        )
    read = prepare_profile(progress, profile, taken, preparation, initial)
    return (
        replace(read, reload_summary=summarize_reload(before, profile))
        if before is not None
        else read
    )


def _matching_parts(chosen: Iterable[Part], parts: Iterable[Part]) -> Parts:
    """The parts that are known by the same numbers; None, which is all, for none."""
    keys = {part_key(part) for part in chosen}
    found = (PartId(index) for index, part in enumerate(parts) if part_key(part) in keys)
    return frozenset(found) or None


def prepare_profile(
    progress: Progress,
    profile: Profile,
    fingerprints: Fingerprints,
    preparation: Preparation,
    initial: InitialQuery,
) -> LoadedProfile:
    """Prepare a profile that was read."""
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
    return LoadedProfile(profile, queries, initial.scope, fingerprints)


class _CancellationOnly:
    """Progress that can be stopped, and is not seen: reading was the most of it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def check(self, fraction: float, text: str = "") -> None:
        """Raise `Cancelled` where the user does not want it any more."""
        self._progress.check(1.0)


def prefetch(progress: Progress, queries: ProfileQueries) -> None:
    """Prepare sorting and searching by name, and reading code, before anybody asks."""
    progress.check(0.0)
    _ = queries.names.name_ranks
    progress.check(0.5)
    _ = queries.names.location_ranks
    progress.check(0.8)
    if has_addresses(queries.profile):
        preload()
