"""The Functions dock: all functions with costs, grouping, and a search that filters them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

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

from qcachegrind_py.analysis.costs.series import BothSides, Series
from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.analysis.folding.fold import Folding
from qcachegrind_py.analysis.names.groups import GROUPING_TITLES, Grouping
from qcachegrind_py.models.base.call_table import no_mark
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.models.functions import FunctionModel, FunctionRows
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, CostUnit
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.compared.formats import largest
from qcachegrind_py.views.common.empty_page import Remedy
from qcachegrind_py.views.common.folds.marks import function_mark, self_estimates
from qcachegrind_py.views.common.numbers.request import has_cursor
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.search_edit import FunctionSearchEdit
from qcachegrind_py.views.common.view_query import ViewQuery, current_query
from qcachegrind_py.views.lists.function_numbers import function_number, group_number
from qcachegrind_py.views.lists.group_list import GroupList

_COST_CHANGES = Change.EVENT | Change.EVENTS | Change.UNIT | Change.NUMBERS | Change.GROUPING
_ROW_CHANGES = Change.PROFILE | Change.SCOPE | Change.NAMES
_SECOND_EVENT_COLUMNS = (FunctionModel.SECOND_INCLUSIVE, FunctionModel.SECOND_SELF)
_CALL_COLUMNS = (FunctionModel.INCLUSIVE, FunctionModel.CALLED)


class FunctionList(ProfileView):
    """All functions and cycles with their costs, and a summary of hidden ones below.

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
        self.table.text_typed.connect(self._search_typed)
        self.groups = GroupList()
        self.groups.selection_changed.connect(self._apply_filters)
        self.grouping_box = QComboBox()
        self.grouping_box.setAccessibleName("Grouping")
        self.grouping_box.setToolTip("How functions are grouped")
        for grouping, title in GROUPING_TITLES.items():
            self.grouping_box.addItem(title, grouping)
        self.grouping_box.activated.connect(
            lambda _: session.set_grouping(self.grouping_box.currentData())
        )
        self._has_calls = True
        self._matches: BoolArray | None = None  # functions that the search matches; None for all
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

    def current_number(self) -> NumberRequest | None:
        """Return inclusive cost, self cost or calls of the current row, or that of a group."""
        query = current_query(self.session)
        if query is None:
            return None
        if has_cursor(self.groups.table):
            return group_number(query, self.groups.current_name())
        node, column = self.table.current_function(), self.table.currentIndex().column()
        return function_number(query, node, column, of_group=_self_base(query) is not None)

    def restore_state(self, states: list[QByteArray]) -> None:
        super().restore_state(states)
        self._has_calls = not self.table.isColumnHidden(FunctionModel.INCLUSIVE)
        if self.session.queries is not None:  # the state may come from another profile
            self._hide_empty_columns(self.session.queries.profile)

    # ---------------------------------------------------------------- content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the functions, costs and active function of the context."""
        context = query.context
        if context.event is None or not query.queries.function_count:
            self.model.clear()
            self.show_message(
                "The profile has no costs.\nIt may have been written before anything was counted."
            )
            return
        self.show_content()
        self.model.highlight(context.selected)
        self.model.mark_active(context.function)
        if change & (_COST_CHANGES | _ROW_CHANGES):
            self._show_costs(query, change)
        if change & (_COST_CHANGES | _ROW_CHANGES | Change.FILTER | Change.COLORS):
            self._show_groups(query, change)
        if change & Change.PROFILE and self.search.text():
            self._search()
        elif change & (_COST_CHANGES | _ROW_CHANGES | Change.FILTER | Change.COLORS):
            self._apply_filters()
        if change != Change.SELECTION:
            # the largest changes are looked for first, wherever the function is
            news = Change.FUNCTION if query.is_comparing else Change.PROFILE | Change.FUNCTION
            scroll = bool(change & news) and not (query.is_comparing and change & Change.PROFILE)
            self.table.select_function(context.function, scroll=scroll)

    def _show_costs(self, query: ViewQuery, change: Change) -> None:
        context = query.context
        first, second = query.format(query.series), query.format(query.second_series)
        rows = function_rows(query)
        self.model.set_excess_reasons(
            query.excess_reasons(context.event), query.excess_reasons(context.second_event)
        )
        if change & _ROW_CHANGES:
            self.model.set_rows(rows, first, second)
        else:
            self.model.set_costs(rows, first, second)
        if change & Change.PROFILE:
            self._matches = None
            self._hide_empty_columns(query.profile)
        self.table.show_columns(_SECOND_EVENT_COLUMNS, context.second_event is not None)
        self.table.show_comparison(query.is_comparing)
        wider = not change & (Change.PROFILE | Change.UNIT | Change.NUMBERS)
        self.table.fit_numbers(only_wider=wider)

    def _show_groups(self, query: ViewQuery, change: Change) -> None:
        grouping, series = query.context.grouping, query.series
        self.grouping_box.setCurrentIndex(self.grouping_box.findData(grouping))
        self.groups.setVisible(grouping is not Grouping.NONE)
        self.model.set_colors(query.list_colors())
        self.model.set_callers(query.list_callers())
        if grouping is Grouping.NONE or series is None:
            self.groups.clear()
            return
        costs, format_ = query.group_self_cost(series), query.format(series)
        if series.is_change and not format_.is_ratio:
            format_ = replace(format_, bar_base=largest(costs))
        compared = _compared_groups(query, series)
        groups, palette = query.groups(), query.palette
        self.groups.show_groups(grouping, groups, costs, format_, palette, compared)

    def _hide_empty_columns(self, profile: Profile) -> None:
        """Hide inclusive costs and call counts of a profile without calls, instead of showing 0."""
        has_calls = len(profile.calls) > 0
        if has_calls == self._has_calls:  # columns that the user hid stay hidden
            return
        self._has_calls = has_calls
        self.table.show_columns(_CALL_COLUMNS, has_calls)
        column = FunctionModel.INCLUSIVE if has_calls else FunctionModel.SELF
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)

    # ---------------------------------------------------------------- search and filters

    def _search_typed(self, text: str) -> None:
        """Search for text typed in the list."""
        self.search.setFocus()
        self.search.setText(text)

    def _search(self) -> None:
        """Apply the search text; an empty one matches all functions."""
        labels, text = self.model.rows.labels, self.search.text()
        if labels is None:  # use the model's labels: a newly opened profile may not be shown yet
            return
        self.search.set_error("")
        try:
            if not text:
                self._matches = None
            elif self._regular_expression.isChecked():
                self._matches = labels.names.matching(text)
            else:
                self._matches = labels.names.found_by(text)
        except re.error as error:  # the previous matches stay
            self.summary_label.setText(cell_text(f"Not a regular expression: {error}"))
            self.search.set_error(self.summary_label.text())
            return
        self._apply_filters()
        self.table.select_function(self.navigation.context.function, scroll=False)
        self.table.scrollToTop()  # to the costliest match

    def _apply_filters(self) -> None:
        """Show functions that match the search, are in the chosen groups and pass the filter."""
        query, labels = current_query(self.session), self.model.rows.labels
        if query is None or labels is None or labels.names is not query.queries.names:
            return
        passing = shown = query.visible_nodes()
        matched = in_group = None
        if self._matches is not None:
            matched = np.append(self._matches, np.zeros(len(labels) - len(self._matches), bool))
            shown = matched if shown is None else shown & matched
        if query.context.grouping is not Grouping.NONE:
            groups = query.groups()
            self.groups.show_counts(groups.counts(shown, query.queries.function_count))
            if (chosen := self.groups.selected_groups()) is not None:
                in_group = np.isin(groups.group_of_node, chosen)
                shown = in_group if shown is None else shown & in_group
        self.model.set_filter(shown)
        if shown is not None and not shown.any():
            self._explain_emptiness(matched, passing, in_group)
        self._show_summary(shown, query.queries.folding)

    def _explain_emptiness(self, *masks: BoolArray | None) -> None:
        """Say which conditions no function fulfils, and offer to remove them.

        `masks`, each of shape (nodes,) or None, are those of search, filter and chosen groups.
        """
        conditions = (
            ("the search", Remedy("Clear Search", self.search.clear)),
            ("the filter", Remedy("Clear Filter", self.filter_clearing_requested.emit)),
            ("the chosen groups", Remedy("Show All Groups", self.groups.table.clearSelection)),
        )
        fulfilled = [
            (condition, mask.any())
            for condition, mask in zip(conditions, masks, strict=True)
            if mask is not None
        ]
        impossible = [condition for condition, by_any in fulfilled if not by_any]
        shown = impossible or [condition for condition, _ in fulfilled]
        names, remedies = zip(*shown, strict=True)
        text = f"No function matches {' and '.join(names)}."
        self.table.empty_page.show_reason(text, *remedies)

    def _show_summary(self, shown: BoolArray | None, folding: Folding | None) -> None:
        """Show how many functions are visible, and the self cost of the hidden ones."""
        rows, first = self.model.rows, self.model.first
        functions = len(rows.labels.names) if rows.labels else 0
        noun, folded = plural(functions, "function"), 0
        hidden = np.zeros(functions, bool) if shown is None else ~shown[:functions]
        if folding is not None:  # these cost nothing, and are not for a filter to show
            hidden &= ~folding.is_folded
            folded = int(folding.is_folded.sum())
            functions -= folded
        if not hidden.any():
            text = f"{first.count_text(functions)} {noun}"
        else:
            count, cost = int(hidden.sum()), as_number(rows.self_cost[: len(hidden)][hidden].sum())
            rest = first.count_text(functions - count)
            visible_count = f"{rest} of {first.count_text(functions)} {noun}"
            self_cost = "" if first.is_ratio else f", self {first.with_unit(cost)}"
            text = f"{visible_count}; {first.count_text(count)} hidden{self_cost}"
        cycles = len(rows.inclusive) - len(hidden)
        if shown is not None:
            cycles = int(shown[len(hidden) :].sum())
        more = f", {first.count_text(cycles)} {plural(cycles, 'cycle')}" if cycles else ""
        more += f", {first.count_text(folded)} folded" if folded else ""
        self.summary_label.setText(text + more)


