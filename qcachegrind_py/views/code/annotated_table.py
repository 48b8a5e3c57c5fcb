"""The table widget of source and assembler: calls to follow, stretches to open, hot lines."""

from __future__ import annotations

from collections.abc import Callable

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
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTableView, QVBoxLayout, QWidget

from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import AnyIndex
from qcachegrind_py.models.code.records import RecordKind
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.views.code.cost_ruler import HeatStrip
from qcachegrind_py.views.code.fitted_table import CodeColumns

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows
_RANKED = 200  # of the costliest lines that the keys go to


class CodeList(CodeColumns):
    """A double click or Return follows a call or opens a stretch; others are for the view."""

    activated_function = Signal(object)  # int
    selected_function = Signal(object)
    activated_record = Signal(object)  # int: a site
    chosen_record = Signal(object)  # int: the site the user went to
    wanted_menu = Signal(object, object)  # QMenu, int: to be filled for this function

    def __init__(
        self, model: CodeModel, text_column: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, text_column, name, parent)
        self._is_ours = False  # whether the program changes the current row, not the user
        self.add_to_menu: Callable[[QMenu, int], None] = lambda _menu, _record: None
        self.doubleClicked.connect(self.activate)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    # ---------------------------------------------------------------- going to records

    def current_record(self) -> int:
        """The record of the current row; -1 for none."""
        return self._code.record(self.currentIndex())

    def go_to_record(self, record: int, *, center: bool = False) -> None:
        """Make a record the current one, out of the stretch that hides it.

        Where it is out of sight, it comes to the middle; else nothing moves, unless it has to.
        """
        self._code.open_stretch(record)
        index = self._code.index_of_record(record)
        if index.isValid():
            self._is_ours = True
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self._is_ours = False
            row = self.visualRect(index)
            if center or not 0 <= row.top() <= row.bottom() <= self.viewport().height():
                self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def _go_to_row(self, row: int) -> None:
        index = self._code.index(row, 0)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self.scrollTo(index)

    def show_found(self) -> None:
        """Scroll the text of the current row so far that what is sought in it is in sight."""
        start, end = self._delegate.found_in(self.current_record())
        room, bar = self.columnWidth(self._delegate.text_column), self.text_bar
        if start < bar.value() or end > bar.value() + room:
            bar.setValue(max(0, (start + end - room) // 2))

    def sight(self) -> tuple[int, int]:
        """A site in sight, the current one if it is, and how far from the top it stands."""
        current, kind = self.currentIndex(), self._code.rows.records.kind
        top = self.visualRect(current).top() if current.isValid() else -1
        if 0 <= top < self.viewport().height():
            return self._code.record(current), top
        for row in range(max(0, self.rowAt(0)), self._code.rowCount()):
            index = self._code.index(row, 0)
            if kind[self._code.record(index)] == RecordKind.LOCATION:
                return self._code.record(index), self.visualRect(index).top()
        return -1, 0

    def bring_to_sight(self, record: int, top: int) -> None:
        """Let a record stand so far from the top."""
        index = self._code.index_of_record(record)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - top)

    def hot_records(self) -> list[int]:
        """The sites that cost most, calls included, from the costliest."""
        costs, kind = self._code.first_costs.inclusive, self._code.rows.records.kind
        sites = np.flatnonzero((kind == RecordKind.LOCATION) & (costs > 0).astype(bool))
        order = np.argsort(-costs[sites], kind="stable")[:_RANKED]
        hot: list[int] = sites[order].tolist()
        return hot

    def go_to_recorded(self) -> None:
        """Go to the first site that has any cost in the profile; to the top where none has."""
        rows = self._code.rows
        recorded = np.flatnonzero(rows.cost_row >= 0)
        if len(recorded):
            self.go_to_record(int(rows.records.record_of_location[recorded[0]]), center=True)
        else:
            self.scrollToTop()

    def go_to_hot(self, step: int) -> None:
        """Go to the site that is next in cost to the current one: 1 to a cheaper, -1 back."""
        hot, current = self.hot_records(), self.current_record()
        if current >= 0:  # a call is of its line
            current = int(self._code.rows.records.parent[current])
        if hot:
            at = hot.index(current) + step if current in hot else 0
            self.go_to_record(hot[at % len(hot)])
            self.chosen_record.emit(self.current_record())

    # ---------------------------------------------------------------- following

    def activate(self, index: AnyIndex) -> None:
        """Follow the call of a row, open the stretch, or leave it to the view."""
        record = self._code.record(index)
        if record < 0:
            return
        kind, function = self._code.rows.records.kind[record], self._code.function_of(record)
        if function >= 0:
            self.activated_function.emit(function)
        elif kind == RecordKind.FOLD:
            self._open(record)
        elif kind == RecordKind.LOCATION:
            self.activated_record.emit(record)

    def _open(self, fold: int) -> None:
        """Show what a fold hides, and stay there."""
        self.go_to_record(int(self._code.rows.records.parent[fold]))

    def _on_clicked(self, index: QModelIndex) -> None:
        record = self._code.record(index)
        if record >= 0 and self._code.rows.records.kind[record] == RecordKind.FOLD:
            self._open(record)

    def _on_current(self, index: QModelIndex) -> None:
        record = self._code.record(index)
        if record < 0 or self._is_ours:
            return
        function = self._code.function_of(record)
        if function >= 0:
            self.selected_function.emit(function)
        elif self._code.rows.records.kind[record] == RecordKind.LOCATION:
            self.chosen_record.emit(record)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Follow a call; and what the view and the window offer."""
        record = self._code.record(index)
        if record < 0:
            return
        function = self._code.function_of(record)
        if function >= 0:
            menu.addAction("&Go to Function", lambda: self.activated_function.emit(function))
            self.wanted_menu.emit(menu, function)
        else:
            self.add_to_menu(menu, record)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        sideways = (event.key() == Qt.Key.Key_Right) - (event.key() == Qt.Key.Key_Left)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self._go_to_row(0)  # Qt would move there and choose nothing
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._go_to_row(self._code.rowCount() - 1)
        elif sideways:
            self.text_bar.setValue(self.text_bar.value() + sideways * self.text_bar.singleStep())
        else:
            super().keyPressEvent(event)


class CodeBody(QWidget):
    """The strip follows the rows that are seen, folded and sorted as they are."""

    def __init__(self, table: CodeList, model: CodeModel) -> None:
        super().__init__()
        self._table, self._model = table, model
        self.heat = HeatStrip(table, self._tip)
        self.heat.jumped.connect(self._go_to_row)
        table.viewport().installEventFilter(self)
        model.layoutChanged.connect(self.show_heat)
        model.modelReset.connect(self.show_heat)
        code = QVBoxLayout()
        code.setSpacing(0)
        code.addWidget(table, 1)
        code.addWidget(table.text_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(code, 1)
        row.addWidget(self.heat)

    def show_heat(self) -> None:
        """Show where in the rows that are seen the cost is."""
        self._fit_heat()
        costs, order = self._model.first_costs.inclusive, self._model.order
        if not len(order) or self._model.first.is_ratio:
            self.heat.set_shares(np.zeros(len(order)))
            return
        of_sites = np.where(self._model.rows.records.call >= 0, 0, costs)[order]
        most = max(1, int(of_sites.max()))
        self.heat.set_shares((of_sites / most).astype(np.float64))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._fit_heat()
        return super().eventFilter(watched, event)

    def _fit_heat(self) -> None:
        """Let the strip stand where the rows are, also where they do not fill the view."""
        table = self._table
        rows = min(table.viewport().height(), table.verticalHeader().length())
        self.heat.stand_beside(table.horizontalHeader().height(), rows)

    def _tip(self, row: int) -> str:
        """The line that a place of the strip stands for, with its cost."""
        record, model = int(self._model.order[row]), self._model
        cost = model.columns[model.INCLUSIVE].text(record)
        text = " ".join(model.full_text(record).split())
        return tip_text("  ".join(filter(None, (model.location_text(record), cost, text))))

    def _go_to_row(self, row: int) -> None:
        center = CodeList.ScrollHint.PositionAtCenter
        self._table.scrollTo(self._model.index(row, 0), center)
