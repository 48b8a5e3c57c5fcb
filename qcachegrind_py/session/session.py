"""The open profile: opening another in the background, until then keeping the old one.

What may take longer than a picture can wait is a job here, too: other parts, other groups, a
filter. The context changes when the answers are there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.analysis.calls.call_stack import CallStack, costliest_stack, extended_stack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.events import Definition, EventType
from qcachegrind_py.session.context import Context
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import (
    First,
    Preparation,
    Reading,
    prepare,
    read,
    think_ahead,
)
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.profile_mapping import (
    Carrier,
    Place,
    carried_position,
    carrier,
    find,
    identity,
)
from qcachegrind_py.tools.sources.file_search import FileSearch, SearchFolder
from qcachegrind_py.tools.sources.path_rules import PathRule

_OPEN = "open"
_AHEAD = "ahead"
_SCOPE = "scope"
_GROUPS = "groups"
_FILTER = "filter"
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
        self.jobs = jobs
        self._navigation = navigation
        self.reading: Reading | None = None  # the open profile, as it was read
        self.questions: Questions | None = None
        self.paths: tuple[Path, ...] = ()  # as the user chose them
        self.own_parts = True  # whether they brought the parts of their run
        self.preparation = Preparation()
        self.wanted_scope = navigation.context.scope  # on its way, where it is not in force yet
        self.wanted_filter = navigation.context.filter
        self.wanted_grouping = Grouping.NONE
        self._coming: tuple[tuple[Path, ...], bool] | None = None  # what is being read, or was last
        self.recall: Callable[[str], Place] = lambda _program: Place()
        navigation.follow = self._follow

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; with `own_parts`, one file brings the parts of its run."""
        files = tuple(paths)
        is_again = (files, own_parts) == (self.paths, self.own_parts)
        before = self.reading.profile if self.reading is not None and is_again else None
        self._begin(files, own_parts, before is not None, read, files, own_parts, before)
        self._coming = files, own_parts

    def prepare_anew(self, preparation: Preparation) -> None:
        """Prepare the open profile otherwise, without reading it again."""
        self.preparation = preparation
        if self.is_opening and self._coming is not None:
            self.open(self._coming[0], own_parts=self._coming[1])
        elif self.reading is not None:
            reading = self.reading
            of = reading.profile, reading.stamps
            self._begin(self.paths, self.own_parts, True, prepare, *of)

    def _begin(
        self,
        paths: tuple[Path, ...],
        own_parts: bool,
        has_parts: bool,
        work: Callable[..., Reading],
        *of: object,
    ) -> None:
        self.cancel()  # before saying that another begins: this one still has to say that it ends
        self._coming = None
        self.opening.emit(paths)
        context = self._navigation.context
        event = context.event.name if context.event is not None else ""
        scope = self.wanted_scope
        if not has_parts:  # those of another file are others
            scope = replace(scope, parts=None)
        asked = First(event, scope, self.wanted_filter)
        job = self.jobs.start(_OPEN, work, *of, self.preparation, asked)
        job.progressed.connect(self.progressed)
        job.finished.connect(lambda reading: self._take(paths, own_parts, reading))
        job.failed.connect(self.failed)
        job.ended.connect(self.ended)

    def cancel(self) -> None:
        """Stop opening; the old profile stays."""
        self.jobs.cancel(_OPEN)

    @property
    def is_opening(self) -> bool:
        """Whether a profile is being read."""
        return self.jobs.is_running(_OPEN)

    @property
    def coming(self) -> tuple[Path, ...]:
        """The files that are being read, or were to be when it failed."""
        return self._coming[0] if self._coming is not None else ()

    @property
    def program(self) -> str:
        """The program that was profiled; empty where nothing is open."""
        return self.questions.profile.program_name if self.questions is not None else ""

    @property
    def files(self) -> FileSearch:
        """Where sources and objects are looked for."""
        return self._navigation.context.files

    def look_for_files(
        self, rules: tuple[PathRule, ...], folders: tuple[SearchFolder, ...]
    ) -> None:
        """Look for sources and objects by these rules, and in these folders.

        What the user has not written to its end yet is no rule.
        """
        whole = tuple(rule for rule in rules if rule.original and rule.replacement)
        named = tuple(folder for folder in folders if folder.path)
        self._navigation.set(files=FileSearch(whole, named, self._bases()))

    def _bases(self) -> tuple[str, ...]:
        """What relative names of files are relative to: the profile, or where we were started."""
        folders = [str(path.parent) for path in self.paths[:1]]
        with contextlib.suppress(OSError):  # it is gone
            folders.append(str(Path.cwd()))
        return tuple(folders)

    def place(self) -> Place:
        """Where the user is, by names."""
        context = self._navigation.context
        return Place(
            context.event.name if context.event else "",
            context.second_event.name if context.second_event else "",
            identity(self.questions, context.function, context.scope) if self.questions else None,
            self.wanted_grouping.value,
        )

    def _place_elsewhere(self) -> Place:
        """The place in a program that is new here: who went nowhere begins at its own beginning."""
        place, context, questions = self.place(), self._navigation.context, self.questions
        if questions is None or context.event is None:
            return place
        went = context.function != questions.first_function(context.event, context.scope)
        return place if went else replace(place, function=None)

    def _take(self, paths: tuple[Path, ...], own_parts: bool, reading: Reading) -> None:
        before, questions = self.questions, reading.questions
        is_same = (
            before is not None and before.profile.program_name == questions.profile.program_name
        )
        place = self.place()  # another run of the program: the same event and function
        if not is_same:
            recalled = self.recall(questions.profile.program_name)
            place = self._place_elsewhere() if recalled == Place() else recalled
        questions.define_events(self.preparation.definitions)  # others than when it began, maybe
        if self.reading is None or reading.profile is not self.reading.profile:
            self.wanted_scope = replace(self.wanted_scope, parts=reading.scope.parts)
        for slot in (_SCOPE, _FILTER, _GROUPS):
            self.jobs.cancel(slot)
        at, number = self._at(place, questions), None
        if before is not None and is_same:
            number = self._carry(before, questions, at)
        self.paths, self.own_parts = paths, own_parts
        at["files"] = replace(self.files, bases=self._bases())
        self.reading, self.questions = reading, questions
        self._navigation.enter_profile(number, **at)
        self.opened.emit(questions)
        self.set_filter(self.wanted_filter)
        self.group_by(next((g for g in Grouping if g.value == place.grouping), Grouping.NONE))
        # once the picture stands: to free a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_AFTER_PICTURE, self, lambda: self._tidy_up(questions, before))

    def _at(self, place: Place, questions: Questions) -> dict[str, Any]:
        """The fields of the context at a place; where that is not known, at the first function."""
        events, scope = questions.events, self.wanted_scope
        event = events.find(place.event) or next(iter(events.all), None)
        function = find(questions, place.function)
        if function < 0 and event is not None:
            function = questions.first_function(event, scope)
        return {
            "events": events,
            "event": event,
            "second_event": events.find(place.second_event),
            "function": function,
            "selected": -1,
            "position": None,
            "stack": CallStack(),
            "scope": scope,
            "grouping": Grouping.NONE,
        }

    def _carry(self, before: Questions, after: Questions, at: dict[str, Any]) -> Carrier:
        """Put into the fields what another reading of the program has of the place, too."""
        context = self._navigation.context
        number = carrier(before, context.scope, after, at["scope"])
        at["selected"] = number(context.selected)
        if (function := number(context.function)) >= 0:
            position = carried_position(context.position, before.profile, after.profile)
            at |= {"function": function, "position": position}
        return number

    def _tidy_up(self, questions: Questions, _before: Questions | None) -> None:
        """Let the old profile go, which only this call held, and think ahead for the new."""
        if questions is self.questions:
            self.jobs.start(_AHEAD, think_ahead, questions)

    # ---------------------------------------------------------------- settings that take time

    def set_scope(self, scope: Scope) -> None:
        """Look at other parts, or at cycles otherwise."""
        questions, event = self.questions, self._navigation.context.event
        self.wanted_scope = scope
        self.jobs.cancel(_SCOPE)
        if questions is None or event is None or scope == self._navigation.context.scope:
            self._navigation.set(scope=scope)
            return
        job = self.jobs.start(_SCOPE, lambda _progress: questions.prepare(event, scope))
        job.finished.connect(lambda _: self._navigation.set(scope=scope))
        job.failed.connect(self.failed)

    def group_by(self, grouping: Grouping) -> None:
        """Show functions in groups."""
        self.wanted_grouping = grouping
        questions, scope = self.questions, self._navigation.context.scope
        if questions is None or grouping is Grouping.NONE:
            self.jobs.cancel(_GROUPS)
            self._navigation.set(grouping=grouping)
            return
        job = self.jobs.start(_GROUPS, lambda _progress: questions.groups(grouping, scope))
        job.finished.connect(lambda _: self._navigation.set(grouping=grouping))
        job.failed.connect(self.failed)

    def set_filter(self, filter_: Filter) -> None:
        """Show only what passes the filter, in all views."""
        context, questions = self._navigation.context, self.questions
        self.wanted_filter = filter_
        self.jobs.cancel(_FILTER)
        if questions is None or context.event is None or filter_ == context.filter:
            self._navigation.set(filter=filter_)
            return
        event, scope = context.event, context.scope
        job = self.jobs.start(_FILTER, lambda _progress: questions.passing(filter_, event, scope))
        job.finished.connect(lambda _: self._navigation.set(filter=filter_))
        job.failed.connect(self.failed)

    def define_events(self, definitions: Iterable[Definition]) -> None:
        """Offer these events of the user's, in this profile and those to come."""
        self.preparation = replace(self.preparation, definitions=tuple(definitions))
        if self.questions is None:
            return
        self.questions.define_events(self.preparation.definitions)
        events, context = self.questions.events, self._navigation.context
        self._navigation.set(
            events=events,
            event=_same_event(context.event, events.find) or next(iter(events.all), None),
            second_event=_same_event(context.second_event, events.find),
        )

    # ---------------------------------------------------------------- what follows from a change

    def _follow(self, before: Context, after: Context) -> Context:
        """Number cycles as the new scope does, and find the way to the active function."""
        questions = self.questions
        if questions is None or after.event is None:
            return after
        if after.profile == before.profile and after.scope != before.scope:
            number = partial(questions.entry_in, after.scope, before=before.scope)
            self._navigation.renumber(number)
            after = replace(after, function=number(after.function), selected=number(after.selected))
        if _asked(before) == _asked(after):
            return after
        return replace(after, stack=self._stack(questions, before, after))

    @staticmethod
    def _stack(questions: Questions, before: Context, after: Context) -> CallStack:
        """The way down to the active function."""
        if after.function < 0 or after.event is None:
            return CallStack()
        graph = questions.graph(questions.counted(after.event), after.scope)
        if (before.profile, before.scope) != (after.profile, after.scope):
            return costliest_stack(after.function, graph)
        if before.function != after.function or not after.stack.functions:
            cycle = int(questions.costs(after.scope).cycle[after.function])
            entry = questions.functions + cycle - 1 if cycle else -1
            return extended_stack(before.stack, after.function, graph, entry)
        return after.stack


def _asked(context: Context) -> object:
    """What the way to the active function depends on."""
    return context.profile, context.scope, context.function, context.event is None


def _same_event(
    event: EventType | None, find: Callable[[str], EventType | None]
) -> EventType | None:
    return find(event.name) if event is not None else None
