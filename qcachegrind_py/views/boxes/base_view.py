"""Base of the flame graph and call map docks: job, search, tables and note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_sides import BoxWidth
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.explanation.numbers import (
    WHY_ESTIMATED,
    NumberRequest,
    exact_recording_command,
)
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.group_colors import node_colors
from qcachegrind_py.models.frame_table import FrameModel
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.box_number import box_number
from qcachegrind_py.views.boxes.compared_boxes import (
    WIDTH_KEY,
    compared_style,
    compares_boxes,
    comparison_notes,
    next_width,
    no_boxes_text,
    same_box,
)
from qcachegrind_py.views.boxes.compared_style import ComparedBoxStyle
from qcachegrind_py.views.boxes.map_layout import MapLayout
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.pictures.view import PictureView
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import table_as_csv

LaidOutTree = tuple[FrameTree, MapLayout | None]
_STYLE_CHANGES = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.GROUPING | Change.COLORS
NO_COST = "No cost of this event was recorded here.\nChoose another event or function."
_MAX_PATH_NAMES = 4  # names shown of the path to the zoomed box
_PATH_SEPARATOR = " › "
_SANDWICH_SIDES = ("above", "below")  # the two canvases of a sandwich
_SINGLE_BOX_TEXT = {True: "no callers with cost", False: "no callees with cost"}
_LEGEND = f"muted, ≈: estimated, because {WHY_ESTIMATED}"


class BoxView(PictureView):
    """A view of frame trees; subclasses build the trees and lay out canvases and buttons."""

    size_word = "width"  # what costs are drawn as
    depends_on = ~(Change.EVENTS | Change.code_changes())

    def __init__(
        self,
        session: Session,
        title: str,
        canvases: Sequence[BoxCanvas],
    ) -> None:
        self.canvases = canvases
        self.models = [FrameModel() for _ in canvases]
        tables = [FunctionTable(model, f"Boxes: {title}") for model in self.models]
        super().__init__(session, title, tables)
        self._shown_width = BoxWidth.NEW  # of the shown boxes
        self._summary = ""  # part of the note below the boxes
        for model, canvas in zip(self.models, canvases, strict=True):
            model.setParent(self)
            self.connect_navigation(canvas)
            canvas.menu_requested.connect(partial(self._fill_menu, canvas))
            canvas.detail_changed.connect(self.show_detail)
            canvas.current_changed.connect(partial(self._update_accessible_text, canvas))
            canvas.laid_out.connect(self._on_laid_out)

    # ---------------------------------------------------------------- for the subclasses

    def shown_pairs(self) -> list[tuple[BoxCanvas, FrameModel]]:
        """Return the canvases in use, each with the model of its table."""
        return list(zip(self.canvases, self.models, strict=True))

    def tree_builders(self, query: ViewQuery) -> list[Callable[[Progress], FrameTree]]:
        """Return functions that build the tree of each canvas in use, to run in a job."""
        raise NotImplementedError

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        """Add actions for a box that are specific to the subclass."""

    def cost_format_for(self, query: ViewQuery) -> CostFormat:
        """Return the format of costs; percentages "of parent" refer to the active function."""
        context = query.context
        return query.call_format(context.event, context.function)

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
            self.options.set("width", next_width(self.options.current.width))

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
            self.show_empty_picture(no_boxes_text(self.box_width) if compared else NO_COST)
            return
        style = self._box_style(query)
        for (canvas, model), (tree, layout) in zip(self.shown_pairs(), laid_out, strict=True):
            zoomed, current = self._places_in(canvas, tree)
            canvas.set_boxes(tree, style, layout)
            canvas.return_to(zoomed, current)
            model.set_frames(style.labels, tree, style.format, style.formats())
        for table in self.tables:
            table.show_comparison(style.formats() is not None)
            table.fit_numbers()
        self.highlight_selection(query.context)
        self._shown_width = self.box_width
        self._update_summary(trees, style)

    def _places_in(self, canvas: BoxCanvas, tree: FrameTree) -> tuple[int, int]:
        """Return the boxes to zoom to and to make current: the same as in another width."""
        old = canvas.tree
        if old is None or not old.sides or not tree.sides or self._shown_width is self.box_width:
            return -1, -1
        return same_box(old, canvas.zoom_root, tree), same_box(old, canvas.current, tree)

    def _update_style(self, query: ViewQuery) -> None:
        if self.session.jobs.is_running(self.title):
            return  # the shown trees are outdated, and new ones will have this style
        style = self._box_style(query)
        trees = []
        for canvas, model in self.shown_pairs():
            if canvas.tree is not None:
                canvas.set_box_style(style)
                model.set_style(style.labels, style.format, style.formats())
                trees.append(canvas.tree)
                self._update_accessible_text(canvas)
        self._show_match_cost()
        self._update_summary(trees, style)

    def _box_style(self, query: ViewQuery) -> BoxStyle:
        style = BoxStyle(
            query.labels(),
            self.cost_format_for(query),
            node_colors(query),
            partial(exact_recording_command, query.profile),
            query.visible_nodes(),
        )
        return compared_style(query, style)

    def _update_summary(self, trees: Sequence[FrameTree], style: BoxStyle) -> None:
        """Update the note: number of boxes, omissions, and the legend of estimates."""
        count = sum(
            len(tree) if tree.sides is None else int((tree.width > 0).sum()) for tree in trees
        )
        parts = [f"{style.format.count_text(count)} {plural(count, 'box')}"]
        compared = comparison_notes(trees, self.box_width, style, self.size_word)
        parts += compared
        left_out = sum(tree.omitted_calls for tree in trees)
        if left_out:
            min_cost = style.format.with_unit(ceil(max(tree.min_width for tree in trees)))
            is_tiny = min_cost == style.format.with_unit(0) or min_cost.startswith("<")
            size_text = "tiny ones" if is_tiny else f"smaller than {min_cost}"
            text = f"{style.format.count_text(left_out)} {size_text} not drawn"
            parts.append(f"{text}, together {_omitted_cost(trees, style)}")
        parts += filter(None, map(_small_boxes_text, self.shown_canvases()))
        hidden = sum(tree.filtered_calls for tree in trees)
        if hidden:
            parts.append(f"{style.format.count_text(hidden)} outside the filter")
        if count == 1 and not left_out and not hidden:
            parts.append(_SINGLE_BOX_TEXT[self.shown_canvases()[0].shows_callers])
        if not compared and not all(tree.is_exact.all() for tree in trees):
            parts.append(_LEGEND)
        self._summary = " · ".join(parts)
        self._show_note()

    def _on_laid_out(self) -> None:
        """Update the note, as other boxes may have room now."""
        shown = [(canvas.tree, canvas.box_style) for canvas in self.shown_canvases()]
        trees = [tree for tree, _ in shown if tree is not None]
        style = shown[0][1]
        if style is not None and len(trees) == len(shown):
            self._update_summary(trees, style)

    # ---------------------------------------------------------------- one box

    @property
    def is_of_program(self) -> bool:
        """Whether the boxes begin where the whole program does, and not at the active function."""
        return False

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the box whose menu is open, or of the current box or row."""
        query = self.session.query
        return None if query is None else box_number(query, self)

    def _update_accessible_text(self, canvas: BoxCanvas) -> None:
        """Describe the current box to screen readers."""
        tree, style, box, text = canvas.tree, canvas.box_style, canvas.current, ""
        if tree is not None and style is not None and box >= 0:
            text = style.spoken(tree, box)
        canvas.setAccessibleDescription(text)
        self._show_note()

    def _show_note(self) -> None:
        """Show the paths to zoomed boxes, followed by the summary."""
        paths = map(_zoom_path_text, self.shown_canvases())
        self.note.setText(" · ".join(filter(None, (*paths, self._summary))))

    def _fill_menu(self, canvas: BoxCanvas, menu: QMenu, box: int) -> None:
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
            style = canvas.box_style
            matches = style.labels.nodes_containing(text) if style is not None and text else None
            canvas.set_matches(matches)
        self._show_match_cost()

    def _show_match_cost(self) -> None:
        """Show the cost of the matches in each canvas; a sandwich shows the same cost twice."""
        costs = list(map(_match_cost, self.shown_canvases()))
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
            for box in np.flatnonzero(canvas.tree.are_of(canvas.matches) & canvas.drawn_boxes())
        ]

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "CSV": lambda: "\n".join(
                table_as_csv(table) for table in self.tables if table.model().rowCount()
            )
        }


