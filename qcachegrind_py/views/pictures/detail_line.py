"""The line below a picture about one box: the one under the mouse, or else the current one."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.picture import DETAIL_SEPARATOR, Detail

NO_BOX = "Point at a box to see its name and cost."
_MARGIN = 4  # pixels on the left and on the right
_SWATCH_GAP = 5  # pixels between the colour and the name


class DetailLine(QWidget):
    """One line of fixed height; a name that is too long is elided, the numbers stay in full."""

    def __init__(self, hint: str = NO_BOX) -> None:
        """`hint` is shown while there is no box."""
        super().__init__()
        self._hint = hint
        self._detail: Detail | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The shown text before eliding."""
        return self._hint if self._detail is None else self._detail.text

    def show_detail(self, detail: Detail | None) -> None:
        """Describe a box; None if there is none."""
        if detail != self._detail:
            self._detail = detail
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, detail = QPainter(self), self._detail
        area = QRectF(self.rect()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        if detail is None:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            self._paint_text(painter, area, self._hint)
        else:
            self._paint_detail(painter, area, detail)
        painter.end()

    def _paint_detail(self, painter: QPainter, area: QRectF, detail: Detail) -> None:
        metrics = self.fontMetrics()
        if detail.color is not None:
            side = round(metrics.height() * 0.6)
            swatch = QRectF(area.left(), area.center().y() - side / 2, side, side)
            painter.fillRect(swatch, QColor(detail.color))
            area.setLeft(swatch.right() + _SWATCH_GAP)
        numbers = "".join(DETAIL_SEPARATOR + number for number in detail.numbers)
        space = int(area.width()) - metrics.horizontalAdvance(numbers)
        fitted = fitted_name(detail.name, lambda text: metrics.horizontalAdvance(text) <= space)
        name = metrics.elidedText(fitted.text, Qt.TextElideMode.ElideMiddle, max(0, space))
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        self._paint_text(painter, area, name + numbers)

    def _paint_text(self, painter: QPainter, area: QRectF, text: str) -> None:
        shown = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, max(0, int(area.width()))
        )
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, int(flags | Qt.TextFlag.TextSingleLine), shown)
