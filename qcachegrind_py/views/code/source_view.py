"""The Source dock: a source file of the active function with the costs of its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu

from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.present.code_lines import (
    CHUNK_LINES,
    MAX_FILES,
    NO_LINES,
    LoadedSource,
    SourceRequest,
    load_source,
)
from qcachegrind_py.present.code_listing import Chunk
from qcachegrind_py.present.code_records import CodeRows
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, TextId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.highlighting import Highlights, highlight
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.widgets.buttons import text_button
from qcachegrind_py.views.widgets.empty_page import no_source_reason
from qcachegrind_py.views.widgets.labels import tip_text
from qcachegrind_py.views.widgets.missing_files import BaseSourceBar

_COLORING_DELAY = 80  # ms without scrolling, because colouring slows scrolling down
_MIN_LENGTH, _MAX_LENGTH = 10, 40  # digits


class FileSelector(QComboBox):
    """A combo box of files with their self costs.

    Costs come before names: the box cuts long texts off, and a cut number would be a wrong one.
    """

    file_selected = Signal(object)  # TextId

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Source file")
        self.setToolTip(_tip(0))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.setMinimumWidth(digit * _MIN_LENGTH)
        self.setMaximumWidth(digit * _MAX_LENGTH)
        self.activated.connect(lambda row: self.file_selected.emit(self.itemData(row)))

    def set_files(
        self, costs: Mapping[TextId, str], shown: TextId, names: StringTable, count: int
    ) -> None:
        """List these files with their costs, out of so many, and select the one that is shown."""
        self.clear()
        for (file, cost), name in zip(costs.items(), short_paths(names.lookup(costs)), strict=True):
            self.addItem(cell_text(f"{cost}  {name}".strip()), file)
            tip = tip_text(names[file])
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(list(costs).index(shown))
        self.setToolTip(_tip(count))


def _tip(files: int) -> str:
    if files <= MAX_FILES:
        return "Source files of the function"
    return f"The {MAX_FILES} costliest of {files} source files of the function"


class SourceView(CodeView):
    """Annotated source. Inlined lines of other files appear in place, and as files of their own."""

    sets_initial_position = True
    _loaded: LoadedSource | None = None

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Source", NO_LINES)
        self._request = SourceRequest()
        self._request_scope = (0, NO_NODE)  # profile and function of the requested file
        self.file_selector = FileSelector()
        self.file_selector.file_selected.connect(lambda file: self._change_request(file=file))
        self.whole_file_button = text_button("&Whole File", "Costs of all functions in the file")
        self.whole_file_button.setCheckable(True)
        self.whole_file_button.toggled.connect(lambda on: self._change_request(is_whole_file=on))
        self.missing_file_bar.large_file_requested.connect(
            lambda path: self._change_request(accepted_large=self._request.accepted_large | {path})
        )
        self.model.colored.connect(self.table.update_colors)
        self._coloring_timer = QTimer(self, singleShot=True)
        self._coloring_timer.timeout.connect(self._start_coloring)
        self.table.verticalScrollBar().valueChanged.connect(
            lambda _: self._coloring_timer.start(_COLORING_DELAY)
        )
        self.base_bar = BaseSourceBar(self.navigation)
        self.arrange((self.file_selector, self.whole_file_button), actions, self.base_bar)

    # ---------------------------------------------------------------- loading

    def missing_code_reason(self, query: ViewQuery) -> str:
        return no_source_reason(query)

    def _change_request(self, **change: Any) -> None:
        self._request = replace(self._request, **change)
        self.refresh_for(Change.ANNOTATION)

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), self._request

    def code_identity(self) -> object:
        return self._request.file, self._request.is_whole_file

    def loading_job(self, query: ViewQuery) -> Callable[[Progress], LoadedSource]:
        request = self._request
        return lambda progress: load_source(query, request, progress)

    def show_code(self, loaded: LoadedSource, query: ViewQuery) -> None:
        self.model.is_folded = query.context.annotation.fold_source
        super().show_code(loaded, query)
        self._fill_file_selector(loaded, query)
        self.base_bar.show_source(loaded.base)
        self._coloring_timer.start(0)

    def show_costs(self, query: ViewQuery) -> None:
        super().show_costs(query)
        if self._loaded is not None:
            self._fill_file_selector(self._loaded, query)

    def _fill_file_selector(self, loaded: LoadedSource, query: ViewQuery) -> None:
        event = query.context.event
        if event is not None:
            unit = self.model.listing.costs.first.inclusive.unit
            costs = loaded.file_costs_in(query, event, unit)
            names, count = query.profile.texts, len(loaded.files)
            self.file_selector.set_files(costs, loaded.code.own_file, names, count)

    def clear(self) -> None:
        super().clear()
        self.session.jobs.cancel(f"{self.title} colours")
        self.base_bar.show_source(None)
        self.file_selector.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        if (context.profile, context.function) != self._request_scope:
            self._request_scope = context.profile, context.function
            self._request = replace(self._request, file=NO_TEXT)
        super()._on_changed(context, change)

    # ---------------------------------------------------------------- lines

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        super().fill_record_menu(menu, record)
        self.base_bar.add_actions(menu)
        if self.editable_location(record) is not None:
            menu.addAction("Open Lin&e in Editor", lambda: self.open_in_editor(record))

    def editable_location(self, record: int) -> tuple[Path, int] | None:
        """Return the file and line to edit for a record; None if the file was not found."""
        loaded = self._loaded
        if loaded is None:
            return None
        file, base_line, line = (NO_TEXT, 0, 0)
        if record >= 0:
            file, base_line, line = loaded.code.sides_of(record)
        if loaded.base is not None and (not line or file not in loaded.texts):
            text, line = loaded.base.texts.get(file), base_line or line
        else:
            text = loaded.texts.get(file)
        return (text.path, max(1, line)) if text else None

    def open_in_editor(self, record: int) -> None:
        location = self.editable_location(record)
        if location is not None:
            self.editor_requested.emit(*location)

    # ---------------------------------------------------------------- colours

    def _start_coloring(self) -> None:
        """Start a job that colours visible lines first, then those around them."""
        loaded, style = self._loaded, self.navigation.context.annotation
        if not style.syntax_colors or self.session.queries is None or loaded is None:
            return
        code = loaded.code
        chunks = code.uncolored(self._visible_records(), self.model.colors)[:1]
        if not chunks:
            return
        (file, number), names = chunks[0], self.session.queries.profile.texts
        text, name = code.texts[file], names[file]
        first = number * CHUNK_LINES

        def work(progress: Progress) -> Highlights:
            return highlight(text, name, first, first + CHUNK_LINES, progress)

        job = self.session.jobs.start(f"{self.title} colours", work)
        shown = self.model.listing.rows
        job.finished.connect(lambda colors: self._add_colors(shown, chunks[0], colors))

    def _add_colors(self, shown: CodeRows, chunk: Chunk, colors: Highlights) -> None:
        if shown is self.model.listing.rows:
            self.model.add_colors(chunk, colors)
            self._coloring_timer.start(0)

    def _visible_records(self) -> list[int]:
        """Return the visible records, then those within one page above and below."""
        table, order = self.table, self.model.order
        height = table.viewport().height()
        first, last = table.rowAt(0), table.rowAt(height)
        page = max(1, height // max(1, table.verticalHeader().defaultSectionSize()))
        first = max(0, first) if first >= 0 else 0
        last = last if last >= 0 else len(order) - 1
        visible = order[first : last + 1].tolist()
        nearby = order[max(0, first - page) : last + 1 + page].tolist()
        return [*visible, *nearby]