def function_rows(query: ViewQuery) -> FunctionRows:
    """Return the rows of the list in a context."""
    costs = query.costs()
    zeros = np.zeros(len(costs.called), np.int64)

    def of(ask: Callable[[Series], CostArray], series: Series | None) -> CostArray:
        return ask(series) if series is not None else zeros

    inclusive, self_cost = _compared_rows(query)
    return FunctionRows(
        query.labels(),
        of(query.inclusive, query.series),
        of(query.self_cost, query.series),
        of(query.inclusive, query.second_series),
        of(query.self_cost, query.second_series),
        costs.called,
        costs.is_active,
        _self_base(query),
        inclusive,
        self_cost,
        function_mark(query),
        partial(_family_text, query) if query.is_comparing else no_mark,
        self_estimates(query),
        costs.has_call_counts,
    )


def _family_text(query: ViewQuery, node: NodeId) -> str:
    """Return the members of a family, for tips; empty for other functions."""
    compared = query.comparison
    if compared is None or not query.queries.is_function(node):
        return ""
    from qcachegrind_py.analysis.comparison.comparison import member_names

    sides = member_names(compared, node)
    if node not in compared.pairing.names and max(map(len, sides)) < 2:
        return ""
    base, new = (", ".join(map(cell_text, names)) for names in sides)
    return f"Base: {base}\nNew: {new}"


