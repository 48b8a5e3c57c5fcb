"""The graphics item for a box of a diagram: outline, colour strip, cost bar, arrow stubs.

Subclasses paint the texts; the canvas handles events. Items read their colours from the palette
each time they are painted, so that a palette change needs no notification.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.views.graph.arrow_shape import arrow_head
from qcachegrind_py.views.graph.call_graph_style import BAR_HEIGHT, PADDING

MIN_READABLE_ZOOM = 0.3  # below this zoom texts are illegible and not painted
FADED_OPACITY = 0.35  # for items that do not match a search
DASHES = (4.0, 3.0)
CORNER_RADIUS = 5.0  # pixels
_COLOR_STRIP_WIDTH = 5.0  # pixels, on the left
_STUB_LENGTH = 16.0  # pixels of the short arrow for omitted ones
_ESTIMATED_OPACITY = 0.35  # for the colour of a small box with an estimate
_SMALL_OUTLINE = 2.0  # screen pixels around a small active or hovered box, at any zoom
_HOVER_OUTLINE = 1.6  # pixels
_SELECTED_OPACITY = 0.2  # for the highlight colour inside a box
_LINE_OPACITY = 0.62  # for the text colour
PaintOption = QStyleOptionGraphicsItem


class BoxItem(QGraphicsItem):
    """A box centred on its position in the scene; `row` is its row in the diagram."""

    is_exact = True  # whether its cost is exact, not an estimate

    def __init__(self, row: int, width: float, height: float, share: float, color: QColor) -> None:
        super().__init__()
        self.row = row
        self.is_active = self.is_selected = self.is_current = self.is_faded = False
        self.is_hovered = False  # whether the mouse is over it
        self.has_stubs = (False, False)  # whether incoming and outgoing arrows are omitted
        self.is_horizontal = False
        self.share = share  # length of the cost bar, 0 to 1
        self._color = color
        self._area = QRectF(-width / 2, -height / 2, width, height)
        self.setZValue(2)

    @property
    def area(self) -> QRectF:
        """The area of the box in scene coordinates."""
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
            self.paint_bar(painter, palette)
            self.paint_texts(painter, palette)
            self._paint_stubs(painter, palette)

    def paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        """Paint the texts of the box."""
        raise NotImplementedError

    def prepare_texts(self, painter: QPainter, palette: QPalette, font: QFont) -> QRectF:
        """Set font and pen for the first text, bold in an active box; return the area for texts."""
        first = QFont(font)
        first.setBold(self.is_active)
        painter.setFont(first)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        return self._area.adjusted(PADDING, PADDING * 0.5, -PADDING, -PADDING)

    def bar_area(self) -> QRectF:
        """Return the area of a full cost bar, at the bottom of the box."""
        track = self._area.adjusted(PADDING, 0, -PADDING, -PADDING * 0.7)
        track.setTop(track.bottom() - BAR_HEIGHT)
        return track

    def _paint_body(self, painter: QPainter, palette: QPalette, is_small: bool) -> None:
        painter.setPen(self._outline(palette, is_small))
        painter.setBrush(self.small_background(palette) if is_small else self.background(palette))
        painter.drawRoundedRect(self._area, CORNER_RADIUS, CORNER_RADIUS)
        self.paint_pattern(painter, palette)
        strip = QRectF(
            self._area.topLeft(), self._area.bottomLeft() + QPointF(_COLOR_STRIP_WIDTH, 0)
        )
        painter.fillRect(strip.adjusted(1, CORNER_RADIUS, 0, -CORNER_RADIUS), self._color)
        if self.is_hovered and not is_small:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), _HOVER_OUTLINE))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inside = _HOVER_OUTLINE  # so that the colour of the outline stays visible
            area = self._area.adjusted(inside, inside, -inside, -inside)
            painter.drawRoundedRect(area, CORNER_RADIUS, CORNER_RADIUS)
        if self.is_current:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1.2, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._area.adjusted(-4, -4, 4, 4), CORNER_RADIUS, CORNER_RADIUS)

    def _outline(self, palette: QPalette, is_small: bool) -> QPen:
        """Return the pen for the outline: strong if active or selected, dashed for an estimate."""
        outline = QPen(self._color, 1.4)
        if is_small and (
            self.is_active or self.is_selected or self.is_hovered
        ):  # it has no name to be recognised by
            outline = QPen(palette.color(QPalette.ColorRole.Text), _SMALL_OUTLINE)
            outline.setCosmetic(True)
            return outline
        if self.is_active or self.is_selected:
            outline = QPen(palette.color(QPalette.ColorRole.Highlight), 2.6)
        if not self.is_exact:
            outline.setDashPattern(DASHES)
        return outline

    def paint_pattern(self, painter: QPainter, palette: QPalette) -> None:
        """Paint what is between the background and the texts: nothing."""

    def background(self, palette: QPalette) -> QColor:
        """Return the colour behind texts."""
        return selection_background(palette) if self.is_selected else palette.color(_ALTERNATE_BASE)

    def small_background(self, palette: QPalette) -> QColor:
        """Return the colour of a box too small for texts."""
        if self.is_active or self.is_selected:
            return palette.color(QPalette.ColorRole.Highlight)
        return blended(self._color, palette.color(QPalette.ColorRole.Base), self.color_strength())

    def color_strength(self) -> float:
        """Return the opacity of a small box's colour, 0 to 1: paler for an estimate."""
        return 1.0 if self.is_exact else _ESTIMATED_OPACITY

    def paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        """Paint the cost bar."""
        track = self.bar_area()
        painter.fillRect(track, palette.color(QPalette.ColorRole.Midlight))
        track.setWidth(max(1.0, track.width() * self.share) if self.share else 0)
        painter.fillRect(track, palette.color(QPalette.ColorRole.Highlight))

    def _paint_stubs(self, painter: QPainter, palette: QPalette) -> None:
        """Paint short dotted arrows in place of omitted incoming and outgoing ones."""
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
        """Return start and end of a stub, off the middle, where other arrows arrive."""
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
    """Set opacity and antialiasing of the painter; return the scene's present palette."""
    painter.setOpacity(FADED_OPACITY if is_faded else 1.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return item.scene().palette()  # Qt's style option keeps the palette of the first painting


def selection_background(palette: QPalette, opacity: float = _SELECTED_OPACITY) -> QColor:
    """Return the background colour of selected items."""
    base = palette.color(QPalette.ColorRole.Base)
    return blended(palette.color(QPalette.ColorRole.Highlight), base, opacity)


def default_line_color(palette: QPalette) -> QColor:
    """Return the neutral colour of arrows.

    It is opaque: Qt paints a translucent line as one filled outline, which takes four times as long
    (36 ms instead of 10 ms for 123 arrows).
    """
    base = palette.color(QPalette.ColorRole.Base)
    return blended(palette.color(QPalette.ColorRole.Text), base, _LINE_OPACITY)
