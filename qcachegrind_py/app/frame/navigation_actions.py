"""Actions that move through the profile: history, search, jump, filter, and resetting them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow, QMenu

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.folds import FoldActions
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.frame.jump_dialog import JumpDialog


class NavigationActions:
    """Connects the actions to the navigation and enables those that have an effect."""

    def __init__(self, navigation: Navigation, actions: Actions, grouping_menu: QMenu) -> None:
        """`grouping_menu` has an action for each grouping, with the grouping as its data."""
        self._navigation, self._actions = navigation, actions
        self._grouping_menu = grouping_menu
        actions.connect(
            {
                "back": lambda: self._navigation.go_back(),
                "forward": lambda: self._navigation.go_forward(),
                "up": self._go_up,
                "no_second_event": lambda: navigation.set(second_event=None),
            }
        )
        self._connect()

    def follow(self, navigation: Navigation) -> None:
        """Apply the actions to this navigation."""
        self._navigation.changed.disconnect(self._update)
        self._navigation.history_changed.disconnect(self._update_all)
        self._navigation = navigation
        self._connect()

    def _connect(self) -> None:
        self._update_all()
        self._navigation.changed.connect(self._update)
        self._navigation.history_changed.connect(self._update_all)

    def _update_all(self) -> None:
        self._update(self._navigation.context, Change(0))

    def _go_up(self) -> None:
        """Go to the caller on the current path, by default the costliest."""
        path = self._navigation.context.stack.path_to_active
        if len(path) > 1:
            self._navigation.select_function(path[-2])

    def _update(self, context: Context, _change: Change) -> None:
        navigation, actions = self._navigation, self._actions
        actions["back"].setEnabled(bool(navigation.back_history))
        actions["forward"].setEnabled(bool(navigation.forward_history))
        actions["up"].setEnabled(len(context.stack.path_to_active) > 1)
        actions["no_filter"].setEnabled(context.filter.is_set)
        actions["next_event"].setEnabled(len(context.events.all) > 1)
        actions["no_second_event"].setEnabled(context.second_event is not None)
        actions["all_parts"].setEnabled(context.scope.parts is not None)
        for unit in ("shares", "per_call"):
            actions[unit].setEnabled(context.base_parts is not None)
        for action in self._grouping_menu.actions():
            action.setChecked(action.data() is context.grouping)


class SearchActions:
    """Opens the jump dialog, or gives the focus to the search or filter field; folds functions."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        actions: Actions,
        docks: Docks,
        views: DockRegistry,
        filter_bar: FilterBar,
    ) -> None:
        self._session, self._docks, self._views = session, docks, views
        self._filter_bar = filter_bar
        self._window = window
        actions.connect(
            {
                "hottest": self._go_to_hottest,
                "jump": self._show_jump_dialog,
                "search": self._focus_search,
                "filter": self._focus_filter,
                "no_filter": filter_bar.clear_filter,
            }
        )
        self._folds = FoldActions(window, session, actions, filter_bar)

    def follow(self, session: Session) -> None:
        """Make the function active in this session that the user jumps to; fold those of it."""
        self._session = session
        self._folds.follow(session)

    @cached_property
    def jump_dialog(self) -> JumpDialog:
        """The dialog, created on first use."""
        from qcachegrind_py.app.frame.jump_dialog import JumpDialog

        dialog = JumpDialog(self._window)
        dialog.chosen.connect(lambda node: self._session.navigation.select_function(node))
        return dialog

    def _go_to_hottest(self) -> None:
        """Go to the function with the highest self cost of those that pass the filter."""
        if (query := self._session.query) is not None:
            self._session.navigation.select_function(query.hottest_function())

    def _show_jump_dialog(self) -> None:
        """Open the jump dialog on the current profile."""
        query = self._session.query
        if query is not None:
            self.jump_dialog.open_for(query)

    def _focus_search(self) -> None:
        self._docks.show(DockRegistry.function_list.id)
        self._views.function_list.search.setFocus()
        self._views.function_list.search.selectAll()

    def _focus_filter(self) -> None:
        self._filter_bar.setFocus()
        self._filter_bar.selectAll()
