"""The canvas of the call graph: a click selects a function, a double click makes it active.

`call_graph_items` paints nodes and arrows; `diagram_canvas` handles what all diagrams share.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.views.common.pictures.detail_line import Detail
from qcachegrind_py.views.graph.arrow_item import ArrowItem
from qcachegrind_py.views.graph.box_item import BoxItem
from qcachegrind_py.views.graph.call_graph_details import call_detail, node_detail
from qcachegrind_py.views.graph.call_graph_items import CallItem, NodeItem
from qcachegrind_py.views.graph.call_graph_scene import GraphPicture, fill_scene
from qcachegrind_py.views.graph.call_graph_style import call_tooltip, node_tooltip
from qcachegrind_py.views.graph.compared import texts as compared_texts
from qcachegrind_py.views.graph.diagram_canvas import DiagramCanvas


class CallGraphCanvas(DiagramCanvas):
    """The canvas for a picture of the call graph; the key of a box is its `NodeId`."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    expansion_requested = Signal(object)  # NodeId: the cycle to expand or collapse
    picture: GraphPicture | None = None  # on the class: Qt sends events during construction
    nodes: Sequence[NodeItem]

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Call graph")
        self.calls: Sequence[CallItem] = ()
        self.current_changed.connect(self._describe_current)

    @property
    def diagram(self) -> GraphPicture | None:
        return self.picture

    def set_picture(self, picture: GraphPicture) -> None:
        """Show a picture; if its active function was visible, it keeps its screen position."""
        position = self.anchor_position(picture)
        self.close_menu()
        self.picture = picture
        is_compared = picture.style.sides is not None
        self.setAccessibleName("Call graph of base and new" if is_compared else "Call graph")
        self.scene().clear()
        nodes, self.calls = fill_scene(self.scene(), picture)
        self.show_items(nodes, self.calls, position)

    def _describe_current(self) -> None:
        """Tell screen readers about the box that keys act on."""
        is_there = 0 <= self.current < len(self.nodes)
        detail = self.detail_of(self.nodes[self.current]) if is_there else None
        self.setAccessibleDescription("" if detail is None else detail.text)

    def clear(self) -> None:
        """Remove the picture and every reference to the profile."""
        self.picture, self.calls = None, ()
        self.clear_items()

    def highlight(self, node: NodeId) -> None:
        """Highlight the box of this node; `NO_NODE` highlights none."""
        self.mark_boxes({node} if node != NO_NODE else ())

    def node_of(self, row: int) -> NodeId:
        """Return the function or cycle of a box, or `NO_NODE`."""
        return NodeId(self.key_of(row))

    def box_selected(self, row: int) -> None:
        self.function_selected.emit(self.node_of(row))

    def activate(self, row: int) -> None:
        """Make the function of a box active."""
        if self.node_of(row) != NO_NODE:
            self.function_activated.emit(self.node_of(row))

    def handle_click(self, position: QPoint) -> None:
        item = self.diagram_item_at(position)
        if isinstance(item, NodeItem) and self._is_on_expand_button(item, position):
            self.expansion_requested.emit(self.node_of(item.row))
        else:
            super().handle_click(position)

    def _is_on_expand_button(self, node: NodeItem, position: QPoint) -> bool:
        """Return whether a viewport position is on the button that expands a cycle."""
        return node.is_cycle and node.expand_button_rect().contains(
            node.mapFromScene(self.mapToScene(position))
        )

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        picture = self.picture
        if picture is None or not isinstance(item, NodeItem | CallItem):
            return ""
        is_node, style = isinstance(item, NodeItem), picture.style
        if style.sides is not None:
            describe = compared_texts.node_tooltip if is_node else compared_texts.call_tooltip
            return describe(style.sides, style, item.row)
        return (node_tooltip if is_node else call_tooltip)(picture.subgraph, style, item.row)

    def detail_of(self, item: BoxItem | ArrowItem) -> Detail | None:
        picture = self.picture
        if picture is None:
            return None
        is_node, style = isinstance(item, BoxItem), picture.style
        if style.sides is not None:
            describe = compared_texts.node_detail if is_node else compared_texts.call_detail
            return describe(style.sides, style, item.row)
        return (node_detail if is_node else call_detail)(picture.subgraph, style, item.row)
