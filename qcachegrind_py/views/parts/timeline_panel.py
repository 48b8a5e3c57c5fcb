"""The timeline in the Parts dock: what its bars show, and what they say when pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.analysis.costs.totals import PartBreakdown
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.parts import PartCosts, PartLabels, PartNumbers, PartSides, lanes_of
from qcachegrind_py.present.picture import Detail
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, PartId
from qcachegrind_py.profile.numbers import signed_text
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.parts.bar_content import (
    BarContent,
    BarMode,
    Share,
    as_heights,
    break_down,
    function_shares,
    shares_of,
)
from qcachegrind_py.views.widgets.controls import Choice, OptionMenu, text_menu_button

if TYPE_CHECKING:
    from qcachegrind_py.views.parts.part_timeline import PartTimeline

_MIN_LINES = 5  # minimum height in lines of text
_LINES_AROUND = 4  # lines of text for the axis and the line below it
_MOST_LANE_LINES = 4  # maximum height of a lane
_LANES_SEEN = 4  # of those lanes that there are: two threads of both sides
_IMPORT_JOB = "timeline"
_BREAKDOWN_JOB = "timeline bars"


@frozen(eq=True)
class TimelineOptions:
    """The options as plain values that can be saved as JSON."""

    bars: str = BarMode.FUNCTION.value


CHOICES = {
    "bars": Choice(
        "&Bars Show",
        "What the bars of the timeline are divided into",
        (
            (BarMode.FUNCTION.value, "&Active Function"),
            (BarMode.CALLEES.value, "&Callees of the Active Function"),
            (BarMode.GROUPS.value, "&Hottest Functions or Groups"),
        ),
    )
}


@frozen
class TimelineData:
    """What the timeline shows: the parts with the costs of the active function in each."""

    query: ViewQuery
    costs: PartCosts
    numbers: PartNumbers
    is_shown: BoolArray  # shape (parts,): not hidden
    is_active: BoolArray  # shape (parts,)
    sides: PartSides | None = None  # None: nothing is compared


class TimelinePanel(QWidget):
    """Shows the timeline of parts; it is created in a job when there are parts to show."""

    parts_selected = Signal(object)  # list[PartId]
    menu_requested = Signal(object, QPoint)  # PartId or None, and where on the screen

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.timeline: PartTimeline | None = None
        self._data: TimelineData | None = None
        self._shares: list[Share] = []  # that the bars are divided into
        self._breakdown: tuple[object, PartBreakdown] | None = None  # and what it was made from
        # from the start: a splitter would keep the height of 0 before the import
        self.setMinimumHeight(_MIN_LINES * self.fontMetrics().height())
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.options = OptionMenu(self, TimelineOptions(), CHOICES)
        self.options.changed.connect(self._show)
        fill = partial(self.options.fill, inline="bars")
        self.bars_button = text_menu_button("&Bars", CHOICES["bars"].tooltip, fill)

    @property
    def mode(self) -> BarMode:
        return BarMode(self.options.current.bars)

    def restore_options(self, text: str) -> None:
        """Take the options from a text; invalid ones are ignored."""
        self.options.restore(text)
        self._show()

    # ---------------------------------------------------------------- content

    def show_parts(self, data: TimelineData) -> None:
        """Show these parts, at once or when the timeline has been imported."""
        self._data = data
        if self.timeline is None:
            self._start_import()
        else:
            self._show()

    def clear(self) -> None:
        self._data = self._breakdown = None
        self._shares = []

    def _start_import(self) -> None:
        """Start creating the timeline; its import takes 0.3 s, so a job does it."""
        if not self._session.jobs.is_running(_IMPORT_JOB):
            job = self._session.jobs.start(_IMPORT_JOB, _import_timeline)
            job.finished.connect(self._add_timeline)

    def _add_timeline(self, kind: type[PartTimeline]) -> None:
        self.timeline = kind(self._describe, self.bars_button)
        self.timeline.parts_selected.connect(self.parts_selected)
        self.timeline.share_activated.connect(self._activate_share)
        self.timeline.menu_requested.connect(self.menu_requested)
        self._layout.addWidget(self.timeline)
        self._show()

    def _show(self) -> None:
        """Show the bars of the mode; other than the active function's they take a job."""
        data = self._data
        if data is None or self.timeline is None:
            return
        if self.mode is BarMode.FUNCTION:
            self._draw(data, function_shares(data.query, data.costs, self.palette()))
        elif self._breakdown is not None and self._breakdown[0] == self._inputs(data):
            self._draw(data, shares_of(data.query, self.mode, data.costs, self._breakdown[1]))
        else:
            self._start_breakdown(data)

    def _start_breakdown(self, data: TimelineData) -> None:
        inputs, query, mode = self._inputs(data), data.query, self.mode
        job = self._session.jobs.start(_BREAKDOWN_JOB, lambda _progress: break_down(query, mode))
        job.finished.connect(lambda breakdown: self._accept(inputs, breakdown))

    def _accept(self, inputs: object, breakdown: PartBreakdown) -> None:
        if self._data is not None and inputs == self._inputs(self._data):
            self._breakdown = inputs, breakdown
            self._show()

    def _inputs(self, data: TimelineData) -> object:
        context: Context = data.query.context
        per_mode = context.function if self.mode is BarMode.CALLEES else context.grouping
        scope = context.scope.cycles, context.scope.cut
        return self.mode, context.profile, context.event, scope, per_mode

    def _draw(self, data: TimelineData, shares: list[Share]) -> None:
        assert self.timeline is not None
        self._shares = shares
        total, numbers = as_heights(data.costs.total), data.numbers
        sides = data.sides
        process, is_base = (numbers.pid, None) if sides is None else (sides.process, sides.is_base)
        threads = process, numbers.thread, numbers.part
        lanes = lanes_of(*threads, total, data.is_shown, is_base, numbers.threads)
        rest = self.palette().color(QPalette.ColorRole.Mid)
        content = BarContent(total, shares, data.is_active, rest, is_base)
        self.timeline.set_parts(lanes, content)
        count, line = len(lanes.titles), self.fontMetrics().height()
        seen = _LINES_AROUND + min(count, _LANES_SEEN)
        self.setMinimumHeight(max(seen, _MIN_LINES) * line)
        most = _LINES_AROUND + _MOST_LANE_LINES * count
        self.setMaximumHeight(most * line)  # the table gets the rest

    # ---------------------------------------------------------------- pointing

    def _describe(self, part: PartId, share: int | None) -> Detail:
        """Say what a part or one of its shares is, and what it costs."""
        data = self._data
        if data is None:  # another profile was opened, and is not shown yet
            return Detail("")
        name = cell_text(PartLabels(data.costs.parts)[part])
        total = as_number(data.costs.total[part])
        unit = data.costs.unit
        if data.sides is not None:
            name = f"{name} ({data.sides.name(part)})"
        if share is None or share >= len(self._shares):
            numbers = unit.details(total)
            return Detail(name, (*numbers, *_other_side(data, part, data.costs.total)))
        chosen = self._shares[share]
        cost = as_number(chosen.cost[part])
        numbers = unit.details(cost)
        numbers = (*numbers, *_other_side(data, part, chosen.cost))
        return Detail(f"{name}: {cell_text(chosen.name)}", numbers, chosen.color.name())

    def _activate_share(self, share: int) -> None:
        """Go to the function or cycle of a share.

        The first click of a double click may have changed the active parts, which renumbers cycles
        and leaves functions as they are.
        """
        if self._data is None or share >= len(self._shares):
            return
        node, shown = self._shares[share].node, self._data.query
        context = self._session.navigation.context
        is_same = shown.context.scope == context.scope or shown.queries.is_function(node)
        if node != NO_NODE and is_same and shown.context.profile == context.profile:
            self._session.navigation.select_function(node)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show()


def _other_side(data: TimelineData, part: PartId, costs: CostArray) -> Iterator[str]:
    """Yield what the same dump and thread cost on the other side, and the change."""
    other = -1 if data.sides is None else int(data.sides.counterpart[part])
    if data.sides is None or other < 0:
        return
    here, there = as_number(costs[part]), as_number(costs[other])
    change = there - here if data.sides.is_base[part] else here - there
    text = data.costs.unit.absolute
    yield f"{data.sides.name(PartId(other))} {text(there)}"
    yield f"change {signed_text(text(change), change)}"


def _import_timeline(_progress: Progress) -> type[PartTimeline]:
    """Return the class of the timeline; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.parts.part_timeline import PartTimeline

    return PartTimeline
