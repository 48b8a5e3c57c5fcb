"""Labels for paragraphs of plain text in dialogs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel

_ROLE = QPalette.ColorRole


class WrappedLabel(QLabel):
    """A wrapping label with the height of its lines; layouts alone would cut off the last one."""

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
    """A fainter label that explains a widget, and stays readable when both are disabled."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setForegroundRole(_ROLE.PlaceholderText)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:  # disabled text is even fainter
            self.setForegroundRole(_ROLE.PlaceholderText if self.isEnabled() else _ROLE.WindowText)
