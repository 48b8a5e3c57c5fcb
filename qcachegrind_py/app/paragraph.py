"""A paragraph of plain text in a dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel


class Paragraph(QLabel):
    """As high as its lines are: a layout alone would let others cover the last one."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))


def faint(text: str = "") -> Paragraph:
    """A paragraph that explains, fainter than what it explains."""
    paragraph = Paragraph(text)
    paragraph.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return paragraph
