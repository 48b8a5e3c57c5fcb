"""The open profile: load another in the background, keeping the current one until it is ready.

Other work too slow for the GUI thread is done in jobs as well: other parts, grouping, filters. The
context changes when their results are ready.
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
from qcachegrind_py.session.early_reading import EarlyReading
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
from qcachegrind_py.session.part_choice import NO_PARTS, PartChoice
from qcachegrind_py.session.profile_mapping import (
    SavedLocation,
    find_function,
    function_identity,
    map_position,
    node_mapping,
    still_matters,
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
    """The open profile and its queries; `queries` is None until the first profile is loaded."""

    opening = Signal(object)  # the paths, when loading starts
    progressed = Signal(float)  # 0 to 1
    opened = Signal(object)  # the ProfileQueries
    failed = Signal(object)  # a ProfileError; the old profile stays
    ended = Signal()  # after opened, failed or cancelled
    leaving_program = Signal()  # before a profile of another program replaces the open one

    def __init__(
        self,
        jobs: JobRunner,
        load_location: Callable[[str], SavedLocation] = lambda _program: SavedLocation(),
        parent: QObject | None = None,
    ) -> None:
        """`load_location` returns the location stored for a program, by the program's name."""
        super().__init__(parent)
        self.jobs = jobs
        self.navigation = self._create_navigation()
        self._load_location = load_location
        self.loaded: LoadedProfile | None = None  # the open profile as read
        self.queries: ProfileQueries | None = None
        self.paths: tuple[Path, ...] = ()  # as the user chose them
        self.with_siblings = True  # whether sibling parts of the same run were included
        self.preparation = Preparation()
        self.early_reading: EarlyReading | None = None  # of the files that are opened first
        self.requested_scope = self.navigation.context.scope  # in force, or being prepared
        self.requested_filter = self.navigation.context.filter
        self.requested_grouping = Grouping.NONE
        # the files being loaded, or loaded last
        self._pending: tuple[tuple[Path, ...], bool] | None = None

    def _create_navigation(self) -> Navigation:
        return Navigation(self._derive_context, self)

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, with_siblings: bool = True) -> None:
        """Open files as one profile; `with_siblings` adds the other parts of one file's run."""
        if self.loaded is not None:
            from qcachegrind_py.tools.annotation_inputs import clear_caches

            clear_caches()  # binaries and sources may have appeared or gone since the last time
        files = tuple(paths)
        is_again = (files, with_siblings) == (self.paths, self.with_siblings)
        before = self.loaded.profile if self.loaded is not None and is_again else None
        early, self.early_reading = self.early_reading, None
        if early is not None and (files, with_siblings) != (early.paths, True):
            early.cancel()
            early = None
        inputs = files, with_siblings, early, before
        self._start_loading(files, with_siblings, before is not None, read_profile, *inputs)
        self._pending = files, with_siblings

    def prepare_again(self, preparation: Preparation) -> None:
        """Apply another preparation to the open profile, without reading its files again."""
        self.preparation = preparation
        if self.is_opening and self._pending is not None:
            self.open(self._pending[0], with_siblings=self._pending[1])
        elif self.loaded is not None:
            files, read = (self.paths, self.with_siblings), self.loaded.read
            self._start_loading(*files, True, prepare_profile, read)

    def _start_loading(
        self,
        paths: tuple[Path, ...],
        with_siblings: bool,
        keeps_parts: bool,
        work: Callable[..., LoadedProfile],
        *inputs: object,
    ) -> None:
        self.cancel()  # first: its `ended` must precede the next `opening`
        self._pending = None
        self.opening.emit(paths)
        context = self.navigation.context
        event = context.event.name if context.event is not None else ""
        scope, hidden = self.requested_scope, context.hidden_parts
        if not keeps_parts:  # another file has other parts
            scope, hidden = replace(scope, parts=None), NO_PARTS
        initial = InitialQuery(event, scope, self.requested_filter, hidden)
        job = self.jobs.start(_OPEN, work, *inputs, self.preparation, initial)
        job.progressed.connect(self.progressed)
        job.finished.connect(lambda loaded: self._accept(paths, with_siblings, loaded))
        job.failed.connect(self.failed)
        job.ended.connect(self.ended)

    def cancel(self) -> None:
        """Cancel loading; the current profile stays open."""
        self.jobs.cancel(_OPEN)

    @property
    def is_opening(self) -> bool:
        """Whether a profile is being loaded."""
        return self.jobs.is_running(_OPEN)

    @property
    def pending_paths(self) -> tuple[Path, ...]:
        """The files being loaded, or those that failed to load."""
        return self._pending[0] if self._pending is not None else ()

    @property
    def program(self) -> str:
        """The name of the profiled program; empty if no profile is open."""
        return self.queries.profile.program_name if self.queries is not None else ""

    @property
    def files(self) -> FileSearch:
        """Search locations of sources and objects."""
        return self.navigation.context.files

    def set_file_search(
        self, rules: tuple[PathRule, ...], folders: tuple[SearchFolder, ...]
    ) -> None:
        """Set the rules and folders for finding files; incomplete entries are ignored."""
        complete_rules = tuple(rule for rule in rules if rule.original and rule.replacement)
        named_folders = tuple(folder for folder in folders if folder.path)
        self.navigation.set(files=FileSearch(complete_rules, named_folders, self._base_folders()))

    def _base_folders(self) -> tuple[str, ...]:
        """Return the bases of relative file names: the profile's folder, the working directory."""
        folders = [str(path.parent) for path in self.paths[:1]]
        with contextlib.suppress(OSError):  # the working directory was deleted
            folders.append(str(Path.cwd()))
        return tuple(folders)

    def current_location(self) -> SavedLocation:
        """Return the user's current location, by names."""
        context = self.navigation.context
        return SavedLocation(
            context.event.name if context.event else "",
            context.second_event.name if context.second_event else "",
            function_identity(self.queries, context.function, context.scope)
            if self.queries
            else None,
            self.requested_grouping.value,
            str(self.paths[0]) if self.paths else "",
            context.group_colors,
        )

    def _initial_location(self) -> SavedLocation:
        """Return the location in a program opened for the first time.

        The current function is kept only if the user navigated to it.
        """
        location = replace(self.current_location(), group_colors=())
        context, queries = self.navigation.context, self.queries
        if queries is None or context.event is None:
            return location
        has_navigated = context.function != queries.initial_function(context.event, context.scope)
        return location if has_navigated else replace(location, function=None)

    def _accept(self, paths: tuple[Path, ...], with_siblings: bool, loaded: LoadedProfile) -> None:
        before, queries = self.queries, loaded.queries
        is_same = before is not None and before.profile.program_name == queries.profile.program_name
        location = self.current_location()  # kept for another run of the program
        if not is_same:
            self.leaving_program.emit()
            recalled = self._load_location(queries.profile.program_name)
            location = self._initial_location() if recalled == SavedLocation() else recalled
        queries.set_user_events(self.preparation.user_events)  # may have changed meanwhile
        if self.loaded is None or loaded.profile is not self.loaded.profile:
            self.requested_scope = replace(self.requested_scope, parts=loaded.scope.parts)
        for slot in (_SCOPE, _FILTER, _GROUPS):
            self.jobs.cancel(slot)
        is_same_file = location.path in map(str, paths)
        fields, mapping = self._context_at(location, queries, is_same_file=is_same_file), None
        if before is not None and is_same:
            mapping = self._map_context(before, queries, fields, is_same_file=is_same_file)
        self.paths, self.with_siblings = paths, with_siblings
        fields["hidden_parts"] = loaded.hidden
        fields["files"] = replace(self.files, bases=self._base_folders())
        self.loaded, self.queries = loaded, queries
        self.navigation.enter_profile(mapping, **fields)
        self.opened.emit(queries)
        self.set_filter(self.requested_filter)
        self.set_grouping(
            next((g for g in Grouping if g.value == location.grouping), Grouping.NONE)
        )
        # after the view is painted: freeing a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_PREFETCH_DELAY, self, lambda: self._release_previous(queries, before))

    def _context_at(
        self, location: SavedLocation, queries: ProfileQueries, *, is_same_file: bool
    ) -> dict[str, Any]:
        """Return the context's fields for a location, by default at the initial function."""
        events, scope = queries.events, self.requested_scope
        event = events.find(location.event) or next(iter(events.all), None)
        function = find_function(queries, location.function)
        is_kept = is_same_file or still_matters(queries, function, event, scope)
        if event is not None and (function == NO_FUNCTION or not is_kept):
            function = queries.initial_function(event, scope)
        return {
            "events": events,
            "event": event,
            "second_event": events.find(location.second_event),
            "function": function,
            "selected": NO_NODE,
            "position": None,
            "stack": CallStack(),
            "scope": scope,
            "grouping": Grouping.NONE,
            "group_colors": location.group_colors,
        }

    def _map_context(
        self,
        before: ProfileQueries,
        after: ProfileQueries,
        fields: dict[str, Any],
        *,
        is_same_file: bool,
    ) -> NodeMapping:
        """Add to the fields what the other run of the program has of the current context."""
        context = self.navigation.context
        mapping = node_mapping(before, context.scope, after, fields["scope"])
        fields["selected"] = mapping(context.selected)
        function = mapping(context.function)
        is_kept = is_same_file or still_matters(after, function, fields["event"], fields["scope"])
        if function != NO_NODE and is_kept:
            position = map_position(context.position, before.profile, after.profile)
            fields |= {"function": function, "position": position}
        return mapping

    def _release_previous(self, queries: ProfileQueries, _before: ProfileQueries | None) -> None:
        """Drop the last reference to the previous profile, and prefetch for the new one."""
        if queries is self.queries:
            self.jobs.start(_PREFETCH_SLOT, prefetch, queries)

    # ---------------------------------------------------------------- slow settings

    def set_scope(self, scope: Scope) -> None:
        """Switch to other parts or another cycle detection."""
        queries, event = self.queries, self.navigation.context.event
        self.requested_scope = scope
        self.jobs.cancel(_SCOPE)
        if queries is None or event is None or scope == self.navigation.context.scope:
            self.navigation.set(scope=scope)
            return
        job = self.jobs.start(_SCOPE, lambda _progress: queries.prepare(event, scope))
        job.finished.connect(lambda _: self.navigation.set(scope=scope))
        job.failed.connect(self.failed)

    def choose_parts(self, choose: Callable[[PartChoice, int], PartChoice]) -> None:
        """Change which parts are active and hidden; `choose` gets the choice and their number."""
        if self.queries is None:
            return
        before = PartChoice(self.requested_scope.parts, self.navigation.context.hidden_parts)
        after = choose(before, len(self.queries.profile.parts))
        self.navigation.set(hidden_parts=after.hidden)
        if after.active != before.active:
            self.set_scope(replace(self.requested_scope, parts=after.active))

    def set_grouping(self, grouping: Grouping) -> None:
        """Group the functions."""
        self.requested_grouping = grouping
        queries, scope = self.queries, self.navigation.context.scope
        if queries is None or grouping is Grouping.NONE:
            self.jobs.cancel(_GROUPS)
            self.navigation.set(grouping=grouping)
            return
        job = self.jobs.start(_GROUPS, lambda progress: queries.groups(grouping, scope, progress))
        job.finished.connect(lambda _: self.navigation.set(grouping=grouping))
        job.failed.connect(self.failed)

    def set_filter(self, filter_: Filter) -> None:
        """Show only functions that pass the filter, in all views."""
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
        """Offer these user-defined events, in this profile and in later ones."""
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

    # ---------------------------------------------------------------- derived context

    def _derive_context(self, before: Context, after: Context) -> Context:
        """Translate nodes to the new scope's cycles, and update the path to the active function."""
        queries = self.queries
        if queries is None or after.event is None:
            return after
        if after.profile == before.profile and after.scope != before.scope:
            mapping = partial(queries.translate_node, after.scope, before=before.scope)
            self.navigation.map_history(mapping)
            after = replace(
                after, function=mapping(after.function), selected=mapping(after.selected)
            )
        if _stack_inputs(before) == _stack_inputs(after):
            return after
        return replace(after, stack=self._stack(queries, before, after))

    @staticmethod
    def _stack(queries: ProfileQueries, before: Context, after: Context) -> CallStack:
        """Return the call path to the active function."""
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
    """Return the fields of the context on which the path to the active function depends."""
    return context.profile, context.scope, context.function, context.event is None


def _same_event(
    event: EventType | None, find: Callable[[str], EventType | None]
) -> EventType | None:
    return find(event.name) if event is not None else None
