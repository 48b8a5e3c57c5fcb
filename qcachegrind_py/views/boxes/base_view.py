"""Base of the flame graph and call map docks: job, search, tables and note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_sides import BoxWidth
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.frames import (
    NO_BOXES,
    FrameStyle,
    compares_boxes,
    frame_style,
    frame_table,
    hidden_notes,
    summary,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.box_number import box_number
from qcachegrind_py.views.boxes.frame_canvas import FrameCanvas
from qcachegrind_py.views.boxes.map_layout import MapLayout
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_actions import table_as_csv
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.buttons import Choice
from qcachegrind_py.views.widgets.colors import node_colors

LaidOutTree = tuple[FrameTree, MapLayout | None]
_STYLE_CHANGES = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.GROUPING | Change.COLORS
NO_COST = "No cost of this event was recorded here.\nChoose another event or function."
_MAX_PATH_NAMES = 4  # names shown of the path to the zoomed box
_PATH_SEPARATOR = " › "
_SANDWICH_SIDES = ("above", "below")  # the two canvases of a sandwich
WIDTH_KEY = "W"
WIDTH_CHOICE = Choice(
    "&Width of Boxes",
    f"What boxes are as wide, or as large, as; {WIDTH_KEY} goes to the next one",
    (
        (BoxWidth.NEW.value, "&New Cost"),
        (BoxWidth.BASE.value, "&Base Cost"),
        (BoxWidth.CHANGE.value, "&Change: Growth and Shrinkage Inside"),
    ),
)
_NEXT_WIDTH = {
    BoxWidth.NEW: BoxWidth.BASE,
    BoxWidth.BASE: BoxWidth.CHANGE,
    BoxWidth.CHANGE: BoxWidth.NEW,
}
_NOTHING_TEXTS = {
    BoxWidth.NEW: "Only the base has cost here.",
    BoxWidth.BASE: "Only the new side has cost here.",
    BoxWidth.CHANGE: "There is no proven change here.",
}


class BoxView(PictureView):
    """A view of frame trees; subclasses build the trees and lay out canvases and buttons."""

    size_word = "width"  # what costs are drawn as
    depends_on = ~(Change.EVENTS | Change.code_changes())

    def __init__(
        self,
        session: Session,
        title: str,
        canvases: Sequence[FrameCanvas],
    ) -> None:
        self.canvases = canvases
        self.models = [TableModel(NO_BOXES) for _ in canvases]
        tables = [FunctionTable(model, f"Boxes: {title}") for model in self.models]
        super().__init__(session, title, tables)
        self._shown_width = BoxWidth.NEW  # of the shown boxes
        self._summary = ""  # part of the note below the boxes
        for model, canvas in zip(self.models, canvases, strict=True):
            model.setParent(self)
            canvas.activated.connect(self._activate)
            canvas.selected.connect(self._select)
            canvas.menu_requested.connect(partial(self._fill_menu, canvas))
            canvas.detail_changed.connect(self.show_detail)
            canvas.current_changed.connect(self._show_note)
            canvas.laid_out.connect(self._update_summary)  # as other boxes may have room

    # ---------------------------------------------------------------- for the subclasses

    def shown_pairs(self) -> list[tuple[FrameCanvas, TableModel]]:
        """Return the canvases in use, each with the model of its table."""
        return list(zip(self.canvases, self.models, strict=True))

    def tree_builders(self, query: ViewQuery) -> list[Callable[[Progress], FrameTree]]:
        """Return functions that build the tree of each canvas in use, to run in a job."""
        raise NotImplementedError

    def add_box_actions(self, menu: QMenu, canvas: FrameCanvas, box: int) -> None:
        """Add actions for a box that are specific to the subclass."""

    def unit_for(self, query: ViewQuery) -> Unit:
        """Return the unit of costs; percentages "of parent" refer to the active function.

        While profiles are compared they are of the base's total, as in lists: of a parent that
        costs less than before, the base would be more than all.
        """
        context = query.context
        if query.is_comparing:
            return query.unit(context.event)
        return query.call_unit(context.event, context.function)

    def shown_canvases(self) -> list[FrameCanvas]:
        return [canvas for canvas, _ in self.shown_pairs()]

    # ---------------------------------------------------------------- width in a comparison

    @property
    def box_width(self) -> BoxWidth:
        """What boxes are as wide as while profiles are compared."""
        return BoxWidth(self.options.current.width)

    def fill_options(self, menu: QMenu, inline: str = "") -> None:
        """Add the options; that of the width is there while profiles are compared."""
        query = self.session.query
        if query is None or not compares_boxes(query):
            self.options.fill(menu, inline, leave_out=("width",))
            return
        self.options.fill(menu, inline)
        menu.addAction(f"Ne&xt Width of Boxes\t{WIDTH_KEY}", self.show_next_width)

    def show_next_width(self) -> None:
        """Draw boxes as wide as another side; the boxes zoomed to and current stay so."""
        query = self.session.query
        if query is not None and compares_boxes(query):
            self.options.set("width", _NEXT_WIDTH[self.box_width].value)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_W and not event.modifiers():
            self.show_next_width()
        else:
            super().keyPressEvent(event)

    # ---------------------------------------------------------------- content

    def content_inputs(self, context: Context) -> object:
        inputs = super().content_inputs(context)
        return inputs if context.base is None else (inputs, context.base, self.box_width)

    def clear(self) -> None:
        for canvas, model in zip(self.canvases, self.models, strict=True):
            canvas.clear()
            model.clear()

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Start building the trees, or update the style of the present ones."""
        if change == Change.SELECTION:
            self.highlight_selection(query.context)
        elif not self.show_reason_if_empty(query):
            has_trees = all(canvas.tree is not None for canvas in self.shown_canvases())
            if change & ~(_STYLE_CHANGES | Change.SELECTION) or not has_trees:
                self._build_trees(query)
            else:
                self._update_style(query)

    def highlight_selection(self, context: Context) -> None:
        """Outline the boxes of the selected function."""
        for canvas in self.canvases:
            canvas.highlight(context.selected)

    def _build_trees(self, query: ViewQuery) -> None:
        builders = self.tree_builders(query)
        layout_works = [canvas.layout_work() for canvas in self.shown_canvases()]

        def work(progress: Progress) -> list[LaidOutTree]:
            trees = [build(progress) for build in builders]
            return [
                (tree, lay_out(tree)) for tree, lay_out in zip(trees, layout_works, strict=True)
            ]

        self.start_job(work, self._show_trees)

    def _show_trees(self, laid_out: list[LaidOutTree]) -> None:
        trees = [tree for tree, _ in laid_out]
        query = self.session.query
        if query is None:
            return
        if not any(tree.width[:1].sum() > 0 for tree in trees):
            compared = any(tree.sides for tree in trees)
            self.show_empty_picture(_no_boxes_text(self.box_width) if compared else NO_COST)
            return
        style = self._style(query)
        for (canvas, model), (tree, layout) in zip(self.shown_pairs(), laid_out, strict=True):
            zoomed, current = self._places_in(canvas, tree)
            canvas.set_boxes(tree, style, layout)
            canvas.return_to(zoomed, current)
            if canvas.picture is not None:
                model.show(frame_table(canvas.picture))
        for table in self.tables:
            table.show_comparison(any(tree.sides for tree in trees))
            table.fit_numbers()
        self.highlight_selection(query.context)
        self._shown_width = self.box_width
        self._update_summary()

    def _places_in(self, canvas: FrameCanvas, tree: FrameTree) -> tuple[int, int]:
        """Return the boxes to zoom to and to make current: the same as in another width."""
        old = canvas.tree
        if old is None or not old.sides or not tree.sides or self._shown_width is self.box_width:
            return -1, -1
        return _same_box(old, canvas.zoom_root, tree), _same_box(old, canvas.current, tree)

    def _update_style(self, query: ViewQuery) -> None:
        if self.session.jobs.is_running(self.title):
            return  # the shown trees are outdated, and new ones will have this style
        style = self._style(query)
        for canvas, model in self.shown_pairs():
            canvas.set_box_style(style)
            if canvas.picture is not None:
                model.show_numbers(frame_table(canvas.picture))
        self._show_match_cost()
        self._update_summary()

    def _style(self, query: ViewQuery) -> FrameStyle:
        unit, color = self.unit_for(query), node_colors(query)
        if compares_boxes(query):
            longest = query.function_unit(query.context.event).longest_change
            unit = replace(unit, longest_change=longest)
        return frame_style(query, unit, lambda node: color(node).name())

    def _update_summary(self) -> None:
        """Update the note: number of boxes, omissions, and the legend of estimates."""
        found = [canvas.picture for canvas in self.shown_canvases()]
        pictures = [picture for picture in found if picture is not None]
        if pictures and len(pictures) == len(found):
            small = filter(None, map(_small_boxes_text, self.shown_canvases()))
            parts = *summary(pictures, self.box_width, self.size_word), *small
            self._summary = " · ".join((*parts, *hidden_notes(pictures)))
            self._show_note()

    # ---------------------------------------------------------------- one box

    @property
    def is_of_program(self) -> bool:
        """Whether the boxes begin where the whole program does, and not at the active function."""
        return False

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the box whose menu is open, or of the current box or row."""
        query = self.session.query
        return None if query is None else box_number(query, self)

    def _show_note(self) -> None:
        """Show the paths to zoomed boxes, followed by the summary."""
        paths = map(_zoom_path_text, self.shown_canvases())
        self.note.setText(" · ".join(filter(None, (*paths, self._summary))))

    def _fill_menu(self, canvas: FrameCanvas, menu: QMenu, box: int) -> None:
        tree = canvas.tree
        if tree is None:
            return
        node = node_at(tree.node, box) if box >= 0 else NO_NODE
        if node >= 0:
            menu.addAction("&Go to Function\tReturn", lambda: canvas.activate(box))
            self.menu_requested.emit(menu, node)
            menu.addSeparator()
        if box >= 0:
            menu.addAction("&Zoom In Here\t+", lambda: canvas.zoom_to(box))
        menu.addAction("Zoom &Out\t−", canvas.zoom_out)
        menu.addAction("Show &All\t0", lambda: canvas.zoom_to(0))
        self.add_box_actions(menu, canvas, box)
        self.fill_export_menu(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade boxes that do not match the search and show the combined cost of the matches."""
        text = self.search.text()
        for canvas in self.shown_canvases():
            picture = canvas.picture
            matches = None
            if picture is not None and text:
                matches = picture.style.labels.nodes_containing(text)
            canvas.set_matches(matches)
        self._show_match_cost()

    def _show_match_cost(self) -> None:
        """Show the cost of the matches in each canvas; a sandwich shows the same cost twice."""
        costs = list(map(_match_cost, self.shown_canvases()))
        if len(costs) > 1 and any(costs):
            costs = [f"{cost} {where}" for cost, where in zip(costs, _SANDWICH_SIDES, strict=True)]
        self.match_label.setText(" · ".join(filter(None, costs)))
        self.match_label.setToolTip("Total cost of all matches; nothing is counted twice")

    def show_match(self, match: tuple[FrameCanvas, int]) -> None:
        canvas, box = match
        canvas.set_current(box)

    def matches(self) -> list[tuple[FrameCanvas, int]]:
        return [
            (canvas, int(box))
            for canvas in self.shown_canvases()
            if canvas.tree is not None and canvas.matches is not None
            for box in np.flatnonzero(canvas.tree.are_of(canvas.matches) & canvas.drawn_boxes())
        ]

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "CSV": lambda: "\n".join(
                table_as_csv(table) for table in self.tables if table.model().rowCount()
            )
        }


