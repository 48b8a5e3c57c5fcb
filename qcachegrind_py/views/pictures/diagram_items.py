"""The boxes, arrows and frames of a diagram as they are painted, with what is marked in them.

Their fonts are here, too, with the sizes of texts, which jobs ask for.

Colours are read from the palette each time, so that a palette change needs no notification. A box
that is compared is filled by its change: hatched if it is gone, with a second outline if it is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPalette,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import WORD_GONE, WORD_NEW
from qcachegrind_py.present.picture import BAR_HEIGHT, PADDING, Arrow, Box, Diagram, Frame, Line
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.widgets.colors import (
    GROWTH,
    SHRINKAGE,
    arrow_color,
    blended,
    box_color,
    seen_on,
)

_SMALL_SCALE = 0.88  # of the fonts of labels and code
_MIN_READABLE_ZOOM = 0.3  # below this zoom texts are illegible and not painted
_FADED_OPACITY = 0.35  # for what does not match a search
_CORNER_RADIUS = 5.0  # pixels
_COLOR_STRIP_WIDTH = 5.0  # pixels, on the left
_STUB_LENGTH = 16.0  # pixels of the short arrow for omitted ones
_SMALL_OUTLINE = 2.0  # screen pixels around a small active or hovered box, at any zoom
_HOVER_OUTLINE = 1.6  # pixels
_FOCUS_WIDTH = 1.6  # pixels
_OUTER_OUTLINE = 4.0  # pixels from the outline of the box with the keyboard focus to that around it
_INNER_OUTLINE = 3.5  # pixels from the outline of a new box to the second one
_SELECTED_OPACITY = 0.2  # for the highlight colour inside a box
_MARKED_OPACITY = 0.4  # for marked lines, which are in a selected box
_LINE_OPACITY = 0.62  # for the text colour
_HATCH_GAP = 9.0  # pixels between the lines of a gone box, along its sides
_HATCH_OPACITY = 0.22  # of the text colour
_FRAME_OPACITY = 0.11  # for a frame's colour inside it
_LABEL_OPACITY = 0.8  # arrows behind a label stay faintly visible
_MIN_HEAD_LENGTH = 7.0  # pixels
_GRIP_WIDTH = 10.0  # pixels across an arrow in which the mouse hits it
_ESTIMATE_DASHES = (4.0, 3.0)
_DASHES = {  # in line widths
    Line.JUMP: (4.0, 1.5, 1.0, 1.5),
    Line.TAKEN: (2.5, 1.5),
    Line.NOT_TAKEN: (1.0, 1.2),
}
_MIN_DASH = 2.0  # pixels of a line width in such a pattern
_HIDDEN_DASHES = (1.0, 6.0)
_COLOR_ROLES = {
    Line.JUMP: QPalette.ColorRole.LinkVisited,
    Line.TAKEN: QPalette.ColorRole.Link,
    Line.NOT_TAKEN: QPalette.ColorRole.BrightText,
}
_UNCLIPPED = Qt.TextFlag.TextDontClip  # texts fit; in an SVG, each clipping would add a path
_TOP = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine | _UNCLIPPED
_LEFT = int(_TOP | Qt.AlignmentFlag.AlignLeft)
_RIGHT = int(_TOP | Qt.AlignmentFlag.AlignRight)
_ROLE = QPalette.ColorRole


@frozen(eq=True)
class DiagramFonts:
    """The font of boxes, in bold, for labels of arrows, and for code."""

    plain: QFont
    bold: QFont
    small: QFont
    code: QFont

    @classmethod
    def of(cls, plain: QFont) -> DiagramFonts:
        bold, small = QFont(plain), QFont(plain)
        bold.setBold(True)
        code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        if plain.pointSizeF() > 0:
            small.setPointSizeF(plain.pointSizeF() * _SMALL_SCALE)
            code.setPointSizeF(small.pointSizeF())
        else:  # a style sheet has set the size in pixels
            small.setPixelSize(max(1, round(plain.pixelSize() * _SMALL_SCALE)))
        return cls(plain, bold, small, code)


class FontMeasure:
    """The sizes of texts in a font."""

    def __init__(self, font: QFont) -> None:
        self._metrics = QFontMetricsF(font)

    @property
    def height(self) -> float:
        return self._metrics.height()

    def width(self, text: str) -> float:
        return self._metrics.horizontalAdvance(text)

    def elided(self, text: str, width: float) -> str:
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)


# -------------------------------------------------------------------- boxes


class BoxItem:
    """A box of a diagram in its place."""

    def __init__(self, row: int, box: Box, center: Float64Array, *, is_horizontal: bool) -> None:
        self.row, self.box = row, box
        self.area = QRectF(0, 0, box.width, box.height)
        self.area.moveCenter(QPointF(*center))
        self.is_selected = self.is_current = self.is_faded = self.is_hovered = False
        self.marked_lines: frozenset[int] = frozenset()  # keys of lines
        self.current_line = -1  # with the keyboard focus, in a chain
        self.search_text = ""  # in lower case
        self._color = QColor(box.color)
        self._is_horizontal = is_horizontal

    @property
    def bounds(self) -> QRectF:
        """The area with all that is painted around it."""
        return _inside(self.area, -_STUB_LENGTH if any(self.box.stubs) else -_OUTER_OUTLINE - 1)

    def bar_area(self) -> QRectF:
        """Return the area of a full cost bar, below the head of the box."""
        bottom = self.area.top() + self.box.head_height - PADDING * 0.7
        width = self.area.width() - 2 * PADDING
        return QRectF(self.area.left() + PADDING, bottom - BAR_HEIGHT, width, BAR_HEIGHT)

    def button_area(self) -> QRectF:
        """Return the area of the button that opens a cycle; empty without one."""
        if not self.box.has_button:
            return QRectF()
        side = PADDING * 1.5
        return QRectF(self.area.right() - side - 4, self.area.top() + 4, side, side)

    def _lines_area(self) -> QRectF:
        """Return the area of the lines: below the head, or above the bar and beside the button."""
        if not self.box.parts:
            return self.area.adjusted(PADDING, self.box.head_height, -PADDING, -PADDING)
        area = self.area.adjusted(PADDING, PADDING * 0.5, -PADDING, 0)
        area.setRight(self.button_area().left() - PADDING * 0.5)
        area.setBottom(self.bar_area().top() - PADDING * 0.3)
        return area

    def line_at(self, position: QPointF) -> int:
        """Return the line at a position; -1 for none."""
        area, count = self._lines_area(), len(self.box.lines)
        if not count or not area.contains(position):
            return -1
        return min(count - 1, int((position.y() - area.top()) / area.height() * count))

    # ---------------------------------------------------------------- painting

    def paint(
        self, painter: QPainter, palette: QPalette, fonts: DiagramFonts, *, is_small: bool
    ) -> None:
        """Paint the box; the texts are left out if it is too small for them."""
        painter.setOpacity(_FADED_OPACITY if self.is_faded else 1.0)
        self._paint_body(painter, palette, is_small)
        if not is_small:
            self._paint_bar(painter, palette)
            self._paint_texts(painter, palette, fonts)
            self._paint_stubs(painter, palette)

    def background(self, palette: QPalette) -> QColor:
        change = self.box.change
        if change is not None:
            return box_color(palette, change.strength, is_exact=self.box.is_exact)
        return _selected_color(palette) if self.is_selected else palette.color(_ROLE.AlternateBase)

    def _small_background(self, palette: QPalette) -> QColor:
        """Return the colour of a box too small for texts."""
        if self.box.is_active or self.is_selected:
            return palette.color(_ROLE.Highlight)
        if self.box.change is not None:
            return self.background(palette)
        return blended(self._color, palette.color(_ROLE.Base), self.box.opacity)

    def _paint_body(self, painter: QPainter, palette: QPalette, is_small: bool) -> None:
        area, text = self.area, palette.color(_ROLE.Text)
        painter.setPen(self._outline(palette, is_small))
        painter.setBrush(self._small_background(palette) if is_small else self.background(palette))
        painter.drawRoundedRect(area, _CORNER_RADIUS, _CORNER_RADIUS)
        self._paint_pattern(painter, palette)
        self._paint_strip(painter)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.is_hovered and not is_small:
            painter.setPen(QPen(text, _HOVER_OUTLINE))
            # so that the colour of the outline stays visible
            painter.drawRoundedRect(_inside(area, _HOVER_OUTLINE), _CORNER_RADIUS, _CORNER_RADIUS)
        if self.is_current:
            painter.setPen(QPen(text, _FOCUS_WIDTH))
            outer = _inside(area, -_OUTER_OUTLINE)
            painter.drawRoundedRect(outer, _CORNER_RADIUS, _CORNER_RADIUS)

    def _paint_strip(self, painter: QPainter) -> None:
        """Paint the colour of the group on the left, or those of the functions of a chain."""
        strip = QRectF(self.area.topLeft(), self.area.bottomLeft() + QPointF(_COLOR_STRIP_WIDTH, 0))
        strip = strip.adjusted(1, _CORNER_RADIUS, 0, -_CORNER_RADIUS)
        colors = [part.color for part in self.box.parts] or [self.box.color]
        strip.setHeight(strip.height() / len(colors))
        for color in colors:
            painter.fillRect(strip, QColor(color))
            strip.translate(0, strip.height())

    def _outline(self, palette: QPalette, is_small: bool) -> QPen:
        """Return the pen for the outline: strong if active or selected, dashed for an estimate."""
        is_marked = self.box.is_active or self.is_selected
        if is_small and (is_marked or self.is_hovered):  # it has no name to be recognised by
            outline = QPen(palette.color(_ROLE.Text), _SMALL_OUTLINE)
            outline.setCosmetic(True)
            return outline
        text, base = palette.color(_ROLE.Text), palette.color(_ROLE.Base)
        outline = QPen(seen_on(self._color, text, base), 1.4)
        if is_marked:
            outline = QPen(palette.color(_ROLE.Highlight), 2.6)
        if not self.box.is_exact:
            outline.setDashPattern(_ESTIMATE_DASHES)
        return outline

    def _paint_pattern(self, painter: QPainter, palette: QPalette) -> None:
        """Paint what shows that a box is new or gone."""
        word = "" if self.box.change is None else self.box.change.word
        if word == WORD_GONE:
            color = blended(palette.color(_ROLE.Text), self.background(palette), _HATCH_OPACITY)
            painter.setPen(QPen(color, 1.0))
            painter.drawPath(hatching(_inside(self.area, 1)))
        elif word == WORD_NEW:
            painter.setPen(QPen(default_line_color(palette), 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inner = _inside(self.area, _INNER_OUTLINE)
            painter.drawRoundedRect(inner, _CORNER_RADIUS - 1, _CORNER_RADIUS - 1)

    def _paint_bar(self, painter: QPainter, palette: QPalette) -> None:
        """Paint the cost bar; compared, the smaller cost and what the new side has more or less.

        What it has less is hollow.
        """
        track, change, share = self.bar_area(), self.box.change, self.box.share
        if change is not None:  # the box may have the colour of the bar
            painter.fillRect(_inside(track, -1), palette.color(_ROLE.Base))
        ground, text = palette.color(_ROLE.Midlight), palette.color(_ROLE.Text)
        painter.fillRect(track, ground)
        if not share:
            return
        track.setWidth(max(1.0, track.width() * share))
        painter.fillRect(track, seen_on(palette.color(_ROLE.Highlight), text, ground))
        if change is None or not change.strength:
            return
        track.setLeft(track.left() + track.width() * change.smaller_part)
        is_growth = change.strength > 0
        color = seen_on(GROWTH if is_growth else SHRINKAGE, text, ground)
        painter.fillRect(track, color if is_growth else palette.color(_ROLE.Base))
        if not is_growth:
            painter.setPen(QPen(color, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(_inside(track, 0.5))

    def _paint_texts(self, painter: QPainter, palette: QPalette, fonts: DiagramFonts) -> None:
        area = self.area.adjusted(PADDING, PADDING * 0.5, -PADDING, -PADDING)
        if not self.box.parts:
            painter.setFont(fonts.bold if self.box.is_active else fonts.plain)
            painter.setPen(palette.color(_ROLE.Text))
            painter.drawText(area, _LEFT, self.box.name)
            painter.setFont(fonts.plain)
            area.setTop(area.top() + painter.fontMetrics().height())
            painter.drawText(area, _LEFT, self.box.cost)
            if self.box.count:
                painter.drawText(area, _RIGHT, self.box.count)
        if self.box.lines:
            painter.setFont(fonts.plain if self.box.parts else fonts.code)
            self._paint_lines(painter, palette)
        if self.box.has_button:
            self._paint_button(painter, palette)

    def _paint_lines(self, painter: QPainter, palette: QPalette) -> None:
        area = self._lines_area()
        area.setHeight(area.height() / len(self.box.lines))
        for row, line in enumerate(self.box.lines):
            if row == self.current_line:
                painter.setPen(QPen(palette.color(_ROLE.Text), _FOCUS_WIDTH))
                painter.drawRect(area.adjusted(-3, 0, 3, 0))
            if line.key >= 0 and line.key in self.marked_lines:
                mark = _selected_color(palette, _MARKED_OPACITY)
                painter.fillRect(area.adjusted(-3, 0, 3, 0), mark)
            is_rest, is_plain = line.key < 0, not self.is_selected
            is_match = bool(self.search_text) and self.search_text in line.searched.lower()
            role = _ROLE.Link if is_match else _ROLE.PlaceholderText if is_rest else _ROLE.Text
            # on the colour of a selected box, only that of texts can be read
            painter.setPen(palette.color(role if is_plain else _ROLE.Text))
            _set_underline(painter, is_match)
            painter.drawText(area, _LEFT, line.text)
            _set_underline(painter, False)
            painter.drawText(area, _RIGHT, line.cost)
            area.translate(0, area.height())

    def _paint_button(self, painter: QPainter, palette: QPalette) -> None:
        area = self.button_area()
        painter.setPen(QPen(palette.color(_ROLE.Text), 1))
        painter.setBrush(palette.color(_ROLE.Base))
        painter.drawRoundedRect(area, 2, 2)
        inner = _inside(area, 3)
        middle = inner.center()
        painter.drawLine(QPointF(inner.left(), middle.y()), QPointF(inner.right(), middle.y()))
        painter.drawLine(QPointF(middle.x(), inner.top()), QPointF(middle.x(), inner.bottom()))

    def _paint_stubs(self, painter: QPainter, palette: QPalette) -> None:
        """Paint short dotted arrows in place of omitted incoming and outgoing ones."""
        color = default_line_color(palette)
        for is_out, is_there in enumerate(self.box.stubs):
            if is_there:
                start, end = self._stub(bool(is_out))
                painter.setPen(QPen(color, 1.4, Qt.PenStyle.DotLine))
                painter.drawLine(start, end)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawPolygon(arrow_head(start, end, 5.0))

    def _stub(self, is_out: bool) -> tuple[QPointF, QPointF]:
        """Return start and end of a stub, off the middle, where other arrows arrive."""
        area = self.area
        if self._is_horizontal:
            y = area.bottom() - area.height() / 5
            x = area.right() if is_out else area.left() - _STUB_LENGTH
            return QPointF(x, y), QPointF(x + _STUB_LENGTH, y)
        x = area.right() - area.width() / 8
        y = area.bottom() if is_out else area.top() - _STUB_LENGTH
        return QPointF(x, y), QPointF(x, y + _STUB_LENGTH)


# -------------------------------------------------------------------- arrows and frames


class ArrowItem:
    """An arrow of a diagram with its label, whose area is empty without one.

    It may be many times longer than the window, and stroking all of its dashes took most of the
    time of painting: an arrow paints only the curves near the exposed area.
    """

    def __init__(self, row: int, arrow: Arrow, path: Float64Array, label: Float64Array) -> None:
        """`path` has cubic Bézier curves, shape (3k + 1, 2); the line ends at the head's foot."""
        self.row, self.arrow = row, arrow
        self.is_selected = self.is_faded = self.is_hovered = False
        self.label = QRectF()
        if not np.isnan(label).any():
            left, top = label[0] - arrow.width / 2, label[1] - arrow.height / 2
            self.label = QRectF(left, top, arrow.width, arrow.height)
        points = [QPointF(x, y) for x, y in path.tolist()]
        self.head = arrow_head(points[-2], points[-1], max(_MIN_HEAD_LENGTH, 2.2 * arrow.thickness))
        points[-1] = (self.head.at(1) + self.head.at(2)) / 2
        self._points = points
        self.line = _joined_curves(points)
        margin = max(arrow.thickness, _MIN_HEAD_LENGTH)
        self.bounds = _inside(self.line.boundingRect(), -margin) | self.label

    @cached_property
    def _curves(self) -> list[tuple[QRectF, float]]:
        """The area of each curve, and the length in pixels of those before it."""
        curves, length = [], 0.0
        for begin in range(0, len(self._points) - 1, 3):
            curve = _joined_curves(self._points[begin : begin + 4])
            # a straight arrow has an empty area, which intersects nothing
            curves.append((_inside(curve.controlPointRect(), -1), length))
            length += curve.length()
        return curves

    def visible_line(self, area: QRectF) -> tuple[QPainterPath, float]:
        """Return the curves from the first to the last that touch an area.

        With them comes the length of the line before them, at which a dash pattern has to begin.
        """
        if area.contains(self.bounds):
            return self.line, 0.0
        touched = [row for row, (near, _) in enumerate(self._curves) if near.intersects(area)]
        if not touched:
            return QPainterPath(), 0.0
        first, last = touched[0], touched[-1]
        if last - first + 1 == len(self._curves):
            return self.line, 0.0
        return _joined_curves(self._points[3 * first : 3 * last + 4]), self._curves[first][1]

    def touches(self, box: int) -> bool:
        return box >= 0 and box in (self.arrow.source, self.arrow.target)

    def label_or_middle(self) -> QRectF:
        """Return the area of the label, or of the middle of the line without one."""
        middle = self.line.pointAtPercent(0.5)
        return QRectF(middle, middle) if self.label.isEmpty() else self.label

    @cached_property
    def shape(self) -> QPainterPath:
        """Where the mouse hits the arrow or its label."""
        stroker = QPainterPathStroker()
        stroker.setWidth(max(_GRIP_WIDTH, self.arrow.thickness))
        shape = stroker.createStroke(self.line)
        shape.addRect(self.label)
        return shape

    def line_color(self, palette: QPalette) -> QColor:
        """Return the colour of the arrow when it is not marked."""
        role = _COLOR_ROLES.get(self.arrow.line)
        neutral = default_line_color(palette) if role is None else palette.color(role)
        return arrow_color(palette, self.arrow.strength, neutral)

    def paint(
        self, painter: QPainter, palette: QPalette, exposed: QRectF, detail_level: float
    ) -> None:
        """Paint the curves near an area, and the head; the label comes later."""
        color = self.line_color(palette)
        if self.is_selected:
            color = palette.color(_ROLE.Highlight)
        if self.is_hovered:
            color = palette.color(_ROLE.Text)
        if self.is_faded:  # an opaque colour, for the reason given at `default_line_color`
            color = blended(color, palette.color(_ROLE.Base), _FADED_OPACITY)
        # at least one pixel wide on the screen at any zoom
        pen = QPen(color, max(self.arrow.thickness, 1 / max(1e-3, detail_level)))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self.set_dashes(pen)
        margin = pen.widthF()
        path, start = self.visible_line(_inside(exposed, -margin))
        if start and pen.style() != Qt.PenStyle.SolidLine:
            pen.setDashOffset(start / margin)  # in multiples of the width
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(self.head)

    def set_dashes(self, pen: QPen) -> None:
        """Set the line style of a pen, which is solid at first."""
        line, thickness = self.arrow.line, self.arrow.thickness
        if line is Line.INNER:
            pen.setStyle(Qt.PenStyle.DotLine)
        elif line is Line.ESTIMATED:
            pen.setDashPattern([max(2.0, dash / thickness * 1.5) for dash in _ESTIMATE_DASHES])
        elif line is Line.HIDDEN:
            pen.setDashPattern(_HIDDEN_DASHES)
        elif line in _DASHES:
            scale = max(1.0, _MIN_DASH / thickness)
            pen.setDashPattern([scale * dash for dash in _DASHES[line]])


