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
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.assembler_loader import LoadedInstructions, load_instructions
from qcachegrind_py.views.common.empty_reasons import no_instructions_reason


class AssemblerView(CodeView):
    """Without a binary, costs stand at addresses alone."""

    model: InstructionModel

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Assembler", InstructionModel(), InstructionModel.TEXT)
        self._loaded: LoadedInstructions | None = None  # what is shown
        self.arrange((), actions)

    # ---------------------------------------------------------------- reading

    def missing_code_reason(self, queries: ProfileQueries, context: Context) -> str:
        return no_instructions_reason(queries, context)

    def loading_job(
        self, queries: ProfileQueries, context: Context
    ) -> Callable[[Progress], LoadedInstructions]:
        return lambda progress: load_instructions(queries, context, progress)

    def show_code(
        self, result: LoadedInstructions, queries: ProfileQueries, context: Context
    ) -> None:
        self._loaded = result
        self.model.is_folded = context.annotation.fold_code
        self.model.set_instructions(
            result.rows,
            result.found.code,
            self.row_costs(result.rows.rows, result.costs, queries, context),
            self.cost_formats(queries, context, result.function),
            queries.profile.texts,
            len(queries.profile.jumps) > 0,
        )
        self.table.show_columns((InstructionModel.BYTES,), context.annotation.code_bytes)
        self.missing_file_bar.show_problem(result.found.problem, result.object)
        self.set_notes([cell_text(note) for note in result.notes])

    def show_costs(self, queries: ProfileQueries, context: Context) -> None:
        read = self._loaded
        if read is not None:
            costs = self.row_costs(read.rows.rows, read.costs, queries, context)
            self.model.set_costs(costs, *self.cost_formats(queries, context, read.function))

    def clear(self) -> None:
        super().clear()
        self._loaded = None

    # ---------------------------------------------------------------- instructions

    def position_of(self, record: int) -> Position:
        file, line = self.model.line_of(record)
        return Position(file, line, self.model.address_of(record))

    def records_at(self, position: Position) -> BoolArray:
        if position.address is not None:
            matched = self.model.matches_address(position.address)
            if matched.any():
                return matched
        if position.line <= 0:
            return np.zeros(len(self.model.rows.records), bool)
        return self.model.matches_line(position.file, position.line)