def _no_boxes_text(width: BoxWidth) -> str:
    """Return why a comparison shows no boxes by this width, and what to do."""
    return f"{_NOTHING_TEXTS[width]}\nPress {WIDTH_KEY}, or choose another width of boxes."


def _same_box(old: FrameTree, box: int, tree: FrameTree) -> int:
    """Return the box of a tree that has the path of a box of another one; -1 without one."""
    if not 0 <= box < len(old) or not len(tree):
        return -1
    nodes = old.node[old.path(box)].tolist()
    if nodes[0] != tree.node[0]:
        return -1
    found = 0
    for node in nodes[1:]:
        children = tree.children_of(found)
        found = next((child for child in children if tree.node[child] == node), -1)
        if found < 0:
            break
    return found


def _zoom_path_text(canvas: FrameCanvas) -> str:
    """Return the path to the zoomed box; empty if the view is not zoomed."""
    picture = canvas.picture
    if picture is None or canvas.zoom_root <= 0:
        return ""
    path = picture.tree.path(canvas.zoom_root)
    names = list(map(picture.name, path[-_MAX_PATH_NAMES:]))
    return _PATH_SEPARATOR.join(("…", *names) if len(path) > _MAX_PATH_NAMES else names)


def _small_boxes_text(canvas: FrameCanvas) -> str:
    """Return how many boxes have no room in a picture, and what they cost together."""
    picture, boxes = canvas.picture, canvas.boxes_without_room()
    if picture is None or not len(boxes):
        return ""
    count = format_count(len(boxes), picture.style.unit.style)
    return f"{count} without room, together {picture.cost_of(boxes)}"


def _match_cost(canvas: FrameCanvas) -> str:
    """Return the combined cost of the matches in a canvas; empty without a search."""
    picture, matches = canvas.picture, canvas.matches
    return "" if picture is None or matches is None else picture.match_cost(matches)
