"""The lists of direct and transitive callers and callees, and the call stack."""

from __future__ import annotations

from enum import Enum

from PySide6.QtWidgets import QWidget

from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    NumberRequest,
    call_key,
)
from qcachegrind_py.present.calls import (
    CALLEE,
    CALLER,
    NO_CALLEES,
    NO_CALLERS,
    NO_STACK,
    NO_TRANSITIVE,
    call_stack_table,
    direct_call_table,
    no_calls_text,
    transitive_call_table,
)
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.table import CostCells, Table
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView, stacked
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import list_colors
from qcachegrind_py.views.widgets.controls import NoteLabel
from qcachegrind_py.views.widgets.empty_page import Remedy, no_calls_reason


class _FunctionsOfCalls(ProfileView):
    """A list of functions related to the active one. A double click makes one active."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session, empty: Table, name: str) -> None:
        """`empty` is the table without rows; `name` says what is listed."""
        super().__init__(session)
        self.model = TableModel(empty, self)
        self.table = FunctionTable(self.model, name)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.filter_note = NoteLabel()
        self.filter_note.hide()
        reason = f"The filter hides all {name.lower().removeprefix('all ')}."
        clear_filter = Remedy("Clear Filter", self.filter_clearing_requested.emit)
        self.table.empty_page.show_reason(reason, clear_filter)
        self.set_content(stacked(QWidget(), self.table, self.filter_note), self.table)

    # ---------------------------------------------------------------- for the subclasses

    has_ratios = False  # whether ratios of calls are shown
    is_whole = False  # whether rows that do not pass the filter stay

    def empty_text(self, query: ViewQuery) -> str:
        """Return why the list is empty in a profile with calls."""
        return ""

    def table_of(self, query: ViewQuery) -> Table:
        raise NotImplementedError

    def hidden_text(self, table: Table, hidden: BoolArray) -> str:
        """Return what the filter hides, some of the rows at least."""
        raise NotImplementedError

    # ---------------------------------------------------------------- content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the functions; keep the current row if the active function is the same."""
        self.model.highlight(query.context.selected)
        if change == Change.SELECTION:
            return
        message = no_calls_reason(query, has_ratios=self.has_ratios)
        table = self.model.empty if message else self.table_of(query)
        if not table.length or table.nodes is None:
            self.model.clear()
            self.show_message(message or self.empty_text(query))
            return
        second = (column.key for column in table.columns if column.key.startswith("second_"))
        has_second = query.context.second_event is not None
        self.model.tell_events_apart(has_second)
        self.table.show_columns(self.model.places(*second), has_second)
        is_chosen = self.table.selectionModel().hasSelection()
        current = self.table.current_function(), max(0, self.table.currentIndex().column())
        self.table.show_comparison(query.is_comparing)
        self.model.show(table)
        self.model.set_node_colors(list_colors(query))
        self._apply_filter(table, query.visible_among(table.nodes))
        if change & (Change.PROFILE | Change.EVENT | Change.UNIT | Change.NUMBERS):
            self.table.fit_numbers()
        elif change & (Change.FUNCTION | Change.SCOPE):
            self.table.fit_numbers(only_wider=True)
        if change & (Change.PROFILE | Change.FUNCTION):
            self.table.scrollToTop()
        elif is_chosen:
            self.table.select_function(*current)
        self.show_content()

    def _apply_filter(self, table: Table, visible: BoolArray | None) -> None:
        self.filter_note.setVisible(visible is not None and not visible.all())
        if visible is not None:
            self.model.set_filter(None if self.is_whole else visible)
            self.filter_note.setText(f"{(~visible).sum()} {self.hidden_text(table, ~visible)}")


class Direction(Enum):
    """Which end of the calls is listed."""

    CALLERS = "Callers"
    CALLEES = "Callees"

    @property
    def singular(self) -> str:
        return CALLER if self is Direction.CALLERS else CALLEE


