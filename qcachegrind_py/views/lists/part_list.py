"""The parts: as a table and as a time line. Those chosen are active, and every view follows."""

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

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.parts import PartModel, PartRows, part_labels
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.profile.profile import Part, process_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.empty_reasons import NO_FUNCTION_CHOSEN
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import RecordTable

if TYPE_CHECKING:
    from qcachegrind_py.views.lists.part_timeline import PartTimeline

_SINGLE_PART_TEXT = (
    "The profile has one part.\nCallgrind writes several with --dump-every-bb=N,\n"
    "--separate-threads=yes, or when callgrind_control --dump asks for one."
)
_MAX_BUTTONS = 3  # for threads, and for processes; more would make the window wide
_TIMELINE_JOB = "timeline"
_SELECT = QItemSelectionModel.SelectionFlag


class PartList(ProfileView):
    """No choice means all parts (KCachegrind's rule)."""

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
        self.timeline: PartTimeline | None = None  # made when there is something to see
        self._timeline_layout = QVBoxLayout()
        self._timeline_layout.setContentsMargins(0, 0, 0, 0)
        self.all_button = QToolButton(autoRaise=True)
        self.all_button.setText("&All Parts")
        self.all_button.setToolTip("Look at all parts again")
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
        """Look at these parts; at all where there are none."""
        count = self.model.record_count
        chosen = frozenset(parts) if 0 < len(parts) < count else None
        scope = self.session.requested_scope
        if chosen != scope.parts:
            self.session.set_scope(replace(scope, parts=chosen))

    def _on_selected(self) -> None:
        if not self._is_programmatic:
            rows = self.table.selectionModel().selectedRows()
            self.select_parts([PartId(self.model.record(index)) for index in rows])

    # ---------------------------------------------------------------- what is shown

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show the active function's costs in each part, and which parts are active."""
        parts, event = queries.profile.parts, context.event
        if event is None or context.function == NO_NODE or len(parts) < 2:
            self.model.clear()
            self.show_message(_SINGLE_PART_TEXT if len(parts) == 1 else NO_FUNCTION_CHOSEN)
            return
        rows = part_rows(queries, context, event)
        format_ = cost_format(queries, context, event)
        whole = replace(format_, base=queries.total(event).base)  # active or not
        self._is_programmatic = True
        if change & Change.PROFILE:
            self.model.set_rows(rows, whole, format_)
            self._rebuild_choices(parts)
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
        """Select the rows of the active parts; none where all are active."""
        selection = QItemSelection()
        for part in sorted(context.scope.parts or ()):
            index = self.model.index_of_record(part)
            selection.select(index, index)
        flags = _SELECT.ClearAndSelect | _SELECT.Rows
        self.table.selectionModel().select(selection, flags)

    def _show_timeline(self, rows: PartRows, context: Context) -> None:
        if self.timeline is None:
            self._make_timeline()
            return
        active = context.scope.parts
        names = part_labels(rows.parts)
        self.timeline.set_parts(
            names,
            _as_floats(rows.self_cost),
            _as_floats(rows.inclusive),
            _as_floats(rows.total),
            active,
        )

    def _make_timeline(self) -> None:
        """Its import takes 0.3 s, so it happens in a job."""
        if not self.session.jobs.is_running(_TIMELINE_JOB):
            job = self.session.jobs.start(_TIMELINE_JOB, import_timeline)
            job.finished.connect(self._add_timeline)

    def _add_timeline(self, kind: type[PartTimeline]) -> None:
        self.timeline = kind()
        self.timeline.parts_selected.connect(self.select_parts)
        self._timeline_layout.addWidget(self.timeline)
        if self.session.queries is not None:
            self.refresh(self.session.queries, self.navigation.context, Change.UNIT)

    def _rebuild_choices(self, parts: tuple[Part, ...]) -> None:
        """A button for each thread and each process, where there are several."""
        while (item := self._button_row.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.deleteLater()
        for action in self._choice_actions:
            action.deleteLater()
        self._choice_actions.clear()
        kinds = {"Thread": [part.thread for part in parts], "Process": process_ids(parts)}
        for title, numbers in kinds.items():
            rows: dict[int, list[int]] = {}
            for row, number in enumerate(numbers):
                rows.setdefault(number, []).append(row)
            if len(rows) > 1:
                self._add_choices(title, dict(sorted(rows.items())))

    def _add_choices(self, title: str, rows: dict[int, list[int]]) -> None:
        """Few have a button each; the others are in a menu behind these."""
        texts = [f"{title} {number}" if number else f"No {title}" for number in rows]
        actions = [QAction(text, self) for text in texts]
        self._choice_actions += actions
        for action, chosen in zip(actions, rows.values(), strict=True):
            action.setToolTip(f"Look at the parts of {action.text()}")
            action.triggered.connect(
                lambda _checked=False, chosen=chosen: self.select_parts(chosen)
            )
        for action in actions[:_MAX_BUTTONS]:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(action)
            self._button_row.addWidget(button)
        if len(actions) > _MAX_BUTTONS:
            button = QToolButton(autoRaise=True)
            button.setText(f"More {title}s")
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setMenu(QMenu(button))
            button.menu().addActions(actions[_MAX_BUTTONS:])
            self._button_row.addWidget(button)


def import_timeline(_progress: Progress) -> type[PartTimeline]:
    """The class of the time line."""
    from qcachegrind_py.views.lists.part_timeline import PartTimeline

    return PartTimeline


def part_rows(queries: ProfileQueries, context: Context, event: EventType) -> PartRows:
    """The parts with the costs of the active function."""
    costs, events = queries.part_costs(context.function, context.scope), queries.events
    return PartRows(
        queries.profile.parts,
        events.evaluate(event, queries.part_totals()),
        events.evaluate(event, costs.inclusive),
        events.evaluate(event, costs.self_cost),
        costs.called,
    )


def _as_floats(costs: CostArray) -> Float64Array:
    """For the picture, which has no more digits than pixels."""
    floats: Float64Array = np.nan_to_num(np.asarray(costs, np.float64))
    return floats


def _status_text(active: int, count: int, format_: CostFormat) -> str:
    if active == count:
        return f"All {format_.count_text(count)} parts are active. Click or drag to choose."
    return f"{format_.count_text(active)} of {format_.count_text(count)} parts are active."
