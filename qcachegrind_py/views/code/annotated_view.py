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
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_table import CodeBody, CodeList
from qcachegrind_py.views.code.missing_file_bar import ProblemStrip
from qcachegrind_py.views.common.context_formats import call_format
from qcachegrind_py.views.common.job_view import JobView
from qcachegrind_py.views.common.profile_view import NoteLabel
from qcachegrind_py.views.common.search_edit import FindEdit

_CODE = Change.PROFILE | Change.FUNCTION | Change.SCOPE | Change.ANNOTATION | Change.NAMES
_TARGETS = 10  # of jumps, in a menu
_COSTS = Change.EVENT | Change.UNIT | Change.NUMBERS


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the user is in the code, by lines: rows are others after it was read again."""

    current: Position | None
    seen: Position | None
    top: int  # pixels from the top at which that line stands


class CodeView(JobView):
    """Subclasses read the code in a job, and show it."""

    concerns = ~(Change.EVENTS | Change.GROUPING | Change.FILTER)
    numbered_by = Change.PROFILE
    leads = False  # whether the others follow when a function is shown first
    wanted_editor = Signal(object, object)  # Path, int: the user wants to edit the file at the line

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        title: str,
        model: CodeModel,
        text_column: int,
    ) -> None:
        super().__init__(session, navigation, title)
        self.model = model
        model.setParent(self)
        self.table = CodeList(model, text_column, title)
        self.follow_user(self.table)
        self.table.wanted_menu.connect(self.wanted_menu)
        self.table.chosen_record.connect(self._take_position)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_notes())
        self.table.activated_record.connect(self._follow_jump)
        self.table.add_to_menu = self.add_to_menu
        self.strip = ProblemStrip()
        self.note = NoteLabel()
        self._notes: list[str] = []  # of the code, whatever is current in it
        self.body = CodeBody(self.table, model)
        self.found = QLabel()
        self.search = FindEdit(f"Find in {title.lower()}")
        self.search.textChanged.connect(lambda: self._search())
        self.search.returnPressed.connect(lambda: self.show_next())
        self._matches = np.empty(0, np.int64)  # the records that the search found, in their order
        self._shown: object = None  # what is asked for again is where the user left it

    def arrange(self, first: Sequence[QWidget], actions: Sequence[QAction]) -> None:
        """Put header, strip, code and note together."""
        header = QHBoxLayout()
        header.setContentsMargins(4, 2, 4, 2)
        header.setSpacing(2)
        for widget in first:
            header.addWidget(widget)
        header.addWidget(self.search, 1)
        header.addWidget(self.found)
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
        column.addWidget(self.strip)
        column.addWidget(self.body, 1)
        column.addWidget(self.note)
        self.set_content(content)
        self.first = self.table

    # ---------------------------------------------------------------- for the subclasses

    def why_no_code(self, queries: ProfileQueries, context: Context) -> str:
        """Why there is none; empty where there may be."""
        raise NotImplementedError

    def read(self, queries: ProfileQueries, context: Context) -> Callable[..., object]:
        """The job that reads the code."""
        raise NotImplementedError

    def take(self, result: Any, queries: ProfileQueries, context: Context) -> None:
        """Show what the job read."""
        raise NotImplementedError

    def take_costs(self, queries: ProfileQueries, context: Context) -> None:
        """The same code with the costs of another event."""
        raise NotImplementedError

    def asked_for(self, context: Context) -> object:
        """What the code depends on: other code is not shown any more."""
        return context.profile, context.scope, context.function, context.files, context.annotation

    def place_of(self, record: int) -> Position:
        """The line or instruction of a record."""
        raise NotImplementedError

    def at_position(self, position: Position) -> BoolArray:
        """The records of a line or instruction."""
        raise NotImplementedError

    def add_to_menu(self, menu: QMenu, record: int) -> None:
        """Offer what can be done with a line or an instruction: go where it jumps to."""
        for number, target in enumerate(self._jump_targets(record)[:_TARGETS]):
            mark = "&" if not number else ""
            text = f"Go to Jump {mark}Target {self.model.location_text(target)}"
            menu.addAction(text, partial(self._go_to, target))

    @staticmethod
    def formats(
        queries: ProfileQueries, context: Context, function: int
    ) -> tuple[CostFormat, CostFormat]:
        """How the costs of both events in a function are written."""
        first = call_format(queries, context, context.event, function)
        return first, call_format(queries, context, context.second_event, function)

    @staticmethod
    def costs_of(
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
        if change & _CODE:
            self._read_anew(queries, context)
        elif change & _COSTS and not self.message:
            self.take_costs(queries, context)
            self._fit_columns(context)
            self.body.show_heat()
        if change & Change.POSITION:
            self._show_position(context)

    def _read_anew(self, queries: ProfileQueries, context: Context) -> None:
        message = self.why_no_code(queries, context)
        if message:
            self.say_instead(message)
        else:
            self.start(self.read(queries, context), self._take)

    def _take(self, result: object) -> None:
        """Show what was read with the costs that are wanted now, which may be others."""
        if self.session.queries is not None:
            self.take(result, self.session.queries, self.navigation.context)

    def stop(self) -> None:
        super().stop()
        self.set_stale(False)

    def set_stale(self, stale: bool) -> None:
        self.table.set_stale(stale)

    def forget(self) -> None:
        self.model.clear()
        self._matches = self._matches[:0]
        self.set_notes([])
        self.strip.show_problem(None)
        self._shown = None

    def finish(self, result: Any, take: Callable[[Any], None]) -> None:
        context = self.navigation.context
        shown = context.profile, context.function, self.which_code()
        place = self._place() if shown == self._shown else None
        super().finish(result, take)
        self._shown = shown
        self._fit_columns(context)
        self._go_to_first(place, context)
        self._search()

    def _fit_columns(self, context: Context) -> None:
        of_second = self.model.SECOND_SELF, self.model.SECOND_INCLUSIVE
        self.table.show_columns(of_second, context.second_event is not None)
        self.table.fit_code()

    def which_code(self) -> object:
        """Which code of the function is shown, where there are several."""
        return None

    # ---------------------------------------------------------------- place and position

    def _place(self) -> _Place:
        """Where the user is: the current line, one that is in sight, and where that stands."""
        current, (seen, top) = self.table.current_record(), self.table.sight()
        return _Place(
            self.place_of(current) if current >= 0 else None,
            self.place_of(seen) if seen >= 0 else None,
            top,
        )

    def _go_to_first(self, place: _Place | None, context: Context) -> None:
        """Where the user was; else what is marked elsewhere; else the costliest line."""
        if place is not None:
            if place.current is not None:
                self._select(self.at_position(place.current))
            if place.seen is not None and (seen := self.at_position(place.seen)).any():
                self.table.bring_to_sight(int(np.flatnonzero(seen)[0]), place.top)
        elif context.position is None or not self._select(
            self.at_position(context.position), center=True
        ):
            hot = self.table.hot_records()
            if hot:
                self.table.go_to_record(hot[0], center=True)
                if self.leads and context.position is None:
                    self._take_position(hot[0])  # so that the others light what belongs to it
            else:
                self.table.go_to_recorded()
        self._show_position(context)

    def _select(self, matched: BoolArray, *, center: bool = False) -> bool:
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
        matched = self.at_position(position)
        self.model.set_position(matched)
        current = self.table.current_record()
        if matched.any() and not (current >= 0 and matched[current]):
            self._select(matched)

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
        self._take_position(record)

    def _take_position(self, record: int) -> None:
        if record >= 0:
            self.navigation.set(position=self.place_of(record))

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

    def _search(self) -> None:
        """Light up what the search finds, and say how much it is."""
        text = self.search.text()
        self._matches = np.array(self.model.containing(text) if text else [], np.int64)
        self.table.mark_text(text)
        said = f"{len(self._matches)} found" if len(self._matches) else "not found"
        self.found.setText(said if text else "")

    def show_next(self, step: int = 1) -> None:
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
        self.table.show_found()
        self.found.setText(f"{at + 1} of {len(matches)}")
