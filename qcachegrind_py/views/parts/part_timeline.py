"""The timeline: a lane for each thread, and in it a bar for each part, as wide as its cost.

This module imports pyqtgraph, which takes 0.3 s, so import it when the timeline is first shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QGraphicsRectItem,
    QHBoxLayout,
    QScrollBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.parts import Lanes
from qcachegrind_py.present.picture import Detail
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.parts.bar_content import BarContent, share_levels
from qcachegrind_py.views.pictures.detail_line import DetailLine
from qcachegrind_py.views.pictures.plot_area import Plot, PlotArea, thin_pen
from qcachegrind_py.views.widgets.grid import grid


class LanesArea(PlotArea):
    """Lanes of bars; lane n is between n and n + 1 from the top. Dragging chooses bars."""

    drag_moved = Signal(QPointF, QPointF)
    drag_finished = Signal(QPointF, QPointF)

    def __init__(self) -> None:
        super().__init__(invertY=True)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        signal = self.drag_finished if event.isFinish() else self.drag_moved
        signal.emit(self.point_at(event.buttonDownPos()), self.point_at(event.pos()))


BAR_HEIGHT = 0.86  # lanes are 1 apart
_INACTIVE_ALPHA = 90  # of 255
_GAP = 1.0  # pixels between bars wide enough for one
_MIN_WIDTH = 1.0  # pixels
_Bounds = tuple[int, int]


@frozen(eq=True)
class Viewport:
    """The visible lanes, first and last, the visible span, and the width of a pixel in it."""

    lanes: _Bounds
    span: tuple[float, float]
    pixel: float


def bar_items(lanes: Lanes, content: BarContent, viewport: Viewport) -> list[pg.BarGraphItem]:
    """Return the bars to be seen, one item for each colour, so that Qt draws them in one call.

    Parts under a pixel share a bar, which is divided as they are together.
    """
    rows = lanes.rows_in(viewport.lanes, viewport.span)
    begins = lanes.merged(rows, viewport.pixel)
    if not len(begins):
        return []
    parts = lanes.part[rows]
    total = np.add.reduceat(content.total[parts], begins)
    edges = _edges(lanes, rows, begins, viewport.pixel)
    is_active = np.logical_or.reduceat(content.is_active[parts], begins)
    costs = [np.add.reduceat(share.height[parts], begins) for share in content.shares]
    levels = share_levels(np.array(costs).reshape(len(costs), len(begins)), total)
    colors = [*(share.color for share in content.shares), content.rest]
    bottom = lanes.lane[rows[begins]].astype(np.float64) + (1 + BAR_HEIGHT) / 2
    return [
        item
        for color, lower, upper in zip(colors, levels[:-1], levels[1:], strict=True)
        for item in _layer(edges, bottom, (lower, upper), is_active, color)
    ]


def _edges(
    lanes: Lanes, rows: Int64Array, begins: Int64Array, pixel: float
) -> tuple[Float64Array, Float64Array]:
    """Return the left and right edges of the bars, with gaps between them that can be seen."""
    left = lanes.left[rows[begins]]
    right = np.maximum.reduceat(lanes.right[rows], begins)
    gap = np.where(right - left > 4 * _GAP * pixel, _GAP * pixel, 0)
    return left, np.maximum(right - gap, left + _MIN_WIDTH * pixel)


def _layer(
    edges: tuple[Float64Array, Float64Array],
    bottom: Float64Array,
    levels: tuple[Float64Array, Float64Array],
    is_active: BoolArray,
    color: QColor,
) -> list[pg.BarGraphItem]:
    """Return the bars of one share: those of active parts, and faint those of the others."""
    lower, upper = levels
    faint = QColor(color)
    faint.setAlpha(_INACTIVE_ALPHA)
    is_seen = upper > lower
    return [
        pg.BarGraphItem(
            x0=edges[0][chosen],
            x1=edges[1][chosen],
            y0=bottom[chosen] - BAR_HEIGHT * lower[chosen],
            y1=bottom[chosen] - BAR_HEIGHT * upper[chosen],
            brush=brush,
            pen=None,
        )
        for chosen, brush in ((is_seen & is_active, color), (is_seen & ~is_active, faint))
        if chosen.any()
    ]


_NO_BAR = "Each bar is a part, as wide as its cost. Point at one to see its name and cost."
_MIN_LANE = 0.9  # minimum height of a lane in lines of text
_REACH = 3  # pixels from a narrow bar that still point at it
_REGION_ALPHA = 60  # of 255


class PartTimeline(QWidget):
    """Bars of parts. A click chooses one, Ctrl+click adds one, dragging chooses several."""

    parts_selected = Signal(object)  # list[PartId]: the parts to make active; empty for all
    share_activated = Signal(int)  # double click on a share of a bar
    menu_requested = Signal(object, QPoint)  # PartId or None, and where on the screen

    def __init__(
        self, describe: Callable[[PartId, int | None], Detail], options: QToolButton
    ) -> None:
        """`describe` says what a part is, or one of the shares that its bar is divided into.

        `options` is the button that chooses these shares.
        """
        super().__init__()
        self._describe = describe
        self._area = LanesArea()
        self._plot = Plot(viewBox=self._area)
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.setAccessibleName("Timeline of parts")
        self._scroll_bar = QScrollBar(Qt.Orientation.Vertical)
        self._scroll_bar.valueChanged.connect(lambda _: self._show_lanes())
        self.detail_line = DetailLine(_NO_BAR)
        self._region, self._outline = QGraphicsRectItem(), QGraphicsRectItem()
        for item in (self._region, self._outline):
            self._area.addItem(item, ignoreBounds=True)
            item.setZValue(10)
            item.hide()
        self._lanes: Lanes | None = None
        self._content: BarContent | None = None
        self._bars: list[pg.BarGraphItem] = []
        self._drawn: Viewport | None = None
        self._arrange(options)
        self._area.drag_moved.connect(self._show_region)
        self._area.drag_finished.connect(self._select_region)
        self._area.clicked.connect(self._select_at)
        self._area.double_clicked.connect(self._activate_at)
        self._area.menu_requested.connect(
            lambda position, screen: self.menu_requested.emit(self._part_at(position), screen)
        )
        self._area.hovered.connect(self._point_at)
        self._area.sigResized.connect(lambda *_: self._show_lanes())
        self._area.sigXRangeChanged.connect(lambda *_: self._update_bars())

    def _arrange(self, options: QToolButton) -> None:
        plot, below, column = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        for layout in (plot, below, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        below.setContentsMargins(0, 0, grid(0.5), 0)
        plot.addWidget(self._plot, 1)
        plot.addWidget(self._scroll_bar)
        below.addWidget(self.detail_line, 1)
        below.addWidget(options)
        column.addLayout(plot, 1)
        column.addLayout(below)

    # ---------------------------------------------------------------- content

    def set_parts(self, lanes: Lanes, content: BarContent) -> None:
        is_other = self._lanes is None or not _are_alike(lanes, self._lanes)
        self._lanes, self._content = lanes, content
        self._outline.hide()
        left = self._plot.getPlotItem().getAxis("left")
        left.setTicks([[(lane + 0.5, title) for lane, title in enumerate(lanes.titles)]])
        self._plot.getPlotItem().showAxis("left", len(lanes.titles) > 1)
        if is_other:
            self._area.setLimits(xMin=-0.02 * lanes.width, xMax=1.02 * lanes.width)
            self._area.setRange(xRange=(0, lanes.width), padding=0.01)
        self._apply_palette()
        self._show_lanes()

    def _apply_palette(self) -> None:
        palette = self.palette()
        self._plot.setBackground(palette.color(QPalette.ColorRole.Base))
        text = palette.color(QPalette.ColorRole.Text)
        for name in ("left", "bottom"):
            axis = self._plot.getPlotItem().getAxis(name)
            axis.setPen(palette.color(QPalette.ColorRole.Mid))
            axis.setTextPen(text)
        fill = QColor(palette.color(QPalette.ColorRole.Highlight))
        fill.setAlpha(_REGION_ALPHA)
        self._region.setBrush(fill)
        self._region.setPen(thin_pen(palette.color(QPalette.ColorRole.Highlight)))
        self._outline.setPen(thin_pen(text, 2))

    # ---------------------------------------------------------------- drawing

    def _show_lanes(self) -> None:
        """Show as many lanes as have room, from the one that the scroll bar is at."""
        if self._lanes is None:
            return
        count = len(self._lanes.titles)
        room = self._area.height() / (_MIN_LANE * self.fontMetrics().height())
        shown = max(1, min(count, int(room)))
        self._scroll_bar.setRange(0, count - shown)
        self._scroll_bar.setPageStep(shown)
        self._scroll_bar.setVisible(shown < count)
        first = self._scroll_bar.value()
        self._area.setRange(yRange=(first, first + shown), padding=0)
        self._drawn = None
        self._update_bars()

    def _viewport(self) -> Viewport:
        (left, right), (top, bottom) = self._area.viewRange()
        pixel = (right - left) / max(1.0, self._area.width())
        return Viewport((round(top), round(bottom) - 1), (left, right), pixel)

    def _update_bars(self) -> None:
        """Draw the visible bars, unless they are drawn already."""
        viewport = self._viewport()
        if self._lanes is None or self._content is None or viewport == self._drawn:
            return
        self._drawn = viewport
        for bar in self._bars:
            self._area.removeItem(bar)
        self._bars = bar_items(self._lanes, self._content, viewport)
        for bar in self._bars:
            self._area.addItem(bar, ignoreBounds=True)
        self._label_numbers(self._lanes, viewport)

    def _label_numbers(self, lanes: Lanes, viewport: Viewport) -> None:
        """Label the visible numbers of parts on the axis, as many as have room.

        The first one begins with *Part*, if it has room for that.
        """
        centers = (lanes.start[:-1] + lanes.start[1:]) / 2
        room = viewport.pixel * self.fontMetrics().horizontalAdvance(f"Part {lanes.number[-1]}")
        ticks: list[tuple[float, str]] = []
        position = viewport.span[0]
        while (column := int(np.searchsorted(centers, position))) < len(centers):
            center = float(centers[column])
            if center > viewport.span[1]:
                break
            has_room = not ticks and center - room / 2 >= viewport.span[0]
            ticks.append((center, f"{'Part ' if has_room else ''}{lanes.number[column]}"))
            position = center + room
        self._plot.getPlotItem().getAxis("bottom").setTicks([ticks])

    # ---------------------------------------------------------------- gestures

    def _part_at(self, position: QPointF) -> PartId | None:
        if self._lanes is None:
            return None
        reach = _REACH * self._viewport().pixel
        return self._lanes.part_at(int(np.floor(position.y())), position.x(), reach)

    def _share_at(self, part: PartId, position: QPointF) -> int | None:
        assert self._content is not None
        bottom = np.floor(position.y()) + (1 + BAR_HEIGHT) / 2
        return self._content.share_at(part, (bottom - position.y()) / BAR_HEIGHT)

    def _point_at(self, position: QPointF | None) -> None:
        """Outline and describe what the mouse points at."""
        part = None if position is None else self._part_at(position)
        self._outline.setVisible(part is not None)
        if part is None or position is None:
            self.detail_line.show_detail(None)
            return
        self._outline.setRect(self._bar_area(part))
        self.detail_line.show_detail(self._describe(part, self._share_at(part, position)))

    def _bar_area(self, part: PartId) -> QRectF:
        lanes = self._lanes
        assert lanes is not None
        row = int(np.flatnonzero(lanes.part == part)[0])
        left, width = lanes.left[row], lanes.right[row] - lanes.left[row]
        return QRectF(left, lanes.lane[row] + (1 - BAR_HEIGHT) / 2, width, BAR_HEIGHT)

    def _show_region(self, start: QPointF, stop: QPointF) -> None:
        self._region.setRect(QRectF(start, stop).normalized())
        self._region.show()

    def _select_region(self, start: QPointF, stop: QPointF) -> None:
        self._region.hide()
        area = QRectF(start, stop).normalized()
        if self._lanes is not None:
            lanes = int(np.floor(area.top())), int(np.floor(area.bottom()))
            chosen = self._lanes.parts_between(lanes, (area.left(), area.right()))
            self.parts_selected.emit(chosen)

    def _select_at(self, position: QPointF, add: bool) -> None:
        part, active = self._part_at(position), self._chosen_parts()
        if part is None:
            self.parts_selected.emit([])
        elif add:
            self.parts_selected.emit(sorted(active ^ {part}))
        else:
            self.parts_selected.emit([] if active == {part} else [part])

    def _chosen_parts(self) -> set[PartId]:
        """Return the active parts; none if all are active, as nothing is chosen then."""
        if self._content is None or self._lanes is None:
            return set()
        shown = self._lanes.part
        if self._content.is_base is not None:  # the base is chosen by Use as Base
            shown = shown[~self._content.is_base[shown]]
        is_active: BoolArray = self._content.is_active[shown]
        return set() if is_active.all() else {PartId(part) for part in shown[is_active].tolist()}

    def _activate_at(self, position: QPointF) -> None:
        part = self._part_at(position)
        share = None if part is None else self._share_at(part, position)
        if share is not None:
            self.share_activated.emit(share)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_palette()


def _are_alike(one: Lanes, other: Lanes) -> bool:
    """Whether two sets of lanes have the same places, so that the zoom can stay."""
    return np.array_equal(one.part, other.part) and np.array_equal(one.right, other.right)