def _zoom_path_text(canvas: BoxCanvas) -> str:
    """Return the path to the zoomed box; empty if the view is not zoomed."""
    tree, style = canvas.tree, canvas.box_style
    if tree is None or style is None or canvas.zoom_root <= 0:
        return ""
    path = tree.path(canvas.zoom_root)
    names = [style.name(tree, box) for box in path[-_MAX_PATH_NAMES:]]
    return _PATH_SEPARATOR.join(("…", *names) if len(path) > _MAX_PATH_NAMES else names)


def _small_boxes_text(canvas: BoxCanvas) -> str:
    """Return how many boxes have no room in a picture, and what they cost together."""
    tree, style, boxes = canvas.tree, canvas.box_style, canvas.boxes_without_room()
    if tree is None or style is None or not len(boxes):
        return ""
    text = f"{style.format.count_text(len(boxes))} without room, together"
    is_exact = bool(tree.is_exact[boxes].all())
    if tree.sides is not None and isinstance(style, ComparedBoxStyle):
        cost = tree.sides.cost
        base, new = (sum(side[boxes].tolist()) for side in (cost.base, cost.new))
        return f"{text} {style.both_costs(base, new, is_exact=is_exact)}"
    mark = "" if is_exact else ESTIMATE
    return f"{text} {mark}{style.format.with_unit(sum(tree.cost[boxes].tolist()))}"


def _omitted_cost(trees: Sequence[FrameTree], style: BoxStyle) -> str:
    """Return what the calls without boxes cost together, on both sides if there are two."""
    is_exact = all(tree.has_exact_omissions for tree in trees)
    sides = [tree.sides.omitted_cost for tree in trees if tree.sides is not None]
    if sides and isinstance(style, ComparedBoxStyle):
        base, new = (sum(map(round, side)) for side in zip(*sides, strict=True))
        return style.both_costs(base, new, is_exact=is_exact)
    cost = sum(round(tree.omitted_cost) for tree in trees)
    return f"{'' if is_exact else ESTIMATE}{style.format.with_unit(cost)}"


def _match_cost(canvas: BoxCanvas) -> str:
    """Return the combined cost of the matches in a canvas; empty without a search."""
    tree, style, matches = canvas.tree, canvas.box_style, canvas.matches
    if tree is None or style is None or matches is None:
        return ""
    return style.match_cost(tree, matches)
