"""Where an arrow key leads in a diagram: along an arrow, or to the next box of a rank."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.graph.box_item import BoxItem

ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
_TURNED = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


def step(
    ends: tuple[Int64Array, Int64Array],
    nodes: Sequence[BoxItem],
    here: int,
    key: int,
    *,
    turned: bool,
) -> int:
    """The row of the box that an arrow key leads to; the same one where there is none.

    `ends` are the boxes where each arrow begins and ends, and of several the first one is gone
    along; in a turned diagram arrows lead to the right.
    """
    source, target = ends
    up, down, left, _ = _TURNED if turned else ARROWS
    if key == up:
        return next((int(row) for row in source[target == here] if row != here), here)
    if key == down:
        return next((int(row) for row in target[source == here] if row != here), here)
    return _beside(nodes, here, -1 if key == left else 1, turned)


def _beside(nodes: Sequence[BoxItem], here: int, by: int, turned: bool) -> int:
    own = nodes[here].area

    def is_same_rank(node: BoxItem) -> bool:
        middle = node.pos()
        if turned:
            return own.left() <= middle.x() <= own.right()
        return own.top() <= middle.y() <= own.bottom()

    rank = [node for node in nodes if is_same_rank(node)]
    rank.sort(key=lambda node: node.pos().y() if turned else node.pos().x())
    place = rank.index(nodes[here]) + by
    return rank[place].row if 0 <= place < len(rank) else here
