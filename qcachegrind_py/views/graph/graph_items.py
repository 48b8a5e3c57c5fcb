"""Nodes and arrows of the call graph as items of a scene. They draw; what happens, the canvas says.

Colours are asked of the palette when an item is drawn, so that nothing has to be told of a change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPalette,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from qcachegrind_py.models.group_colors import mixed
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.graph_look import BAR, PADDING, CallText, NodeText

_ROUND = 5.0  # pixels of a corner
_STRIP = 5.0  # the group's colour on the left of a node
_STUB = 16.0  # pixels of the arrow that stands for calls that are not drawn
_LEAST_READ = 0.3  # zoom below which texts are not drawn: nobody could read them
_GRIP = 10.0  # pixels around an arrow that are it, for the mouse
_HEAD = 7.0  # pixels of an arrow's head, at the least
_FADED = 0.35  # of what a search does not find
_DASHES = (4.0, 3.0)
_ESTIMATED_OPACITY = 0.35  # of the colour of a small node
_SMALL_OUTLINE = 2.0  # pixels of the screen around an active node, however small it is
_TINT_OPACITY = 0.11  # of a frame's colour inside it
_SELECTED_OPACITY = 0.2  # of the colour of what is selected, inside a node
_GROUND_OPACITY = 0.8  # of what is behind a text: arrows below it are faint
_LINE_OPACITY = 0.62  # of the text's colour
_UNCUT = Qt.TextFlag.TextDontClip  # texts fit; each cut would be a path of its own in an SVG
_Option = QStyleOptionGraphicsItem


class NodeItem(QGraphicsItem):
    """A function or cycle: name, cost, bar; `row` is its row in the surroundings."""

    def __init__(self, row: int, text: NodeText, color: QColor, font: QFont) -> None:
        super().__init__()
        self.row = row
        self.text = text
        self.is_active = self.is_selected = self.is_current = self.is_faded = False
        self.is_cycle = self.is_open = False
        self.stubs = (False, False)  # calls to it, calls by it, that are not drawn
        self.is_horizontal = False
        self._color = color
        self._font = font
        self._area = QRectF(-text.width / 2, -text.height / 2, text.width, text.height)
        self.setZValue(2)

    @property
    def area(self) -> QRectF:
        """Where the node is in the scene."""
        return self._area.translated(self.pos())

    def opening(self) -> QRectF:
        """Where the sign is by which a cycle is opened, in the item's own places."""
        side = PADDING * 1.6
        right, top = self._area.right() - side - 4, self._area.top() + 5
        return QRectF(right, top, side, side)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._area.adjusted(-_STUB, -_STUB, _STUB, _STUB)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self._area)
        return path

    def paint(self, painter: QPainter, option: _Option, _widget: QWidget | None = None) -> None:
        palette = self.scene().palette()  # an option of Qt has that of the first day
        painter.setOpacity(_FADED if self.is_faded else 1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_small = option.levelOfDetailFromTransform(painter.worldTransform()) < _LEAST_READ
        self._paint_body(painter, palette, is_small)
        if not is_small:
            self._paint_bar(painter, palette)
            self._paint_texts(painter, palette)
            self._paint_stubs(painter, palette)

    def _paint_body(self, painter: QPainter, palette: QPalette, is_small: bool) -> None:
        painter.setPen(self._outline(palette, is_small))
        painter.setBrush(self._small_ground(palette) if is_small else self._ground(palette))
        painter.drawRoundedRect(self._area, _ROUND, _ROUND)
        strip = QRectF(self._area.topLeft(), self._area.bottomLeft() + QPointF(_STRIP, 0))
        painter.fillRect(strip.adjusted(1, _ROUND, 0, -_ROUND), self._color)
        if self.is_current:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1.2, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._area.adjusted(-4, -4, 4, 4), _ROUND, _ROUND)

    def _outline(self, palette: QPalette, is_small: bool) -> QPen:
        """Strong where it is active or selected, dashed around an estimate."""
        outline = QPen(self._color, 1.4)
        if is_small and (self.is_active or self.is_selected):  # no name tells it from the others
            outline = QPen(palette.color(QPalette.ColorRole.Text), _SMALL_OUTLINE)
            outline.setCosmetic(True)
            return outline
        if self.is_active or self.is_selected:
            outline = QPen(palette.color(QPalette.ColorRole.Highlight), 2.6)
        if not self.text.is_exact:
            outline.setDashPattern(_DASHES)
        return outline

    def _ground(self, palette: QPalette) -> QColor:
        """The colour that texts stand on."""
        if not self.is_selected:
            return palette.color(QPalette.ColorRole.AlternateBase)
        base = palette.color(QPalette.ColorRole.Base)
        return mixed(palette.color(QPalette.ColorRole.Highlight), base, _SELECTED_OPACITY)

    def _small_ground(self, palette: QPalette) -> QColor:
        """The colour of a node too small for texts: its group's, paler for an estimate."""
        if self.is_active or self.is_selected:
            return palette.color(QPalette.ColorRole.Highlight)
        base = palette.color(QPalette.ColorRole.Base)
        return mixed(self._color, base, 1.0 if self.text.is_exact else _ESTIMATED_OPACITY)

    def _paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        track = self._area.adjusted(PADDING, 0, -PADDING, -PADDING * 0.7)
        track.setTop(track.bottom() - BAR)
        painter.fillRect(track, palette.color(QPalette.ColorRole.Midlight))
        track.setWidth(max(1.0, track.width() * self.text.share) if self.text.share else 0)
        painter.fillRect(track, palette.color(QPalette.ColorRole.Highlight))

    def _paint_texts(self, painter: QPainter, palette: QPalette) -> None:
        font = QFont(self._font)
        font.setBold(self.is_active)
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        room = self._area.adjusted(PADDING, PADDING * 0.5, -PADDING, -PADDING)
        left = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine | _UNCUT
        painter.drawText(room, int(left | Qt.AlignmentFlag.AlignTop), self.text.name)
        font.setBold(False)
        painter.setFont(font)
        room.setTop(room.top() + painter.fontMetrics().height())
        painter.drawText(room, int(left | Qt.AlignmentFlag.AlignTop), self.text.cost)
        if self.is_cycle:
            self._paint_opening(painter, palette)

    def _paint_opening(self, painter: QPainter, palette: QPalette) -> None:
        box = self.opening()
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, 2, 2)
        inner = box.adjusted(3, 3, -3, -3)
        middle = inner.center()
        painter.drawLine(QPointF(inner.left(), middle.y()), QPointF(inner.right(), middle.y()))
        painter.drawLine(QPointF(middle.x(), inner.top()), QPointF(middle.x(), inner.bottom()))

    def _paint_stubs(self, painter: QPainter, palette: QPalette) -> None:
        """Short dotted arrows for calls that are not drawn: to it, and by it."""
        color = _line_color(palette)
        for is_out, is_there in enumerate(self.stubs):
            if is_there:
                start, end = self._stub(bool(is_out))
                painter.setPen(QPen(color, 1.4, Qt.PenStyle.DotLine))
                painter.drawLine(start, end)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawPolygon(_head(start, end, 5.0))

    def _stub(self, is_out: bool) -> tuple[QPointF, QPointF]:
        """Where the arrow begins and ends: away from the middle, where others arrive."""
        area = self._area
        if self.is_horizontal:
            y = area.bottom() - area.height() / 5
            x = area.right() if is_out else area.left() - _STUB
            return QPointF(x, y), QPointF(x + _STUB, y)
        x = area.right() - area.width() / 8
        y = area.bottom() if is_out else area.top() - _STUB
        return QPointF(x, y), QPointF(x, y + _STUB)


