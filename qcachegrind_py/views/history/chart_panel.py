"""The place of the chart in the dock, and its picture as a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSizeF, Signal
from PySide6.QtGui import (
    QPainter,
)
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.present.picture import Detail
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.history.content import ChartLine, Marks
from qcachegrind_py.views.history.legend import Legend
from qcachegrind_py.views.pictures.export import PictureStack, add_export_actions
from qcachegrind_py.views.profile_view import stacked

if TYPE_CHECKING:
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


_IMPORT_JOB = "history chart"
_LEAST_LINES = 8  # of text: the height that the chart has at least


@dataclass(frozen=True, slots=True, eq=False)
class ChartContent:
    """What the chart shows."""

    labels: Sequence[str]  # of the revisions, the oldest first
    lines: Sequence[ChartLine]
    is_relative: bool  # whether heights are percentages of the first value of a line
    text: Callable[[float], str]  # how heights are written at the axis
    marks: Marks


class ChartPanel(QWidget):
    """Shows the chart as soon as there is one, with its legend above it."""

    revision_chosen = Signal(int)
    revision_opened = Signal(int)
    base_toggled = Signal(int)
    base_dropped = Signal()
    menu_requested = Signal(object, QPoint)  # int or None, and where on the screen

    def __init__(self, session: Session, describe: Callable[[int], Detail]) -> None:
        """`describe` says what a revision is, and what it costs."""
        super().__init__()
        self._session, self._describe = session, describe
        self.chart: HistoryChart | None = None
        self._content: ChartContent | None = None
        self.legend = Legend()
        # from the start: a splitter would keep the height of 0 before the import
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self._column = stacked(self, self.legend)
        self._column.addStretch()

    def show_chart(self, content: ChartContent) -> None:
        """Show this content, at once or when the chart has been imported."""
        self._content = content
        self.legend.show_lines(content.lines)
        if self.chart is not None:
            self._show(self.chart, content)
        elif not self._session.jobs.is_running(_IMPORT_JOB):
            job = self._session.jobs.start(_IMPORT_JOB, _import_chart)
            job.finished.connect(self._add_chart)

    def show_marks(self, marks: Marks) -> None:
        """Mark other revisions."""
        if self.chart is not None:
            self.chart.show_marks(marks)

    def clear(self) -> None:
        """Release the history."""
        self._content = None

    def _add_chart(self, kind: type[HistoryChart]) -> None:
        chart = self.chart = kind(self._describe)
        chart.revision_chosen.connect(self.revision_chosen)
        chart.revision_opened.connect(self.revision_opened)
        chart.base_toggled.connect(self.base_toggled)
        chart.escaped.connect(self.base_dropped)
        chart.menu_requested.connect(self.menu_requested)
        self._column.takeAt(1)
        self._column.addWidget(chart, 1)
        chart.show()
        self.setFocusProxy(chart)
        if self._content is not None:
            self._show(chart, self._content)

    def _show(self, chart: HistoryChart, content: ChartContent) -> None:
        chart.show_revisions(content.labels)
        chart.show_lines(content.lines, relative=content.is_relative, text=content.text)
        chart.show_marks(content.marks)

    def fill_export_menu(self, menu: QMenu) -> None:
        """Add the actions that copy and save the chart with its legend."""
        if self.chart is not None:
            picture = PictureStack([self.legend, ChartPicture(self.chart)])
            add_export_actions(menu, picture, self, "history", {})


def _import_chart(_progress: Progress) -> type[HistoryChart]:
    """Return the class of the chart; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.history.chart import HistoryChart

    return HistoryChart
