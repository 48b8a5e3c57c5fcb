"""What the lists of calls share: a table of functions, and how many the filter hides."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import FunctionTable

NO_FUNCTION = "Choose a function in the list."
NO_CALLS = (
    "The profile holds no calls.\nCachegrind does not record them: use valgrind --tool=callgrind."
)
RATIO = "A ratio cannot be shared out over calls.\nChoose an event that is counted, in the toolbar."


def why_no_calls(queries: ProfileQueries, context: Context) -> str:
    """Why nothing can be said of the active function's calls; empty where it can."""
    if context.event is None or context.function < 0:
        return NO_FUNCTION
    if not len(queries.profile.calls):
        return NO_CALLS
    return RATIO if context.event.is_ratio else ""


class CallView(ProfileView):
    """A list about the active function, of functions that a double click goes to."""

    def __init__(
        self, session: Session, navigation: Navigation, model: ArrayTableModel, name: str
    ) -> None:
        super().__init__(session, navigation)
        self.table = FunctionTable(model, name)
        self.follow_user(self.table)
        self.table.wanted_menu.connect(self.wanted_menu)
        self.hidden = NoteLabel()
        self.hidden.hide()
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table)
        column.addWidget(self.hidden)
        self.set_content(content)
        self.first = self.table

    def passing(
        self, queries: ProfileQueries, context: Context, functions: Int64Array
    ) -> BoolArray | None:
        """Which of these functions the filter lets be seen; None for all."""
        if context.event is None:
            return None
        passing = queries.visible_nodes(context.filter, context.event, context.scope)
        return None if passing is None else passing[functions]

    def say_hidden(self, count: int, what: str) -> None:
        """Say how many rows the filter hides here, and what they cost."""
        self.hidden.setVisible(count > 0)
        self.hidden.setText(f"{count} hidden by the filter" + (f": {what}" if what else ""))

    def show_rows(self, change: Change, show: Callable[[], None]) -> None:
        """Set other rows, and keep the place where the active function is the same."""
        is_chosen = self.table.selectionModel().hasSelection()
        current = self.table.current_function(), max(0, self.table.currentIndex().column())
        show()
        if change & (Change.PROFILE | Change.EVENT | Change.UNIT | Change.NUMBERS):
            self.table.fit_numbers()
        elif change & (Change.FUNCTION | Change.SCOPE):
            self.table.fit_numbers(only_wider=True)
        if change & (Change.PROFILE | Change.FUNCTION):
            self.table.scrollToTop()
        elif is_chosen:
            self.table.select_function(*current)
        self.show_content()
