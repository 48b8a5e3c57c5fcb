"""Moving through the profile: history and its menus, grouping, search, jump, filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QActionGroup, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from qcachegrind_py.analysis.names.function_names import GROUPING_TITLES, Grouping
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.folds import FoldActions
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings


class NavigationActions:
    """Actions that lead to other functions; those without an effect are disabled."""

    def __init__(self, frame: Frame, docks: Docks, views: DockRegistry) -> None:
        session, self._actions = frame.session, frame.actions
        self._session, self._docks, self._views = session, docks, views
        self._window, self._filter_bar = frame.window, frame.filter_bar
        self._fill_grouping(self._actions.menus["grouping"], session.set_grouping)
        self._actions.connect(
            {
                "hottest": self._go_to_hottest,
                "search": self._focus_search,
                "no_filter": self._filter_bar.clear_filter,
                "back": lambda: self._navigation.go_back(),
                "forward": lambda: self._navigation.go_forward(),
                "up": self._go_up,
                "no_second_event": lambda: session.navigation.set(second_event=None),
                "context_menu": lambda: _open_focused_menu(frame.window),
            }
        )
        self._folds = FoldActions(frame)
        self._connect()

    @staticmethod
    def _fill_grouping(menu: QMenu, group_by: Callable[[Grouping], None]) -> None:
        """Add an action for each grouping, with the grouping as its data."""
        group = QActionGroup(menu)
        for grouping, title in GROUPING_TITLES.items():
            action = menu.addAction(title, partial(group_by, grouping))
            tip = f"Group functions by {title.lower()}"
            none = "Show all functions in one list"
            action.setStatusTip(none if grouping is Grouping.NONE else tip)
            action.setToolTip(action.statusTip())
            action.setCheckable(True)
            action.setData(grouping)
            group.addAction(action)

    def follow(self, session: Session) -> None:
        """Move through this session, and fold its functions."""
        self._navigation.changed.disconnect(self._update)
        self._navigation.history_changed.disconnect(self._update_all)
        self._session = session
        self._folds.follow(session)
        self._connect()

    @property
    def _navigation(self) -> Navigation:
        return self._session.navigation

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
        for action in actions.menus["grouping"].actions():
            action.setChecked(action.data() is context.grouping)

    def _go_to_hottest(self) -> None:
        """Go to the function with the highest self cost of those that pass the filter."""
        if (query := self._session.query) is not None:
            self._session.navigation.select_function(query.hottest_function())

    def _focus_search(self) -> None:
        self._docks.show(DockRegistry.function_list.id)
        self._views.function_list.search.setFocus()
        self._views.function_list.search.selectAll()


def _open_focused_menu(window: QWidget) -> None:
    """Open the context menu as the menu key does: Qt knows Shift+F10 for it on Windows only."""
    widget = QApplication.focusWidget() or window.focusWidget()
    if widget is not None:
        place = widget.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


class HistoryMenus:
    """The menus of Back, Forward and Up, filled when they are opened."""

    def __init__(self, window: QWidget, session: Session, settings: Settings) -> None:
        self._settings = settings
        self.follow(session)
        self.back, self.forward, self.up = (
            QMenu(title, window) for title in ("Back", "Forward", "Up")
        )
        self.by_action = {"back": self.back, "forward": self.forward, "up": self.up}
        self.back.aboutToShow.connect(lambda: self._fill_history(self.back))
        self.forward.aboutToShow.connect(lambda: self._fill_history(self.forward))
        self.up.aboutToShow.connect(self._fill_up)

    def follow(self, session: Session) -> None:
        self._session, self._navigation = session, session.navigation

    def _fill_history(self, menu: QMenu) -> None:
        is_back = menu is self.back
        step = self._navigation.go_back if is_back else self._navigation.go_forward
        functions = self._navigation.back_history if is_back else self._navigation.forward_history
        self._fill(menu, functions, lambda index, _function: step(index + 1))

    def _fill_up(self) -> None:
        callers = self._navigation.context.stack.path_to_active[-2::-1]
        select = self._navigation.select_function
        self._fill(self.up, callers, lambda _index, function: select(function))

    def _fill(
        self, menu: QMenu, functions: Sequence[NodeId], go: Callable[[int, NodeId], None]
    ) -> None:
        menu.clear()
        for index, function in enumerate(functions[: self._settings.menu_length]):
            action = menu.addAction(self._function_text(function))
            action.triggered.connect(lambda _checked=False, i=index, f=function: go(i, f))
        if not functions:
            menu.addAction("Nothing").setEnabled(False)

    def _function_text(self, function: NodeId) -> str:
        """Name and inclusive cost; a tab puts the cost on the right, where shortcuts are."""
        query = self._session.query
        if query is None or query.context.event is None:
            return ""
        event, name = query.context.event, cell_text(query.labels().name(function))
        max_length = self._settings.menu_name_length
        name = name if len(name) <= max_length else name[:max_length] + "…"
        cost = query.unit(event).with_unit(query.inclusive_cost(event, function))
        return f"{name.replace('&', '&&')}\t{cost}"
