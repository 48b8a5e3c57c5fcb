"""The Assembler dock: the active function's instructions with their costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.present.code_instructions import (
    NO_INSTRUCTIONS,
    LoadedInstructions,
    load_instructions,
)
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.widgets.empty_page import no_instructions_reason
from qcachegrind_py.views.widgets.missing_files import BaseProgramBar, use_base_program


class AssemblerView(CodeView):
    """Instructions read from the program or library; without it, addresses with their costs."""

    _loaded: LoadedInstructions | None = None

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Assembler", NO_INSTRUCTIONS)
        self.base_bar = BaseProgramBar()
        self.base_bar.chosen.connect(partial(use_base_program, self.navigation))
        self.arrange((), actions, self.base_bar)

    def missing_code_reason(self, query: ViewQuery) -> str:
        return no_instructions_reason(query)

    def loading_job(self, query: ViewQuery) -> Callable[[Progress], LoadedInstructions]:
        return lambda progress: load_instructions(query, progress)

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), context.base_programs

    def show_code(self, loaded: LoadedInstructions, query: ViewQuery) -> None:
        style, compared = query.context.annotation, loaded.compared
        self.model.is_folded = style.fold_code
        super().show_code(loaded, query)
        self.table.show_columns(self.model.places("bytes"), style.code_bytes)
        if compared is None:
            self.base_bar.show_problem(None, "")
        else:
            self.base_bar.show_problem(compared.problem, compared.base_object)

    def clear(self) -> None:
        super().clear()
        self.base_bar.show_problem(None, "")

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        """Add the jump targets, and the choice of the base's program."""
        super().fill_record_menu(menu, record)
        if self._loaded is not None and self._loaded.compared is not None:
            self.base_bar.add_action(menu, self._loaded.compared.base_object)
