"""The Assembler dock: the active function's instructions with their costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.present.code_instructions import NO_INSTRUCTIONS, InstructionTexts
from qcachegrind_py.present.code_listing import CodeListing, code_costs
from qcachegrind_py.present.context import Context, Position
from qcachegrind_py.present.instruction_loading import LoadedInstructions, load_instructions
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.widgets.empty_page import no_instructions_reason
from qcachegrind_py.views.widgets.missing_files import BaseProgramBar, use_base_program


class AssemblerView(CodeView):
    """Instructions read from the program or library; without it, addresses with their costs."""

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Assembler", NO_INSTRUCTIONS)
        self._loaded: LoadedInstructions | None = None
        self.base_bar = BaseProgramBar()
        self.base_bar.chosen.connect(partial(use_base_program, self.navigation))
        self.arrange((), actions, self.base_bar)

    # ---------------------------------------------------------------- loading

    def missing_code_reason(self, query: ViewQuery) -> str:
        return no_instructions_reason(query)

    def loading_job(self, query: ViewQuery) -> Callable[[Progress], LoadedInstructions]:
        return lambda progress: load_instructions(query, progress)

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), context.base_programs

    def show_code(self, result: LoadedInstructions, query: ViewQuery) -> None:
        context = query.context
        self._loaded = result
        self.model.is_folded = context.annotation.fold_code
        costs = code_costs(query, result.code.rows, result.function, result.costs)
        self.model.show_listing(CodeListing.of(result.code, costs))
        self.table.show_columns(self.model.places("bytes"), context.annotation.code_bytes)
        compared, side = result.compared, "New" if query.is_comparing else ""
        self.missing_file_bar.show_problem(result.found.problem, result.object, side)
        if compared is None:
            self.base_bar.show_problem(None, "")
        else:
            self.base_bar.show_problem(compared.problem, compared.base_object)
        self.set_notes([cell_text(note) for note in result.notes])

    def show_costs(self, query: ViewQuery) -> None:
        if (loaded := self._loaded) is not None:
            self.model.show_costs(
                code_costs(query, loaded.code.rows, loaded.function, loaded.costs)
            )

    def clear(self) -> None:
        super().clear()
        self._loaded = None
        self.base_bar.show_problem(None, "")

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        """Add the jump targets, and the choice of the base's program."""
        super().fill_record_menu(menu, record)
        if self._loaded is not None and self._loaded.compared is not None:
            self.base_bar.add_action(menu, self._loaded.compared.base_object)

    # ---------------------------------------------------------------- instructions

    @property
    def _texts(self) -> InstructionTexts:
        texts = self.model.listing.texts
        assert isinstance(texts, InstructionTexts)
        return texts

    def position_of(self, record: int) -> Position:
        texts = self._texts
        file, line = texts.line_of(record)
        if texts.is_gone(record):  # its address is that of another instruction now
            return Position(file, line, texts.address_of(record), in_base=True)
        address = None if texts.is_source_line(record) else texts.address_of(record)
        return Position(file, line, address)

    def records_at(self, position: Position) -> BoolArray:
        texts = self._texts
        if position.address is not None:
            matched = texts.matches_address(position.address, in_base=position.in_base)
            if matched.any():
                return matched
        if position.line <= 0:
            return np.zeros(self.model.table.length, bool)
        return texts.matches_line(position.file, position.line)
