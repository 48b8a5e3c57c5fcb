"""What source and assembler share: a job reads the code, the one before stays, greyed, until then.

Above the code stand a search and what the subclass adds, and a strip where something is missing;
beside it where in all of it the cost is; below it where the text comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from qcachegrind_py.analysis.code_sites import SiteCalls
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.code_table import CodeModel
from qcachegrind_py.models.cost_format import CostFormat
from qcachegrind_py.models.plain_text import cell_text, tip_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.base import ProfileView
from qcachegrind_py.views.code.code_list import CodeList
from qcachegrind_py.views.code.problem_strip import ProblemStrip
from qcachegrind_py.views.formats import call_format
from qcachegrind_py.views.heat_strip import HeatStrip
from qcachegrind_py.views.note_label import NoteLabel
from qcachegrind_py.views.picture_view import PictureSearch

_CODE = Change.PROFILE | Change.FUNCTION | Change.SCOPE | Change.ANNOTATION | Change.NAMES
_COSTS = Change.EVENT | Change.UNIT | Change.NUMBERS
_GREYED_AFTER = 120  # ms: what is faster needs no notice


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the user is in the code, by lines: rows are others after it was read again."""

    current: Position | None
    seen: Position | None
    top: int  # pixels from the top at which that line stands


class CodeView(ProfileView):
    """Subclasses read the code in a job, and show it."""

    concerns = ~(Change.EVENTS | Change.GROUPING | Change.FILTER)
    wanted_editor = Signal(object, object)  # Path, int: the user wants to edit the file at the line

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        title: str,
        model: CodeModel,
        text_column: int,
    ) -> None:
        super().__init__(session, navigation)
        self.title = title
        self.model = model
        model.setParent(self)
        self.table = CodeList(model, text_column, title)
        self.follow_user(self.table)
        self.table.wanted_menu.connect(self.wanted_menu)
        self.table.chosen_record.connect(self._take_position)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_notes())
        self.table.add_to_menu = self.add_to_menu
        self.strip = ProblemStrip()
        self.note = NoteLabel()
        self._notes: list[str] = []  # of the code, whatever is current in it
        self.heat = HeatStrip(self.table, self._heat_tip)
        self.heat.jumped.connect(self._go_to_row)
        self.table.viewport().installEventFilter(self)
        model.layoutChanged.connect(lambda: self._show_heat())
        model.modelReset.connect(lambda: self._show_heat())
        self.found = QLabel()
        self.search = PictureSearch(f"Find in {title.lower()}")
        self.search.textChanged.connect(lambda: self._search())
        self.search.returnPressed.connect(lambda: self.show_next())
        self._shown: object = None  # what is asked for again is where the user left it
        self._greying = QTimer(self, singleShot=True, interval=_GREYED_AFTER)
        self._greying.timeout.connect(lambda: self.table.set_stale(True))

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
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.table, 1)
        row.addWidget(self.heat)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(self.strip)
        column.addLayout(row, 1)
        column.addWidget(self.note)
        self.set_content(content)
        self.first = self.table

    # ---------------------------------------------------------------- for the subclasses

    def why_no_code(self, questions: Questions, context: Context) -> str:
        """Why there is none; empty where there may be."""
        raise NotImplementedError

    def read(self, questions: Questions, context: Context) -> Callable[..., object]:
        """The job that reads the code."""
        raise NotImplementedError

    def take(self, result: Any, questions: Questions, context: Context) -> None:
        """Show what the job read."""
        raise NotImplementedError

    def take_costs(self, questions: Questions, context: Context) -> None:
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
        """Offer what can be done with a line or an instruction."""

    def formats(self, questions: Questions, context: Context) -> tuple[CostFormat, CostFormat]:
        """How the costs of both events are written."""
        function = context.function
        first = call_format(questions, context, context.event, function)
        return first, call_format(questions, context, context.second_event, function)

    @staticmethod
    def inside(
        calls: SiteCalls, questions: Questions, context: Context, function: int
    ) -> BoolArray:
        """Which of the calls of a function stay in its cycle, or go to itself."""
        cycle = questions.costs(context.scope).cycle
        same_cycle = (cycle[calls.callee] == cycle[function]) & (cycle[function] > 0)
        stays: BoolArray = (calls.callee == function) | same_cycle
        return stays

    # ---------------------------------------------------------------- following the context

    def refresh(self, questions: Questions, context: Context, change: Change) -> None:
        """Read the code of the active function, or show what is there otherwise."""
        self.model.highlight(context.selected)
        if change & _CODE:
            self._read_anew(questions, context)
        elif change & _COSTS and not self.message:
            self.take_costs(questions, context)
            self._fit_columns(context)
            self._show_heat()
        if change & Change.POSITION:
            self._show_position(context)

    def _read_anew(self, questions: Questions, context: Context) -> None:
        message = self.why_no_code(questions, context)
        if message:
            self.stop()
            self.forget()
            self.show_message(message)
            return
        asked = self.asked_for(context)
        job = self.session.jobs.start(self.title, self.read(questions, context))
        job.finished.connect(lambda result: self._finish(result, asked))
        job.failed.connect(self._fail)
        if not self._greying.isActive():
            self._greying.start()

    def stop(self) -> None:
        """Forget the code that is being read."""
        self.session.jobs.cancel(self.title)
        self._greying.stop()
        self.table.set_stale(False)

    def forget(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.model.clear()
        self.set_notes([])
        self.strip.show_problem(None)
        self._shown = None

    def _on_changed(self, context: Context, change: Change) -> None:
        """Forget at once, asleep or not, what has the numbers and names of another profile."""
        if change & Change.PROFILE:
            self.stop()
            self.forget()
        super()._on_changed(context, change)

    def _fail(self, error: ProfileError) -> None:
        self.stop()
        self.forget()
        self.show_message(cell_text(str(error)))

    def _finish(self, result: object, asked: object) -> None:
        questions, context = self.session.questions, self.navigation.context
        if questions is None or asked != self.asked_for(context):
            return  # asleep meanwhile: it will be asked for again
        self._greying.stop()
        self.table.set_stale(False)
        shown = context.profile, context.function, self.shown_code()
        is_same = shown == self._shown
        place = self._place() if is_same else None
        self.show_content()
        self.take(result, questions, context)
        self._shown = shown
        self._fit_columns(context)
        self._go_to_first(place, context)
        self._search()

    def _fit_columns(self, context: Context) -> None:
        of_second = self.model.SECOND_SELF, self.model.SECOND_INCLUSIVE
        self.table.show_columns(of_second, context.second_event is not None)
        self.table.fit_code()

    def shown_code(self) -> object:
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
        elif context.position is None or not self._select(self.at_position(context.position)):
            hot = self.table.hot_records()
            if hot:
                self.table.go_to_record(hot[0], center=True)
            else:
                self.table.scrollToTop()
        self._show_position(context)

    def _select(self, matched: BoolArray) -> bool:
        """Make the first of these records the current one; whether there is one."""
        records = np.flatnonzero(matched)
        if len(records):
            self.table.go_to_record(int(records[0]))
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

    def _take_position(self, record: int) -> None:
        if record >= 0:
            self.navigation.set(position=self.place_of(record))

    # ---------------------------------------------------------------- notes, heat and search

    def set_notes(self, notes: list[str]) -> None:
        """Say below the code where it is from."""
        self._notes = notes
        self._show_notes()

    def _show_notes(self) -> None:
        """What is known of the jumps of the current line comes before what is said of all code."""
        record = self.table.current_record()
        jumps = self.model.arrow_texts(record) if record >= 0 else []
        self.note.setText(" · ".join([*jumps, *self._notes]))

    def _show_heat(self) -> None:
        """Where in the rows that are seen the cost is."""
        self._fit_heat()
        costs, order = self.model.first_costs.inclusive, self.model.order
        if not len(order) or self.model.first.is_ratio:
            self.heat.set_shares(np.zeros(len(order)))
            return
        of_sites = np.where(self.model.rows.records.call >= 0, 0, costs)[order]
        most = max(1, int(of_sites.max()))
        self.heat.set_shares((of_sites / most).astype(np.float64))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._fit_heat()
        return super().eventFilter(watched, event)

    def _fit_heat(self) -> None:
        """Let the strip stand where the rows are, also where they do not fill the view."""
        table = self.table
        rows = min(table.viewport().height(), table.verticalHeader().length())
        self.heat.stand_beside(table.horizontalHeader().height(), rows)

    def _heat_tip(self, row: int) -> str:
        """The line that a place of the strip stands for, with its cost."""
        record = int(self.model.order[row])
        cost = self.model.columns[self.model.INCLUSIVE].text(record)
        text = " ".join(self.model.full_text(record).split())
        return tip_text("  ".join(filter(None, (self.model.place_text(record), cost, text))))

    def _go_to_row(self, row: int) -> None:
        self.table.scrollTo(self.model.index(row, 0), CodeList.ScrollHint.PositionAtCenter)

    def matches(self) -> Int64Array:
        """The records that the search finds, in the order of the code."""
        text = self.search.text()
        return np.array(self.model.containing(text) if text else [], np.int64)

    def _search(self) -> None:
        """Say how much the search finds."""
        count = len(self.matches()) if self.search.text() else 0
        self.found.setText(f"{count} found" if self.search.text() else "")

    def show_next(self, step: int = 1) -> None:
        """Go to the next of what the search found, or the one before."""
        matches = self.matches()
        if not len(matches):
            return
        current = self.table.current_record()
        if step > 0:
            at = int(np.searchsorted(matches, current, side="right"))
        else:
            at = int(np.searchsorted(matches, current, side="left")) - 1
        at %= len(matches)
        self.table.go_to_record(int(matches[at]))
        self._take_position(int(matches[at]))
        self.found.setText(f"{at + 1} of {len(matches)}")
