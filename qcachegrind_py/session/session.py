"""The open profile: opening another in the background, until then keeping the old one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.own_parts import with_own_parts
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.navigation import Navigation

_OPEN = "open"
_NAMES = "names"
_AFTER_PICTURE = 150  # ms


class Session(QObject):
    """What is open. `questions` is None until the first profile is there."""

    opening = Signal(object)  # the paths, when it begins
    progressed = Signal(float)  # 0 to 1
    opened = Signal(object)  # the Questions
    failed = Signal(object)  # a ProfileError; the old profile stays
    ended = Signal()  # after opened, failed or cancelled

    def __init__(self, jobs: JobRunner, navigation: Navigation) -> None:
        super().__init__(navigation)
        self._jobs = jobs
        self._navigation = navigation
        self.questions: Questions | None = None
        self.paths: tuple[Path, ...] = ()  # as the user chose them
        self.own_parts = True  # whether they brought the parts of their run

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; with `own_parts`, one file brings the parts of its run."""
        self.cancel()  # before saying that another begins: this one still has to say that it ends
        self.opening.emit(paths)
        context = self._navigation.context
        event = context.event.name if context.event is not None else ""
        job = self._jobs.start(_OPEN, prepare, tuple(paths), own_parts, event, context.cycles)
        job.progressed.connect(self.progressed)
        job.finished.connect(lambda questions: self._take(tuple(paths), own_parts, questions))
        job.failed.connect(self.failed)
        job.ended.connect(self.ended)

    def cancel(self) -> None:
        """Stop opening; the old profile stays."""
        self._jobs.cancel(_OPEN)

    @property
    def is_opening(self) -> bool:
        """Whether a profile is being read."""
        return self._jobs.is_running(_OPEN)

    def _take(self, paths: tuple[Path, ...], own_parts: bool, questions: Questions) -> None:
        before = self.questions
        self.paths, self.own_parts = paths, own_parts
        self.questions = questions
        event = next(iter(questions.profile.events.all), None)
        context = self._navigation.context
        function = -1
        if context.event is not None:  # another run of the program: the same event and function
            event = questions.profile.events.find(context.event.name) or event
        if before is not None and context.function >= 0:
            function = questions.names.like(before.names, context.function)
        if function < 0 and event is not None:
            function = questions.first_function(event, context.cycles)
        self._navigation.enter_profile(event, function)
        self.opened.emit(questions)
        # once the picture stands: to free a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_AFTER_PICTURE, self, lambda: self._tidy_up(questions, before))

    def _tidy_up(self, questions: Questions, _before: Questions | None) -> None:
        """Let the old profile go, which only this call held, and prepare the names of the new."""
        if questions is self.questions:
            self._jobs.start(_NAMES, rank_names, questions)


def prepare(
    progress: Progress, paths: tuple[Path, ...], own_parts: bool, event_name: str, cycles: bool
) -> Questions:
    """Read the files and answer what the first picture asks."""
    if own_parts and len(paths) == 1:
        paths = with_own_parts(paths[0])
    questions = Questions(load(*paths, progress=progress))
    events = questions.profile.events
    event = events.find(event_name) or next(iter(events.all), None)
    if event is not None:
        questions.self_cost(event)
        questions.first_function(event, cycles)
        questions.pairs()
        questions.total(event)
    progress.check(1.0)
    return questions


def rank_names(progress: Progress, questions: Questions) -> None:
    """Prepare sorting and searching by name, before anybody asks."""
    progress.check(0.0)
    _ = questions.names.name_ranks
    progress.check(0.5)
    _ = questions.names.location_ranks
