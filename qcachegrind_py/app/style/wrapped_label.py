"""A paragraph of plain text in a dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel

_ROLE = QPalette.ColorRole


class WrappedLabel(QLabel):
    """As high as its lines are: a layout alone would let others cover the last one."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))


class FaintWrappedLabel(WrappedLabel):
    """Explains, and is fainter than what it explains, where that cannot be used too."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setForegroundRole(_ROLE.PlaceholderText)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:  # disabled text is fainter still
            self.setForegroundRole(_ROLE.PlaceholderText if self.isEnabled() else _ROLE.WindowText)