class CallList(_FunctionsOfCalls):
    """Direct callers or callees of the active function. A double click makes one active."""

    def __init__(self, session: Session, direction: Direction) -> None:
        self._direction = direction
        empty = NO_CALLERS if direction is Direction.CALLERS else NO_CALLEES
        super().__init__(session, empty, direction.value)

    has_ratios = True

    def empty_text(self, query: ViewQuery) -> str:
        return no_calls_text(query.profile, self._direction.singular)

    def table_of(self, query: ViewQuery) -> Table:
        return direct_call_table(query, self._direction.singular)

    def hidden_text(self, table: Table, hidden: BoolArray) -> str:
        cells = table.column("cost").cells
        assert isinstance(cells, CostCells)
        cost = cells.figures.sum_text(hidden)
        return "hidden by the filter" + (f": {cost}" if cost else "")

    def current_number(self) -> NumberRequest | None:
        """Return cost or number of the calls of the current row, by the current column."""
        query, other = self.session.query, self.table.current_function()
        if query is None or NO_NODE in (other, query.context.function):
            return None
        function, column = query.context.function, self.table.current_key()
        kind = NumberKind.CALL_COUNT if column == "count" else NumberKind.CALL_COST
        ends = (other, function) if self._direction is Direction.CALLERS else (function, other)
        return number_request(
            query,
            call_key(query.queries, query.context.scope, *ends, kind),
            event=query.context.second_event if column.startswith("second_") else None,
            parent=parent_of_calls(query, function),
        )


class TransitiveCallList(_FunctionsOfCalls):
    """All direct and indirect callers or callees of the active function; costs are estimates."""

    def __init__(self, session: Session, direction: Direction) -> None:
        self._direction = direction
        super().__init__(session, NO_TRANSITIVE[direction.singular], f"All {direction.value}")
        # callers have other costs of their own
        self.table.show_columns(self.model.places("self"), direction is Direction.CALLEES)

    def empty_text(self, query: ViewQuery) -> str:
        return no_calls_text(query.profile, self._direction.singular)

    def table_of(self, query: ViewQuery) -> Table:
        return transitive_call_table(query, self._direction.singular)

    def hidden_text(self, table: Table, hidden: BoolArray) -> str:
        return "hidden by the filter: costs overlap and are not summed"

    def current_number(self) -> NumberRequest | None:
        """Return cost, self cost or number of calls on the paths of the current row."""
        query, other = self.session.query, self.table.current_function()
        if query is None or NO_NODE in (other, query.context.function):
            return None
        function, measures = query.context.function, {"self": Measure.SELF, "count": Measure.COUNT}
        measure = measures.get(self.table.current_key(), Measure.COST)
        up = self._direction is Direction.CALLERS
        key = EstimateKey(EstimateKind.REACHED, (function, other), measure, up=up)
        whole = None if query.is_comparing else NumberKey(NumberKind.INCLUSIVE, function)
        return number_request(query, key, parent=whole, reason=BaseReason.ACTIVE)


class CallStackList(_FunctionsOfCalls):
    """The path to the active function and the costliest path on. A click makes a step active.

    The list stays as it is while the user moves along it (KCachegrind's rule).
    """

    is_whole = True

    def __init__(self, session: Session) -> None:
        super().__init__(session, NO_STACK, "Call Stack")
        self.table.setSortingEnabled(False)
        self.table.row_clicked.connect(self.table.activate_current)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the path, in which the active function is the current row."""
        self.model.mark_active(query.context.function)
        super().refresh(query, change)
        if change != Change.SELECTION and not self.message:
            self.table.select_function(query.context.function)

    def table_of(self, query: ViewQuery) -> Table:
        return call_stack_table(query)

    def hidden_text(self, table: Table, hidden: BoolArray) -> str:
        return "of these do not match the filter; the whole path is shown"

    def current_number(self) -> NumberRequest | None:
        """Return cost or number of the calls from the row above; of the first row its cost."""
        query, index = self.session.query, self.table.currentIndex()
        if query is None or not index.isValid():
            return None
        row, column, nodes = (
            self.model.record(index),
            self.table.current_key(),
            self.model.table.nodes,
        )
        assert nodes is not None
        key = NumberKey(NumberKind.INCLUSIVE, node_at(nodes, 0))
        if row > 0:
            kind = NumberKind.CALL_COUNT if column == "count" else NumberKind.CALL_COST
            ends = node_at(nodes, row - 1), node_at(nodes, row)
            key = call_key(query.queries, query.context.scope, *ends, kind)
        second = query.context.second_event if column == "second_cost" else None
        return number_request(query, key, event=second)
