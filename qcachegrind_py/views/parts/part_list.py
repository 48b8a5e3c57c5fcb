"""The Parts dock: a table and a time line that choose the active parts of the profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import (
    QByteArray,
    QItemSelection,
    QItemSelectionModel,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.models.parts import PartModel, PartRows
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.part_choice import PartChoice
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.buttons import open_context_menu, text_button
from qcachegrind_py.views.common.empty_page import Remedy
from qcachegrind_py.views.common.empty_reasons import NO_FUNCTION_CHOSEN
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.parts.choice_buttons import ChoiceButtons
from qcachegrind_py.views.parts.missing_function_bar import MissingFunctionBar
from qcachegrind_py.views.parts.part_number import bar_number, part_number
from qcachegrind_py.views.parts.sides import part_sides
from qcachegrind_py.views.parts.timeline_panel import TimelineData, TimelinePanel

_OTHER_FILES_TEXT = "The profile has one part.\n{} of its run."
_SINGLE_PART_TEXT = (
    "The profile has one part.\nCallgrind writes several with --dump-every-bb=N,\n"
    "--separate-threads=yes or callgrind_control --dump."
)
_MIN_TABLE_LINES = 3
_HALF = 400  # pixels; with less, a splitter gives most of the height to one side
_SELECT = QItemSelectionModel.SelectionFlag


class PartList(ProfileView):
    """The parts of the profile. No selection means all parts (KCachegrind's rule)."""

    depends_on = ~(Change.SELECTION | Change.FILTER | Change.code_changes())

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = PartModel(self)
        self.table = _PartTable(self.model, "Parts")
        self.table.sortByColumn(PartModel.NAME, Qt.SortOrder.AscendingOrder)
        self.table.setMinimumHeight(_MIN_TABLE_LINES * self.fontMetrics().height())
        self._bar: PartId | None = None  # of the time line, whose menu was opened last
        self._own = 0  # parts of the open profile; those after them are of its base
        self._is_programmatic = False  # whether the program changes the selection, not the user
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self.table.menu_requested.connect(self._fill_table_menu)
        self.table.selectionModel().currentChanged.connect(lambda *_: self._leave_bar())
        self.panel = TimelinePanel(session)
        self.panel.parts_selected.connect(self.select_parts)
        self.panel.menu_requested.connect(self._open_timeline_menu)
        self.all_button = text_button("&All Parts", "Select all parts, also the hidden ones")
        self.all_button.clicked.connect(lambda: self.select_all())
        self.base_button = text_button(
            "&Use as Base", "Compare the other parts with the selected ones, as two runs"
        )
        self.base_button.clicked.connect(self._use_as_base)
        self.base_button.hide()
        self.choices = ChoiceButtons()
        self.choices.parts_chosen.connect(self.select_parts)
        self.status_label = NoteLabel()
        self.missing_bar = MissingFunctionBar()
        self.missing_bar.function_activated.connect(self._activate)
        self.set_content(self._create_content())
        self.initial_focus = self.table
        session.run_files_found.connect(self._on_run_files_found)

    def _create_content(self) -> QWidget:
        content, row = QWidget(), QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(2 * self.fontMetrics().horizontalAdvance("0"))
        row.addWidget(self.all_button)
        row.addWidget(self.choices)
        row.addWidget(self.base_button)
        row.addWidget(self.status_label, 1)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.panel)
        both.addWidget(self.table)
        both.setSizes([_HALF, _HALF])
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.missing_bar)
        column.addWidget(both, 1)
        return content

    # ---------------------------------------------------------------- choosing

    def select_parts(self, parts: Iterable[PartId]) -> None:
        """Make these parts active; all that are shown if there are none."""
        clicked = tuple(parts)
        chosen = tuple(part for part in clicked if part < self._own)
        if chosen or not clicked:  # parts of the base alone change nothing
            self.session.choose_parts(lambda choice, count: choice.choosing(chosen, count))

    def select_all(self) -> None:
        """Make all parts active, and show the hidden ones again."""
        self.session.choose_parts(lambda _choice, _count: PartChoice())

    def hide_parts(self, parts: Iterable[PartId]) -> None:
        """Hide these parts: no view counts them until they are shown again."""
        hidden = tuple(parts)
        self.session.choose_parts(lambda choice, count: choice.hiding(hidden, count))

    def show_hidden(self) -> None:
        """Show the hidden parts again."""
        self.session.choose_parts(PartChoice.showing_hidden)

    def _use_as_base(self) -> None:
        self.session.comparing.use_parts_as_base(self._selected_parts())

    def _on_selected(self) -> None:
        if not self._is_programmatic:
            self.select_parts(self._selected_parts())

    def _selected_parts(self) -> list[PartId]:
        rows = self.table.selectionModel().selectedRows()
        return [PartId(part) for part in map(self.model.record, rows) if part < self._own]

    # ---------------------------------------------------------------- menus

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the bar whose menu is open, or the number of the current row."""
        query, index = self.session.query, self.table.currentIndex()
        if query is None or self.message:
            return None
        if self._bar is not None:
            return bar_number(query, self._bar)
        if not index.isValid():
            return None
        return part_number(query, PartId(self.model.record(index)), index.column())

    def _fill_table_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        self._bar = None
        part = PartId(self.model.record(index)) if index.isValid() else None
        self._fill_menu(menu, part)

    def _leave_bar(self) -> None:
        """Explain numbers of the table again."""
        self._bar = None

    def _open_timeline_menu(self, part: PartId | None, position: QPoint) -> None:
        menu, self._bar = QMenu(self), part
        self.setFocus()  # the number to explain is one of this view
        self._fill_menu(menu, part)
        menu.addSeparator()
        self.panel.options.fill(menu)
        open_context_menu(menu, position)

    def _fill_menu(self, menu: QMenu, part: PartId | None) -> None:
        """Add what can be done with a part, or with the selected ones if it is one of them."""
        selected, hidden = self._selected_parts(), self.navigation.context.hidden_parts
        menu.setToolTipsVisible(True)
        if part is not None and part < self._own:
            chosen = selected if part in selected else [part]
            count = len(chosen)
            menu.addAction("Select &Only This Part", lambda: self.select_parts([part]))
            hide = menu.addAction("&Hide Part" if count == 1 else f"&Hide {count:,} Parts")
            hide.setToolTip("Leave these parts out of all views")
            hide.setEnabled(count < min(self.model.rowCount(), self._own))
            hide.triggered.connect(lambda: self.hide_parts(chosen))
            base = menu.addAction("Use as &Base")
            base.setToolTip("Compare the other parts with these, as two runs")
            base.setEnabled(self.session.comparing.can_compare_parts(chosen))
            base.triggered.connect(lambda: self.session.comparing.use_parts_as_base(chosen))
        if hidden:
            menu.addAction("Show Hi&dden Parts", self.show_hidden)
        menu.addAction("&All Parts", self.select_all)
        menu.addSeparator()
        self.menu_requested.emit(menu, NO_NODE)

    # ---------------------------------------------------------------- content

    def _on_changed(self, context: Context, change: Change) -> None:
        """Release the previous profile at once, even in an inactive view."""
        if change & Change.PROFILE:
            self.panel.clear()
        super()._on_changed(context, change)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the active function's costs in each part, and which parts are active."""
        context = query.context
        parts, event, own = query.profile.parts, context.event, query.own_part_count
        self._own = own
        if event is None or context.function == NO_NODE or len(parts) < 2:
            self.model.clear()
            self.panel.clear()
            if own == 1:
                self._explain_single_part()
            else:
                self.show_message(NO_FUNCTION_CHOSEN)
            return
        rows = part_rows(query, event)
        is_shown = _mask(len(parts), hidden=context.hidden_parts)
        format_ = query.cost_format(event)
        base = query.queries.total(event, query.own_parts).base  # of all parts, active or not
        whole = replace(format_, base=base)
        # each row is in percent of its part, which a part without a positive total has none of
        of_part = replace(format_, base=as_number(rows.total.max()))
        self._is_programmatic = True
        if change & Change.PROFILE:
            self.model.set_rows(rows, whole, of_part)
            chosen = {key: column[:own] for key, column in self.model.numbers.items()}
            self.choices.set_numbers(chosen)
        else:
            self.model.set_costs(rows, whole, of_part)
        self.model.set_filter(None if is_shown.all() else is_shown)
        self._select_active_rows(context)
        self._is_programmatic = False
        self.table.fit_numbers(only_wider=not change & (Change.PROFILE | Change.UNIT))
        can_compare = self.session.comparing.can_compare_parts(self._selected_parts())
        self.base_button.setVisible(can_compare)  # it takes room only where it is of use
        self._show_timeline(query, event, is_shown)
        self.missing_bar.show_query(query)
        status = _status_text(context, own, whole)
        if own < len(parts):
            status += f" The base has {whole.count_text(len(parts) - own)}."
        self.status_label.setText(status)
        self.show_content()

    def _explain_single_part(self) -> None:
        """Offer the other parts of the run, or else say how several are recorded."""
        run = self.session.run_files[0] if self.session.run_files else None
        if run is None or not run.others:
            self.show_message(_SINGLE_PART_TEXT)
            return
        one = "There is one other file"
        files = one if run.others == 1 else f"There are {run.others:,} other files"
        open_all = Remedy("Open All", self.session.open_run)
        self.show_message(_OTHER_FILES_TEXT.format(files), open_all)

    def _on_run_files_found(self) -> None:
        if self.message == _SINGLE_PART_TEXT:
            self._explain_single_part()

    def _select_active_rows(self, context: Context) -> None:
        """Select the rows of the active parts; none if all that are shown are active."""
        selection = QItemSelection()
        for first, last in self._active_ranges(context):
            selection.select(self.model.index(first, 0), self.model.index(last, 0))
        flags = _SELECT.ClearAndSelect | _SELECT.Rows
        self.table.selectionModel().select(selection, flags)

    def _active_ranges(self, context: Context) -> list[tuple[int, int]]:
        """Return the first and last row of each run of active parts; none if all are active."""
        order = np.asarray(self.model.order)
        is_active = np.isin(order, list(context.scope.parts or ()))
        if is_active[order < self._own].all():
            return []
        edges = np.flatnonzero(np.diff(is_active, prepend=False, append=False))
        return [(first, stop - 1) for first, stop in edges.reshape(-1, 2).tolist()]

    def _show_timeline(self, query: ViewQuery, event: EventType, is_shown: BoolArray) -> None:
        """Show the parts on the time line, by a counted event: ratios have no width."""
        measured = query.queries.measured_event(event)
        format_ = query.cost_format(measured)
        whole = replace(format_, base=query.queries.total(measured, query.own_parts).base)
        rows = self.model.rows if measured == event else part_rows(query, measured)
        base, active = query.context.base_parts, query.context.scope.parts
        numbers, sides = self.model.numbers, None
        if base is not None:
            active = None if active is None else active | base
            is_base = _mask(len(is_shown), active=base)
            sides = part_sides(numbers, is_base, query.own_part_count)
        is_active = _mask(len(is_shown), active=active)
        self.panel.show_parts(TimelineData(query, rows, numbers, is_shown, is_active, whole, sides))

    # ---------------------------------------------------------------- saved state

    def save_state(self) -> list[QByteArray]:
        options = QByteArray(self.panel.options.to_text().encode("utf-8"))
        return [options, *super().save_state()]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            self.panel.restore_options(bytes(states[0].data()).decode("utf-8", "replace"))
            super().restore_state(states[1:])


