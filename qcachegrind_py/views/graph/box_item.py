"""A box of a diagram as an item of a scene: outline, strip of colour, cost bar, stubs of arrows.

What is written in it a subclass says; what happens to it, the canvas. Colours are asked of the
palette when an item is drawn, so that nothing has to be told of a change.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.views.graph.call_graph_style import BAR_HEIGHT, PADDING

MIN_READABLE_ZOOM = 0.3  # zoom below which texts are not drawn: nobody could read them
FADED_OPACITY = 0.35  # of what a search does not find
DASHES = (4.0, 3.0)
CORNER_RADIUS = 5.0  # pixels of a corner
_COLOR_STRIP_WIDTH = 5.0  # the colour on the left
_STUB_LENGTH = 16.0  # pixels of the arrow that stands for those that are not drawn
_ESTIMATED_OPACITY = 0.35  # of the colour of a small box
_SMALL_OUTLINE = 2.0  # pixels of the screen around an active box, however small it is
_SELECTED_OPACITY = 0.2  # of the colour of what is selected, inside a box
_LINE_OPACITY = 0.62  # of the text's colour
PaintOption = QStyleOptionGraphicsItem


class BoxItem(QGraphicsItem):
    """A box around its place in the scene; `row` is its row in what is drawn."""

    is_exact = True  # what stands in it is no estimate

    def __init__(self, row: int, width: float, height: float, share: float, color: QColor) -> None:
        super().__init__()
        self.row = row
        self.is_active = self.is_selected = self.is_current = self.is_faded = False
        self.has_stubs = (False, False)  # arrows to it, and from it, that are not drawn
        self.is_horizontal = False
        self.share = share  # the length of its bar
        self._color = color
        self._area = QRectF(-width / 2, -height / 2, width, height)
        self.setZValue(2)

    @property
    def area(self) -> QRectF:
        """Where the box is in the scene."""
        return self._area.translated(self.pos())

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._area.adjusted(-_STUB_LENGTH, -_STUB_LENGTH, _STUB_LENGTH, _STUB_LENGTH)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self._area)
        return path

    def paint(self, painter: QPainter, option: PaintOption, _widget: QWidget | None = None) -> None:
        palette = prepare_painter(self, painter, is_faded=self.is_faded)
        is_small = option.levelOfDetailFromTransform(painter.worldTransform()) < MIN_READABLE_ZOOM
        self._paint_body(painter, palette, is_small)
        if not is_small:
            self._paint_bar(painter, palette)
            self.paint_texts(painter, palette)
            self._paint_stubs(painter, palette)

    def paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        """Write what is in the box."""
        raise NotImplementedError

    def prepare_texts(self, painter: QPainter, palette: QPalette, font: QFont) -> QRectF:
        """The room for texts, of which the first is bold where the box is active."""
        first = QFont(font)
        first.setBold(self.is_active)
        painter.setFont(first)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        return self._area.adjusted(PADDING, PADDING * 0.5, -PADDING, -PADDING)

    def bar_area(self) -> QRectF:
        """Where a full cost bar is: at the bottom."""
        track = self._area.adjusted(PADDING, 0, -PADDING, -PADDING * 0.7)
        track.setTop(track.bottom() - BAR_HEIGHT)
        return track

    def _paint_body(self, painter: QPainter, palette: QPalette, is_small: bool) -> None:
        painter.setPen(self._outline(palette, is_small))
        painter.setBrush(self._small_background(palette) if is_small else self._background(palette))
        painter.drawRoundedRect(self._area, CORNER_RADIUS, CORNER_RADIUS)
        strip = QRectF(
            self._area.topLeft(), self._area.bottomLeft() + QPointF(_COLOR_STRIP_WIDTH, 0)
        )
        painter.fillRect(strip.adjusted(1, CORNER_RADIUS, 0, -CORNER_RADIUS), self._color)
        if self.is_current:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1.2, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._area.adjusted(-4, -4, 4, 4), CORNER_RADIUS, CORNER_RADIUS)

    def _outline(self, palette: QPalette, is_small: bool) -> QPen:
        """Strong where it is active or selected, dashed around an estimate."""
        outline = QPen(self._color, 1.4)
        if is_small and (self.is_active or self.is_selected):  # no name tells it from the others
            outline = QPen(palette.color(QPalette.ColorRole.Text), _SMALL_OUTLINE)
            outline.setCosmetic(True)
            return outline
        if self.is_active or self.is_selected:
            outline = QPen(palette.color(QPalette.ColorRole.Highlight), 2.6)
        if not self.is_exact:
            outline.setDashPattern(DASHES)
        return outline

    def _background(self, palette: QPalette) -> QColor:
        """The colour that texts stand on."""
        return selection_background(palette) if self.is_selected else palette.color(_ALTERNATE_BASE)

    def _small_background(self, palette: QPalette) -> QColor:
        """The colour of a box too small for texts."""
        if self.is_active or self.is_selected:
            return palette.color(QPalette.ColorRole.Highlight)
        return blended(self._color, palette.color(QPalette.ColorRole.Base), self.color_strength())

    def color_strength(self) -> float:
        """How strong the colour of a small box is: paler for an estimate."""
        return 1.0 if self.is_exact else _ESTIMATED_OPACITY

    def _paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        track = self.bar_area()
        painter.fillRect(track, palette.color(QPalette.ColorRole.Midlight))
        track.setWidth(max(1.0, track.width() * self.share) if self.share else 0)
        painter.fillRect(track, palette.color(QPalette.ColorRole.Highlight))

    def _paint_stubs(self, painter: QPainter, palette: QPalette) -> None:
        """Short dotted arrows for those that are not drawn: to it, and from it."""
        color = default_line_color(palette)
        for is_out, is_there in enumerate(self.has_stubs):
            if is_there:
                start, end = self._stub(bool(is_out))
                painter.setPen(QPen(color, 1.4, Qt.PenStyle.DotLine))
                painter.drawLine(start, end)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawPolygon(arrow_head(start, end, 5.0))

    def _stub(self, is_out: bool) -> tuple[QPointF, QPointF]:
        """Where the arrow begins and ends: away from the middle, where others arrive."""
        area = self._area
        if self.is_horizontal:
            y = area.bottom() - area.height() / 5
            x = area.right() if is_out else area.left() - _STUB_LENGTH
            return QPointF(x, y), QPointF(x + _STUB_LENGTH, y)
        x = area.right() - area.width() / 8
        y = area.bottom() if is_out else area.top() - _STUB_LENGTH
        return QPointF(x, y), QPointF(x, y + _STUB_LENGTH)


_ALTERNATE_BASE = QPalette.ColorRole.AlternateBase


def prepare_painter(item: QGraphicsItem, painter: QPainter, *, is_faded: bool) -> QPalette:
    """Draw smoothly, and pale what is faded; gives the colours of today."""
    painter.setOpacity(FADED_OPACITY if is_faded else 1.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return item.scene().palette()  # an option of Qt has that of the first day


def selection_background(palette: QPalette, opacity: float = _SELECTED_OPACITY) -> QColor:
    """The colour behind what is selected."""
    base = palette.color(QPalette.ColorRole.Base)
    return blended(palette.color(QPalette.ColorRole.Highlight), base, opacity)


def default_line_color(palette: QPalette) -> QColor:
    """The colour of arrows that say nothing by theirs."""
    color = QColor(palette.color(QPalette.ColorRole.Text))
    color.setAlphaF(_LINE_OPACITY)
    return color


def arrow_head(before: QPointF, tip: QPointF, length: float) -> QPolygonF:
    """A triangle that ends at the tip, and comes from the point before."""
    along = tip - before
    distance = max(1e-6, (along.x() ** 2 + along.y() ** 2) ** 0.5)
    along /= distance
    across = QPointF(-along.y(), along.x()) * (length * 0.42)
    foot = tip - along * length
    return QPolygonF([tip, foot + across, foot - across])
