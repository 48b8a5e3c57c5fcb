"""Where an arrow key leads in a diagram: along an arrow, or to the next box of a rank."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.graph.box_item import BoxItem

ARROW_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
_HORIZONTAL_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


def next_row(
    endpoints: tuple[Int64Array, Int64Array],
    nodes: Sequence[BoxItem],
    current: int,
    key: int,
    *,
    is_horizontal: bool,
) -> int:
    """The row of the box that an arrow key leads to; the same one where there is none.

    `ends` are the boxes where each arrow begins and ends, and of several the first one is gone
    along; in a turned diagram arrows lead to the right.
    """
    source, target = endpoints
    up, down, left, _ = _HORIZONTAL_KEYS if is_horizontal else ARROW_KEYS
    if key == up:
        return next((int(row) for row in source[target == current] if row != current), current)
    if key == down:
        return next((int(row) for row in target[source == current] if row != current), current)
    return _next_in_rank(nodes, current, -1 if key == left else 1, is_horizontal)


def _next_in_rank(nodes: Sequence[BoxItem], current: int, offset: int, is_horizontal: bool) -> int:
    own = nodes[current].area

    def is_same_rank(node: BoxItem) -> bool:
        middle = node.pos()
        if is_horizontal:
            return own.left() <= middle.x() <= own.right()
        return own.top() <= middle.y() <= own.bottom()

    rank = [node for node in nodes if is_same_rank(node)]
    rank.sort(key=lambda node: node.pos().y() if is_horizontal else node.pos().x())
    place = rank.index(nodes[current]) + offset
    return rank[place].row if 0 <= place < len(rank) else current
