"""What the lists of calls share: a table of functions, and how many the filter hides."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import FunctionTable


class CallListBase(ProfileView):
    """A list about the active function, of functions that a double click goes to."""

    def __init__(self, session: Session, model: ArrayTableModel, name: str) -> None:
        super().__init__(session)
        self.table = FunctionTable(model, name)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.filter_note = NoteLabel()
        self.filter_note.hide()
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table)
        column.addWidget(self.filter_note)
        self.set_content(content)
        self.initial_focus = self.table

    def visible_nodes(
        self, queries: ProfileQueries, context: Context, nodes: Int64Array
    ) -> BoolArray | None:
        """Which of these functions the filter lets be seen; None for all."""
        if context.event is None:
            return None
        passing = queries.visible_nodes(context.filter, context.event, context.scope)
        return None if passing is None else passing[nodes]

    def show_hidden_count(self, count: int, cost_text: str) -> None:
        """Say how many rows the filter hides here, and what they cost."""
        self.filter_note.setVisible(count > 0)
        self.filter_note.setText(
            f"{count} hidden by the filter" + (f": {cost_text}" if cost_text else "")
        )

    def show_rows(self, change: Change, set_rows: Callable[[], None]) -> None:
        """Set other rows, and keep the place where the active function is the same."""
        is_chosen = self.table.selectionModel().hasSelection()
        current = self.table.current_function(), max(0, self.table.currentIndex().column())
        set_rows()
        if change & (Change.PROFILE | Change.EVENT | Change.UNIT | Change.NUMBERS):
            self.table.fit_numbers()
        elif change & (Change.FUNCTION | Change.SCOPE):
            self.table.fit_numbers(only_wider=True)
        if change & (Change.PROFILE | Change.FUNCTION):
            self.table.scrollToTop()
        elif is_chosen:
            self.table.select_function(*current)
        self.show_content()
