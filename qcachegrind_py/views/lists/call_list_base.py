"""Base of the lists of callers and callees: a function table and a note on hidden rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_page import Remedy
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import FunctionTable


class CallListBase(ProfileView):
    """A list of functions related to the active one. A double click makes one active."""

    def __init__(self, session: Session, model: ArrayTableModel, name: str) -> None:
        super().__init__(session)
        self.table = FunctionTable(model, name)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.filter_note = NoteLabel()
        self.filter_note.hide()
        reason = f"The filter hides all {name.lower().removeprefix('all ')}."
        clear_filter = Remedy("Clear Filter", self.filter_clearing_requested.emit)
        self.table.empty_page.show_reason(reason, clear_filter)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table)
        column.addWidget(self.filter_note)
        self.set_content(content)
        self.initial_focus = self.table

    def show_hidden_count(self, count: int, cost_text: str) -> None:
        """Show how many rows the filter hides, and their cost."""
        self.filter_note.setVisible(count > 0)
        self.filter_note.setText(
            f"{count} hidden by the filter" + (f": {cost_text}" if cost_text else "")
        )

    def show_rows(self, change: Change, set_rows: Callable[[], None]) -> None:
        """Replace the rows; keep the current row if the active function is the same."""
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
