"""A table of paths, edited in place, with keys for the buttons below it."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QAbstractItemModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from qcachegrind_py.app.settings.path_rows import PathCompletions, PathRole, PathRows
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.tables.row_delegates import RowDelegate

_NONE, _ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PathButton(IntEnum):
    """The buttons below the table, in their order."""

    ADD, BROWSE, REMOVE, UP, DOWN = range(5)


BUTTON_KEYS = {
    PathButton.ADD: "Ins",
    PathButton.REMOVE: "Del",
    PathButton.UP: "Alt+Up",
    PathButton.DOWN: "Alt+Down",
}
_BUTTON_OF_KEY: dict[tuple[int, Qt.KeyboardModifier], PathButton] = {
    (Qt.Key.Key_Insert, _NONE): PathButton.ADD,
    (Qt.Key.Key_Delete, _NONE): PathButton.REMOVE,
    (Qt.Key.Key_Up, _ALT): PathButton.UP,
    (Qt.Key.Key_Down, _ALT): PathButton.DOWN,
}


class PathTable(QTableView):
    """Edits cells in place; emits `button_requested` for the keys of the buttons."""

    button_requested = Signal(int)  # PathButton

    def __init__(self, model: PathRows, name: str, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self.delegate = PathDelegate(self, model)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        apply_list_style(self, name)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.setMinimumHeight(5 * self.fontMetrics().height())
        self._set_up_columns(model)

    def _set_up_columns(self, model: PathRows) -> None:
        columns = self.horizontalHeader()
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        last = len(model.columns) - 1
        columns.setSectionResizeMode(last, QHeaderView.ResizeMode.Interactive)
        columns.resizeSection(last, 10 * self.fontMetrics().height())

    def selected(self) -> list[int]:
        """The selected rows, from the top."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def edit_cell(self, row: int, column: int) -> None:
        """Open the editor of a cell."""
        index = self.model().index(row, column)
        self.setFocus()
        self.setCurrentIndex(index)
        self.edit(index)

    def commit_edit(self) -> None:
        """Store the text of an open editor and close it."""
        editor = self.indexWidget(self.currentIndex())
        if editor is not None:
            self.commitData(editor)
            self.closeEditor(editor, QStyledItemDelegate.EndEditHint.NoHint)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
            return
        button = _BUTTON_OF_KEY.get((event.key(), event.modifiers() & ~_KEYPAD))
        if button is not None:
            self.button_requested.emit(button)
        elif event.key() in _RETURNS and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self.model().rowCount():
            painter, margin = QPainter(self.viewport()), self.fontMetrics().height()
            area = self.viewport().rect().adjusted(margin, margin // 2, -margin, -margin // 2)
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._placeholder)
            painter.end()


class _PathEdit(QLineEdit):
    """The editor of a cell; only text other than `committed_text` is stored."""

    committed_text = ""


class PathDelegate(RowDelegate):
    """Paints invalid cells in the error colour, and hints in empty ones."""

    def __init__(self, table: PathTable, rows: PathRows) -> None:
        super().__init__(table)
        self._rows = rows
        self.suggestions: list[str] = []  # completions of the first column
        self.first_suggestion = ""  # for the first column of a blank row

    def initStyleOption(  # noqa: N802
        self, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        super().initStyleOption(option, index)
        color = QPalette.ColorRole.Text
        if not option.text:
            option.text = index.data(PathRole.HINT)
            color = QPalette.ColorRole.PlaceholderText
        if index.data(PathRole.PROBLEM):
            color = QPalette.ColorRole.BrightText
        palette = option.palette
        palette.setColor(QPalette.ColorRole.Text, palette.color(color))
        option.palette = palette

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, index: AnyIndex
    ) -> QWidget:
        editor = _PathEdit(parent, placeholderText=index.data(PathRole.HINT))
        editor.setFrame(False)
        editor.setAccessibleName(self._rows.columns[index.column()].title)
        if index.column() == 0 and self.suggestions:
            completer = QCompleter(PathCompletions(self.suggestions, editor), editor)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionRole(Qt.ItemDataRole.EditRole)
            editor.setCompleter(completer)
        return editor

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:  # noqa: N802
        assert isinstance(editor, _PathEdit)
        editor.setText(index.data(Qt.ItemDataRole.EditRole))
        editor.committed_text = editor.text()
        if index.column() == 0 and self._rows.is_blank(index.row()):
            editor.setText(self.first_suggestion)
            editor.selectAll()

    def setModelData(  # noqa: N802
        self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex
    ) -> None:
        assert isinstance(editor, _PathEdit)
        if editor.text() != editor.committed_text:
            model.setData(index, editor.text())
