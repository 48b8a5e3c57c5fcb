"""The canvas of diagrams of boxes and arrows, which pans with the mouse and zooms from 5 to 400 %.

When the diagram is replaced, its anchor keeps its position on the screen. Only the user makes texts
smaller than can be read, and only the user leaves a part of the canvas empty while boxes are out of
sight.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFontInfo,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPalette,
    QResizeEvent,
    QWheelEvent,
)

from qcachegrind_py.present.picture import NOWHERE, Box, Diagram, Picture, Spot, Step
from qcachegrind_py.views.pictures.canvas import (
    STEPS,
    WHEEL_NOTCH,
    ZOOM_STEP,
    Canvas,
    Press,
    Zoom,
)
from qcachegrind_py.views.pictures.diagram_items import (
    ArrowItem,
    BoxItem,
    DiagramFonts,
    DiagramItems,
)

MIN_ZOOM, MAX_ZOOM = 0.05, 4.0
_READABLE_SIZE = 10.0  # pixels of the smallest font on the screen: Fit and searches stop there
_MARGIN = 16.0  # pixels around the contents
_OUTLINE_MARGIN = 4.0  # pixels of outlines around a box
_VISIBLE_MARGIN = 40.0  # pixels kept visible around the current box
_WHEEL_SHARE = 3 / 20  # of the height of the view, by which one notch of the wheel scrolls
_HORIZONTAL_STEPS: dict[int, Step] = {
    Qt.Key.Key_Left: Step.BACK,
    Qt.Key.Key_Right: Step.AHEAD,
    Qt.Key.Key_Up: Step.PREVIOUS,
    Qt.Key.Key_Down: Step.NEXT,
}


class DiagramCanvas(Canvas):
    """A canvas for one diagram. Dragging pans; Ctrl+wheel or a pinch zooms around the pointer."""

    unfold_requested = Signal(object)  # int: key of the box to open, or to close
    resized = Signal()
    redrawn = Signal()  # the diagram, its colours or its space are other ones
    moved = Signal()  # another part of the diagram is visible
    font_changed = Signal()  # the diagram must be built again
    picture: Diagram | None

    def __init__(self, name: str) -> None:
        super().__init__(name)
        for hide in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            hide(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # they would include the empty space around
        self.zoom = 1.0  # screen pixels for each pixel of the diagram
        self.is_fitted = False  # the user has not moved since everything was fitted
        self.items: DiagramItems | None = None
        self.fonts = DiagramFonts.of(self.font())
        self._origin = QPointF()  # of the diagram in the viewport, in whole pixels
        self._drag_start = QPointF()  # the origin when the mouse button was pressed
        self._spot = NOWHERE  # what is current: a box, a line of a chain, an arrow
        self._arrow_origin = -1  # the box from which the current arrow was reached
        self._clicked_line = -1  # in the clicked box, while that becomes the current one

    @property
    def boxes(self) -> Sequence[BoxItem]:
        return () if self.items is None else self.items.boxes

    @property
    def arrows(self) -> Sequence[ArrowItem]:
        return () if self.items is None else self.items.arrows

    # ---------------------------------------------------------------- content

    def show_diagram(self, items: DiagramItems) -> None:
        """Show a diagram, whose anchor keeps its position on the screen if it was visible.

        A fitted view fits the new diagram as well.
        """
        diagram = items.diagram
        place, is_first = self._place_of_anchor(diagram), not self.boxes
        self.show_picture(diagram)
        self.items = items
        self.current, self._spot = diagram.anchor, diagram.entered(diagram.anchor)
        if is_first or self.is_fitted:
            self._fit_around(diagram.anchor)
        elif place is not None:
            self._move_origin(place - self.boxes[diagram.anchor].area.center() * self.zoom)
            self._fill()
            self._ensure_visible(self.box_rect(diagram.anchor), _MARGIN)
        else:
            self._center_box(diagram.anchor)
        self.mark_focus()
        self.redrawn.emit()
        self.current_changed.emit()

    def clear(self) -> None:
        self.items = None
        super().clear()
        self.redrawn.emit()

    def _place_of_anchor(self, diagram: Diagram) -> QPointF | None:
        """Return the present position of the next diagram's anchor in the viewport.

        None if it is not visible or the direction of the diagram changes.
        """
        before = self.picture
        if before is None or before.is_horizontal != diagram.is_horizontal:
            return None
        box = before.box_of(diagram.key(diagram.anchor))
        if box < 0:
            return None
        place = self.box_rect(box).center()
        return place if self.viewport().rect().contains(place.toPoint()) else None

    def move_current_to(self, key: int) -> None:
        """Make the box with this key current without selecting it."""
        if self.picture is not None and (box := self.picture.box_of(key)) >= 0:
            self.current, self._spot = box, self.picture.entered(box)

    def mark(
        self, keys: Collection[int], lines: frozenset[int] = frozenset(), *, scroll: bool = False
    ) -> None:
        """Mark exactly the boxes with these keys, and lines; with `scroll`, show the first box."""
        for item in self.boxes:
            item.is_selected = any(key in keys for key in item.box.keys)
            item.marked_lines = lines
        first = next((item.row for item in self.boxes if item.is_selected), -1)
        if scroll and first >= 0:
            self._ensure_visible(self.box_rect(first), _VISIBLE_MARGIN)
        self.viewport().update()

    def set_matches(self, rows: Collection[int] | None, text: str = "") -> None:
        """Fade other boxes, and arrows that touch none of these; None ends the search.

        Lines that contain `text` are marked.
        """
        for box in self.boxes:
            box.is_faded = rows is not None and box.row not in rows
            box.search_text = text.lower()
        for arrow in self.arrows:
            ends = arrow.arrow.source, arrow.arrow.target
            arrow.is_faded = rows is not None and not any(end in rows for end in ends)
        self.viewport().update()

    # ---------------------------------------------------------------- position

    def content_area(self) -> QRectF:
        """Return the area of the whole diagram, with a margin."""
        area = QRectF() if self.items is None else self.items.bounds
        return area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def on_screen(self, point: QPointF) -> QPointF:
        return point * self.zoom + self._origin

    def in_diagram(self, position: QPointF) -> QPointF:
        return (position - self._origin) / self.zoom

    def rect_on_screen(self, area: QRectF) -> QRectF:
        return QRectF(self.on_screen(area.topLeft()), area.size() * self.zoom)

    def visible_area(self) -> QRectF:
        """Return the visible part of the diagram, and of the space around it."""
        size = QSizeF(self.viewport().size())
        return QRectF(self.in_diagram(QPointF()), size / self.zoom)

    def center_on(self, point: QPointF) -> None:
        self._move_origin(self._middle() - point * self.zoom)

    def center_within_content(self, point: QPointF) -> None:
        """Show a point as near to the middle as possible without empty space at the edges."""
        area, visible = self.content_area(), self.visible_area()
        x = _clamped_center(point.x(), area.left(), area.right(), visible.width())
        y = _clamped_center(point.y(), area.top(), area.bottom(), visible.height())
        self.center_on(QPointF(x, y))

    def _center_box(self, box: int) -> None:
        """Show a box as near to the middle as possible while few names have no beginning.

        What the left edge of the view cuts off is moved to the right as far as the box stays whole.
        """
        self.center_within_content(self.boxes[box].area.center())
        view = QRectF(self.viewport().rect())
        areas = [self.rect_on_screen(item.area) for item in self.boxes]
        seen = [area for area in areas if area.top() < view.bottom() and area.bottom() > 0]
        left, right = np.array([(area.left(), area.right()) for area in seen]).reshape(-1, 2).T
        room = view.right() - self.box_rect(box).right() - _OUTLINE_MARGIN
        ways = np.append(0.0, _OUTLINE_MARGIN - left[(left < 0) & (right > 0)])
        ways = np.sort(ways[ways <= max(0.0, room)])
        is_cut = (left < -ways[:, np.newaxis]) & (right > -ways[:, np.newaxis])
        self.scroll_by(QPointF(float(ways[is_cut.sum(axis=1).argmin()]), 0))

    def _fill(self) -> None:
        """Move so that no space is empty while a part of the diagram is out of sight."""
        area, size = self.rect_on_screen(self.content_area()), self.viewport().size()
        right, down = (
            _way_inside(area.left(), area.right(), size.width()),
            _way_inside(area.top(), area.bottom(), size.height()),
        )
        self.scroll_by(QPointF(right, down))

    def scroll_by(self, distance: QPointF) -> None:
        self._move_origin(self._origin + distance)

    def _middle(self) -> QPointF:
        return QPointF(self.viewport().width() / 2, self.viewport().height() / 2)

    def _move_origin(self, origin: QPointF) -> None:
        """Move the diagram as far as a part of it stays visible."""
        area, size, zoom = self.content_area(), self.viewport().size(), self.zoom
        x = min(max(origin.x(), -area.right() * zoom), size.width() - area.left() * zoom)
        y = min(max(origin.y(), -area.bottom() * zoom), size.height() - area.top() * zoom)
        self._origin = QPointF(round(x), round(y))
        self.viewport().update()
        self.moved.emit()

    def _ensure_visible(self, area: QRectF, margin: float) -> None:
        """Move just far enough to show an area of the viewport with a margin around it."""
        area = area.adjusted(-margin, -margin, margin, margin)
        size = self.viewport().size()
        right, below = (
            min(0.0, size.width() - area.right()),
            min(0.0, size.height() - area.bottom()),
        )
        right, below = max(right, -area.left()), max(below, -area.top())
        if right or below:
            self.scroll_by(QPointF(right, below))

    # ---------------------------------------------------------------- zoom

    def zoom_by(self, factor: float, position: QPointF | None = None) -> None:
        """Zoom around a position in the viewport, or around its middle."""
        fixed = self._middle() if position is None else position
        point = self.in_diagram(fixed)
        self._set_zoom(self.zoom * factor)
        self._move_origin(fixed - point * self.zoom)
        self.is_fitted = False

    def fit(self) -> None:
        """Show everything, or what is legible around the home, at a zoom of at most 100 %."""
        if self.picture is not None:
            self._fit_around(self.picture.home)
            self.is_fitted = True

    def _fit_around(self, box: int) -> None:
        area, size = self.content_area(), self.viewport().size()
        fitting = min(size.width() / area.width(), size.height() / area.height())
        self._set_zoom(min(1.0, max(self.readable_zoom, fitting)))
        self._center_box(box)

    @property
    def readable_zoom(self) -> float:
        """The zoom at which the smallest texts can just be read."""
        sizes = (QFontInfo(font).pixelSize() for font in (self.fonts.small, self.fonts.code))
        return min(1.0, _READABLE_SIZE / max(1, *sizes))

    def zoom_to_actual_size(self) -> None:
        if self.picture is not None:
            self._set_zoom(1.0)
            self._center_box(self.picture.home)
            self.is_fitted = False

    def zoom_by_step(self, step: Zoom) -> None:
        if not self.boxes:
            return
        if step is Zoom.FIT:
            self.fit()
        elif step is Zoom.ACTUAL_SIZE:
            self.zoom_to_actual_size()
        else:
            self._zoom_around_current(ZOOM_STEP if step is Zoom.IN else 1 / ZOOM_STEP)

    def show_match(self, spot: Spot) -> None:
        """Make a box or a line of a chain current, centred and large enough to read."""
        self.go_to(spot)
        self._zoom_around_current(max(self.zoom, self.readable_zoom) / self.zoom)
        self.center_on(self.boxes[spot.box].area.center())

    def _zoom_around_current(self, factor: float) -> None:
        """Zoom around the current box, or around the middle if that box is not visible."""
        place = self.box_rect(self.current).center() if self.boxes else QPointF(-1, -1)
        is_seen = self.viewport().rect().contains(place.toPoint())
        self.zoom_by(factor, place if is_seen else None)

    def _set_zoom(self, zoom: float) -> None:
        self.zoom = min(MAX_ZOOM, max(MIN_ZOOM, zoom))

    # ---------------------------------------------------------------- boxes and arrows

    def spot_at(self, position: QPointF) -> Spot:
        pixel = QRectF(self.in_diagram(position), QSizeF(1, 1) / self.zoom)
        item = None if self.items is None else self.items.at(pixel)
        if isinstance(item, ArrowItem):
            return Spot(arrow=item.row)
        if item is None:
            return NOWHERE
        return Spot(item.row, line=item.line_at(pixel.center()) if item.box.parts else -1)

    def box_rect(self, box: int) -> QRectF:
        return self.rect_on_screen(self.boxes[box].area)

    def spot_rect(self, spot: Spot) -> QRectF:
        """Return the area of a box, or of the label of an arrow or else its middle."""
        if spot.arrow < 0:
            return self.box_rect(spot.box)
        return self.rect_on_screen(self.arrows[spot.arrow].label_or_middle())

    def box_of(self, spot: Spot) -> int:
        """Return the box of a spot; that an arrow points to."""
        return self.arrows[spot.arrow].arrow.target if spot.arrow >= 0 else spot.box

    def key_at(self, spot: Spot) -> int:
        """Return the key of a box or a line; of a call that of its end off the active box."""
        if spot.arrow < 0:
            lines = self.boxes[spot.box].box.lines if spot.box >= 0 else ()
            return lines[spot.line].key if spot.line >= 0 else self.key_of(spot.box)
        source, target = self.ends_of(spot.arrow)
        return source.keys[-1] if target.is_active else target.key

    def ends_of(self, arrow: int) -> tuple[Box, Box]:
        """Return the boxes that an arrow comes from and leads to."""
        ends = self.arrows[arrow].arrow
        return self.boxes[ends.source].box, self.boxes[ends.target].box

    def keyboard_spot(self) -> Spot:
        return self._spot

    def spoken(self, picture: Picture) -> str:
        return picture.detail(self._spot).text

    def step(self, key: int) -> None:
        if self.picture is not None:
            steps = _HORIZONTAL_STEPS if self.picture.is_horizontal else STEPS
            step = steps[key]
            self.go_to(self.picture.next_spot(self._spot, step, self._arrow_origin))

    def go_to(self, spot: Spot) -> None:
        """Make a box, a line of a chain or an arrow current, and select what it is of."""
        origin, self._spot = self._spot.box, spot
        if spot.arrow >= 0 and origin >= 0:
            self._arrow_origin = origin
        super().set_current(self.box_of(spot))
        self.detail_changed.emit(self.detail_of(spot))

    def set_current(self, box: int) -> None:
        if self.picture is not None and 0 <= box < self.box_count:
            self.go_to(self.picture.entered(box))

    def show_box(self, box: int) -> None:
        self.mark_focus()
        self._ensure_visible(self.spot_rect(self._spot), _VISIBLE_MARGIN)

    def show_home(self) -> None:
        if self.picture is not None:
            self.set_current(self.picture.home)

    def click(self, position: QPointF, spot: Spot) -> None:
        item, point = self.boxes[spot.box] if spot.box >= 0 else None, self.in_diagram(position)
        line = -1 if item is None else item.line_at(point)
        if item is not None and (item.button_area().contains(point) or _is_rest(item, line)):
            self.unfold_requested.emit(item.box.key)
            return
        if spot != NOWHERE:
            self._clicked_line = line
            self._arrow_origin = self.arrows[spot.arrow].arrow.source if spot.arrow >= 0 else -1
            self._spot = NOWHERE
            is_whole = spot.arrow >= 0 or (item is not None and not item.box.parts)
            self.go_to(Spot(spot.box, spot.arrow, -1 if is_whole else max(0, line)))
            self._clicked_line = -1
        self.pointed = spot

    def emit_selected(self, box: int) -> None:
        line = self._clicked_line if self._spot.line < 0 else self._spot.line
        if (key := self.key_at(self._spot._replace(line=line))) >= 0:
            self.selected.emit(key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton or self.picture is None:
            return
        spot = self.spot_at(event.position())
        item, point = (
            self.boxes[spot.box] if spot.box >= 0 else None,
            self.in_diagram(event.position()),
        )
        if item is None or not _is_rest(item, item.line_at(point)):
            self.activate_spot(spot)  # the first click has already shown the rest

    def activate_spot(self, spot: Spot, *, to_source: bool = False) -> None:
        """Go to what a spot is of; of an arrow to its target, or its source."""
        if spot.arrow >= 0:
            source, target = self.ends_of(spot.arrow)
            self.activated.emit(source.keys[-1] if to_source else target.key)
        elif spot.box >= 0:
            item = self.boxes[spot.box]
            if item.box.parts and item.box.lines[max(0, spot.line)].key < 0:
                self.unfold_requested.emit(item.box.key)
            else:
                self.activated.emit(self.key_at(spot if item.box.parts else Spot(spot.box)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self.box_count and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            to_source = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.activate_spot(self._spot, to_source=to_source)
        elif self.box_count and event.key() == Qt.Key.Key_Space and self._spot.box >= 0:
            self.unfold_requested.emit(self.key_of(self._spot.box))
        else:
            super().keyPressEvent(event)

    def mark_focus(self) -> None:
        has_focus = self.hasFocus()
        for box in self.boxes:
            box.is_current = box.row == self._spot.box and has_focus
            box.current_line = self._spot.line if box.is_current else -1
        for arrow in self.arrows:
            arrow.is_selected = arrow.row == self._spot.arrow
        self.viewport().update()

    def update_spot(self, spot: Spot) -> None:
        """Mark what the mouse is on; with a box, its arrows."""
        if spot == NOWHERE or self.items is None:
            return
        is_hovered = spot == self.hovered
        marked: list[BoxItem | ArrowItem] = [
            arrow for arrow in self.arrows if arrow.row == spot.arrow or arrow.touches(spot.box)
        ]
        marked += [self.boxes[spot.box]] if spot.box >= 0 else []
        area = QRectF()
        for item in marked:
            item.is_hovered = is_hovered
            area |= item.bounds
        self.viewport().update(self.rect_on_screen(area).toAlignedRect())

    # ---------------------------------------------------------------- painting

    def paint_content(self, painter: QPainter, exposed: QRectF) -> None:
        if self.items is not None:
            painter.translate(self._origin)
            painter.scale(self.zoom, self.zoom)
            part = QRectF(self.in_diagram(exposed.topLeft()), exposed.size() / self.zoom)
            self.items.paint(painter, self.palette(), self.fonts, part)

    def picture_size(self) -> QSizeF:
        return self.content_area().size()

    def paint_picture(self, painter: QPainter) -> None:
        area = self.content_area()
        base = self.palette().color(QPalette.ColorRole.Base)
        painter.fillRect(QRectF(QPointF(), area.size()), base)
        if self.items is not None:
            painter.save()
            painter.translate(-area.topLeft())
            self.items.paint(painter, self.palette(), self.fonts, area)
            painter.restore()

    # ---------------------------------------------------------------- Qt's events

    def begin_drag(self, press: Press) -> None:
        self._drag_start = self._origin

    def drag(self, press: Press, position: QPointF) -> bool:
        self.is_fitted = False
        self._move_origin(self._drag_start + position - press.position)
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        turned = QPointF(event.angleDelta()) / WHEEL_NOTCH
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** turned.y(), event.position())
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not turned.x():
            turned = turned.transposed()
        size, pixels = self.viewport().size(), QPointF(event.pixelDelta())
        by_wheel = QPointF(turned.x() * size.width(), turned.y() * size.height()) * _WHEEL_SHARE
        self.scroll_by(by_wheel if pixels.isNull() else pixels)
        self.is_fitted = False

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        is_pinch = Qt.NativeGestureType.ZoomNativeGesture
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == is_pinch:
            self.zoom_by(1 + event.value(), event.position())
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fonts = DiagramFonts.of(self.font())
            if self.picture is not None:
                self.font_changed.emit()
        elif event.type() == QEvent.Type.PaletteChange and self.picture is not None:
            self.redrawn.emit()
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self.picture is not None:
            self._take_size(event.oldSize(), event.size())
            self.redrawn.emit()
            self.resized.emit()

    def _take_size(self, before: QSize, now: QSize) -> None:
        """Keep the middle, and the home if it was visible; a fitted diagram is fitted again."""
        if self.picture is None:
            return
        home = self.picture.home
        was_visible = QRectF(QPointF(), QSizeF(before)).contains(self.box_rect(home))
        if self.is_fitted:
            self.fit()
            return
        grown = now - before
        self.scroll_by(QPointF(grown.width(), grown.height()) / 2)
        self._fill()
        if was_visible:
            self._ensure_visible(self.box_rect(home), _MARGIN)


def _is_rest(item: BoxItem, line: int) -> bool:
    """Return whether a line stands for those that are left out."""
    return line >= 0 and item.box.lines[line].key < 0


def _clamped_center(center: float, start: float, end: float, visible: float) -> float:
    """Return the nearest middle of the visible range that shows no empty space at the ends."""
    if end - start <= visible:
        return (start + end) / 2
    return min(max(center, start + visible / 2), end - visible / 2)


def _way_inside(start: float, end: float, space: float) -> float:
    """Return how far a range moves to lie in a space, or to leave none of it empty if larger."""
    low, high = sorted((0.0, space - (end - start)))
    return min(max(start, low), high) - start
