"""Blocks and arrows of the control flow as items of a scene."""

from __future__ import annotations

from math import sqrt

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QPen

from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.arrow_item import UNCUT, ArrowItem
from qcachegrind_py.views.graph.box_item import BoxItem, line_color, selection_tint
from qcachegrind_py.views.graph.call_graph_style import BAR, PADDING
from qcachegrind_py.views.graph.control_flow.style import BlockText, FlowText

_PATTERNS = {  # in widths of the line, or in these pixels where it is thinner
    EdgeKind.JUMP: (4.0, 1.5, 1.0, 1.5),
    EdgeKind.TAKEN: (2.5, 1.5),
    EdgeKind.NOT_TAKEN: (1.0, 1.2),
}
_THROUGH_OTHERS = (1.0, 6.0)
_LEAST_DASH = 2.0
_COLORS = {
    EdgeKind.JUMP: QPalette.ColorRole.LinkVisited,
    EdgeKind.TAKEN: QPalette.ColorRole.Link,
    EdgeKind.NOT_TAKEN: QPalette.ColorRole.BrightText,
}
_LIT_OPACITY = 0.4  # stronger than that of a selected block, in which the line is
_PALEST = 0.25  # of the colour of a small block without cost
LEGEND = "solid: goes on · dash and dot: jump · dashed: branch taken · dotted: not taken"


class BlockItem(BoxItem):
    """A block: addresses, cost, how often, bar, and instructions; `row` is its place."""

    def __init__(
        self, row: int, text: BlockText, color: QColor, font: QFont, code_font: QFont
    ) -> None:
        super().__init__(row, text.width, text.height, text.share, color)
        self.text = text
        self.lit: frozenset[int] = frozenset()  # addresses that are marked in all views
        self.found = ""  # what is searched for, in small letters
        self._font, self._code_font = font, code_font
        self._lines = self._area.adjusted(PADDING, text.head, -PADDING, -PADDING)

    def strength(self) -> float:
        return _PALEST + (1 - _PALEST) * sqrt(self.share)

    def bar_area(self) -> QRectF:
        """Below the head."""
        bottom = self._area.top() + self.text.head - PADDING * 0.7
        left, width = self._area.left() + PADDING, self._area.width() - 2 * PADDING
        return QRectF(left, bottom - BAR, width, BAR)

    def line_at(self, place: QPointF) -> int:
        """The number of the line at a place of the scene; -1 for none."""
        place = self.mapFromScene(place)
        if not self.text.lines or not self._lines.contains(place):
            return -1
        share = (place.y() - self._lines.top()) / self._lines.height()
        return min(len(self.text.lines) - 1, int(share * len(self.text.lines)))

    def is_rest(self, line: int) -> bool:
        """Whether the line stands for instructions that are left out."""
        return line >= 0 and self.text.lines[line].address < 0

    def paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        room = self.begin_texts(painter, palette, self._font)
        top = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine | UNCUT
        left, right = int(top | Qt.AlignmentFlag.AlignLeft), int(top | Qt.AlignmentFlag.AlignRight)
        painter.drawText(room, left, self.text.title)
        painter.setFont(self._font)
        room.setTop(room.top() + painter.fontMetrics().height())
        painter.drawText(room, left, self.text.cost)
        painter.drawText(room, right, self.text.executed)
        if self.text.lines:
            painter.setFont(self._code_font)
            self._paint_lines(painter, palette, left, right)

    def _paint_lines(self, painter: QPainter, palette: QPalette, left: int, right: int) -> None:
        height = self._lines.height() / len(self.text.lines)
        room = QRectF(self._lines.topLeft(), self._lines.size())
        room.setHeight(height)
        for line in self.text.lines:
            if line.address in self.lit:
                painter.fillRect(room.adjusted(-3, 0, 3, 0), selection_tint(palette, _LIT_OPACITY))
            is_found = bool(self.found) and self.found in line.text.lower()
            role = QPalette.ColorRole.Link if is_found else QPalette.ColorRole.Text
            if line.address < 0:
                role = QPalette.ColorRole.PlaceholderText
            painter.setPen(palette.color(role))
            painter.drawText(room, left, line.text)
            painter.drawText(room, right, line.cost)
            room.translate(0, height)


class FlowItem(ArrowItem):
    """An arrow from block to block; colour and line say how control went on."""

    def __init__(self, row: int, text: FlowText, way: Float64Array, label: Float64Array) -> None:
        super().__init__(row, text, way, label)
        self.text = text

    @property
    def lines(self) -> str:
        return self.text.lines

    def line_color(self, palette: QPalette) -> QColor:
        role = _COLORS.get(self.text.kind) if self.text.kind is not None else None
        return line_color(palette) if role is None else palette.color(role)

    def set_line(self, pen: QPen) -> None:
        if self.text.kind is None:
            pen.setDashPattern(_THROUGH_OTHERS)
        elif self.text.kind in _PATTERNS:
            longer = max(1.0, _LEAST_DASH / self.text.thickness)
            pen.setDashPattern([longer * dash for dash in _PATTERNS[self.text.kind]])
