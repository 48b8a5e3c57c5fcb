"""What the call graph shows of a query, computed in a job, and the note that sums it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.calls.compared.subgraph import SideCalls, build_compared_subgraph
from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.calls.transitive_calls import MIN_SHARE
from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.series import Series
from qcachegrind_py.models.graph.sides import GraphSides, SideFormats, graph_sides
from qcachegrind_py.present.diagram import Arrangement, lay_out
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.quotient_format import QuotientFormat
from qcachegrind_py.present.picture import GONE, NEW, Frame
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.reports.dot import ComparedLook, call_graph_dot
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.bar_color import arrow_color, box_color
from qcachegrind_py.views.graph.call_graph_options import GraphOptions
from qcachegrind_py.views.graph.call_graph_texts import (
    GraphMeasures,
    GraphStyle,
    graph_arrows,
    graph_boxes,
)
from qcachegrind_py.views.pictures.diagram_view import ShapedDiagram

_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")
_COLORS = "vermilion grew, blue shrank"
_SHAPES = {NEW: "double outline: new", GONE: "hatched: gone"}


@dataclass(frozen=True, slots=True, eq=False)
class GraphContent:
    """The shown part of the call graph, and its diagram, with a box for each node."""

    subgraph: Subgraph
    style: GraphStyle
    arrangement: Arrangement
    drawn: ShapedDiagram


def build_graph(
    subgraph: Subgraph,
    style: GraphStyle,
    frames: Sequence[Frame],
    arrangement: Arrangement,
    measures: GraphMeasures,
    layout: GraphLayout,
    progress: Progress,
) -> GraphContent:
    """Create the texts and the layout. Raises what `GraphLayout.layout` raises."""
    boxes = graph_boxes(subgraph, style, measures)
    arrows, active = graph_arrows(subgraph, style, measures.small), subgraph.active
    diagram = lay_out(
        boxes, arrows, frames, arrangement, measures.small, layout, progress,
        anchor=active, home=active,
    )  # fmt: skip
    return GraphContent(subgraph, style, arrangement, ShapedDiagram.of(diagram))


# -------------------------------------------------------------------- selection


def select_calls(
    query: ViewQuery, event: EventType, limits: SubgraphLimits, style: GraphStyle
) -> tuple[Subgraph, GraphStyle]:
    """Return what is drawn, in a comparison of both sides, and the style with its numbers."""
    context = query.context
    if context.base is None:
        visible = query.visible_nodes()
        found = query.queries.subgraph(context.function, event, context.scope, limits, visible)
        return found, style
    sides = _compared_graph(query, event, limits)
    return sides.graph.larger, replace(style, sides=sides)


def _compared_graph(query: ViewQuery, event: EventType, limits: SubgraphLimits) -> GraphSides:
    """Return the graph around the active function on both sides."""
    context, queries = query.context, query.queries
    assert context.base is not None
    before, now = (
        SideCalls(
            queries.call_graph(event, scope),
            edges := queries.call_edges(scope),
            query.events.evaluate(event, edges.inclusive),
        )
        for scope in (context.base, context.scope)
    )
    graph = build_compared_subgraph(
        context.function,
        before,
        now,
        queries.costs(context.scope).cycle,
        queries.function_count,
        limits,
        query.visible_nodes(),
    )
    series, has_event = Series(event, context.scope, context.base), _have_event(query, event)
    has_calls = _have_calls(before.edges), _have_calls(now.edges)
    formats = SideFormats(
        (query.base_format(event), query.cost_format(event)),
        query.format(series),
        partial(query.change, series),
        (has_event[0] and has_calls[0], has_event[1] and has_calls[1]),
        (has_calls[0] and before.edges.has_counts, has_calls[1] and now.edges.has_counts),
    )
    return graph_sides(graph, formats, query.mark)


def _have_event(query: ViewQuery, event: EventType) -> tuple[bool, bool]:
    """Return whether the base and the new side have an event."""
    compared = query.comparison
    if compared is None or query.is_comparable(event):
        return True, True
    return event.name in compared.only_base, event.name in compared.only_new


def _have_calls(edges: CallEdges) -> bool:
    return len(edges) > 0 if edges.occurs is None else bool(edges.occurs.any())


def graph_format(query: ViewQuery, event: EventType) -> CostFormat:
    """Return the format of costs; a full bar is the larger total while profiles are compared."""
    context = query.context
    if context.base is None:
        return query.call_format(event, context.function)
    totals = query.total(event), query.queries.total(event, context.base.parts)
    return replace(query.cost_format(event), bar_base=max(total.base for total in totals))


def graph_frames(
    subgraph: Subgraph, style: GraphStyle, query: ViewQuery, options: GraphOptions
) -> list[Frame]:
    """Return a frame for each expanded cycle and, as an option, for groups of other nodes."""
    members: dict[tuple[NodeId, str], list[int]] = {}
    group = query.group_namer()
    for row, (node, cycle) in enumerate(
        zip(node_ids(subgraph.node), node_ids(subgraph.cluster), strict=True)
    ):
        if cycle != NO_NODE:
            members.setdefault((cycle, style.labels.name(cycle)), []).append(row)
        elif options.has_group_frames:
            members.setdefault((NO_NODE, group(node)), []).append(row)
    return [
        Frame(
            tuple(rows),
            cell_text(name),
            style.color(node_at(subgraph.node, rows[0])),
            is_active=cycle != NO_NODE and cycle == style.active_node,
        )
        for (cycle, name), rows in members.items()
        if cycle != NO_NODE or (len(rows) > 1 and name not in ("", UNKNOWN))
    ]


# -------------------------------------------------------------------- the note below


def summary(content: GraphContent, options: GraphOptions) -> str:
    """Return how much is shown, what is left out, and a legend of the costs."""
    nodes, calls = len(content.subgraph.node), len(content.subgraph.caller)
    return " · ".join(
        (
            f"{_counted(nodes, 'function')}, {_counted(calls, 'call')}",
            *_change_legend(content),
            *_omissions(content),
            *_cost_legend(content),
            *_frame_notes(options),
        )
    )


def _change_legend(content: GraphContent) -> list[str]:
    """Return what colours and outlines mean, as far as the picture has them."""
    sides = content.style.sides
    if sides is None:
        return []
    words = {sides.nodes.word(row) for row in range(len(content.subgraph.node))}
    return [_COLORS, *(text for word, text in _SHAPES.items() if word in words)]


def _frame_notes(options: GraphOptions) -> list[str]:
    missing = options.groups and not options.has_group_frames
    return ["no frames around groups in a circular layout"] if missing else []


def _omissions(content: GraphContent) -> list[str]:
    subgraph, format_ = content.subgraph, content.style.format
    parts = []
    threshold = max(subgraph.node_threshold, ceil(float(subgraph.cost.max()) * MIN_SHARE))
    if threshold > 0:
        parts.append(f"below {_limit_text(format_, threshold)} left out")
    if subgraph.omitted_nodes:
        bound = _limit_text(format_, subgraph.max_omitted_cost)
        parts.append(f"{subgraph.omitted_nodes} more hidden, with at most {bound} each")
    if subgraph.omitted_calls:
        parts.append(f"{subgraph.omitted_calls} calls hidden")
    unconnected = _unconnected_count(subgraph)
    if unconnected:
        parts.append(f"{unconnected} reached only by hidden calls")
    if subgraph.filtered_nodes:
        parts.append(f"{subgraph.filtered_nodes} hidden by the filter")
    return parts


def _limit_text(format_: CostFormat, cost: int | float) -> str:
    """Format a limit, which is of both sides and has no quotient of one of them."""
    is_of_side = isinstance(format_, QuotientFormat)
    return format_.absolute_text(cost) if is_of_side else format_.with_unit(cost)


def _unconnected_count(subgraph: Subgraph) -> int:
    """Return the number of functions without arrows, other than the active one."""
    connected = {subgraph.active, *subgraph.caller.tolist(), *subgraph.callee.tolist()}
    return len(subgraph.node) - len(connected)


def _cost_legend(content: GraphContent) -> list[str]:
    style = content.style
    costs = "costs as recorded"
    if not style.shows_recorded_costs:
        active = cell_text(style.labels.name(style.active_node))
        costs = f"costs on paths through {active}; dashed and ≈: estimated"
    has_inner = content.subgraph.is_inner.any()
    return [costs, *(["dotted: calls inside a cycle, as recorded"] if has_inner else [])]


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"


# -------------------------------------------------------------------- export


def graph_as_dot(content: GraphContent) -> str:
    """Return the graph with the texts of the picture, on white whatever the palette is."""
    style, diagram = content.style, content.drawn.diagram
    return call_graph_dot(
        content.subgraph,
        [(cell_text(style.labels.name(NodeId(box.key))), box.cost) for box in diagram.boxes],
        [" ".join(arrow.labels) for arrow in diagram.arrows],
        colors=[box.color for box in diagram.boxes],
        look=None if style.sides is None else _look(content),
        horizontal=diagram.is_horizontal,
        circular=content.arrangement.is_circular,
    )


def _look(content: GraphContent) -> ComparedLook:
    palette, diagram = QPalette(_WHITE), content.drawn.diagram
    palette.setColor(QPalette.ColorRole.Base, _WHITE)
    palette.setColor(QPalette.ColorRole.AlternateBase, _WHITE)
    palette.setColor(QPalette.ColorRole.Text, _BLACK)
    changes = [(box.change, box.is_exact) for box in diagram.boxes]
    return ComparedLook(
        [
            box_color(palette, change.strength, is_exact=is_exact).name()
            for change, is_exact in changes
            if change is not None
        ],
        [arrow_color(palette, arrow.strength, _BLACK).name() for arrow in diagram.arrows],
        [change.word for change, _ in changes if change is not None],
    )
