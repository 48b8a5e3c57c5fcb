"""The table widget of the Source and Assembler docks: follows calls, unfolds code, finds costs."""

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
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTableView, QVBoxLayout, QWidget

from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import AnyIndex
from qcachegrind_py.models.code.records import RecordKind
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.views.code.cost_ruler import CostRuler
from qcachegrind_py.views.code.fitted_table import FittedCodeTable

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows


class CodeTable(FittedCodeTable):
    """A table of annotated code. A double click or Return follows a call or unfolds code.

    On a line or instruction they emit `record_activated`.
    """

    function_activated = Signal(object)  # FunctionId
    function_selected = Signal(object)
    record_activated = Signal(object)  # int: record of a line or instruction
    record_selected = Signal(object)  # int: record of the line or instruction the user moved to
    menu_requested = Signal(object, object)  # QMenu, FunctionId: the menu to fill for this function
    record_menu_requested = Signal(object, object)  # QMenu, int: the menu to fill for this record

    def __init__(
        self, model: CodeModel, text_column: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, text_column, name, parent)
        self._is_programmatic = False  # whether the program changes the current row, not the user
        self.doubleClicked.connect(self.activate)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

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
        current, kind = self.currentIndex(), self._code_model.rows.records.kind
        top = self.visualRect(current).top() if current.isValid() else -1
        if 0 <= top < self.viewport().height():
            return self._code_model.record(current), top
        for row in range(max(0, self.rowAt(0)), self._code_model.rowCount()):
            index = self._code_model.index(row, 0)
            if kind[self._code_model.record(index)] == RecordKind.LOCATION:
                return self._code_model.record(index), self.visualRect(index).top()
        return -1, 0

    def scroll_record_to(self, record: int, top: int) -> None:
        """Scroll a record to a distance of `top` pixels from the top."""
        index = self._code_model.index_of_record(record)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - top)

    def costliest_records(self) -> list[int]:
        """Return the lines or instructions with the highest inclusive costs, costliest first."""
        costliest: list[int] = self._code_model.first_costs.costliest.tolist()
        return costliest

    def go_to_first_cost(self) -> None:
        """Go to the first line or instruction with recorded costs; without any, to the top."""
        rows = self._code_model.rows
        recorded = np.flatnonzero(rows.cost_row >= 0)
        if len(recorded):
            self.go_to_record(int(rows.records.record_of_location[recorded[0]]), center=True)
        else:
            self.scrollToTop()

    def go_to_costliest(self, step: int) -> None:
        """Go to the next line or instruction by cost: 1 to a cheaper one, -1 to a costlier."""
        costliest, current = self.costliest_records(), self.current_record()
        if current >= 0:  # a call belongs to its line
            current = int(self._code_model.rows.records.parent[current])
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
        kind, function = (
            self._code_model.rows.records.kind[record],
            self._code_model.function_of(record),
        )
        if function != NO_FUNCTION:
            self.function_activated.emit(function)
        elif kind == RecordKind.FOLD:
            self._unfold(record)
        elif kind == RecordKind.LOCATION:
            self.record_activated.emit(record)

    def _unfold(self, fold: int) -> None:
        """Show the folded rows and go to the first."""
        self.go_to_record(int(self._code_model.rows.records.parent[fold]))

    def toggle_group(self, record: int) -> None:
        """Open or close the inlined lines of a line; from an inlined one, go to that line."""
        host, model = self._code_model.host_of(record), self._code_model
        model.set_group_closed(host, closed=not model.is_closed(host))
        self.fit_numbers()
        if host != record:
            self.go_to_record(host)
            self.record_selected.emit(host)

    def _on_clicked(self, index: QModelIndex) -> None:
        record = self._code_model.record(index)
        if record >= 0 and self._code_model.rows.records.kind[record] == RecordKind.FOLD:
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
            and self._code_model.is_host(self._code_model.record(index))
            and event.position().x() < left + self._delegate.triangle_width
        )

    def _on_current_changed(self, index: QModelIndex) -> None:
        record = self._code_model.record(index)
        if record < 0 or self._is_programmatic:
            return
        function = self._code_model.function_of(record)
        if function != NO_FUNCTION:
            self.function_selected.emit(function)
        elif self._code_model.rows.records.kind[record] in (RecordKind.LOCATION, RecordKind.SOURCE):
            self.record_selected.emit(record)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add *Go to Function* for a call, then the actions of the view and the window."""
        record = self._code_model.record(index)
        if record < 0:
            return
        function = self._code_model.function_of(record)
        if function != NO_FUNCTION:
            menu.addAction("&Go to Function", lambda: self.function_activated.emit(function))
            self.menu_requested.emit(menu, function)
            return
        self.record_menu_requested.emit(menu, record)
        if self._code_model.group_of(record) >= 0:
            verb = "Show" if self._code_model.is_closed(record) else "Hide"
            menu.addAction(f"{verb} &Inlined Lines Here", lambda: self.toggle_group(record))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        sideways = (event.key() == Qt.Key.Key_Right) - (event.key() == Qt.Key.Key_Left)
        current = self.current_record()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Space:
            if current >= 0 and self._code_model.group_of(current) >= 0:
                self.toggle_group(current)
            else:
                self.activate(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self._go_to_row(0)  # Qt would move there without selecting the row
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._go_to_row(self._code_model.rowCount() - 1)
        elif sideways:
            self.text_bar.setValue(self.text_bar.value() + sideways * self.text_bar.singleStep())
        else:
            super().keyPressEvent(event)


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
        """Show the costs of the rows in their present order."""
        self._align_ruler()
        self.ruler.compute_shares_by(self._shares)

    def _shares(self) -> Float64Array:
        """Return the cost of each row as a share of the costliest line's."""
        model, order = self._model, self._model.order
        if model.first.is_ratio:
            return np.zeros(len(order))
        largest = model.first_costs.maximum  # changes of shares may all be less than 1
        shares = model.first_costs.inclusive[order] / (largest if largest > 0 else 1)
        shares[model.rows.records.call[order] >= 0] = 0
        self.ruler.shows_changes = model.is_comparing
        return shares.astype(np.float64, copy=False)

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
        """Return location, cost and text of a row."""
        record, model = int(self._model.order[row]), self._model
        cost = model.columns[model.INCLUSIVE].text(record)
        text = " ".join(model.full_text(record).split())
        return tip_text("  ".join(filter(None, (model.location_text(record), cost, text))))

    def _scroll_to_row(self, row: int) -> None:
        center = CodeTable.ScrollHint.PositionAtCenter
        self._table.scrollTo(self._model.index(row, 0), center)
