"""The Control Flow dock: the basic blocks of the active function and the edges between them.

`analysis` finds the blocks; a job loads them and lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks, select_visible_blocks
from qcachegrind_py.models.base.group_colors import node_colors
from qcachegrind_py.models.code.flow_blocks import FlowBlockModel
from qcachegrind_py.models.code.flow_edges import FlowEdgeModel
from qcachegrind_py.present.context import Change, Context, Position
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import text_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.reports.dot import control_flow_dot
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.buttons import text_menu_button
from qcachegrind_py.views.common.empty_reasons import no_instructions_reason
from qcachegrind_py.views.common.missing_files import BaseProgramBar, use_base_program
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.pictures.view import PictureView
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.common.table_actions import table_as_csv
from qcachegrind_py.views.graph.call_graph_style import small_font
from qcachegrind_py.views.graph.control_flow.canvas import FlowCanvas
from qcachegrind_py.views.graph.control_flow.display_options import CHOICES, FlowOptions
from qcachegrind_py.views.graph.control_flow.loader import (
    FlowAppearance,
    LoadedFunction,
    code_inputs,
    flow_style,
    load_function,
)
from qcachegrind_py.views.graph.control_flow.notes import summary_notes
from qcachegrind_py.views.graph.control_flow.scene import FlowPicture, build_picture
from qcachegrind_py.views.graph.control_flow.style import (
    ALL,
    NONE,
    UNABRIDGED,
    FlowStyle,
    edge_text,
)
from qcachegrind_py.views.graph.diagram_canvas import NO_KEY
from qcachegrind_py.views.graph.overview import Corner


class FlowTable(RecordTable):
    """A table of blocks or edges; emits the address of the row the user moves to."""

    address_selected = Signal(object)  # int

    def __init__(self, model: FlowBlockModel | FlowEdgeModel, name: str) -> None:
        super().__init__(model, name)
        self._model = model
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus():
            self.address_selected.emit(self._model.address_of(self._model.record(index)))


NOTHING_RECORDED = "No instruction of this function was recorded."


class ControlFlowView(PictureView):
    """The control flow. A click selects an instruction in all code views, a double click folds."""

    depends_on = ~(Change.EVENTS | Change.SELECTION | Change.FILTER | Change.NAMES)
    options: OptionMenu[FlowOptions]
    has_actual_size = True

    def __init__(self, session: Session, layout: GraphLayout) -> None:
        super().__init__(session, "Control Flow", ())
        self.block_model, self.edge_model = FlowBlockModel(self), FlowEdgeModel(self)
        self.flow_tables = (
            FlowTable(self.block_model, "Basic blocks"),
            FlowTable(self.edge_model, "Edges"),
        )
        self._layout = layout
        self._loaded: LoadedFunction | None = None
        self._block_overrides: dict[
            int, str
        ] = {}  # shown instructions of single blocks, by address, instead of the option
        self.canvas = FlowCanvas()
        self.canvas.address_selected.connect(self.select_address)
        self.canvas.fold_requested.connect(self.toggle_fold)
        self.canvas.all_lines_requested.connect(
            lambda address: self.set_block_instructions(address, UNABRIDGED)
        )
        self.canvas.menu_requested.connect(self._fill_menu)
        self.canvas.detail_changed.connect(self.show_detail)
        self.canvas.font_changed.connect(lambda: self.refresh_for(Change.EVENT))
        self.options = OptionMenu(self, FlowOptions(), CHOICES)
        self._last_instructions = self.options.current.instructions
        tip = "Options of the control flow graph"
        self.base_bar = BaseProgramBar()
        self.base_bar.chosen.connect(partial(use_base_program, self.navigation))
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.base_bar)
        column.addWidget(self.canvas, 1)
        self.arrange(
            picture,
            text_menu_button("&Options", tip, self.options.fill),
        )
        for table in self.flow_tables:
            table.address_selected.connect(self._show_address)
            self.table_splitter.addWidget(table)
        self.initial_focus = self.canvas

    # ---------------------------------------------------------------- content

    def shown_canvases(self) -> list[FlowCanvas]:
        return [self.canvas]

    def invalidate(self) -> None:
        super().invalidate()
        self._block_overrides = {}

    def clear(self) -> None:
        self._loaded = None
        self.canvas.clear()
        self.block_model.clear()
        self.edge_model.clear()

    def content_inputs(self, context: Context) -> object:
        return code_inputs(context), context.event

    def show_reason_if_empty(self, query: ViewQuery) -> bool:
        message = no_instructions_reason(query)
        if message:
            self.show_placeholder(message)
        return bool(message)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Start building the picture, or highlight another position in it."""
        context = query.context
        if change & (Change.PROFILE | Change.FUNCTION):
            self._block_overrides = {}
        if change == Change.POSITION:
            self._highlight_position(context.position, scroll=True)
        elif not self.show_reason_if_empty(query) and context.event is not None:
            files_are_known = not change & Change.ANNOTATION  # files may have appeared since
            self._start_building(query, context.event, files_are_known)

    def _start_building(self, query: ViewQuery, event: EventType, files_are_known: bool) -> None:
        layout, appearance = self._layout, self._appearance(query)
        loaded = self._loaded
        loaded = loaded if loaded and loaded.inputs == code_inputs(query.context) else None
        anchor_address = self.canvas.key_of(self.canvas.current) if loaded else NO_KEY
        reusable = loaded if files_are_known else None

        def work(progress: Progress) -> tuple[LoadedFunction, FlowPicture | None]:
            layout.prepare()
            function = reusable or load_function(query, progress)
            if not len(function.blocks):
                return function, None
            style = flow_style(query, event, function, appearance)
            visible = _visible_blocks(function, style, appearance.options.least_block)
            return function, build_picture(
                visible, style, appearance.options.horizontal, anchor_address, layout, progress
            )

        self.start_job(work, self._show_picture)

    def _appearance(self, query: ViewQuery) -> FlowAppearance:
        font = self.canvas.font()
        code_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        if font.pointSizeF() > 0:
            code_font.setPointSizeF(small_font(font).pointSizeF())
        color = node_colors(query)(query.context.function)
        return FlowAppearance(
            color, font, code_font, self.options.current, dict(self._block_overrides)
        )

    def _show_picture(self, result: tuple[LoadedFunction, FlowPicture | None]) -> None:
        loaded, picture = result
        query = self.session.query
        if picture is None or query is None:
            self.show_empty_picture(NOTHING_RECORDED)
            return
        self._loaded, style = loaded, picture.style
        self.canvas.set_picture(picture)
        self._highlight_position(query.context.position, scroll=False)
        function, blocks = loaded.function, loaded.blocks
        sides = style.sides
        costs = (style.self_cost, style.inclusive)
        if sides is not None:
            costs = (sides.change, sides.inclusive_change)
        self.block_model.set_blocks(function, blocks, *costs, style.format, sides)
        self.edge_model.set_edges(function, blocks, style.format, sides)
        for table in self.flow_tables:
            table.show_comparison(sides is not None)
            table.fit_numbers()
        self._show_base_problem(loaded)
        self.note.setText(" · ".join(summary_notes(picture, loaded, query.profile)))

    def _show_base_problem(self, loaded: LoadedFunction) -> None:
        """Say why nothing is compared, if the program of the base is not known."""
        base = loaded.base
        if base is None or base.code.is_paired:
            self.base_bar.show_problem(None, "")
        else:
            self.base_bar.show_problem(base.code.problem, base.code.base_object)

    # ---------------------------------------------------------------- selected instruction

    def select_address(self, address: int) -> None:
        """Set the common position to an instruction and its source line."""
        if self._loaded is None:
            return
        lines = self._loaded.whole
        # an instruction without cost usually belongs to the line of the one before
        row = int(np.searchsorted(lines.address, np.uint64(address), "right")) - 1
        file, line = text_at(lines.file, max(0, row)), int(lines.line[max(0, row)])
        self.navigation.set(position=Position(file, line, address))

    def _show_address(self, address: int) -> None:
        """Go to the visible block with this instruction, and select the instruction."""
        for key in self._block_keys_at(np.array([address], np.uint64)):
            keys = list(self.canvas.picture.keys) if self.canvas.picture is not None else []
            if key in keys:
                self.canvas.set_current(keys.index(key))
        self.select_address(address)

    def _highlight_position(self, position: Position | None, *, scroll: bool) -> None:
        """Highlight the instruction of a position, or all those of its line, and their blocks."""
        if self._loaded is None:
            return
        addresses = np.empty(0, np.uint64)
        if position is not None:
            lines = self._loaded.whole
            of_line = (lines.file == position.file) & (lines.line == position.line)
            addresses = lines.address[of_line & (lines.line > 0)]  # line 0 means unknown
            if position.address is not None and not position.in_base:
                addresses = np.array([position.address], np.uint64)
        keys = self._block_keys_at(addresses)
        self.canvas.highlight(addresses.tolist(), keys, scroll=scroll)

    def _block_keys_at(self, addresses: UInt64Array) -> list[int]:
        """Return the keys of the blocks with instructions at these addresses."""
        if self._loaded is None:
            return []
        blocks = self._loaded.blocks
        keys: list[int] = blocks.address[blocks.first[blocks.blocks_at(addresses)]].tolist()
        return keys

    # ---------------------------------------------------------------- options and folding

    def apply_options(self) -> None:
        self.canvas.overview.set_corner(Corner(self.options.current.corner))

    def _on_options(self) -> None:
        if self.options.current.instructions != self._last_instructions:
            self._block_overrides, self._last_instructions = {}, self.options.current.instructions
        super()._on_options()

    def toggle_fold(self, address: int) -> None:
        """Fold or unfold the block at an address."""
        option = self.options.current.instructions
        is_folded = self._block_overrides.get(address, option) == NONE
        self.set_block_instructions(
            address, (option if option != NONE else ALL) if is_folded else NONE
        )

    def set_block_instructions(self, address: int, instructions: str) -> None:
        """Set which instructions one block shows."""
        self._block_overrides[address] = instructions
        self.canvas.move_current_to(address)
        self.refresh_for(Change.EVENT)

    def _fill_menu(self, menu: QMenu, address: int) -> None:
        if address != NO_KEY:
            menu.addAction("&Fold or Unfold\tReturn", partial(self.toggle_fold, address))
            menu.addAction(
                "Show &All Instructions", partial(self.set_block_instructions, address, UNABRIDGED)
            )
            menu.addSeparator()
        if self._loaded is not None and self._loaded.base is not None:
            self.base_bar.add_action(menu, self._loaded.base.code.base_object)
        menu.addAction("&Fit in Window\t0", self.canvas.fit)
        menu.addAction("&Actual Size\t1", self.canvas.zoom_to_actual_size)
        self.options.fill(menu.addMenu("O&ptions"))
        self.fill_export_menu(menu.addMenu("E&xport"))
        menu.addSeparator()
        self.menu_requested.emit(menu, self.navigation.context.function)

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade blocks without an instruction that matches the search."""
        rows, text = self.matches(), self.search.text()
        self.canvas.highlight_matches(text, set(rows) if text else None)
        self.match_label.setText(f"{len(rows)} of {len(self.canvas.nodes)}" if text else "")

    def show_match(self, match: int) -> None:
        self.canvas.show_match(match)

    def matches(self) -> list[int]:
        text, picture = self.search.text().lower(), self.canvas.picture
        if not text or picture is None:
            return []
        return [row for row, search_text in enumerate(picture.search_texts) if text in search_text]

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": self._as_dot,
            "CSV": lambda: (
                table_as_csv(self.flow_tables[0]) + "\n" + table_as_csv(self.flow_tables[1])
            ),
        }

    def _as_dot(self) -> str:
        picture = self.canvas.picture
        if picture is None:
            return ""
        edges, style = picture.visible_blocks.blocks.edges, picture.style
        counts = zip(edges.kind.tolist(), edges.count.tolist(), strict=True)
        return control_flow_dot(
            picture.visible_blocks,
            [
                [text.title, f"{text.cost} {text.executed}".strip()]
                + [f"{line.text}  {line.cost}".strip() for line in text.lines]
                for text in picture.blocks
            ],
            [
                edge_text(style, EdgeKind(kind), count, row)
                for row, (kind, count) in enumerate(counts)
            ],
            horizontal=picture.is_horizontal,
        )


def _visible_blocks(function: LoadedFunction, style: FlowStyle, least: float) -> VisibleBlocks:
    """Select the blocks to draw; in a comparison those that cost enough on either side."""
    blocks, sides = function.blocks, style.sides
    cost = blocks.self_cost[0] if style.format.is_ratio else style.self_cost
    if sides is None:
        return select_visible_blocks(blocks, cost, least)
    if not style.format.is_ratio:
        cost = np.maximum(cost, sides.blocks.cost.base)
    return select_visible_blocks(blocks, cost, least, base_count=sides.edge_count.base)
