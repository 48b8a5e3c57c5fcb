"""The one line below a picture or a chart: a sentence, or what is pointed at."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.present.picture import DETAIL_SEPARATOR, Detail
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.views.widgets.grid import grid

NO_BOX = "Point at a box to see its name and cost."
WHY = "why?"  # the word in a sentence that explains it
_MARGIN = 1.5  # steps of the grid, on the left and on the right: as deep as words in buttons
_SWATCH_GAP = 5  # pixels between the colour and the name
_FOCUS = Qt.FocusPolicy
_READING_TIME = 60_000  # ms that an explanation stays after a click


class DetailLine(QWidget):
    """One line of fixed height; a name that is too long is elided, the numbers stay in full."""

    def __init__(self, hint: str = NO_BOX) -> None:
        """`hint` is shown while there is no box."""
        super().__init__()
        self._hint = hint
        self._detail: Detail | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def shown_text(self) -> str:
        """The shown text before eliding."""
        return self._hint if self._detail is None else self._detail.text

    def show_detail(self, detail: Detail | None) -> None:
        if detail != self._detail:
            self._detail = detail
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height() + grid(0.5))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, detail = QPainter(self), self._detail
        area = QRectF(self.rect()).adjusted(grid(_MARGIN), 0, -grid(_MARGIN), 0)
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
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        self._paint_text(painter, area, fitted.text + numbers)

    def _paint_text(self, painter: QPainter, area: QRectF, text: str) -> None:
        shown = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, max(0, int(area.width()))
        )
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, int(flags | Qt.TextFlag.TextSingleLine), shown)


class StatusLine(DetailLine):
    """A sentence about a picture, in whose place is what is pointed at.

    A word *why?* in the sentence is a link to an explanation, which is its tip as well.
    """

    def __init__(self) -> None:
        super().__init__(hint="")
        self._reasons: tuple[str, ...] = ()
        self._link = QRect()  # where the word is; empty if there is none
        self.setMouseTracking(True)

    def setText(self, text: str, *reasons: str) -> None:  # noqa: N802
        """Show a sentence; `reasons` are the lines that explain it."""
        self._hint, self._reasons = text, reasons
        self.setAccessibleName(text)
        self.setAccessibleDescription(" ".join(reasons))
        self.setToolTip(tip_text(text, *reasons) if text else "")
        self.setFocusPolicy(_FOCUS.TabFocus if WHY in text and reasons else _FOCUS.NoFocus)
        self.update()

    def text(self) -> str:
        """The sentence, also while something is pointed at."""
        return self._hint

    def _paint_text(self, painter: QPainter, area: QRectF, text: str) -> None:
        metrics, self._link = self.fontMetrics(), QRect()
        if self._detail is None:
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        super()._paint_text(painter, area, text)
        before, word, _ = text.partition(WHY)
        left = round(area.left()) + metrics.horizontalAdvance(before)
        width = metrics.horizontalAdvance(WHY)
        if self._detail is None and word and self._reasons and left + width < area.right():
            self._link = QRect(left, 0, width, self.height())
            painter.fillRect(self._link, self.palette().color(QPalette.ColorRole.Window))
            font = painter.font()
            font.setUnderline(True)
            painter.setFont(font)
            painter.setPen(self.palette().color(QPalette.ColorRole.Link))
            super()._paint_text(painter, QRectF(self._link), WHY)
            if self.hasFocus():
                painter.setPen(self.palette().color(QPalette.ColorRole.Highlight))
                painter.drawRect(self._link.adjusted(-2, 0, 1, -1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        is_link = self._link.contains(event.position().toPoint())
        hand, arrow = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor
        self.setCursor(hand if is_link else arrow)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._link.contains(event.position().toPoint()):
            self._explain()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._explain()
        else:
            super().keyPressEvent(event)

    def _explain(self) -> None:
        place, tip = self.mapToGlobal(QPoint(self._link.left(), 0)), tip_text(*self._reasons)
        QToolTip.showText(place, tip, self, QRect(), _READING_TIME)
