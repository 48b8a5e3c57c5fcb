"""The Parts dock: a table and a timeline that choose the active parts of the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QToolButton, QWidget

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.present.context import Change, Context, PartChoice
from qcachegrind_py.present.number_request import percentage_rule
from qcachegrind_py.present.parts import (
    NO_PARTS,
    PartCosts,
    PartNumbers,
    part_costs,
    part_numbers,
    part_sides,
    part_table,
)
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.parts.timeline_panel import TimelineData, TimelinePanel
from qcachegrind_py.views.profile_view import ProfileView, header_row, stacked
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.controls import (
    NoteLabel,
    open_context_menu,
    text_button,
    tip_text,
)
from qcachegrind_py.views.widgets.empty_page import NO_FUNCTION_CHOSEN, Remedy
from qcachegrind_py.views.widgets.grid import grid

_MAX_BUTTONS = 3  # for threads, and for processes; more would make the window wide


class ChoiceButtons(QWidget):
    """A button for each thread and process, if there are several; further ones are in a menu."""

    parts_chosen = Signal(object)  # list[PartId]

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(grid(0.5))
        self._actions: list[QAction] = []

    def set_numbers(self, numbers: PartNumbers) -> None:
        """Offer the threads and processes of parts, which have these numbers."""
        while (item := self._row.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.deleteLater()
        for action in self._actions:
            action.deleteLater()
        self._actions.clear()
        for title, column in {"Thread": numbers.thread, "Process": numbers.pid}.items():
            by_number = np.argsort(column, kind="stable")
            values, starts = np.unique(column[by_number], return_index=True)
            if len(values) > 1:
                parts = map(np.ndarray.tolist, np.split(by_number, starts[1:]))
                names = numbers.threads if title == "Thread" else {}
                self._add_choices(title, dict(zip(values.tolist(), parts, strict=True)), names)

    def _add_choices(
        self, title: str, parts: dict[int, list[int]], names: Mapping[int, str]
    ) -> None:
        """Add buttons for the first choices and a menu for the rest."""
        texts = [
            names.get(number) or (f"{title} {number}" if number else f"No {title}")
            for number in parts
        ]
        actions = [QAction(short_text(text).replace("&", "&&"), self) for text in texts]
        self._actions += actions
        for action, text, chosen in zip(actions, texts, parts.values(), strict=True):
            action.setToolTip(tip_text(f"Select the parts of {text}"))
            action.triggered.connect(
                lambda _checked=False, chosen=chosen: self.parts_chosen.emit(chosen)
            )
        count = len(actions) if len(actions) == _MAX_BUTTONS + 1 else _MAX_BUTTONS
        for action in actions[:count]:
            button = QToolButton()
            button.setDefaultAction(action)
            self._row.addWidget(button)
        if len(actions) > count:
            button = QToolButton()
            button.setText(f"More {plural(2, title)}")
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setMenu(QMenu(button))
            button.menu().addActions(actions[count:])
            self._row.addWidget(button)


class MissingFunctionBar(QWidget):
    """Visible while the active function has neither cost nor calls in the active parts."""

    function_activated = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._hottest = NO_NODE
        self.label = NoteLabel()
        self.button = text_button("", "", lambda: self.function_activated.emit(self._hottest))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_query(self, query: ViewQuery) -> None:
        """Look whether the active function is in the active parts."""
        context = query.context
        is_missing = context.scope.parts is not None and not _occurs(query)
        self._hottest = query.hottest_function() if is_missing else NO_NODE
        self.setVisible(self._hottest != NO_NODE)
        if self._hottest == NO_NODE or context.event is None:
            return
        labels, event = query.labels(), query.queries.measured_event(context.event)
        parts = "part" if len(context.scope.parts or ()) == 1 else "parts"
        missing, hottest = (labels.name(node) for node in (context.function, self._hottest))
        self.label.setText(f"{short_text(missing)} is not in the selected {parts}.")
        self_cost = query.node_costs(event, self._hottest)[1]
        share = query.unit(event).with_unit(self_cost)
        self.button.setText(f"Go to {short_text(hottest)}".replace("&", "&&"))
        self.button.setToolTip(
            tip_text(f"The hottest function of the selected {parts}: {hottest}", f"Self: {share}")
        )


def _occurs(query: ViewQuery) -> bool:
    """Whether the active function has cost or calls, running ones too, in the active parts."""
    costs, node = query.costs(), query.context.function
    columns = costs.self_cost[:, node], costs.inclusive[:, node], costs.called[node]
    return bool(costs.is_active[node]) or any(column.any() for column in columns)


_KINDS = {"inclusive": NumberKind.INCLUSIVE, "self": NumberKind.SELF, "called": NumberKind.CALLED}


def part_number(query: ViewQuery, part: PartId, column: str) -> NumberRequest:
    """Return the cost of a part, or what the active function has of it, by the key of the column.

    Cycles are those of the active parts, as in the list.
    """
    whole = NumberKey(NumberKind.TOTAL, NO_NODE)
    kind, scope = _KINDS.get(column), part_scope(query, part)
    if kind is None:
        rule = replace(percentage_rule(query, query.own_parts), is_of_base=False)
        return NumberRequest(whole, None, scope, rule)
    rule = percentage_rule(query, scope.parts, whole, BaseReason.PART)
    key = NumberKey(kind, query.context.function)
    return NumberRequest(key, None, scope, replace(rule, is_of_base=False))


def bar_number(query: ViewQuery, part: PartId) -> NumberRequest:
    """Return the cost of a part that its bar is as wide as: that of a counted event."""
    event = query.context.event
    measured = None if event is None else query.queries.measured_event(event)
    return replace(part_number(query, part, "total"), event=measured)


def part_scope(query: ViewQuery, part: PartId) -> Scope:
    scope = query.context.scope
    active = scope.frame if scope.frame is not None else scope.parts
    every = frozenset(map(PartId, range(len(query.profile.parts))))
    return replace(scope, parts=frozenset({part}), frame=every if active is None else active)


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
    keeps_room = True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = TableModel(NO_PARTS, self)
        self._numbers = part_numbers(())
        self.table = RecordTable(self.model, "Parts")
        self.table.sortByColumn(self.model.place("name"), Qt.SortOrder.AscendingOrder)
        self.table.setMinimumHeight(_MIN_TABLE_LINES * self.fontMetrics().height())
        self._bar: PartId | None = None  # of the timeline, whose menu was opened last
        self._own = 0  # parts of the open profile; those after them are of its base
        self._is_programmatic = False  # whether the program changes the selection, not the user
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self.table.row_menu_requested.connect(self._fill_table_menu)
        self.table.selectionModel().currentChanged.connect(lambda *_: self._leave_bar())
        self.panel = TimelinePanel(session)
        self.panel.parts_selected.connect(self.select_parts)
        self.panel.menu_requested.connect(self._open_timeline_menu)
        self.all_button = text_button(
            "&All Parts", "Select all parts, also the hidden ones", self.select_all
        )
        tip = "Compare the other parts with the selected ones, as two runs"
        self.base_button = text_button("&Use as Base", tip, self._use_as_base)
        self.base_button.hide()
        self.choices = ChoiceButtons()
        self.choices.parts_chosen.connect(self.select_parts)
        self.status_label = NoteLabel()
        self.missing_bar = MissingFunctionBar()
        self.missing_bar.function_activated.connect(self._activate)
        self.set_content(self._create_content(), self.table)
        session.run_files_found.connect(self._on_run_files_found)

    def _create_content(self) -> QWidget:
        controls = self.all_button, self.choices, self.base_button, self.status_label
        row = header_row(*controls, most=self.status_label)
        row.addWidget(self.missing_bar, 1)  # in the place of the status: nothing moves
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.panel)
        both.addWidget(self.table)
        both.setSizes([_HALF, _HALF])
        return stacked(QWidget(), row, both, most=both)

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
        return part_number(query, PartId(self.model.record(index)), self.table.current_key())

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
        costs = part_costs(query, event)
        is_shown = _mask(len(parts), hidden=context.hidden_parts)
        self._is_programmatic = True
        if change & Change.PROFILE:
            self._numbers = part_numbers(parts)
            self.model.show(part_table(costs, self._numbers))
            self.choices.set_numbers(self._numbers.first(own))
        else:
            self.model.show_numbers(part_table(costs, self._numbers))
        self.model.set_filter(None if is_shown.all() else is_shown)
        self._select_active_rows(context)
        self._is_programmatic = False
        self.table.fit_numbers(only_wider=not change & (Change.PROFILE | Change.UNIT))
        can_compare = self.session.comparing.can_compare_parts(self._selected_parts())
        self.base_button.setVisible(can_compare)  # it takes room only where it is of use
        self._show_timeline(query, event, costs, is_shown)
        self.missing_bar.show_query(query)
        self.status_label.setVisible(self.missing_bar.isHidden())
        status = _status_text(context, own)
        if own < len(parts):
            status += f" The base has {format_count(len(parts) - own, context.numbers)}."
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

    def _show_timeline(
        self, query: ViewQuery, event: EventType, costs: PartCosts, is_shown: BoolArray
    ) -> None:
        """Show the parts on the timeline, by a counted event: ratios have no width."""
        measured = query.queries.measured_event(event)
        if measured != event:
            costs = part_costs(query, measured)
        base, active = query.context.base_parts, query.context.scope.parts
        numbers, sides = self._numbers, None
        if base is not None:
            active = None if active is None else active | base
            is_base = _mask(len(is_shown), active=base)
            sides = part_sides(numbers, is_base, query.own_part_count)
        is_active = _mask(len(is_shown), active=active)
        self.panel.show_parts(TimelineData(query, costs, numbers, is_shown, is_active, sides))

    # ---------------------------------------------------------------- saved state

    def save_state(self) -> list[QByteArray]:
        options = QByteArray(self.panel.options.to_text().encode("utf-8"))
        return [options, *super().save_state()]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            self.panel.restore_options(bytes(states[0].data()).decode("utf-8", "replace"))
            super().restore_state(states[1:])


def _mask(
    count: int, *, active: frozenset[PartId] | None = None, hidden: frozenset[PartId] = frozenset()
) -> BoolArray:
    """Return which of the parts are active, all if `active` is None, and not hidden."""
    mask = np.full(count, active is None)
    mask[list(active or ())] = True
    mask[list(hidden)] = False
    return mask


def _status_text(context: Context, count: int) -> str:
    if count == 1:  # which is shown while it is compared only
        return "The new side has one part."
    style, shown = context.numbers, count - len(context.hidden_parts)
    active = shown if context.scope.parts is None else len(context.scope.parts)
    hidden = f" {format_count(count - shown, style)} hidden." if shown < count else ""
    if active == shown:
        text = f"All {format_count(shown, style)} parts are active. Click or drag to select."
        return text + hidden
    of = f"{format_count(active, style)} of {format_count(shown, style)}"
    return f"{of} parts are active.{hidden}"
