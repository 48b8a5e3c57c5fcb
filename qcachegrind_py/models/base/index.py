"""The border to Qt: the only place that converts array values to model indexes and cell values."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex


def make_index(model: QAbstractItemModel, row: int, column: int, node: int = 0) -> QModelIndex:
    """Return an index; `node` identifies the item in a tree. Accepts numpy integers."""
    return model.createIndex(int(row), int(column), int(node))


def cell_value(value: object) -> object:
    """Return the value in a type Qt accepts: numpy scalars as Python's, large integers as text."""
    item = getattr(value, "item", None)
    if item is not None:
        value = item()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    return value
