"""The Explain Change dock: what the change of the active function's inclusive cost consists of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.effects import explain_change
from qcachegrind_py.present.context import Change, Context, Position
from qcachegrind_py.present.contributions import (
    NO_CONTRIBUTION_TABLE,
    NO_CONTRIBUTIONS,
    NO_LINE_CHANGES,
    NO_LINE_TABLE,
    Contributions,
    LineChanges,
    change_unit,
    contribution_table,
    contributions,
    line_change_table,
    load_line_changes,
    sums_text,
)
from qcachegrind_py.present.table import Table, cell_text, short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId, TextId
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.annotation_inputs import missing_lines_reason
from qcachegrind_py.views.profile_view import BUSY_TEXT, ProfileView, stacked
from qcachegrind_py.views.tables.item_model import AnyIndex, make_index
from qcachegrind_py.views.tables.record_table import FunctionTable, RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import list_colors
from qcachegrind_py.views.widgets.controls import NoteLabel, PlainLabel, text_button
from qcachegrind_py.views.widgets.empty_page import NO_FUNCTION_CHOSEN, Remedy
from qcachegrind_py.views.widgets.grid import around

NOTHING_COMPARED = (
    "Nothing is compared.\nChoose another profile, or use some parts as base in Parts."
)
_RATIO = (
    "A ratio is no sum: the changes of calls do not add up to its change.\n"
    "Choose a counted event in the toolbar."
)
CYCLE_HAS_NO_LINES = "A cycle has no lines of its own. Go to one of its members."
_LINES_JOB = "lines of self"


class ExplainChange(ProfileView):
    """The change of the active function: its own, and that of each call. Return goes down."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.FILTER | Change.POSITION)

    def __init__(self, session: Session, compare: QAction) -> None:
        """`compare` asks for a profile to compare with."""
        super().__init__(session)
        self._compare = compare
        self._shown = NO_NODE  # the function or cycle whose change is explained
        self.model = TableModel(NO_CONTRIBUTION_TABLE, self)
        self.table = ContributionTable(self.model)
        self.headline, self.lines = Headline(), SelfLines()
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.self_activated.connect(self.headline.lines_button.click)
        self.table.back_requested.connect(lambda: self.navigation.go_back())
        self.headline.lines_button.toggled.connect(lambda _on: self._toggle_lines())
        self.lines.line_chosen.connect(lambda place: self.navigation.set(position=place))
        self.lines.hide()
        self.set_content(self._create_content(), self.table)

    def _create_content(self) -> QWidget:
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.table)
        both.addWidget(self.lines)
        both.setChildrenCollapsible(False)
        return stacked(QWidget(), self.headline, both, most=both)

    # ---------------------------------------------------------------- the explanation

    def refresh(self, query: ViewQuery, change: Change) -> None:
        self.model.highlight(query.context.selected)
        if change == Change.SELECTION:
            return
        compared, event = query.comparison, query.context.event
        reason = _reason_for_nothing(query)
        if reason or compared is None or event is None:
            self._clear()
            ask = Remedy("Compare With…", self._compare.trigger)
            self.show_message(reason, *([ask] if compared is None else []))
            return
        if change & (Change.PROFILE | Change.SCOPE):
            self._shown = NO_NODE  # its number may be that of another one now
        if change != Change.ANNOTATION:
            self._explain(query, compared, event, change)
        self._show_lines(query)
        self.show_content()

    def _clear(self) -> None:
        self.session.jobs.cancel(_LINES_JOB)
        self._shown = NO_NODE
        self.table.clear()
        self.lines.clear()

    def _explain(
        self, query: ViewQuery, compared: Comparison, event: EventType, change: Change
    ) -> None:
        node = query.context.function
        is_cycle = not query.queries.is_function(node)
        explained = explain_change(compared, node, event)
        unit = change_unit(query, compared, event)
        rows = contributions(explained, query.labels(), unit, is_of_cycle=is_cycle)
        table = contribution_table(rows, query.list_callers(), query.mark)
        self.table.show_rows(rows, table, is_new=node != self._shown, came_from=self._shown)
        self._shown = node
        self.model.set_node_colors(list_colors(query))
        self.table.fit_numbers(only_wider=not change & ~(Change.FUNCTION | Change.SCOPE))
        sums = sums_text(explained, unit, is_cycle=is_cycle)
        self.headline.show_sums(sums, " ".join(_remarks(query, compared)))
        reason = _reason_for_no_lines(query)
        self.headline.lines_button.setEnabled(not reason)
        self.headline.lines_button.setToolTip(reason or LINES_TIP)

    # ---------------------------------------------------------------- lines of self

    def _toggle_lines(self) -> None:
        if (query := self.session.query) is not None:
            self._show_lines(query)

    def _show_lines(self, query: ViewQuery) -> None:
        """Load the lines of the active function if the user wants them."""
        button, compared, event = self.headline.lines_button, query.comparison, query.context.event
        is_shown = button.isChecked() and button.isEnabled()
        self.lines.setVisible(is_shown)
        if not is_shown or compared is None or event is None:
            self.session.jobs.cancel(_LINES_JOB)
            self.lines.clear()
            return
        function, search = query.active_function(), query.context.files
        base_search = query.context.base_search
        job = self.session.jobs.start(
            _LINES_JOB,
            lambda progress: load_line_changes(
                compared, function, event, search, progress, base_search
            ),
        )
        job.finished.connect(partial(self._show_loaded_lines, query))

    def _show_loaded_lines(self, query: ViewQuery, lines: LineChanges) -> None:
        """Show lines, unless the view shows something else by now."""
        compared, event = query.comparison, query.context.event
        is_current = _line_inputs(query.context) == _line_inputs(self.navigation.context)
        if is_current and compared is not None and event is not None:
            self.lines.show_lines(lines, change_unit(query, compared, event))


