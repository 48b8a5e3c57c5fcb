"""The open profile: load another in the background, keeping the current one until it is ready.

Other work too slow for the GUI thread is done in jobs as well: other parts, grouping, filters. The
context changes when their results are ready.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import NO_PARTS, Context, PartChoice
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import FunctionId, PartId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import (
    SavedLocation,
    base_folders,
    folded,
    function_identity,
    in_another_program,
    node_mapping,
    opened,
    parts_compared,
    stack_after,
    with_events_of,
    with_sides_swapped,
)
from qcachegrind_py.session.history import HistorySource, HistoryState
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import (
    LoadedProfile,
    LoadRequest,
    Preparation,
    ProfileFiles,
    ProfileSource,
    ReadAgain,
    ReadFiles,
    RunFiles,
    SideAlone,
    compare_parts,
    find_run_files,
    fold,
    load_profile,
    prefetch,
    prepare_scopes,
)
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.suite import SuiteState, compare_folders
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, SearchFolder

if TYPE_CHECKING:  # read only when profiles are compared, or a history is opened
    from qcachegrind_py.analysis.comparison.comparison import Comparison
    from qcachegrind_py.analysis.comparison.sides import Identity
    from qcachegrind_py.analysis.history import OpenedHistory, Revision

_OPEN = "open"
_PREFETCH_SLOT = "ahead"
_RUN_FILES = "run files"
_SCOPE = "scope"
_GROUPS = "groups"
_FILTER = "filter"
_PREFETCH_DELAY = 150  # ms
_READ = ReadFiles, SideAlone  # sources for which no file is read
_Result = TypeVar("_Result")


class Session(QObject):
    """The open profile and what is shown of it; `loaded` is None until the first one is open."""

    opening = Signal(object)  # the paths, when loading starts
    progressed = Signal(float)  # 0 to 1
    opened = Signal(object)  # the ProfileQueries
    replaced = Signal(object)  # after `opened` for files read again: the ReadFiles of before
    failed = Signal(object)  # a ProfileError; the old profile stays
    run_files_found = Signal()  # after opened, when `run_files` are known
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
        self.comparing, self.history, self.suite = self._create_commands()
        self.run_files: tuple[RunFiles, ...] = ()  # that are not open: of the profile, of its base
        self.preparation = Preparation()
        self.requested_scope = self.navigation.context.scope  # in force, or being prepared
        self.requested_filter = self.navigation.context.filter
        self.requested_grouping = Grouping.NONE
        self.pending: LoadRequest | None = None  # what is being loaded, or could not be

    def _create_navigation(self) -> Navigation:
        return Navigation(self._complete, self)

    def _create_commands(self) -> tuple[Comparing, HistorySession, SuiteSession]:
        return Comparing(self), HistorySession(self), SuiteSession(self)

    @property
    def queries(self) -> ProfileQueries | None:
        return None if self.loaded is None else self.loaded.queries

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the sides in the present context; None if nothing is compared."""
        query = self.query
        return None if query is None else query.comparison

    @property
    def query(self) -> ViewQuery | None:
        """The queries of the open profile in the present context; None while none is open."""
        context, loaded = self.navigation.context, self.loaded
        if loaded is None:
            return None
        return ViewQuery(loaded.queries, context, loaded.comparison, loaded.prepared, loaded.marks)

    @property
    def pending_paths(self) -> tuple[Path, ...]:
        """The files being loaded, or those that failed to load."""
        return self.pending.chosen.paths if self.pending is not None else ()

    @property
    def chosen(self) -> ProfileFiles:
        """The files of the open profile, as the user chose them."""
        return self.loaded.read.chosen if self.loaded is not None else ProfileFiles()

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.chosen.paths

    @property
    def with_siblings(self) -> bool:
        """Whether sibling parts of the same run were included."""
        return self.chosen.with_siblings

    @property
    def program(self) -> str:
        return self.queries.profile.program_name if self.queries is not None else ""

    # ---------------------------------------------------------------- opening

    def open(
        self,
        paths: Sequence[Path],
        *,
        with_siblings: bool = True,
        base: ProfileSource | None = None,
    ) -> None:
        """Open files as one profile; `with_siblings` adds the other parts of one file's run.

        It is compared with `base`, if there is one.
        """
        if self.loaded is not None:
            from qcachegrind_py.tools.annotation_inputs import clear_caches

            clear_caches()  # binaries and sources may have appeared or gone since the last time
        chosen = ProfileFiles(tuple(paths), with_siblings)
        before = None
        if self.loaded is not None and chosen == self.chosen:
            before, chosen = self.loaded.profile, self.chosen
        self.load(LoadRequest(chosen, chosen, base, before, before is not None))

    def open_of_any_size(self) -> None:
        """Open what failed to load as it takes much memory, to which the user has agreed."""
        if self.pending is not None:
            self.load(self.pending.with_any_size())

    def reload(self) -> None:
        """Read the open files again; those of the base only if they have changed."""
        if self.loaded is not None:
            base = self.loaded.base
            again = None if base is None else ReadAgain(base)
            self.open(self.paths, with_siblings=self.with_siblings, base=again)

    def open_run(self, *, is_base: bool = False) -> None:
        """Open all files of the run of the open profile, or of that of its base."""
        if self.loaded is None or len(self.run_files) <= is_base:
            return
        chosen = self.run_files[is_base].all
        if is_base:
            self.comparing.compare_with(chosen)
        else:
            base = self.loaded.base
            self.open(chosen.paths, with_siblings=chosen.with_siblings, base=base)

    def prepare_again(self, preparation: Preparation) -> None:
        """Apply another preparation to the open profile, without reading its files again."""
        self.preparation = preparation
        if self.is_opening and self.pending is not None:
            self.load(self.pending)
        elif self.loaded is not None:
            read, base = self.loaded.read, self.loaded.base
            self.load(LoadRequest(read.chosen, read, base, keeps_parts=True))

    def load(self, request: LoadRequest) -> None:
        """Load a profile in the background; the current one stays open until it is ready."""
        self.cancel()  # first: its `ended` must precede the next `opening`
        self.pending = request
        self.opening.emit(request.chosen.paths)
        wanted, scope = self.navigation.context, self.requested_scope
        base_parts = wanted.base_parts if self.comparing.is_of_parts else None
        if not request.keeps_parts:  # another file has other parts
            wanted, base_parts = replace(wanted, hidden_parts=NO_PARTS), None
            scope = replace(scope, parts=None)
        wanted = replace(wanted, scope=scope, base_parts=base_parts, filter=self.requested_filter)
        job = self.jobs.start(_OPEN, load_profile, request, self.preparation, wanted)
        job.progressed.connect(self.progressed)
        job.finished.connect(self._accept)
        job.failed.connect(self.failed)
        job.ended.connect(self.ended)

    def open_suites(self, base: Path, new: Path) -> None:
        """Compare the benchmarks of two folders, and open the one that changed most.

        The progress, cancelling and errors are those of opening a profile.
        """
        self.cancel()
        self.pending = None
        self.opening.emit((new,))
        context = self.navigation.context
        searches = context.files, context.base_search
        job = self.jobs.start(_OPEN, compare_folders, base, new, searches)
        job.progressed.connect(self.progressed)
        job.finished.connect(self.suite.show)
        job.failed.connect(self.failed)
        job.ended.connect(self.ended)

    def cancel(self) -> None:
        self.jobs.cancel(_OPEN)

    @property
    def is_opening(self) -> bool:
        return self.jobs.is_running(_OPEN)

    def _accept(self, loaded: LoadedProfile) -> None:
        """Show a profile that was loaded in place of the open one."""
        replaced, queries, context = self.loaded, loaded.queries, self.navigation.context
        before, location = self.queries, self.current_location()
        is_known = (
            before is not None and before.profile.program_name == queries.profile.program_name
        )
        # another form of what is open, such as its comparison or the base of that
        is_same = is_known or (replaced is not None and isinstance(self._source, _READ))
        if not is_known:
            self.leaving_program.emit()
        if not is_same:
            recalled = self._load_location(queries.profile.program_name)
            initial = in_another_program(location)
            location = initial if recalled == SavedLocation() else recalled
        queries.set_user_events(self.preparation.user_events)  # may have changed meanwhile
        scope, requested = loaded.scope, self.requested_scope
        is_same_profile = replaced is not None and loaded.profile is replaced.profile
        if not is_same_profile or scope.frame != requested.frame:
            self.requested_scope = replace(requested, parts=scope.parts, frame=scope.frame)
        for slot in (_SCOPE, _FILTER, _GROUPS):
            self.jobs.cancel(slot)
        if (history := loaded.read.history) is not None:
            loaded = replace(loaded, read=replace(loaded.read, history=None))
        loaded = replace(loaded, scope=self.requested_scope)
        mapping = None
        if before is not None and is_same:
            find = self._find_swapped(replaced, loaded)
            mapping = node_mapping(before, context.scope, queries, loaded.scope, find)
        self.loaded, self.pending, self.run_files = loaded, None, ()
        self.navigation.enter_profile(opened(context, replaced, loaded, location, mapping), mapping)
        self.opened.emit(queries)
        sides = [side.files for side in loaded.sides]
        job = self.jobs.start_when_painted(_RUN_FILES, find_run_files, sides)
        job.finished.connect(self._on_run_files)
        if loaded.reload_summary is not None and replaced is not None:
            self.replaced.emit(replaced.read)
        if history is not None:
            self.history.show(history)
        self.set_filter(self.requested_filter)
        self.set_grouping(
            next((g for g in Grouping if g.value == location.grouping), Grouping.NONE)
        )
        # after the view is painted: freeing a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_PREFETCH_DELAY, self, lambda: self._release_previous(queries, replaced))

    def _find_swapped(
        self, before: LoadedProfile | None, after: LoadedProfile
    ) -> Callable[[FunctionId], FunctionId] | None:
        """Return how functions are found after the sides were swapped; None if they were not."""
        is_swapped = before is not None and before.base is not None and self._source is before.base
        if not is_swapped or before is None or before.comparison is None:
            return None
        return (
            None
            if after.comparison is None
            else with_sides_swapped(before.comparison, after.comparison)
        )

    @property
    def _source(self) -> ProfileSource | None:
        return None if self.pending is None else self.pending.source

    def _on_run_files(self, found: tuple[RunFiles, ...]) -> None:
        self.run_files = found
        self.run_files_found.emit()

    def _release_previous(self, queries: ProfileQueries, _before: LoadedProfile | None) -> None:
        """Drop the last reference to the previous profile, and prefetch for the new one."""
        if queries is self.queries:
            self.jobs.start(_PREFETCH_SLOT, prefetch, queries)

    def current_location(self) -> SavedLocation:
        """Return the user's current location, by names."""
        context, queries = self.navigation.context, self.queries
        return SavedLocation(
            context.event.name if context.event else "",
            context.second_event.name if context.second_event else "",
            function_identity(queries, context.function, context.scope) if queries else None,
            grouping=self.requested_grouping.value,
            path=str(self.paths[0]) if self.paths else "",
            group_colors=context.group_colors,
        )

    # ---------------------------------------------------------------- slow settings

    def set_scope(self, scope: Scope, enter: Callable[[], object] | None = None) -> None:
        """Switch to other parts or another cycle detection, once the costs in them are known.

        `enter` then changes the context in place of setting the scope alone.
        """
        context, queries = self.navigation.context, self.queries
        event = context.event
        enter = enter or (lambda: self.navigation.set(scope=scope))
        self.requested_scope = scope
        self.jobs.cancel(_SCOPE)
        if queries is None or event is None or scope == context.scope:
            enter()
            return
        sides = [replace(context, scope=scope).base, scope]
        scopes = [side for side in sides if side is not None]
        self._start(_SCOPE, lambda _: prepare_scopes(queries, event, scopes), lambda _: enter())

    def choose_parts(self, choose: Callable[[PartChoice, int], PartChoice]) -> None:
        """Change which parts are active and hidden; `choose` gets the choice and their number."""
        if self.loaded is None:
            return
        count = len(self.loaded.profile.parts)
        before = PartChoice(self.requested_scope.parts, self.navigation.context.hidden_parts)
        after = choose(before, count)
        self.navigation.set(hidden_parts=after.hidden)
        parts = after.active
        if self.loaded.comparison is not None:
            parts = after.active or after.shown(count)
        if parts != before.active:
            if self.comparing.is_of_parts:
                self.comparing.choose_new_parts(parts or NO_PARTS)
            else:
                self.set_scope(replace(self.requested_scope, parts=parts))

    def compare_parts(self, base: frozenset[PartId], new: frozenset[PartId]) -> None:
        """Compare some parts of the open profile with others, once that is computed."""
        event = self.navigation.context.event
        if base and new and event is not None:
            self._derive(
                _SCOPE,
                lambda progress, loaded: compare_parts(
                    progress,
                    loaded,
                    event,
                    replace(self.requested_scope, parts=new, frame=base | new),
                    base,
                ),
                self.show_parts,
            )

    def show_parts(self, loaded: LoadedProfile) -> None:
        """Show the open profile with its parts compared, or no longer; the latest choice wins."""
        self.jobs.cancel(_SCOPE)
        self.loaded, self.requested_scope = loaded, loaded.scope
        self.navigation.change(lambda context: parts_compared(context, loaded))

    def set_grouping(self, grouping: Grouping) -> None:
        self.requested_grouping = grouping
        queries, scope = self.queries, self.navigation.context.scope
        if queries is None or grouping is Grouping.NONE:
            self.jobs.cancel(_GROUPS)
            self.navigation.set(grouping=grouping)
            return
        self._start(
            _GROUPS,
            lambda progress: queries.groups(grouping, scope, progress),
            lambda _: self.navigation.set(grouping=grouping),
        )

    def set_filter(self, filter_: Filter) -> None:
        """Show only functions that pass the filter, in all views."""
        context, queries, compared = self.navigation.context, self.queries, self.comparison
        if compared is None:
            filter_ = filter_.without_changes()
        self.requested_filter = filter_
        self.jobs.cancel(_FILTER)
        if queries is None or context.event is None:
            self.navigation.set(filter=filter_)
            return
        if self.loaded is not None and filter_.folds != self.loaded.folds:
            self._derive(
                _FILTER,
                lambda progress, loaded: fold(progress, loaded, self.navigation.context, filter_),
                lambda loaded: self._show_folded(loaded, filter_),
            )
            return
        if filter_ == context.filter:
            return
        event, scope = context.event, context.scope
        base = None if compared is None else partial(compared.base_side, event)

        def prepare(_progress: Progress) -> None:
            with suppress(FilterError):  # the views leave out what cannot be checked
                queries.visible_nodes(filter_, event, scope, base)

        self._start(_FILTER, prepare, lambda _: self.navigation.set(filter=filter_))

    def _show_folded(self, loaded: LoadedProfile, filter_: Filter) -> None:
        context, before = self.navigation.context, self.queries
        assert before is not None
        mapping = node_mapping(before, context.scope, loaded.queries, context.scope)
        self.loaded = loaded
        self.navigation.enter_profile(folded(context, loaded, filter_, mapping), mapping)

    def _start(
        self,
        slot: str,
        work: Callable[[Progress], _Result],
        enter: Callable[[_Result], object],
    ) -> None:
        job = self.jobs.start(slot, work)
        job.finished.connect(enter)
        job.failed.connect(self.failed)

    def _derive(
        self,
        slot: str,
        work: Callable[[Progress, LoadedProfile], LoadedProfile],
        enter: Callable[[LoadedProfile], object],
    ) -> None:
        """Derive another form of the open profile; again, if another one is shown meanwhile."""
        if (loaded := self.loaded) is not None:

            def accept(result: LoadedProfile) -> None:
                if self.loaded is loaded:
                    enter(result)
                else:
                    self._derive(slot, work, enter)

            self._start(slot, lambda progress: work(progress, loaded), accept)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Offer these user-defined events, in this profile and in later ones."""
        self.preparation = replace(self.preparation, user_events=tuple(user_events))
        queries, compared = self.queries, self.comparison
        if queries is not None:
            queries.set_user_events(self.preparation.user_events)
            self.navigation.change(lambda context: with_events_of(context, queries, compared))

    def set_file_search(
        self, rules: tuple[PathRule, ...], folders: tuple[SearchFolder, ...]
    ) -> None:
        """Set the rules and folders for finding files; incomplete entries are ignored."""
        complete_rules = tuple(rule for rule in rules if rule.original and rule.replacement)
        named_folders = tuple(folder for folder in folders if folder.path)
        bases = base_folders(self.paths)
        self.navigation.set(files=FileSearch(complete_rules, named_folders, bases))

    def _complete(self, before: Context, after: Context) -> Context:
        """Translate nodes to the new scope's cycles, and update the path to the active function."""
        if self.queries is None or after.event is None:
            return after
        if after.profile == before.profile and after.scope != before.scope:
            mapping = partial(self.queries.translate_node, after.scope, before=before.scope)
            self.navigation.map_history(mapping)
            nodes = mapping(after.function), mapping(after.selected)
            after = replace(after, function=nodes[0], selected=nodes[1])
        return replace(after, stack=stack_after(before, after, self.queries))


