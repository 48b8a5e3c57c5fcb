"""The control flow of the active function: its basic blocks, and how control went between them.

Which blocks there are is said by `analysis.basic_blocks`, where they stand is worked out in a job;
this only asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks, select_visible_blocks
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.models.code.flow_blocks import FlowBlockModel
from qcachegrind_py.models.code.flow_edges import FlowEdgeModel
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.reports.dot import control_flow_dot
from qcachegrind_py.session.context import Change, Context, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.buttons import menu_button
from qcachegrind_py.views.common.context_formats import color_of
from qcachegrind_py.views.common.empty_reasons import why_no_code
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.picture_view import PictureView
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.common.table_actions import as_csv
from qcachegrind_py.views.graph.call_graph_style import small_font
from qcachegrind_py.views.graph.control_flow.canvas import FlowCanvas
from qcachegrind_py.views.graph.control_flow.display_options import CHOICES, FlowOptions
from qcachegrind_py.views.graph.control_flow.items import LEGEND
from qcachegrind_py.views.graph.control_flow.loader import (
    ReadFunction,
    Style,
    asked_of,
    flow_look,
    read_function,
)
from qcachegrind_py.views.graph.control_flow.scene import FlowPicture, draw_up
from qcachegrind_py.views.graph.control_flow.style import ALL, EVERY, NONE, edge_text
from qcachegrind_py.views.graph.diagram_canvas import NO_KEY, zoom_buttons
from qcachegrind_py.views.graph.overview import Corner


class FlowTable(RecordTable):
    """Says which address the user went to."""

    chosen_address = Signal(object)  # int

    def __init__(self, model: FlowBlockModel | FlowEdgeModel, name: str) -> None:
        super().__init__(model, name)
        self._model = model
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus():
            self.chosen_address.emit(self._model.address_of(self._model.record(index)))


NOTHING_RECORDED = "No instruction of this function was recorded."
_NO_JUMPS = "no jumps were recorded: --collect-jumps=yes says how often control went where"
_NO_COUNTS = "the first event is not Ir: most counts are not known"


class ControlFlowView(PictureView):
    """A click chooses a block or an instruction, in all views of code; a double click folds."""

    concerns = ~(Change.EVENTS | Change.SELECTION | Change.FILTER | Change.NAMES)
    options: OptionMenu[FlowOptions]

    def __init__(self, session: Session, navigation: Navigation, layout: GraphLayout) -> None:
        super().__init__(session, navigation, "Control Flow", ())
        self.blocks, self.edges = FlowBlockModel(self), FlowEdgeModel(self)
        self.lists = FlowTable(self.blocks, "Basic blocks"), FlowTable(self.edges, "Edges")
        self._layout = layout
        self._read: ReadFunction | None = None
        self._own: dict[int, str] = {}  # what blocks show, where it is not what the options say
        self.flow = FlowCanvas()
        self.flow.chosen_address.connect(self.choose)
        self.flow.wanted_folding.connect(self.toggle)
        self.flow.wanted_rest.connect(lambda address: self.show_in_block(address, EVERY))
        self.flow.wanted_menu.connect(self._fill_menu)
        self.flow.font_changed.connect(lambda: self.show_again(Change.EVENT))
        self.options = OptionMenu(self, FlowOptions(), CHOICES)
        self._instructions = self.options.options.instructions
        tip = "Which blocks are drawn, and how"
        self.arrange(
            self.flow, menu_button("&Options", tip, self.options.fill), *zoom_buttons(self.flow)
        )
        for table in self.lists:
            table.chosen_address.connect(self._show_address)
            self.side.addWidget(table)
        self.first = self.flow

    # ---------------------------------------------------------------- drawing up

    def shown_canvases(self) -> list[FlowCanvas]:
        return [self.flow]

    def renumber(self) -> None:
        super().renumber()
        self._own = {}

    def forget(self) -> None:
        self._read = None
        self.flow.clear()
        self.blocks.clear()
        self.edges.clear()

    def asked_for(self, context: Context) -> object:
        return asked_of(context), context.event

    def why_nothing(self, queries: ProfileQueries, context: Context) -> bool:
        message = why_no_code(queries, context)
        if message:
            self.say_instead(message)
        return bool(message)

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Draw up the blocks of the active function, or mark the chosen ones."""
        if change & (Change.PROFILE | Change.FUNCTION):
            self._own = {}
        if change == Change.POSITION:
            self._mark(context.position, bring_into_sight=True)
        elif not self.why_nothing(queries, context) and context.event is not None:
            files_are_known = not change & Change.ANNOTATION  # or others may be there now
            self._draw_up(queries, context, context.event, files_are_known)

    def _draw_up(
        self, queries: ProfileQueries, context: Context, event: EventType, files_are_known: bool
    ) -> None:
        layout, style = self._layout, self._style(queries, context)
        shown = self._read if self._read and self._read.asked == asked_of(context) else None
        home = self.flow.key_of(self.flow.current) if shown else NO_KEY
        known = shown if files_are_known else None

        def work(progress: Progress) -> tuple[ReadFunction, FlowPicture | None]:
            layout.prepare()
            read = known or read_function(queries, context, progress)
            if not len(read.blocks):
                return read, None
            look = flow_look(queries, context, event, read, style)
            cost = read.blocks.self_cost[0] if event.is_ratio else look.self_cost
            drawn = select_visible_blocks(read.blocks, cost, style.options.least_block)
            return read, draw_up(drawn, look, style.options.horizontal, home, layout, progress)

        self.start(work, self._take)

    def _style(self, queries: ProfileQueries, context: Context) -> Style:
        font = self.flow.font()
        code_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        if font.pointSizeF() > 0:
            code_font.setPointSizeF(small_font(font).pointSizeF())
        color = color_of(queries, context)(context.function)
        return Style(color, font, code_font, self.options.options, dict(self._own))

    def _take(self, result: tuple[ReadFunction, FlowPicture | None]) -> None:
        read, picture = result
        context, queries = self.navigation.context, self.session.queries
        if picture is None or queries is None:
            self.say(NOTHING_RECORDED)
            return
        self._read, look = read, picture.look
        self.flow.set_picture(picture)
        self._mark(context.position, bring_into_sight=False)
        function, blocks = context.function, read.blocks
        self.blocks.set_blocks(function, blocks, look.self_cost, look.inclusive, look.format)
        self.edges.set_edges(function, blocks, look.format)
        for table in self.lists:
            table.fit_numbers()
        self.note.setText(" · ".join(_notes(picture, read, queries)))

    # ---------------------------------------------------------------- the chosen instruction

    def choose(self, address: int) -> None:
        """Mark an instruction in all views of code, with the line that it was made from."""
        if self._read is None:
            return
        costs = self._read.costs
        # one without cost was mostly made from the line of the one before
        row = int(np.searchsorted(costs.address, np.uint64(address), "right")) - 1
        file, line = int(costs.file[max(0, row)]), int(costs.line[max(0, row)])
        self.navigation.set(position=Position(file, line, address))

    def _show_address(self, address: int) -> None:
        """Go to the block that has this instruction, if it is drawn."""
        for key in self._keys_of(np.array([address], np.uint64)):
            keys = list(self.flow.picture.keys) if self.flow.picture is not None else []
            if key in keys:
                self.flow.set_current(keys.index(key))
        self.choose(address)

    def _mark(self, position: Position | None, *, bring_into_sight: bool) -> None:
        """Mark the instruction of the position, or all those of its line, with their blocks."""
        if self._read is None:
            return
        addresses = np.empty(0, np.uint64)
        if position is not None:
            costs = self._read.costs
            of_line = (costs.file == position.file) & (costs.line == position.line)
            addresses = costs.address[of_line & (costs.line > 0)]  # or all that has no line
            if position.address is not None:
                addresses = np.array([position.address], np.uint64)
        keys = self._keys_of(addresses)
        self.flow.light(addresses.tolist(), keys, bring_into_sight=bring_into_sight)

    def _keys_of(self, addresses: UInt64Array) -> list[int]:
        """The blocks that have instructions at these addresses, by their own."""
        if self._read is None:
            return []
        blocks = self._read.blocks
        keys: list[int] = blocks.address[blocks.first[blocks.blocks_at(addresses)]].tolist()
        return keys

    # ---------------------------------------------------------------- options and folding

    def apply_options(self) -> None:
        self.flow.overview.set_corner(Corner(self.options.options.corner))

    def _on_options(self) -> None:
        if self.options.options.instructions != self._instructions:
            self._own, self._instructions = {}, self.options.options.instructions
        super()._on_options()

    def toggle(self, address: int) -> None:
        """Fold the block that begins there, or unfold it."""
        option = self.options.options.instructions
        is_folded = self._own.get(address, option) == NONE
        self.show_in_block(address, (option if option != NONE else ALL) if is_folded else NONE)

    def show_in_block(self, address: int, instructions: str) -> None:
        """Say which instructions of one block are seen."""
        self._own[address] = instructions
        self.flow.go_to_key(address)
        self.show_again(Change.EVENT)

    def _fill_menu(self, menu: QMenu, address: int) -> None:
        if address != NO_KEY:
            menu.addAction("&Fold or Unfold\tReturn", partial(self.toggle, address))
            menu.addAction("Show &All Instructions", partial(self.show_in_block, address, EVERY))
            menu.addSeparator()
        menu.addAction("&Fit in Window\t0", self.flow.fit)
        menu.addAction("Own Si&ze\t1", self.flow.show_in_own_size)
        self.options.fill(menu.addMenu("O&ptions"))
        self.add_export(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def search_for(self) -> None:
        """Fade the blocks in which the search finds no instruction."""
        rows, text = self.matches(), self.search.text()
        self.flow.search(text, set(rows) if text else None)
        self.found.setText(f"{len(rows)} of {len(self.flow.nodes)}" if text else "")

    def show_match(self, match: int) -> None:
        self.flow.show_match(match)

    def matches(self) -> list[int]:
        text, picture = self.search.text().lower(), self.flow.picture
        if not text or picture is None:
            return []
        return [row for row, words in enumerate(picture.searched) if text in words]

    def texts(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": self._as_dot,
            "CSV": lambda: as_csv(self.lists[0]) + "\n" + as_csv(self.lists[1]),
        }

    def _as_dot(self) -> str:
        picture = self.flow.picture
        if picture is None:
            return ""
        edges, look = picture.drawn.blocks.edges, picture.look
        counts = zip(edges.kind.tolist(), edges.count.tolist(), strict=True)
        return control_flow_dot(
            picture.drawn,
            [
                [text.title, f"{text.cost} {text.executed}".strip()]
                + [f"{line.text}  {line.cost}".strip() for line in text.lines]
                for text in picture.blocks
            ],
            [edge_text(look, EdgeKind(kind), count) for kind, count in counts],
            horizontal=picture.is_horizontal,
        )


def _notes(picture: FlowPicture, read: ReadFunction, queries: ProfileQueries) -> list[str]:
    """How much is drawn, what was left out, and what the arrows mean."""
    drawn, format_ = picture.drawn, picture.look.format
    notes = [f"{_counted(len(drawn), 'block')}, {_counted(len(drawn.source), 'arrow')}"]
    notes += _left_out(drawn)
    notes.append(cell_text(read.problem if len(read.code) else f"no code: {read.problem}"))
    if not len(queries.profile.jumps):
        notes.append(_NO_JUMPS)
    if queries.profile.events.measured[0].name != "Ir":
        notes.append(_NO_COUNTS)
    notes.append(LEGEND)
    if not all(map(len, drawn.edges)):
        notes.append("“…”: a way through so many blocks left out")
    if format_.as_percentage and not format_.is_ratio:
        notes.append("percentages are of the function's self cost")
    return list(filter(None, notes))


def _left_out(drawn: VisibleBlocks) -> list[str]:
    texts = (
        (drawn.below_threshold, "cheaper ones left out"),
        (drawn.never_executed, "never executed left out"),
        (drawn.over_limit, "more left out: too many for one picture"),
        (drawn.omitted_arrows, "arrows left out"),
    )
    return [f"{count} {text}" for count, text in texts if count]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
