"""The table widget of all lists whose rows are functions."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.models.base.table import AnyIndex, ArrayTableModel, Role
from qcachegrind_py.views.record_table import RecordTable

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows


class FunctionTable(RecordTable):
    """A list of functions. A double click, Return or Enter asks for the row's function."""

    activated_function = Signal(object)  # int
    selected_function = Signal(object)  # int: that of the row the user went to
    clicked_row = Signal()  # with the left button and no key, which would select further rows
    wanted_menu = Signal(object, object)  # QMenu, int: to be filled for this function
    typed = Signal(str)  # letters, in a list that has the keyboard

    def __init__(self, model: ArrayTableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(model, name, parent)
        self._is_ours = False  # whether the program changes the current row, not the user
        self.doubleClicked.connect(self._activate)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def select_function(self, function: int, column: int = 0, *, scroll: bool = True) -> None:
        """Make the function's row the current one, and visible unless the list shall stay."""
        place = self.verticalScrollBar().value()
        index = self._list.index_of_function(function).siblingAtColumn(column)
        self._is_ours = True
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            if scroll:
                self.scrollTo(index)
            else:
                self.verticalScrollBar().setValue(place)
        else:
            self.clearSelection()
        self._is_ours = False

    def current_function(self) -> int:
        """The function of the current row; -1 for none."""
        function = self.currentIndex().data(Role.FUNCTION)
        return -1 if function is None else int(function)

    def go_to_current(self) -> None:
        """Ask for the function of the current row."""
        self._activate(self.currentIndex())

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid():
            self.activated_function.emit(index.data(Role.FUNCTION))

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and not self._is_ours and self.hasFocus():
            self.selected_function.emit(index.data(Role.FUNCTION))

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Go there; and what the window offers for a function."""
        if index.isValid():
            menu.addAction("&Go to Function", lambda: self._activate(index))
            self.wanted_menu.emit(menu, index.data(Role.FUNCTION))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        left = event.button() == Qt.MouseButton.LeftButton
        if plain and left and self.indexAt(event.position().toPoint()).isValid():
            self.clicked_row.emit()

    def keyboardSearch(self, search: str) -> None:  # noqa: N802
        self.typed.emit(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_to_current()
        else:
            super().keyPressEvent(event)
