"""A dialog that shows plain text to read, search and copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.visible_text import visible_lines


class TextDialog(QDialog):
    """Shows a summary above the text; Copy copies all of the text. Deletes itself when closed."""

    def __init__(self, title: str, summary: str, text: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.label = QLabel(visible_lines(summary), wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setVisible(bool(summary))
        self.text = QPlainTextEdit(visible_lines(text), readOnly=True)
        self.text.setAccessibleName(title)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.rejected.connect(self.reject)
        self.add_button("&Copy", "Copy all of the text").clicked.connect(self._copy)
        column = QVBoxLayout(self)
        for widget in (self.label, self.text, self._buttons):
            column.addWidget(widget)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.resize(110 * digit, 60 * digit)

    def add_button(self, title: str, tip: str) -> QPushButton:
        """Add a button beside Copy."""
        button = self._buttons.addButton(title, QDialogButtonBox.ButtonRole.ActionRole)
        button.setToolTip(tip)
        return button

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
