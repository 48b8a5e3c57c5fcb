"""The source of the active function with the costs of each line: one of its files, in whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.models.code.records import CodeRows
from qcachegrind_py.models.code.source_table import CHUNK_LINES, Chunk, SourceModel
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, text_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.highlighting import Highlights, highlight
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.file_selector import FileSelector
from qcachegrind_py.views.code.source_loader import LoadedSource, SourceRequest, load_source
from qcachegrind_py.views.common.buttons import flat_button
from qcachegrind_py.views.common.empty_reasons import no_source_reason

_COLORING_DELAY = 80  # ms without scrolling: colouring takes time from drawing


class SourceView(CodeView):
    """Lines of other files that the compiler put in stand where it put them, and as own files."""

    model: SourceModel
    sets_initial_position = True

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Source", SourceModel(), SourceModel.TEXT)
        self._request = SourceRequest()
        self._request_scope = (0, NO_NODE)  # profile and function that the wanted file is of
        self._loaded: LoadedSource | None = None  # what is shown
        self.file_selector = FileSelector()
        self.file_selector.file_selected.connect(lambda file: self._change_request(file=file))
        self.whole_file_button = flat_button(
            "&Whole File", "Costs of all functions that have code in the file"
        )
        self.whole_file_button.setCheckable(True)
        self.whole_file_button.toggled.connect(lambda on: self._change_request(is_whole=on))
        self.missing_file_bar.large_file_requested.connect(
            lambda path: self._change_request(large=self._request.accepted_large | {path})
        )
        self.model.colored.connect(self.table.update_colors)
        self._coloring_timer = QTimer(self, singleShot=True)
        self._coloring_timer.timeout.connect(self._start_coloring)
        self.table.verticalScrollBar().valueChanged.connect(
            lambda _: self._coloring_timer.start(_COLORING_DELAY)
        )
        self.arrange((self.file_selector, self.whole_file_button), actions)

    # ---------------------------------------------------------------- reading

    def missing_code_reason(self, queries: ProfileQueries, context: Context) -> str:
        return no_source_reason(queries, context)

    def _change_request(self, **change: Any) -> None:
        """Read another file, or the same otherwise."""
        self._request = replace(self._request, **change)
        self.refresh_for(Change.ANNOTATION)

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), self._request

    def code_identity(self) -> object:
        return self._request.file, self._request.is_whole_file

    def loading_job(
        self, queries: ProfileQueries, context: Context
    ) -> Callable[[Progress], LoadedSource]:
        wanted = self._request
        return lambda progress: load_source(queries, context, wanted, progress)

    def show_code(self, result: LoadedSource, queries: ProfileQueries, context: Context) -> None:
        self._loaded = result
        self.model.is_folded = context.annotation.fold_source
        self.model.set_source(
            result.rows,
            self.row_costs(result.rows, result.lines, queries, context),
            self.cost_formats(queries, context, result.function),
            queries.profile.texts,
            {file: text.lines for file, text in result.texts.items()},
            result.file,
            result.longest_line,
        )
        self._fill_file_selector(result, queries, context)
        self.missing_file_bar.show_problem(result.problem, result.problem_file)
        self.set_notes([cell_text(note) for note in result.notes])
        self._coloring_timer.start(0)

    def show_costs(self, queries: ProfileQueries, context: Context) -> None:
        read = self._loaded
        if read is not None:
            costs = self.row_costs(read.rows, read.lines, queries, context)
            self.model.set_costs(costs, *self.cost_formats(queries, context, read.function))
            self._fill_file_selector(read, queries, context)

    def _fill_file_selector(
        self, read: LoadedSource, queries: ProfileQueries, context: Context
    ) -> None:
        profile = queries.profile
        own = text_at(profile.functions.file, read.function)
        if context.event is not None:
            self.file_selector.set_files(
                read, own, profile.texts, queries.events, context.event, self.model.first
            )

    def clear(self) -> None:
        super().clear()
        self.session.jobs.cancel(f"{self.title} colours")
        self._loaded = None
        self.file_selector.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        if (context.profile, context.function) != self._request_scope:
            self._request_scope = context.profile, context.function
            self._request = replace(self._request, file=NO_TEXT)
        super()._on_changed(context, change)

    # ---------------------------------------------------------------- lines

    def position_of(self, record: int) -> Position:
        file, line = self.model.line_of(record)
        return Position(file, line)

    def records_at(self, position: Position) -> BoolArray:
        return self.model.matches_line(position.file, position.line)

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        super().fill_record_menu(menu, record)
        if self.editable_location(record) is not None:
            menu.addAction("Open in &Editor", lambda: self.open_in_editor(record))

    def editable_location(self, record: int) -> tuple[Path, int] | None:
        """File and line to edit for a record; None where the file is not here."""
        file, line = self.model.line_of(record) if record >= 0 else (NO_TEXT, 0)
        text = self._loaded.texts.get(file) if self._loaded else None
        return (text.path, max(1, line)) if text else None

    def open_in_editor(self, record: int) -> None:
        """Ask for an editor at the line."""
        place = self.editable_location(record)
        if place is not None:
            self.editor_requested.emit(*place)

    # ---------------------------------------------------------------- colours

    def _start_coloring(self) -> None:
        """Colour the lines in sight, and then those around them, in a job."""
        context = self.navigation.context
        if not context.annotation.syntax_colors or self.session.queries is None:
            return
        chunks = self.model.uncolored(self._visible_records())[:1]
        if not chunks:
            return
        (file, number), names = chunks[0], self.session.queries.profile.texts
        text, name = self.model.texts[file], names[file]
        first = number * CHUNK_LINES

        def work(progress: Progress) -> Highlights:
            return highlight(text, name, first, first + CHUNK_LINES, progress)

        job = self.session.jobs.start(f"{self.title} colours", work)
        shown = self.model.rows
        job.finished.connect(lambda colors: self._add_colors(shown, chunks[0], colors))

    def _add_colors(self, shown: CodeRows, chunk: Chunk, colors: Highlights) -> None:
        if shown is self.model.rows:
            self.model.add_colors(chunk, colors)
            self._coloring_timer.start(0)

    def _visible_records(self) -> list[int]:
        """The records that are seen; a page more above and below."""
        table, order = self.table, self.model.order
        height = table.viewport().height()
        first, last = table.rowAt(0), table.rowAt(height)
        page = max(1, height // max(1, table.verticalHeader().defaultSectionSize()))
        first = max(0, first) if first >= 0 else 0
        last = last if last >= 0 else len(order) - 1
        seen = order[first : last + 1].tolist()
        around = order[max(0, first - page) : last + 1 + page].tolist()
        return [*seen, *around]
