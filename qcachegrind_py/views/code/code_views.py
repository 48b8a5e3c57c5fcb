"""The docks Source and Assembler, whose code is read by a background job.

A header above the code holds the search and the dock's controls, and a bar appears there if a file
is missing. A ruler beside the code shows where the costs are; a note below, its origin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    CodePlace,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.code_instructions import (
    NO_INSTRUCTIONS,
    LoadedInstructions,
    load_instructions,
)
from qcachegrind_py.present.code_lines import (
    CHUNK_LINES,
    NO_LINES,
    LoadedSource,
    SourceRequest,
    load_source,
)
from qcachegrind_py.present.code_listing import Chunk, CodeListing, LoadedCode
from qcachegrind_py.present.code_records import CodeRows, RecordKind
from qcachegrind_py.present.context import Change, Context, Position
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, TextId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.text_file import Highlights, highlight
from qcachegrind_py.views.code.code_cells import CodeModel
from qcachegrind_py.views.code.code_header import CodeHeader, FileSelector
from qcachegrind_py.views.code.code_table import CodePanel, CodeTable
from qcachegrind_py.views.profile_view import JobView, stacked
from qcachegrind_py.views.widgets.controls import FindEdit, NoteLabel, text_button
from qcachegrind_py.views.widgets.empty_page import no_instructions_reason, no_source_reason
from qcachegrind_py.views.widgets.missing_files import (
    BaseProgramBar,
    BaseSourceBar,
    MissingFileBar,
    use_base_program,
)

_CODE_CHANGES = Change.PROFILE | Change.FUNCTION | Change.SCOPE | Change.ANNOTATION | Change.NAMES
_MAX_TARGETS = 10  # jump targets in a menu
_COST_CHANGES = Change.EVENT | Change.UNIT | Change.NUMBERS
_KINDS = {  # of self and inclusive costs
    False: (NumberKind.LINE_SELF, NumberKind.LINE_INCLUSIVE),
    True: (NumberKind.INSTRUCTION_SELF, NumberKind.INSTRUCTION_INCLUSIVE),
}


@frozen(eq=True)
class _ScrollState:
    """The scroll state by position in the code, because loading it again changes the rows."""

    current: Position | None
    visible: Position | None
    top: int  # pixels between the top and the visible position


class CodeView(JobView):
    """A view of annotated code, which subclasses load in a job."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.COLORS | Change.FILTER)
    invalidated_by = Change.PROFILE
    sets_initial_position = False  # whether a newly shown function sets the common position
    editor_requested = Signal(object, object)  # Path, int: the file and line to edit
    _loaded: LoadedCode | None = None  # the shown code

    def __init__(self, session: Session, title: str, empty: CodeListing) -> None:
        super().__init__(session, title)
        self.model = CodeModel(empty, self)
        self.table = CodeTable(self.model, title)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.record_selected.connect(self._publish_position)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_notes())
        self.table.record_activated.connect(self._follow_jump)
        self.table.record_menu_requested.connect(self._fill_line_menu)
        self.missing_file_bar = MissingFileBar()
        self.note = NoteLabel()
        self.panel = CodePanel(self.table, self.model)
        self.match_label = QLabel()
        self.search = FindEdit(f"Find in {title.lower()}")
        self.search.textChanged.connect(lambda: self._apply_search())
        self.search.returnPressed.connect(lambda: self.show_next_match())
        self._matches = np.empty(0, np.int64)  # records that the search found, in their order
        self._shown_code: object = None  # if it is shown again, its scroll state is restored

    def arrange(
        self, first: Sequence[QWidget], actions: Sequence[QAction], base_bar: QWidget
    ) -> None:
        """Lay out header, the bars of what is missing, code and note."""
        header = CodeHeader(first, self.search, self.match_label, actions)
        for button in header.buttons:
            button.pressed.connect(self.table.setFocus)  # actions apply to the panel with the focus
        parts = header, self.missing_file_bar, base_bar, self.panel, self.note
        self.set_content(stacked(QWidget(), *parts, most=self.panel))
        self.initial_focus = self.table

    # ---------------------------------------------------------------- for the subclasses

    def missing_code_reason(self, query: ViewQuery) -> str:
        """Return why there is no code; empty if there may be some."""
        raise NotImplementedError

    def loading_job(self, query: ViewQuery) -> Callable[..., object]:
        raise NotImplementedError

    def show_code(self, loaded: Any, query: ViewQuery) -> None:
        self._loaded = loaded
        hides_inlined = query.context.annotation.hide_inlined
        listing = CodeListing.of(loaded.code, loaded.costs(query), hides_inlined=hides_inlined)
        self.model.show_listing(listing)
        side = "New" if query.is_comparing else ""
        self.missing_file_bar.show_problem(loaded.problem, loaded.problem_file, side)
        self._show_notes()

    def show_costs(self, query: ViewQuery) -> None:
        if self._loaded is not None:
            self.model.show_costs(self._loaded.costs(query))

    def content_inputs(self, context: Context) -> object:
        """Return the inputs of the code; a result loaded for other inputs is discarded."""
        scopes = context.scope, context.base_parts
        files = context.files, context.base_search
        return context.profile, scopes, context.function, files, context.annotation

    def _fill_line_menu(self, menu: QMenu, record: int) -> None:
        """Add the actions for a line or instruction, and those for the function that has it."""
        self.fill_record_menu(menu, record)
        menu.addSeparator()
        self.menu_requested.emit(menu, self.navigation.context.function)

    def fill_record_menu(self, menu: QMenu, record: int) -> None:
        """Add the actions for a line or instruction: one for each of its jump targets."""
        texts = self.model.listing.texts
        targets = texts.rows.records.jump_targets(record)
        for number, target in enumerate(targets[:_MAX_TARGETS]):
            mark = "&" if not number else ""
            text = f"Go to Jump {mark}Target {texts.location(target)}"
            menu.addAction(text, partial(self._go_to, target))

    # ---------------------------------------------------------------- content

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the current line, instruction or call, by the current column."""
        query, record = self.session.query, self.table.current_record()
        return None if query is None or record < 0 else self._number_at(query, record)

    def _number_at(self, query: ViewQuery, record: int) -> NumberRequest | None:
        """Return a cost of the active function.

        None where the cell has another number: a sum over lines that were inlined in several
        places, a line of all functions, or the change of a comparison.
        """
        event, function = query.context.event, query.context.function
        if event is None or query.is_comparing or not query.queries.is_function(function):
            return None
        listing = self.model.listing
        position = listing.texts.position_of(record)
        place = CodePlace(position.file, position.line, position.address)
        is_self = self.table.current_key().startswith("self")
        kind = listing.rows.records.kind[record]
        if kind == RecordKind.CALL:
            is_self, callee = False, listing.rows.function_of(record)
            key = NumberKey(NumberKind.CALL_COST, function, callee, place)
        elif kind == RecordKind.LOCATION:
            kinds = _KINDS[position.address is not None]
            key = NumberKey(kinds[0 if is_self else 1], function, place=place)
        else:
            return None
        costs = listing.costs.first
        shown = (costs.self_cost if is_self else costs.inclusive).new[record]
        if explain(query.queries, key, event, query.context.scope).value != as_number(shown):
            return None
        if query.context.percent_of_function:
            whole = NumberKey(NumberKind.INCLUSIVE, function)
            return number_request(query, key, parent=whole, reason=BaseReason.CODE)
        return number_request(query, key, parent=parent_of_calls(query, function))

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Load the active function's code if it has changed; update costs and highlights."""
        context = query.context
        self.model.highlight(context.selected)
        if change & _CODE_CHANGES:
            self._reload(query)
        elif change & _COST_CHANGES and not self.message:
            self.show_costs(query)
            self._fit_columns(context)
            self.panel.update_ruler()
        if change & Change.POSITION:
            self._show_position(context)

    def _reload(self, query: ViewQuery) -> None:
        message = self.missing_code_reason(query)
        if message:
            self.show_placeholder(message)
        else:
            self.start_job(self.loading_job(query), self._show_loaded)

    def _show_loaded(self, result: object) -> None:
        """Show loaded code with the costs of the present context, which may have changed."""
        query = self.session.query
        if query is not None:
            self.show_code(result, query)

    def cancel_job(self) -> None:
        super().cancel_job()
        self.set_stale(False)

    def set_stale(self, stale: bool) -> None:
        self.table.set_stale(stale)

    def clear(self) -> None:
        self.model.clear()
        self._loaded = None
        self._matches = self._matches[:0]
        self._show_notes()
        self.missing_file_bar.show_problem(None)
        self._shown_code = None

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        context = self.navigation.context
        shown = context.profile, context.function, self.code_identity()
        scroll_state = self._scroll_state() if shown == self._shown_code else None
        super().show_result(result, show)
        self._shown_code = shown
        self._fit_columns(context)
        self._restore_scroll_state(scroll_state, context)
        self.table.forget_seen_lines()
        self._apply_search()

    def _fit_columns(self, context: Context) -> None:
        second_columns = self.model.places("second_self", "second_inclusive")
        self.table.show_columns(second_columns, context.second_event is not None)
        self.table.show_comparison(self.model.listing.is_compared)
        self.table.fit_code()

    def code_identity(self) -> object:
        """Return an identity of the shown code if a function can have several."""
        return None

    # ---------------------------------------------------------------- position

    def _scroll_state(self) -> _ScrollState:
        """Return the current position, and a visible one with its distance from the top."""
        current, (visible, top) = self.table.current_record(), self.table.visible_anchor()
        position_of = self.model.listing.texts.position_of
        return _ScrollState(
            position_of(current) if current >= 0 else None,
            position_of(visible) if visible >= 0 else None,
            top,
        )

    def _restore_scroll_state(self, state: _ScrollState | None, context: Context) -> None:
        """Restore the scroll state; without one, show the common position or the costliest line."""
        records_at = self.model.listing.texts.records_at
        if state is not None:
            if state.current is not None:
                self._select_costliest(records_at(state.current))
            if state.visible is not None and (at_visible := records_at(state.visible)).any():
                visible = self.model.listing.shown_record(int(np.flatnonzero(at_visible)[0]))
                self.table.scroll_record_to(visible, state.top)
        elif context.position is None or not self._select_costliest(
            records_at(context.position), center=True
        ):
            costliest = self.table.costliest_records()
            if costliest:
                self.table.open_at(costliest[0])
                if self.sets_initial_position and context.position is None:
                    self._publish_position(costliest[0])  # other views highlight the same position
            else:
                self.table.go_to_first_cost()
        self._show_position(context)

    def _select_costliest(self, matched: BoolArray, *, center: bool = False) -> bool:
        """Make the costliest of these records current; return whether there is one.

        `matched` is a mask of records.
        """
        records = np.flatnonzero(matched)
        if len(records):
            costs = self.model.listing.costs.first.inclusive.order()[records]
            record = self.model.listing.shown_record(int(records[costs.argmax()]))
            self.table.go_to_record(record, center=center)
        return bool(len(records))

    def _show_position(self, context: Context) -> None:
        position = context.position
        if position is None:
            self.model.set_position(np.zeros(self.model.table.length, bool))
            return
        matched = self.model.listing.texts.records_at(position)
        self.model.set_position(matched)
        current = self.table.current_record()
        if matched.any() and not (current >= 0 and matched[current]):
            self._select_costliest(matched)

    def _follow_jump(self, record: int) -> None:
        """Go to the most frequent jump target of a line or instruction, if the code contains it."""
        for target in self.model.listing.rows.records.jump_targets(record)[:1]:
            self._go_to(target)

    def _go_to(self, record: int) -> None:
        self.table.go_to_record(record)
        self._publish_position(record)

    def _publish_position(self, record: int) -> None:
        if record < 0:
            return
        position = self.model.listing.texts.position_of(record)
        if not position.in_base:
            self.navigation.set(position=position)

    # ---------------------------------------------------------------- notes and search

    def _show_notes(self) -> None:
        """Show the jumps of the current line, followed by the notes on the code."""
        record = self.table.current_record()
        jumps = self.model.listing.texts.jump_texts(record) if record >= 0 else []
        notes = () if self._loaded is None else map(cell_text, self._loaded.notes)
        self.note.setText(" · ".join([*jumps, *notes]))

    def _apply_search(self) -> None:
        """Highlight the matches of the search and show their number."""
        text = self.search.text()
        texts = self.model.listing.texts
        self._matches = texts.containing(text) if text else np.empty(0, np.int64)
        self.table.highlight_text(text)
        text_found = f"{len(self._matches)} found" if len(self._matches) else "not found"
        self.match_label.setText(text_found if text else "")

    def show_next_match(self, step: int = 1) -> None:
        """Go to the next match, or to the previous one if `step` is -1."""
        matches = self._matches
        if not len(matches):
            return
        current = self.table.current_record()
        if step > 0:
            index = int(np.searchsorted(matches, current, side="right"))
        else:
            index = int(np.searchsorted(matches, current, side="left")) - 1
        index %= len(matches)
        self._go_to(int(matches[index]))
        self.table.scroll_to_match()
        self.match_label.setText(f"{index + 1} of {len(matches)}")


