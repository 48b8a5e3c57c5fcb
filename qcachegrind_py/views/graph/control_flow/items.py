"""Graphics items of the control flow: blocks and arrows."""

from __future__ import annotations

from math import sqrt

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QPen

from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.arrow_item import UNCLIPPED, ArrowItem
from qcachegrind_py.views.graph.arrow_shape import ArrowShape
from qcachegrind_py.views.graph.box_item import (
    CORNER_RADIUS,
    BoxItem,
    default_line_color,
    selection_background,
)
from qcachegrind_py.views.graph.call_graph_style import BAR_HEIGHT, PADDING
from qcachegrind_py.views.graph.compared.colors import bar_change_color, box_color
from qcachegrind_py.views.graph.control_flow.style import BlockText, FlowArrowText

_DASH_PATTERNS = {  # in line widths, but at least `_MIN_DASH` pixels
    EdgeKind.JUMP: (4.0, 1.5, 1.0, 1.5),
    EdgeKind.TAKEN: (2.5, 1.5),
    EdgeKind.NOT_TAKEN: (1.0, 1.2),
}
_INDIRECT_DASHES = (1.0, 6.0)
_MIN_DASH = 2.0
_COLOR_ROLES = {
    EdgeKind.JUMP: QPalette.ColorRole.LinkVisited,
    EdgeKind.TAKEN: QPalette.ColorRole.Link,
    EdgeKind.NOT_TAKEN: QPalette.ColorRole.BrightText,
}
_HIGHLIGHT_OPACITY = 0.4  # stronger than a selected block's, which the line is in
_INNER_OUTLINE = (3.5, 3.5, -3.5, -3.5)  # pixels from the outline of a block to the second one
_MIN_STRENGTH = 0.25  # colour opacity of a small block without cost
LEGEND = "solid: falls through · dash and dot: jump · dashed: branch taken · dotted: not taken"


class BlockItem(BoxItem):
    """A block: addresses, cost, execution count, bar and instructions; `row` is its row."""

    def __init__(
        self, row: int, text: BlockText, color: QColor, font: QFont, code_font: QFont
    ) -> None:
        super().__init__(row, text.width, text.height, text.share, color)
        self.text = text
        self.highlighted_addresses: frozenset[int] = (
            frozenset()
        )  # addresses highlighted in all views
        self.search_text = ""  # in lower case
        self._font, self._code_font = font, code_font
        self._lines_rect = self._area.adjusted(PADDING, text.header_height, -PADDING, -PADDING)

    def color_strength(self) -> float:
        return _MIN_STRENGTH + (1 - _MIN_STRENGTH) * sqrt(self.share)

    def bar_area(self) -> QRectF:
        """Return the area of a full cost bar, below the header."""
        bottom = self._area.top() + self.text.header_height - PADDING * 0.7
        left, width = self._area.left() + PADDING, self._area.width() - 2 * PADDING
        return QRectF(left, bottom - BAR_HEIGHT, width, BAR_HEIGHT)

    def background(self, palette: QPalette) -> QColor:
        change = self.text.change
        if change is None or self.is_selected:
            return super().background(palette)
        return box_color(palette, change.strength, is_exact=True)

    def small_background(self, palette: QPalette) -> QColor:
        if self.text.change is None or self.is_active or self.is_selected:
            return super().small_background(palette)
        return self.background(palette)

    def paint_pattern(self, painter: QPainter, palette: QPalette) -> None:
        """Paint a second outline in a block that the new side alone has."""
        if self.text.change is not None and self.text.change.is_added:
            painter.setPen(QPen(bar_change_color(palette, is_growth=True), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inner = self._area.adjusted(*_INNER_OUTLINE)
            painter.drawRoundedRect(inner, CORNER_RADIUS - 1, CORNER_RADIUS - 1)

    def paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        """Paint the larger cost, and what it has more than the smaller one in its colour."""
        super().paint_bar(painter, palette)
        change = self.text.change
        if change is not None and self.share and change.strength:
            track = self.bar_area()
            track.setWidth(max(1.0, track.width() * self.share))
            track.setLeft(track.left() + track.width() * change.smaller_part)
            color = bar_change_color(palette, is_growth=change.strength > 0)
            painter.fillRect(track, color)

    def line_at(self, position: QPointF) -> int:
        """Return the index of the line at a scene position; -1 for none."""
        position = self.mapFromScene(position)
        if not self.text.lines or not self._lines_rect.contains(position):
            return -1
        share = (position.y() - self._lines_rect.top()) / self._lines_rect.height()
        return min(len(self.text.lines) - 1, int(share * len(self.text.lines)))

    def is_placeholder_line(self, line: int) -> bool:
        """Return whether the line is a placeholder for omitted instructions."""
        return line >= 0 and self.text.lines[line].address < 0

    def paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        text_area = self.prepare_texts(painter, palette, self._font)
        top = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine | UNCLIPPED
        left, right = int(top | Qt.AlignmentFlag.AlignLeft), int(top | Qt.AlignmentFlag.AlignRight)
        painter.drawText(text_area, left, self.text.title)
        painter.setFont(self._font)
        text_area.setTop(text_area.top() + painter.fontMetrics().height())
        painter.drawText(text_area, left, self.text.cost)
        painter.drawText(text_area, right, self.text.executed)
        if self.text.lines:
            painter.setFont(self._code_font)
            self._paint_lines(painter, palette, left, right)

    def _paint_lines(self, painter: QPainter, palette: QPalette, left: int, right: int) -> None:
        height = self._lines_rect.height() / len(self.text.lines)
        line_area = QRectF(self._lines_rect.topLeft(), self._lines_rect.size())
        line_area.setHeight(height)
        for line in self.text.lines:
            if line.address in self.highlighted_addresses:
                painter.fillRect(
                    line_area.adjusted(-3, 0, 3, 0),
                    selection_background(palette, _HIGHLIGHT_OPACITY),
                )
            is_match = bool(self.search_text) and self.search_text in line.text.lower()
            role = QPalette.ColorRole.Link if is_match else QPalette.ColorRole.Text
            if line.address < 0:
                role = QPalette.ColorRole.PlaceholderText
            painter.setPen(palette.color(role))
            painter.drawText(line_area, left, line.text)
            painter.drawText(line_area, right, line.cost)
            line_area.translate(0, height)


class FlowArrowItem(ArrowItem):
    """An arrow between blocks; its colour and line style show the kind of edge."""

    def __init__(
        self, row: int, text: FlowArrowText, outline: ArrowShape, label: Float64Array
    ) -> None:
        super().__init__(row, text, outline, label)
        self.text = text

    @property
    def label_text(self) -> str:
        return self.text.label_text

    def line_color(self, palette: QPalette) -> QColor:
        role = _COLOR_ROLES.get(self.text.kind) if self.text.kind is not None else None
        return default_line_color(palette) if role is None else palette.color(role)

    def apply_line_style(self, pen: QPen) -> None:
        if self.text.kind is None:
            pen.setDashPattern(_INDIRECT_DASHES)
        elif self.text.kind in _DASH_PATTERNS:
            scale = max(1.0, _MIN_DASH / self.text.thickness)
            pen.setDashPattern([scale * dash for dash in _DASH_PATTERNS[self.text.kind]])
