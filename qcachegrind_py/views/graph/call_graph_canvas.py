"""The call graph as one looks at it: a click chooses, a double click or Return goes there.

How nodes and arrows look is said by `graph_items`; what all diagrams do, by `diagram_canvas`.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.views.graph.call_graph_items import CallItem, NodeItem
from qcachegrind_py.views.graph.call_graph_scene import GraphPicture, fill_scene
from qcachegrind_py.views.graph.call_graph_style import call_tooltip, node_tooltip
from qcachegrind_py.views.graph.diagram_canvas import DiagramCanvas


class CallGraphCanvas(DiagramCanvas):
    """Shows one picture of the call graph; the key of a node is its function or cycle."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    expansion_requested = Signal(object)  # NodeId: of this cycle
    picture: GraphPicture | None = None  # of the class: Qt sends events while this is made
    nodes: Sequence[NodeItem]

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Call graph")
        self.calls: Sequence[CallItem] = ()

    @property
    def diagram(self) -> GraphPicture | None:
        return self.picture

    def set_picture(self, picture: GraphPicture) -> None:
        """Show this picture; its active function stays where it was on the screen, if it was."""
        place = self.anchor_position(picture)
        self.close_menu()
        self.picture = picture
        self.scene().clear()
        nodes, self.calls = fill_scene(self.scene(), picture)
        self.show_items(nodes, self.calls, place)

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.picture, self.calls = None, ()
        self.clear_items()

    def highlight(self, node: NodeId) -> None:
        """Mark the node of this function or cycle; `NO_NODE` for none."""
        self.mark_boxes({node} if node != NO_NODE else ())

    def node_of(self, row: int) -> NodeId:
        """The function or cycle of a node; `NO_NODE` for none."""
        return NodeId(self.key_of(row))

    def box_selected(self, row: int) -> None:
        self.function_selected.emit(self.node_of(row))

    def activate(self, row: int) -> None:
        """Go to the function of a node."""
        if self.node_of(row) != NO_NODE:
            self.function_activated.emit(self.node_of(row))

    def handle_click(self, place: QPoint) -> None:
        item = self.diagram_item_at(place)
        if isinstance(item, NodeItem) and self._is_on_expand_button(item, place):
            self.expansion_requested.emit(self.node_of(item.row))
        else:
            super().handle_click(place)

    def _is_on_expand_button(self, node: NodeItem, place: QPoint) -> bool:
        """Whether a place is on the sign that opens a cycle."""
        return node.is_cycle and node.expand_button_rect().contains(
            node.mapFromScene(self.mapToScene(place))
        )

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        picture = self.picture
        if picture is not None and isinstance(item, NodeItem):
            return node_tooltip(picture.subgraph, picture.style, item.row)
        if picture is not None and isinstance(item, CallItem):
            return call_tooltip(picture.subgraph, picture.style, item.row)
        return ""