class FrameItem:
    """A frame around boxes."""

    def __init__(self, frame: Frame, edges: Float64Array) -> None:
        left, top, right, bottom = edges.tolist()
        self.frame, self.area = frame, QRectF(left, top, right - left, bottom - top)
        self.bounds = _inside(self.area, -2)
        self._color = QColor(frame.color)

    def background(self, palette: QPalette) -> QColor:
        return blended(self._color, palette.color(_ROLE.Base), _FRAME_OPACITY)

    def paint(self, painter: QPainter, palette: QPalette) -> None:
        highlight = QPen(palette.color(_ROLE.Highlight), 2.6)
        painter.setPen(highlight if self.frame.is_active else QPen(self._color, 1.2))
        painter.setBrush(self.background(palette))
        painter.drawRoundedRect(self.area, _CORNER_RADIUS, _CORNER_RADIUS)


# -------------------------------------------------------------------- all of a diagram


class DiagramItems:
    """All that is painted of a diagram. It needs no widget, so that a job can make it."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        is_horizontal = diagram.is_horizontal
        self.boxes = [
            BoxItem(row, box, center, is_horizontal=is_horizontal)
            for row, (box, center) in enumerate(zip(diagram.boxes, diagram.centers, strict=True))
        ]
        self.arrows = [
            ArrowItem(row, arrow, path, label)
            for row, (arrow, path, label) in enumerate(
                zip(diagram.arrows, diagram.paths, diagram.label_centers, strict=True)
            )
        ]
        self.frames = [
            FrameItem(frame, edges)
            for frame, edges in zip(diagram.frames, diagram.frame_edges, strict=True)
        ]
        self.bounds = QRectF()
        bounds = (item.bounds for items in (self.boxes, self.arrows) for item in items)
        for area in (*bounds, *(frame.bounds for frame in self.frames)):
            self.bounds |= area

    def at(self, pixel: QRectF) -> BoxItem | ArrowItem | None:
        """Return the box or arrow that a pixel of the screen touches.

        Zoomed out, the pixel is a large part of what the mouse can hit of an arrow.
        """
        boxes = (box for box in reversed(self.boxes) if box.area.intersects(pixel))
        arrows = (
            arrow
            for arrow in reversed(self.arrows)
            if arrow.bounds.intersects(pixel) and arrow.shape.intersects(pixel)
        )
        return next(boxes, None) or next(arrows, None)

    def paint(
        self,
        painter: QPainter,
        palette: QPalette,
        fonts: DiagramFonts,
        exposed: QRectF,
        *,
        is_overview: bool = False,
    ) -> None:
        """Paint what is in an area: boxes above labels, these above arrows, those above frames.

        An overview has no texts, nor has what is too small for them.
        """
        level = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        is_small = is_overview or level < _MIN_READABLE_ZOOM
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for frame in self.frames:
            frame.paint(painter, palette)
        for arrow in self.arrows:
            if arrow.bounds.intersects(exposed):
                arrow.paint(painter, palette, exposed, level)
        if not is_small:
            painter.setFont(fonts.small)
            self._paint_labels(painter, palette, exposed)
        for box in self.boxes:
            if box.bounds.intersects(exposed):
                box.paint(painter, palette, fonts, is_small=is_small)
        painter.setOpacity(1.0)

    def _paint_labels(self, painter: QPainter, palette: QPalette, exposed: QRectF) -> None:
        """Paint the labels of arrows and the titles of frames, which no arrow crosses."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(palette.color(_ROLE.Text))
        for arrow in self.arrows:
            if not arrow.label.isEmpty() and arrow.label.intersects(exposed):
                painter.setOpacity(_FADED_OPACITY if arrow.is_faded else 1.0)
                # without the room for the arrow's own line, which stays whole
                behind = _inside(arrow.label, arrow.arrow.thickness / 2)
                painter.fillRect(behind, self._ground(behind, palette))
                text = "\n".join(arrow.arrow.labels)
                painter.drawText(arrow.label, int(Qt.AlignmentFlag.AlignCenter | _UNCLIPPED), text)
        painter.setOpacity(1.0)
        for frame in self.frames:
            self._paint_title(painter, frame, palette)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _ground(self, label: QRectF, palette: QPalette) -> QColor:
        """Return the colour behind a label, slightly transparent to keep arrows visible."""
        around = (frame for frame in self.frames if frame.area.contains(label.center()))
        frame = next(around, None)
        ground = QColor(palette.color(_ROLE.Base) if frame is None else frame.background(palette))
        ground.setAlphaF(_LABEL_OPACITY)
        return ground

    def _paint_title(self, painter: QPainter, frame: FrameItem, palette: QPalette) -> None:
        metrics, inner = painter.fontMetrics(), frame.area.adjusted(6, 2, -6, -2)
        middle = Qt.TextElideMode.ElideMiddle
        name = metrics.elidedText(frame.frame.name, middle, int(inner.width()))
        area = QRectF(inner.topLeft(), QSizeF(metrics.horizontalAdvance(name), metrics.height()))
        painter.fillRect(area, self._ground(area, palette))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | _UNCLIPPED), name)


