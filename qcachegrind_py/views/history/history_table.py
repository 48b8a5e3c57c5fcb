"""The list of functions of the history, with the course of each cost drawn into its cell."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QMenu, QStyle, QStyleOptionViewItem

from qcachegrind_py.present.trends import CourseCells, HistoryRows
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.row_delegates import RowDelegate
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import RowGround, change_color

_MARGIN = 4.0  # pixels around the line
_SHORT = np.array([[2.0, 0.0]])  # the line of a single revision
_LEAST_SPREAD = 0.04  # of the highest cost: the range that a cell shows at least
_DOT = 2.5  # radius of the dot at the largest step, in pixels


class SparklineDelegate(RowDelegate):
    """Delegate for the column of courses; a dot is at the largest step."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the background and the line; revisions without the function leave a gap."""
        cell, _ = self.paint_ground(painter, option, index)
        model = index.model()
        assert isinstance(model, TableModel)
        cells = model.columns[index.column()].cells
        assert isinstance(cells, CourseCells)
        rows, record = cells.rows, model.record(index)
        area = QRectF(cell.rect).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        points = course_points(rows, record, area)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(cell.palette.color(role), 1.2))
        for run in _runs(thinned(points, int(area.width()))):
            painter.drawPolyline(_polygon(run))
        if (at := int(rows.trends.step_revision[record])) >= 0 and not np.isnan(points[at, 1]):
            ground = RowGround.ACTIVE if selected else RowGround.PLAIN
            color = change_color(
                option.palette, ground, is_growth=bool(rows.trends.largest_step[record] > 0)
            )
            painter.setPen(cell.palette.color(role) if selected else Qt.PenStyle.NoPen)
            painter.setBrush(color)  # which on a selected row may be much like the row
            painter.drawEllipse(QPointF(*points[at].tolist()), _DOT, _DOT)
        painter.restore()


def course_points(rows: HistoryRows, record: int, area: QRectF) -> Float64Array:
    """Return the points of a line: shape (revisions, 2), float64; NaN where there is no cost.

    The bottom is 0, or the lowest cost if all are close together.
    """
    values = np.where(rows.is_there[record], rows.values[record].astype(np.float64), np.nan)
    known = values[~np.isnan(values)]
    lowest, highest = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    floor = lowest if 2 * lowest > highest else min(lowest, 0.0)
    shown = max(highest - floor, highest * _LEAST_SPREAD)  # noise is nearly flat
    floor -= (shown - (highest - floor)) / 2
    height = area.height() / shown if shown > 0 else 0.0
    across = np.linspace(area.left(), area.right(), len(values))
    down = area.bottom() - (values - floor) * height
    return np.column_stack((across, down))


def thinned(points: Float64Array, width: int) -> Float64Array:
    """Return the highest and the lowest point of each pixel, if there are more points than that.

    Lines of 1,000 points take 3 ms each to draw, and look the same.
    """
    if len(points) <= 2 * width or width < 1:
        return points
    begins = np.linspace(0, len(points), width, endpoint=False).astype(np.int64)
    ends = np.fmin.reduceat(points[:, 1], begins), np.fmax.reduceat(points[:, 1], begins)
    return np.column_stack((np.repeat(points[begins, 0], 2), np.column_stack(ends).ravel()))


def _runs(points: Float64Array) -> list[Float64Array]:
    """Return the pieces of a line between gaps; a single point is a short line."""
    is_there = ~np.isnan(points[:, 1])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_there, [False])).astype(np.int8)))
    runs = [points[begin:end] for begin, end in edges.reshape(-1, 2).tolist()]
    return [run if len(run) > 1 else np.concatenate((run, run + _SHORT)) for run in runs]


def _polygon(points: Float64Array) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])


class HistoryTable(FunctionTable):
    """Return goes to a function that the open profile has; the menu pins its line in the chart."""

    pin_toggled = Signal(int)  # the function of the history

    def __init__(self, model: TableModel) -> None:
        super().__init__(model, "History")
        self.setItemDelegateForColumn(model.place("course"), SparklineDelegate(self))
        self.pinned: frozenset[int] = frozenset()

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid() and index.data(Role.FUNCTION) != NO_NODE:
            super()._activate(index)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add what can be done with a function of the history, and with that of the profile."""
        record = self._table_model.record(index)
        if record < 0:
            return
        pin = menu.addAction("&Unpin Line" if record in self.pinned else "&Pin Line")
        pin.setToolTip("Keep the line of this function in the chart, or no longer")
        pin.triggered.connect(lambda: self.pin_toggled.emit(record))
        if index.data(Role.FUNCTION) != NO_NODE:
            menu.addSeparator()
            super().fill_menu(menu, index)
