"""The text of the properties dialog: the facts of a profile, its events and its parts as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

from qcachegrind_py.analysis.facts import PartFacts, ProfileFacts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.number_format import NumberStyle, format_count, format_exact
from qcachegrind_py.profile.units import unit_of
from qcachegrind_py.reports.facts import event_title, fact_lines, percentage_base
from qcachegrind_py.visible_text import visible_text

_MAX_LENGTH = 4000  # characters of one value
_MAX_PARTS = 1000  # more take seconds to lay out
_MAX_COLUMN_DIGITS = 40  # width of all columns but the last
_HEADING_SIZE = 1.15  # of the font
_MAX_FUNCTION_FACTS = 200  # a function can have code from 100,000 files; Copy copies all
ACTIVE_FUNCTION = "Active Function"
Fact = tuple[str, str]  # key and value
_Row = Sequence[str]


class FactsPage(QTextEdit):
    """Shows facts as text to select and copy; names are inserted as plain text."""

    def __init__(
        self,
        facts: ProfileFacts,
        style: NumberStyle,
        *,
        of_recorded: bool,
        function: Sequence[Fact] = (),
    ) -> None:
        """`of_recorded` is the setting that lets percentages be of the recorded total.

        `function` are the facts of the active function.
        """
        super().__init__()
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName("Properties")
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(self.fontMetrics().height() / 2)
        self._style, self._cursor = style, QTextCursor(self.document())
        self._cursor.beginEditBlock()
        percentages = "Percentages", percentage_base(facts, of_recorded=of_recorded)
        self._add_table(_without_repeated_keys([*fact_lines(facts, style), percentages]))
        self._add_events(facts)
        if function:
            self._add_function(function)
        if len(facts.parts) > 1:
            self._add_parts(facts)
        self._cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _add_events(self, facts: ProfileFacts) -> None:
        self._add_heading("Events")
        rows = [("Event", "Attributed", "Recorded", "Meaning")]
        for event in facts.events:
            unit = unit_of(event.type.name, event.type.long_name)
            recorded = event.total.recorded
            attributed, written = (
                "" if number is None else format_exact(number, "", self._style, unit)
                for number in (event.total.counted, recorded)
            )
            rows.append((visible_text(event.type.name), attributed, written, event_title(event)))
        self._add_table(_without_empty_columns(rows), numbers=("Attributed", "Recorded"))

    def _add_function(self, function: Sequence[Fact]) -> None:
        self._add_heading(ACTIVE_FUNCTION)
        shown = function[:_MAX_FUNCTION_FACTS]
        self._add_table(_without_repeated_keys((key, visible_text(text)) for key, text in shown))
        if more := len(function) - len(shown):
            self._cursor.insertText(f"… and {format_count(more, self._style)} more")

    def _add_parts(self, facts: ProfileFacts) -> None:
        shown = facts.parts[:_MAX_PARTS]
        self._add_heading(f"{format_count(len(facts.parts), self._style)} Parts")
        first = visible_text(facts.events[0].type.name) if facts.events else "Cost"
        titles = ("PID", "Part", "Thread", first, "Trigger", "Time Range", "File")
        has_files = len(facts.files) > 1
        rows = [titles, *(self._part_row(part, has_file=has_files) for part in shown)]
        self._add_table(_without_empty_columns(rows), numbers=titles[:4])
        if more := len(facts.parts) - len(shown):
            self._cursor.insertText(f"… and {format_count(more, self._style)} more")

    def _part_row(self, part: PartFacts, *, has_file: bool) -> _Row:
        numbers = (str(number) if number else "" for number in (part.pid, part.part, part.thread))
        total = format_count(part.totals[0], self._style) if part.totals else ""
        texts = part.trigger, part.time_range, base_name(part.path) if has_file else ""
        return (*numbers, total, *map(visible_text, texts))

    # ---------------------------------------------------------------- document

    def _add_heading(self, text: str) -> None:
        space, bold = QTextBlockFormat(), QTextCharFormat()
        space.setTopMargin(self.fontMetrics().height())
        bold.setFontPointSize(self.font().pointSizeF() * _HEADING_SIZE)
        bold.setFontWeight(QFont.Weight.DemiBold)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.insertBlock(space, bold)
        self._cursor.insertText(text, bold)
        self._cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())

    def _add_table(self, rows: Sequence[_Row], numbers: Sequence[str] | None = None) -> None:
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

    def _table_format(self, rows: Sequence[_Row]) -> QTextTableFormat:
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


def _without_repeated_keys(lines: Iterable[tuple[str, str]]) -> list[_Row]:
    """Return keys and values, with a key that is that of the line above left out."""
    rows: list[_Row] = []
    previous = ""
    for key, value in lines:
        rows.append(("" if key == previous else key, value))
        previous = key
    return rows


def _without_empty_columns(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows without the columns that have a title only."""
    columns = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    return [tuple(row[column] for column in columns) for row in rows]
