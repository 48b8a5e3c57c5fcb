"""A narrow strip beside a table's scroll bar: where in all its rows the cost is.

The whole height stands for all rows, as the scroll bar does. Where several rows share a pixel the
strongest is seen; what the shares are of, and what a row is, the table's owner knows.
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

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import Int64Array

_MIN_OPACITY = 0.35  # opacity of the smallest cost
_SHADE_COUNT = 256
_MIN_MARK_HEIGHT = 2  # pixels: how high the mark of a row is at least
_FRAME_OPACITY, _FRAME_FILL_OPACITY = 130, 22  # of 255
_MIN_FRAME_HEIGHT = 4.0  # pixels
_WIDTH_IN_DIGITS = 1.6  # digits


class CostRuler(QWidget):
    """Follows the scroll bar of `area`; `tip` gives the text of a row's tooltip, safe to show."""

    row_requested = Signal(object)  # int: the row that was clicked or dragged to

    def __init__(
        self,
        area: QAbstractScrollArea,
        tooltip_of: Callable[[int], str] = lambda _row: "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._area = area
        self._tooltip_of = tooltip_of
        self._shares: Float64Array = np.empty(0)
        self._row_of_pixel: list[int] = []  # of each pixel from the top: the strongest row
        self._image = QImage()  # a pixel wide; null where it has to be drawn
        self._last_requested = -1
        self._row_span: tuple[int, int] | None = None  # from the top: where the rows stand
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Where the cost is")
        self.setAccessibleDescription("A strip of all rows; a click shows the row that is there")
        bar = area.verticalScrollBar()
        bar.valueChanged.connect(self.update)
        bar.rangeChanged.connect(self.update)

    def set_shares(self, shares: Float64Array) -> None:
        """Show these, one a row, from 0 (nothing) to 1 (the strongest mark)."""
        self._shares = np.clip(np.nan_to_num(shares), 0.0, 1.0)
        self._invalidate_image()

    def row_at(self, y: float) -> int:
        """The costliest row at a height, the one in the middle of it without cost; -1: no rows."""
        area = self.contentsRect()
        if not len(self._shares) or area.height() <= 0:
            return -1
        self._update_image()
        return self._row_of_pixel[min(max(int(y) - area.top(), 0), area.height() - 1)]

    def set_row_span(self, top: int, height: int) -> None:
        """Take only this stretch of the height, where the rows themselves are."""
        self._row_span = top, height
        self._update_margins()

    def _update_margins(self) -> None:
        if self._row_span is not None:
            top, height = self._row_span
            self.setContentsMargins(0, top, 0, max(0, self.height() - top - height))
        self._invalidate_image()

    # ---------------------------------------------------------------- the marks

    def _invalidate_image(self) -> None:
        self._image = QImage()
        self.update()

    def _update_image(self) -> None:
        """Draw the marks anew, if need be: a pass over all rows, once for each height."""
        height = self.contentsRect().height()
        if not self._image.isNull() or not len(self._shares) or height <= 0:
            return
        rows = _strongest_rows(self._shares, height)
        self._row_of_pixel = rows.tolist()
        levels = np.ceil(np.sqrt(self._shares[rows]) * (_SHADE_COUNT - 1)).astype(np.int64)
        pixels = np.array(self._color_scale(), np.uint32)[levels]
        image = QImage(pixels.tobytes(), 1, height, 4, QImage.Format.Format_RGB32)
        self._image = image.copy()  # the bytes are Python's

    def _color_scale(self) -> list[int]:
        """The colours from no cost at all to the strongest."""
        base = self.palette().color(QPalette.ColorRole.Base)
        heat = self.palette().color(QPalette.ColorRole.Highlight)
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
        """What of all rows is in sight; nothing where all are."""
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
        """The table scrolls, as if the wheel was turned over it."""
        QApplication.sendEvent(self._area.verticalScrollBar(), event)


def _strongest_rows(shares: Float64Array, height: int) -> Int64Array:
    """Of each pixel the strongest row in it, or the middle one where none has a cost.

    What is in a pixel counts in the next one, too, so that a row's mark is high enough to be seen.
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
