"""The widget around the plot area, its axis and its points. It imports pyqtgraph: 0.3 s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QKeyEvent

from qcachegrind_py.views.pictures.plot_area import PlotArea

_MEASURED_NUMBERS = 8  # of which the widest is as wide as the axis


class ChartWidget(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """The widget of pyqtgraph; keys go to the chart first."""

    menu_key_pressed = Signal(QPoint)

    def __init__(
        self, area: PlotArea, axis: pg.AxisItem, on_key: Callable[[QKeyEvent], bool]
    ) -> None:
        self._on_key: Callable[[QKeyEvent], bool] = lambda _event: False
        super().__init__(viewBox=area, axisItems={"left": axis})
        self._on_key = on_key
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Chart of costs over the revisions")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if not self._on_key(event):
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Open the menu for the menu key; the plot area does for the mouse."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_key_pressed.emit(event.globalPos())


class Points(pg.ScatterPlotItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Points that leave clicks on them to the plot area."""

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        event.ignore()


class CostAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose numbers are written as the window writes costs."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.text: Callable[[float], str] = str
        self.enableAutoSIPrefix(False)

    def fit(self, heights: tuple[float, float]) -> None:
        """Be as wide as the numbers in a range; pyqtgraph would know that only when painting."""
        metrics = QFontMetrics(QFont())
        numbers = map(self.text, np.linspace(*heights, _MEASURED_NUMBERS).tolist())
        widest = max(map(metrics.horizontalAdvance, numbers))
        self.setWidth(widest + metrics.horizontalAdvance("00"))

    def tickStrings(  # noqa: N802
        self, values: Sequence[float], _scale: float, _spacing: float
    ) -> list[str]:
        return [self.text(value) for value in values]
