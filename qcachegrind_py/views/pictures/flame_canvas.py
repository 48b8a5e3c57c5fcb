"""The canvas of a flame graph or icicle graph: one row for each depth, widths by cost.

After zooming, ancestors of the zoomed box fill the whole width.
"""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import repeat

import numpy as np
from PySide6.QtCore import (
    QEasingCurve,
    QLineF,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QVariantAnimation,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QStyle

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.call_map import MapLayout
from qcachegrind_py.present.flame_graph import (
    TOLERANCE,
    CostRange,
    FlameRows,
    FlameViewport,
    PaintedBoxes,
)
from qcachegrind_py.present.frames import (
    IS_AROUND,
    IS_ESTIMATE,
    IS_FADED,
    NO_FRAMES,
    Frames,
    FrameStyle,
)
from qcachegrind_py.present.picture import Spot, Step
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.pictures.box_canvas import (
    MERGED,
    MERGED_FADED,
    BoxCanvas,
    BoxColors,
)
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH, ZOOM_STEP, Press

_ROW_HEIGHT_LINES = 1.5  # lines of text
_PAN_FRACTION = 1 / 12  # of the visible range, for one notch of the wheel
_ZOOM_INTO_SLIVERS = 10  # zoom factor of a click on slivers that fill the view
_ANIMATION_DURATION = 120  # ms


class FlameCanvas(BoxCanvas):
    """A frame tree as rows, with box 0 on top, or at the bottom if the graph grows up.

    Ctrl+wheel zooms around the pointer; Shift+wheel or dragging moves the range.
    """

    def __init__(self, name: str, *, grows_up: bool = False) -> None:
        super().__init__(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grows_up = grows_up
        self._shown_tree: FrameTree | None = None
        self._painter: FlamePainter | None = None
        self._rows = FlameRows(NO_FRAMES)
        self._seen: tuple[FlameViewport, PaintedBoxes] | None = None  # what was painted last
        self._row_height = 1  # pixels
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
        self._animation.stop()
        self._shown_tree, self.press, self._seen = tree, None, None
        self._rows = FlameRows(NO_FRAMES if tree is None else tree)
        self._range = self._target = CostRange(0.0, self._rows.full_width)

    def _update_painter(self) -> None:
        if self.picture is None:
            self._painter = None
            return
        colors, metrics = self.colors_of(self.picture), QFontMetricsF(self.font())
        if self._painter is None or not self._painter.is_for(colors, metrics):
            self._painter = FlamePainter(self.picture, colors, metrics)

    def _content_height(self) -> int:
        return len(self._rows) * self._row_height

    def _flame_viewport(self) -> FlameViewport:
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
        frame, painted = self._flame_viewport(), self._painted_boxes()
        place = painted.of(box)
        if place >= 0 and painted.is_merged[place]:
            return self._painted_rect(painted, place)
        area = QRectF(*frame.box_area(self.tree, box))
        return area.intersected(QRectF(0, 0, frame.width, frame.height))

    def _painted_rect(self, painted: PaintedBoxes, place: int) -> QRectF:
        left, top, width = (int(each[place]) for each in (painted.left, painted.top, painted.width))
        return QRectF(left, top, width, self._row_height)

    def _painted_boxes(self) -> PaintedBoxes:
        """Return what is painted in the viewport."""
        frame, rows = self._flame_viewport(), self._rows
        if self._seen is None or self._seen[0] != frame:
            boxes = rows.boxes(frame.visible_depths(len(rows)))
            self._seen = frame, frame.painted_boxes(rows.tree, boxes)
        return self._seen[1]

    def spot_at(self, position: QPointF) -> Spot:
        """Return the box at a position, or the slivers that are painted there as one."""
        frame, painted = self._flame_viewport(), self._painted_boxes()
        box, top = self.box_at(position), frame.top(frame.depth_at(position.y()))
        is_inside = 0 <= position.x() < frame.width and 0 <= position.y() < frame.height
        place = painted.of(box) if box >= 0 else -1
        if place < 0 and is_inside:
            place = painted.at(position.x(), top)
        if place >= 0 and painted.is_merged[place]:
            return Spot(merged=(int(painted.first[place]), int(painted.end[place])))
        return Spot(box)

    def spot_rect(self, spot: Spot) -> QRectF:
        return self.box_rect(spot.box if spot.merged is None else spot.merged[0])

    @property
    def read_around(self) -> int:
        """A tip leaves the callers and the callees of a box uncovered."""
        return self._row_height

    def click(self, position: QPointF, spot: Spot) -> None:
        """Zoom to slivers that are painted as one; if they fill the view, around the pointer."""
        if spot.merged is None or self.tree is None:
            super().click(position, spot)
            return
        first, last = spot.merged[0], spot.merged[1] - 1
        start, end = self.tree.start[first], self.tree.start[last] + self.tree.width[last]
        requested = CostRange(float(start), float(end - start))
        if requested.width > self._target.width / 2:
            share, width = position.x() / self._flame_viewport().width, self._target.width
            requested = self._target.zoomed(share, width / _ZOOM_INTO_SLIVERS)
        self._zoomed_before.append(self.zoom_root)
        self._zoom_to_range(requested.clamped(self._rows.full_width))

    def visible_boxes(self, boxes: Int64Array) -> Int64Array:
        return (
            boxes if self.tree is None else self._flame_viewport().visible_boxes(self.tree, boxes)
        )

    def box_at(self, position: QPointF) -> int:
        frame = self._flame_viewport()
        if not (0 <= position.x() < frame.width and 0 <= position.y() < frame.height):
            return -1
        return self._rows.box_at(frame.depth_at(position.y()), frame.cost_at(position.x()))

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
        depths = flame_viewport.visible_depths(len(self._rows))
        if self._painter is None or self.tree is None or not depths:
            return
        ancestors = self.tree.path(self.zoom_root)[:-1]
        if flame_viewport == self._flame_viewport():
            boxes = self._painted_boxes()
        else:
            boxes = flame_viewport.painted_boxes(self.tree, self._rows.boxes(depths))
        self._painter.paint(painter, boxes, self._row_height - _GAP, self.matches, ancestors)

    # ---------------------------------------------------------------- zooming and panning

    def zoom_to(self, box: int) -> None:
        tree = self.tree
        if tree is None or not 0 <= box < len(tree) or not tree.width[box] > 0:
            return
        self._scroll_to_row(tree, box)
        self._zoom_to_range(CostRange(float(tree.start[box]), float(tree.width[box])), box)

    def _zoom_to_range(self, requested: CostRange, root: int = -1) -> None:
        self.zoom_root = root if root >= 0 else self._rows.innermost_box(requested)
        self._animate_to(requested)
        self.current_changed.emit()

    def zoom_in(self) -> None:
        """Zoom to the current box, or around the middle if it fills the view already."""
        box, tree = self.keyboard_box(), self.tree
        if tree is not None and tree.width[box] < self._target.width * (1 - TOLERANCE):
            self.zoom_to(box)
        else:
            self._zoom_around(self._flame_viewport().width / 2, ZOOM_STEP)

    @property
    def is_zoomed(self) -> bool:
        return self._target.width < self._rows.full_width * (1 - TOLERANCE)

    def zoom_out_one(self) -> None:
        tree, box = self.tree, self.zoom_root
        if tree is None or not len(tree):
            return
        while box > 0 and tree.width[box] <= self._target.width * (1 + TOLERANCE):
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
        self._range = self._target = requested.clamped(self._rows.full_width)
        self.viewport().update()
        zoomed = self._rows.innermost_box(self._range)
        if zoomed != self.zoom_root:
            self.zoom_root = zoomed
            self.current_changed.emit()

    def _animate_to(self, target: CostRange) -> None:
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

    def adjacent_box(self, picture: Frames, box: int, step: Step) -> int:
        """Return the adjacent box, upside down if the graph grows up.

        Boxes outside the visible range count as well.
        """
        if self._grows_up:
            step = {Step.BACK: Step.AHEAD, Step.AHEAD: Step.BACK}.get(step, step)
        return picture.next_box(box, step)

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
        width = min(max(self._target.width / factor, self._rows.min_width), self._rows.full_width)
        self.set_range(self._target.zoomed(x / self._flame_viewport().width, width))


# -------------------------------------------------------------------- painting

_GAP = 1  # pixels between rows, and behind boxes that are wide enough: their outlines
_MIN_WIDTH_WITH_GAP = 3  # pixels
_LEAST_MERGED = 2  # pixels of slivers that are painted as one
_PADDING = 4  # pixels left and right of a label
_MIN_LABEL_DIGITS = 3  # minimum width of a label
_COST_SEPARATOR = "\N{EN SPACE}"
_UNDERLINE_OPACITY = 0.6
_UNDERLINE_DASHES = [1.0, 2.0]  # dots and gaps
_MAX_LABELS = 20_000
_NET_HEIGHT = 3  # pixels of the line that tells the net change


class FlamePainter:
    """Paints the boxes of one picture; texts and colours are cached."""

    def __init__(self, picture: Frames, colors: BoxColors, metrics: QFontMetricsF) -> None:
        self._picture, self._tree = picture, picture.tree
        self._metrics, self._colors = metrics, colors
        self._texts: dict[int, tuple[str, float, str, float]] = {}
        self._labels: dict[tuple[int, int], str] = {}  # by box and width in pixels

    def is_for(self, colors: BoxColors, metrics: QFontMetricsF) -> bool:
        return self._colors is colors and self._metrics == metrics

    def paint(
        self,
        painter: QPainter,
        painted: PaintedBoxes,
        height: int,
        matches: BoolArray | None,
        ancestors: list[int],
    ) -> None:
        """Paint boxes, which are so many pixels high.

        `matches` is a mask of nodes, or None without a search; `ancestors` of the zoomed box are
        greyed.
        """
        keys = self._picture.color_keys(matches)
        keys[ancestors] += IS_AROUND
        is_bright = painted.any_of(keys & IS_FADED == 0)
        of_merged = np.where(is_bright, MERGED, MERGED_FADED)
        key = np.where(painted.is_merged, of_merged, keys[painted.first])
        width = painted.width - _GAP * (painted.width >= _MIN_WIDTH_WITH_GAP)
        boxes = np.stack((painted.first, painted.left, painted.top, width, key))
        # a sliver by itself is a line, and a large program has a rain of these
        is_line = painted.is_merged & (painted.width < _LEAST_MERGED)
        if matches is not None:
            is_line &= ~is_bright  # what is searched for is seen
        boxes, painted_ends = boxes[:, ~is_line], painted.end[~is_line]
        is_merged = painted.is_merged[~is_line]
        _, x, y, width, key = boxes.tolist()
        fills = map(self._colors.__getitem__, key)
        filling = map(painter.fillRect, x, y, width, repeat(height), fills)
        deque(filling, maxlen=0)  # a loop written out takes a fifth longer
        min_width = 2 * _PADDING + _MIN_LABEL_DIGITS * self._metrics.horizontalAdvance("0")
        is_wide = boxes[3] >= min_width
        self._paint_merged_labels(painter, boxes, painted_ends, is_wide & is_merged, height)
        wide = boxes[:, is_wide & ~is_merged]
        self._paint_net_changes(painter, wide[:, wide[4] & (IS_ESTIMATE | IS_FADED) == 0], height)
        self._underline_estimates(painter, wide[:, wide[4] & IS_ESTIMATE > 0], height)
        self._paint_labels(painter, wide, height)

    def _underline_estimates(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Paint dotted lines under the labels of estimates, which need no colour vision."""
        lines = defaultdict(list)
        for _, x, y, width, key in zip(*boxes.tolist(), strict=True):
            line_y = y + height - 1.5
            line = QLineF(x + _PADDING, line_y, x + width - _PADDING, line_y)
            lines[self._colors.ink(key).rgb()].append(line)
        for rgb, rgb_lines in lines.items():
            color = QColor(rgb)
            color.setAlphaF(_UNDERLINE_OPACITY)
            pen = QPen(color, 1)
            pen.setDashPattern(_UNDERLINE_DASHES)
            painter.setPen(pen)
            painter.drawLines(rgb_lines)

    def _paint_net_changes(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        """Paint a line along the bottom that is as long as the net change, where widths are."""
        net = self._tree.net
        if net is None:
            return
        for box, x, y, width, key in zip(*boxes.tolist(), strict=True):
            color = self._colors.net_color(key)
            length = round(width * float(net[box]))
            if color is not None and length:
                painter.fillRect(x, y + height - _NET_HEIGHT, length, _NET_HEIGHT, color)

    def _paint_merged_labels(
        self, painter: QPainter, boxes: Int64Array, ends: Int64Array, wide: BoolArray, height: int
    ) -> None:
        """Say how many functions a grey box is of, and their cost if there is room."""
        picture, base = self._picture, self._base_line(height)
        for (box, x, y, width, key), end in zip(
            boxes[:, wide].T.tolist(), ends[wide].tolist(), strict=True
        ):
            name, room = picture.merged_label(box, end), width - 2 * _PADDING
            full = f"{name}{_COST_SEPARATOR}{picture.merged_cost(box, end)}"
            text = full if self._metrics.horizontalAdvance(full) <= room else name
            if self._metrics.horizontalAdvance(text) <= room:
                painter.setPen(self._colors.ink(key))
                painter.drawText(QPointF(x + _PADDING, y + base), text)

    def _base_line(self, height: int) -> int:
        return round((height - self._metrics.height()) / 2 + self._metrics.ascent())

    def _paint_labels(self, painter: QPainter, boxes: Int64Array, height: int) -> None:
        base = self._base_line(height)
        for box, x, y, width, key in zip(*boxes.tolist(), strict=True):
            painter.setPen(self._colors.ink(key))
            label = self._label(box, width - 2 * _PADDING)
            painter.drawText(QPointF(x + _PADDING, y + base), label)

    def _label(self, box: int, width: int) -> str:
        """Return the name, with the cost if both fit into `width` pixels."""
        label = self._labels.get((box, width))
        if label is None:
            if len(self._labels) > _MAX_LABELS:
                self._labels.clear()
            label = self._labels[box, width] = self._create_label(box, width)
        return label

    def _create_label(self, box: int, width: int) -> str:
        name, name_width, full, full_width = self._label_texts(box)
        if full_width <= width:
            return full
        if name_width <= width:
            return name
        return fitted_name(name, lambda text: self._metrics.horizontalAdvance(text) <= width).text

    def _label_texts(self, box: int) -> tuple[str, float, str, float]:
        """Return the name and the name with cost, each followed by its width in pixels."""
        text = self._texts.get(box)
        if text is None:
            name = self._picture.label(box)
            whole_name = self._picture.name(box)
            full = f"{whole_name}{_COST_SEPARATOR}{self._picture.cost(box)}"
            widths = self._metrics.horizontalAdvance(name), self._metrics.horizontalAdvance(full)
            text = self._texts[box] = (name, widths[0], full, widths[1])
        return text
