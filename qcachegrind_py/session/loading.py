"""The jobs of opening: read files, prepare the profile, answer what the first picture asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from qcachegrind_py.analysis.code.instruction_costs import has_addresses
from qcachegrind_py.analysis.costs.recursion_levels import fold_levels
from qcachegrind_py.analysis.costs.reload_summary import Differences, differences, part_key
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.formats.fingerprints import Stamps, stamps
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.sibling_parts import with_own_parts, without_empty
from qcachegrind_py.profile.events import Definition
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.annotation_inputs import forget_files, warm_up
from qcachegrind_py.tools.demangler import demangled


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is done to a profile once it is read."""

    demangle: bool = True
    fold_levels: bool = False  # f'2, f'3, … are one function with f
    definitions: tuple[Definition, ...] = ()  # the user's events


@dataclass(frozen=True, slots=True)
class First:
    """What the first picture will ask for."""

    event: str  # its name; the first one where there is none of that name
    scope: Scope
    filter: Filter


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A profile as it is read, and the questions to it once it is prepared."""

    profile: Profile
    questions: Questions
    scope: Scope  # the one that was asked for, with the parts of this profile
    stamps: Stamps  # of its files, from before they were read
    differences: Differences | None = None  # from the profile whose place it takes


def files_of(paths: tuple[Path, ...], own_parts: bool) -> tuple[Path, ...]:
    """The files that are read where these were chosen."""
    return with_own_parts(paths[0]) if own_parts and len(paths) == 1 else without_empty(paths)


def read(
    progress: Progress,
    paths: tuple[Path, ...],
    own_parts: bool,
    before: Profile | None,
    preparation: Preparation,
    first: First,
) -> Reading:
    """Read the files. `before` is what they were when they were read the last time.

    The parts of the scope are those of `before`, and those of the new profile that are the same.
    """
    forget_files()  # they may have come or gone since the last time
    files = files_of(paths, own_parts)
    taken = stamps(files)
    profile = load(*files, progress=progress)
    if before is not None:
        chosen = [before.parts[part] for part in first.scope.parts or ()]
        first = replace(first, scope=replace(first.scope, parts=_same(chosen, profile.parts)))
    read = prepare(progress, profile, taken, preparation, first)
    return replace(read, differences=differences(before, profile)) if before is not None else read


def _same(chosen: Iterable[Part], parts: Iterable[Part]) -> frozenset[int] | None:
    """The parts that are known by the same numbers; None, which is all, for none."""
    keys = {part_key(part) for part in chosen}
    return frozenset(index for index, part in enumerate(parts) if part_key(part) in keys) or None


def prepare(
    progress: Progress,
    profile: Profile,
    stamps: Stamps,
    preparation: Preparation,
    first: First,
) -> Reading:
    """Prepare a profile that was read."""
    folded = fold_levels(profile) if preparation.fold_levels else profile
    texts = demangled(profile.texts, _Stopping(progress)) if preparation.demangle else None
    questions = Questions(folded, texts)
    questions.define_events(preparation.definitions)
    event = questions.events.find(first.event) or next(iter(questions.events.all), None)
    if event is not None:
        questions.prepare(event, first.scope)
        questions.first_function(event, first.scope)
        questions.passing(first.filter, event, first.scope)
    progress.check(1.0)
    return Reading(profile, questions, first.scope, stamps)


class _Stopping:
    """Progress that can be stopped, and is not seen: reading was the most of it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def check(self, fraction: float, text: str = "") -> None:
        """Raise `Cancelled` where the user does not want it any more."""
        self._progress.check(1.0)


def think_ahead(progress: Progress, questions: Questions) -> None:
    """Prepare sorting and searching by name, and reading code, before anybody asks."""
    progress.check(0.0)
    _ = questions.names.name_ranks
    progress.check(0.5)
    _ = questions.names.location_ranks
    progress.check(0.8)
    if has_addresses(questions.profile):
        warm_up()
