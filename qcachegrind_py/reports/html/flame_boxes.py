"""The flame graph of a report: the boxes of a nesting as plain values, with names and colours."""

from __future__ import annotations

from qcachegrind_py.analysis.calls.frame_tree import Nesting, nesting
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.analysis.names.palette import Rgb, shade_rgb
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.reports.html.page_data import ReportBox, ReportFlame

_BOXES = 3000
_LEAST_BOX = 1e-3  # share of the whole
_DEEPEST = 200
_EVERYTHING = "Whole program"


def report_flame(
    questions: Questions, event: EventType, scope: Scope, filter_: Filter, progress: Progress
) -> ReportFlame:
    """What was spent inside what, from the functions that nobody called; empty without calls."""
    if not len(questions.profile.calls):
        return ReportFlame()
    nest = nesting(
        questions.graph(event, scope),
        questions.top_entries(event, scope),
        least=_LEAST_BOX,
        most=_BOXES,
        deepest=_DEEPEST,
        passing=questions.passing(filter_, event, scope),
        progress=progress,
    )
    whole = float(nest.width[0]) if len(nest) else 0.0
    if whole <= 0:
        return ReportFlame()
    labels = questions.labels(scope)
    boxes = tuple(_box(questions, labels, scope, nest, box) for box in range(len(nest)))
    return ReportFlame(boxes, nest.least / whole, nest.left_out)


def _box(questions: Questions, labels: Labels, scope: Scope, nest: Nesting, box: int) -> ReportBox:
    entry, whole = int(nest.entry[box]), float(nest.width[0])
    function = questions.first_member(entry, scope) if entry >= 0 else -1
    return ReportBox(
        function,
        labels.name(entry) if entry >= 0 else _EVERYTHING,
        as_number(nest.cost[box]),
        int(nest.depth[box]),
        int(nest.parent[box]),
        float(nest.start[box]) / whole,
        float(nest.width[box]) / whole,
        bool(nest.is_exact[box]),
        bool(nest.is_recursion[box]),
        _color(questions, function),
    )


def _color(questions: Questions, function: int) -> Rgb:
    """As in the window where functions are in no groups; grey for what is no function."""
    if function < 0:
        return shade_rgb(UNKNOWN, "")
    file = questions.names.file(function)
    place = file if file != UNKNOWN else questions.names.object(function)
    return shade_rgb(place, questions.names.name(function))
