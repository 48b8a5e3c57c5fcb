"""A narrow ruler beside a table's scroll bar that shows where in all rows the costs are.

Like the scroll bar, its height represents all rows. If several rows share a pixel, the costliest
one is painted. The owner of the table defines the rows and their shares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QSizePolicy, QToolTip, QWidget

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.widgets.colors import RowGround, blended, change_color

_MIN_OPACITY = 0.35  # for the smallest cost
_SHADE_COUNT = 256
_MIN_MARK_HEIGHT = 2  # pixels for the mark of a row
_FRAME_OPACITY, _FRAME_FILL_OPACITY = 130, 22  # of 255
_MIN_FRAME_HEIGHT = 4.0  # pixels
_WIDTH_IN_DIGITS = 1.6  # digits


class CostRuler(QWidget):
    """A ruler for `area`; `tooltip_of` returns the tooltip of a row, escaped for display."""

    row_requested = Signal(object)  # int: the row clicked or dragged to

    def __init__(self, area: QAbstractScrollArea, tooltip_of: Callable[[int], str]) -> None:
        super().__init__()
        self._area = area
        self._tooltip_of = tooltip_of
        self._shares: Float64Array = np.empty(0)
        self._compute: Callable[[], Float64Array] | None = None  # of outdated shares
        self._row_of_pixel: list[int] = []  # the costliest row at each pixel from the top
        self._image = QImage()  # one pixel wide; null if it is outdated
        self._last_requested = -1
        self.shows_changes = False  # shares from -1 to 1, of growth and of shrinkage
        self._row_span: tuple[int, int] | None = None  # top and height of the rows, in pixels
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Cost overview")
        self.setAccessibleDescription("Costs of all lines; click to go to a line")
        bar = area.verticalScrollBar()
        bar.valueChanged.connect(self.update)
        bar.rangeChanged.connect(self.update)

    def compute_shares_by(self, compute: Callable[[], Float64Array]) -> None:
        """Compute the shares of the rows when they are next painted, and only once.

        They have shape (rows,): 0 for no mark to 1 for the strongest, with signs if
        `shows_changes` is set. For a million lines this takes 50 ms, and several changes mostly
        come together.
        """
        self._compute, self._shares = compute, np.empty(0)
        self._invalidate_image()

    def _update_shares(self) -> None:
        if self._compute is not None:
            shares = np.nan_to_num(self._compute())
            self._shares = np.clip(shares, -1.0 if self.shows_changes else 0.0, 1.0)
            self._compute = None

    def row_at(self, y: float) -> int:
        """Return the costliest row at a height, or the middle one if none has a cost.

        Returns -1 if there are no rows.
        """
        self._update_shares()
        area = self.contentsRect()
        if not len(self._shares) or area.height() <= 0:
            return -1
        self._update_image()
        return self._row_of_pixel[min(max(int(y) - area.top(), 0), area.height() - 1)]

    def set_row_span(self, top: int, height: int) -> None:
        """Restrict the ruler to the part of its height beside the rows, in pixels."""
        self._row_span = top, height
        self._update_margins()

    def _update_margins(self) -> None:
        if self._row_span is not None:
            top, height = self._row_span
            self.setContentsMargins(0, top, 0, max(0, self.height() - top - height))
        self._invalidate_image()

    # ---------------------------------------------------------------- marks

    def _invalidate_image(self) -> None:
        self._image = QImage()
        self.update()

    def _update_image(self) -> None:
        """Draw the marks if they are outdated; this takes one pass over all rows."""
        self._update_shares()
        height = self.contentsRect().height()
        if not self._image.isNull() or not len(self._shares) or height <= 0:
            return
        sizes = np.abs(self._shares)
        rows = _strongest_rows(sizes, height)
        self._row_of_pixel = rows.tolist()
        levels = np.ceil(np.sqrt(sizes[rows]) * (_SHADE_COUNT - 1)).astype(np.int64)
        levels[self._shares[rows] < 0] += _SHADE_COUNT
        pixels = np.array(self._color_scales(), np.uint32)[levels]
        image = QImage(pixels.tobytes(), 1, height, 4, QImage.Format.Format_RGB32)
        self._image = image.copy()  # QImage does not own the buffer that Python passes to it

    def _color_scales(self) -> list[int]:
        """Return RGB colours from no cost to the highest, or of growth, then of shrinkage."""
        palette = self.palette()
        if not self.shows_changes:
            return self._color_scale(palette.color(QPalette.ColorRole.Highlight))
        return [
            color
            for is_growth in (True, False)
            for color in self._color_scale(
                change_color(palette, RowGround.PLAIN, is_growth=is_growth)
            )
        ]

    def _color_scale(self, heat: QColor) -> list[int]:
        base = self.palette().color(QPalette.ColorRole.Base)
        step = (1 - _MIN_OPACITY) / (_SHADE_COUNT - 1)
        shades = [
            blended(heat, base, _MIN_OPACITY + step * level) for level in range(1, _SHADE_COUNT)
        ]
        return [color.rgb() for color in (base, *shades)]

    # ---------------------------------------------------------------- Qt

    def sizeHint(self) -> QSize:  # noqa: N802
        width = round(self.fontMetrics().horizontalAdvance("0") * _WIDTH_IN_DIGITS)
        return QSize(max(8, width), 60)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self.sizeHint().width(), 0)

    def resizeEvent(self, _event: QEvent) -> None:  # noqa: N802
        self._update_margins()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._invalidate_image()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        self._update_image()
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Base))
        if not self._image.isNull():
            painter.drawImage(self.contentsRect(), self._image)
            self._paint_visible_range(painter)
        painter.end()

    def _paint_visible_range(self, painter: QPainter) -> None:
        """Frame the visible rows unless all are visible."""
        bar = self._area.verticalScrollBar()
        whole = bar.maximum() - bar.minimum() + bar.pageStep()
        if bar.maximum() <= bar.minimum() or whole <= 0:
            return
        area = self.contentsRect()
        scale = area.height() / whole
        height = max(_MIN_FRAME_HEIGHT, bar.pageStep() * scale)
        top = area.top() + min((bar.value() - bar.minimum()) * scale, area.height() - height)
        text = QColor(self.palette().color(QPalette.ColorRole.Text))
        text.setAlpha(_FRAME_OPACITY)
        painter.setPen(text)
        text.setAlpha(_FRAME_FILL_OPACITY)
        painter.setBrush(text)
        painter.drawRect(QRectF(0.5, top + 0.5, self.width() - 1, height - 1))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self._tooltip_of(row) if row >= 0 else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._last_requested = -1
        self._request_row(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._request_row(event)

    def _request_row(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if event.buttons() & Qt.MouseButton.LeftButton and row not in (-1, self._last_requested):
            self._last_requested = row
            self.row_requested.emit(row)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        QApplication.sendEvent(self._area.verticalScrollBar(), event)


def _strongest_rows(shares: Float64Array, height: int) -> Int64Array:
    """Return the costliest row for each pixel, or the middle one if none has a cost.

    `shares` has shape (rows,), the result shape (height,). If rows are less than 2 pixels high, a
    pixel also covers the rows of the one above, which makes each mark high enough to be seen.
    """
    starts = np.arange(height) * len(shares) // height
    ends = np.append(starts[1:], len(shares))
    peak = np.maximum.reduceat(shares, starts)
    rows = starts
    if len(shares) > height:
        peaks = np.flatnonzero(shares == np.repeat(peak, ends - starts))
        rows = np.where(peak > 0, peaks[np.searchsorted(peaks, starts)], (starts + ends) // 2)
    if len(shares) * _MIN_MARK_HEIGHT > height:
        above = np.append(rows[:1], rows[:-1])
        rows = np.where(shares[above] > shares[rows], above, rows)
    return rows
