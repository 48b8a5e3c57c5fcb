"""The instructions of the active function with their costs, from its program or library."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtGui import QAction

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.models.code.instruction_table import InstructionModel
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.assembler_loader import ReadCode, read_code_of
from qcachegrind_py.views.common.empty_reasons import why_no_code


class AssemblerView(CodeView):
    """Without a binary, costs stand at addresses alone."""

    model: InstructionModel

    def __init__(
        self, session: Session, navigation: Navigation, actions: Sequence[QAction]
    ) -> None:
        super().__init__(
            session, navigation, "Assembler", InstructionModel(), InstructionModel.TEXT
        )
        self._read: ReadCode | None = None  # what is shown
        self.arrange((), actions)

    # ---------------------------------------------------------------- reading

    def why_no_code(self, queries: ProfileQueries, context: Context) -> str:
        return why_no_code(queries, context)

    def read(self, queries: ProfileQueries, context: Context) -> Callable[[Progress], ReadCode]:
        return lambda progress: read_code_of(queries, context, progress)

    def take(self, result: ReadCode, queries: ProfileQueries, context: Context) -> None:
        self._read = result
        self.model.is_folded = context.annotation.fold_code
        self.model.set_instructions(
            result.rows,
            result.found.code,
            self.costs_of(result.rows.rows, result.costs, queries, context),
            self.formats(queries, context, result.function),
            queries.profile.texts,
            len(queries.profile.jumps) > 0,
        )
        self.table.show_columns((InstructionModel.BYTES,), context.annotation.code_bytes)
        self.strip.show_problem(result.found.problem, result.object)
        self.set_notes([cell_text(note) for note in result.notes])

    def take_costs(self, queries: ProfileQueries, context: Context) -> None:
        read = self._read
        if read is not None:
            costs = self.costs_of(read.rows.rows, read.costs, queries, context)
            self.model.set_costs(costs, *self.formats(queries, context, read.function))

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