class _PartTable(RecordTable):
    menu_requested = Signal(object, object)  # QMenu, QPersistentModelIndex

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        self.menu_requested.emit(menu, index)


def part_rows(query: ViewQuery, event: EventType) -> PartRows:
    """Return the parts with the active function's costs."""
    queries, context = query.queries, query.context
    costs, events = queries.part_costs(context.function, context.scope), query.events
    return PartRows(
        query.profile.parts,
        events.evaluate(event, queries.part_totals),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
        costs.called,
        costs.is_active,
        _compared_parts(query),
        query.costs().has_call_counts,
    )


def _compared_parts(query: ViewQuery) -> frozenset[PartId]:
    """Return the parts that others are compared with."""
    return query.context.base_parts or frozenset()


def _mask(
    count: int,
    *,
    active: frozenset[PartId] | None = None,
    hidden: frozenset[PartId] = frozenset(),
) -> BoolArray:
    """Return which of the parts are active, all if `active` is None, and not hidden."""
    mask = np.full(count, active is None)
    mask[list(active or ())] = True
    mask[list(hidden)] = False
    return mask


def _status_text(context: Context, count: int, format_: CostFormat) -> str:
    if count == 1:  # which is shown while it is compared only
        return "The new side has one part."
    shown = count - len(context.hidden_parts)
    active = shown if context.scope.parts is None else len(context.scope.parts)
    hidden = f" {format_.count_text(count - shown)} hidden." if shown < count else ""
    if active == shown:
        text = f"All {format_.count_text(shown)} parts are active. Click or drag to select."
        return text + hidden
    of = f"{format_.count_text(active)} of {format_.count_text(shown)}"
    return f"{of} parts are active.{hidden}"
