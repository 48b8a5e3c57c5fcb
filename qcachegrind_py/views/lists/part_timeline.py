"""The parts in order of time as bars: what the active function has of each.

The only module that knows pyqtgraph, whose import takes 0.3 s: import it when it is to be seen.
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

_BAR_WIDTH = 0.86  # of a bar; its place is 1
_INACTIVE_ALPHA = 80  # of 255: what is not active
_INCLUSIVE_LIGHTNESS = 165  # percent
_MIN_LINES = 7  # of text, in height


class PartTimeline(QWidget):
    """A bar a part. A click chooses a part, with Ctrl one more; dragging chooses a stretch."""

    parts_selected = Signal(object)  # list[PartId]: the parts that shall be active; none means all

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
        self._bars: list[pg.BarGraphItem] = []
        self._values = np.zeros((3, 0))
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
        """Show these parts: a bar is as high as its total, in it what the function has of it.

        `chosen` is None where all are active.
        """
        others = len(names) != len(self._names)
        self._names, self._active_parts = names, active
        inclusive = np.minimum(inclusive, total)
        self._values = np.stack((np.minimum(self_cost, inclusive), inclusive, total))
        self._draw()
        if others:
            self._view_box.setLimits(xMin=-1, xMax=max(1, len(names)), yMin=0)
            self._view_box.setRange(xRange=(-0.5, len(names) - 0.5), padding=0.02)
        self._view_box.setRange(yRange=(0, float(total.max(initial=1)) or 1), padding=0.05)

    def _draw(self) -> None:
        palette = self.palette()
        for bar in self._bars:
            self._plot.removeItem(bar)
        self._plot.setBackground(palette.color(QPalette.ColorRole.Base))
        for axis in ("left", "bottom"):
            item = self._plot.getPlotItem().getAxis(axis)
            item.setPen(palette.color(QPalette.ColorRole.Mid))
            item.setTextPen(palette.color(QPalette.ColorRole.Text))
        labels = [(place, str(place + 1)) for place in range(len(self._names))]
        step = max(1, len(labels) // 20)
        self._plot.getPlotItem().getAxis("bottom").setTicks([labels[::step]])
        own = palette.color(QPalette.ColorRole.Highlight)
        rest = palette.color(QPalette.ColorRole.Mid)
        self._bars = [
            self._bar_layer(0, None, own),
            self._bar_layer(1, 0, own.lighter(_INCLUSIVE_LIGHTNESS)),
            self._bar_layer(2, 1, rest),
        ]
        for bar in self._bars:
            self._plot.addItem(bar)

    def _bar_layer(self, upper: int, lower: int | None, color: QColor) -> pg.BarGraphItem:
        """One layer of all bars, faint where the part is not active."""
        below = self._values[lower] if lower is not None else np.zeros(self._values.shape[1])
        faint = QColor(color)
        faint.setAlpha(_INACTIVE_ALPHA)
        brushes = [
            pg.mkBrush(
                color if self._active_parts is None or place in self._active_parts else faint
            )
            for place in range(len(self._names))
        ]
        return pg.BarGraphItem(
            x=np.arange(len(self._names)),
            y0=below,
            y1=self._values[upper],
            width=_BAR_WIDTH,
            brushes=brushes,
            pen=None,
        )

    def _show_region(self, start: float, stop: float) -> None:
        self._region.setRegion((start, stop))
        self._region.show()

    def _update_tooltip(self, place: float) -> None:
        part = round(place)
        known = 0 <= part < len(self._names)
        self._plot.setToolTip(tip_text(f"{part + 1}: {self._names[part]}") if known else "")

    def _select_range(self, start: float, stop: float) -> None:
        self._region.hide()
        first, last = round(min(start, stop)), round(max(start, stop))
        self.parts_selected.emit(
            [part for part in range(len(self._names)) if first <= part <= last]
        )

    def _select_at(self, place: float, add: bool) -> None:
        part = round(place)
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


class _SelectionViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """The area of the plot: the mouse chooses, the wheel zooms along the parts."""

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