def _line_inputs(context: Context) -> object:
    return context.profile, context.scope, context.base_parts, context.function, context.event


def _reason_for_nothing(query: ViewQuery) -> str:
    """Return why nothing is explained; empty if the change of the active function can be."""
    context, compared = query.context, query.comparison
    if compared is None:
        return NOTHING_COMPARED
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if context.event.is_ratio:
        return _RATIO
    if context.event in compared.events:
        return ""
    side = "base" if context.event.name in compared.only_base else "new side"
    return f"Only the {side} has {short_text(context.event.name)}.\nChoose another event."


def _reason_for_no_lines(query: ViewQuery) -> str:
    if not query.queries.is_function(query.context.function):
        return CYCLE_HAS_NO_LINES
    return "" if query.queries.has_lines else missing_lines_reason(query.profile)


def _remarks(query: ViewQuery, compared: Comparison) -> Iterator[str]:
    """Say what limits the explanation of the active function."""
    node = query.context.function
    if not query.queries.is_function(node):
        yield "The self cost of a cycle is part of its members."
        return
    if not compared.in_base[node]:
        yield "Only the new side has this function."
    elif not compared.in_new[node]:
        yield "Only the base has this function."
    if (cycle := query.cycle_of(node)) != NO_NODE:
        name = query.labels().name(cycle)
        yield f"It is in {name}: calls within it have no cost of their own."


# ---------------------------------------------------------------- what the dock consists of


LINES_TIP = "Show how the lines of Self changed"


class Headline(QWidget):
    """Sums on one line or two, remarks below, and a button that shows lines."""

    def __init__(self) -> None:
        super().__init__()
        self.sums, self.remarks = PlainLabel(), PlainLabel()
        for label in (self.sums, self.remarks):
            label.setWordWrap(True)
        self.remarks.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.lines_button = text_button("&Lines", LINES_TIP)
        self.lines_button.setCheckable(True)
        texts, row = QVBoxLayout(), QHBoxLayout(self)
        texts.setSpacing(0)
        texts.addWidget(self.sums)
        texts.addWidget(self.remarks)
        row.setContentsMargins(around(0.5))
        row.addLayout(texts, 1)
        row.addWidget(self.lines_button)

    def show_sums(self, sums: str, remarks: str) -> None:
        self.sums.setText(sums.replace("\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}"))
        self.remarks.setText(remarks)
        self.remarks.setVisible(bool(remarks))


