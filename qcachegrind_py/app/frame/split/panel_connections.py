"""Connects the views of a panel, as they are created, to menus, events and dropped files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeActions
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.menus.menu_bar import MenuSet
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.split.panels import Panel, Panels
from qcachegrind_py.app.frame.whats_this import fill_in_whats_this

if TYPE_CHECKING:
    from qcachegrind_py.app.frame.menus.function_menu import FunctionMenu
    from qcachegrind_py.app.settings.user_events import UserEvents
    from qcachegrind_py.views.lists.event_list import EventList
    from qcachegrind_py.views.profile_view import ProfileView


@dataclass(frozen=True, slots=True, eq=False)
class PanelConnections:
    """What the views of all panels are connected to."""

    actions: Actions
    menus: MenuSet
    filter_bar: FilterBar
    code_actions: CodeActions
    notices: NoticeStrip
    panels: Panels
    watch_line_edits: Callable[[QWidget], None]  # lets files be dropped on them
    user_events: Callable[[], UserEvents]  # created on first use

    def __post_init__(self) -> None:
        self.actions.connect({"explain_number": self._explain_number})

    def _explain_number(self) -> None:
        """Explain the number under the cursor of the view that had the focus last."""
        panel = self.panels.current
        view, dock = panel.views.created.get(panel.focused), DockRegistry.explain_number
        number = None if view is None else view.current_number()
        panel.docks.show(dock.id)
        panel.views.view(dock).explain(number)

    def connect(self, panel: Panel) -> None:
        """Connect each view of a panel once it is created."""
        views, menu = panel.views, cache(partial(self._create_menu, panel))
        for spec in views.specs():
            views.when_created(spec, partial(self._connect_view, menu))
        views.when_created(
            DockRegistry.function_list,
            lambda functions: functions.groups.menu_requested.connect(
                lambda *group: menu().fill_group(*group)
            ),
        )
        views.when_created(DockRegistry.event_list, self._connect_event_list)

    def _connect_view(self, menu: Callable[[], FunctionMenu], view: ProfileView) -> None:
        view.menu_requested.connect(lambda opened, node: menu().fill(opened, node))
        view.filter_clearing_requested.connect(self.filter_bar.clear_filter)
        self.watch_line_edits(view)
        fill_in_whats_this(view)

    def _connect_event_list(self, events: EventList) -> None:
        events.new_event_requested.connect(lambda: self.user_events().add())
        events.change_requested.connect(lambda event: self.user_events().change(event))
        events.removal_requested.connect(lambda event: self.user_events().remove(event))

    def _create_menu(self, panel: Panel) -> FunctionMenu:
        from qcachegrind_py.app.frame.menus.function_editor import FunctionEditor
        from qcachegrind_py.app.frame.menus.function_menu import FunctionActions, FunctionMenu
        from qcachegrind_py.app.frame.menus.group_colors import GroupColorActions

        menus = self.menus
        functions = FunctionActions(
            [self.actions[name] for name in ("explain_number", "back", "forward", "up")],
            [menus.event, menus.second_event, menus.costs, menus.grouping],
            panel.docks,
            partial(self.panels.show_in_other, panel),
            FunctionEditor(panel.session, self.notices, self.code_actions.edit).open,
            GroupColorActions(self.notices.window(), panel.session.navigation),
        )
        return FunctionMenu(panel.session, self.filter_bar, functions)
