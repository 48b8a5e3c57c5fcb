"""The border to Qt: the only place where numbers of arrays become indexes and cells."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex


def make_index(model: QAbstractItemModel, row: int, column: int, node: int = 0) -> QModelIndex:
    """An index, in a tree that of a node; numpy numbers are taken, too."""
    return model.createIndex(int(row), int(column), int(node))


def cell_value(value: object) -> object:
    """The value as Qt can take it: numpy scalars become Python's, large integers text."""
    item = getattr(value, "item", None)
    if item is not None:
        value = item()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    return value
