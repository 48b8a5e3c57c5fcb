"""The Control Flow dock: the basic blocks of the active function and the edges between them.

`analysis` finds the blocks; a job loads them and lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.analysis.code.basic_blocks import NEVER_EXECUTED
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Change, Context, Position
from qcachegrind_py.present.control_flow import (
    ALL,
    COSTLY,
    NO_BLOCKS,
    NO_EDGES,
    NONE,
    UNABRIDGED,
    LoadedFunction,
    block_table,
    code_inputs,
    edge_table,
    load_function,
)
from qcachegrind_py.present.control_flow_picture import (
    FlowContent,
    FlowLook,
    build_flow,
    edge_text,
    summary_notes,
)
from qcachegrind_py.present.picture import Arrangement
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import text_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.pictures.diagram_items import DiagramItems, FontMeasure
from qcachegrind_py.views.pictures.diagram_overview import CORNER_CHOICE, Corner
from qcachegrind_py.views.pictures.view import PICTURE_MENU, DiagramView
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import node_colors
from qcachegrind_py.views.widgets.controls import Choice, OptionMenu, text_menu_button
from qcachegrind_py.views.widgets.empty_page import no_instructions_reason
from qcachegrind_py.views.widgets.missing_files import BaseProgramBar, use_base_program
from qcachegrind_py.write.dot import control_flow_dot

_FLOW_GAPS = (26.0, 34.0)


@frozen(eq=True)
class FlowOptions:
    """Which blocks and instructions the control flow shows, and how it is laid out."""

    least_block: float = 0.0  # share of the function's self cost; NEVER_EXECUTED for all blocks
    instructions: str = ALL
    addresses: bool = True
    horizontal: bool = False
    corner: str = Corner.AUTOMATIC.value

    @property
    def arrangement(self) -> Arrangement:
        return Arrangement(self.horizontal, *_FLOW_GAPS)


FLOW_CHOICES = {
    "least_block": Choice(
        "Minimum &Block Cost",
        "Hide blocks below this share of the function's self cost",
        (
            (NEVER_EXECUTED, "&All, Including Never Executed"),
            (0.0, "All &Executed"),
            *((share, f"{share * 100:g} %") for share in (0.001, 0.002, 0.005, 0.01, 0.02)),
            *((share, f"{share * 100:g} %") for share in (0.05, 0.1)),
        ),
    ),
    "instructions": Choice(
        "&Instructions",
        "Which instructions the blocks show",
        ((NONE, "&None"), (COSTLY, "&Costly"), (ALL, "&All")),
    ),
    "addresses": Choice("A&ddresses", "Show the address of each instruction"),
    "horizontal": Choice(
        "&Direction",
        "Direction of control flow",
        ((False, "&Top to Bottom"), (True, "&Left to Right")),
    ),
    "corner": CORNER_CHOICE,
}


class FlowTable(RecordTable):
    """A table of blocks or edges; emits the address of the row the user moves to."""

    address_selected = Signal(object)  # int

    def __init__(self, model: TableModel, name: str, address: str) -> None:
        """`address` is the key of the column with the addresses."""
        super().__init__(model, name)
        self._model, self._address = model, address
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus():
            cells = self._model.table.column(self._address).cells
            self.address_selected.emit(int(cells.text(self._model.record(index)), 16))


_Result = tuple[LoadedFunction, tuple[FlowContent, DiagramItems] | None]  # None: no blocks
NOTHING_RECORDED = "No instruction of this function was recorded."


class ControlFlowView(DiagramView):
    """The control flow. A click selects an instruction in all code views, a double click folds."""

    depends_on = ~(Change.EVENTS | Change.SELECTION | Change.FILTER | Change.NAMES)
    options: OptionMenu[FlowOptions]

    def __init__(self, session: Session, layout: GraphLayout) -> None:
        self.block_model, self.edge_model = TableModel(NO_BLOCKS), TableModel(NO_EDGES)
        tables = (
            FlowTable(self.block_model, "Basic blocks", "first"),
            FlowTable(self.edge_model, "Edges", "from"),
        )
        super().__init__(session, "Control Flow", tables, layout)
        self.block_model.setParent(self)
        self.edge_model.setParent(self)
        self.content: FlowContent | None = None
        self._loaded: LoadedFunction | None = None
        # shown instructions of single blocks, by address, instead of the option
        self._block_overrides: dict[int, str] = {}
        self.canvas.selected.connect(self.select_address)
        self.canvas.activated.connect(self.toggle_fold)
        self.canvas.unfold_requested.connect(self.show_all_instructions)
        self.options = OptionMenu(self, FlowOptions(), FLOW_CHOICES)
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
        self.arrange(picture, text_menu_button("&Options", tip, self.options.fill))
        for table in tables:
            table.address_selected.connect(self._show_address)

    # ---------------------------------------------------------------- content

    def invalidate(self) -> None:
        super().invalidate()
        self._block_overrides = {}

    def clear(self) -> None:
        self._loaded = self.content = None
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
        layout, look, options = self.layout_engine, self._look(query), self.options.current
        loaded = self._loaded
        loaded = loaded if loaded and loaded.inputs == code_inputs(query.context) else None
        anchor_address = self.canvas.key_of(self.canvas.current) if loaded else -1
        reusable = loaded if files_are_known else None

        def work(progress: Progress) -> _Result:
            layout.prepare()
            function = reusable or load_function(query, progress)
            if not len(function.blocks):
                return function, None
            content = build_flow(
                query, event, function, options.least_block, options.arrangement, look,
                anchor_address, layout, progress,
            )  # fmt: skip
            return function, (content, DiagramItems(content.diagram))

        self.start_job(work, self._show_flow)

    def _look(self, query: ViewQuery) -> FlowLook:
        fonts, options = self.canvas.fonts, self.options.current
        plain, small, code = map(FontMeasure, (fonts.plain, fonts.small, fonts.code))
        color = node_colors(query)(query.context.function).name()
        overrides = dict(self._block_overrides)
        return FlowLook(
            color, plain, small, code, options.instructions, overrides, options.addresses
        )

    def _show_flow(self, result: _Result) -> None:
        loaded, picture = result
        query = self.session.query
        if picture is None or query is None:
            self.show_placeholder(NOTHING_RECORDED)
            return
        content, items = picture
        self._loaded, self.content, flow = loaded, content, content.flow
        self.canvas.show_diagram(items)
        self._highlight_position(query.context.position, scroll=False)
        self.block_model.show(block_table(flow, loaded.function))
        self.edge_model.show(edge_table(flow, loaded.function))
        self.fit_tables(is_compared=flow.is_compared)
        self._show_base_problem(loaded)
        self.note.setText(" · ".join(summary_notes(content, loaded, query.profile)))

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
            if self.canvas.picture is not None:
                self.canvas.set_current(self.canvas.picture.box_of(key))
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
        self.canvas.mark(keys, frozenset(addresses.tolist()), scroll=scroll)

    def _block_keys_at(self, addresses: UInt64Array) -> list[int]:
        if self._loaded is None:
            return []
        blocks = self._loaded.blocks
        keys: list[int] = blocks.address[blocks.first[blocks.blocks_at(addresses)]].tolist()
        return keys

    # ---------------------------------------------------------------- options and folding

    def _on_options(self) -> None:
        if self.options.current.instructions != self._last_instructions:
            self._block_overrides, self._last_instructions = {}, self.options.current.instructions
        super()._on_options()

    def toggle_fold(self, address: int) -> None:
        option = self.options.current.instructions
        is_folded = self._block_overrides.get(address, option) == NONE
        self.set_block_instructions(
            address, (option if option != NONE else ALL) if is_folded else NONE
        )

    def set_block_instructions(self, address: int, instructions: str) -> None:
        self._block_overrides[address] = instructions
        self.canvas.move_current_to(address)
        self.refresh_for(Change.EVENT)

    def show_all_instructions(self, address: int) -> None:
        self.set_block_instructions(address, UNABRIDGED)

    def fill_menu(self, menu: QMenu, box: int) -> None:
        of_picture = menu
        if (address := self.canvas.key_of(box)) >= 0:
            menu.addAction("Expand or Co&llapse\tReturn", partial(self.toggle_fold, address))
            menu.addAction("Show All Instruc&tions", partial(self.show_all_instructions, address))
            of_picture = menu.addMenu(PICTURE_MENU)
        if self._loaded is not None and self._loaded.base is not None:
            self.base_bar.add_action(of_picture, self._loaded.base.code.base_object)
        self.add_picture_actions(of_picture)
        self.menu_requested.emit(menu, self.navigation.context.function)

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade blocks without an instruction that matches the search."""
        rows, text = self.matches(), self.search.text()
        self.canvas.set_matches(set(rows) if text else None, text)
        self.show_matches(rows, text)

    def matches(self) -> list[int]:
        text, content = self.search.text().lower(), self.content
        if not text or content is None:
            return []
        return [row for row, search_text in enumerate(content.search_texts) if text in search_text]

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": lambda: "" if self.content is None else flow_as_dot(self.content),
            **super().text_exports(),
        }


def flow_as_dot(content: FlowContent) -> str:
    flow, diagram = content.flow, content.diagram
    return control_flow_dot(
        content.visible,
        [
            [box.name, f"{box.cost} {box.count}".strip()]
            + [f"{line.text}  {line.cost}".strip() for line in box.lines]
            for box in diagram.boxes
        ],
        [edge_text(flow, row) for row in range(len(flow.blocks.edges))],
        horizontal=diagram.is_horizontal,
    )
