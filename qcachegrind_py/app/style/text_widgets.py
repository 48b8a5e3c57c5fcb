"""Widgets with plain text to read, select and copy: paragraphs, pages of tables, dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import (
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from qcachegrind_py.app.style.forms import FormDialog, resize_within_screen
from qcachegrind_py.visible_text import visible_lines

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


_MAX_LENGTH = 4000  # characters of one cell
_MAX_COLUMN_DIGITS = 40  # width of all columns but the last
_HEADING_SIZE = 1.15  # of the font
Row = Sequence[str]


class TablePage(QTextEdit):
    """A page to which headings, tables and lines are added; all of them are plain text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(self.fontMetrics().height() / 2)
        self._cursor = QTextCursor(self.document())

    def add_text(self, text: str) -> None:
        self._cursor.insertText(text)

    def add_paragraph(self, text: str) -> None:
        space = QTextBlockFormat()
        space.setBottomMargin(self.fontMetrics().height() / 2)
        self._cursor.setBlockFormat(space)
        self._cursor.insertText(text)
        self._cursor.insertBlock(QTextBlockFormat())

    def add_heading(self, text: str) -> None:
        space, bold = QTextBlockFormat(), QTextCharFormat()
        space.setTopMargin(self.fontMetrics().height())
        bold.setFontPointSize(self.font().pointSizeF() * _HEADING_SIZE)
        bold.setFontWeight(QFont.Weight.DemiBold)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.insertBlock(space, bold)
        self._cursor.insertText(text, bold)
        self._cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())

    def add_table(self, rows: Sequence[Row], numbers: Sequence[str] | None = None) -> None:
        """Add a table whose first row has the titles; without `numbers`, its first column has.

        `numbers` are the titles of the columns that are aligned to the right.
        """
        if not rows:
            return
        table = self._cursor.insertTable(len(rows), len(rows[0]), self._table_format(rows))
        title_format = QTextCharFormat()
        title_format.setFontWeight(QFont.Weight.DemiBold)
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                is_title = column == 0 if numbers is None else row == 0
                is_number = numbers is not None and rows[0][column] in numbers
                format_ = title_format if is_title else QTextCharFormat()
                self._fill_cell(table.cellAt(row, column), text, format_, is_number=is_number)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _fill_cell(
        self, cell: QTextTableCell, text: str, format_: QTextCharFormat, *, is_number: bool
    ) -> None:
        cursor, block = cell.firstCursorPosition(), QTextBlockFormat()
        if is_number:
            block.setAlignment(Qt.AlignmentFlag.AlignRight)
            block.setRightMargin(self.fontMetrics().height() / 2)
        cursor.setBlockFormat(block)
        cursor.insertText(text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…", format_)

    def _table_format(self, rows: Sequence[Row]) -> QTextTableFormat:
        """Return the format of a table whose columns have the width of their texts.

        The last column has the rest; one of variable width would be as narrow as one letter.
        """
        line, format_ = self.fontMetrics().height(), QTextTableFormat()
        format_.setBorder(0)
        format_.setCellSpacing(0)
        format_.setCellPadding(line / 8)
        fixed, rest = QTextLength.Type.FixedLength, QTextLength.Type.PercentageLength
        columns = list(zip(*rows, strict=True))[:-1]
        widths = [QTextLength(fixed, self._width(texts)) for texts in columns]
        format_.setColumnWidthConstraints([*widths, QTextLength(rest, 100)])
        return format_

    def _width(self, texts: Sequence[str]) -> float:
        """Return the width in pixels that these texts take in bold, with space behind them."""
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(bold)
        digit = metrics.horizontalAdvance("0")
        widest = max(metrics.horizontalAdvance(text[:_MAX_COLUMN_DIGITS]) for text in texts)
        return min(widest, _MAX_COLUMN_DIGITS * digit) + 2.5 * digit


class CopyDialog(FormDialog):
    """Shows a text; Copy copies all of it."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        body: QWidget,
        text: Callable[[], str],
        tip: str = "Copy all of the text",
        *,
        above: QWidget | None = None,
    ) -> None:
        """`text` returns what is copied; a widget `above` the body says what it is."""
        super().__init__(parent, title)
        if above is not None:
            self.form.add_wide(above)
        self.form.add_wide(body, 1)
        self.add_buttons()
        self.copy_button = self.add_button(
            "&Copy", tip, lambda: QGuiApplication.clipboard().setText(text())
        )


class TextDialog(CopyDialog):
    """Shows a summary above a text."""

    def __init__(self, title: str, summary: str, text: str, parent: QWidget | None) -> None:
        self.text = QPlainTextEdit(visible_lines(text), readOnly=True)
        self.label = QLabel(visible_lines(summary), wordWrap=True)
        super().__init__(parent, title, self.text, self.text.toPlainText, above=self.label)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setVisible(bool(summary))
        self.text.setAccessibleName(title)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        digit = self.fontMetrics().horizontalAdvance("0")
        resize_within_screen(self, 110 * digit, 60 * digit)