_COLORING_DELAY = 80  # ms without scrolling, because colouring slows scrolling down


class SourceView(CodeView):
    """Annotated source. Inlined lines of other files appear in place, and as files of their own."""

    sets_initial_position = True
    _loaded: LoadedSource | None = None

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__(session, "Source", NO_LINES)
        self._request = SourceRequest()
        self._request_scope = (0, NO_NODE)  # profile and function of the requested file
        self._chosen = ("", "")  # names of the function and of the file that was chosen for it
        self.file_selector = FileSelector()
        self.file_selector.file_selected.connect(self._choose_file)
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

    def _choose_file(self, file: TextId) -> None:
        if (query := self.session.query) is not None:
            name = query.queries.names.name(query.active_function())
            self._chosen = name, query.profile.texts[file]
            self._change_request(file=file)

    def _on_changed(self, context: Context, change: Change) -> None:
        profile, _ = before = self._request_scope
        if (context.profile, context.function) != before:
            self._request_scope = context.profile, context.function
            file = NO_TEXT if context.profile == profile else self._chosen_again()
            self._chosen = self._chosen if file != NO_TEXT else ("", "")
            self._request = replace(self._request, file=file)
        super()._on_changed(context, change)

    def _chosen_again(self) -> TextId:
        """Return the file chosen for the function, where the profile is read again or swapped."""
        query, (name, path) = self.session.query, self._chosen
        if not path or query is None or not query.queries.is_function(query.context.function):
            return NO_TEXT
        function, file = query.active_function(), query.profile.texts.index_of(path)
        files = query.queries.lines(function, query.context.scope.parts).file
        is_same = query.queries.names.name(function) == name and bool((files == file).any())
        return file if is_same else NO_TEXT

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
