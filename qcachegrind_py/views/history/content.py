"""What the dock shows of a history: computed in a job for an event, and the lines of the chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from PySide6.QtGui import QPalette

from qcachegrind_py.analysis.names.syntax import without_template_arguments
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.models.history.history_rows import HistoryRows, Measure
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.session.history.event_costs import Courses, EventCosts, event_costs
from qcachegrind_py.session.history.places import nodes_of_functions
from qcachegrind_py.session.history.source import OpenedHistory
from qcachegrind_py.views.common.option_menu import Choice
from qcachegrind_py.views.history.lines import ChartLine, Role, look_of


class Scale(Enum):
    """What the axis of the chart counts."""

    COSTS = "costs"
    RELATIVE = "relative"  # to the first value of each line


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """The options as plain values that can be saved as JSON."""

    measure: str = Measure.INCLUSIVE.value
    total: bool = True
    inclusive: bool = True
    self_cost: bool = True
    scale: str = Scale.COSTS.value


CHOICES = {
    "total": Choice("&Total", "Show the line of the whole program"),
    "inclusive": Choice(
        "&Inclusive Cost", "Show what the active function and all that it called cost"
    ),
    "self_cost": Choice("&Self Cost", "Show what the active function alone cost"),
    "scale": Choice(
        "S&cale",
        "What the axis on the left counts",
        (
            (Scale.COSTS.value, "&Costs"),
            (Scale.RELATIVE.value, "&Percent of the First Revision"),
        ),
    ),
    "measure": Choice(
        "&List and Pinned Lines Show",
        "Which cost the list and the lines of pinned functions show",
        (
            (Measure.INCLUSIVE.value, "I&nclusive Cost"),
            (Measure.SELF.value, "S&elf Cost"),
        ),
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """A history in one event, and its functions in the open profile."""

    opened: OpenedHistory
    inputs: object  # what it was computed for
    event: object  # that of the costs
    costs: EventCosts | None  # None if a revision lacks the event
    rows: dict[Measure, HistoryRows]  # empty without costs
    names: Sequence[str]  # as they are shown, of each function
    search: TextColumn  # of their full names
    nodes: Int64Array  # the function of the open profile; NO_NODE for none, shape (functions,)

    def line(
        self, role: Role, name: str, courses: Courses, row: int, number: int, palette: QPalette
    ) -> ChartLine:
        """Return a line of the chart: a row of some costs."""
        there = self.opened.history.present[row]
        if role is Role.TOTAL:
            there = np.ones(courses.values.shape[1], bool)
        look = look_of(role, number, palette)
        return ChartLine(role, name, courses.values[row], there, *courses.steps_of(row), look)


def compute_content(
    progress: Progress,
    query: ViewQuery,
    opened: OpenedHistory,
    inputs: object,
    before: Content | None,
) -> Content:
    """Compute what is shown of a history; costs of the same event are taken from `before`."""
    history, event = opened.history, query.context.event
    assert event is not None
    is_same = before is not None and before.opened is opened and before.event == event
    if is_same and before is not None:
        costs, search = before.costs, before.search
    else:
        part = PartialProgress(progress, 0, 0.7)
        costs = event_costs(part, history, query.events, event)
        search = TextColumn.from_indexed(opened.names, np.arange(len(opened.names)))
    names = list(opened.names)
    if query.context.short_names:
        names = list(map(without_template_arguments, names))
    nodes = nodes_of_functions(PartialProgress(progress, 0.7, 1), history.functions, query.profile)
    rows = {} if costs is None else _rows(opened, costs, names)
    return Content(opened, inputs, event, costs, rows, names, search, nodes)


def _rows(
    opened: OpenedHistory, costs: EventCosts, names: Sequence[str]
) -> dict[Measure, HistoryRows]:
    history = opened.history
    return {
        measure: HistoryRows(
            history.functions,
            names,
            opened.names,
            opened.locations,
            history.labels,
            shown.values,
            history.present,
            shown.trends,
            history.members,
        )
        for measure, shown in (
            (Measure.INCLUSIVE, costs.inclusive),
            (Measure.SELF, costs.self_cost),
        )
    }


def chart_lines(
    content: Content,
    options: HistoryOptions,
    active: int | None,
    pinned: Sequence[int],
    palette: QPalette,
) -> list[ChartLine]:
    """Return the lines that the options ask for; `active` and `pinned` are rows of the history."""
    costs, lines = content.costs, list[ChartLine]()
    if costs is None:
        return lines
    if options.total:
        lines.append(content.line(Role.TOTAL, "Total", costs.total, 0, 0, palette))
    if active is not None:
        name = content.names[active]
        if options.inclusive:
            of = f"{name}, inclusive"
            lines.append(content.line(Role.INCLUSIVE, of, costs.inclusive, active, 0, palette))
        if options.self_cost:
            of = f"{name}, self"
            lines.append(content.line(Role.SELF, of, costs.self_cost, active, 0, palette))
    is_self = options.measure == Measure.SELF.value
    shown, what = (costs.self_cost, "self") if is_self else (costs.inclusive, "inclusive")
    for number, row in enumerate(pinned):
        name = f"{content.names[row]}, {what}"
        lines.append(content.line(Role.PINNED, name, shown, row, number, palette))
    return lines
