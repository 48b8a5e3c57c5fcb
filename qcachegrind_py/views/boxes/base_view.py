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
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.painting_style import BoxLook
from qcachegrind_py.views.common.context_formats import call_format, color_of
from qcachegrind_py.views.common.picture_view import PictureView, containing
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import as_csv

_LOOKS = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.GROUPING
NO_COST = (
    "Nothing was spent here of this event.\nChoose another one in the toolbar, or another function."
)
_LONGEST_WAY = 4  # names of it that are written
_WITHIN = " › "
_WHERE = ("above", "below")  # of the two canvases of a sandwich
_ALONE = {True: "no other called it at any cost", False: "it called no other at any cost"}
_LEGEND = f"pale and ≈: estimates, as {WHY_ESTIMATED}"


class BoxView(PictureView):
    """Subclasses say which boxes are wanted, and put canvases and buttons together."""

    concerns = ~(Change.EVENTS | Change.code_changes())

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        title: str,
        canvases: Sequence[BoxCanvas],
    ) -> None:
        self.canvases = canvases
        self.models = [FrameModel() for _ in canvases]
        tables = [FunctionTable(model, f"Boxes: {title}") for model in self.models]
        super().__init__(session, navigation, title, tables)
        self._described = ""  # of the boxes, below them
        for model, canvas in zip(self.models, canvases, strict=True):
            model.setParent(self)
            self.follow_user(canvas)
            canvas.wanted_menu.connect(partial(self._fill_menu, canvas))
            canvas.current_changed.connect(partial(self._say_where, canvas))

    # ---------------------------------------------------------------- for the subclasses

    def shown(self) -> list[tuple[BoxCanvas, FrameModel]]:
        """The canvases in use, with the models beside them."""
        return list(zip(self.canvases, self.models, strict=True))

    def nesters(
        self, queries: ProfileQueries, context: Context
    ) -> list[Callable[[Progress], FrameTree]]:
        """What works out the boxes of each canvas in use, in a job."""
        raise NotImplementedError

    def fill_more(self, menu: QMenu, canvas: BoxCanvas, box: int) -> None:
        """Offer what only this view can do with a box."""

    def format(self, queries: ProfileQueries, context: Context) -> CostFormat:
        """How costs are written: the active function is what they are a part of."""
        return call_format(queries, context, context.event, context.function)

    def shown_canvases(self) -> list[BoxCanvas]:
        return [canvas for canvas, _ in self.shown()]

    # ---------------------------------------------------------------- drawing up

    def forget(self) -> None:
        for canvas, model in zip(self.canvases, self.models, strict=True):
            canvas.clear()
            model.clear()

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Nest calls from the active function on, or write the same boxes otherwise."""
        if change == Change.SELECTION:
            self.mark(context)
        elif not self.why_nothing(queries, context):
            is_there = all(canvas.nesting is not None for canvas in self.shown_canvases())
            if change & ~(_LOOKS | Change.SELECTION) or not is_there:
                self._nest(queries, context)
            else:
                self._write(queries, context)

    def mark(self, context: Context) -> None:
        """Outline the boxes of what is selected."""
        for canvas in self.canvases:
            canvas.highlight(context.selected)

    def _nest(self, queries: ProfileQueries, context: Context) -> None:
        nesters = self.nesters(queries, context)

        def work(progress: Progress) -> list[FrameTree]:
            return [nest(progress) for nest in nesters]

        self.start(work, self._take)

    def _take(self, nestings: list[FrameTree]) -> None:
        queries, context = self.session.queries, self.navigation.context
        if queries is None:
            return
        if not any(nesting.width[:1].sum() > 0 for nesting in nestings):
            self.say(NO_COST)
            return
        look = self._look(queries, context)
        for (canvas, model), nesting in zip(self.shown(), nestings, strict=True):
            canvas.set_boxes(nesting, look)
            model.set_frames(look.labels, nesting, look.format)
        for table in self.tables:
            table.fit_numbers()
        self.mark(context)
        self._describe(nestings, look)

    def _write(self, queries: ProfileQueries, context: Context) -> None:
        if self.session.jobs.is_running(self.title):
            return  # these are of another event or function; those that come will be written so
        look = self._look(queries, context)
        nestings = []
        for canvas, model in self.shown():
            if canvas.nesting is not None:
                canvas.set_look(look)
                model.set_style(look.labels, look.format)
                nestings.append(canvas.nesting)
                self._say_where(canvas)
        self._say_found()
        self._describe(nestings, look)

    def _look(self, queries: ProfileQueries, context: Context) -> BoxLook:
        return BoxLook(
            queries.labels(context.scope, short=context.short_names),
            self.format(queries, context),
            color_of(queries, context),
            partial(exact_recording_command, queries.profile),
        )

    def _describe(self, nestings: Sequence[FrameTree], look: BoxLook) -> None:
        """Say below what is not shown, and how estimates look."""
        count = sum(map(len, nestings))
        parts = [f"{look.format.count_text(count)} box{'' if count == 1 else 'es'}"]
        left_out = sum(nesting.omitted_calls for nesting in nestings)
        if left_out:
            least = look.format.with_unit(ceil(max(nesting.min_width for nesting in nestings)))
            than = f"smaller than {least}" if least != look.format.with_unit(0) else "tiny ones"
            parts.append(f"{look.format.count_text(left_out)} {than} left out")
        hidden = sum(nesting.filtered_calls for nesting in nestings)
        if hidden:
            parts.append(f"{look.format.count_text(hidden)} hidden by the filter")
        if count == 1 and not left_out and not hidden:
            parts.append(_ALONE[self.shown_canvases()[0].holds_callers])
        if not all(nesting.is_exact.all() for nesting in nestings):
            parts.append(_LEGEND)
        self._described = " · ".join(parts)
        self._show_note()

    # ---------------------------------------------------------------- one box

    def _say_where(self, canvas: BoxCanvas) -> None:
        """Tell screen readers of the current box; eyes see its outline."""
        nesting, look, box, text = canvas.nesting, canvas.look, canvas.current, ""
        if nesting is not None and look is not None and box >= 0:
            text = f"{look.name(nesting, box)}, {look.cost(nesting, box)}"
        canvas.setAccessibleDescription(text)
        self._show_note()

    def _show_note(self) -> None:
        """What was described, behind the way to what is zoomed to."""
        ways = map(_way_to_zoomed, self.shown_canvases())
        self.note.setText(" · ".join(filter(None, (*ways, self._described))))

    def _fill_menu(self, canvas: BoxCanvas, menu: QMenu, box: int) -> None:
        nesting = canvas.nesting
        if nesting is None:
            return
        entry = int(nesting.node[box]) if box >= 0 else -1
        if entry >= 0:
            menu.addAction("&Go to Function\tReturn", lambda: canvas.activate(box))
            self.wanted_menu.emit(menu, entry)
            menu.addSeparator()
        if box >= 0:
            menu.addAction("&Zoom In Here\t+", lambda: canvas.zoom_to(box))
        menu.addAction("Zoom &Out\t−", canvas.zoom_out)
        menu.addAction("Show &All\t0", lambda: canvas.zoom_to(0))
        self.fill_more(menu, canvas, box)
        self.add_export(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def search_for(self) -> None:
        """Fade what the search does not find, and say what it found costs together."""
        text = self.search.text()
        for canvas in self.shown_canvases():
            look = canvas.look
            found = containing(look.labels, text) if look is not None and text else None
            canvas.set_matches(found)
        self._say_found()

    def _say_found(self) -> None:
        """The cost of what was found, of each canvas: they show the same cost twice."""
        found = list(map(_found, self.shown_canvases()))
        if len(found) > 1 and any(found):
            found = [f"{cost} {where}" for cost, where in zip(found, _WHERE, strict=True)]
        self.found.setText(" · ".join(filter(None, found)))
        self.found.setToolTip("What is found costs together; nothing counts twice")

    def show_match(self, match: tuple[BoxCanvas, int]) -> None:
        canvas, box = match
        canvas.set_current(box)

    def matches(self) -> list[tuple[BoxCanvas, int]]:
        return [
            (canvas, int(box))
            for canvas in self.shown_canvases()
            if canvas.nesting is not None and canvas.matches is not None
            for box in np.flatnonzero(
                canvas.matches[canvas.nesting.node] & (canvas.nesting.node >= 0)
            )
        ]

    def texts(self) -> Mapping[str, Callable[[], str]]:
        return {
            "CSV": lambda: "\n".join(
                as_csv(table) for table in self.tables if table.model().rowCount()
            )
        }


def _way_to_zoomed(canvas: BoxCanvas) -> str:
    """The boxes that the zoomed one is in, and itself; empty where all is shown."""
    nesting, look = canvas.nesting, canvas.look
    if nesting is None or look is None or canvas.zoomed <= 0:
        return ""
    way = nesting.path(canvas.zoomed)
    names = [look.name(nesting, box) for box in way[-_LONGEST_WAY:]]
    return _WITHIN.join(("…", *names) if len(way) > _LONGEST_WAY else names)


def _found(canvas: BoxCanvas) -> str:
    """The cost of the matches in a canvas; empty where nothing is looked for."""
    nesting, look, matches = canvas.nesting, canvas.look, canvas.matches
    if nesting is None or look is None or matches is None:
        return ""
    cost, is_exact = nesting.combined_cost(matches)
    return ("" if is_exact else ESTIMATE) + look.format.with_unit(cost)
