"""What source and assembler share: a job reads the code, the one before stays, greyed, until then.

Above the code stand a search and what the subclass adds, and a strip where something is missing;
beside it where in all of it the cost is; below it where the text comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.code.records import CodeCosts, CodeRows
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_table import CodePanel, CodeTable
from qcachegrind_py.views.code.missing_file_bar import MissingFileBar
from qcachegrind_py.views.common.context_formats import call_format
from qcachegrind_py.views.common.job_view import JobView
from qcachegrind_py.views.common.profile_view import NoteLabel
from qcachegrind_py.views.common.search_edit import FindEdit

_CODE_CHANGES = Change.PROFILE | Change.FUNCTION | Change.SCOPE | Change.ANNOTATION | Change.NAMES
_MAX_TARGETS = 10  # of jumps, in a menu
_COST_CHANGES = Change.EVENT | Change.UNIT | Change.NUMBERS


@dataclass(frozen=True, slots=True)
class _ScrollState:
    """Where the user is in the code, by lines: rows are others after it was read again."""

    current: Position | None
    visible: Position | None
    top: int  # pixels from the top at which that line stands


class CodeView(JobView):
    """Subclasses read the code in a job, and show it."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.FILTER)
    invalidated_by = Change.PROFILE
    sets_initial_position = False  # whether the others follow when a function is shown first
    editor_requested = Signal(
        object, object
    )  # Path, int: the user wants to edit the file at the line

    def __init__(
        self,
        session: Session,
        title: str,
        model: CodeModel,
        text_column: int,
    ) -> None:
        super().__init__(session, title)
        self.model = model
        model.setParent(self)
        self.table = CodeTable(model, text_column, title)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.record_selected.connect(self._publish_position)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_notes())
        self.table.record_activated.connect(self._follow_jump)
        self.table.record_menu_requested.connect(self.fill_record_menu)
        self.missing_file_bar = MissingFileBar()
        self.note = NoteLabel()
        self._notes: list[str] = []  # of the code, whatever is current in it
        self.panel = CodePanel(self.table, model)
        self.match_label = QLabel()
        self.search = FindEdit(f"Find in {title.lower()}")
        self.search.textChanged.connect(lambda: self._apply_search())
        self.search.returnPressed.connect(lambda: self.show_next_match())
        self._matches = np.empty(0, np.int64)  # the records that the search found, in their order
        self._shown_code: object = None  # what is asked for again is where the user left it

    def arrange(self, first: Sequence[QWidget], actions: Sequence[QAction]) -> None:
        """Put header, strip, code and note together."""
        header = QHBoxLayout()
        header.setContentsMargins(4, 2, 4, 2)
        header.setSpacing(2)
        for widget in first:
            header.addWidget(widget)
        header.addWidget(self.search, 1)
        header.addWidget(self.match_label)
        for action in actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAutoRaise(True)
            header.addWidget(button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(self.missing_file_bar)
        column.addWidget(self.panel, 1)
        column.addWidget(self.note)
        self.set_content(content)
        self.initial_focus = self.table

    # ---------------------------------------------------------------- for the subclasses

    def missing_code_reason(self, queries: ProfileQueries, context: Context) -> str:
        """Why there is none; empty where there may be."""
        raise NotImplementedError

    def loading_job(self, queries: ProfileQueries, context: Context) -> Callable[..., object]:
        """The job that reads the code."""
        raise NotImplementedError

    def show_code(self, result: Any, queries: ProfileQueries, context: Context) -> None:
        """Show what the job read."""
        raise NotImplementedError

    def show_costs(self, queries: ProfileQueries, context: Context) -> None:
        """The same code with the costs of another event."""
        raise NotImplementedError

    def content_inputs(self, context: Context) -> object:
        """What the code depends on: other code is not shown any more."""
        return context.profile, context.scope, context.function, context.files, context.annotation

    def position_of(self, record: int) -> Position:
        """The line or instruction of a record."""
        raise NotImplementedError

    def records_at(self, position: Position) -> BoolArray:
        """The records of a line or instruction."""
        raise NotImplementedError

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        """Offer what can be done with a line or an instruction: go where it jumps to."""
        for number, target in enumerate(self._jump_targets(record)[:_MAX_TARGETS]):
            mark = "&" if not number else ""
            text = f"Go to Jump {mark}Target {self.model.location_text(target)}"
            menu.addAction(text, partial(self._go_to, target))

    @staticmethod
    def cost_formats(
        queries: ProfileQueries, context: Context, function: FunctionId
    ) -> tuple[CostFormat, CostFormat]:
        """How the costs of both events in a function are written."""
        first = call_format(queries, context, context.event, function)
        return first, call_format(queries, context, context.second_event, function)

    @staticmethod
    def row_costs(
        rows: CodeRows,
        costs: LineCosts | InstructionCosts,
        queries: ProfileQueries,
        context: Context,
    ) -> tuple[CodeCosts, CodeCosts]:
        """The costs of the rows in both events."""
        events, own, inclusive = queries.events, costs.self_cost, costs.inclusive
        first = rows.costs(events, context.event, own, inclusive)
        return first, rows.costs(events, context.second_event, own, inclusive)

    # ---------------------------------------------------------------- following the context

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Read the code of the active function, or show what is there otherwise."""
        self.model.highlight(context.selected)
        if change & _CODE_CHANGES:
            self._reload(queries, context)
        elif change & _COST_CHANGES and not self.message:
            self.show_costs(queries, context)
            self._fit_columns(context)
            self.panel.update_ruler()
        if change & Change.POSITION:
            self._show_position(context)

    def _reload(self, queries: ProfileQueries, context: Context) -> None:
        message = self.missing_code_reason(queries, context)
        if message:
            self.show_placeholder(message)
        else:
            self.start_job(self.loading_job(queries, context), self._show_loaded)

    def _show_loaded(self, result: object) -> None:
        """Show what was read with the costs that are wanted now, which may be others."""
        if self.session.queries is not None:
            self.show_code(result, self.session.queries, self.navigation.context)

    def cancel_job(self) -> None:
        super().cancel_job()
        self.set_stale(False)

    def set_stale(self, stale: bool) -> None:
        self.table.set_stale(stale)

    def clear(self) -> None:
        self.model.clear()
        self._matches = self._matches[:0]
        self.set_notes([])
        self.missing_file_bar.show_problem(None)
        self._shown_code = None

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        context = self.navigation.context
        shown = context.profile, context.function, self.code_identity()
        place = self._scroll_state() if shown == self._shown_code else None
        super().show_result(result, show)
        self._shown_code = shown
        self._fit_columns(context)
        self._restore_scroll_state(place, context)
        self._apply_search()

    def _fit_columns(self, context: Context) -> None:
        of_second = self.model.SECOND_SELF, self.model.SECOND_INCLUSIVE
        self.table.show_columns(of_second, context.second_event is not None)
        self.table.fit_code()

    def code_identity(self) -> object:
        """Which code of the function is shown, where there are several."""
        return None

    # ---------------------------------------------------------------- place and position

    def _scroll_state(self) -> _ScrollState:
        """Where the user is: the current line, one that is in sight, and where that stands."""
        current, (seen, top) = self.table.current_record(), self.table.visible_anchor()
        return _ScrollState(
            self.position_of(current) if current >= 0 else None,
            self.position_of(seen) if seen >= 0 else None,
            top,
        )

    def _restore_scroll_state(self, state: _ScrollState | None, context: Context) -> None:
        """Where the user was; else what is marked elsewhere; else the costliest line."""
        if state is not None:
            if state.current is not None:
                self._select_costliest(self.records_at(state.current))
            if state.visible is not None and (seen := self.records_at(state.visible)).any():
                self.table.scroll_record_to(int(np.flatnonzero(seen)[0]), state.top)
        elif context.position is None or not self._select_costliest(
            self.records_at(context.position), center=True
        ):
            hot = self.table.costliest_records()
            if hot:
                self.table.go_to_record(hot[0], center=True)
                if self.sets_initial_position and context.position is None:
                    self._publish_position(hot[0])  # so that the others light what belongs to it
            else:
                self.table.go_to_first_cost()
        self._show_position(context)

    def _select_costliest(self, matched: BoolArray, *, center: bool = False) -> bool:
        """Make the costliest of these records the current one; whether there is one."""
        records = np.flatnonzero(matched)
        if len(records):
            costs = self.model.first_costs.inclusive[records]
            self.table.go_to_record(int(records[costs.argmax()]), center=center)
        return bool(len(records))

    def _show_position(self, context: Context) -> None:
        position = context.position
        if position is None:
            self.model.set_position(np.zeros(len(self.model.rows.records), bool))
            return
        matched = self.records_at(position)
        self.model.set_position(matched)
        current = self.table.current_record()
        if matched.any() and not (current >= 0 and matched[current]):
            self._select_costliest(matched)

    def _jump_targets(self, record: int) -> list[int]:
        """The records that a record jumps to, each once, the most frequent first."""
        records = self.model.rows.records
        arrows = records.arrows
        jumps = np.flatnonzero(arrows.source == records.location[record])
        order = np.argsort(-arrows.followed[jumps], kind="stable")
        targets: list[int] = records.record_of_location[arrows.target[jumps[order]]].tolist()
        return list(dict.fromkeys(targets))

    def _follow_jump(self, record: int) -> None:
        """Go where a line or instruction jumps to, if that is within the code."""
        for target in self._jump_targets(record)[:1]:
            self._go_to(target)

    def _go_to(self, record: int) -> None:
        self.table.go_to_record(record)
        self._publish_position(record)

    def _publish_position(self, record: int) -> None:
        if record >= 0:
            self.navigation.set(position=self.position_of(record))

    # ---------------------------------------------------------------- notes and search

    def set_notes(self, notes: list[str]) -> None:
        """Say below the code where it is from."""
        self._notes = notes
        self._show_notes()

    def _show_notes(self) -> None:
        """What is known of the jumps of the current line comes before what is said of all code."""
        record = self.table.current_record()
        jumps = self.model.jump_texts(record) if record >= 0 else []
        self.note.setText(" · ".join([*jumps, *self._notes]))

    def _apply_search(self) -> None:
        """Light up what the search finds, and say how much it is."""
        text = self.search.text()
        self._matches = np.array(self.model.containing(text) if text else [], np.int64)
        self.table.highlight_text(text)
        said = f"{len(self._matches)} found" if len(self._matches) else "not found"
        self.match_label.setText(said if text else "")

    def show_next_match(self, step: int = 1) -> None:
        """Go to the next of what the search found, or the one before."""
        matches = self._matches
        if not len(matches):
            return
        current = self.table.current_record()
        if step > 0:
            at = int(np.searchsorted(matches, current, side="right"))
        else:
            at = int(np.searchsorted(matches, current, side="left")) - 1
        at %= len(matches)
        self._go_to(int(matches[at]))
        self.table.scroll_to_match()
        self.match_label.setText(f"{at + 1} of {len(matches)}")
