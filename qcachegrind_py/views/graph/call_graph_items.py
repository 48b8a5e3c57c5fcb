"""Graphics items of the call graph: functions, calls and frames."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QPen
from PySide6.QtWidgets import QGraphicsItem, QWidget

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.arrow_item import UNCLIPPED, ArrowItem
from qcachegrind_py.views.graph.arrow_shape import ArrowShape
from qcachegrind_py.views.graph.box_item import CORNER_RADIUS, DASHES, BoxItem, PaintOption
from qcachegrind_py.views.graph.call_graph_style import PADDING, CallText, NodeText

_BACKGROUND_OPACITY = 0.11  # for a frame's colour inside it


class NodeItem(BoxItem):
    """A function or cycle with name, cost and bar; `row` is its row in the subgraph."""

    def __init__(self, row: int, text: NodeText, color: QColor, font: QFont) -> None:
        super().__init__(row, text.width, text.height, text.share, color)
        self.text = text
        self.is_exact = text.is_exact
        self.is_cycle = self.is_expanded = False
        self._font = font

    def expand_button_rect(self) -> QRectF:
        """Return the area of the button that expands a cycle, in item coordinates."""
        side = PADDING * 1.6
        right, top = self._area.right() - side - 4, self._area.top() + 5
        return QRectF(right, top, side, side)

    def paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        text_area = self.prepare_texts(painter, palette, self._font)
        left = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine | UNCLIPPED
        painter.drawText(text_area, int(left | Qt.AlignmentFlag.AlignTop), self.text.name)
        painter.setFont(self._font)
        text_area.setTop(text_area.top() + painter.fontMetrics().height())
        painter.drawText(text_area, int(left | Qt.AlignmentFlag.AlignTop), self.text.cost)
        if self.is_cycle:
            self._paint_expand_button(painter, palette)

    def _paint_expand_button(self, painter: QPainter, palette: QPalette) -> None:
        box = self.expand_button_rect()
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, 2, 2)
        inner = box.adjusted(3, 3, -3, -3)
        middle = inner.center()
        painter.drawLine(QPointF(inner.left(), middle.y()), QPointF(inner.right(), middle.y()))
        painter.drawLine(QPointF(middle.x(), inner.top()), QPointF(middle.x(), inner.bottom()))


class CallItem(ArrowItem):
    """An arrow from caller to callee with its label; `row` is its row in the subgraph."""

    def __init__(self, row: int, text: CallText, outline: ArrowShape, label: Float64Array) -> None:
        super().__init__(row, text, outline, label)
        self.text = text
        self.is_inner = False

    @property
    def label_text(self) -> str:
        return "\n".join(filter(None, (self.text.cost, self.text.count)))

    def apply_line_style(self, pen: QPen) -> None:
        if self.is_inner:
            pen.setStyle(Qt.PenStyle.DotLine)
        elif not self.text.is_exact:
            pen.setDashPattern([max(2.0, d / self.text.thickness * 1.5) for d in DASHES])


class ClusterItem(QGraphicsItem):
    """The frame around an expanded cycle or a group; `LabelLayer` paints its title."""

    def __init__(self, area: QRectF, name: str, color: QColor) -> None:
        super().__init__()
        self.area, self.name = area, name
        self.is_active = False
        self._color = color
        self.setZValue(0)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self.area.adjusted(-2, -2, 2, 2)

    def background(self, palette: QPalette) -> QColor:
        """Return the colour inside the frame."""
        return blended(self._color, palette.color(QPalette.ColorRole.Base), _BACKGROUND_OPACITY)

    def paint(
        self, painter: QPainter, _option: PaintOption, _widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.scene().palette()
        painter.setPen(QPen(self._color, 1.2))
        if self.is_active:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 2.6))
        painter.setBrush(self.background(palette))
        painter.drawRoundedRect(self.area, CORNER_RADIUS, CORNER_RADIUS)
