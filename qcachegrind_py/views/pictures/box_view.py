"""The base of flame graph and maps: job, search, table, note, and what boxes are as wide as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.explanation.numbers import (
    Measure,
    NumberRequest,
    exact_recording_command,
)
from qcachegrind_py.present.call_map import MapLayout
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.frames import (
    NO_BOXES,
    Frames,
    FrameStyle,
    compares_boxes,
    frame_notes,
    frame_reasons,
    frame_table,
)
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.view import PICTURE_MENU, PictureView
from qcachegrind_py.views.profile_view import has_cursor
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import node_colors
from qcachegrind_py.views.widgets.controls import Choice
from qcachegrind_py.views.widgets.empty_page import Remedy

LaidOutTree = tuple[FrameTree, MapLayout | None]
_STYLE_CHANGES = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.GROUPING | Change.COLORS
NO_COST = "No cost of this event was recorded here.\nChoose another event or function."
_SANDWICH_SIDES = ("above", "below")  # the two canvases of a sandwich
WIDTH_KEY = "W"
_WIDTHS = list(BoxWidth)
WIDTH_CHOICE = Choice(
    "&Width of Boxes",
    f"What boxes are as wide, or as large, as; {WIDTH_KEY} goes to the next one",
    (
        (BoxWidth.NEW.value, "&New Cost"),
        (BoxWidth.BASE.value, "&Base Cost"),
        (BoxWidth.CHANGE.value, "&Change: Growth and Shrinkage Inside"),
    ),
)
_NOTHING = {  # why no box has a width, and what has one
    BoxWidth.NEW: ("Only the base has cost here.", BoxWidth.BASE),
    BoxWidth.BASE: ("Only the new side has cost here.", BoxWidth.NEW),
    BoxWidth.CHANGE: ("No change here is certain.", BoxWidth.NEW),
}


class BoxView(PictureView):
    """A view of frame trees; subclasses build the trees and lay out canvases and buttons."""

    size_word = "width"  # what costs are drawn as
    depends_on = ~(Change.EVENTS | Change.code_changes())

    def __init__(self, session: Session, title: str, canvases: Sequence[BoxCanvas]) -> None:
        self.canvases = canvases
        self.models = [TableModel(NO_BOXES) for _ in canvases]
        tables = [FunctionTable(model, f"Boxes: {title}") for model in self.models]
        super().__init__(session, title, tables)
        self._shown_width = BoxWidth.NEW  # of the shown boxes
        self._summary = ""  # part of the note below the boxes
        self._reasons: list[str] = []  # lines that explain it
        for model, canvas in zip(self.models, canvases, strict=True):
            model.setParent(self)
            canvas.activated.connect(self._activate)
            canvas.selected.connect(self._select)
            canvas.menu_requested.connect(partial(self._fill_menu, canvas))
            canvas.detail_changed.connect(self.note.show_detail)
            canvas.current_changed.connect(self._show_note)
            canvas.laid_out.connect(self._update_summary)  # as other boxes may have room

    # ---------------------------------------------------------------- for the subclasses

    def shown_pairs(self) -> list[tuple[BoxCanvas, TableModel]]:
        return list(zip(self.canvases, self.models, strict=True))

    def tree_builders(self, query: ViewQuery) -> list[Callable[[Progress], FrameTree]]:
        """Return functions that build the tree of each canvas in use, to run in a job."""
        raise NotImplementedError

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
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

    def shown_canvases(self) -> list[BoxCanvas]:
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
            following = _WIDTHS[(_WIDTHS.index(self.box_width) + 1) % len(_WIDTHS)]
            self.options.set("width", following.value)

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
        self.legend.clear()
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
        is_compared = any(tree.is_compared for tree in trees)
        if not any(tree.width[:1].sum() > 0 for tree in trees):
            self._show_why_empty(is_compared=is_compared)
            return
        if self._show_better(query, trees):
            return
        style = self._style(query)
        for (canvas, model), (tree, layout) in zip(self.shown_pairs(), laid_out, strict=True):
            old, places = canvas.picture, (canvas.zoom_root, canvas.current)
            canvas.set_boxes(tree, style, layout)
            if canvas.picture is not None:
                canvas.return_to(*self._places_in(canvas.picture, old, places))
                model.show(frame_table(canvas.picture))
        self.fit_tables(is_compared=is_compared)
        self.highlight_selection(query.context)
        self._shown_width = self.box_width
        self._show_box_legend(query)
        self._update_summary()

    def _show_better(self, query: ViewQuery, trees: list[FrameTree]) -> bool:
        """Show something else where the boxes would say nothing; return whether that is so."""
        return False

    def _show_box_legend(self, query: ViewQuery) -> None:
        trees = [canvas.tree for canvas in self.shown_canvases() if canvas.tree is not None]
        nodes = np.concatenate([tree.node[tree.width > 0] for tree in trees])
        self.show_legend(query, nodes, is_compared=any(tree.is_compared for tree in trees))

    def _places_in(
        self, picture: Frames, old: Frames | None, places: tuple[int, int]
    ) -> tuple[int, int]:
        """Return the boxes to zoom to and to make current: the same as in another width."""
        is_same = self._shown_width is self.box_width
        if is_same or old is None or not (old.is_compared and picture.is_compared):
            return -1, -1
        zoomed, current = (picture.box_like(old, box) for box in places)
        return zoomed, current

    def _show_why_empty(self, *, is_compared: bool) -> None:
        if not is_compared:
            self.show_placeholder(NO_COST)
            return
        text, other = _NOTHING[self.box_width]
        show = partial(self.options.set, "width", other.value)
        self.show_placeholder(text, Remedy(f"Show {other.value.capitalize()} Cost", show))

    def _update_style(self, query: ViewQuery) -> None:
        if self.session.jobs.is_running(self.title):
            return  # the shown trees are outdated, and new ones will have this style
        style = self._style(query)
        for canvas, model in self.shown_pairs():
            canvas.set_box_style(style)
            if canvas.picture is not None:
                model.show_numbers(frame_table(canvas.picture))
        self._show_box_legend(query)
        self.apply_search()
        self._update_summary()

    def _style(self, query: ViewQuery) -> FrameStyle:
        unit, color = self.unit_for(query), node_colors(query)
        event, samples = query.context.event, None
        if compares_boxes(query):
            unit = replace(unit, longest_change=query.function_unit(event).longest_change)
            samples = None if event is None else query.sampling(event)
        return FrameStyle(
            query.labels(),
            unit,
            lambda node: color(node).name(),
            partial(exact_recording_command, query.profile),
            query.visible_nodes(),
            samples,
        )

    def _update_summary(self) -> None:
        """Update the note: number of boxes, what has no room, and what is estimated."""
        shown = self.shown_canvases()
        pictures = [canvas.picture for canvas in shown if canvas.picture is not None]
        if pictures and len(pictures) == len(shown):
            rooms = zip(pictures, shown, strict=True)
            small = [picture.without_room(each.boxes_without_room()) for picture, each in rooms]
            notes = frame_notes(pictures, self.box_width, self.size_word, small)
            self._summary, self._reasons = " · ".join(notes), frame_reasons(pictures)
            self._show_note()

    # ---------------------------------------------------------------- one box

    @property
    def is_of_program(self) -> bool:
        """Whether the boxes begin where the whole program does, and not at the active function."""
        return False

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the box whose menu is open, or of the current box or row."""
        query, (canvas, box, measure) = self.session.query, self._chosen_box()
        if query is None or canvas.picture is None:
            return None
        is_program, of_recorded = self.is_of_program, query.context.of_recorded
        key = canvas.picture.number(box, measure, is_program=is_program, of_recorded=of_recorded)
        parent = None if is_program else parent_of_calls(query, query.context.function)
        return None if key is None else number_request(query, key, parent=parent)

    def _chosen_box(self) -> tuple[BoxCanvas, int, Measure]:
        """Return the row of the table that has the focus, or the box pointed at or current."""
        for canvas, model, table in zip(self.canvases, self.models, self.tables, strict=True):
            index = table.currentIndex()
            if has_cursor(table) and index.isValid():
                is_count = table.current_key() == "called"
                return canvas, model.record(index), Measure.COUNT if is_count else Measure.COST
        shown = self.shown_canvases()
        canvas = next((each for each in shown if has_cursor(each)), shown[-1])
        pointed = canvas.pointed.box
        return canvas, pointed if pointed >= 0 else canvas.keyboard_box(), Measure.COST

    def _show_note(self) -> None:
        shown = self.shown_canvases()
        paths = [each.picture.path_text(each.zoom_root) for each in shown if each.picture]
        self.note.setText(" · ".join(filter(None, (*paths, self._summary))), *self._reasons)

    def _fill_menu(self, canvas: BoxCanvas, menu: QMenu, box: int) -> None:
        tree = canvas.tree
        if tree is None:
            return
        if box < 0:
            self._add_picture_actions(menu, canvas, box)
            return
        node = node_at(tree.node, box)
        if node >= 0:
            menu.addAction("&Go to Function\tReturn", lambda: canvas.activate(box))
        menu.addAction("&Zoom In Here\t+", lambda: canvas.zoom_to(box))
        self._add_picture_actions(menu.addMenu(PICTURE_MENU), canvas, box)
        if node >= 0:
            self.menu_requested.emit(menu, node)

    def _add_picture_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        menu.addAction("Zoom &Out\tEsc", canvas.zoom_out)
        menu.addAction("Sho&w All\t0", lambda: canvas.zoom_to(0))
        self.add_box_actions(menu, canvas, box)
        self.fill_export_menu(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade boxes outside search and chosen group; show the combined cost of the others."""
        text, chosen = self.search.text(), self.legend.chosen_nodes()
        for canvas in self.shown_canvases():
            picture, matches = canvas.picture, chosen
            if picture is not None and text:
                found = picture.style.labels.nodes_containing(text)
                matches = found if chosen is None else found & chosen
            canvas.set_matches(matches)
        self._show_match_cost()

    def _show_match_cost(self) -> None:
        """Show the cost of the matches in each canvas; a sandwich shows the same cost twice."""
        costs = [
            ""
            if each.picture is None or each.matches is None or not self.search.text()
            else each.picture.match_cost(each.matches)
            for each in self.shown_canvases()
        ]
        if len(costs) > 1 and any(costs):
            costs = [f"{cost} {where}" for cost, where in zip(costs, _SANDWICH_SIDES, strict=True)]
        self.match_label.setText(" · ".join(filter(None, costs)))
        self.match_label.setToolTip("Total cost of all matches; nothing is counted twice")

    def show_match(self, match: tuple[BoxCanvas, int]) -> None:
        canvas, box = match
        canvas.set_current(box)

    def matches(self) -> list[tuple[BoxCanvas, int]]:
        return [
            (canvas, int(box))
            for canvas in self.shown_canvases()
            if canvas.tree is not None and canvas.matches is not None
            for box in np.flatnonzero(canvas.tree.are_of(canvas.matches) & (canvas.tree.width > 0))
        ]
