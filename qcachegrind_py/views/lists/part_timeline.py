"""A bar chart of the parts in time order, with the active function's share of each.

Only this module imports pyqtgraph. That takes 0.3 s, so import it when the chart is first shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.models.base.plain_text import tip_text

_BAR_WIDTH = 0.86  # bars are 1 apart
_INACTIVE_ALPHA = 80  # of 255
_INCLUSIVE_LIGHTNESS = 165  # percent
_DrawnParts = tuple[int, int, int]  # first part, stop, and how many parts a bar stands for
_MIN_LINES = 7  # minimum height in lines of text
_MAX_BARS = 2_000  # at a time, about one a pixel: drawing 100,000 bars takes seconds


class PartTimeline(QWidget):
    """One bar for each part. A click chooses one, Ctrl+click adds one, dragging chooses a range.

    While more than `_MAX_BARS` parts are visible, a bar stands for several parts in a row: it is as
    high as the costliest of them.
    """

    parts_selected = Signal(object)  # list[PartId]: the parts to make active; empty for all

    def __init__(self) -> None:
        super().__init__()
        self._view_box = _SelectionViewBox()
        self._plot = pg.PlotWidget(viewBox=self._view_box)
        self._plot.setMenuEnabled(False)
        self.setMinimumHeight(_MIN_LINES * self.fontMetrics().height())
        self._plot.hideButtons()
        self._plot.setAccessibleName("Time line of parts")
        self._plot.getPlotItem().getAxis("left").setStyle(showValues=False)
        self._region = pg.LinearRegionItem(movable=False)
        self._region.setZValue(10)
        self._region.hide()
        self._view_box.drag_moved.connect(self._show_region)
        self._view_box.drag_finished.connect(self._select_range)
        self._view_box.bar_clicked.connect(self._select_at)
        self._view_box.bar_hovered.connect(self._update_tooltip)
        self._view_box.sigXRangeChanged.connect(lambda *_: self._update_bars())
        self._bars: list[pg.BarGraphItem] = []
        self._values = np.zeros((3, 0))
        self._is_active = np.zeros(0, bool)
        self._drawn: _DrawnParts | None = None
        self._active_parts: Parts = None
        self._names: Sequence[str] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._plot)
        self._plot.addItem(self._region)

    def set_parts(
        self,
        names: Sequence[str],
        self_cost: npt.NDArray[np.float64],
        inclusive: npt.NDArray[np.float64],
        total: npt.NDArray[np.float64],
        active: Parts,
    ) -> None:
        """Show a bar of total cost for each part, in it the function's self and inclusive cost.

        The cost arrays have one element for each part. `active` is None if all parts are active.
        """
        has_new_count = len(names) != len(self._names)
        self._names, self._active_parts = names, active
        self._is_active = _activity(len(names), active)
        inclusive = np.minimum(inclusive, total)
        self._values = np.stack((np.minimum(self_cost, inclusive), inclusive, total))
        self._draw()
        if has_new_count:
            self._view_box.setLimits(xMin=-1, xMax=max(1, len(names)), yMin=0)
            self._view_box.setRange(xRange=(-0.5, len(names) - 0.5), padding=0.02)
        self._view_box.setRange(yRange=(0, float(total.max(initial=1)) or 1), padding=0.05)

    def _draw(self) -> None:
        palette = self.palette()
        self._plot.setBackground(palette.color(QPalette.ColorRole.Base))
        for axis in ("left", "bottom"):
            item = self._plot.getPlotItem().getAxis(axis)
            item.setPen(palette.color(QPalette.ColorRole.Mid))
            item.setTextPen(palette.color(QPalette.ColorRole.Text))
        step = max(1, len(self._names) // 20)
        labels = [(part, str(part + 1)) for part in range(0, len(self._names), step)]
        self._plot.getPlotItem().getAxis("bottom").setTicks([labels])
        self._drawn = None
        self._update_bars()

    def _update_bars(self) -> None:
        """Draw the bars of the visible parts, unless they are drawn already."""
        parts = self._visible_parts()
        if parts == self._drawn:
            return
        self._drawn = parts
        for bar in self._bars:
            self._plot.removeItem(bar)
        highlight = self.palette().color(QPalette.ColorRole.Highlight)
        self._bars = [
            *self._bar_layer(0, None, highlight),
            *self._bar_layer(1, 0, highlight.lighter(_INCLUSIVE_LIGHTNESS)),
            *self._bar_layer(2, 1, self.palette().color(QPalette.ColorRole.Mid)),
        ]
        for bar in self._bars:
            self._plot.addItem(bar)

    def _visible_parts(self) -> _DrawnParts:
        """Return which parts to draw: the visible ones, and as many on either side to pan to."""
        left, right = self._view_box.viewRange()[0]
        margin, count = right - left, len(self._names)
        step = max(1, -int(-3 * margin // _MAX_BARS))
        first = min(count, max(0, int(left - margin))) // step * step
        return first, max(first, min(count, int(right + margin) + 1)), step

    def _bar_layer(self, upper: int, lower: int | None, color: QColor) -> list[pg.BarGraphItem]:
        """Return one layer of all drawn bars: the active ones, and faint the inactive ones.

        `lower` and `upper` are rows of `_values`; the layer spans the values between them. All bars
        of an item have one brush, so that Qt draws them in one call.
        """
        assert self._drawn is not None
        first, stop, step = self._drawn
        starts = np.arange(first, stop, step)
        if not len(starts):
            return []
        heights = np.maximum.reduceat(self._values[:, :stop], starts, axis=1)
        below = heights[lower] if lower is not None else np.zeros(len(starts))
        is_active = np.logical_or.reduceat(self._is_active[:stop], starts)
        faint = QColor(color)
        faint.setAlpha(_INACTIVE_ALPHA)
        return [
            pg.BarGraphItem(
                x=starts[chosen] + (step - 1) / 2,
                y0=below[chosen],
                y1=heights[upper][chosen],
                width=_BAR_WIDTH * step,
                brush=brush,
                pen=None,
            )
            for chosen, brush in ((is_active, color), (~is_active, faint))
            if chosen.any()
        ]

    def _show_region(self, start: float, stop: float) -> None:
        self._region.setRegion((start, stop))
        self._region.show()

    def _update_tooltip(self, x: float) -> None:
        part = round(x)
        known = 0 <= part < len(self._names)
        self._plot.setToolTip(tip_text(f"{part + 1}: {self._names[part]}") if known else "")

    def _select_range(self, start: float, stop: float) -> None:
        self._region.hide()
        first, last = round(min(start, stop)), round(max(start, stop))
        self.parts_selected.emit(
            [part for part in range(len(self._names)) if first <= part <= last]
        )

    def _select_at(self, x: float, add: bool) -> None:
        part = round(x)
        if not 0 <= part < len(self._names):
            self.parts_selected.emit([])
        elif add:
            self.parts_selected.emit(sorted((self._active_parts or frozenset()) ^ {part}))
        else:
            self.parts_selected.emit([] if self._active_parts == frozenset({part}) else [part])

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._bars:
            self._draw()


def _activity(count: int, active: Parts) -> npt.NDArray[np.bool_]:
    """Return which of the parts are active; `None` are all."""
    is_active = np.full(count, active is None)
    is_active[list(active or ())] = True
    return is_active


class _SelectionViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """The plot area: the mouse chooses parts, the wheel zooms along them."""

    drag_moved = Signal(float, float)
    drag_finished = Signal(float, float)
    bar_clicked = Signal(float, bool)
    bar_hovered = Signal(float)

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=True, y=False)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        start, stop = self._x_at(event.buttonDownPos()), self._x_at(event.pos())
        (self.drag_finished if event.isFinish() else self.drag_moved).emit(start, stop)

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            control = Qt.KeyboardModifier.ControlModifier
            self.bar_clicked.emit(self._x_at(event.pos()), bool(event.modifiers() & control))

    def hoverEvent(self, event: Any) -> None:  # noqa: N802
        if not event.isExit():
            self.bar_hovered.emit(self._x_at(event.pos()))

    def _x_at(self, position: QPointF) -> float:
        return float(self.mapToView(position).x())