_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW, _NO_ROW = _SELECT.ClearAndSelect | _SELECT.Rows, _SELECT.NoUpdate


class ContributionTable(FunctionTable):
    """A call leads to its callee, the row Self to its lines, and Backspace back."""

    self_activated = Signal()
    back_requested = Signal()

    def __init__(self, model: TableModel) -> None:
        super().__init__(model, "Explain Change")
        self._rows = NO_CONTRIBUTIONS

    def show_rows(
        self, rows: Contributions, table: Table, *, is_new: bool, came_from: NodeId
    ) -> None:
        """Show what a change consists of.

        The current row stays, unless the change `is_new`: then it is that of the function that the
        user `came_from`, or else the largest contribution.
        """
        is_chosen, current = self.selectionModel().hasSelection(), self.currentIndex()
        function, column = self.current_function(), max(0, current.column())
        self._rows = rows
        self._table_model.show(table)
        if is_new:
            function = came_from
            self.scrollToTop()
        index = self._table_model.index_of_function(function).siblingAtColumn(column)
        if not index.isValid():
            index = make_index(self._table_model, 0, column)
        is_selected = self.hasFocus() or (is_chosen and not is_new)
        self._is_programmatic = True
        self.selectionModel().setCurrentIndex(index, _WHOLE_ROW if is_selected else _NO_ROW)
        self._is_programmatic = False

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self._rows = NO_CONTRIBUTIONS
        self._table_model.clear()

    def is_call(self, index: AnyIndex) -> bool:
        record = self._table_model.record(index)
        return record >= 0 and self._rows.is_call(record)

    def is_self(self, index: AnyIndex) -> bool:
        """Whether a row is the change of the function itself."""
        record = self._table_model.record(index)
        return record >= 0 and self._rows.is_self(record)

    def _activate(self, index: AnyIndex) -> None:
        if self.is_self(index):
            self.self_activated.emit()
        elif self.is_call(index):
            super()._activate(index)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add what can be done with a call, or with the function itself."""
        if self.is_call(index):
            super().fill_menu(menu, index)
        elif self.is_self(index):
            menu.addAction("Show or Hide &Lines", self.self_activated.emit)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Select the current row, which Return acts on."""
        if not self.selectionModel().hasSelection():
            self._is_programmatic = True
            self.selectionModel().setCurrentIndex(self.currentIndex(), _WHOLE_ROW)
            self._is_programmatic = False
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Backspace:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)


_NO_LINES = "No line changed: the profiles have no costs of lines here."


class SelfLines(QWidget):
    """A table of lines with a note on how they were paired."""

    line_chosen = Signal(object)  # Position: the line in the new source

    def __init__(self) -> None:
        super().__init__()
        self.model, self._lines = TableModel(NO_LINE_TABLE, self), NO_LINE_CHANGES
        self.table = RecordTable(self.model, "Lines of Self")
        self.table.ascending_columns = self.model.places("line")
        self.table.empty_page.show_reason(BUSY_TEXT)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.note = NoteLabel()
        stacked(self, self.table, self.note)
        self.note.hide()

    def show_lines(self, lines: LineChanges, unit: Unit) -> None:
        """Show the lines of another function, or of other sides."""
        self._lines = lines
        self.model.show(line_change_table(lines, unit))
        self.table.fit_numbers()
        self.table.empty_page.show_reason(_NO_LINES)
        self.note.setText(cell_text(lines.note))
        self.note.setVisible(bool(lines.note))

    def clear(self) -> None:
        """Show nothing, until other lines are loaded."""
        self.table.empty_page.show_reason(BUSY_TEXT)
        self._lines = NO_LINE_CHANGES
        self.model.clear()
        self.note.hide()

    def _choose(self, index: AnyIndex) -> None:
        """Highlight the line in Source, where the new side has it."""
        if not index.isValid() or not self.table.hasFocus():
            return
        lines, record = self._lines, self.model.record(index)
        if line := int(lines.new_line[record]):
            self.line_chosen.emit(Position(TextId(int(lines.file[record])), line))
