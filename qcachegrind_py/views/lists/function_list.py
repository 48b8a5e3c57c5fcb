"""The list of all functions, in groups or not, with a search that filters as one types."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.group_colors import GroupColors
from qcachegrind_py.models.functions import FunctionModel, FunctionRows
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, CostUnit
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.search_edit import FunctionSearchEdit
from qcachegrind_py.views.lists.group_list import GroupList

_COST_CHANGES = Change.EVENT | Change.EVENTS | Change.UNIT | Change.NUMBERS | Change.GROUPING
_ROW_CHANGES = Change.PROFILE | Change.SCOPE | Change.NAMES
_SECOND_EVENT_COLUMNS = (FunctionModel.SECOND_INCLUSIVE, FunctionModel.SECOND_SELF)
_CALL_COLUMNS = (FunctionModel.INCLUSIVE, FunctionModel.CALLED)
_EMPTY_TEXT = (
    "Nothing here is found and passes the filter.\n"
    "Escape in the search shows more, and so does Ctrl+Shift+L."
)
GROUPINGS = {
    Grouping.NONE: "No Grouping",
    Grouping.OBJECT: "Object",
    Grouping.FILE: "Source File",
    Grouping.CLASS: "Class",
    Grouping.CYCLE: "Cycle",
}


class FunctionList(ProfileView):
    """All functions and cycles with their costs; what is hidden is said below.

    The current row is the active function. One click on a row, or Return, makes its function
    active.
    """

    def __init__(
        self,
        session: Session,
        regular_expression: QAction,
    ) -> None:
        super().__init__(session)
        self.model = FunctionModel(self)
        self.table = FunctionTable(self.model, "Functions")
        self.table.function_activated.connect(session.navigation.select_function)
        self.table.row_clicked.connect(self.table.activate_current)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.empty_text = _EMPTY_TEXT
        self.table.text_typed.connect(self._search_typed)
        self.groups = GroupList()
        self.groups.selection_changed.connect(self._apply_filters)
        self.grouping_box = QComboBox()
        self.grouping_box.setAccessibleName("Grouping")
        self.grouping_box.setToolTip("Group functions by where they are")
        for grouping, title in GROUPINGS.items():
            self.grouping_box.addItem(title, grouping)
        self.grouping_box.activated.connect(
            lambda _: session.set_grouping(self.grouping_box.currentData())
        )
        self._has_calls = True
        self._matches: BoolArray | None = None  # by the search; None for all
        self._regular_expression = regular_expression
        regular_expression.toggled.connect(self._search)
        self.search = FunctionSearchEdit(self.table)
        self.search.textChanged.connect(self._search)
        self.summary_label = NoteLabel()
        self.set_content(self._create_content())
        self.initial_focus = self.table

    def _create_content(self) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(4, 4, 4, 4)
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(self._regular_expression)
        row.addWidget(self.grouping_box)
        row.addWidget(self.search, 1)
        row.addWidget(button)
        lists = QSplitter(Qt.Orientation.Vertical)
        lists.setChildrenCollapsible(False)
        lists.addWidget(self.groups)
        lists.addWidget(self.table)
        lists.setStretchFactor(0, 1)
        lists.setStretchFactor(1, 3)
        self.groups.hide()
        column.addLayout(row)
        column.addWidget(lists)
        column.addWidget(self.summary_label)
        return content

    def restore_state(self, states: list[QByteArray]) -> None:
        super().restore_state(states)
        self._has_calls = not self.table.isColumnHidden(FunctionModel.INCLUSIVE)
        if self.session.queries is not None:  # as it looked with another profile
            self._hide_empty_columns(self.session.queries)

    # ---------------------------------------------------------------- what is shown

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show costs, order and the active function of the context."""
        if context.event is None or not queries.function_count:
            self.model.clear()
            self.show_message("The profile has no costs.\nIt may have been written too early.")
            return
        self.show_content()
        self.model.highlight(context.selected)
        if change & (_COST_CHANGES | _ROW_CHANGES):
            self._show_costs(queries, context, change)
        if change & (_COST_CHANGES | _ROW_CHANGES | Change.FILTER):
            self._show_groups(queries, context, change)
        if change & Change.PROFILE and self.search.text():
            self._search()
        elif change & (_COST_CHANGES | _ROW_CHANGES | Change.FILTER):
            self._apply_filters()
        if change != Change.SELECTION:
            scroll = bool(change & (Change.PROFILE | Change.FUNCTION))
            self.table.select_function(context.function, scroll=scroll)

    def _show_costs(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        first = cost_format(queries, context, context.event)
        second = cost_format(queries, context, context.second_event)
        rows = function_rows(queries, context)
        if change & _ROW_CHANGES:
            self.model.set_rows(rows, first, second)
        else:
            self.model.set_costs(rows, first, second)
        if change & Change.PROFILE:
            self._matches = None
            self._hide_empty_columns(queries)
        self.table.show_columns(_SECOND_EVENT_COLUMNS, context.second_event is not None)
        wider = not change & (Change.PROFILE | Change.UNIT | Change.NUMBERS)
        self.table.fit_numbers(only_wider=wider)

    def _show_groups(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        grouping = context.grouping
        self.grouping_box.setCurrentIndex(self.grouping_box.findData(grouping))
        self.groups.setVisible(grouping is not Grouping.NONE)
        if grouping is Grouping.NONE or context.event is None:
            self.groups.clear()
            self.model.set_colors(None)
            return
        groups = queries.groups(grouping, context.scope)
        self.model.set_colors(GroupColors(groups))
        costs = queries.group_costs(grouping, context.event, context.scope)
        format_ = cost_format(queries, context, context.event)
        self.groups.show_groups(grouping, groups, costs, format_)

    def _hide_empty_columns(self, queries: ProfileQueries) -> None:
        """Without calls there is no inclusive cost and no count, and 0 would be no fact."""
        has_calls = len(queries.profile.calls) > 0
        if has_calls == self._has_calls:  # columns that the user hid stay hidden
            return
        self._has_calls = has_calls
        self.table.show_columns(_CALL_COLUMNS, has_calls)
        column = FunctionModel.INCLUSIVE if has_calls else FunctionModel.SELF
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)

    # ---------------------------------------------------------------- what is found

    def _search_typed(self, text: str) -> None:
        """What is typed in the list is searched for."""
        self.search.setFocus()
        self.search.setText(text)

    def _search(self) -> None:
        """Show the functions whose names have the text, or all."""
        labels, text = self.model.rows.labels, self.search.text()
        if labels is None:  # the model's own: another profile may be open that is not shown yet
            return
        self.search.set_error("")
        try:
            if not text:
                self._matches = None
            elif self._regular_expression.isChecked():
                self._matches = labels.names.matching(text)
            else:
                self._matches = labels.names.containing(text)
        except re.error as error:  # what was found before stays
            self.summary_label.setText(f"Not a regular expression: {error}")
            self.search.set_error(self.summary_label.text())
            return
        self._apply_filters()
        self.table.select_function(self.navigation.context.function)

    def _apply_filters(self) -> None:
        """Show what the search finds, in the groups that are chosen, and what passes the filter."""
        queries, context = self.session.queries, self.navigation.context
        labels = self.model.rows.labels
        if queries is None or labels is None or labels.names is not queries.names:
            return
        shown = None
        if context.event is not None:
            shown = queries.visible_nodes(context.filter, context.event, context.scope)
        if self._matches is not None:
            found = np.append(self._matches, np.zeros(len(labels) - len(self._matches), bool))
            shown = found if shown is None else shown & found
        if context.grouping is not Grouping.NONE:
            groups = queries.groups(context.grouping, context.scope)
            self.groups.show_counts(groups.counts(shown, queries.function_count))
            if (chosen := self.groups.selected_groups()) is not None:
                in_group = np.isin(groups.group_of_node, chosen)
                shown = in_group if shown is None else shown & in_group
        self.model.set_filter(shown)
        self._show_summary(shown)

    def _show_summary(self, shown: BoolArray | None) -> None:
        """How many functions are shown, and what the hidden ones cost by themselves."""
        rows, first = self.model.rows, self.model.first
        functions = len(rows.labels.names) if rows.labels else 0
        plural = "" if functions == 1 else "s"
        if shown is None or shown.all():
            text = f"{first.count_text(functions)} function{plural}"
        else:
            hidden = ~shown[:functions]
            count, cost = int(hidden.sum()), as_number(rows.self_cost[:functions][hidden].sum())
            rest = first.count_text(functions - count)
            of = f"{rest} of {first.count_text(functions)} function{plural}"
            self_cost = "" if first.is_ratio else f", self {first.with_unit(cost)}"
            text = f"{of}; {first.count_text(count)} hidden{self_cost}"
        cycles = len(rows.inclusive) - functions if shown is None else int(shown[functions:].sum())
        more = f", {first.count_text(cycles)} cycle{'' if cycles == 1 else 's'}" if cycles else ""
        self.summary_label.setText(text + more)


def function_rows(queries: ProfileQueries, context: Context) -> FunctionRows:
    """The rows of the list in a context."""
    event, second, scope = context.event, context.second_event, context.scope
    costs = queries.costs(scope)
    nothing = np.zeros(len(costs.called), np.int64)

    def of(ask: Callable[[EventType, Scope], CostArray], event: EventType | None) -> CostArray:
        return ask(event, scope) if event is not None else nothing

    return FunctionRows(
        queries.labels(scope, short=context.short_names),
        of(queries.inclusive, event),
        of(queries.self_cost, event),
        of(queries.inclusive, second),
        of(queries.self_cost, second),
        costs.called,
        _self_base(queries, context),
    )


def _self_base(queries: ProfileQueries, context: Context) -> CostArray | None:
    """What the percentages of self costs are of, where it is the group of each function."""
    is_of_parent = context.unit is CostUnit.PERCENT_OF_PARENT
    event = context.event
    if not is_of_parent or context.grouping is Grouping.NONE or event is None or event.is_ratio:
        return None
    groups = queries.groups(context.grouping, context.scope)
    costs = queries.group_costs(context.grouping, event, context.scope)
    bases: CostArray = costs[groups.group_of_node]
    return bases
