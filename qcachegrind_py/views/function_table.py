"""The table widget of all lists whose rows are functions."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from qcachegrind_py.models.table import ArrayTableModel, Role
from qcachegrind_py.views.cost_bar import CostBarDelegate
from qcachegrind_py.views.elided_start import ElidedStartDelegate

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows


class FunctionTable(QTableView):
    """A sortable list of functions. A double click, Return or Enter asks for the row's function."""

    activated_function = Signal(object)  # int

    def __init__(self, model: ArrayTableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list = model
        self.setModel(model)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.doubleClicked.connect(self._activate)
        self._set_up_headers()

    def _set_up_headers(self) -> None:
        line = self.fontMetrics().height()
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(line + line // 2)
        columns.setHighlightSections(False)
        columns.setSectionsMovable(True)
        columns.setMinimumSectionSize(2 * line)
        columns.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        columns.customContextMenuRequested.connect(self._show_column_menu)
        bars, places = CostBarDelegate(self), ElidedStartDelegate(self)
        digit = self.fontMetrics().horizontalAdvance("0")
        for number, column in enumerate(self._list.columns):
            if column.share:
                self.setItemDelegateForColumn(number, bars)
            elif not column.is_number and not column.stretches:
                self.setItemDelegateForColumn(number, places)
            self.setColumnWidth(number, digit * column.width)
            if column.stretches:
                columns.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
        columns.setSortIndicatorClearable(False)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        columns.sortIndicatorChanged.connect(self._on_sorted)
        self._list.headerDataChanged.connect(lambda: self.fit_numbers())
        self._sorted_column = 0

    def fit_numbers(self, *, only_wider: bool = False) -> None:
        """Make the columns of numbers as wide as their largest one and their title.

        With `only_wider`, a column that the user made wider stays so.
        """
        metrics = self.fontMetrics()
        for number, column in enumerate(self._list.columns):
            if column.is_number:
                title = self._list.headerData(number, Qt.Orientation.Horizontal)
                widest = max((f"{title} ", self._list.largest_text(number)), key=len)
                width = metrics.horizontalAdvance(widest + "000")
                least = self.columnWidth(number) if only_wider else 0
                self.setColumnWidth(number, max(width, least))

        self._share_room()

    def _share_room(self) -> None:
        """Where there is little room, leave most of it to the names."""
        widths = {n: self.columnWidth(n) for n, c in enumerate(self._list.columns) if c.is_number}
        room = self.viewport().width() - sum(widths.values())
        digit = self.fontMetrics().horizontalAdvance("0")
        for number, column in enumerate(self._list.columns):
            if not column.is_number and not column.stretches:
                self.setColumnWidth(number, min(digit * column.width, room * 2 // 5))

    def select_function(self, function: int, column: int = 0) -> None:
        """Make the function's row the current one, and visible."""
        index = self._list.index_of_function(function).siblingAtColumn(column)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self.scrollTo(index)
        else:
            self.clearSelection()

    def current_function(self) -> int:
        """The function of the current row; -1 for none."""
        function = self.currentIndex().data(Role.FUNCTION)
        return -1 if function is None else int(function)

    def go_to_current(self) -> None:
        """Ask for the function of the current row."""
        self._activate(self.currentIndex())

    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.activated_function.emit(index.data(Role.FUNCTION))

    def _on_sorted(self, column: int, _order: Qt.SortOrder) -> None:
        """A first click on a column of numbers shows the largest first."""
        if column != self._sorted_column:
            self._sorted_column = column
            if self._list.columns[column].is_number:
                self.horizontalHeader().setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        self.scrollTo(self.currentIndex())

    def _show_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if index.isValid():
            menu = QMenu(self)
            menu.addAction("&Go to Function", lambda: self._activate(index))
            menu.addAction("&Copy Row", self.copy_row)
            menu.exec(self.viewport().mapToGlobal(place))

    def _show_column_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        for number, column in enumerate(self._list.columns):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(column.is_number)
            action.toggled.connect(lambda on, n=number: self.setColumnHidden(n, not on))
        menu.exec(self.horizontalHeader().mapToGlobal(place))

    def copy_row(self) -> None:
        """Put the current row on the clipboard, cells divided by tabs."""
        row = self.currentIndex().row()
        if row >= 0:
            columns = range(self._list.columnCount())
            texts = [str(self._list.index(row, column).data()) for column in columns]
            QGuiApplication.clipboard().setText("\t".join(texts))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_room()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_row()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_to_current()
        else:
            super().keyPressEvent(event)
