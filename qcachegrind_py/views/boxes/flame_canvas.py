"""The canvas of a flame graph or icicle graph: one row for each depth, widths by cost.

It shows a range of the costs: all of them at first, a box's range after zooming, any range after
using the wheel. Ancestors of the zoomed box fill the whole width. `flame_painter` paints the boxes
of the frame tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, QSize, QSizeF, Qt, QVariantAnimation
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette, QWheelEvent
from PySide6.QtWidgets import QStyle

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.frames import FrameStyle
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.boxes.flame_painter import FlamePainter, FlameViewport
from qcachegrind_py.views.boxes.frame_canvas import FrameCanvas
from qcachegrind_py.views.boxes.map_layout import MapLayout
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH, ZOOM_STEP, Press

_ROW_HEIGHT_LINES = 1.5  # lines of text
_PAN_FRACTION = 1 / 12  # of the visible range, for one notch of the wheel
_ANIMATION_DURATION = 120  # ms
_MIN_RANGE_SHARE = 1e-12  # of all costs: the limit of float precision
_TOLERANCE = 1e-9  # of the visible range: smaller differences count as equal


@dataclass(frozen=True, slots=True)
class CostRange:
    """A visible range of costs."""

    left: float
    width: float  # above 0

    def interpolated(self, other: CostRange, share: float) -> CostRange:
        """Return the range at a share, from 0 to 1, of the way to another range."""
        if share >= 1:
            return other
        left = self.left + share * (other.left - self.left)
        return CostRange(left, self.width + share * (other.width - self.width))

    def clamped(self, total: float) -> CostRange:
        """Return the range moved inside 0 to `total`."""
        return CostRange(min(max(self.left, 0.0), total - self.width), self.width)

    def zoomed(self, share: float, width: float) -> CostRange:
        """Return a range of another width that keeps the cost at this share in place."""
        return CostRange(self.left + share * (self.width - width), width)

    def scrolled_to(self, start: float, width: float) -> CostRange:
        """Return the nearest range of this width that contains a box, or part of a wider box."""
        if width > self.width:
            is_seen = start < self.left + self.width and self.left < start + width
            return self if is_seen else CostRange(start, self.width)
        left = min(max(self.left, start + width - self.width), start)
        return CostRange(left, self.width)


class FlameCanvas(FrameCanvas):
    """A frame tree as rows, with box 0 on top, or at the bottom if the graph grows up.

    Ctrl+wheel zooms around the pointer; Shift+wheel or dragging moves the range.
    """

    def __init__(self, name: str, *, grows_up: bool = False) -> None:
        super().__init__(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grows_up = grows_up
        self._shown_tree: FrameTree | None = None
        self._painter: FlamePainter | None = None
        self._level_starts: list[int] = [0]  # first box of each depth, and the number of boxes
        self._row_height = 1  # pixels
        self._full_width, self._min_width = 1.0, 1.0  # limits of the range's width
        self._animation_start = self._range = self._target = CostRange(
            0.0, 1.0
        )  # start, present range and target of the animation; equal when it is idle
        self._drag_start = self._range, 0  # range and scroll value when the button was pressed
        self._animation = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_animation_step)

    def set_grows_up(self, grows_up: bool) -> None:
        """Set whether box 0 is at the bottom instead of on top."""
        if grows_up != self._grows_up:
            self._grows_up = grows_up
            self.lay_out()
            self._scroll_to_root()

    def set_boxes(
        self, tree: FrameTree, style: FrameStyle, layout: MapLayout | None = None
    ) -> None:
        self._shown_tree = None  # resets the range even if the tree is the same
        super().set_boxes(tree, style, layout)

    # ---------------------------------------------------------------- layout

    def lay_out(self) -> None:
        is_new = self.tree is not self._shown_tree
        if is_new:
            self._reset_range(self.tree)
        self._update_painter()
        self._row_height = round(_ROW_HEIGHT_LINES * self.fontMetrics().height())
        bar, visible_height = self.verticalScrollBar(), self.viewport().height()
        from_root = bar.maximum() - bar.value()  # kept if the graph grows up
        bar.setPageStep(visible_height)
        bar.setSingleStep(self._row_height)
        bar.setRange(0, max(0, self._content_height() - visible_height))
        if is_new:
            self._scroll_to_root()
        elif self._grows_up:
            bar.setValue(bar.maximum() - from_root)
        self.viewport().update()

    def _reset_range(self, tree: FrameTree | None) -> None:
        """Show the full range of a new tree."""
        self._animation.stop()
        self._shown_tree, self.press = tree, None
        self._level_starts, self._full_width, self._min_width = [0], 1.0, 1.0
        if tree is not None and len(tree):
            self._level_starts = np.searchsorted(
                tree.depth, np.arange(tree.level_count + 1)
            ).tolist()
            self._full_width = float(tree.width[0]) or 1.0
            min_width = float(tree.width[tree.width > 0].min(initial=self._full_width))
            self._min_width = max(min_width, self._full_width * _MIN_RANGE_SHARE)
        self._range = self._target = CostRange(0.0, self._full_width)

    def _update_painter(self) -> None:
        """Create a new painter if picture, palette or font have changed."""
        picture, old = self.picture, self._painter
        if picture is None:
            self._painter = None
            return
        palette, metrics = self.palette(), QFontMetricsF(self.font())
        if old is None or not old.is_current_for(picture, palette, metrics):
            self._painter = FlamePainter(picture, palette, metrics)

    def _content_height(self) -> int:
        """Return the height of all rows, in pixels."""
        return (len(self._level_starts) - 1) * self._row_height

    def _flame_viewport(self) -> FlameViewport:
        """Return the visible part of the graph."""
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

    def box_at(self, position: QPointF) -> int:
        frame = self._flame_viewport()
        if not (0 <= position.x() < frame.width and 0 <= position.y() < frame.height):
            return -1
        return self._box_at_depth(frame.depth_at(position.y()), frame.cost_at(position.x()))

    def _box_at_depth(self, depth: int, cost: float) -> int:
        """Return the box at a depth that covers a cost, or -1."""
        tree = self.tree
        if tree is None or not 0 <= depth < len(self._level_starts) - 1:
            return -1
        first, end = self._level_starts[depth], self._level_starts[depth + 1]
        box = first + int(np.searchsorted(tree.start[first:end], cost, "right")) - 1
        is_within = box >= first and cost < tree.start[box] + tree.width[box]
        return box if is_within else -1

    # ---------------------------------------------------------------- painting

    def paint_boxes(self, painter: QPainter) -> None:
        self._paint_rows(painter, self._flame_viewport())

    def picture_size(self) -> QSizeF:
        return QSizeF(self.viewport().width(), max(1, self._content_height()))

    def paint_picture(self, painter: QPainter) -> None:
        """Paint all rows of the range, including those scrolled out of view."""
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
        ancestors = self.tree.path(self.zoom_root)[:-1]
        self._painter.paint(painter, flame_viewport, rows, self.matches, ancestors)

    # ---------------------------------------------------------------- zooming and panning

    def zoom_to(self, box: int) -> None:
        tree = self.tree
        if tree is None or not 0 <= box < len(tree) or not tree.width[box] > 0:
            return
        self.zoom_root = box
        self._scroll_to_row(tree, box)
        self._animate_to(CostRange(float(tree.start[box]), float(tree.width[box])))
        self.current_changed.emit()

    def zoom_in(self) -> None:
        """Zoom to the current box, or around the middle if it fills the view already."""
        box, tree = self.keyboard_box(), self.tree
        if tree is not None and tree.width[box] < self._target.width * (1 - _TOLERANCE):
            self.zoom_to(box)
        else:
            self._zoom_around(self._flame_viewport().width / 2, ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out to the nearest ancestor that is wider than the visible range."""
        tree, box = self.tree, self.zoom_root
        if tree is None or not len(tree):
            return
        while box > 0 and tree.width[box] <= self._target.width * (1 + _TOLERANCE):
            box = int(tree.parent[box])
        self.zoom_to(box)

    def show_box(self, box: int) -> None:
        tree = self.tree
        if tree is None or self.press is not None:  # a clicked box stays under the pointer
            return
        self._scroll_to_row(tree, box)
        requested = self._target.scrolled_to(float(tree.start[box]), float(tree.width[box]))
        if requested != self._target:
            self.set_range(requested)

    def _scroll_to_row(self, tree: FrameTree, box: int) -> None:
        """Scroll just far enough to show the row of a box."""
        frame, bar = self._flame_viewport(), self.verticalScrollBar()
        top = frame.top(int(tree.depth[box]))
        below = top + frame.row_height - frame.height
        bar.setValue(bar.value() + (top if top < 0 else max(0, below)))

    def _scroll_to_root(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum() if self._grows_up else 0)

    def set_range(self, requested: CostRange) -> None:
        """Show a range of costs; the innermost box that covers it becomes the zoomed one."""
        if self.tree is None or not len(self.tree):
            return
        self._animation.stop()
        self._range = self._target = requested.clamped(self._full_width)
        self.viewport().update()
        zoomed = self._innermost_covering_box(self.tree)
        if zoomed != self.zoom_root:
            self.zoom_root = zoomed
            self.current_changed.emit()

    def _innermost_covering_box(self, tree: FrameTree) -> int:
        """Return the innermost box that covers the visible range."""
        left, width, innermost = self._range.left, self._range.width, 0
        for depth in range(1, len(self._level_starts) - 1):
            box = self._box_at_depth(depth, left + width / 2)
            start, end = tree.start[box], tree.start[box] + tree.width[box]
            slack = width * _TOLERANCE
            if box < 0 or start > left + slack or end < left + width - slack:
                break
            innermost = box
        return innermost

    def _animate_to(self, target: CostRange) -> None:
        """Move to a range with an animation."""
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
        """Return the current box, which may be an ancestor of the zoomed one, or the latter."""
        return self.current if self.current >= 0 else self.zoom_root

    def adjacent_box(self, box: int, key: int) -> int:
        """Return the adjacent box, upside down if the graph grows up.

        Boxes outside the visible range count as well.
        """
        tree = self.tree
        if tree is None:
            return box
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if (key == Qt.Key.Key_Up) != self._grows_up:
                return max(0, int(tree.parent[box]))
            children = tree.children_of(box)
            return children[0] if len(children) else box
        sibling = box + (1 if key == Qt.Key.Key_Right else -1)
        is_sibling = 0 < sibling < len(tree) and tree.parent[sibling] == tree.parent[box]
        return sibling if is_sibling else box

    def begin_drag(self, press: Press) -> None:
        self._drag_start = self._range, self.verticalScrollBar().value()

    def drag(self, press: Press, position: QPointF) -> bool:
        (range_, scrolled), moved = self._drag_start, position - press.position
        offset = moved.x() / self._flame_viewport().width * range_.width
        self.set_range(CostRange(range_.left - offset, range_.width))
        self.verticalScrollBar().setValue(round(scrolled - moved.y()))
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        angle, modifiers = event.angleDelta(), event.modifiers()
        is_shifted = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self._zoom_around(event.position().x(), ZOOM_STEP ** (angle.y() / WHEEL_NOTCH))
        elif is_shifted or abs(angle.x()) > abs(angle.y()):
            notches = (angle.x() or angle.y()) / WHEEL_NOTCH
            left = self._target.left - notches * _PAN_FRACTION * self._target.width
            self.set_range(CostRange(left, self._target.width))
        else:
            super().wheelEvent(event)

    def _zoom_around(self, x: float, factor: float) -> None:
        """Zoom by a factor and keep the cost at viewport position `x` in place."""
        width = min(max(self._target.width / factor, self._min_width), self._full_width)
        self.set_range(self._target.zoomed(x / self._flame_viewport().width, width))
