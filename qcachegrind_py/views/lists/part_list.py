"""The Parts dock: a table and a time line that choose the active parts of the profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.parts import PartLabels, PartModel, PartRows
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_reasons import NO_FUNCTION_CHOSEN
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.common.view_query import ViewQuery, current_query

if TYPE_CHECKING:
    from qcachegrind_py.views.lists.part_timeline import PartTimeline

_SINGLE_PART_TEXT = (
    "The profile has one part.\nCallgrind writes several with --dump-every-bb=N,\n"
    "--separate-threads=yes or callgrind_control --dump."
)
_MAX_BUTTONS = 3  # for threads, and for processes; more would make the window wide
_TIMELINE_JOB = "timeline"
_SELECT = QItemSelectionModel.SelectionFlag


class PartList(ProfileView):
    """The parts of the profile. No selection means all parts (KCachegrind's rule)."""

    depends_on = ~(
        Change.SELECTION | Change.FILTER | Change.GROUPING | Change.NAMES | Change.code_changes()
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = PartModel(self)
        self.table = RecordTable(self.model, "Parts")
        self.table.sortByColumn(PartModel.NAME, Qt.SortOrder.AscendingOrder)
        self._is_programmatic = False  # whether the program changes the selection, not the user
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self.timeline: PartTimeline | None = None  # created when there are parts to show
        self._timeline_layout = QVBoxLayout()
        self._timeline_layout.setContentsMargins(0, 0, 0, 0)
        self.all_button = QToolButton()
        self.all_button.setText("&All Parts")
        self.all_button.setToolTip("Select all parts")
        self.all_button.clicked.connect(lambda: self.select_parts([]))
        self._button_row = QHBoxLayout()  # a button for each thread and process
        self._choice_actions: list[QAction] = []
        self.status_label = NoteLabel()
        self.set_content(self._create_content())
        self.initial_focus = self.table

    def _create_content(self) -> QWidget:
        content, row, timeline = QWidget(), QHBoxLayout(), QWidget()
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(2 * self.fontMetrics().horizontalAdvance("0"))
        row.addWidget(self.all_button)
        row.addLayout(self._button_row)
        row.addWidget(self.status_label, 1)
        timeline.setLayout(self._timeline_layout)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(timeline)
        both.addWidget(self.table)
        both.setSizes([1, 1])
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(both)
        return content

    def select_parts(self, parts: list[PartId]) -> None:
        """Make these parts active; all parts if the list is empty."""
        count = self.model.record_count
        chosen = frozenset(parts) if 0 < len(parts) < count else None
        scope = self.session.requested_scope
        if chosen != scope.parts:
            self.session.set_scope(replace(scope, parts=chosen))

    def _on_selected(self) -> None:
        if not self._is_programmatic:
            rows = self.table.selectionModel().selectedRows()
            self.select_parts([PartId(self.model.record(index)) for index in rows])

    # ---------------------------------------------------------------- content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the active function's costs in each part, and which parts are active."""
        context = query.context
        parts, event = query.profile.parts, context.event
        if event is None or context.function == NO_NODE or len(parts) < 2:
            self.model.clear()
            self.show_message(_SINGLE_PART_TEXT if len(parts) == 1 else NO_FUNCTION_CHOSEN)
            return
        rows = part_rows(query, event)
        format_ = query.cost_format(event)
        whole = replace(
            format_, base=query.queries.total(event).base
        )  # of all parts, active or not
        self._is_programmatic = True
        if change & Change.PROFILE:
            self.model.set_rows(rows, whole, format_)
            self._rebuild_choices()
        else:
            self.model.set_costs(rows, whole, format_)
        self._select_active_rows(context)
        self._is_programmatic = False
        self.table.fit_numbers(only_wider=not change & (Change.PROFILE | Change.UNIT))
        self._show_timeline(rows, context)
        active = len(parts) if context.scope.parts is None else len(context.scope.parts)
        self.status_label.setText(_status_text(active, len(parts), whole))
        self.show_content()

    def _select_active_rows(self, context: Context) -> None:
        """Select the rows of the active parts; none if all parts are active."""
        selection = QItemSelection()
        for first, last in self._active_ranges(context.scope.parts):
            selection.select(self.model.index(first, 0), self.model.index(last, 0))
        flags = _SELECT.ClearAndSelect | _SELECT.Rows
        self.table.selectionModel().select(selection, flags)

    def _active_ranges(self, active: Parts) -> list[tuple[int, int]]:
        """Return the first and last row of each run of active parts; none if all are active."""
        is_active = np.isin(self.model.order, list(active or ()))
        edges = np.flatnonzero(np.diff(is_active, prepend=False, append=False))
        return [(first, stop - 1) for first, stop in edges.reshape(-1, 2).tolist()]

    def _show_timeline(self, rows: PartRows, context: Context) -> None:
        if self.timeline is None:
            self._make_timeline()
            return
        active = context.scope.parts
        names = PartLabels(rows.parts)
        self.timeline.set_parts(
            names,
            _as_floats(rows.self_cost),
            _as_floats(rows.inclusive),
            _as_floats(rows.total),
            active,
        )

    def _make_timeline(self) -> None:
        """Start creating the time line; its import takes 0.3 s, so a job does it."""
        if not self.session.jobs.is_running(_TIMELINE_JOB):
            job = self.session.jobs.start(_TIMELINE_JOB, import_timeline)
            job.finished.connect(self._add_timeline)

    def _add_timeline(self, kind: type[PartTimeline]) -> None:
        self.timeline = kind()
        self.timeline.parts_selected.connect(self.select_parts)
        self._timeline_layout.addWidget(self.timeline)
        query = current_query(self.session)
        if query is not None:
            self.refresh(query, Change.UNIT)

    def _rebuild_choices(self) -> None:
        """Add a button for each thread and process if there are several."""
        while (item := self._button_row.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.deleteLater()
        for action in self._choice_actions:
            action.deleteLater()
        self._choice_actions.clear()
        for title, key in {"Thread": "thread", "Process": "pid"}.items():
            numbers = self.model.numbers[key]
            by_number = np.argsort(numbers, kind="stable")
            values, starts = np.unique(numbers[by_number], return_index=True)
            if len(values) > 1:
                rows = map(np.ndarray.tolist, np.split(by_number, starts[1:]))
                self._add_choices(title, dict(zip(values.tolist(), rows, strict=True)))

    def _add_choices(self, title: str, rows: dict[int, list[int]]) -> None:
        """Add buttons for the first choices and a menu for the rest."""
        texts = [f"{title} {number}" if number else f"No {title}" for number in rows]
        actions = [QAction(text, self) for text in texts]
        self._choice_actions += actions
        for action, chosen in zip(actions, rows.values(), strict=True):
            action.setToolTip(f"Select the parts of {action.text()}")
            action.triggered.connect(
                lambda _checked=False, chosen=chosen: self.select_parts(chosen)
            )
        for action in actions[:_MAX_BUTTONS]:
            button = QToolButton()
            button.setDefaultAction(action)
            self._button_row.addWidget(button)
        if len(actions) > _MAX_BUTTONS:
            button = QToolButton()
            button.setText(f"More {title}s")
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setMenu(QMenu(button))
            button.menu().addActions(actions[_MAX_BUTTONS:])
            self._button_row.addWidget(button)


def import_timeline(_progress: Progress) -> type[PartTimeline]:
    """Return the class of the time line; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.lists.part_timeline import PartTimeline

    return PartTimeline


def part_rows(query: ViewQuery, event: EventType) -> PartRows:
    """Return the parts with the active function's costs."""
    queries, context = query.queries, query.context
    costs, events = queries.part_costs(context.function, context.scope), query.events
    return PartRows(
        query.profile.parts,
        events.evaluate(event, queries.part_totals()),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
        costs.called,
        costs.is_active,
    )


def _as_floats(costs: CostArray) -> Float64Array:
    """Convert costs to float64, which is precise enough for pixels; NaN becomes 0."""
    floats: Float64Array = np.nan_to_num(np.asarray(costs, np.float64))
    return floats


def _status_text(active: int, count: int, format_: CostFormat) -> str:
    if active == count:
        return f"All {format_.count_text(count)} parts are active. Click or drag to select."
    return f"{format_.count_text(active)} of {format_.count_text(count)} parts are active."
