"""The instructions of the active function with their costs, from its program or library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QAction

from qcachegrind_py.analysis.code import Syntax
from qcachegrind_py.analysis.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.models.instruction_table import InstructionModel
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.annotation import FoundCode, find_function_code, newer_than
from qcachegrind_py.views.code.code_view import CodeView
from qcachegrind_py.views.code.inner_calls import inner_calls
from qcachegrind_py.views.no_code import why_no_code

_NO_JUMPS = "no jumps were recorded: --collect-jumps=yes says how often each was taken"
_NEWER = "changed after the profile was recorded: it may be another build"


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """What the job found out; without a binary only addresses are known."""

    function: int
    object: str  # the program or library, as it was recorded
    costs: InstructionCosts
    found: FoundCode
    rows: InstructionRows
    notes: tuple[str, ...]  # where the code is from, and what is odd about it


class AssemblerView(CodeView):
    """Without a binary, costs stand at addresses alone."""

    model: InstructionModel

    def __init__(
        self, session: Session, navigation: Navigation, actions: Sequence[QAction]
    ) -> None:
        super().__init__(
            session, navigation, "Assembler", InstructionModel(), InstructionModel.TEXT
        )
        self._read: _Read | None = None  # what is shown
        self.arrange((), actions)

    # ---------------------------------------------------------------- reading

    def why_no_code(self, questions: Questions, context: Context) -> str:
        return why_no_code(questions, context)

    def read(self, questions: Questions, context: Context) -> Callable[[Progress], _Read]:
        profile, function, style = questions.profile, context.function, context.annotation
        labels = questions.labels(context.scope, short=context.short_names)
        syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT
        object_ = profile.texts[int(profile.functions.object[function])]

        def work(progress: Progress) -> _Read:
            costs = questions.instructions(function, context.scope.parts)
            whole = questions.instructions(function, None)  # the chosen parts may have no cost
            found = find_function_code(profile, function, whole, context.files, syntax, progress)
            symbols = found.machine.symbols if found.machine else ()
            inside = inner_calls(costs.calls, questions, context)
            rows = instruction_rows(costs, found.code, symbols, inside, labels, style.context_lines)
            return _Read(function, object_, costs, found, rows, _notes(found, object_, profile))

        return work

    def take(self, result: _Read, questions: Questions, context: Context) -> None:
        self._read = result
        self.model.is_folded = context.annotation.fold_code
        self.model.set_instructions(
            result.rows,
            result.found.code,
            self.costs_of(result.rows.rows, result.costs, questions, context),
            self.formats(questions, context, result.function),
            questions.profile.texts,
            len(questions.profile.jumps) > 0,
        )
        self.table.show_columns((InstructionModel.BYTES,), context.annotation.code_bytes)
        self.strip.show_problem(result.found.problem, result.object)
        self.set_notes([cell_text(note) for note in result.notes])

    def take_costs(self, questions: Questions, context: Context) -> None:
        read = self._read
        if read is not None:
            costs = self.costs_of(read.rows.rows, read.costs, questions, context)
            self.model.set_costs(costs, *self.formats(questions, context, read.function))

    def forget(self) -> None:
        super().forget()
        self._read = None

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


def _notes(found: FoundCode, object_: str, profile: Profile) -> tuple[str, ...]:
    """Where the code is from, and what was not recorded."""
    machine = found.machine
    notes = [f"{machine.path} ({machine.machine})" if machine else object_]
    if machine and newer_than(machine.modified, profile):
        notes.append(_NEWER)
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    return tuple(notes)
