"""The chart with its legend as one picture, to be copied and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QPainter

if TYPE_CHECKING:  # it imports pyqtgraph
    from qcachegrind_py.views.history.chart import HistoryChart


class ChartPicture:
    """Paints the chart as large as it is on the screen."""

    def __init__(self, chart: HistoryChart) -> None:
        self._chart = chart

    def picture_size(self) -> QSizeF:
        """Return the size of the plot on the screen, in logical pixels."""
        return QSizeF(self._chart.plot.size())

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the chart, with its axes."""
        self._chart.paint_chart(painter, QRectF(0, 0, *self.picture_size().toTuple()))
