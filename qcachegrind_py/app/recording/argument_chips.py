"""A row of boxes, one per command-line argument, which shows how the line is split."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from qcachegrind_py.views.widgets.labels import tip_text
from qcachegrind_py.visible_text import visible_text

_MAX_CHIP_CHARACTERS = 200  # characters drawn of an argument
_CORNER_RADIUS = 3.0
_FAINT = QPalette.ColorRole.PlaceholderText
_MAX_TIP_ARGUMENTS = 40  # arguments listed in the tooltip


class ArgumentChips(QWidget):
    """Draws one line of boxes, and the number of those that do not fit."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self._arguments: tuple[str, ...] = ()
        self._problem = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Words")

    @property
    def text(self) -> str:
        """The problem, or else the arguments, one per line."""
        return self._problem or "\n".join(self._arguments)

    def set_words(self, arguments: Sequence[str]) -> None:
        """Show these arguments."""
        self._arguments, self._problem = tuple(arguments), ""
        lines = [
            f"{n}  {visible_text(word)}"
            for n, word in enumerate(arguments[:_MAX_TIP_ARGUMENTS], start=1)
        ]
        self._set_tip(
            tip_text(*lines, *(["…"] if len(arguments) > _MAX_TIP_ARGUMENTS else []))
            if arguments
            else ""
        )

    def set_problem(self, problem: str) -> None:
        """Show why the line cannot be split into arguments."""
        self._arguments, self._problem = (), problem
        self._set_tip("")

    def _set_tip(self, tip: str) -> None:
        self.setToolTip(tip)
        self.setAccessibleDescription(self.text or self._placeholder)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._arguments:
            self._paint_chips(painter)
        else:
            role = QPalette.ColorRole.BrightText if self._problem else _FAINT
            self._paint_text(painter, QRectF(self.rect()), self._problem or self._placeholder, role)
        painter.end()

    def _paint_chips(self, painter: QPainter) -> None:
        metrics, left = self.fontMetrics(), 0.5
        padding = metrics.horizontalAdvance(" ")
        rest = metrics.horizontalAdvance("+9999") + padding
        max_width = max(self.width() // 2, 4 * padding)
        for number, word in enumerate(self._arguments):
            shown = visible_text(word[:_MAX_CHIP_CHARACTERS])
            shown = metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, max_width)
            width = max(metrics.horizontalAdvance(shown), padding) + 2 * padding
            is_last = number == len(self._arguments) - 1
            if left + width > self.width() - (0 if is_last else rest):
                area = QRectF(left, 0, self.width() - left, self.height())
                self._paint_text(painter, area, f"+{len(self._arguments) - number}", _FAINT)
                return
            self._paint_chip(painter, QRectF(left, 1.5, width, self.height() - 4), shown)
            left += width + padding

    def _paint_chip(self, painter: QPainter, box: QRectF, argument: str) -> None:
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.setBrush(self.palette().color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, _CORNER_RADIUS, _CORNER_RADIUS)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, argument)

    def _paint_text(
        self, painter: QPainter, area: QRectF, text: str, role: QPalette.ColorRole
    ) -> None:
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.setPen(self.palette().color(role))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
