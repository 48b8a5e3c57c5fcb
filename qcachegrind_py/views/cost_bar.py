"""Draws a cost with a bar behind it: as long as the cost's share, in the palette's own colour."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem

from qcachegrind_py.models.base.table import Role
from qcachegrind_py.views.row_delegate import RowDelegate

_OPACITY = 70  # of 255: the digits stay at more than 4.5:1
_DARKER = 140  # percent, on the selected row
_MARGIN = 2.0
_LEAST_WIDTH = 1.5


class CostBarDelegate(RowDelegate):
    """For the columns of costs. All bars share one scale: the whole cell is the total."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw background, bar and text, in this order."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget else QApplication.style()
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, cell, painter, cell.widget
        )
        share = index.data(Role.SHARE)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        if share:
            highlight = cell.palette.color(QPalette.ColorRole.Highlight)
            draw_bar(painter, cell.rect, share, highlight, selected)
        if selected:  # its background is drawn, and must not go over the bar again
            text = cell.palette.color(QPalette.ColorRole.HighlightedText)
            cell.palette.setColor(QPalette.ColorRole.Text, text)
            cell.state &= ~QStyle.StateFlag.State_Selected
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)


def draw_bar(
    painter: QPainter, cell: QRect, share: float, highlight: QColor, selected: bool
) -> None:
    """The bar of one cell: of the palette's highlight, and darker on a selected row."""
    area = QRectF(cell).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    area.setWidth(max(_LEAST_WIDTH, area.width() * share))
    color = QColor(highlight)
    if selected:
        color = color.darker(_DARKER)
    else:
        color.setAlpha(_OPACITY)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(area, _MARGIN, _MARGIN)
    painter.restore()
