"""The flame graph of a report: the boxes of a nesting as plain values, with names and colours."""

from __future__ import annotations

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.analysis.names.palette import Rgb, shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_NODE, FunctionId, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.reports.html.page_data import ReportBox, ReportFlame

_MAX_BOXES = 3000
_MIN_BOX_FRACTION = 1e-3  # share of the whole
_MAX_DEPTH = 200
_ROOT_NAME = "Whole program"


def report_flame(
    queries: ProfileQueries, event: EventType, scope: Scope, filter_: Filter, progress: Progress
) -> ReportFlame:
    """What was spent inside what, from the functions that nobody called; empty without calls."""
    if not len(queries.profile.calls):
        return ReportFlame()
    nest = build_frame_tree(
        queries.call_graph(event, scope),
        queries.root_nodes(event, scope),
        min_share=_MIN_BOX_FRACTION,
        max_frames=_MAX_BOXES,
        max_depth=_MAX_DEPTH,
        visible=queries.visible_nodes(filter_, event, scope),
        progress=progress,
    )
    whole = float(nest.width[0]) if len(nest) else 0.0
    if whole <= 0:
        return ReportFlame()
    labels = queries.labels(scope)
    boxes = tuple(_report_box(queries, labels, scope, nest, box) for box in range(len(nest)))
    return ReportFlame(boxes, nest.min_width / whole, nest.omitted_calls)


def _report_box(
    queries: ProfileQueries, labels: Labels, scope: Scope, nest: FrameTree, box: int
) -> ReportBox:
    node, whole = node_at(nest.node, box), float(nest.width[0])
    function = queries.first_member(node, scope) if node != NO_NODE else NO_FUNCTION
    return ReportBox(
        function,
        labels.name(node) if node != NO_NODE else _ROOT_NAME,
        as_number(nest.cost[box]),
        int(nest.depth[box]),
        int(nest.parent[box]),
        float(nest.start[box]) / whole,
        float(nest.width[box]) / whole,
        bool(nest.is_exact[box]),
        bool(nest.is_recursion[box]),
        _box_color(queries, function),
    )


def _box_color(queries: ProfileQueries, function: FunctionId) -> Rgb:
    """As in the window where functions are in no groups; grey for what is no function."""
    if function == NO_FUNCTION:
        return shade_rgb(UNKNOWN, "")
    file = queries.names.file(function)
    place = file if file != UNKNOWN else queries.names.object(function)
    return shade_rgb(place, queries.names.name(function))