def _joined_curves(points: Sequence[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for first, second, end in zip(points[1::3], points[2::3], points[3::3], strict=True):
        path.cubicTo(first, second, end)
    return path


def arrow_head(before: QPointF, tip: QPointF, length: float) -> QPolygonF:
    """Return a triangle with its tip at `tip`, pointing away from `before`; `length` in pixels."""
    along = tip - before
    distance = max(1e-6, (along.x() ** 2 + along.y() ** 2) ** 0.5)
    along /= distance
    across = QPointF(-along.y(), along.x()) * (length * 0.42)
    foot = tip - along * length
    return QPolygonF([tip, foot + across, foot - across])


def default_line_color(palette: QPalette) -> QColor:
    """Return the neutral colour of arrows.

    It is opaque: Qt paints a translucent line as one filled outline, which takes four times as long
    (36 ms instead of 10 ms for 123 arrows).
    """
    return blended(palette.color(_ROLE.Text), palette.color(_ROLE.Base), _LINE_OPACITY)


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


def _selected_color(palette: QPalette, opacity: float = _SELECTED_OPACITY) -> QColor:
    return blended(palette.color(_ROLE.Highlight), palette.color(_ROLE.Base), opacity)


def _set_underline(painter: QPainter, is_underlined: bool) -> None:
    font = painter.font()
    if font.underline() != is_underlined:
        font.setUnderline(is_underlined)
        painter.setFont(font)


def _inside(area: QRectF, by: float) -> QRectF:
    return area.adjusted(by, by, -by, -by)
