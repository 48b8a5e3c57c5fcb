"""The docks Caller Map and Callee Map."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, SplitRule
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.call_map import MapOptions, only_path, path_sentence
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.frames import (
    build_frames,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.box_view import WIDTH_CHOICE, BoxView
from qcachegrind_py.views.pictures.map_canvas import MapCanvas
from qcachegrind_py.views.widgets.controls import Choice, OptionMenu, text_menu_button
from qcachegrind_py.views.widgets.empty_page import Remedy

CALLERS, CALLEES = "Caller Map", "Callee Map"
_TITLES = {"caller_map": CALLERS, "callee_map": CALLEES}
# 2,000 nested boxes would take 0.14 s to lay out, and none could be seen
_MAX_DEPTH = 500


MAP_CHOICES = {
    "split": Choice(
        "&Split",
        "How a box is divided among its callees or callers",
        tuple((split.value, split.value.capitalize()) for split in SplitRule),
    ),
    "deepest": Choice(
        "Stop at &Depth",
        "Maximum number of calls from the active function",
        (
            (None, f"No Limit (Maximum {_MAX_DEPTH})"),
            *((depth, str(depth)) for depth in (1, 2, 3, 5, 10, 15, 20)),
        ),
    ),
    "least_area": Choice(
        "Stop at &Area",
        "Hide smaller boxes",
        tuple((area, f"{area} Pixels") for area in (25, 100, 200, 500, 1000)),
    ),
    "border": Choice(
        "&Lines",
        "Width of the lines between boxes",
        ((0, "None"), (1, "1 Pixel"), (2, "2 Pixels"), (3, "3 Pixels")),
    ),
    "headers": Choice(
        "&Headers",
        "Levels of calls whose boxes have a strip for their name",
        ((0, "None"), (1, "1 Level"), (2, "2 Levels"), (3, "3 Levels")),
    ),
    "names": Choice("&Names", "Show names in boxes"),
    "costs": Choice("&Costs", "Show costs in boxes"),
    "counts": Choice("Call Co&unts", "Show numbers of calls in boxes"),
    "places": Choice("&Locations", "Show objects and source files in boxes"),
    "rotate": Choice("Allow &Rotation", "Draw text vertically in narrow boxes"),
    "shading": Choice("S&hading", "Shade nested boxes"),
    "width": WIDTH_CHOICE,
}


class CallMapView(BoxView):
    """The map of the callees or of the callers of the active function."""

    picture_requested = Signal(str)  # the id of the other map, where this one says nothing
    options: OptionMenu[MapOptions]
    size_word = "area"

    def __init__(self, session: Session, title: str) -> None:
        """`title` is `CALLERS` or `CALLEES`."""
        self.map = MapCanvas(title)
        super().__init__(session, title, [self.map])
        self._unexpanded: frozenset[NodeId] = frozenset()  # nodes whose calls are not shown
        self._built_depth: int | None = None  # maximum depth of the shown tree
        self._built_width = BoxWidth.NEW
        self.options = OptionMenu(self, MapOptions(), MAP_CHOICES)
        self.map.options = self.options.current
        tip = "Options of the map"
        self.arrange(self.map, text_menu_button("&Options", tip, self.fill_options))
        self.map.shows_callers = title == CALLERS
        self.initial_focus = self.map

    def invalidate(self) -> None:
        super().invalidate()
        self._unexpanded = frozenset()

    def tree_builders(self, query: ViewQuery) -> list[Callable[[Progress], FrameTree]]:
        function, width = query.context.function, self.box_width
        self._built_depth = max_depth = self.options.current.deepest
        self._built_width = width
        unexpanded = self._unexpanded - {function}

        def build(progress: Progress) -> FrameTree:
            return build_frames(
                query,
                function,
                width,
                progress,
                up=self.title == CALLERS,
                max_depth=_MAX_DEPTH if max_depth is None else max_depth,
                unexpanded=unexpanded,
            )

        return [build]

    def _show_better(self, query: ViewQuery, trees: list[FrameTree]) -> bool:
        """Say which way leads to the active function, or from it, if the map is one rectangle."""
        name, path = query.labels().name(query.context.function), only_path(trees[0])
        if not path or trees[0].is_compared:
            return False
        names = [cell_text(query.labels().name(NodeId(node))) for node in path]
        other = "callee_map" if self.title == CALLERS else "caller_map"
        show = partial(self.picture_requested.emit, other)
        text = path_sentence(cell_text(name), names, up=self.title == CALLERS)
        self.show_placeholder(text, Remedy(f"Show {_TITLES[other]}", show))
        return True

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        node = node_at(canvas.tree.node, box) if canvas.tree is not None and box > 0 else NO_NODE
        menu.addSeparator()
        if node >= 0:
            text = "Do Not &Stop Here" if node in self._unexpanded else "&Stop at This Function"
            menu.addAction(text, partial(self._toggle_unexpanded, node))
        if self._unexpanded:
            menu.addAction("Stop at &No Function", self._expand_all)
        self.fill_options(menu.addMenu("Optio&ns"))

    def _toggle_unexpanded(self, node: NodeId) -> None:
        self._unexpanded ^= {node}
        self.refresh_for(Change.EVENT)

    def _expand_all(self) -> None:
        self._unexpanded = frozenset()
        self.refresh_for(Change.EVENT)

    def _on_options(self) -> None:
        self.apply_options()
        built = self._built_depth, self._built_width
        if (self.options.current.deepest, self.box_width) != built:  # others affect only the style
            self.refresh_for(Change.EVENT)

    def apply_options(self) -> None:
        self.map.set_options(self.options.current)
