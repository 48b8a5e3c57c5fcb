"""The open profile: load another in the background, keeping the current one until it is ready.

Other work too slow for the GUI thread is done in jobs as well: other parts, grouping, filters. The
context changes when their results are ready.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import NO_PARTS, Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.comparing import Comparing
from qcachegrind_py.session.early_reading import EarlyReading
from qcachegrind_py.session.entering import (
    base_folders,
    context_at,
    event_fields,
    initial_location,
    keep_context,
    stack_after,
)
from qcachegrind_py.session.history.history_session import HistorySession
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import (
    InitialQuery,
    LoadedProfile,
    LoadRequest,
    Preparation,
    ProfileFiles,
    ProfileSource,
    ReadAgain,
    RunFiles,
    find_run_files,
    load_profile,
    prefetch,
    prepare_scopes,
)
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.part_choice import PartChoice
from qcachegrind_py.session.profile_mapping import SavedLocation, function_identity
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, SearchFolder

if TYPE_CHECKING:
    from qcachegrind_py.analysis.comparison.comparison import Comparison

_OPEN = "open"
_PREFETCH_SLOT = "ahead"
_RUN_FILES = "run files"
_SCOPE = "scope"
_GROUPS = "groups"
_FILTER = "filter"
_PREFETCH_DELAY = 150  # ms


class Session(QObject):
    """The open profile and its queries; `queries` is None until the first profile is loaded."""

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
        self.comparing = self._create_comparing()
        self.queries: ProfileQueries | None = None
        self.run_files: tuple[RunFiles, ...] = ()  # that are not open: of the profile, of its base
        self.preparation = Preparation()
        self.early_reading: EarlyReading | None = None  # of the files that are opened first
        self.requested_scope = self.navigation.context.scope  # in force, or being prepared
        self.requested_filter = self.navigation.context.filter
        self.requested_grouping = Grouping.NONE
        self._pending: LoadRequest | None = None  # what is being loaded, or was loaded last

    def _create_navigation(self) -> Navigation:
        return Navigation(self._derive_context, self)

    def _create_comparing(self) -> Comparing:
        return Comparing(self)

    history = cached_property(HistorySession)  # of several revisions, if one is open

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the sides in the present context; None if nothing is compared."""
        context = self.navigation.context
        compared = None if self.loaded is None else self.loaded.comparison
        if compared is None or context.base is None:
            return None
        return compared.within(context.base, context.scope)

    @property
    def query(self) -> ViewQuery | None:
        """The queries of the open profile in the present context; None while none is open."""
        if self.queries is None:
            return None
        context, loaded = self.navigation.context, self.loaded
        if loaded is None:
            return ViewQuery(self.queries, context)
        return ViewQuery(self.queries, context, loaded.comparison, loaded.prepared, loaded.marks)

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
        early, self.early_reading = self.early_reading, None
        if early is not None and chosen != ProfileFiles(early.paths):
            early.cancel()
            early = None
        before = None
        if self.loaded is not None and chosen == self.chosen:
            before, chosen = self.loaded.profile, self.chosen
        self.load(LoadRequest(chosen, early or chosen, base, before, before is not None))

    def open_of_any_size(self) -> None:
        """Open what failed to load as it takes much memory, to which the user has agreed."""
        if (request := self._pending) is not None:
            chosen = replace(request.chosen, any_size=True)
            source = chosen if isinstance(request.source, ProfileFiles) else request.source
            base = request.base
            if isinstance(base, ProfileFiles):
                base = replace(base, any_size=True)
            self.load(replace(request, chosen=chosen, source=source, base=base))

    def reload(self) -> None:
        """Read the open files again; those of the base only if they have changed."""
        if self.loaded is not None:
            base = self.loaded.base
            again = None if base is None else ReadAgain(base)
            self.open(self.paths, with_siblings=self.with_siblings, base=again)

    def open_run(self, *, is_base: bool = False) -> None:
        """Open all files of the run that the open profile, or its base, is of."""
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
        if self.is_opening and self._pending is not None:
            self.load(self._pending)
        elif self.loaded is not None:
            read, base = self.loaded.read, self.loaded.base
            self.load(LoadRequest(read.chosen, read, base, keeps_parts=True))

    def load(self, request: LoadRequest) -> None:
        """Load a profile in the background; the current one stays open until it is ready."""
        self.cancel()  # first: its `ended` must precede the next `opening`
        # what was read early is there only once
        is_early = isinstance(request.source, EarlyReading)
        self._pending = replace(request, source=request.chosen) if is_early else request
        self.opening.emit(request.chosen.paths)
        context = self.navigation.context
        event = context.event.name if context.event is not None else ""
        scope, hidden = self.requested_scope, context.hidden_parts
        if not request.keeps_parts:  # another file has other parts
            scope, hidden = replace(scope, parts=None), NO_PARTS
        initial = InitialQuery(event, scope, self.requested_filter, hidden)
        job = self.jobs.start(_OPEN, load_profile, request, self.preparation, initial)
        job.progressed.connect(self.progressed)
        job.finished.connect(self._accept)
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
        return self._pending.chosen.paths if self._pending is not None else ()

    @property
    def pending_source(self) -> ProfileSource | None:
        """What these files are read by."""
        return self._pending.source if self._pending is not None else None

    @property
    def chosen(self) -> ProfileFiles:
        """The files of the open profile, as the user chose them."""
        return self.loaded.read.chosen if self.loaded is not None else ProfileFiles()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of these files."""
        return self.chosen.paths

    @property
    def with_siblings(self) -> bool:
        """Whether sibling parts of the same run were included."""
        return self.chosen.with_siblings

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
        self.navigation.set(
            files=FileSearch(complete_rules, named_folders, base_folders(self.paths))
        )

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

    def _accept(self, loaded: LoadedProfile) -> None:
        before, queries = self.queries, loaded.queries
        is_same = before is not None and before.profile.program_name == queries.profile.program_name
        location = self.current_location()  # kept for another run of the program
        if not is_same:
            self.leaving_program.emit()
            recalled = self._load_location(queries.profile.program_name)
            initial = initial_location(location, self.navigation.context, before)
            location = initial if recalled == SavedLocation() else recalled
        queries.set_user_events(self.preparation.user_events)  # may have changed meanwhile
        scope, requested = loaded.scope, self.requested_scope
        is_same_profile = self.loaded is not None and loaded.profile is self.loaded.profile
        if not is_same_profile or scope.frame != requested.frame:
            self.requested_scope = replace(requested, parts=scope.parts, frame=scope.frame)
        for slot in (_SCOPE, _FILTER, _GROUPS):
            self.jobs.cancel(slot)
        sides = loaded.read, loaded.base
        files = [path for side in sides if side is not None for path in side.chosen.paths]
        is_same_file = location.path in map(str, files)
        fields = context_at(
            location, loaded, self.requested_scope, self.loaded, is_same_file=is_same_file
        )
        mapping = None
        if before is not None and is_same:
            context = self.navigation.context
            mapping = keep_context(context, before, queries, fields, is_same_file=is_same_file)
        replaced, self.loaded, self.queries = self.loaded, loaded, queries
        fields["files"] = replace(self.files, bases=base_folders(self.paths))
        filter_ = replace(self.navigation.context.filter, folds=loaded.folds)
        fields["filter"] = filter_.without_changes() if loaded.comparison is None else filter_
        self.navigation.enter_profile(mapping, **fields)
        self.run_files = ()
        self.opened.emit(queries)
        job = self.jobs.start(_RUN_FILES, find_run_files, [side.files for side in sides if side])
        job.finished.connect(self._on_run_files)
        if loaded.reload_summary is not None and replaced is not None:
            self.replaced.emit(replaced.read)
        self.set_filter(self.requested_filter)
        self.set_grouping(
            next((g for g in Grouping if g.value == location.grouping), Grouping.NONE)
        )
        # after the view is painted: freeing a profile of 150 MB alone takes 20 ms
        QTimer.singleShot(_PREFETCH_DELAY, self, lambda: self._release_previous(queries, replaced))

    def _on_run_files(self, found: tuple[RunFiles, ...]) -> None:
        self.run_files = found
        self.run_files_found.emit()

    def _release_previous(self, queries: ProfileQueries, _before: LoadedProfile | None) -> None:
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
        base_parts = self.navigation.context.base_parts
        sides = [scope] if base_parts is None else [scope, replace(scope, parts=base_parts)]
        self.run_scope_job(
            lambda _progress: prepare_scopes(queries, event, sides),
            lambda _: self.navigation.set(scope=scope),
        )

    def run_scope_job(
        self, work: Callable[[Progress], Any], enter: Callable[[Any], object]
    ) -> None:
        """Compute the answers to another scope, and show it then; the latest job wins."""
        job = self.jobs.start(_SCOPE, work)
        job.finished.connect(enter)
        job.failed.connect(self.failed)

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
        context, queries, compared = self.navigation.context, self.queries, self.comparison
        if compared is None:
            filter_ = filter_.without_changes()
        self.requested_filter = filter_
        self.jobs.cancel(_FILTER)
        if queries is None or context.event is None:
            self.navigation.set(filter=filter_)
            return
        if self.loaded is not None and filter_.folds != self.loaded.folds:
            self._fold(self.loaded, filter_)
            return
        if filter_ == context.filter:
            return
        event, scope = context.event, context.scope
        base = None if compared is None else partial(compared.base_side, event)

        def prepare(_progress: Progress) -> None:
            with suppress(FilterError):  # the views leave out what cannot be checked
                queries.visible_nodes(filter_, event, scope, base)

        job = self.jobs.start(_FILTER, prepare)
        job.finished.connect(lambda _: self.navigation.set(filter=filter_))
        job.failed.connect(self.failed)

    def _fold(self, loaded: LoadedProfile, filter_: Filter) -> None:
        """Charge functions to their callers as the filter says, and show what passes it then."""
        from qcachegrind_py.session.folding import fold_again

        job = self.jobs.start(_FILTER, fold_again, loaded, self.navigation.context, filter_)
        job.finished.connect(partial(self._enter_folded, filter_))
        job.failed.connect(self.failed)

    def _enter_folded(self, filter_: Filter, loaded: LoadedProfile) -> None:
        from qcachegrind_py.session.folding import context_after_folding

        context, before = self.navigation.context, self.queries
        assert before is not None
        mapping, fields = context_after_folding(context, before, loaded.queries)
        self.loaded, self.queries = loaded, loaded.queries
        self.navigation.enter_profile(mapping, filter=filter_, **fields)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        """Offer these user-defined events, in this profile and in later ones."""
        self.preparation = replace(self.preparation, user_events=tuple(user_events))
        if self.queries is None:
            return
        self.queries.set_user_events(self.preparation.user_events)
        self.navigation.set(**event_fields(self.navigation.context, self.queries, self.comparison))

    # ---------------------------------------------------------------- derived context

    def _derive_context(self, before: Context, after: Context) -> Context:
        """Translate nodes to the new scope's cycles, and update the path to the active function."""
        if self.queries is None or after.event is None:
            return after
        if after.profile == before.profile and after.scope != before.scope:
            mapping = partial(self.queries.translate_node, after.scope, before=before.scope)
            self.navigation.map_history(mapping)
            nodes = mapping(after.function), mapping(after.selected)
            after = replace(after, function=nodes[0], selected=nodes[1])
        return replace(after, stack=stack_after(before, after, self.queries))
