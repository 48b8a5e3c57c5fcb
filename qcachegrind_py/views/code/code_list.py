"""The table widget of source and assembler: compact rows, calls to follow, stretches to open."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QTableView, QWidget

from qcachegrind_py.models.code_records import RecordKind
from qcachegrind_py.models.code_table import CodeModel
from qcachegrind_py.models.table import AnyIndex
from qcachegrind_py.views.code.code_delegate import CodeDelegate
from qcachegrind_py.views.code.jump_gutter import gutter_width
from qcachegrind_py.views.picture_canvas import paint_veil
from qcachegrind_py.views.record_table import RecordTable

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows
_RANKED = 200  # of the costliest lines that the keys go to


class CodeList(RecordTable):
    """A double click or Return follows a call or opens a stretch; others are for the view."""

    activated_function = Signal(object)  # int
    selected_function = Signal(object)
    activated_record = Signal(object)  # int: a site
    chosen_record = Signal(object)  # int: the site the user went to
    wanted_menu = Signal(object, object)  # QMenu, int: to be filled for this function

    def __init__(
        self, model: CodeModel, text_column: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, name, parent)
        self._code = model
        self._is_ours = False  # whether the program changes the current row, not the user
        self._is_stale = False
        self._text_width = self._gutter = 0  # what the longest line and the arrows need
        self.add_to_menu: Callable[[QMenu, int], None] = lambda _menu, _record: None
        self.ascending = (model.PLACE,)
        self.setAlternatingRowColors(False)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._delegate = CodeDelegate(self, model, text_column)
        for column in range(len(model.columns)):
            self.setItemDelegateForColumn(column, self._delegate)
        self.sortByColumn(model.PLACE, Qt.SortOrder.AscendingOrder)
        self._fit_rows()
        self.doubleClicked.connect(self.activate)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def _fit_rows(self) -> None:
        line = int(self._delegate.look.height)
        self.verticalHeader().setMinimumSectionSize(line)
        self.verticalHeader().setDefaultSectionSize(line + line // 6)

    def fit_code(self) -> None:
        """Give numbers, arrows and text the room that they need now."""
        look, code = self._delegate.look, self._code
        self._text_width = self._delegate.width_of(code.longest_text())
        self.fit_numbers()
        self._gutter = gutter_width(code.rows.records.lanes.count, look)
        header = code.headerData(code.PLACE, Qt.Orientation.Horizontal)
        title = self.fontMetrics().horizontalAdvance(f"{header}00")
        self._fit(code.PLACE, max(title, self._delegate.width_of(code.longest_place())))
        self._share_room()

    def _share_room(self) -> None:
        """The text has the room that is left, and more where it is longer: the table scrolls."""
        super()._share_room()
        if hasattr(self, "_delegate"):
            text, before = self._delegate.text_column, self.columnWidth(self._code.JUMPS)
            self._fit(self._code.JUMPS, self._gutter)
            left = self.columnWidth(text) + before - self.columnWidth(self._code.JUMPS)
            self._fit(text, max(left, self._text_width))

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
            left = self.horizontalScrollBar().value()
            self._is_ours = True
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self._is_ours = False
            row = self.visualRect(index)
            if center or not 0 <= row.top() <= row.bottom() <= self.viewport().height():
                self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)
            self.horizontalScrollBar().setValue(left)

    def sight(self) -> tuple[int, int]:
        """A record in sight, the current one if it is, and how far from the top it stands."""
        current = self.currentIndex()
        top = self.visualRect(current).top() if current.isValid() else -1
        if not 0 <= top < self.viewport().height():
            current, top = self.indexAt(QPoint(0, 0)), 0
        return self._code.record(current), top

    def bring_to_sight(self, record: int, top: int) -> None:
        """Let a record stand so far from the top."""
        index = self._code.index_of_record(record)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - top)

    def hot_records(self) -> list[int]:
        """The sites that cost most, calls included, from the costliest."""
        costs, kind = self._code.first_costs.inclusive, self._code.rows.records.kind
        sites = np.flatnonzero((kind == RecordKind.SITE) & (costs > 0).astype(bool))
        order = np.argsort(-costs[sites], kind="stable")
        return sites[order][:_RANKED].tolist()  # type: ignore[no-any-return]

    def go_to_hot(self, step: int) -> None:
        """Go to the site that is next in cost to the current one: 1 to a cheaper, -1 back."""
        hot, current = self.hot_records(), self.current_record()
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
        elif kind == RecordKind.SITE:
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
        elif self._code.rows.records.kind[record] == RecordKind.SITE:
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

    # ---------------------------------------------------------------- looks

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        if stale != self._is_stale:
            self._is_stale = stale
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self._is_stale:
            painter = QPainter(self.viewport())
            paint_veil(painter, self.viewport().rect(), self.palette())
            painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        looks = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in looks and hasattr(self, "_delegate"):
            self._delegate.renew(self)
            self._fit_rows()
            self.fit_code()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        else:
            super().keyPressEvent(event)
