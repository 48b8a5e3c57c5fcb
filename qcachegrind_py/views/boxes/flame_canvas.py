"""A flame graph, or an icicle: a row a depth, and each box as wide as its cost.

A range of the costs is in sight: all at first, a box's after zooming, any after the wheel. What is
around the zoomed box has the whole width. Which boxes there are, the nesting knows; how they are
drawn, `flame_painting`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, QSize, QSizeF, Qt, QVariantAnimation
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication, QStyle

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.boxes.base_canvas import BoxCanvas
from qcachegrind_py.views.boxes.flame_painter import FlamePainter, FlameViewport
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.picture_canvas import WHEEL_NOTCH, ZOOM_STEP

_ROW_HEIGHT_LINES = 1.5  # of text
_PAN_FRACTION = 1 / 12  # of what is in sight, a notch
_ANIMATION_DURATION = 120  # milliseconds
_MIN_RANGE_SHARE = 1e-12  # of all costs: floats can tell no less
_TOLERANCE = 1e-9  # of what is in sight: as good as equal


@dataclass(frozen=True, slots=True)
class CostRange:
    """Costs from a left edge on."""

    left: float
    width: float  # above 0

    def interpolated(self, other: CostRange, share: float) -> CostRange:
        """So far on the way to another."""
        if share >= 1:
            return other
        left = self.left + share * (other.left - self.left)
        return CostRange(left, self.width + share * (other.width - self.width))

    def clamped(self, total: float) -> CostRange:
        """Of the same width, and not beyond the edges of the whole."""
        return CostRange(min(max(self.left, 0.0), total - self.width), self.width)

    def zoomed(self, share: float, width: float) -> CostRange:
        """Of another width; the cost at a share of the way stays there."""
        return CostRange(self.left + share * (self.width - width), width)

    def scrolled_to(self, start: float, width: float) -> CostRange:
        """The nearest one in which a box is whole; of one too wide for that, some is enough."""
        if width > self.width:
            is_seen = start < self.left + self.width and self.left < start + width
            return self if is_seen else CostRange(start, self.width)
        left = min(max(self.left, start + width - self.width), start)
        return CostRange(left, self.width)


@dataclass(slots=True)
class _Press:
    """The mouse button is down, and this was there and in sight."""

    position: QPointF
    box: int
    cost_range: CostRange
    scroll_value: int
    is_drag: bool = False


class FlameCanvas(BoxCanvas):
    """Shows one nesting as rows: box 0 on top, or at the bottom where the graph grows up.

    Ctrl and the wheel zoom around the mouse; Shift and the wheel, or dragging, move the range.
    """

    def __init__(self, name: str, *, grows_up: bool = False) -> None:
        super().__init__(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grows_up = grows_up
        self._shown_tree: FrameTree | None = None
        self._painter: FlamePainter | None = None
        self._level_starts: list[int] = [0]  # where the boxes of each depth begin, and all end
        self._row_height = 1  # pixels
        self._full_width, self._min_width = 1.0, 1.0  # how wide the range can be
        self._animation_start = self._range = self._target = CostRange(
            0.0, 1.0
        )  # of a glide, or all the same
        self._press: _Press | None = None
        self._animation = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_animation_step)

    def set_grows_up(self, grows_up: bool) -> None:
        """Put box 0 at the bottom, or on top."""
        if grows_up != self._grows_up:
            self._grows_up = grows_up
            self.lay_out()
            self._scroll_to_root()

    def set_boxes(self, nesting: FrameTree, look: BoxStyle) -> None:
        self._shown_tree = None  # even the same boxes: all are in sight again
        super().set_boxes(nesting, look)

    # ---------------------------------------------------------------- where boxes are

    def lay_out(self) -> None:
        is_new = self.tree is not self._shown_tree
        if is_new:
            self._reset_range(self.tree)
        self._update_painter()
        self._row_height = round(_ROW_HEIGHT_LINES * self.fontMetrics().height())
        bar, seen = self.verticalScrollBar(), self.viewport().height()
        from_root = bar.maximum() - bar.value()  # where it grows up
        bar.setPageStep(seen)
        bar.setSingleStep(self._row_height)
        bar.setRange(0, max(0, self._content_height() - seen))
        if is_new:
            self._scroll_to_root()
        elif self._grows_up:
            bar.setValue(bar.maximum() - from_root)
        self.viewport().update()

    def _reset_range(self, nesting: FrameTree | None) -> None:
        """Other boxes: all of them are in sight."""
        self._animation.stop()
        self._shown_tree, self._press = nesting, None
        self._level_starts, self._full_width, self._min_width = [0], 1.0, 1.0
        if nesting is not None and len(nesting):
            self._level_starts = np.searchsorted(
                nesting.depth, np.arange(nesting.level_count + 1)
            ).tolist()
            self._full_width = float(nesting.width[0]) or 1.0
            least = float(nesting.width[nesting.width > 0].min(initial=self._full_width))
            self._min_width = max(least, self._full_width * _MIN_RANGE_SHARE)
        self._range = self._target = CostRange(0.0, self._full_width)

    def _update_painter(self) -> None:
        """Forget texts and colours, if something of them is another."""
        nesting, look, old = self.tree, self.box_style, self._painter
        if nesting is None or look is None:
            self._painter = None
            return
        palette, metrics = self.palette(), QFontMetricsF(self.font())
        if old is None or not old.is_current_for(nesting, look, palette, metrics):
            self._painter = FlamePainter(nesting, look, palette, metrics)

    def _content_height(self) -> int:
        """How high all rows are."""
        return (len(self._level_starts) - 1) * self._row_height

    def _flame_viewport(self) -> FlameViewport:
        """What the viewport shows of the graph."""
        size, scrolled = self.viewport().size(), self.verticalScrollBar().value()
        root = max(self._content_height(), size.height()) if self._grows_up else 0
        return self._create_viewport(size, root - scrolled)

    def _create_viewport(self, size: QSize, root: int) -> FlameViewport:
        range_, width = self._range, max(1, size.width())
        scale = width / range_.width
        return FlameViewport(
            range_.left, scale, width, size.height(), self._row_height, root, self._grows_up
        )

    def box_rect(self, box: int) -> QRectF:
        if self.tree is None or not 0 <= box < len(self.tree):
            return QRectF()
        frame = self._flame_viewport()
        return frame.box_rect(self.tree, box).intersected(QRectF(0, 0, frame.width, frame.height))

    def visible_boxes(self, boxes: Int64Array) -> Int64Array:
        return (
            boxes if self.tree is None else self._flame_viewport().visible_boxes(self.tree, boxes)
        )

    def box_at(self, place: QPointF) -> int:
        frame = self._flame_viewport()
        if not (0 <= place.x() < frame.width and 0 <= place.y() < frame.height):
            return -1
        return self._box_at_depth(frame.depth_at(place.y()), frame.cost_at(place.x()))

    def _box_at_depth(self, depth: int, cost: float) -> int:
        """The box of that depth that covers a cost; -1 for none."""
        nesting = self.tree
        if nesting is None or not 0 <= depth < len(self._level_starts) - 1:
            return -1
        first, end = self._level_starts[depth], self._level_starts[depth + 1]
        box = first + int(np.searchsorted(nesting.start[first:end], cost, "right")) - 1
        is_within = box >= first and cost < nesting.start[box] + nesting.width[box]
        return box if is_within else -1

    # ---------------------------------------------------------------- painting

    def paint_boxes(self, painter: QPainter) -> None:
        self._paint_rows(painter, self._flame_viewport())

    def picture_size(self) -> QSizeF:
        return QSizeF(self.viewport().width(), max(1, self._content_height()))

    def paint_picture(self, painter: QPainter) -> None:
        """Draw all rows of the range, those that are not scrolled to, too."""
        size = self.picture_size().toSize()
        frame = self._create_viewport(size, size.height() if self._grows_up else 0)
        base = self.palette().color(QPalette.ColorRole.Base)
        painter.fillRect(0, 0, frame.width, frame.height, base)
        painter.setFont(self.font())
        self._paint_rows(painter, frame)

    def _paint_rows(self, painter: QPainter, flame_viewport: FlameViewport) -> None:
        depths = flame_viewport.visible_depths(len(self._level_starts) - 1)
        if self._painter is None or self.tree is None or not depths:
            return
        rows = slice(self._level_starts[depths.start], self._level_starts[depths.stop])
        around = self.tree.path(self.zoom_root)[:-1]
        self._painter.paint(painter, flame_viewport, rows, self.matches, around)

    # ---------------------------------------------------------------- zooming and moving

    def zoom_to(self, box: int) -> None:
        nesting = self.tree
        if nesting is None or not 0 <= box < len(nesting) or not nesting.width[box] > 0:
            return
        self.zoom_root = box
        self._scroll_to_row(nesting, box)
        self._animate_to(CostRange(float(nesting.start[box]), float(nesting.width[box])))
        self.current_changed.emit()

    def zoom_out(self) -> None:
        """Let the next box around have the room that is wider than what is in sight."""
        nesting, box = self.tree, self.zoom_root
        if nesting is None or not len(nesting):
            return
        while box > 0 and nesting.width[box] <= self._target.width * (1 + _TOLERANCE):
            box = int(nesting.parent[box])
        self.zoom_to(box)

    def show_box(self, box: int) -> None:
        nesting = self.tree
        if nesting is None or self._press is not None:  # what the mouse is on stays under it
            return
        self._scroll_to_row(nesting, box)
        wanted = self._target.scrolled_to(float(nesting.start[box]), float(nesting.width[box]))
        if wanted != self._target:
            self.set_range(wanted)

    def _scroll_to_row(self, nesting: FrameTree, box: int) -> None:
        """Scroll until the row of a box is in sight, and no further."""
        frame, bar = self._flame_viewport(), self.verticalScrollBar()
        top = frame.top(int(nesting.depth[box]))
        below = top + frame.row_height - frame.height
        bar.setValue(bar.value() + (top if top < 0 else max(0, below)))

    def _scroll_to_root(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum() if self._grows_up else 0)

    def set_range(self, requested: CostRange) -> None:
        """Show these costs; the innermost box that covers them becomes the zoomed one."""
        if self.tree is None or not len(self.tree):
            return
        self._animation.stop()
        self._range = self._target = requested.clamped(self._full_width)
        self.viewport().update()
        zoomed = self._innermost_covering_box(self.tree)
        if zoomed != self.zoom_root:
            self.zoom_root = zoomed
            self.current_changed.emit()

    def _innermost_covering_box(self, nesting: FrameTree) -> int:
        """The innermost box that covers all that is in sight."""
        left, width, found = self._range.left, self._range.width, 0
        for depth in range(1, len(self._level_starts) - 1):
            box = self._box_at_depth(depth, left + width / 2)
            start, end = nesting.start[box], nesting.start[box] + nesting.width[box]
            slack = width * _TOLERANCE
            if box < 0 or start > left + slack or end < left + width - slack:
                break
            found = box
        return found

    def _animate_to(self, target: CostRange) -> None:
        """Show these costs, slowly enough for the eye to follow."""
        self._animation.stop()
        self._animation_start, self._target = self._range, target
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        time = min(_ANIMATION_DURATION, self.style().styleHint(hint, None, self))
        if time > 0 and self.isVisible():
            self._animation.setDuration(time)
            self._animation.start()
        else:
            self._on_animation_step(1.0)

    def _on_animation_step(self, share: float) -> None:
        self._range = self._animation_start.interpolated(self._target, share)
        self.viewport().update()

    # ---------------------------------------------------------------- mouse and keyboard

    def keyboard_box(self) -> int:
        """The current box may be around the zoomed one: that is in sight here."""
        return self.current if self.current >= 0 else self.zoom_root

    def adjacent_box(self, box: int, key: int) -> int:
        """As in other pictures, upside down where this is; what is out of sight is shown."""
        nesting = self.tree
        if nesting is None:
            return box
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if (key == Qt.Key.Key_Up) != self._grows_up:
                return max(0, int(nesting.parent[box]))
            children = nesting.children_of(box)
            return children[0] if len(children) else box
        beside = box + (1 if key == Qt.Key.Key_Right else -1)
        is_sibling = 0 < beside < len(nesting) and nesting.parent[beside] == nesting.parent[box]
        return beside if is_sibling else box

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            place, scrolled = event.position(), self.verticalScrollBar().value()
            self._press = _Press(place, self.box_at(place), self._range, scrolled)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        press = self._press
        if press is None:
            return
        moved = event.position() - press.position
        if moved.manhattanLength() >= QApplication.startDragDistance():
            press.is_drag = True
        if press.is_drag:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            width = press.cost_range.width
            by = moved.x() / self._flame_viewport().width * width
            self.set_range(CostRange(press.cost_range.left - by, width))
            self.verticalScrollBar().setValue(round(press.scroll_value - moved.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._press is not None and not self._press.is_drag:
            self.set_current(self._press.box)
        self._press = None
        self.viewport().unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        turned, keys = event.angleDelta(), event.modifiers()
        is_shifted = bool(keys & Qt.KeyboardModifier.ShiftModifier)
        if keys & Qt.KeyboardModifier.ControlModifier:
            self._zoom_around(event.position().x(), ZOOM_STEP ** (turned.y() / WHEEL_NOTCH))
        elif is_shifted or abs(turned.x()) > abs(turned.y()):
            notches = (turned.x() or turned.y()) / WHEEL_NOTCH
            left = self._target.left - notches * _PAN_FRACTION * self._target.width
            self.set_range(CostRange(left, self._target.width))
        else:
            super().wheelEvent(event)

    def _zoom_around(self, x: float, factor: float) -> None:
        """Show less, or more; the cost under the mouse stays there."""
        width = min(max(self._target.width / factor, self._min_width), self._full_width)
        self.set_range(self._target.zoomed(x / self._flame_viewport().width, width))
