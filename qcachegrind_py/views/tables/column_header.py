"""The titles of the columns of a list, which stand over what they are of."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader, QStyleOptionHeaderV2, QWidget

from qcachegrind_py.views.tables.bars import bar_gap, number_and_bar
from qcachegrind_py.views.widgets.grid import grid

_NO_ARROW = QStyleOptionHeader.SortIndicator.None_
_RIGHT, _MIDDLE = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter


def arrow_room() -> int:
    """Return the width of the arrow of the sorted column and of the gap beside it, in pixels."""
    return grid() + bar_gap()


class ColumnHeader(QHeaderView):
    """The header of a list: titles of numbers end where the numbers end, also beside bars.

    The arrow of the sorted column is on the inner side of its title, so that it moves no title.
    """

    def __init__(self, beside_bars: Mapping[int, int], parent: QWidget | None = None) -> None:
        """`beside_bars` are the widths of the numbers in columns with bars, in pixels."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._beside_bars = beside_bars
        self.setSectionsMovable(True)
        self.setHighlightSections(False)

    def paintSection(self, painter: QPainter, rect: QRect, index: int) -> None:  # noqa: N802
        option = QStyleOptionHeaderV2()
        self.initStyleOption(option)
        self.initStyleOptionForIndex(option, index)
        option.rect = rect
        title, arrow = option.text, option.sortIndicator
        option.text, option.sortIndicator = "", _NO_ARROW
        self.style().drawControl(QStyle.ControlElement.CE_Header, option, painter, self)
        area, _ = number_and_bar(rect, self._beside_bars.get(index, rect.width()))
        is_number = bool(option.textAlignment & _RIGHT)
        room = area.width() - (arrow_room() if arrow != _NO_ARROW else 0)
        text = title
        if option.fontMetrics.horizontalAdvance(title) > room:  # elidedText wants one pixel more
            text = option.fontMetrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.setPen(option.palette.color(QPalette.ColorRole.ButtonText))
        painter.drawText(
            area, (_RIGHT if is_number else Qt.AlignmentFlag.AlignLeft) | _MIDDLE, text
        )
        if arrow != _NO_ARROW:
            width = option.fontMetrics.horizontalAdvance(text)
            left = area.right() - width - arrow_room() if is_number else area.left() + width
            left += 0 if is_number else bar_gap()
            option.rect = QRect(left, rect.top(), grid(), rect.height())
            option.sortIndicator = arrow
            primitive = QStyle.PrimitiveElement.PE_IndicatorHeaderArrow
            self.style().drawPrimitive(primitive, option, painter, self)
