"""Keyboard navigation in a diagram: along arrows, and between the boxes of a rank."""

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
    """Return the row of the box that an arrow key leads to, or `current` if there is none.

    `endpoints` are the source and target rows of the arrows, shape (arrows,); the first matching
    arrow is followed. In a horizontal diagram, arrows point to the right.
    """
    source, target = endpoints
    up, down, left, _ = _HORIZONTAL_KEYS if is_horizontal else ARROW_KEYS
    if key == up:
        return next((int(row) for row in source[target == current] if row != current), current)
    if key == down:
        return next((int(row) for row in target[source == current] if row != current), current)
    return _next_in_rank(nodes, current, -1 if key == left else 1, is_horizontal)


def _next_in_rank(nodes: Sequence[BoxItem], current: int, offset: int, is_horizontal: bool) -> int:
    area = nodes[current].area

    def is_same_rank(node: BoxItem) -> bool:
        middle = node.pos()
        if is_horizontal:
            return area.left() <= middle.x() <= area.right()
        return area.top() <= middle.y() <= area.bottom()

    rank = [node for node in nodes if is_same_rank(node)]
    rank.sort(key=lambda node: node.pos().y() if is_horizontal else node.pos().x())
    index = rank.index(nodes[current]) + offset
    return rank[index].row if 0 <= index < len(rank) else current
