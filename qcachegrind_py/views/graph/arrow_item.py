"""Graphics items for the arrows of a diagram and for the layer of their labels.

Subclasses define the line style and the label text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QGraphicsItem, QWidget

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.graph.arrow_shape import ArrowShape
from qcachegrind_py.views.graph.box_item import (
    FADED_OPACITY,
    MIN_READABLE_ZOOM,
    PaintOption,
    default_line_color,
    prepare_painter,
)

_GRIP_WIDTH = 10.0  # pixels across an arrow in which the mouse hits it
_LABEL_BACKGROUND_OPACITY = 0.8  # arrows behind a label stay faintly visible
UNCLIPPED = Qt.TextFlag.TextDontClip  # texts fit; in an SVG, each clipping would add a path


class ArrowText(Protocol):
    """The thickness of an arrow and the size of its label, in pixels."""

    @property
    def thickness(self) -> float: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...


class ArrowItem(QGraphicsItem):
    """An arrow from one box to another; `row` is its row in the diagram.

    `label` is the centre of the label in scene coordinates, shape (2,), or NaN without a label.
    """

    def __init__(self, row: int, text: ArrowText, outline: ArrowShape, label: Float64Array) -> None:
        super().__init__()
        self.row = row
        self.is_selected = self.is_faded = self.is_hovered = False
        self.outline = outline
        self._thickness = text.thickness
        self.label = QRectF()
        if not np.isnan(label).any():
            left, top = label[0] - text.width / 2, label[1] - text.height / 2
            self.label = QRectF(left, top, text.width, text.height)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(1)
        self._bounds = outline.bounds | self.label

    @property
    def label_text(self) -> str:
        """The text of the label."""
        raise NotImplementedError

    def apply_line_style(self, pen: QPen) -> None:
        """Set the line style of the pen, which is solid at first."""

    def line_color(self, palette: QPalette) -> QColor:
        """Return the colour of the arrow when it is not selected."""
        return default_line_color(palette)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._bounds

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(max(_GRIP_WIDTH, self._thickness))
        shape = stroker.createStroke(self.outline.path)
        shape.addRect(self.label)
        return shape

    def paint(self, painter: QPainter, option: PaintOption, _widget: QWidget | None = None) -> None:
        palette = prepare_painter(self, painter, is_faded=False)
        highlight = palette.color(QPalette.ColorRole.Highlight)
        color = highlight if self.is_selected else self.line_color(palette)
        if self.is_hovered:
            color = palette.color(QPalette.ColorRole.Text)
        if self.is_faded:  # an opaque colour, for the reason given at `default_line_color`
            color = blended(color, palette.color(QPalette.ColorRole.Base), FADED_OPACITY)
        # at least one pixel wide on the screen at any zoom
        min_width = 1 / max(1e-3, option.levelOfDetailFromTransform(painter.worldTransform()))
        pen = QPen(color, max(self._thickness, min_width))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self.apply_line_style(pen)
        margin = pen.widthF()
        path, start = self.outline.visible_path(
            option.exposedRect.adjusted(-margin, -margin, margin, margin)
        )
        if start and pen.style() != Qt.PenStyle.SolidLine:
            pen.setDashOffset(start / margin)  # in multiples of the width
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(self.outline.head)


class TitledFrame(Protocol):
    """A frame around boxes, with a title."""

    area: QRectF
    name: str

    def background(self, palette: QPalette) -> QColor:
        """Return the colour inside the frame."""


class LabelLayer(QGraphicsItem):
    """The labels of arrows and frames, painted above all arrows so that none crosses them."""

    def __init__(
        self, arrows: Sequence[ArrowItem], frames: Sequence[TitledFrame], font: QFont
    ) -> None:
        super().__init__()
        self._arrows = [arrow for arrow in arrows if not arrow.label.isEmpty()]
        self._frames = frames
        self._font = font
        self._bounds = QRectF()
        for area in [*(arrow.label for arrow in self._arrows), *(frame.area for frame in frames)]:
            self._bounds |= area
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(1.5)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()  # mouse events pass through to the arrows

    def paint(self, painter: QPainter, option: PaintOption, _widget: QWidget | None = None) -> None:
        if option.levelOfDetailFromTransform(painter.worldTransform()) < MIN_READABLE_ZOOM:
            return
        palette = self.scene().palette()
        painter.setFont(self._font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        for arrow in self._arrows:
            if arrow.label.intersects(option.exposedRect):
                painter.setOpacity(FADED_OPACITY if arrow.is_faded else 1.0)
                painter.fillRect(arrow.label, self._background(arrow.label, palette))
                painter.drawText(
                    arrow.label, int(Qt.AlignmentFlag.AlignCenter | UNCLIPPED), arrow.label_text
                )
        painter.setOpacity(1.0)
        for frame in self._frames:
            self._paint_title(painter, frame, palette)

    def _background(self, label: QRectF, palette: QPalette) -> QColor:
        """Return the colour behind a label, slightly transparent to keep arrows visible."""
        enclosing = (f for f in self._frames if f.area.contains(label.center()))
        frame = next(enclosing, None)
        base = palette.color(QPalette.ColorRole.Base)
        ground = QColor(base if frame is None else frame.background(palette))
        ground.setAlphaF(_LABEL_BACKGROUND_OPACITY)
        return ground

    def _paint_title(self, painter: QPainter, frame: TitledFrame, palette: QPalette) -> None:
        metrics, inner = painter.fontMetrics(), frame.area.adjusted(6, 2, -6, -2)
        middle = Qt.TextElideMode.ElideMiddle
        name = metrics.elidedText(frame.name, middle, int(inner.width()))
        area = QRectF(inner.topLeft(), QSizeF(metrics.horizontalAdvance(name), metrics.height()))
        painter.fillRect(area, self._background(area, palette))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | UNCLIPPED), name)
