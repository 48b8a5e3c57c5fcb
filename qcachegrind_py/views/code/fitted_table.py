"""A table of code as it looks: compact rows, fitting columns, a text that scrolls in its own.

Only the text scrolls sideways, in its column and by a bar of its own: numbers stay in sight.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QTableView, QWidget

from qcachegrind_py.models.base.table import ARROW_ROOM, AnyIndex
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.views.code.cell_delegate import CodeDelegate
from qcachegrind_py.views.code.jump_gutter import gutter_width
from qcachegrind_py.views.common.picture_canvas import paint_stale_overlay
from qcachegrind_py.views.common.record_table import RecordTable

_MIN_TEXT_WIDTH, _MIN_LOCATION_WIDTH = 12, 10  # characters
_LOCATION_FRACTION = 5  # places have at most a fifth of the room


class FittedCodeTable(RecordTable):
    """`text_column` has the code; `text_bar` is for the view to put below the table."""

    def __init__(
        self, model: CodeModel, text_column: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, name, parent)
        self._code_model = model
        self._is_stale = False
        self._widths: dict[int, int] = {}  # of columns that are as wide as what is in them
        self._text_width = 0  # of the longest line
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

    def _fit_rows(self) -> None:
        line = int(self._delegate.code_style.height)
        self.verticalHeader().setMinimumSectionSize(line)
        self.verticalHeader().setDefaultSectionSize(line + line // 6)

    def fit_code(self) -> None:
        """Give numbers, arrows and text the room that they need now."""
        delegate, code = self._delegate, self._code_model
        self.fit_numbers()
        for column, declared in enumerate(code.columns):
            if declared.is_number:
                self._set_auto_width(
                    column, max(self._title_width(column), self.columnWidth(column))
                )
        longest = code.longest_texts()
        self._widths = {column: delegate.text_width(text) for column, text in longest.items()}
        self._widths[code.JUMPS] = gutter_width(code.rows.records.lanes.count, delegate.code_style)
        self._text_width = self._widths.pop(delegate.text_column) + delegate.indent
        self._distribute_width()

    def _distribute_width(self) -> None:
        """The text has the room that is left; where it is longer, it scrolls in its column."""
        super()._distribute_width()
        text = self._delegate.text_column if hasattr(self, "_delegate") else -1
        if text >= 0 and self._widths:
            for column, width in self._widths.items():
                self._set_auto_width(
                    column, self._location_width() if column == self._code_model.LOCATION else width
                )
            self._distribute_to_locations(text)
            room = self.columnWidth(text)
            self.text_bar.setPageStep(room)
            self.text_bar.setSingleStep(self._delegate.text_width("0000"))
            self.text_bar.setRange(0, max(0, self._text_width - room))
            self.text_bar.setVisible(self._text_width > room)

    def _distribute_to_locations(self, text: int) -> None:
        """Give places behind the text the room that it does not need, and at least a little."""
        behind = [column for column in self._widths if column > text]
        others = (c for c in range(len(self._code_model.columns)) if c != text and c not in behind)
        left = self.viewport().width() - sum(map(self.columnWidth, others))
        for column in behind:
            least = self._delegate.text_width("0" * _MIN_LOCATION_WIDTH)
            self._set_auto_width(
                column, min(self._widths[column], max(least, left - self._text_width))
            )
            left -= self.columnWidth(column)
        self._set_auto_width(text, max(left, self._delegate.text_width("0" * _MIN_TEXT_WIDTH)))

    def _location_width(self) -> int:
        """The room of the first column: where there is little, names of files are cut."""
        number = self._delegate.text_width(self._code_model.longest_number())
        least = max(self._title_width(self._code_model.LOCATION), number)
        most = max(least, self.viewport().width() // _LOCATION_FRACTION)
        return min(max(least, self._widths[self._code_model.LOCATION]), most)

    def _title_width(self, column: int) -> int:
        """The room of a title with the arrow of sorting, wherever that is now."""
        declared = self._code_model.columns[column]
        title = declared.heading() if declared.heading else declared.title
        return self.fontMetrics().horizontalAdvance(f"{title}{ARROW_ROOM}00")

    def _scroll_text(self, value: int) -> None:
        self._delegate.scroll_offset = value
        self.viewport().update()

    def scrollTo(  # noqa: N802
        self,
        index: AnyIndex,
        hint: QTableView.ScrollHint = QTableView.ScrollHint.EnsureVisible,
    ) -> None:
        """Never scrolls sideways: the current cell may be in a column that is wider than all."""
        left = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        self.horizontalScrollBar().setValue(left)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the current row in sight, if it was."""
        row = self.visualRect(self.currentIndex())
        was_seen = row.isValid() and 0 <= row.top() <= row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        if was_seen:
            self.scrollTo(self.currentIndex())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Sideways, the text is scrolled, where the columns themselves have room."""
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways and not self.horizontalScrollBar().maximum():
            self.text_bar.event(event)
        else:
            super().wheelEvent(event)

    # ---------------------------------------------------------------- looks

    def highlight_text(self, text: str) -> None:
        """Light up this text wherever it is in the code."""
        self._delegate.search_text = text.lower()
        self.viewport().update()

    def update_colors(self) -> None:
        """Draw the code in the colours that it has now."""
        self._delegate.clear_code_cache()
        self.viewport().update()

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
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
        looks = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in looks and hasattr(self, "_delegate"):
            self._delegate.update_style(self)
            self._fit_rows()
            self.fit_code()
