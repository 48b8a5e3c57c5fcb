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
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_NODE, NodeMapping
from qcachegrind_py.session.context import Context
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import (
    InitialQuery,
    LoadedProfile,
    Preparation,
    prefetch,
    prepare_profile,
    read_profile,
)
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.profile_mapping import (
    SavedLocation,
    find_function,
    function_identity,
    map_position,
    node_mapping,
)
from qcachegrind_py.tools.sources.file_search import FileSearch, SearchFolder
from qcachegrind_py.tools.sources.path_rules import PathRule

_OPEN = "open"
_PREFETCH_SLOT = "ahead"
_SCOPE = "scope"
_GROUPS = "groups"
_FILTER = "filter"
_PREFETCH_DELAY = 150  # ms


class Session(QObject):
    """What is open. `queries` is None until the first profile is there."""

    opening = Signal(object)  # the paths, when it begins
    progressed = Signal(float)  # 0 to 1
    opened = Signal(object)  # the Questions
    failed = Signal(object)  # a ProfileError; the old profile stays
    ended = Signal()  # after opened, failed or cancelled
    leaving_program = Signal()  # before a profile of another program replaces the open one

    def __init__(
        self,
        jobs: JobRunner,
        load_location: Callable[[str], SavedLocation] = lambda _program: SavedLocation(),
        parent: QObject | None = None,
    ) -> None:
        """`load_location` gives the place where the user left a program, by the program's name."""
        super().__init__(parent)
        self.jobs = jobs
        self.navigation = Navigation(self._derive_context, self)
        self._load_location = load_location
        self.loaded: LoadedProfile | None = None  # the open profile, as it was read
        self.queries: ProfileQueries | None = None
        self.paths: tuple[Path, ...] = ()  # as the user chose them
        self.with_siblings = True  # whether they brought the parts of their run
        self.preparation = Preparation()
        self.requested_scope = self.navigation.context.scope  # in force, or being prepared
        self.requested_filter = self.navigation.context.filter
        self.requested_grouping = Grouping.NONE
        # what is being read, or was last
        self._pending: tuple[tuple[Path, ...], bool] | None = None

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, with_siblings: bool = True) -> None:
        """Open files as one profile; with `own_parts`, one file brings the parts of its run."""
        files = tuple(paths)
        is_again = (files, with_siblings) == (self.paths, self.with_siblings)
        before = self.loaded.profile if self.loaded is not None and is_again else None
        self._start_loading(
            files, with_siblings, before is not None, read_profile, files, with_siblings, before
        )
        self._pending = files, with_siblings

    def prepare_again(self, preparation: Preparation) -> None:
        """Prepare the open profile otherwise, without reading it again."""
        self.preparation = preparation
        if self.is_opening and self._pending is not None:
            self.open(self._pending[0], with_siblings=self._pending[1])
        elif self.loaded is not None:
            reading = self.loaded
            of = reading.profile, reading.fingerprints
            self._start_loading(self.paths, self.with_siblings, True, prepare_profile, *of)

    def _start_loading(
        self,
        paths: tuple[Path, ...],
        own_parts: bool,
        has_parts: bool,
        work: Callable[..., LoadedProfile],
        *of: object,
    ) -> None:
        self.cancel()  # before saying that another begins: this one still has to say that it ends
        self._pending = None
        self.opening.emit(paths)
        context = self.navigation.context
        event = context.event.name if context.event is not None else ""
        scope = self.requested_scope
        if not has_parts:  # those of another file are others
            scope = replace(scope, parts=None)
        asked = InitialQuery(event, scope, self.requested_filter)
        job = self.jobs.start(_OPEN, work, *of, self.preparation, asked)
        job.progressed.connect(self.progressed)
        job.finished.connect(lambda reading: self._accept(paths, own_parts, reading))
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
    def pending_paths(self) -> tuple[Path, ...]:
        """The files that are being read, or were to be when it failed."""
        return self._pending[0] if self._pending is not None else ()

    @property
    def program(self) -> str:
        """The program that was profiled; empty where nothing is open."""
        return self.queries.profile.program_name if self.queries is not None else ""

    @property
    def files(self) -> FileSearch:
        """Where sources and objects are looked for."""
        return self.navigation.context.files

    def set_file_search(
        self, rules: tuple[PathRule, ...], folders: tuple[SearchFolder, ...]
    ) -> None:
        """Look for sources and objects by these rules, and in these folders.

        What the user has not written to its end yet is no rule.
        """
        whole = tuple(rule for rule in rules if rule.original and rule.replacement)
        named = tuple(folder for folder in folders if folder.path)
        self.navigation.set(files=FileSearch(whole, named, self._base_folders()))

    def _base_folders(self) -> tuple[str, ...]:
        """What relative names of files are relative to: the profile, or where we were started."""
        folders = [str(path.parent) for path in self.paths[:1]]
        with contextlib.suppress(OSError):  # it is gone
            folders.append(str(Path.cwd()))
        return tuple(folders)

    def current_location(self) -> SavedLocation:
        """Where the user is, by names."""
        context = self.navigation.context
        return SavedLocation(
            context.event.name if context.event else "",
            context.second_event.name if context.second_event else "",
            function_identity(self.queries, context.function, context.scope)
            if self.queries
            else None,
            self.requested_grouping.value,
        )

    def _initial_location(self) -> SavedLocation:
        """The place in a program that is new here: who went nowhere begins at its own beginning."""
        place, context, queries = self.current_location(), self.navigation.context, self.queries
        if queries is None or context.event is None:
            return place
        went = context.function != queries.initial_function(context.event, context.scope)
        return place if went else replace(place, function=None)

    def _accept(self, paths: tuple[Path, ...], own_parts: bool, reading: LoadedProfile) -> None:
        before, queries = self.queries, reading.queries
        is_same = before is not None and before.profile.program_name == queries.profile.program_name
        place = self.current_location()  # another run of the program: the same event and function
        if not is_same:
            self.leaving_program.emit()
            recalled = self._load_location(queries.profile.program_name)
            place = self._initial_location() if recalled == SavedLocation() else recalled
        queries.set_user_events(self.preparation.user_events)  # others than when it began, maybe
        if self.loaded is None or reading.profile is not self.loaded.profile:
            self.requested_scope = replace(self.requested_scope, parts=reading.scope.parts)
        for slot in (_SCOPE, _FILTER, _GROUPS):
            self.jobs.cancel(slot)
        at, number = self._context_at(place, queries), None
        if before is not None and is_same:
            number = self._map_context(before, queries, at)
        self.paths, self.with_siblings = paths, own_parts
        at["files"] = replace(self.files, bases=self._base_folders())
        self.loaded, self.queries = reading, queries
        self.navigation.enter_profile(number, **at)
        self.opened.emit(queries)
        self.set_filter(self.requested_filter)
        self.set_grouping(next((g for g in Grouping if g.value == place.grouping), Grouping.NONE))
        # once the picture stands: to free a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_PREFETCH_DELAY, self, lambda: self._release_previous(queries, before))

    def _context_at(self, place: SavedLocation, queries: ProfileQueries) -> dict[str, Any]:
        """The fields of the context at a place; where that is not known, at the first function."""
        events, scope = queries.events, self.requested_scope
        event = events.find(place.event) or next(iter(events.all), None)
        function = find_function(queries, place.function)
        if function == NO_FUNCTION and event is not None:
            function = queries.initial_function(event, scope)
        return {
            "events": events,
            "event": event,
            "second_event": events.find(place.second_event),
            "function": function,
            "selected": NO_NODE,
            "position": None,
            "stack": CallStack(),
            "scope": scope,
            "grouping": Grouping.NONE,
        }

    def _map_context(
        self, before: ProfileQueries, after: ProfileQueries, at: dict[str, Any]
    ) -> NodeMapping:
        """Put into the fields what another reading of the program has of the place, too."""
        context = self.navigation.context
        number = node_mapping(before, context.scope, after, at["scope"])
        at["selected"] = number(context.selected)
        if (function := number(context.function)) != NO_NODE:
            position = map_position(context.position, before.profile, after.profile)
            at |= {"function": function, "position": position}
        return number

    def _release_previous(self, queries: ProfileQueries, _before: ProfileQueries | None) -> None:
        """Let the old profile go, which only this call held, and think ahead for the new."""
        if queries is self.queries:
            self.jobs.start(_PREFETCH_SLOT, prefetch, queries)

    # ---------------------------------------------------------------- settings that take time

    def set_scope(self, scope: Scope) -> None:
        """Look at other parts, or at cycles otherwise."""
        queries, event = self.queries, self.navigation.context.event
        self.requested_scope = scope
        self.jobs.cancel(_SCOPE)
        if queries is None or event is None or scope == self.navigation.context.scope:
            self.navigation.set(scope=scope)
            return
        job = self.jobs.start(_SCOPE, lambda _progress: queries.prepare(event, scope))
        job.finished.connect(lambda _: self.navigation.set(scope=scope))
        job.failed.connect(self.failed)

    def set_grouping(self, grouping: Grouping) -> None:
        """Show functions in groups."""
        self.requested_grouping = grouping
        queries, scope = self.queries, self.navigation.context.scope
        if queries is None or grouping is Grouping.NONE:
            self.jobs.cancel(_GROUPS)
            self.navigation.set(grouping=grouping)
            return
        job = self.jobs.start(_GROUPS, lambda _progress: queries.groups(grouping, scope))
        job.finished.connect(lambda _: self.navigation.set(grouping=grouping))
        job.failed.connect(self.failed)

    def set_filter(self, filter_: Filter) -> None:
        """Show only what passes the filter, in all views."""
        context, queries = self.navigation.context, self.queries
        self.requested_filter = filter_
        self.jobs.cancel(_FILTER)
        if queries is None or context.event is None or filter_ == context.filter:
            self.navigation.set(filter=filter_)
            return
        event, scope = context.event, context.scope
        job = self.jobs.start(
            _FILTER, lambda _progress: queries.visible_nodes(filter_, event, scope)
        )
        job.finished.connect(lambda _: self.navigation.set(filter=filter_))
        job.failed.connect(self.failed)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Offer these events of the user's, in this profile and those to come."""
        self.preparation = replace(self.preparation, user_events=tuple(user_events))
        if self.queries is None:
            return
        self.queries.set_user_events(self.preparation.user_events)
        events, context = self.queries.events, self.navigation.context
        self.navigation.set(
            events=events,
            event=_same_event(context.event, events.find) or next(iter(events.all), None),
            second_event=_same_event(context.second_event, events.find),
        )

    # ---------------------------------------------------------------- what follows from a change

    def _derive_context(self, before: Context, after: Context) -> Context:
        """Number cycles as the new scope does, and find the way to the active function."""
        queries = self.queries
        if queries is None or after.event is None:
            return after
        if after.profile == before.profile and after.scope != before.scope:
            number = partial(queries.translate_node, after.scope, before=before.scope)
            self.navigation.map_history(number)
            after = replace(after, function=number(after.function), selected=number(after.selected))
        if _stack_inputs(before) == _stack_inputs(after):
            return after
        return replace(after, stack=self._stack(queries, before, after))

    @staticmethod
    def _stack(queries: ProfileQueries, before: Context, after: Context) -> CallStack:
        """The way down to the active function."""
        if after.function == NO_NODE or after.event is None:
            return CallStack()
        graph = queries.call_graph(queries.measured_event(after.event), after.scope)
        if (before.profile, before.scope) != (after.profile, after.scope):
            return costliest_stack(after.function, graph)
        if before.function != after.function or not after.stack.nodes:
            cycle = queries.cycle_of(after.function, after.scope)
            return extended_stack(before.stack, after.function, graph, cycle)
        return after.stack


def _stack_inputs(context: Context) -> object:
    """What the way to the active function depends on."""
    return context.profile, context.scope, context.function, context.event is None


def _same_event(
    event: EventType | None, find: Callable[[str], EventType | None]
) -> EventType | None:
    return find(event.name) if event is not None else None
