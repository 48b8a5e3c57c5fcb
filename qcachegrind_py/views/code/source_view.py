"""The source of the active function with the costs of each line: one of its files, in whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu

from qcachegrind_py.analysis.line_costs import LineCosts
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.analysis.segments import sums_by_group
from qcachegrind_py.models.code_table import CodeRows
from qcachegrind_py.models.plain_text import cell_text, tip_text
from qcachegrind_py.models.source_rows import source_rows
from qcachegrind_py.models.source_table import CHUNK, SourceModel
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.annotation import (
    Sources,
    newer_than,
    read_sources,
    text_problem,
)
from qcachegrind_py.tools.highlighting import Highlights, highlight
from qcachegrind_py.views.code.code_view import CodeView
from qcachegrind_py.views.no_code import why_no_source
from qcachegrind_py.views.picture_view import button_of

_COLORED_AFTER = 30  # ms without scrolling
_SHORTEST_NAME, _LONGEST_NAME = 10, 40  # digits
_NEWER = "changed after the profile was recorded: costs may stand at wrong lines"


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """What the job found out."""

    lines: LineCosts
    of_function: LineCosts
    file: int
    sources: Sources
    rows: CodeRows


class SourceView(CodeView):
    """Lines of other files that the compiler put in stand where it put them, and as own files."""

    model: SourceModel

    def __init__(
        self, session: Session, navigation: Navigation, actions: Sequence[QAction]
    ) -> None:
        super().__init__(session, navigation, "Source", SourceModel(), SourceModel.TEXT)
        self._file = -1  # the file that the user chose; -1: that of the function
        self._large: set[Path] = set()  # files that are read however large they are
        self._lines: LineCosts | None = None
        self._paths: dict[int, Path] = {}  # of the files that were found, by number
        self.files = QComboBox()
        self.files.setAccessibleName("Source file")
        self.files.setToolTip("The files that code of the function is from")
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.files.setMinimumWidth(digit * _SHORTEST_NAME)
        self.files.setMaximumWidth(digit * _LONGEST_NAME)
        self.files.activated.connect(self._choose_file)
        self.whole = button_of("&Whole File", "Costs of all functions that have code in the file")
        self.whole.setCheckable(True)
        self.whole.toggled.connect(lambda _on: self.show_again(Change.ANNOTATION))
        self.strip.wanted_reading.connect(self._read_large)
        self._coloring = QTimer(self, singleShot=True, interval=_COLORED_AFTER)
        self._coloring.timeout.connect(self._color)
        self.table.verticalScrollBar().valueChanged.connect(lambda _: self._coloring.start())
        self.arrange((self.files, self.whole), actions)

    # ---------------------------------------------------------------- reading

    def why_no_code(self, questions: Questions, context: Context) -> str:
        return why_no_source(questions, context)

    def asked_for(self, context: Context) -> object:
        return super().asked_for(context), self._file, self.whole.isChecked(), len(self._large)

    def shown_code(self) -> object:
        return self._file, self.whole.isChecked()

    def read(self, questions: Questions, context: Context) -> Callable[[Progress], _Read]:
        profile, function, parts = questions.profile, context.function, context.scope.parts
        chosen, is_whole, large = self._file, self.whole.isChecked(), frozenset(self._large)
        labels = questions.labels(context.scope, short=context.short_names)
        object_ = profile.texts[int(profile.functions.object[function])]

        def work(progress: Progress) -> _Read:
            of_function = questions.lines(function, parts)
            own = int(profile.functions.file[function])
            file = chosen if chosen >= 0 else own
            lines = of_function
            if is_whole:
                lines = questions.lines_of_file(file, parts)
            elif file != own:
                lines = questions.lines_of_file(file, parts, function)
            progress.check(0.1)
            names = [profile.texts[number] for number in {file, *np.unique(lines.file).tolist()}]
            sources = read_sources(names, object_, context.files, progress, large=large)
            text = sources.texts.get(profile.texts[file])
            inside = np.zeros(len(lines.calls), bool)
            if not is_whole:
                inside = self.inside(lines.calls, questions, context, function)
            length = len(text.lines) if text else 0
            rows = source_rows(
                lines, file, length, inside, labels, context.annotation.context_lines
            )
            return _Read(lines, of_function, file, sources, rows)

        return work

    def take(self, result: _Read, questions: Questions, context: Context) -> None:
        self._lines = result.lines
        names, found = questions.profile.texts, result.sources.texts
        numbers = {result.file, *np.unique(result.lines.file).tolist()}
        there = [number for number in numbers if names[number] in found]
        self._paths = {number: found[names[number]].path for number in there}
        texts: Mapping[int, Sequence[str]] = {
            number: found[names[number]].lines for number in there
        }
        self.model.is_folded = context.annotation.fold_source
        formats = self.formats(questions, context)
        costs = self._costs(result.rows, result.lines, questions, context)
        self.model.set_source(result.rows, costs, formats, names, texts, result.file)
        self._fill_files(result.of_function, questions, context)
        self._tell(result, questions)
        self._coloring.start(0)

    def take_costs(self, questions: Questions, context: Context) -> None:
        if self._lines is not None:
            costs = self._costs(self.model.rows, self._lines, questions, context)
            self.model.set_costs(costs, *self.formats(questions, context))
            self._fill_files(
                questions.lines(context.function, context.scope.parts), questions, context
            )

    @staticmethod
    def _costs(rows: CodeRows, lines: LineCosts, questions: Questions, context: Context) -> Any:
        both = context.event, context.second_event
        own, inclusive = lines.self_cost, lines.inclusive
        return tuple(rows.costs(questions.events, event, own, inclusive) for event in both)

    def forget(self) -> None:
        super().forget()
        self.session.jobs.cancel(f"{self.title} colours")
        self._lines = None
        self._paths = {}
        self.files.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        if change & (Change.PROFILE | Change.FUNCTION):
            self._file = -1
        super()._on_changed(context, change)

    # ---------------------------------------------------------------- what is missing

    def _tell(self, result: _Read, questions: Questions) -> None:
        """Say where the text is from, and what is wrong with it."""
        profile = questions.profile
        name = profile.texts[result.file]
        text = result.sources.texts.get(name)
        problems: dict[str, ProfileError | str] = dict(result.sources.problems)
        lines = result.lines.line[result.lines.file == result.file]
        if text and (misfit := text_problem(text, lines)):
            problems[name] = misfit
        first = name if name in problems else next(iter(problems), name)
        self.strip.show_problem(problems.get(first), first)
        notes = [str(text.path) if text else name]
        if text and text.encoding.lower() != "utf-8":
            notes.append(text.encoding)
        if text and newer_than(text.modified, profile):
            notes.append(_NEWER)
        self.set_notes([cell_text(note) for note in notes])

    def _read_large(self, path: Path) -> None:
        self._large.add(path)
        self.show_again(Change.ANNOTATION)

    # ---------------------------------------------------------------- files

    def _fill_files(self, lines: LineCosts, questions: Questions, context: Context) -> None:
        """The files of the function's code, its own first, then from the costliest."""
        numbers, place = np.unique(lines.file, return_inverse=True)
        own = int(questions.profile.functions.file[context.function])
        sums = sums_by_group(lines.self_cost, place, len(numbers))
        event, format_ = context.event, self.model.first
        costs = questions.events.evaluate(event, sums) if event is not None else sums[0]
        order = sorted(range(len(numbers)), key=lambda row: (numbers[row] != own, -costs[row]))
        self.files.clear()
        names = questions.profile.texts
        files = [(int(numbers[row]), format_.with_unit(as_number(costs[row]))) for row in order]
        if own not in numbers:
            files.insert(0, (own, ""))
        for number, cost in files:
            base = names[number].replace("\\", "/").rpartition("/")[2] or "???"
            self.files.addItem(cell_text(f"{base}  {cost}".rstrip()), number)
            tip = tip_text(names[number])
            self.files.setItemData(self.files.count() - 1, tip, 3)  # Qt.ItemDataRole.ToolTipRole
        self.files.setCurrentIndex(max(0, self.files.findData(self.model.own_file)))

    def _choose_file(self, row: int) -> None:
        self._file = int(self.files.itemData(row))
        self.show_again(Change.ANNOTATION)

    # ---------------------------------------------------------------- lines

    def place_of(self, record: int) -> Position:
        file, line = self.model.line_of(record)
        return Position(file, line)

    def at_position(self, position: Position) -> BoolArray:
        return self.model.matches_line(position.file, position.line)

    def add_to_menu(self, menu: QMenu, record: int) -> None:
        if self.path_of(record) is not None:
            menu.addAction("Open in &Editor", lambda: self.edit(record))

    def path_of(self, record: int) -> tuple[Path, int] | None:
        """File and line to edit for a record; None where the file is not here."""
        file, line = self.model.line_of(record) if record >= 0 else (-1, 0)
        return (self._paths[file], max(1, line)) if file in self._paths else None

    def edit(self, record: int) -> None:
        """Ask for an editor at the line."""
        place = self.path_of(record)
        if place is not None:
            self.wanted_editor.emit(*place)

    # ---------------------------------------------------------------- colours

    def _color(self) -> None:
        """Colour the lines in sight, and then those around them, in a job."""
        context = self.navigation.context
        if not context.annotation.syntax_colors or self.session.questions is None:
            return
        chunks = self.model.uncolored(self._records_in_sight())[:1]
        if not chunks:
            return
        (file, number), names = chunks[0], self.session.questions.profile.texts
        text, name = self.model.texts[file], names[file]
        first = number * CHUNK

        def work(progress: Progress) -> Highlights:
            return highlight(text, name, first, first + CHUNK, progress)

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
