"""A second look at the open profile: its own active function, all else as in the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QObject

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.context import map_position, node_mapping, seen_from
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Comparing, HistorySession, Session, SuiteSession


class LinkedNavigation(Navigation):
    """A navigation with its own active function and history.

    All other fields of the context are those of the first navigation, and are changed there.
    """

    def __init__(
        self,
        first: Navigation,
        derive_context: Callable[[Context, Context], Context],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(derive_context, parent)
        self._first = first

    def change(self, transition: Callable[[Context], Context]) -> None:
        """Change the place here, and all else in the first navigation, which announces it."""
        after = transition(seen_from(self.context, self._first.context))
        self._first.change(lambda first: seen_from(first, after))
        super().change(lambda own: seen_from(after, own))

    def adopt(self, context: Context) -> None:
        """Take over the shared fields of the first navigation; announced at once."""
        self._take(seen_from(self.context, context))
        self._announce()


class LinkedSession(Session):
    """The profile of another session, with an active function of its own.

    While `follows` is set, a function selected in the first session becomes active here, so that
    both can be looked at together: a caller and its callee, for example.
    """

    def __init__(self, first: Session, parent: QObject | None = None) -> None:
        self._first = first
        super().__init__(first.jobs.with_own_slots("second ", first), parent=parent)
        self.follows = True
        first.navigation.changed.connect(self._on_changed)
        if first.queries is not None:
            self._enter_profile(first.queries, first.navigation.context)

    def _create_navigation(self) -> Navigation:
        return LinkedNavigation(self._first.navigation, self._complete, self)

    def _create_commands(self) -> tuple[Comparing, HistorySession, SuiteSession]:
        return self._first.comparing, self._first.history, self._first.suite

    @property
    def is_opening(self) -> bool:
        return self._first.is_opening

    def set_scope(self, scope: Scope, enter: Callable[[], object] | None = None) -> None:
        self._first.set_scope(scope, enter)

    def set_grouping(self, grouping: Grouping) -> None:
        self._first.set_grouping(grouping)

    def set_filter(self, filter_: Filter) -> None:
        self._first.set_filter(filter_)

    def set_user_events(self, user_events: Iterable[UserEvent]) -> None:
        self._first.set_user_events(user_events)

    # ---------------------------------------------------------------- following the first session

    def _on_changed(self, context: Context, change: Change) -> None:
        queries = self._first.queries
        if queries is None:
            return
        if queries is not self.queries:
            self._enter_profile(queries, context)
            return
        self._adopt_settings()
        assert isinstance(self.navigation, LinkedNavigation)
        self.navigation.adopt(context)
        is_chosen = change & Change.SELECTION and not change & Change.SCOPE  # or it was renumbered
        if self.follows and is_chosen:
            self.navigation.select_function(context.selected)

    def _adopt_settings(self) -> None:
        self.loaded = self._first.loaded  # parts may be compared now
        self.preparation = self._first.preparation
        self.requested_scope = self._first.requested_scope
        self.requested_filter = self._first.requested_filter
        self.requested_grouping = self._first.requested_grouping

    def _enter_profile(self, queries: ProfileQueries, context: Context) -> None:
        """Show a newly opened profile: the same function in another run of the same program."""
        before, own, mapping = self.queries, self.navigation.context, None
        function, position = NO_NODE, None
        if before is not None and before.profile.program_name == queries.profile.program_name:
            mapping = node_mapping(before, own.scope, queries, context.scope)
            function = mapping(own.function)
            position = map_position(own.position, before.profile, queries.profile)
        if function == NO_NODE:
            position = None
            function = context.function if context.selected == NO_NODE else context.selected
        self._adopt_settings()
        place = replace(own, function=function, selected=NO_NODE, position=position)
        self.navigation.enter_profile(seen_from(place, context), mapping)