class CallItem(QGraphicsItem):
    """An arrow from caller to callee with its texts; `row` is its row in the surroundings."""

    def __init__(self, row: int, text: CallText, way: Float64Array, label: Float64Array) -> None:
        super().__init__()
        self.row = row
        self.text = text
        self.is_selected = self.is_faded = False
        self.is_inner = False
        self.head = QPolygonF()
        self._path = self._line(way)
        width, height = text.width, text.height
        self.label = QRectF()
        if not np.isnan(label).any():
            self.label = QRectF(label[0] - width / 2, label[1] - height / 2, width, height)
        self.setZValue(1)
        room = max(text.thickness, _HEAD)
        self._bounds = self._path.boundingRect().adjusted(-room, -room, room, room) | self.label

    def _line(self, way: Float64Array) -> QPainterPath:
        """The curve up to the head, which takes the rest."""
        tip, before = QPointF(*way[-1]), QPointF(*way[-2])
        length = max(_HEAD, 2.2 * self.text.thickness)
        self.head = _head(before, tip, length)
        foot = (self.head.at(1) + self.head.at(2)) / 2
        path = QPainterPath(QPointF(*way[0]))
        ends = [QPointF(*end) for end in way[3:-1:3]] + [foot]
        for first, second, end in zip(way[1::3], way[2::3], ends, strict=True):
            path.cubicTo(QPointF(*first), QPointF(*second), end)
        return path

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._bounds

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(max(_GRIP, self.text.thickness))
        shape = stroker.createStroke(self._path)
        shape.addRect(self.label)
        return shape

    def paint(self, painter: QPainter, option: _Option, _widget: QWidget | None = None) -> None:
        palette = self.scene().palette()  # an option of Qt has that of the first day
        painter.setOpacity(_FADED if self.is_faded else 1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = _line_color(palette)
        if self.is_selected:
            color = palette.color(QPalette.ColorRole.Highlight)
        # on the screen it is a pixel wide at least, however small the picture
        least = 1 / max(1e-3, option.levelOfDetailFromTransform(painter.worldTransform()))
        pen = QPen(color, max(self.text.thickness, least))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self.is_inner:
            pen.setStyle(Qt.PenStyle.DotLine)
        elif not self.text.is_exact:
            pen.setDashPattern([max(2.0, d / self.text.thickness * 1.5) for d in _DASHES])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(self.head)


class LabelLayer(QGraphicsItem):
    """The texts of arrows and frames, above all arrows: none is crossed out by the next."""

    def __init__(
        self, calls: Sequence[CallItem], frames: Sequence[ClusterItem], font: QFont
    ) -> None:
        super().__init__()
        self._calls = [call for call in calls if not call.label.isEmpty()]
        self._frames = frames
        self._font = font
        self._bounds = QRectF()
        for area in [*(call.label for call in self._calls), *(frame.area for frame in frames)]:
            self._bounds |= area
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(1.5)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()  # the mouse is for the arrows

    def paint(self, painter: QPainter, option: _Option, _widget: QWidget | None = None) -> None:
        if option.levelOfDetailFromTransform(painter.worldTransform()) < _LEAST_READ:
            return
        palette = self.scene().palette()
        painter.setFont(self._font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        for call in self._calls:
            if call.label.intersects(option.exposedRect):
                painter.setOpacity(_FADED if call.is_faded else 1.0)
                painter.fillRect(call.label, self._ground(call.label, palette))
                lines = "\n".join(filter(None, (call.text.cost, call.text.count)))
                painter.drawText(call.label, int(Qt.AlignmentFlag.AlignCenter | _UNCUT), lines)
        painter.setOpacity(1.0)
        for frame in self._frames:
            self._paint_title(painter, frame, palette)

    def _ground(self, label: QRectF, palette: QPalette) -> QColor:
        """What a label stands on, a little transparent: it hides no more than it must."""
        around = (f for f in self._frames if f.area.contains(label.center()))
        frame = next(around, None)
        base = palette.color(QPalette.ColorRole.Base)
        ground = QColor(base if frame is None else frame.ground(palette))
        ground.setAlphaF(_GROUND_OPACITY)
        return ground

    def _paint_title(self, painter: QPainter, frame: ClusterItem, palette: QPalette) -> None:
        metrics, room = painter.fontMetrics(), frame.area.adjusted(6, 2, -6, -2)
        middle = Qt.TextElideMode.ElideMiddle
        name = metrics.elidedText(frame.name, middle, int(room.width()))
        area = QRectF(room.topLeft(), QSizeF(metrics.horizontalAdvance(name), metrics.height()))
        painter.fillRect(area, self._ground(area, palette))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | _UNCUT), name)


