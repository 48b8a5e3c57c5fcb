"""The actions of navigation: back, forward, up, and resetting events, parts and filter."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation


class NavigationActions:
    """Connects the actions to the navigation and enables those that have an effect."""

    def __init__(self, navigation: Navigation, actions: Actions, grouping_menu: QMenu) -> None:
        """`grouping_menu` has an action for each grouping, with the grouping as its data."""
        self._navigation, self._actions = navigation, actions
        self._grouping_menu = grouping_menu
        actions.connect(
            {
                "back": navigation.go_back,
                "forward": navigation.go_forward,
                "up": self._go_up,
                "no_second_event": lambda: navigation.set(second_event=None),
            }
        )
        for name in ("back", "forward", "up", "no_filter", "no_second_event"):
            actions[name].setEnabled(False)
        navigation.changed.connect(self._update)

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
        actions["no_filter"].setEnabled(bool(context.filter))
        actions["no_second_event"].setEnabled(context.second_event is not None)
        actions["all_parts"].setEnabled(context.scope.parts is not None)
        for action in self._grouping_menu.actions():
            action.setChecked(action.data() is context.grouping)
