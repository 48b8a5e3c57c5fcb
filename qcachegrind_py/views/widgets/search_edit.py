"""Search fields of pictures and code, and their base, which can mark a text as invalid."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip

from qcachegrind_py.views.widgets.labels import tip_text
from qcachegrind_py.visible_text import visible_text

# Characters that a field takes: the longest names fit a filter. Qt's time to paste them grows with
# the square: 100,000 take 0.5 s, and a million, a copied table, minutes.
_MAX_LENGTH = 131_072


class ValidatedEdit(QLineEdit):
    """A line edit that can mark its text as invalid."""

    _has_error = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self.setMaxLength(_MAX_LENGTH)
        self.setAcceptDrops(False)  # a file that is dropped here is for the window

    def set_error(self, text: str) -> None:
        """Mark the text as invalid and explain why in the tooltip and to screen readers.

        An empty `text` clears the mark.
        """
        self._has_error = bool(text)
        self.setToolTip(tip_text(text) if text else "")
        self.setAccessibleDescription(visible_text(text))
        self.update_color()
        if text and self.hasFocus():  # a tooltip shows the error at once and moves no widget
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.toolTip(), self)

    def update_color(self) -> None:
        """Apply the error colour; Qt reports no palette change to a widget with its own palette."""
        palette = QPalette()  # unset roles keep following the application's palette
        if self._has_error:
            color = QApplication.palette().color(QPalette.ColorRole.BrightText)
            palette.setColor(QPalette.ColorRole.Text, color)
        self.setPalette(palette)


class FindEdit(ValidatedEdit):
    """A search field: Return goes from match to match, Escape clears."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 10)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
