"""The actions that find functions: jump to one, search the list, filter all views."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.jump_dialog import JumpDialog
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.view_query import current_query


class SearchActions:
    """Opens the jump dialog, or gives the focus to the search or filter field."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        actions: Actions,
        docks: Docks,
        views: DockRegistry,
        filter_bar: FilterBar,
    ) -> None:
        self._session, self._docks, self._views = session, docks, views
        self._filter_bar = filter_bar
        self.jump_dialog = JumpDialog(window)
        self.jump_dialog.chosen.connect(session.navigation.select_function)
        actions.connect(
            {
                "jump": self._show_jump_dialog,
                "search": self._focus_search,
                "filter": self._focus_filter,
                "no_filter": filter_bar.clear_filter,
            }
        )

    def _show_jump_dialog(self) -> None:
        """Open the jump dialog on the current profile."""
        query = current_query(self._session)
        if query is not None:
            self.jump_dialog.open_for(query)

    def _focus_search(self) -> None:
        self._docks.show(DockRegistry.function_list.id)
        self._views.function_list.search.setFocus()
        self._views.function_list.search.selectAll()

    def _focus_filter(self) -> None:
        self._filter_bar.setFocus()
        self._filter_bar.selectAll()
