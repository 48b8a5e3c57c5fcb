"""A page of headings and tables of plain text, to read, select and copy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import QTextEdit

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
        """Add text at the end."""
        self._cursor.insertText(text)

    def add_paragraph(self, text: str) -> None:
        """Add a paragraph, with space below it."""
        space = QTextBlockFormat()
        space.setBottomMargin(self.fontMetrics().height() / 2)
        self._cursor.setBlockFormat(space)
        self._cursor.insertText(text)
        self._cursor.insertBlock(QTextBlockFormat())

    def add_heading(self, text: str) -> None:
        """Add a heading, with space above it."""
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