class ClusterItem(QGraphicsItem):
    """The frame around the members of an opened cycle, or of a group; its name is in a layer."""

    def __init__(self, area: QRectF, name: str, color: QColor) -> None:
        super().__init__()
        self.area, self.name = area, name
        self.is_active = False
        self._color = color
        self.setZValue(0)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self.area.adjusted(-2, -2, 2, 2)

    def ground(self, palette: QPalette) -> QColor:
        """The colour inside."""
        return mixed(self._color, palette.color(QPalette.ColorRole.Base), _TINT_OPACITY)

    def paint(self, painter: QPainter, _option: _Option, _widget: QWidget | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.scene().palette()
        painter.setPen(QPen(self._color, 1.2))
        if self.is_active:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 2.6))
        painter.setBrush(self.ground(palette))
        painter.drawRoundedRect(self.area, _ROUND, _ROUND)


def _line_color(palette: QPalette) -> QColor:
    color = QColor(palette.color(QPalette.ColorRole.Text))
    color.setAlphaF(_LINE_OPACITY)
    return color


def _head(before: QPointF, tip: QPointF, length: float) -> QPolygonF:
    """A triangle that ends at the tip, and comes from the point before."""
    along = tip - before
    distance = max(1e-6, (along.x() ** 2 + along.y() ** 2) ** 0.5)
    along /= distance
    across = QPointF(-along.y(), along.x()) * (length * 0.42)
    foot = tip - along * length
    return QPolygonF([tip, foot + across, foot - across])
