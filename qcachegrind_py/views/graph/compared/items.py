"""Boxes and arrows of the call graph in the colours of their changes."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPalette, QPen

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.models.graph.sides import GONE, NEW, ComparedCosts
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.arrow_shape import ArrowShape
from qcachegrind_py.views.graph.box_item import CORNER_RADIUS, default_line_color
from qcachegrind_py.views.graph.call_graph_items import CallItem, NodeItem
from qcachegrind_py.views.graph.call_graph_style import CallText, NodeText
from qcachegrind_py.views.graph.compared.colors import arrow_color, bar_change_color, box_color

_HATCH_GAP = 9.0  # pixels between the lines of a gone box, along its sides
_HATCH_OPACITY = 0.22  # of the text colour
_INNER_OUTLINE = 3.5  # pixels from the outline of a new box to the second one


class ComparedNodeItem(NodeItem):
    """A box filled by its change: hatched if the node is gone, with a second outline if it is new.

    The bar shows the smaller of both costs, then what the new side has more; hollow, what it lacks.
    """

    def __init__(
        self, row: int, text: NodeText, color: QColor, font: QFont, costs: ComparedCosts
    ) -> None:
        super().__init__(row, text, color, font)
        self.word, self.strength = costs.word(row), costs.strength(row)
        base, new = costs.values(row)
        larger = max(base, new)
        self.smaller_part = min(base, new) / larger if larger > 0 else 1.0

    def background(self, palette: QPalette) -> QColor:
        return box_color(palette, self.strength, is_exact=self.is_exact)

    def small_background(self, palette: QPalette) -> QColor:
        if self.is_active or self.is_selected:
            return super().small_background(palette)
        return self.background(palette)

    def paint_pattern(self, painter: QPainter, palette: QPalette) -> None:
        if self.word == GONE:
            ground = self.background(palette)
            color = blended(palette.color(QPalette.ColorRole.Text), ground, _HATCH_OPACITY)
            painter.setPen(QPen(color, 1.0))
            painter.drawPath(hatching(self._area.adjusted(1, 1, -1, -1)))
        elif self.word == NEW:
            painter.setPen(QPen(default_line_color(palette), 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            gap = _INNER_OUTLINE
            inner = self._area.adjusted(gap, gap, -gap, -gap)
            painter.drawRoundedRect(inner, CORNER_RADIUS - 1, CORNER_RADIUS - 1)

    def paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        rim = self.bar_area().adjusted(-1, -1, 1, 1)  # the box may have the colour of the bar
        painter.fillRect(rim, palette.color(QPalette.ColorRole.Base))
        super().paint_bar(painter, palette)
        if self.share and self.strength:
            track = self.bar_area()
            track.setWidth(max(1.0, track.width() * self.share))
            track.setLeft(track.left() + track.width() * self.smaller_part)
            is_growth = self.strength > 0
            color = bar_change_color(palette, is_growth=is_growth)
            painter.fillRect(track, color if is_growth else palette.color(QPalette.ColorRole.Base))
            if not is_growth:
                painter.setPen(QPen(color, 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(track.adjusted(0.5, 0.5, -0.5, -0.5))


class ComparedCallItem(CallItem):
    """An arrow in the colour of its change."""

    def __init__(
        self,
        row: int,
        text: CallText,
        outline: ArrowShape,
        label: Float64Array,
        costs: ComparedCosts,
    ) -> None:
        super().__init__(row, text, outline, label)
        self.strength = costs.strength(row)

    def line_color(self, palette: QPalette) -> QColor:
        return arrow_color(palette, self.strength, default_line_color(palette))


def hatching(area: QRectF) -> QPainterPath:
    """Return slanted lines that end at the sides of an area, so that no clipping is needed."""
    path, width, height = QPainterPath(), area.width(), area.height()
    offset = _HATCH_GAP
    while offset < width + height:
        begin, end = max(0.0, offset - height), min(offset, width)
        path.moveTo(area.topLeft() + QPointF(begin, offset - begin))
        path.lineTo(area.topLeft() + QPointF(end, offset - end))
        offset += _HATCH_GAP
    return path
