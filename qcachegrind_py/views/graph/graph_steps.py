"""Where an arrow key leads in the call graph: along a call, or to the next node of a rank."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from qcachegrind_py.views.graph.graph_items import NodeItem
from qcachegrind_py.views.graph.graph_scene import GraphPicture

ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
_TURNED = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


def step(picture: GraphPicture, nodes: Sequence[NodeItem], here: int, key: int) -> int:
    """The row of the node that an arrow key leads to; the same one where there is none.

    To callers and callees it is the costliest call: calls are in order of their costs.
    """
    drawn = picture.drawn
    up, down, left, _ = _TURNED if picture.is_horizontal else ARROWS
    if key == up:
        return next((int(row) for row in drawn.caller[drawn.callee == here]), here)
    if key == down:
        return next((int(row) for row in drawn.callee[drawn.caller == here]), here)
    return _beside(picture, nodes, here, -1 if key == left else 1)


def _beside(picture: GraphPicture, nodes: Sequence[NodeItem], here: int, by: int) -> int:
    own, turned = nodes[here].area, picture.is_horizontal

    def is_same_rank(node: NodeItem) -> bool:
        middle = node.pos()
        if turned:
            return own.left() <= middle.x() <= own.right()
        return own.top() <= middle.y() <= own.bottom()

    rank = [node for node in nodes if is_same_rank(node)]
    rank.sort(key=lambda node: node.pos().y() if turned else node.pos().x())
    place = rank.index(nodes[here]) + by
    return rank[place].row if 0 <= place < len(rank) else here
