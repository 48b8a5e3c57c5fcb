"""What a recorded program prints, with valgrind's own lines fainter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFont, QFontDatabase, QPalette, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from qcachegrind_py.models.plain_text import plain_line
from qcachegrind_py.session.program_output import Line, is_of_valgrind

_MOST_LINES = 5000
_TAB = 8


class OutputText(QPlainTextEdit):
    """Keeps the last lines; what the user scrolled to stays where it is."""

    def __init__(self) -> None:
        super().__init__(readOnly=True)
        self.setAccessibleName("Output of the program")
        self.setPlaceholderText("What the program prints is shown here.")
        self.setMaximumBlockCount(_MOST_LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(fixed_font())
        self.setTabChangesFocus(True)
        self._highlighter = _OwnLines(self)

    def add(self, lines: Sequence[Line]) -> None:
        """Show more lines."""
        self.appendPlainText("\n".join(plain_line(line.text.expandtabs(_TAB)) for line in lines))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_highlighter"):
            self._highlighter.rehighlight()


class _OwnLines(QSyntaxHighlighter):
    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit.document())
        self._edit = edit

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        if is_of_valgrind(text):
            faint = QTextCharFormat()
            faint.setForeground(self._edit.palette().brush(QPalette.ColorRole.PlaceholderText))
            self.setFormat(0, len(text), faint)


def fixed_font() -> QFont:
    """The font of terminals."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
