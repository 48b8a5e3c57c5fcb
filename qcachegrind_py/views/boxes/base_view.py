"""What the views of nested boxes share: the job that nests, the search, the table, the note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil

import numpy as np
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.exactness_text import WHY_ESTIMATED, exact_recording_command
from qcachegrind_py.models.frame_table import FrameModel
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.context_formats import call_format, node_colors
from qcachegrind_py.views.common.picture_view import PictureView, nodes_containing
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import table_as_csv

_STYLE_CHANGES = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.GROUPING
NO_COST = (
    "Nothing was spent here of this event.\nChoose another one in the toolbar, or another function."
)
_MAX_PATH_NAMES = 4  # names of it that are written
_PATH_SEPARATOR = " › "
_SANDWICH_SIDES = ("above", "below")  # of the two canvases of a sandwich
_SINGLE_BOX_TEXT = {True: "no other called it at any cost", False: "it called no other at any cost"}
_LEGEND = f"pale and ≈: estimates, as {WHY_ESTIMATED}"


class BoxView(PictureView):
    """Subclasses say which boxes are wanted, and put canvases and buttons together."""

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
        self._summary = ""  # of the boxes, below them
        for model, canvas in zip(self.models, canvases, strict=True):
            model.setParent(self)
            self.connect_navigation(canvas)
            canvas.menu_requested.connect(partial(self._fill_menu, canvas))
            canvas.current_changed.connect(partial(self._update_accessible_text, canvas))

    # ---------------------------------------------------------------- for the subclasses

    def shown_pairs(self) -> list[tuple[BoxCanvas, FrameModel]]:
        """The canvases in use, with the models beside them."""
        return list(zip(self.canvases, self.models, strict=True))

    def tree_builders(
        self, queries: ProfileQueries, context: Context
    ) -> list[Callable[[Progress], FrameTree]]:
        """What works out the boxes of each canvas in use, in a job."""
        raise NotImplementedError

    def add_box_actions(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        """Offer what only this view can do with a box."""

    def cost_format_for(self, queries: ProfileQueries, context: Context) -> CostFormat:
        """How costs are written: the active function is what they are a part of."""
        return call_format(queries, context, context.event, context.function)

    def shown_canvases(self) -> list[BoxCanvas]:
        return [canvas for canvas, _ in self.shown_pairs()]

    # ---------------------------------------------------------------- drawing up

    def clear(self) -> None:
        for canvas, model in zip(self.canvases, self.models, strict=True):
            canvas.clear()
            model.clear()

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Nest calls from the active function on, or write the same boxes otherwise."""
        if change == Change.SELECTION:
            self.highlight_selection(context)
        elif not self.show_reason_if_empty(queries, context):
            is_there = all(canvas.tree is not None for canvas in self.shown_canvases())
            if change & ~(_STYLE_CHANGES | Change.SELECTION) or not is_there:
                self._build_trees(queries, context)
            else:
                self._update_style(queries, context)

    def highlight_selection(self, context: Context) -> None:
        """Outline the boxes of what is selected."""
        for canvas in self.canvases:
            canvas.highlight(context.selected)

    def _build_trees(self, queries: ProfileQueries, context: Context) -> None:
        nesters = self.tree_builders(queries, context)

        def work(progress: Progress) -> list[FrameTree]:
            return [nest(progress) for nest in nesters]

        self.start_job(work, self._show_trees)

    def _show_trees(self, trees: list[FrameTree]) -> None:
        queries, context = self.session.queries, self.navigation.context
        if queries is None:
            return
        if not any(nesting.width[:1].sum() > 0 for nesting in trees):
            self.show_empty_picture(NO_COST)
            return
        look = self._box_style(queries, context)
        for (canvas, model), nesting in zip(self.shown_pairs(), trees, strict=True):
            canvas.set_boxes(nesting, look)
            model.set_frames(look.labels, nesting, look.format)
        for table in self.tables:
            table.fit_numbers()
        self.highlight_selection(context)
        self._update_summary(trees, look)

    def _update_style(self, queries: ProfileQueries, context: Context) -> None:
        if self.session.jobs.is_running(self.title):
            return  # these are of another event or function; those that come will be written so
        look = self._box_style(queries, context)
        nestings = []
        for canvas, model in self.shown_pairs():
            if canvas.tree is not None:
                canvas.set_box_style(look)
                model.set_style(look.labels, look.format)
                nestings.append(canvas.tree)
                self._update_accessible_text(canvas)
        self._show_match_cost()
        self._update_summary(nestings, look)

    def _box_style(self, queries: ProfileQueries, context: Context) -> BoxStyle:
        return BoxStyle(
            queries.labels(context.scope, short=context.short_names),
            self.cost_format_for(queries, context),
            node_colors(queries, context),
            partial(exact_recording_command, queries.profile),
        )

    def _update_summary(self, trees: Sequence[FrameTree], look: BoxStyle) -> None:
        """Say below what is not shown, and how estimates look."""
        count = sum(map(len, trees))
        parts = [f"{look.format.count_text(count)} box{'' if count == 1 else 'es'}"]
        left_out = sum(nesting.omitted_calls for nesting in trees)
        if left_out:
            least = look.format.with_unit(ceil(max(nesting.min_width for nesting in trees)))
            than = f"smaller than {least}" if least != look.format.with_unit(0) else "tiny ones"
            parts.append(f"{look.format.count_text(left_out)} {than} left out")
        hidden = sum(nesting.filtered_calls for nesting in trees)
        if hidden:
            parts.append(f"{look.format.count_text(hidden)} hidden by the filter")
        if count == 1 and not left_out and not hidden:
            parts.append(_SINGLE_BOX_TEXT[self.shown_canvases()[0].shows_callers])
        if not all(nesting.is_exact.all() for nesting in trees):
            parts.append(_LEGEND)
        self._summary = " · ".join(parts)
        self._show_note()

    # ---------------------------------------------------------------- one box

    def _update_accessible_text(self, canvas: BoxCanvas) -> None:
        """Tell screen readers of the current box; eyes see its outline."""
        nesting, look, box, text = canvas.tree, canvas.box_style, canvas.current, ""
        if nesting is not None and look is not None and box >= 0:
            text = f"{look.name(nesting, box)}, {look.cost(nesting, box)}"
        canvas.setAccessibleDescription(text)
        self._show_note()

    def _show_note(self) -> None:
        """What was described, behind the way to what is zoomed to."""
        ways = map(_zoom_path_text, self.shown_canvases())
        self.note.setText(" · ".join(filter(None, (*ways, self._summary))))

    def _fill_menu(self, canvas: BoxCanvas, menu: QMenu, box: int) -> None:
        nesting = canvas.tree
        if nesting is None:
            return
        node = node_at(nesting.node, box) if box >= 0 else NO_NODE
        if node != NO_NODE:
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
        """Fade what the search does not find, and say what it found costs together."""
        text = self.search.text()
        for canvas in self.shown_canvases():
            look = canvas.box_style
            found = nodes_containing(look.labels, text) if look is not None and text else None
            canvas.set_matches(found)
        self._show_match_cost()

    def _show_match_cost(self) -> None:
        """The cost of what was found, of each canvas: they show the same cost twice."""
        found = list(map(_match_cost, self.shown_canvases()))
        if len(found) > 1 and any(found):
            found = [f"{cost} {where}" for cost, where in zip(found, _SANDWICH_SIDES, strict=True)]
        self.match_label.setText(" · ".join(filter(None, found)))
        self.match_label.setToolTip("What is found costs together; nothing counts twice")

    def show_match(self, match: tuple[BoxCanvas, int]) -> None:
        canvas, box = match
        canvas.set_current(box)

    def matches(self) -> list[tuple[BoxCanvas, int]]:
        return [
            (canvas, int(box))
            for canvas in self.shown_canvases()
            if canvas.tree is not None and canvas.matches is not None
            for box in np.flatnonzero(canvas.matches[canvas.tree.node] & (canvas.tree.node >= 0))
        ]

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "CSV": lambda: "\n".join(
                table_as_csv(table) for table in self.tables if table.model().rowCount()
            )
        }


def _zoom_path_text(canvas: BoxCanvas) -> str:
    """The boxes that the zoomed one is in, and itself; empty where all is shown."""
    nesting, look = canvas.tree, canvas.box_style
    if nesting is None or look is None or canvas.zoom_root <= 0:
        return ""
    way = nesting.path(canvas.zoom_root)
    names = [look.name(nesting, box) for box in way[-_MAX_PATH_NAMES:]]
    return _PATH_SEPARATOR.join(("…", *names) if len(way) > _MAX_PATH_NAMES else names)


def _match_cost(canvas: BoxCanvas) -> str:
    """The cost of the matches in a canvas; empty where nothing is looked for."""
    nesting, look, matches = canvas.tree, canvas.box_style, canvas.matches
    if nesting is None or look is None or matches is None:
        return ""
    cost, is_exact = nesting.combined_cost(matches)
    return ("" if is_exact else ESTIMATE) + look.format.with_unit(cost)
