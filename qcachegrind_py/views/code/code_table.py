"""The table widget of the Source and Assembler docks, and its cost ruler.

It follows calls, unfolds code and finds costs. Its columns fit their contents. Only the code
scrolls sideways, with its own scroll bar, so that the costs stay in sight.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMenu, QScrollBar, QTableView, QVBoxLayout, QWidget

from qcachegrind_py.present.code_records import CodeRecords, RecordKind
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.views.code.code_cells import CodeDelegate, CodeModel, gutter_width
from qcachegrind_py.views.code.cost_ruler import CostRuler
from qcachegrind_py.views.pictures.canvas import paint_stale_overlay
from qcachegrind_py.views.tables.bars import bar_gap, cell_margin, full_bar_room, least_bar_room
from qcachegrind_py.views.tables.column_header import arrow_room
from qcachegrind_py.views.tables.columns import needed_widths
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.widgets.controls import tip_text

_MIN_TEXT_WIDTH = 12  # characters
_EASY_TEXT_WIDTH = 40  # characters of code: with less, the columns before it become narrower
_ROWS_AROUND = 2  # rows seen above the line where a function begins, and below its hottest one
_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows


class CodeTable(RecordTable):
    """A table of annotated code. A double click or Return follows a call or unfolds code.

    On a line or instruction they emit `record_activated`.
    """

    function_activated = Signal(object)  # FunctionId
    function_selected = Signal(object)
    record_activated = Signal(object)  # int: record of a line or instruction
    record_selected = Signal(object)  # int: record of the line or instruction the user moved to
    menu_requested = Signal(object, object)  # QMenu, FunctionId: the menu to fill for this function
    record_menu_requested = Signal(object, object)  # QMenu, int: the menu to fill for this record

    def __init__(self, model: CodeModel, name: str) -> None:
        super().__init__(model, name)
        self._code_model = model
        self._is_stale = False
        self._widths: dict[int, int] = {}  # pixels that the contents need, by column
        self._number_widths: dict[int, int] = {}  # likewise, of numbers without bars
        self._text_width = 0  # pixels of the longest line
        self._seen_width = 0  # pixels of the longest line that has been on the screen
        self.text_bar = QScrollBar(Qt.Orientation.Horizontal)
        self.text_bar.setAccessibleName(f"{name}, horizontal scroll bar")
        self.text_bar.valueChanged.connect(self._scroll_text)
        self.text_bar.hide()
        self.verticalScrollBar().valueChanged.connect(self._fit_text_bar)
        self.verticalScrollBar().rangeChanged.connect(self._fit_text_bar)
        self.ascending_columns = (0,)
        self.setAlternatingRowColors(False)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._delegate = CodeDelegate(self, model, self._beside_bars, self._row_states)
        for column in range(len(model.columns)):
            self.setItemDelegateForColumn(column, self._delegate)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self._fit_rows()
        self.horizontalHeader().sortIndicatorChanged.connect(lambda *_: self._distribute_width())
        self._is_programmatic = False  # whether the program changes the current row, not the user
        self.doubleClicked.connect(self.activate)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    @property
    def _records(self) -> CodeRecords:
        return self._code_model.listing.rows.records

    # ---------------------------------------------------------------- layout

    def _fit_rows(self) -> None:
        line = int(self._delegate.code_style.height)
        self.verticalHeader().setMinimumSectionSize(line)
        self.verticalHeader().setDefaultSectionSize(line + line // 6)

    def fit_code(self) -> None:
        """Fit the columns of numbers, arrows and code to their contents."""
        delegate, code = self._delegate, self._code_model
        longest = code.listing.texts.longest_texts()
        self._widths = {code.place(key): delegate.text_width(text) for key, text in longest.items()}
        _, lanes = code.listing.jumps
        self._widths[code.place("jumps")] = gutter_width(lanes.count, delegate.code_style)
        self._text_width = self._widths.pop(delegate.text_column)
        self.fit_numbers()

    def fit_numbers(self, *, only_wider: bool = False) -> None:
        """Measure the number columns, then fit all columns."""
        metrics, code = self.fontMetrics(), self._code_model
        self._number_widths = {
            column: needed_widths(code.columns[column], metrics)[0]
            for column in range(*code.places("self", "jumps"))
        }
        for column, width in self._number_widths.items():
            if code.columns[column].cells.has_bars:
                self._beside_bars[column] = width - 2 * cell_margin()
        self._distribute_width()

    def _distribute_width(self) -> None:
        """Give the code the remaining width; longer lines scroll in their column."""
        text = self._delegate.text_column if hasattr(self, "_delegate") else -1
        if text < 0 or not self._widths:
            super()._distribute_width()
            return
        with self._column_widths.changing_together():
            for column, width in self._widths.items():
                if column:  # the location
                    self._column_widths.set_width(column, width)
            self._distribute_before_code(text)
            self._distribute_to_locations(text)
        self.text_bar.setSingleStep(self._delegate.text_width("0000"))
        self._fit_text_bar()

    def _fit_text_bar(self) -> None:
        """Offer to scroll sideways as far as the lines need that have been on the screen."""
        if not hasattr(self, "_delegate") or not self._widths:
            return
        rows = range(max(0, self.rowAt(0)), self._last_visible_row() + 1)
        order, delegate = self._code_model.order, self._delegate
        longest = max((delegate.code_width(int(order[row])) for row in rows), default=0)
        self._seen_width = max(self._seen_width, longest)
        width = self.columnWidth(delegate.text_column)
        self.text_bar.setPageStep(width)
        self.text_bar.setRange(0, max(0, self._seen_width - width))
        self.text_bar.setVisible(self._seen_width > width)

    def forget_seen_lines(self) -> None:
        """Offer to scroll sideways only as far as the lines need that are on the screen now."""
        self._seen_width = 0
        self._fit_text_bar()

    def _last_visible_row(self) -> int:
        last = self.rowAt(self.viewport().height() - 1)
        return last if last >= 0 else self._code_model.rowCount() - 1

    def _distribute_before_code(self, text_column: int) -> None:
        """Fit line numbers, costs and bars, which keep less room while little is left for code.

        First the costs of the sides of a comparison give way, as the change says most. Then bars
        become shorter, then there are none, then titles lose the room for an arrow.
        """
        title = self.fontMetrics().horizontalAdvance(self._code_model.columns[0].heading)
        lines = max(title + arrow_room() + 2 * cell_margin(), self._widths[0])
        self._column_widths.set_width(0, lines)
        easy_width = min(self._text_width, self._delegate.text_width("0" * _EASY_TEXT_WIDTH))
        full, short = full_bar_room(), least_bar_room()
        for has_sides, bar, least in (
            (True, full, easy_width),
            (False, full, easy_width),
            (False, short, easy_width // 2),
            (False, 0, 0),
        ):
            if self._fit_numbers_in(text_column, bar, has_sides=has_sides) >= least:
                break

    def _fit_numbers_in(self, text_column: int, bar: int, *, has_sides: bool) -> int:
        """Fit the columns of numbers with bars of this width; return what is left for the code."""
        for column in self._code_model.places("base", "new"):
            self._column_widths.hide_if_narrow(column, is_narrow=not has_sides)
        for column in self._number_widths:
            beside = bar_gap() + bar if bar and column in self._beside_bars else 0
            self._column_widths.set_width(column, self._number_width(column, bar) + beside)
        others = (c for c in range(len(self._code_model.columns)) if c != text_column)
        return self.viewport().width() - sum(map(self.columnWidth, others))

    def _number_width(self, column: int, bar: int) -> int:
        """Return the width of numbers; without bars only the sorted title has an arrow's room."""
        if bar or column == self.horizontalHeader().sortIndicatorSection():
            return self._number_widths[column]
        declared = self._code_model.columns[column]
        return needed_widths(declared, self.fontMetrics(), is_sortable=False)[0]

    def _distribute_to_locations(self, text_column: int) -> None:
        """Give location columns right of the code the width it leaves, but at least a minimum."""
        texts = self._code_model.listing.texts
        behind = [column for column in self._widths if column > text_column]
        others = (
            c for c in range(len(self._code_model.columns)) if c != text_column and c not in behind
        )
        width_left = self.viewport().width() - sum(map(self.columnWidth, others))
        for column in behind:
            min_width = self._delegate.text_width(texts.longest_name())
            self._column_widths.set_width(
                column, min(self._widths[column], max(min_width, width_left - self._text_width))
            )
            width_left -= self.columnWidth(column)
        self._column_widths.set_width(
            text_column, max(width_left, self._delegate.text_width("0" * _MIN_TEXT_WIDTH))
        )

    def _scroll_text(self, value: int) -> None:
        self._delegate.scroll_offset = value
        self.viewport().update()

    def scrollTo(  # noqa: N802
        self, index: AnyIndex, hint: QTableView.ScrollHint = QTableView.ScrollHint.EnsureVisible
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
        self._delegate.search_text = text.lower()
        self.viewport().update()

    def update_colors(self) -> None:
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

    # ---------------------------------------------------------------- navigation

    def current_record(self) -> int:
        """Return the record of the current row, or -1."""
        return self._code_model.record(self.currentIndex())

    def go_to_record(self, record: int, *, center: bool = False) -> None:
        """Make a record current, unfolding it if necessary.

        The table scrolls it to the middle if it is out of sight or `center` is true.
        """
        self._code_model.reveal(record)
        index = self._code_model.index_of_record(record)
        if index.isValid():
            self._is_programmatic = True
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self._is_programmatic = False
            row = self.visualRect(index)
            if center or not 0 <= row.top() <= row.bottom() <= self.viewport().height():
                self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def open_at(self, record: int) -> None:
        """Make the hottest record current; show it together with the signature if both fit.

        Otherwise it is in the middle.
        """
        self.go_to_record(record, center=True)
        model, beginning = self._code_model, self._code_model.listing.texts.beginning()
        first = model.index_of_record(beginning) if beginning >= 0 else QModelIndex()
        if not first.isValid() or not model.is_in_code_order:
            return
        hottest = self.currentIndex().row()
        top = min(hottest, max(0, first.row() - _ROWS_AROUND))
        rows = max(hottest, first.row()) + _ROWS_AROUND - top
        if rows * self.verticalHeader().defaultSectionSize() <= self.viewport().height():
            self.scrollTo(model.index(top, 0), QTableView.ScrollHint.PositionAtTop)

    def _go_to_row(self, row: int) -> None:
        index = self._code_model.index(row, 0)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self.scrollTo(index)

    def scroll_to_match(self) -> None:
        """Scroll sideways until the search match in the current row is visible."""
        delegate, bar = self._delegate, self.text_bar
        start, end = delegate.match_extent(self.current_record())
        width = self.columnWidth(delegate.text_column) - delegate.triangle_width
        if start < bar.value() or end > bar.value() + width:
            bar.setValue(max(0, (start + end - width) // 2))

    def visible_anchor(self) -> tuple[int, int]:
        """Return a visible record and its distance from the top in pixels.

        The current record is preferred; otherwise it is the first visible line or instruction.
        Without any, the result is (-1, 0).
        """
        current, kind = self.currentIndex(), self._records.kind
        top = self.visualRect(current).top() if current.isValid() else -1
        if 0 <= top < self.viewport().height():
            return self._code_model.record(current), top
        for row in range(max(0, self.rowAt(0)), self._code_model.rowCount()):
            index = self._code_model.index(row, 0)
            if kind[self._code_model.record(index)] == RecordKind.LOCATION:
                return self._code_model.record(index), self.visualRect(index).top()
        return -1, 0

    def scroll_record_to(self, record: int, top: int) -> None:
        index = self._code_model.index_of_record(record)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - top)

    def costliest_records(self) -> list[int]:
        """Return the lines or instructions with the highest inclusive costs, costliest first."""
        costliest: list[int] = self._code_model.listing.costs.first.costliest.tolist()
        return costliest

    def go_to_first_cost(self) -> None:
        """Go to the first line or instruction with recorded costs; without any, to the top."""
        rows = self._code_model.listing.rows
        recorded = np.flatnonzero(rows.cost_row >= 0)
        if len(recorded):
            self.go_to_record(int(rows.records.record_of_location[recorded[0]]), center=True)
        else:
            self.scrollToTop()

    def go_to_costliest(self, step: int) -> None:
        """Go to the next line or instruction by cost: 1 to a cheaper one, -1 to a costlier."""
        costliest, current = self.costliest_records(), self.current_record()
        if current >= 0:  # a call belongs to its line
            current = int(self._records.parent[current])
        if costliest:
            index = costliest.index(current) + step if current in costliest else 0
            self.go_to_record(costliest[index % len(costliest)], center=True)
            self.record_selected.emit(self.current_record())

    # ---------------------------------------------------------------- activation

    def activate(self, index: AnyIndex) -> None:
        """Follow a call, unfold a fold, or emit `record_activated` for a line or instruction."""
        record = self._code_model.record(index)
        if record < 0:
            return
        kind = self._records.kind[record]
        function = self._code_model.listing.rows.function_of(record)
        if function != NO_FUNCTION:
            self.function_activated.emit(function)
        elif kind == RecordKind.FOLD:
            self._unfold(record)
        elif kind == RecordKind.LOCATION:
            self.record_activated.emit(record)

    def _unfold(self, fold: int) -> None:
        self.go_to_record(int(self._records.parent[fold]))

    def toggle_group(self, record: int) -> None:
        """Open or close the inlined lines of a line; from an inlined one, go to that line."""
        host, model = self._records.host_of(record), self._code_model
        model.set_group_closed(host, closed=not model.listing.is_closed(host))
        self.fit_numbers()
        if host != record:
            self.go_to_record(host)
            self.record_selected.emit(host)

    def _on_clicked(self, index: QModelIndex) -> None:
        record = self._code_model.record(index)
        if record >= 0 and self._records.kind[record] == RecordKind.FOLD:
            self._unfold(record)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        record = self._code_model.record(index)
        if event.button() == Qt.MouseButton.LeftButton and self._is_on_triangle(index, event):
            self.toggle_group(record)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """On a triangle the second click counts like the first: it follows no jump."""
        index = self.indexAt(event.position().toPoint())
        if self._is_on_triangle(index, event):
            self.toggle_group(self._code_model.record(index))
        else:
            super().mouseDoubleClickEvent(event)

    def _is_on_triangle(self, index: QModelIndex, event: QMouseEvent) -> bool:
        is_code = index.isValid() and index.column() == self._delegate.text_column
        left = self.visualRect(index).left()
        return (
            is_code
            and self._records.is_host(self._code_model.record(index))
            and event.position().x() < left + self._delegate.triangle_width
        )

    def _on_current_changed(self, index: QModelIndex) -> None:
        record = self._code_model.record(index)
        if record < 0 or self._is_programmatic:
            return
        function = self._code_model.listing.rows.function_of(record)
        if function != NO_FUNCTION:
            self.function_selected.emit(function)
        elif self._records.kind[record] in (RecordKind.LOCATION, RecordKind.SOURCE):
            self.record_selected.emit(record)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add *Go to Function* for a call, then the actions of the view and the window."""
        record = self._code_model.record(index)
        if record < 0:
            return
        function = self._code_model.listing.rows.function_of(record)
        if function != NO_FUNCTION:
            menu.addAction("&Go to Function", lambda: self.function_activated.emit(function))
            self.menu_requested.emit(menu, function)
            return
        self.record_menu_requested.emit(menu, record)
        if self._records.group_of(record) >= 0:
            verb = "Show" if self._code_model.listing.is_closed(record) else "Hide"
            menu.addAction(f"{verb} &Inlined Lines Here", lambda: self.toggle_group(record))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        sideways = (event.key() == Qt.Key.Key_Right) - (event.key() == Qt.Key.Key_Left)
        current = self.current_record()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Space:
            if current >= 0 and self._records.group_of(current) >= 0:
                self.toggle_group(current)
            else:
                self.activate(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self._go_to_row(0)  # Qt would move there without selecting the row
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._go_to_row(self._code_model.rowCount() - 1)
        elif sideways and self._steps_into_group(current, sideways):
            pass
        elif sideways:
            self.text_bar.setValue(self.text_bar.value() + sideways * self.text_bar.singleStep())
        else:
            super().keyPressEvent(event)

    def _steps_into_group(self, record: int, sideways: int) -> bool:
        """Open the inlined lines of a line with Right; close them with Left, or go to that line.

        Code that is scrolled sideways scrolls back first. Return whether a key did any of this.
        """
        if record < 0 or self._records.group_of(record) < 0 or self.text_bar.value() > 0:
            return False
        host = self._records.host_of(record)
        if record != host:
            is_step = sideways < 0
            if is_step:
                self.go_to_record(host)
                self.record_selected.emit(host)
            return is_step
        is_step = self._code_model.listing.is_closed(record) == (sideways > 0)
        if is_step:
            self.toggle_group(record)
        return is_step


class CodePanel(QWidget):
    """A code table with its cost ruler, which follows folding and sorting."""

    def __init__(self, table: CodeTable, model: CodeModel) -> None:
        super().__init__()
        self._table, self._model = table, model
        self.ruler = CostRuler(table, self._ruler_tooltip)
        self.ruler.row_requested.connect(self._scroll_to_row)
        table.viewport().installEventFilter(self)
        model.layoutChanged.connect(self.update_ruler)
        model.modelReset.connect(self.update_ruler)
        code = QVBoxLayout()
        code.setSpacing(0)
        code.addWidget(table, 1)
        code.addWidget(table.text_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(code, 1)
        row.addWidget(self.ruler)

    def update_ruler(self) -> None:
        self._align_ruler()
        self.ruler.compute_shares_by(self._shares)

    def _shares(self) -> Float64Array:
        self.ruler.shows_changes = self._model.listing.is_compared
        return self._model.listing.shares(self._model.order)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._align_ruler()
        return super().eventFilter(watched, event)

    def _align_ruler(self) -> None:
        """Align the ruler with the rows, even if they do not fill the view."""
        table = self._table
        rows = min(table.viewport().height(), table.verticalHeader().length())
        self.ruler.set_row_span(table.horizontalHeader().height(), rows)

    def _ruler_tooltip(self, row: int) -> str:
        record, model = int(self._model.order[row]), self._model
        location, cost = (
            model.columns[column].cells.text(record)
            for column in model.places("location", "inclusive")
        )
        text = " ".join(model.listing.texts.full_text(record).split())
        return tip_text("  ".join(filter(None, (location, cost, text))))

    def _scroll_to_row(self, row: int) -> None:
        center = CodeTable.ScrollHint.PositionAtCenter
        self._table.scrollTo(self._model.index(row, 0), center)
