"""Pictures of the call graph: the subgraph with its texts and layout, and its graphics items.

`build_picture` runs in a job, because it needs no widget; `fill_scene` creates the items in the
main thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QGraphicsScene

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.graph.arrow_item import LabelLayer
from qcachegrind_py.views.graph.arrow_shape import ArrowShape, create_arrow_shape
from qcachegrind_py.views.graph.call_graph_items import CallItem, ClusterItem, NodeItem
from qcachegrind_py.views.graph.call_graph_style import (
    CallText,
    GraphStyle,
    NodeText,
    call_texts,
    node_texts,
)
from qcachegrind_py.views.graph.compared.items import ComparedCallItem, ComparedNodeItem

_TITLE_GAP = 4.0  # pixels above and below the title of a frame, in total


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes inside a common frame."""

    rows: tuple[int, ...]
    name: str
    color: QColor
    cycle: NodeId = NO_NODE  # the expanded cycle, if it is one


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """Direction and gaps of the layout; gaps are in pixels."""

    is_horizontal: bool = False
    node_gap: float = 24.0
    rank_gap: float = 40.0
    is_circular: bool = False  # the active function in the middle of the others


@dataclass(frozen=True, slots=True, eq=False)
class GraphPicture:
    """Everything needed to paint the call graph."""

    subgraph: Subgraph
    style: GraphStyle
    nodes: Sequence[NodeText]
    calls: Sequence[CallText]
    clusters: Sequence[Cluster]
    layout: LayoutResult
    outlines: Sequence[ArrowShape]  # of each call
    layout_options: LayoutOptions
    shows_stubs: bool

    @property
    def is_horizontal(self) -> bool:
        """Whether calls go from left to right."""
        return self.layout_options.is_horizontal

    @property
    def anchor_row(self) -> int:
        """The row of the active node."""
        return self.subgraph.active

    @property
    def keys(self) -> Sequence[NodeId]:
        """The function or cycle of each box."""
        return node_ids(self.subgraph.node)

    @property
    def endpoints(self) -> tuple[Int64Array, Int64Array]:
        """The rows of caller and callee of each call, two arrays of shape (calls,)."""
        return self.subgraph.caller, self.subgraph.callee


def build_picture(
    subgraph: Subgraph,
    style: GraphStyle,
    clusters: Sequence[Cluster],
    layout_options: LayoutOptions,
    shows_stubs: bool,
    layout: GraphLayout,
    progress: Progress,
) -> GraphPicture:
    """Create the texts and the layout. Raises what `GraphLayout.layout` raises."""
    nodes, calls = node_texts(subgraph, style), call_texts(subgraph, style)
    graph = LayoutInput(
        nodes=tuple((node.width, node.height) for node in nodes),
        calls=tuple(
            (caller, callee, call.width, call.height)
            for caller, callee, call in zip(
                subgraph.caller.tolist(), subgraph.callee.tolist(), calls, strict=True
            )
        ),
        clusters=tuple(cluster.rows for cluster in clusters),
        centre=subgraph.active if layout_options.is_circular else None,
        title_height=ceil(QFontMetricsF(style.small_font).height()) + _TITLE_GAP,
        is_horizontal=layout_options.is_horizontal,
        node_gap=layout_options.node_gap,
        rank_gap=layout_options.rank_gap,
    )
    placed = layout.layout(graph, progress)
    outlines = [
        create_arrow_shape(path, call.thickness)
        for path, call in zip(placed.paths, calls, strict=True)
    ]
    return GraphPicture(
        subgraph, style, nodes, calls, clusters, placed, outlines, layout_options, shows_stubs,
    )  # fmt: skip


def fill_scene(
    scene: QGraphicsScene, picture: GraphPicture
) -> tuple[list[NodeItem], list[CallItem]]:
    """Add the picture's items to the scene; return those of nodes and of calls, by row."""
    calls, nodes = _call_items(picture), _node_items(picture)
    frames = [
        _cluster_item(cluster, frame, picture.style)
        for cluster, frame in zip(picture.clusters, picture.layout.cluster_frames, strict=True)
    ]
    for item in [*frames, *calls, LabelLayer(calls, frames, picture.style.small_font), *nodes]:
        scene.addItem(item)
    return nodes, calls


def _node_items(picture: GraphPicture) -> list[NodeItem]:
    subgraph, style = picture.subgraph, picture.style
    connected = {*subgraph.caller.tolist(), *subgraph.callee.tolist()}
    items = []
    for row, (node, text) in enumerate(zip(subgraph.node.tolist(), picture.nodes, strict=True)):
        item = _node_item(row, text, style, style.color(node))
        item.setPos(QPointF(*picture.layout.nodes[row]))
        item.is_active = node == style.active_node
        item.is_cycle = style.labels.is_cycle(node)
        item.is_horizontal = picture.is_horizontal
        if picture.shows_stubs or row not in connected:
            item.has_stubs = (
                bool(subgraph.omitted_incoming_cost[row] > 0),
                bool(subgraph.omitted_outgoing_cost[row] > 0),
            )
        items.append(item)
    return items


def _node_item(row: int, text: NodeText, style: GraphStyle, color: QColor) -> NodeItem:
    costs = style.node_costs
    if costs is None:
        return NodeItem(row, text, color, style.font)
    return ComparedNodeItem(row, text, color, style.font, costs)


def _call_items(picture: GraphPicture) -> list[CallItem]:
    subgraph, layout = picture.subgraph, picture.layout
    items = []
    for row, text in enumerate(picture.calls):
        place, costs = (picture.outlines[row], layout.label_centres[row]), picture.style.call_costs
        item = CallItem(row, text, *place)
        if costs is not None:
            item = ComparedCallItem(row, text, *place, costs)
        item.is_inner = bool(subgraph.is_inner[row])
        items.append(item)
    return items


def _cluster_item(cluster: Cluster, frame: Float64Array, style: GraphStyle) -> ClusterItem:
    left, top, right, bottom = frame.tolist()
    area = QRectF(left, top, right - left, bottom - top)
    item = ClusterItem(area, cluster.name, cluster.color)
    item.is_active = cluster.cycle != NO_NODE and cluster.cycle == style.active_node
    return item
