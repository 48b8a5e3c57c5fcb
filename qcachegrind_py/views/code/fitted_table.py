"""The layout of a code table: compact rows, fitted columns, code that scrolls in its column.

Only the code scrolls sideways, with its own scroll bar, so that the costs stay in sight.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QTableView, QWidget

from qcachegrind_py.models.base.table import ARROW_ROOM, AnyIndex
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.views.code.cell_delegate import CodeDelegate
from qcachegrind_py.views.code.jump_gutter import gutter_width
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.pictures.canvas import paint_stale_overlay

_MIN_TEXT_WIDTH, _MIN_LOCATION_WIDTH = 12, 10  # characters
_EASY_TEXT_WIDTH = 40  # characters of code: with less, the columns before it become narrower
_LOCATION_FRACTION = 5  # locations take at most a fifth of the width


class FittedCodeTable(RecordTable):
    """A table whose `text_column` holds the code; views put `text_bar` below the table."""

    def __init__(
        self, model: CodeModel, text_column: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, name, parent)
        self._code_model = model
        self._is_stale = False
        self._widths: dict[int, int] = {}  # pixels that the contents need, by column
        self._number_widths: dict[int, int] = {}  # likewise, of numbers without their titles
        self._text_width = 0  # pixels of the longest line
        self.text_bar = QScrollBar(Qt.Orientation.Horizontal)
        self.text_bar.setAccessibleName(f"{name}, sideways")
        self.text_bar.valueChanged.connect(self._scroll_text)
        self.text_bar.hide()
        self.ascending_columns = (model.LOCATION,)
        self.setAlternatingRowColors(False)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._delegate = CodeDelegate(self, model, text_column)
        for column in range(len(model.columns)):
            self.setItemDelegateForColumn(column, self._delegate)
        self.sortByColumn(model.LOCATION, Qt.SortOrder.AscendingOrder)
        self._fit_rows()
        self.horizontalHeader().sectionResized.connect(lambda *_: self._delegate.clear_cache())
        self.horizontalHeader().sortIndicatorChanged.connect(lambda *_: self._distribute_width())

    def _fit_rows(self) -> None:
        line = int(self._delegate.code_style.height)
        self.verticalHeader().setMinimumSectionSize(line)
        self.verticalHeader().setDefaultSectionSize(line + line // 6)

    def fit_code(self) -> None:
        """Fit the columns of numbers, arrows and code to their contents."""
        delegate, code = self._delegate, self._code_model
        longest = code.longest_texts()
        self._widths = {column: delegate.text_width(text) for column, text in longest.items()}
        self._widths[code.JUMPS] = gutter_width(code.lanes.count, delegate.code_style)
        self._text_width = self._widths.pop(delegate.text_column)
        self._text_width += delegate.indent + delegate.triangle_width if code.has_groups else 0
        self.fit_numbers()

    def fit_numbers(self, *, only_wider: bool = False) -> None:
        """Measure the number columns, then fit all columns."""
        metrics, code = self.fontMetrics(), self._code_model
        self._number_widths = {
            column: metrics.horizontalAdvance(f"{code.largest_text(column)}00")
            for column in range(code.SELF, code.CALLS + 1)
        }
        self._distribute_width()

    def _distribute_width(self) -> None:
        """Give the code the remaining width; longer lines scroll in their column."""
        text = self._delegate.text_column if hasattr(self, "_delegate") else -1
        if text < 0 or not self._widths:
            super()._distribute_width()
            return
        for column, width in self._widths.items():
            if column != self._code_model.LOCATION:
                self._set_auto_width(column, width)
        self._distribute_before_code(text)
        self._distribute_to_locations(text)
        width = self.columnWidth(text)
        self.text_bar.setPageStep(width)
        self.text_bar.setSingleStep(self._delegate.text_width("0000"))
        self.text_bar.setRange(0, max(0, self._text_width - width))
        self.text_bar.setVisible(self._text_width > width)

    def _distribute_before_code(self, text_column: int) -> None:
        """Fit locations and numbers; they keep less room until the code is wide enough to read.

        First the titles lose the room for a sort arrow, then file names before line numbers are
        elided.
        """
        easy_width = min(self._text_width, self._delegate.text_width("0" * _EASY_TEXT_WIDTH))
        for has_arrow_room, has_names in ((True, True), (False, True), (False, False)):
            self._set_auto_width(self._code_model.LOCATION, self._location_width(has_names))
            for column, width in self._number_widths.items():
                title = self._title_width(column, has_arrow_room=has_arrow_room)
                self._set_auto_width(column, max(title, width))
            others = (c for c in range(len(self._code_model.columns)) if c != text_column)
            width_left = self.viewport().width() - sum(map(self.columnWidth, others))
            if width_left >= (easy_width if has_arrow_room else easy_width // 2):
                break

    def _distribute_to_locations(self, text_column: int) -> None:
        """Give location columns right of the code the width it leaves, but at least a minimum."""
        behind = [column for column in self._widths if column > text_column]
        others = (
            c for c in range(len(self._code_model.columns)) if c != text_column and c not in behind
        )
        width_left = self.viewport().width() - sum(map(self.columnWidth, others))
        for column in behind:
            min_width = self._delegate.text_width("0" * _MIN_LOCATION_WIDTH)
            self._set_auto_width(
                column, min(self._widths[column], max(min_width, width_left - self._text_width))
            )
            width_left -= self.columnWidth(column)
        self._set_auto_width(
            text_column, max(width_left, self._delegate.text_width("0" * _MIN_TEXT_WIDTH))
        )

    def _location_width(self, has_names: bool) -> int:
        """Return the width of the first column, in which long file names are elided.

        Without names it is the width of the longest number.
        """
        number = self._delegate.text_width(self._code_model.longest_number())
        min_width = max(self._title_width(self._code_model.LOCATION), number)
        if not has_names:
            return min_width
        max_width = max(min_width, self.viewport().width() // _LOCATION_FRACTION)
        return min(max(min_width, self._widths[self._code_model.LOCATION]), max_width)

    def _title_width(self, column: int, *, has_arrow_room: bool = True) -> int:
        """Return the width of a title; that of the sorted column always has room for the arrow."""
        declared = self._code_model.columns[column]
        title = declared.heading() if declared.heading else declared.title
        is_sorted = column == self.horizontalHeader().sortIndicatorSection()
        room = ARROW_ROOM if has_arrow_room or is_sorted else ""
        return self.fontMetrics().horizontalAdvance(f"{title}{room}00")

    def _scroll_text(self, value: int) -> None:
        self._delegate.scroll_offset = value
        self.viewport().update()

    def scrollTo(  # noqa: N802
        self,
        index: AnyIndex,
        hint: QTableView.ScrollHint = QTableView.ScrollHint.EnsureVisible,
    ) -> None:
        """Scroll vertically only: the current cell may be in a column wider than the viewport."""
        left = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        self.horizontalScrollBar().setValue(left)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep a visible current row visible."""
        row = self.visualRect(self.currentIndex())
        was_seen = row.isValid() and 0 <= row.top() <= row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        if was_seen:
            self.scrollTo(self.currentIndex())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the code on a sideways wheel, if all columns fit into the table."""
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways and not self.horizontalScrollBar().maximum():
            self.text_bar.event(event)
        else:
            super().wheelEvent(event)

    # ---------------------------------------------------------------- style

    def highlight_text(self, text: str) -> None:
        """Highlight all occurrences of a text in the code."""
        self._delegate.search_text = text.lower()
        self.viewport().update()

    def update_colors(self) -> None:
        """Repaint the code in its present colours."""
        self._delegate.clear_code_cache()
        self.viewport().update()

    def set_stale(self, stale: bool) -> None:
        """Grey the code while its replacement is being loaded."""
        if stale != self._is_stale:
            self._is_stale = stale
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self._is_stale:
            painter = QPainter(self.viewport())
            paint_stale_overlay(painter, self.viewport().rect(), self.palette())
            painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        style_events = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in style_events and hasattr(self, "_delegate"):
            self._delegate.update_style(self)
            self._fit_rows()
            self.fit_code()
