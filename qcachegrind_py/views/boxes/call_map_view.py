"""Call maps: the active function as a box, in it what it calls, or who calls it, and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.calls.treemap import SplitRule
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.base_view import BoxView
from qcachegrind_py.views.boxes.map_canvas import MapCanvas
from qcachegrind_py.views.boxes.painting_style import MapStyle
from qcachegrind_py.views.common.buttons import flat_menu_button
from qcachegrind_py.views.common.option_menu import Choice, OptionMenu

CALLERS, CALLEES = "Caller Map", "Callee Map"
# calls: of 2,000 boxes within each other none is seen, and to place them takes 0.14 s
_MAX_DEPTH = 500


@dataclass(frozen=True, slots=True)
class MapOptions:
    """How a map is drawn; the fields are plain values, to be remembered."""

    split: str = SplitRule.SQUARIFIED.value
    deepest: int | None = None
    least_area: int = 100
    border: int = 1
    names: bool = True
    costs: bool = True
    places: bool = False
    rotate: bool = True
    shading: bool = True

    @property
    def map_style(self) -> MapStyle:
        """What of it the canvas has to know."""
        return MapStyle(
            split=SplitRule(self.split),
            min_area=float(self.least_area),
            rotate=self.rotate,
            show_names=self.names,
            show_costs=self.costs,
            show_locations=self.places,
            shading=self.shading,
            border=self.border,
        )


CHOICES = {
    "split": Choice(
        "&Split",
        "How a box is divided among those in it",
        tuple((split.value, split.value.capitalize()) for split in SplitRule),
    ),
    "deepest": Choice(
        "Stop at &Depth",
        "How many calls away boxes are drawn",
        (
            (None, f"No Limit (at Most {_MAX_DEPTH})"),
            *((depth, str(depth)) for depth in (1, 2, 3, 5, 10, 15, 20)),
        ),
    ),
    "least_area": Choice(
        "Stop at &Area",
        "Smaller boxes are not drawn",
        tuple((area, f"{area} Pixels") for area in (25, 100, 200, 500, 1000)),
    ),
    "border": Choice(
        "&Lines",
        "How thick the lines between boxes are",
        ((0, "None"), (1, "1 Pixel"), (2, "2 Pixels"), (3, "3 Pixels")),
    ),
    "names": Choice("&Names", "Write names into boxes"),
    "costs": Choice("&Costs", "Write costs into boxes"),
    "places": Choice("&Locations", "Write objects and files into boxes"),
    "rotate": Choice("Allow &Rotation", "Begin at the longer side; write upright in narrow boxes"),
    "shading": Choice("S&hading", "Let boxes within each other differ in brightness"),
}


class CallMapView(BoxView):
    """The map of the callees or of the callers of the active function."""

    options: OptionMenu[MapOptions]

    def __init__(self, session: Session, title: str) -> None:
        """`title` is one of the two above."""
        self.map = MapCanvas(title)
        super().__init__(session, title, [self.map])
        self._unexpanded: frozenset[NodeId] = frozenset()  # functions that are not opened
        self._built_depth: int | None = None  # as it was when boxes were nested
        self.options = OptionMenu(self, MapOptions(), CHOICES)
        tip = "How the map is drawn"
        self.arrange(self.map, flat_menu_button("&Options", tip, self.options.fill))
        self.map.shows_callers = title == CALLERS
        self.initial_focus = self.map

    def invalidate(self) -> None:
        super().invalidate()
        self._unexpanded = frozenset()

    def tree_builders(
        self, queries: ProfileQueries, context: Context
    ) -> list[Callable[[Progress], FrameTree]]:
        event, scope = context.event, context.scope
        self._built_depth = deepest = self.options.current.deepest
        stop = self._unexpanded - {context.function}

        def nest(progress: Progress) -> FrameTree:
            assert event is not None
            return build_frame_tree(
                queries.call_graph(event, scope),
                [context.function],
                up=self.title == CALLERS,
                max_depth=_MAX_DEPTH if deepest is None else deepest,
                unexpanded=stop,
                visible=queries.visible_nodes(context.filter, event, scope),
                progress=progress,
            )

        return [nest]

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        node = node_at(canvas.tree.node, box) if canvas.tree is not None and box > 0 else NO_NODE
        menu.addSeparator()
        if node != NO_NODE:
            text = "Do Not &Stop Here" if node in self._unexpanded else "&Stop at This Function"
            menu.addAction(text, partial(self._toggle_unexpanded, node))
        if self._unexpanded:
            menu.addAction("Stop at &No Function", self._expand_all)
        self.options.fill(menu.addMenu("O&ptions"))

    def _toggle_unexpanded(self, node: NodeId) -> None:
        self._unexpanded ^= {node}
        self.refresh_for(Change.EVENT)

    def _expand_all(self) -> None:
        self._unexpanded = frozenset()
        self.refresh_for(Change.EVENT)

    def _on_options(self) -> None:
        self.apply_options()
        if self.options.current.deepest != self._built_depth:  # all others are of mere looks
            self.refresh_for(Change.EVENT)

    def apply_options(self) -> None:
        self.map.set_map_style(self.options.current.map_style)
