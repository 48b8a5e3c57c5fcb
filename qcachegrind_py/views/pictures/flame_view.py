"""The dock Flame Graph, which shows the program, callers or callees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QSplitter

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Change, Context, CostUnit
from qcachegrind_py.present.frames import (
    build_frames,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.box_view import WIDTH_CHOICE, BoxView, LaidOutTree
from qcachegrind_py.views.pictures.flame_canvas import FlameCanvas
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.controls import Choice, OptionMenu, text_menu_button


class Mode(Enum):
    """What the flame graph shows."""

    PROGRAM = "program"
    INVERTED = "inverted"
    CALLEES = "callees"
    CALLERS = "callers"
    SANDWICH = "sandwich"


@frozen(eq=True)
class FlameOptions:
    """The options as plain values that can be saved as JSON."""

    mode: str = Mode.PROGRAM.value
    upside_down: bool = False
    width: str = BoxWidth.NEW.value


FLAME_CHOICES = {
    "mode": Choice(
        "&Show",
        "What the flame graph shows",
        (
            (Mode.PROGRAM.value, "&Whole Program"),
            (Mode.INVERTED.value, "&Inverted: Self Costs and Their Callers"),
            (Mode.CALLEES.value, "&Callees"),
            (Mode.CALLERS.value, "C&allers"),
            (Mode.SANDWICH.value, "Callers and Callees (&Sandwich)"),
        ),
    ),
    "upside_down": Choice("&Upside Down", "Flip the picture: flames or icicles"),
    "width": WIDTH_CHOICE,
}
_MODE_TITLES = {
    Mode.PROGRAM: "Whole Program",
    Mode.INVERTED: "Inverted",
    Mode.CALLEES: "Callees",
    Mode.CALLERS: "Callers",
    Mode.SANDWICH: "Sandwich",
}


class FlameView(BoxView):
    """A flame graph. The sandwich shows callers above and callees below the active function."""

    options: OptionMenu[FlameOptions]

    def __init__(self, session: Session) -> None:
        self.callers_canvas = FlameCanvas("Flame graph of callers", grows_up=True)
        self.callers_canvas.shows_callers = True
        self.main_canvas = FlameCanvas("Flame graph")
        super().__init__(session, "Flame Graph", [self.callers_canvas, self.main_canvas])
        self.options = OptionMenu(self, FlameOptions(), FLAME_CHOICES)
        fill = partial(self.fill_options, inline="mode")
        self.mode_button = text_menu_button("", "What the flame graph shows", fill)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.callers_canvas)
        self.splitter.addWidget(self.main_canvas)
        self._is_of_recorded = True  # whether the shown program has the recorded total
        self._user_split = False  # whether the user has moved the splitter
        self.splitter.splitterMoved.connect(self._on_splitter_moved)
        self.arrange(self.splitter, self.mode_button)
        self.initial_focus = self.main_canvas
        self.apply_options()

    @property
    def mode(self) -> Mode:
        return Mode(self.options.current.mode)

    @property
    def is_of_program(self) -> bool:
        return self.mode in (Mode.PROGRAM, Mode.INVERTED)

    def shown_pairs(self) -> list[tuple[BoxCanvas, TableModel]]:
        above, below = zip(self.canvases, self.models, strict=True)
        if self.mode is Mode.SANDWICH:
            return [above, below]
        return [above] if self.mode is Mode.CALLERS else [below]

    def apply_options(self) -> None:
        mode, upside_down = self.mode, self.options.current.upside_down
        self.mode_button.setText(_MODE_TITLES[mode])
        self.callers_canvas.set_grows_up(mode is Mode.SANDWICH or not upside_down)
        self.main_canvas.set_grows_up(mode is not Mode.SANDWICH and upside_down)
        used = [canvas for canvas, _ in self.shown_pairs()]
        bars = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if mode is Mode.SANDWICH:  # keeps both halves equally wide
            bars = Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        for canvas, model, table in zip(self.canvases, self.models, self.tables, strict=True):
            canvas.setVisible(canvas in used)
            canvas.setVerticalScrollBarPolicy(bars)
            table.setVisible(canvas in used)
            if canvas not in used:
                canvas.clear()
                model.clear()
        self.main_canvas.shows_callers = mode is Mode.INVERTED
        self.initial_focus = used[-1]

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Refresh as in the base class; a whole-program graph only moves its highlights."""
        if query.context.of_recorded != self._is_of_recorded and self.is_of_program:
            change |= Change.EVENT  # the whole has another width
        highlight_changes = Change.FUNCTION | Change.SELECTION
        if (
            self.is_of_program
            and self.main_canvas.tree is not None
            and not change & ~highlight_changes
        ):
            self.highlight_selection(query.context)
            if change & Change.FUNCTION and query.context.unit is CostUnit.PER_CALL:
                self._update_style(query)
            return
        super().refresh(query, change)

    def content_inputs(self, context: Context) -> object:
        if self.is_of_program:
            return super().content_inputs(replace(context, function=NO_NODE)), self.mode
        return super().content_inputs(context), self.mode

    def highlight_selection(self, context: Context) -> None:
        """Outline the selected function; in a whole-program graph, by default the active one."""
        is_program = self.is_of_program and context.selected == NO_NODE
        for canvas, _ in self.shown_pairs():
            canvas.highlight(context.function if is_program else context.selected)

    def _on_splitter_moved(self) -> None:
        self._user_split = True

    def _show_trees(self, laid_out: list[LaidOutTree]) -> None:
        super()._show_trees(laid_out)
        if self.mode is Mode.SANDWICH and not self._user_split:
            height = self.splitter.height()
            above = min(round(self.callers_canvas.picture_size().height()), height // 2)
            self.splitter.setSizes([above, height - above])

    def unit_for(self, query: ViewQuery) -> Unit:
        if self.is_of_program:
            return query.unit(query.context.event)
        return super().unit_for(query)

    def tree_builders(self, query: ViewQuery) -> list[Callable[[Progress], FrameTree]]:
        function, mode, width = query.context.function, self.mode, self.box_width
        self._is_of_recorded = query.context.of_recorded

        begins = NO_NODE if self.is_of_program else function

        def build(up: bool, progress: Progress) -> FrameTree:
            return build_frames(query, begins, width, progress, up=up)

        ways = {Mode.SANDWICH: (True, False), Mode.CALLERS: (True,), Mode.INVERTED: (True,)}
        directions = ways.get(mode, (False,))
        return [partial(build, up) for up in directions]

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        menu.addSeparator()
        self.fill_options(menu.addMenu("&Show"), inline="mode")
