"""The instructions of the active function with their costs, from its program or library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.code import Syntax
from qcachegrind_py.analysis.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.code_table import CodeRows
from qcachegrind_py.models.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.models.instruction_table import InstructionModel
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.annotation import FoundCode, find_function_code, newer_than
from qcachegrind_py.views.code.code_view import CodeView
from qcachegrind_py.views.no_code import why_no_instructions

_NO_JUMPS = "no jumps were recorded: --collect-jumps=yes says how often each was taken"
_NEWER = "changed after the profile was recorded: it may be another build"


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """What the job found out; without a binary only addresses are known."""

    costs: InstructionCosts
    found: FoundCode
    rows: InstructionRows


class AssemblerView(CodeView):
    """A double click on a jump goes to its target."""

    model: InstructionModel

    def __init__(
        self, session: Session, navigation: Navigation, actions: Sequence[QAction]
    ) -> None:
        super().__init__(
            session, navigation, "Assembler", InstructionModel(), InstructionModel.TEXT
        )
        self._costs_read: InstructionCosts | None = None
        self.table.activated_record.connect(self._follow_jump)
        self.arrange((), actions)

    # ---------------------------------------------------------------- reading

    def why_no_code(self, questions: Questions, context: Context) -> str:
        return why_no_instructions(questions, context)

    def read(self, questions: Questions, context: Context) -> Callable[[Progress], _Read]:
        profile, function, style = questions.profile, context.function, context.annotation
        labels = questions.labels(context.scope, short=context.short_names)
        syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT

        def work(progress: Progress) -> _Read:
            costs = questions.instructions(function, context.scope.parts)
            found = find_function_code(profile, function, costs, context.files, syntax, progress)
            symbols = found.machine.symbols if found.machine else ()
            inside = self.inside(costs.calls, questions, context, function)
            rows = instruction_rows(costs, found.code, symbols, inside, labels, style.context_lines)
            return _Read(costs, found, rows)

        return work

    def take(self, result: _Read, questions: Questions, context: Context) -> None:
        self._costs_read = result.costs
        self.model.is_folded = context.annotation.fold_code
        costs = self._costs(result.rows.rows, result.costs, questions, context)
        formats = self.formats(questions, context)
        names = questions.profile.texts
        self.model.set_instructions(result.rows, result.found.code, costs, formats, names)
        self.table.show_columns((InstructionModel.BYTES,), context.annotation.code_bytes)
        self.strip.show_problem(result.found.problem, self._object(questions))
        self.set_notes(self._notes_of(result, questions))

    def take_costs(self, questions: Questions, context: Context) -> None:
        if self._costs_read is not None:
            costs = self._costs(self.model.rows, self._costs_read, questions, context)
            self.model.set_costs(costs, *self.formats(questions, context))

    @staticmethod
    def _costs(
        rows: CodeRows, costs: InstructionCosts, questions: Questions, context: Context
    ) -> Any:
        both = context.event, context.second_event
        own, inclusive = costs.self_cost, costs.inclusive
        return tuple(rows.costs(questions.events, event, own, inclusive) for event in both)

    def forget(self) -> None:
        super().forget()
        self._costs_read = None

    def _object(self, questions: Questions) -> str:
        """The program or library of the active function, as it was recorded."""
        profile, function = questions.profile, self.navigation.context.function
        return profile.texts[int(profile.functions.object[function])]

    def _notes_of(self, result: _Read, questions: Questions) -> list[str]:
        """Where the code is from, and what was not recorded."""
        profile, object_ = questions.profile, self._object(questions)
        machine = result.found.machine
        notes = [cell_text(f"{machine.path} ({machine.machine})" if machine else object_)]
        if machine and newer_than(machine.modified, profile):
            notes.append(_NEWER)
        if not len(profile.jumps):
            notes.append(_NO_JUMPS)
        return notes

    # ---------------------------------------------------------------- instructions

    def place_of(self, record: int) -> Position:
        file, line = self.model.line_of(record)
        return Position(file, line, self.model.address_of(record))

    def at_position(self, position: Position) -> BoolArray:
        if position.address is not None:
            matched = self.model.matches_address(position.address)
            if matched.any():
                return matched
        if position.line <= 0:
            return np.zeros(len(self.model.rows.records), bool)
        return self.model.matches_line(position.file, position.line)

    def _follow_jump(self, record: int) -> None:
        """Go where the instruction jumps to, if that is within the function."""
        records = self.model.rows.records
        arrows, site = records.arrows, int(records.site[record])
        targets = arrows.target[arrows.source == site]
        if len(targets):
            target = int(records.record_of_site[int(targets[0])])
            self.table.go_to_record(target)
            self._take_position(target)

    def add_to_menu(self, menu: QMenu, record: int) -> None:
        records = self.model.rows.records
        if (records.arrows.source == int(records.site[record])).any():
            menu.addAction("Go to Jump &Target", lambda: self._follow_jump(record))
