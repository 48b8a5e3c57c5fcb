"""What the rows of all lists and trees have in common: their height, and their tint."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QBrush, QColor, QPalette
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

_TINT = 45  # of 255: the text stays at more than 4.5:1


class RowDelegate(QStyledItemDelegate):
    """The base of the others. Rows are as high in trees as they are in lists."""

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        line = option.fontMetrics.height()
        return QSize(size.width(), max(size.height(), line + line // 2))


def tint(palette: QPalette) -> QBrush:
    """What is behind the rows of what is selected elsewhere."""
    color = QColor(palette.color(QPalette.ColorRole.Link))
    color.setAlpha(_TINT)
    return QBrush(color)