class Comparing:
    """Commands that name what is compared: the session loads it, and what is open stays until then.

    Either the open profile is compared with another, or parts of it with other parts.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def is_of_files(self) -> bool:
        return self.base is not None

    @property
    def is_of_parts(self) -> bool:
        """Whether parts of the open profile are compared."""
        loaded = self._session.loaded
        return loaded is not None and loaded.comparison is not None and loaded.base is None

    @property
    def base(self) -> ReadFiles | None:
        loaded = self._session.loaded
        return None if loaded is None else loaded.base

    def compare_with(self, base: ProfileSource) -> None:
        """Compare the open profile with another; it is not read again."""
        if self.is_of_parts:
            self.stop()
        if (loaded := self._session.loaded) is not None:
            read = loaded.read
            self._session.load(LoadRequest(read.chosen, read, base, keeps_parts=True))

    def swap(self) -> None:
        """Make the base the new side, and the new side the base."""
        loaded = self._session.loaded
        if loaded is None or loaded.comparison is None:
            return
        if loaded.base is not None:
            new = loaded.base
            self._session.load(LoadRequest(new.chosen, new, loaded.read))
        else:
            base, new_parts = loaded.comparison.new.parts, loaded.comparison.base.parts
            self._session.compare_parts(base or NO_PARTS, new_parts or NO_PARTS)

    def stop(self) -> None:
        """Show the new side alone again."""
        loaded = self._session.loaded
        if loaded is None or loaded.comparison is None:
            return
        if loaded.base is None:
            choice = PartChoice(hidden=self._hidden).choosing((), len(loaded.profile.parts))
            scope = replace(self._session.requested_scope, parts=choice.active, frame=ALL_PARTS)
            self._session.show_parts(replace(loaded, scope=scope, comparison=None, marks=None))
        else:
            alone = SideAlone(loaded.read)
            self._session.load(LoadRequest(loaded.read.chosen, alone, keeps_parts=True))

    def can_compare_parts(self, parts: Collection[PartId]) -> bool:
        """Whether other parts can be compared with these: some are left, of the same profile."""
        loaded = self._session.loaded
        if loaded is None or loaded.base is not None or not parts:
            return False
        return len(frozenset(parts) | self._hidden) < len(loaded.profile.parts)

    def use_parts_as_base(self, parts: Iterable[PartId]) -> None:
        """Compare the other active parts with these, or all others if only these are active.

        Without others nothing changes, nor while two profiles are compared.
        """
        loaded, base = self._session.loaded, frozenset(parts)
        if loaded is not None and loaded.base is None:
            shown = PartChoice(hidden=self._hidden).shown(len(loaded.profile.parts))
            active = self._session.requested_scope.parts or shown
            self._session.compare_parts(base & shown, (active - base) or (shown - base))

    def choose_new_parts(self, parts: frozenset[PartId]) -> None:
        """Compare other parts of the open profile with the same base; without others, stop."""
        base = (self._session.navigation.context.base_parts or NO_PARTS) - self._hidden
        if base and (new := parts - base):
            self._session.compare_parts(base, new)
        else:
            self.stop()

    @property
    def _hidden(self) -> frozenset[PartId]:
        return self._session.navigation.context.hidden_parts


class HistorySession(QObject):
    """Opens histories, and compares their revisions; what is open stays until then."""

    changed = Signal(object)  # the HistoryState
    opened = Signal()  # after `changed`, for another history

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.state = HistoryState()

    def open(self, revisions: Sequence[Revision]) -> None:
        """Read the files of a history, the oldest first; the newest becomes the open profile.

        The job is that of opening a profile: the same progress, cancelling and errors.
        """
        if revisions:
            source = HistorySource(tuple(revisions), self._session.preparation.demangle)
            self._session.load(LoadRequest(source.chosen, source))

    @property
    def reading(self) -> Sequence[Revision]:
        """The files that are being read, or that could not be read last."""
        pending = self._session.pending
        source = None if pending is None else pending.source
        return source.revisions if isinstance(source, HistorySource) else ()

    @property
    def is_open(self) -> bool:
        return self.state.opened is not None

    def show(self, opened: OpenedHistory) -> None:
        """Show the history whose newest revision was opened."""
        self._set(self.state.with_history(opened))
        self.opened.emit()

    def close(self) -> None:
        """Drop the history; the open profile stays."""
        self._set(HistoryState())

    def toggle_pin(self, function: Identity) -> None:
        """Keep the line of a function in the chart, or no longer."""
        self._set(self.state.with_pin_toggled(function))

    def mark_base(self, revision: int | None) -> None:
        """Compare the next revision that is chosen with this one."""
        self._set(replace(self.state, base=revision))

    def choose(self, revision: int) -> None:
        """Choose a revision: the first is the base, the second is compared with it."""
        base = self.state.base
        if base is None or base == revision:
            self.mark_base(revision if base is None else None)
        else:
            self.open_revision(revision, base)

    def open_revision(self, revision: int, base: int | None = None) -> None:
        """Open a revision, and compare it with another, if there is a base."""
        if self.state.opened is None:
            return
        session, new = self._session, self.state.files_of(revision)
        source = None if base is None else self.state.files_of(base)
        self.mark_base(None)
        if source is not None and session.chosen.paths == new.paths:
            session.comparing.compare_with(source)  # which does not read the new side again
        else:
            session.open(new.paths, with_siblings=False, base=source)

    def open_places(self) -> tuple[int | None, int | None]:
        """Return which revision is open, and with which it is compared; None for others."""
        base = self._session.comparing.base
        place = None if base is None else self.state.place_of(base.chosen)
        return self.state.place_of(self._session.chosen), place

    def _set(self, state: HistoryState) -> None:
        self.state = state
        self.changed.emit(state)


class SuiteSession(QObject):
    """The benchmarks of two folders, and the pairs of them that are opened."""

    changed = Signal(object)  # the SuiteState
    opened = Signal()  # after `changed`, for other suites

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.state = SuiteState()

    @property
    def is_open(self) -> bool:
        return self.state.report is not None

    def show(self, state: SuiteState) -> None:
        """Show suites that have been compared, and open the benchmark that changed most."""
        self.state = state
        self.changed.emit(state)
        self.opened.emit()
        if state.first is not None:
            self.open_row(state.first)

    def open_row(self, row: int) -> None:
        """Open the comparison of a benchmark, or the only side that has it, unless it is open."""
        if row == self.open_place:
            return
        base, new = self.state.sides(row)
        if (shown := new or base) is not None:
            base = base if new is not None else None
            self._session.open(shown.paths, with_siblings=False, base=base)

    @property
    def open_place(self) -> int | None:
        """The row whose comparison is open; None for others."""
        base = self._session.comparing.base
        chosen = self._session.chosen
        return self.state.place_of(None if base is None else base.chosen, chosen)
