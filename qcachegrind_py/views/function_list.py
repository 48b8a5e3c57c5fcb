"""The list of all functions, with a search that filters as one types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.function_names import FunctionNames
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.models.numbers import grouped
from qcachegrind_py.models.plain_text import tip_text
from qcachegrind_py.session.context import Change, Context, CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.base import ProfileView
from qcachegrind_py.views.function_table import FunctionTable

_NEW_COSTS = Change.EVENT | Change.CYCLES | Change.PARTS


class FunctionList(ProfileView):
    """All functions with their costs; nothing is left out but by the search.

    The current row is the active function. One click on a row, or Return, makes its function
    active.
    """

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        regular_expression: QAction,
        first_steps: Sequence[QAction] = (),
    ) -> None:
        """`first_steps` are offered as buttons where no profile is open."""
        super().__init__(session, navigation)
        self.model = FunctionModel(self)
        self.table = FunctionTable(self.model, "Functions")
        self.table.activated_function.connect(navigation.select_function)
        self.table.clicked.connect(lambda _index: self.table.go_to_current())
        self._has_calls = True
        self._regular_expression = regular_expression
        regular_expression.toggled.connect(self._search)
        self.search = _SearchEdit(self.table)
        self.search.setPlaceholderText("Search functions")
        self.search.setAccessibleName("Search functions")
        self.search.setClearButtonEnabled(True)
        self.search.setAcceptDrops(False)  # a file that is dropped here is for the window
        self.search.textChanged.connect(self._search)
        self.found = QLabel()
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.found.setContentsMargins(4, 0, 4, 2)
        self.set_content(self._arranged(), first_steps)

    def _arranged(self) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(4, 4, 4, 4)
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(self._regular_expression)
        row.addWidget(self.search)
        row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self.table)
        column.addWidget(self.found)
        return content

    def refresh(self, questions: Questions, context: Context, change: Change) -> None:
        """Show costs, order and the active function of the context."""
        event = context.event
        if event is None or not len(questions.names):
            self.model.clear()
            self.show_message("The profile has no costs.\nIt may have been written too early.")
            return
        self.show_content()
        base = questions.total(event, context.parts).base
        self.model.set_unit(base, context.unit is CostUnit.PERCENT)
        costs = questions.costs(context.cycles, context.parts)
        shown = (
            questions.inclusive(event, context.cycles, context.parts),
            questions.self_cost(event, context.parts),
            costs.called,
            costs.cycle,
        )
        if change & Change.PROFILE:
            self.model.set_functions(questions.names, *shown)
            self._hide_empty_columns(questions)
            self.table.fit_numbers()
            if self.search.text():
                self._search()
            else:
                self._say_found()
        elif change & _NEW_COSTS:
            self.model.set_costs(*shown)
            self.table.fit_numbers(only_wider=True)
        elif change & Change.UNIT:
            self.table.viewport().update()
        if change & (Change.FUNCTION | Change.PROFILE | _NEW_COSTS):
            self.table.select_function(context.function)

    def _hide_empty_columns(self, questions: Questions) -> None:
        """Without calls there is no inclusive cost and no count, and 0 would be no fact."""
        has_calls = len(questions.profile.calls) > 0
        if has_calls == self._has_calls:  # columns that the user hid stay hidden
            return
        self._has_calls = has_calls
        for column in (FunctionModel.INCLUSIVE, FunctionModel.CALLED):
            self.table.setColumnHidden(column, not has_calls)
        column = FunctionModel.INCLUSIVE if has_calls else FunctionModel.SELF
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)

    def _search(self) -> None:
        """Show the functions whose names have the text, or all."""
        names, text = self.model.names, self.search.text()
        if names is None:  # the model's own: another profile may be open that is not shown yet
            return
        self.search.set_error("")
        if not text:
            self.model.set_filter(None)
        elif not self._regular_expression.isChecked():
            self.model.set_filter(names.containing(text))
        elif not self._search_pattern(names, text):
            return
        self._say_found()
        self.table.select_function(self.navigation.context.function)

    def _search_pattern(self, names: FunctionNames, text: str) -> bool:
        """False where the text is no regular expression: what was found before stays."""
        try:
            self.model.set_filter(names.matching(text))
        except re.error as error:
            self.found.setText(f"Not a regular expression: {error}")
            self.search.set_error(self.found.text())
            return False
        return True

    def _say_found(self) -> None:
        shown, all_ = self.model.rowCount(), self.model.record_count
        text = f"{grouped(shown)} of {grouped(all_)}" if shown < all_ else grouped(all_)
        self.found.setText(f"{text} function{'' if all_ == 1 else 's'}")


class _SearchEdit(QLineEdit):
    """The search line: Down goes to the list, Return to its first function, Escape clears."""

    def __init__(self, table: FunctionTable) -> None:
        super().__init__()
        self._table = table

    def set_error(self, text: str) -> None:
        """Show that the search is wrong by its colour, and why in the tooltip and to readers."""
        self.setToolTip(tip_text(text) if text else "")
        self.setAccessibleDescription(text)
        palette = QPalette()  # what is not set in it follows the application's, through its changes
        if text:
            color = QApplication.palette(self).color(QPalette.ColorRole.BrightText)
            palette.setColor(QPalette.ColorRole.Text, color)
        self.setPalette(palette)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            if not self._table.currentIndex().isValid():
                self._table.selectRow(0)
            self._table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._table.selectRow(0)
            self._table.go_to_current()
        else:
            super().keyPressEvent(event)
