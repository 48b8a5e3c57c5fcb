"""A picture of the call graph: what is drawn, how it is written and where it is placed.

`draw_up` makes one, in a job: it needs no widget. `fill_scene` makes the items, in the window.
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
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.graph.arrow_item import LabelLayer
from qcachegrind_py.views.graph.call_graph_items import CallItem, ClusterItem, NodeItem
from qcachegrind_py.views.graph.call_graph_style import (
    CallText,
    GraphLook,
    NodeText,
    call_texts,
    node_texts,
)

_TITLE_GAP = 4.0  # pixels above and below the title of a frame, together


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes that stand together in a frame."""

    rows: tuple[int, ...]
    name: str
    color: QColor
    cycle: int = -1  # the opened cycle, as an entry


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the nodes are laid out."""

    is_horizontal: bool = False
    node_gap: float = 24.0
    rank_gap: float = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class GraphPicture:
    """All that is needed to draw it."""

    drawn: Subgraph
    look: GraphLook
    nodes: Sequence[NodeText]
    calls: Sequence[CallText]
    clusters: Sequence[Cluster]
    placed: LayoutResult
    is_horizontal: bool
    shows_stubs: bool

    @property
    def home(self) -> int:
        """The row of the active function."""
        return self.drawn.active

    @property
    def keys(self) -> Sequence[int]:
        """The function or cycle of each node."""
        entries: list[int] = self.drawn.node.tolist()
        return entries

    @property
    def ends(self) -> tuple[Int64Array, Int64Array]:
        """The rows of caller and callee of each call."""
        return self.drawn.caller, self.drawn.callee


def draw_up(
    drawn: Subgraph,
    look: GraphLook,
    clusters: Sequence[Cluster],
    arrangement: Arrangement,
    shows_stubs: bool,
    layout: GraphLayout,
    progress: Progress,
) -> GraphPicture:
    """Write the texts, and have them placed. Raises what `GraphLayout.place` does."""
    nodes, calls = node_texts(drawn, look), call_texts(drawn, look)
    graph = LayoutInput(
        nodes=tuple((node.width, node.height) for node in nodes),
        calls=tuple(
            (caller, callee, call.width, call.height)
            for caller, callee, call in zip(
                drawn.caller.tolist(), drawn.callee.tolist(), calls, strict=True
            )
        ),
        clusters=tuple(cluster.rows for cluster in clusters),
        title_height=ceil(QFontMetricsF(look.small_font).height()) + _TITLE_GAP,
        is_horizontal=arrangement.is_horizontal,
        node_gap=arrangement.node_gap,
        rank_gap=arrangement.rank_gap,
    )
    placed = layout.layout(graph, progress)
    return GraphPicture(
        drawn, look, nodes, calls, clusters, placed, arrangement.is_horizontal, shows_stubs
    )


def fill_scene(
    scene: QGraphicsScene, picture: GraphPicture
) -> tuple[list[NodeItem], list[CallItem]]:
    """Make the items of the picture; gives those of nodes and arrows, by row."""
    calls, nodes = _call_items(picture), _node_items(picture)
    frames = [
        _cluster_item(cluster, frame, picture.look)
        for cluster, frame in zip(picture.clusters, picture.placed.cluster_frames, strict=True)
    ]
    for item in [*frames, *calls, LabelLayer(calls, frames, picture.look.small_font), *nodes]:
        scene.addItem(item)
    return nodes, calls


def _node_items(picture: GraphPicture) -> list[NodeItem]:
    drawn, look = picture.drawn, picture.look
    connected = {*drawn.caller.tolist(), *drawn.callee.tolist()}
    items = []
    for row, (entry, text) in enumerate(zip(drawn.node.tolist(), picture.nodes, strict=True)):
        item = NodeItem(row, text, look.color(entry), look.font)
        item.setPos(QPointF(*picture.placed.nodes[row]))
        item.is_active = entry == look.active
        item.is_cycle = look.labels.is_cycle(entry)
        item.is_horizontal = picture.is_horizontal
        if picture.shows_stubs or row not in connected:
            item.stubs = (
                bool(drawn.omitted_incoming_cost[row] > 0),
                bool(drawn.omitted_outgoing_cost[row] > 0),
            )
        items.append(item)
    return items


def _call_items(picture: GraphPicture) -> list[CallItem]:
    drawn, placed = picture.drawn, picture.placed
    items = []
    for row, text in enumerate(picture.calls):
        item = CallItem(row, text, placed.paths[row], placed.label_centres[row])
        item.is_inner = bool(drawn.is_inner[row])
        items.append(item)
    return items


def _cluster_item(cluster: Cluster, frame: Float64Array, look: GraphLook) -> ClusterItem:
    left, top, right, bottom = frame.tolist()
    area = QRectF(left, top, right - left, bottom - top)
    item = ClusterItem(area, cluster.name, cluster.color)
    item.is_active = cluster.cycle >= 0 and cluster.cycle == look.active
    return item
