"""The jobs of opening: read files, prepare the profile, answer what the first picture asks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.analysis.filters import Filter
from qcachegrind_py.analysis.instruction_costs import has_addresses
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.analysis.recursion_levels import fold_levels
from qcachegrind_py.analysis.scope import Scope
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.own_parts import with_own_parts, without_empty
from qcachegrind_py.profile.events import Definition
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.annotation import forget_files, warm_up
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


def read(
    progress: Progress,
    paths: tuple[Path, ...],
    own_parts: bool,
    preparation: Preparation,
    first: First,
) -> tuple[Profile, Questions]:
    """The profile of the files as it is read, and the questions to it once it is prepared."""
    forget_files()  # they may have come or gone since the last time
    paths = with_own_parts(paths[0]) if own_parts and len(paths) == 1 else without_empty(paths)
    return prepare(progress, load(*paths, progress=progress), preparation, first)


def prepare(
    progress: Progress, profile: Profile, preparation: Preparation, first: First
) -> tuple[Profile, Questions]:
    """The same for a profile that was read before."""
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
    return profile, questions


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
