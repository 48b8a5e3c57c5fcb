"""The Functions dock: all functions with costs, groups above them, and a search."""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtCore import QByteArray, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QSplitter, QToolButton, QWidget

from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.analysis.names.function_names import GROUPING_TITLES, Grouping, Labels
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.functions import (
    NO_FUNCTIONS,
    NO_GROUPS,
    counted,
    function_table,
    group_table,
)
from qcachegrind_py.present.number_request import function_number, group_number
from qcachegrind_py.present.table import CostCells, cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView, has_cursor, header_row, stacked
from qcachegrind_py.views.tables.record_table import FunctionSearchEdit, FunctionTable, RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import group_palette, list_colors
from qcachegrind_py.views.widgets.empty_page import Remedy

_INLINED = (
    "One that was inlined everywhere has no entry: its lines are in Source of the functions that "
    "it was inlined into."
)


class GroupList(QWidget):
    """Groups with their self costs. If none is chosen, functions of all groups are shown."""

    selection_changed = Signal()
    menu_requested = Signal(object, object, str)  # QMenu to fill for this Grouping and name

    def __init__(self) -> None:
        super().__init__()
        self.model = TableModel(NO_GROUPS, self)
        self.table = RecordTable(self.model, "Groups")
        self.table.row_menu_requested.connect(self._fill_menu)
        self._grouping = Grouping.NONE
        self._names: tuple[str, ...] = ()
        stacked(self, self.table)
        self.table.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit()
        )
        self.table.pressed.connect(self._on_pressed)
        self._last_selected: list[int] = []

    def show_groups(self, query: ViewQuery) -> None:
        """Show the groups of a context; if they are the same as before, the selection stays."""
        grouping, names = query.context.grouping, query.groups().names
        table = group_table(query, np.zeros(len(names), np.int64))
        if grouping is self._grouping and names == self._names:
            self.model.show_numbers(table)
        else:
            self.model.show(table)
        self._grouping, self._names = grouping, names
        palette = group_palette(query)
        self.model.set_colors(lambda record: palette.group(names[record]))
        self.table.show_comparison(query.is_comparing)
        self.table.fit_numbers()

    def show_counts(self, query: ViewQuery, counts: Int64Array) -> None:
        """Show the number of visible functions in each group; hide groups with none."""
        self.model.show_numbers(group_table(query, counts))
        shown = counts > 0
        shown[self.selected_groups() or []] = True  # chosen groups stay visible during a search
        self.model.set_filter(shown)
        self.table.fit_numbers(only_wider=True)

    def clear(self) -> None:
        self._grouping, self._names = Grouping.NONE, ()
        self.model.clear()

    def selected_groups(self) -> list[int] | None:
        """Return the records of the chosen groups; None if none is chosen."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.record(index) for index in rows] or None

    def choose(self, name: str) -> None:
        """Choose the group of this name, if there is one."""
        if name in self._names:
            index = self.model.index_of_record(self._names.index(name))
            self.table.selectRow(index.row())
            self.table.scrollTo(index)

    def current_name(self) -> str | None:
        """Return the name of the group of the current row; None without one."""
        index = self.table.currentIndex()
        return self._names[self.model.record(index)] if index.isValid() else None

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            name = self._names[self.model.record(index)]
            self.menu_requested.emit(menu, self._grouping, name)

    def _on_pressed(self) -> None:
        """Clear the selection on a second click on the only chosen group."""
        chosen = self.selected_groups() or []
        if chosen == self._last_selected and len(chosen) == 1:
            self.table.clearSelection()
            chosen = []
        self._last_selected = chosen


_COST_CHANGES = Change.EVENT | Change.EVENTS | Change.UNIT | Change.NUMBERS | Change.GROUPING
_ROW_CHANGES = Change.PROFILE | Change.SCOPE | Change.NAMES
_SECOND_EVENT_COLUMNS = ("second_inclusive", "second_self")
_CALL_COLUMNS = ("inclusive", "called")


class FunctionList(ProfileView):
    """All functions and cycles with their costs, groups above them, and a search.

    The current row is the active function. One click on a row, or Return, makes its function
    active.
    """

    def __init__(self, session: Session, regular_expression: QAction) -> None:
        super().__init__(session)
        self.model = TableModel(NO_FUNCTIONS, self)
        self.table = FunctionTable(self.model, "Functions")
        self.table.sort_by(self.model.place("self"))  # the hottest function is the first
        self.table.function_activated.connect(session.navigation.select_function)
        self.table.row_clicked.connect(self.table.activate_current)
        self.table.menu_requested.connect(self.menu_requested)
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
        self._wanted_group = ""  # to be chosen once it is there
        self._labels: Labels | None = None  # of the functions shown
        self._parts: Parts = None  # whose costs they have
        self._matches: BoolArray | None = None  # functions that the search matches; None for all
        self._regular_expression = regular_expression
        regular_expression.toggled.connect(self._search)
        self.search = FunctionSearchEdit(self.table)
        self.search.textChanged.connect(self._search)
        self.set_content(self._create_content(), self.table)

    def _create_content(self) -> QWidget:
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(self._regular_expression)
        row = header_row(self.grouping_box, self.search, button, most=self.search)
        lists = QSplitter(Qt.Orientation.Vertical)
        lists.setChildrenCollapsible(False)
        lists.addWidget(self.groups)
        lists.addWidget(self.table)
        lists.setStretchFactor(0, 1)
        lists.setStretchFactor(1, 3)
        self.groups.hide()
        return stacked(QWidget(), row, lists)

    def current_number(self) -> NumberRequest | None:
        """Return inclusive cost, self cost or calls of the current row, or that of a group."""
        query = self.session.query
        if query is None:
            return None
        if has_cursor(self.groups.table):
            return group_number(query, self.groups.current_name())
        return function_number(query, self.table.current_function(), self.table.current_key())

    def restore_state(self, states: list[QByteArray]) -> None:
        super().restore_state(states)
        self._has_calls = not self.table.isColumnHidden(self.model.place("inclusive"))
        if self.session.queries is not None:  # the state may come from another profile
            self._hide_empty_columns(self.session.queries.profile)

    def choose_group(self, grouping: Grouping, name: str) -> None:
        """Group the functions, and choose the group of this name as soon as it is there."""
        self._wanted_group = name
        if self.navigation.context.grouping is grouping:
            self.groups.choose(name)
        else:
            self.session.set_grouping(grouping)

    # ---------------------------------------------------------------- content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the functions, costs and active function of the context."""
        context = query.context
        if context.event is None or not query.queries.function_count:
            self.model.clear()
            self._labels = None
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
        chose_parts = context.scope.parts != self._parts and not change & Change.PROFILE
        self._parts = context.scope.parts
        if chose_parts:  # what costs there is at the top; the active function may cost nothing
            self.table.select_function(context.function, scroll=False)
            self.table.scrollToTop()
        elif change != Change.SELECTION:
            # the largest changes are looked for first, wherever the function is
            news = Change.FUNCTION if query.is_comparing else Change.PROFILE | Change.FUNCTION
            scroll = bool(change & news) and not (query.is_comparing and change & Change.PROFILE)
            self.table.select_function(context.function, scroll=scroll)

    def _show_costs(self, query: ViewQuery, change: Change) -> None:
        table = function_table(query)
        if change & _ROW_CHANGES:
            self._labels = query.labels()
            self.model.show(table)
        else:
            self.model.show_numbers(table)
        if change & Change.PROFILE:
            self._matches = None
            self._hide_empty_columns(query.profile)
        has_second = query.context.second_event is not None
        self.model.tell_events_apart(has_second)
        self.table.show_columns(self.model.places(*_SECOND_EVENT_COLUMNS), has_second)
        self.table.show_comparison(query.is_comparing)
        wider = not change & (Change.PROFILE | Change.UNIT | Change.NUMBERS)
        self.table.fit_numbers(only_wider=wider)

    def _show_groups(self, query: ViewQuery, change: Change) -> None:
        grouping = query.context.grouping
        self.grouping_box.setCurrentIndex(self.grouping_box.findData(grouping))
        self.groups.setVisible(grouping is not Grouping.NONE)
        self.model.set_node_colors(list_colors(query))
        if grouping is Grouping.NONE:
            self.groups.clear()
        else:
            self.groups.show_groups(query)
            self.groups.choose(self._wanted_group)
            self._wanted_group = ""

    def _hide_empty_columns(self, profile: Profile) -> None:
        """Hide inclusive costs and call counts of a profile without calls, instead of showing 0."""
        has_calls = len(profile.calls) > 0
        if has_calls == self._has_calls:  # columns that the user hid stay hidden
            return
        self._has_calls = has_calls
        self.table.show_columns(self.model.places(*_CALL_COLUMNS), has_calls)
        if not has_calls and self.table.is_sorted_by(self.model.place("inclusive")):
            self.table.sort_by(self.model.place("self"))

    # ---------------------------------------------------------------- search and filters

    def _search(self) -> None:
        """Apply the search text; an empty one matches all functions."""
        labels, text = self._labels, self.search.text()
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
            self.search.set_error(cell_text(f"Not a regular expression: {error}"))
            return
        self._apply_filters()
        self.table.select_function(self.navigation.context.function, scroll=False)
        self.table.scrollToTop()  # to the costliest match

    def _apply_filters(self) -> None:
        """Show functions that match the search, are in the chosen groups and pass the filter."""
        query, labels = self.session.query, self._labels
        if query is None or labels is None or labels.names is not query.queries.names:
            return
        if len(labels) != len(query.labels()):  # other cycles, which are not shown yet
            return
        passing = shown = query.visible_nodes()
        matched = in_group = None
        if self._matches is not None:
            matched = np.append(self._matches, np.zeros(len(labels) - len(self._matches), bool))
            shown = matched if shown is None else shown & matched
        if query.context.grouping is not Grouping.NONE:
            groups = query.groups()
            self.groups.show_counts(query, groups.counts(shown, query.queries.function_count))
            if (chosen := self.groups.selected_groups()) is not None:
                in_group = np.isin(groups.group_of_node, chosen)
                shown = in_group if shown is None else shown & in_group
        self.model.set_filter(shown)
        if shown is not None and not shown.any():
            self._explain_emptiness(matched, passing, in_group)
        self_cost = self.model.table.column("self").cells
        assert isinstance(self_cost, CostCells)
        counts = counted(labels, self_cost.figures, shown, query.queries.folding)
        self.search.show_count(*counts)

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
        if conditions[0] in impossible:
            text += f" {_INLINED}"
        self.table.empty_page.show_reason(text, *remedies)
