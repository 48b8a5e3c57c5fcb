"""The flame graph: of the whole program, or below and above the active function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QSplitter

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.frame_table import FrameModel
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.base_view import BoxView
from qcachegrind_py.views.boxes.flame_canvas import FlameCanvas
from qcachegrind_py.views.common.buttons import menu_button
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.option_menu import Choice, OptionMenu


class Mode(Enum):
    """What the flame graph is of."""

    PROGRAM = "program"
    CALLEES = "callees"
    CALLERS = "callers"
    SANDWICH = "sandwich"


@dataclass(frozen=True, slots=True)
class FlameOptions:
    """The fields are plain values, to be remembered."""

    mode: str = Mode.PROGRAM.value
    upside_down: bool = False


CHOICES = {
    "mode": Choice(
        "&Show",
        "What the flame graph is of",
        (
            (Mode.PROGRAM.value, "&Whole Program"),
            (Mode.CALLEES.value, "What It &Calls"),
            (Mode.CALLERS.value, "Who Calls &It"),
            (Mode.SANDWICH.value, "Callers and Callees (&Sandwich)"),
        ),
    ),
    "upside_down": Choice("&Upside Down", "Turn the picture over: flames, or icicles"),
}
_NAMES = {
    Mode.PROGRAM: "Whole Program",
    Mode.CALLEES: "What It Calls",
    Mode.CALLERS: "Who Calls It",
    Mode.SANDWICH: "Sandwich",
}


class FlameView(BoxView):
    """In the sandwich callers stand above, and callees below the active function."""

    options: OptionMenu[FlameOptions]

    def __init__(self, session: Session, navigation: Navigation) -> None:
        self.above = FlameCanvas("Flame graph of callers", grows_up=True)
        self.above.holds_callers = True
        self.below = FlameCanvas("Flame graph")
        super().__init__(session, navigation, "Flame Graph", [self.above, self.below])
        self.options = OptionMenu(self, FlameOptions(), CHOICES)
        fill = partial(self.options.fill, inline="mode")
        self.chosen = menu_button("", "What the flame graph is of", fill)
        self.halves = QSplitter(Qt.Orientation.Vertical)
        self.halves.addWidget(self.above)
        self.halves.addWidget(self.below)
        self._is_own_split = False  # whether the user shared the room out
        self.halves.splitterMoved.connect(self._keep_split)
        self.arrange(self.halves, self.chosen)
        self.first = self.below
        self.apply_options()

    @property
    def mode(self) -> Mode:
        """What is shown."""
        return Mode(self.options.options.mode)

    def shown(self) -> list[tuple[BoxCanvas, FrameModel]]:
        above, below = zip(self.canvases, self.models, strict=True)
        if self.mode is Mode.SANDWICH:
            return [above, below]
        return [above] if self.mode is Mode.CALLERS else [below]

    def apply_options(self) -> None:
        """Show the canvases and tables of the mode."""
        mode, turned = self.mode, self.options.options.upside_down
        self.chosen.setText(_NAMES[mode])
        self.above.set_grows_up(mode is Mode.SANDWICH or not turned)
        self.below.set_grows_up(mode is not Mode.SANDWICH and turned)
        used = [canvas for canvas, _ in self.shown()]
        bars = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if mode is Mode.SANDWICH:  # both halves are equally wide
            bars = Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        for canvas, model, table in zip(self.canvases, self.models, self.tables, strict=True):
            canvas.setVisible(canvas in used)
            canvas.setVerticalScrollBarPolicy(bars)
            table.setVisible(canvas in used)
            if canvas not in used:
                canvas.clear()
                model.clear()
        self.first = used[-1]

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Of the whole program nothing but the marks follows the active function."""
        follows = Change.FUNCTION | Change.SELECTION
        if self.mode is Mode.PROGRAM and self.below.nesting is not None and not change & ~follows:
            self.mark(context)
            return
        super().refresh(queries, context, change)

    def asked_for(self, context: Context) -> object:
        if self.mode is Mode.PROGRAM:
            return super().asked_for(replace(context, function=-1)), self.mode
        return super().asked_for(context), self.mode

    def mark(self, context: Context) -> None:
        """Outline what is selected; in the whole program the active function, where nothing is."""
        is_program = self.mode is Mode.PROGRAM and context.selected < 0
        for canvas, _ in self.shown():
            canvas.highlight(context.function if is_program else context.selected)

    def _keep_split(self) -> None:
        self._is_own_split = True

    def _take(self, nestings: list[FrameTree]) -> None:
        super()._take(nestings)
        if self.mode is Mode.SANDWICH and not self._is_own_split:
            height = self.halves.height()
            above = min(round(self.above.picture_size().height()), height // 2)
            self.halves.setSizes([above, height - above])

    def format(self, queries: ProfileQueries, context: Context) -> CostFormat:
        if self.mode is Mode.PROGRAM:
            return cost_format(queries, context, context.event)
        return super().format(queries, context)

    def nesters(
        self, queries: ProfileQueries, context: Context
    ) -> list[Callable[[Progress], FrameTree]]:
        event, scope, mode = context.event, context.scope, self.mode

        def nest(up: bool, progress: Progress) -> FrameTree:
            assert event is not None
            roots = [context.function]
            if mode is Mode.PROGRAM:
                roots = queries.root_nodes(event, scope)
            passing = queries.visible_nodes(context.filter, event, scope)
            graph = queries.call_graph(event, scope)
            return build_frame_tree(graph, roots, up=up, visible=passing, progress=progress)

        ways = {Mode.SANDWICH: (True, False), Mode.CALLERS: (True,)}.get(mode, (False,))
        return [partial(nest, up) for up in ways]

    def fill_more(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        menu.addSeparator()
        self.options.fill(menu.addMenu("&Show"), inline="mode")
