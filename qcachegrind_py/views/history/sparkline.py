"""Draws the course of a cost over the revisions into a cell of the list."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from qcachegrind_py.models.history.history_table import HistoryModel
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.common.bar_color import RowGround, change_color
from qcachegrind_py.views.common.row_delegates import RowDelegate

_MARGIN = 4.0  # pixels around the line
_SHORT = np.array([[2.0, 0.0]])  # the line of a single revision
_LEAST_SPREAD = 0.04  # of the highest cost: the range that a cell shows at least
_DOT = 2.5  # radius of the dot at the largest step, in pixels


class SparklineDelegate(RowDelegate):
    """Delegate for the column of courses; a dot is at the largest step."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the background and the line; revisions without the function leave a gap."""
        cell, style = self.styled_cell(option, index)
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(panel, cell, painter, cell.widget)
        model = index.model()
        if not isinstance(model, HistoryModel):
            return
        record = model.record(index)
        area = QRectF(cell.rect).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        points = course_points(model, record, area)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(cell.palette.color(role), 1.2))
        for run in _runs(thinned(points, int(area.width()))):
            painter.drawPolyline(_polygon(run))
        if (at := int(model.rows.trends.step_revision[record])) >= 0 and not np.isnan(
            points[at, 1]
        ):
            ground = RowGround.ACTIVE if selected else RowGround.PLAIN
            color = change_color(
                option.palette, ground, is_growth=bool(model.rows.trends.largest_step[record] > 0)
            )
            painter.setPen(cell.palette.color(role) if selected else Qt.PenStyle.NoPen)
            painter.setBrush(color)  # which on a selected row may be much like the row
            painter.drawEllipse(QPointF(*points[at].tolist()), _DOT, _DOT)
        painter.restore()


def course_points(model: HistoryModel, record: int, area: QRectF) -> Float64Array:
    """Return the points of a line: shape (revisions, 2), float64; NaN where there is no cost.

    The bottom is 0, or the lowest cost if all are close together.
    """
    rows = model.rows
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