def _compared_rows(query: ViewQuery) -> tuple[ComparedRows | None, ComparedRows | None]:
    """Return the inclusive and the self costs of both sides; None if nothing is compared."""
    compared, series = query.comparison, query.series
    if compared is None or series is None:
        return None, None
    from qcachegrind_py.analysis.comparison.effects import are_functions_split

    called, is_split = compared.called, are_functions_split(compared)
    format_ = query.cost_format(series.event)
    inclusive, self_cost = (
        ComparedRows(series.sides(ask), called, is_split, format_, query.base_format(series.event))
        for ask in (query.queries.inclusive, query.queries.self_cost)
    )
    return inclusive, self_cost


def _compared_groups(query: ViewQuery, series: Series) -> ComparedRows | None:
    """Return the self costs of groups on both sides; None if nothing is compared."""
    if not series.is_change:
        return None
    costs = series.sides(partial(query.queries.group_costs, query.context.grouping))
    counts = np.zeros(len(costs.new), np.int64)
    return ComparedRows(
        costs,
        BothSides(counts, counts),
        counts > 0,
        query.cost_format(series.event),
        query.base_format(series.event),
    )


def _self_base(query: ViewQuery) -> CostArray | None:
    """Return the base of self-cost percentages for each node: its group's cost.

    None if percentages refer to the total, which is the case without grouping or in other units.
    """
    context = query.context
    is_of_parent = context.unit is CostUnit.PERCENT_OF_PARENT
    event = context.event
    if not is_of_parent or context.grouping is Grouping.NONE or event is None or event.is_ratio:
        return None
    if query.is_comparing:  # a change is of the base, not of a group
        return None
    groups = query.groups()
    costs = query.queries.group_costs(context.grouping, event, context.scope)
    bases: CostArray = costs[groups.group_of_node]
    return bases
