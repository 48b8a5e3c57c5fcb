"""The flame graph of a report: a frame tree as plain values with names and colours."""

from __future__ import annotations

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.names.groups import Rgb, shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, node_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.reports.html.page_data import ReportBox, ReportFlame

_MAX_BOXES = 3000
_MIN_BOX_FRACTION = 1e-3  # fraction of the total width
_MAX_DEPTH = 200


def report_flame(
    queries: ProfileQueries, event: EventType, scope: Scope, filter_: Filter, progress: Progress
) -> ReportFlame:
    """Return the frames of the whole program; empty if there are no calls."""
    if not len(queries.profile.calls):
        return ReportFlame()
    calls = queries.program_calls(event, scope)
    tree = build_frame_tree(
        calls,
        calls.program_roots(),
        min_share=_MIN_BOX_FRACTION,
        max_frames=_MAX_BOXES,
        max_depth=_MAX_DEPTH,
        visible=queries.visible_nodes(filter_, event, scope),
        progress=progress,
    )
    total_width = float(tree.width[0]) if len(tree) else 0.0
    if total_width <= 0:
        return ReportFlame()
    labels = queries.labels(scope)
    boxes = tuple(_report_box(queries, labels, scope, tree, box) for box in range(len(tree)))
    return ReportFlame(
        boxes,
        tree.min_width / total_width,
        tree.omitted_calls,
        tree.omitted_cost / total_width,
    )


def _report_box(
    queries: ProfileQueries, labels: Labels, scope: Scope, tree: FrameTree, box: int
) -> ReportBox:
    node, total_width = node_at(tree.node, box), float(tree.width[0])
    function = queries.first_member(node, scope) if node >= 0 else NO_FUNCTION
    return ReportBox(
        function,
        labels.name(node),
        as_number(tree.cost[box]),
        int(tree.depth[box]),
        int(tree.parent[box]),
        float(tree.start[box]) / total_width,
        float(tree.width[box]) / total_width,
        bool(tree.is_exact[box]),
        bool(tree.is_recursion[box]),
        _box_color(queries, function),
    )


def _box_color(queries: ProfileQueries, function: FunctionId) -> Rgb:
    """Return the colour that the window uses without grouping; grey if there is no function."""
    if function == NO_FUNCTION:
        return shade_rgb(UNKNOWN, "")
    file = queries.names.file(function)
    group = file if file != UNKNOWN else queries.names.object(function)
    return shade_rgb(group, queries.names.name(function))
