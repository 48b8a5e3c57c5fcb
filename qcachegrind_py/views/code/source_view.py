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
from qcachegrind_py.models.code.source_table import CHUNK_LINES, SourceModel
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.highlighting import Highlights, highlight
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.file_selector import FileBox
from qcachegrind_py.views.code.source_loader import ReadSource, Wanted, read_source_of
from qcachegrind_py.views.common.buttons import button_of
from qcachegrind_py.views.common.empty_reasons import why_no_source

_COLORED_AFTER = 80  # ms without scrolling: colouring takes time from drawing


class SourceView(CodeView):
    """Lines of other files that the compiler put in stand where it put them, and as own files."""

    model: SourceModel
    leads = True

    def __init__(
        self, session: Session, navigation: Navigation, actions: Sequence[QAction]
    ) -> None:
        super().__init__(session, navigation, "Source", SourceModel(), SourceModel.TEXT)
        self._wanted = Wanted()
        self._chosen_in = (0, -1)  # profile and function that the wanted file is of
        self._read: ReadSource | None = None  # what is shown
        self.files = FileBox()
        self.files.chosen.connect(lambda file: self._want(file=file))
        self.whole = button_of("&Whole File", "Costs of all functions that have code in the file")
        self.whole.setCheckable(True)
        self.whole.toggled.connect(lambda on: self._want(is_whole=on))
        self.strip.wanted_reading.connect(
            lambda path: self._want(large=self._wanted.large | {path})
        )
        self.model.colored.connect(self.table.recolor)
        self._coloring = QTimer(self, singleShot=True)
        self._coloring.timeout.connect(self._color)
        self.table.verticalScrollBar().valueChanged.connect(
            lambda _: self._coloring.start(_COLORED_AFTER)
        )
        self.arrange((self.files, self.whole), actions)

    # ---------------------------------------------------------------- reading

    def why_no_code(self, queries: ProfileQueries, context: Context) -> str:
        return why_no_source(queries, context)

    def _want(self, **change: Any) -> None:
        """Read another file, or the same otherwise."""
        self._wanted = replace(self._wanted, **change)
        self.show_again(Change.ANNOTATION)

    def asked_for(self, context: Context) -> object:
        return super().asked_for(context), self._wanted

    def which_code(self) -> object:
        return self._wanted.file, self._wanted.is_whole

    def read(self, queries: ProfileQueries, context: Context) -> Callable[[Progress], ReadSource]:
        wanted = self._wanted
        return lambda progress: read_source_of(queries, context, wanted, progress)

    def take(self, result: ReadSource, queries: ProfileQueries, context: Context) -> None:
        self._read = result
        self.model.is_folded = context.annotation.fold_source
        self.model.set_source(
            result.rows,
            self.costs_of(result.rows, result.lines, queries, context),
            self.formats(queries, context, result.function),
            queries.profile.texts,
            {number: text.lines for number, text in result.texts.items()},
            result.file,
            result.longest,
        )
        self._fill_files(result, queries, context)
        self.strip.show_problem(result.problem, result.problem_of)
        self.set_notes([cell_text(note) for note in result.notes])
        self._coloring.start(0)

    def take_costs(self, queries: ProfileQueries, context: Context) -> None:
        read = self._read
        if read is not None:
            costs = self.costs_of(read.rows, read.lines, queries, context)
            self.model.set_costs(costs, *self.formats(queries, context, read.function))
            self._fill_files(read, queries, context)

    def _fill_files(self, read: ReadSource, queries: ProfileQueries, context: Context) -> None:
        profile = queries.profile
        own = int(profile.functions.file[read.function])
        if context.event is not None:
            self.files.fill(
                read, own, profile.texts, queries.events, context.event, self.model.first
            )

    def forget(self) -> None:
        super().forget()
        self.session.jobs.cancel(f"{self.title} colours")
        self._read = None
        self.files.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        if (context.profile, context.function) != self._chosen_in:
            self._chosen_in = context.profile, context.function
            self._wanted = replace(self._wanted, file=-1)
        super()._on_changed(context, change)

    # ---------------------------------------------------------------- lines

    def place_of(self, record: int) -> Position:
        file, line = self.model.line_of(record)
        return Position(file, line)

    def at_position(self, position: Position) -> BoolArray:
        return self.model.matches_line(position.file, position.line)

    def add_to_menu(self, menu: QMenu, record: int) -> None:
        super().add_to_menu(menu, record)
        if self.path_of(record) is not None:
            menu.addAction("Open in &Editor", lambda: self.edit(record))

    def path_of(self, record: int) -> tuple[Path, int] | None:
        """File and line to edit for a record; None where the file is not here."""
        file, line = self.model.line_of(record) if record >= 0 else (-1, 0)
        text = self._read.texts.get(file) if self._read else None
        return (text.path, max(1, line)) if text else None

    def edit(self, record: int) -> None:
        """Ask for an editor at the line."""
        place = self.path_of(record)
        if place is not None:
            self.wanted_editor.emit(*place)

    # ---------------------------------------------------------------- colours

    def _color(self) -> None:
        """Colour the lines in sight, and then those around them, in a job."""
        context = self.navigation.context
        if not context.annotation.syntax_colors or self.session.queries is None:
            return
        chunks = self.model.uncolored(self._records_in_sight())[:1]
        if not chunks:
            return
        (file, number), names = chunks[0], self.session.queries.profile.texts
        text, name = self.model.texts[file], names[file]
        first = number * CHUNK_LINES

        def work(progress: Progress) -> Highlights:
            return highlight(text, name, first, first + CHUNK_LINES, progress)

        job = self.session.jobs.start(f"{self.title} colours", work)
        shown = self.model.rows
        job.finished.connect(lambda colors: self._take_colors(shown, chunks[0], colors))

    def _take_colors(self, shown: CodeRows, chunk: tuple[int, int], colors: Highlights) -> None:
        if shown is self.model.rows:
            self.model.add_colors(chunk, colors)
            self._coloring.start(0)

    def _records_in_sight(self) -> list[int]:
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
