"""The place of the chart in the dock, and its picture as a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.picture import Detail
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.history.content import ChartLine, Marks
from qcachegrind_py.views.history.legend import Legend
from qcachegrind_py.views.pictures.export import PictureStack, add_export_actions

if TYPE_CHECKING:
    from qcachegrind_py.views.history.chart import HistoryChart


_IMPORT_JOB = "history chart"
_LEAST_LINES = 8  # of text: the height that the chart has at least


@frozen
class ChartContent:
    """What the chart shows."""

    labels: Sequence[str]  # of the revisions, the oldest first
    lines: Sequence[ChartLine]
    is_relative: bool  # whether heights are percentages of the first value of a line
    text: Callable[[float], str]  # how heights are written at the axis
    marks: Marks


class ChartPanel(QWidget):
    """Shows the chart as soon as there is one, with its legend above it."""

    def __init__(
        self,
        session: Session,
        describe: Callable[[int], Detail],
        connect: Callable[[HistoryChart], None],
    ) -> None:
        """`describe` says what a revision is, and what it costs; `connect` gets the chart."""
        super().__init__()
        self._session, self._describe, self._connect = session, describe, connect
        self.chart: HistoryChart | None = None
        self._content: ChartContent | None = None
        self.legend = Legend()
        # from the start: a splitter would keep the height of 0 before the import
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.legend)
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

    def clear(self) -> None:
        """Release the history."""
        self._content = None

    def _add_chart(self, kind: type[HistoryChart]) -> None:
        chart = self.chart = kind(self._describe)
        self._connect(chart)
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
            picture = PictureStack([self.legend, self.chart])
            add_export_actions(menu, picture, self, "history", {})


def _import_chart(_progress: Progress) -> type[HistoryChart]:
    """Return the class of the chart; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.history.chart import HistoryChart

    return HistoryChart
