"""The dialog of the saved views of a program: go to one, rename, delete, export and import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.saved_views.saved_view_rows import SavedViewColumn, SavedViewTableModel
from qcachegrind_py.formats.saved_views import MAX_NOTE, moved, renamed, with_note, without
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.buttons import dialog_button
from qcachegrind_py.views.widgets.labels import NoteLabel

if TYPE_CHECKING:
    from qcachegrind_py.formats.saved_views import SavedView

_BUTTON = QDialogButtonBox.StandardButton
_KEYS = "Return goes to a view, F2 renames it, Alt+Up and Alt+Down move it in the menu."
_NO_VIEWS = "No views are saved for this program. “Save View…” saves what the window shows."
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SELECT = QItemSelectionModel.SelectionFlag
_Views = tuple["SavedView", ...]


class ManageViewsDialog(QDialog):
    """Changes the saved views at once; emits `chosen` with the one to go to."""

    chosen = Signal(object)  # SavedView
    export_requested = Signal(object)  # list[SavedView]
    import_requested = Signal()

    def __init__(
        self,
        views: _Views,
        change: Callable[[Callable[[_Views], _Views]], _Views],
        parent: QWidget,
    ) -> None:
        """`change` stores what a function makes of the stored views, and returns it."""
        super().__init__(parent)
        self.setWindowTitle("Saved Views")
        self._change = change
        self.model = SavedViewTableModel(views, self)
        self.table = QTableView()
        self.table.setModel(self.model)
        apply_list_style(self.table, "Saved views")
        self.table.setEditTriggers(QTableView.EditTrigger.EditKeyPressed)
        self.note = QPlainTextEdit()
        self.note.setTabChangesFocus(True)
        self.note.setAccessibleName("Note")
        self.note.installEventFilter(self)
        self._noted = ""  # the name of the view whose note is edited
        self._note_before = ""  # its text when editing began
        self.hint = NoteLabel()
        self._arrange()
        self._connect()
        self._select(0)
        self._update()

    def _arrange(self) -> None:
        row, commands = QHBoxLayout(), QVBoxLayout()
        self.go_button = dialog_button("&Go To", "Show this view (Return)", self._go)
        self.rename_button = dialog_button("&Rename", "Give it another name (F2)", self._rename)
        self.delete_button = dialog_button("&Delete", "Delete the chosen views (Del)", self._delete)
        self.up_button = dialog_button("Move &Up", "Move it up (Alt+Up)", lambda: self._move(-1))
        self.down_button = dialog_button(
            "Move Do&wn", "Move it down (Alt+Down)", lambda: self._move(1)
        )
        self.export_button = dialog_button(
            "&Export…", "Save the chosen views as a file for others", self._export
        )
        self.import_button = dialog_button(
            "&Import…", "Add the views of a file", self.import_requested.emit
        )
        for button in (
            self.go_button, self.rename_button, self.delete_button, self.up_button,
            self.down_button, self.export_button, self.import_button,
        ):  # fmt: skip
            commands.addWidget(button)
        commands.addStretch()
        heading = QLabel("&Note:")
        heading.setBuddy(self.note)
        content = QVBoxLayout()
        content.addWidget(self.table, 3)
        content.addWidget(heading)
        content.addWidget(self.note, 1)
        row.addLayout(content, 1)
        row.addLayout(commands)
        self.buttons = QDialogButtonBox(_BUTTON.Close)
        self.buttons.button(_BUTTON.Close).setAutoDefault(False)
        column = QVBoxLayout(self)
        column.addLayout(row, 1)
        column.addWidget(self.hint)
        column.addWidget(self.buttons)
        self._set_widths()

    def _set_widths(self) -> None:
        header, line = self.table.horizontalHeader(), self.fontMetrics().height()
        widths = {
            SavedViewColumn.NAME: 12, SavedViewColumn.FUNCTION: 9, SavedViewColumn.EVENTS: 5,
            SavedViewColumn.FILTER: 7,
        }  # fmt: skip
        for column, width in widths.items():
            header.resizeSection(column, line * width)
        header.setSectionResizeMode(SavedViewColumn.NOTE, QHeaderView.ResizeMode.Stretch)
        self.resize(line * 60, line * 28)

    def _connect(self) -> None:
        for key, act in (
            ("Alt+Up", lambda: self._move(-1)),
            ("Alt+Down", lambda: self._move(1)),
            ("Del", self._delete),
        ):
            shortcut = QShortcut(QKeySequence(key), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)  # not while a name is edited
            shortcut.activated.connect(act)
        self.table.activated.connect(lambda _index: self._go())
        self.model.rename_requested.connect(self._on_renamed)
        selection = self.table.selectionModel()
        selection.currentRowChanged.connect(lambda *_: self._show_note())
        selection.selectionChanged.connect(lambda *_: self._update())
        self.buttons.rejected.connect(self.reject)

    # ---------------------------------------------------------------- the chosen views

    @property
    def current(self) -> SavedView | None:
        """The view of the current row."""
        row = self.table.currentIndex().row()
        return self.model.views[row] if 0 <= row < self.model.row_count() else None

    @property
    def selected(self) -> list[SavedView]:
        """The views of the selected rows, in their order."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.views[row] for row in rows]

    def _select(self, row: int) -> None:
        if self.model.row_count():
            index = self.model.index(row, SavedViewColumn.NAME)
            flags = _SELECT.ClearAndSelect | _SELECT.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
        self._show_note()
        self._update()

    def _show_note(self) -> None:
        """Store the note of the view before, and show that of the current one."""
        self.store_note()
        view = self.current
        self._noted = view.name if view is not None else ""
        self.note.setPlainText(view.note if view is not None else "")
        self._note_before = self.note.toPlainText()

    def _update(self) -> None:
        """Enable what can be done with the selected rows."""
        selected, count = self.selected, self.model.row_count()
        row = self.table.currentIndex().row()
        is_one = len(selected) == 1
        for button in (self.go_button, self.rename_button):
            button.setEnabled(is_one)
        self.up_button.setEnabled(is_one and row > 0)
        self.down_button.setEnabled(is_one and row < count - 1)
        for button in (self.delete_button, self.export_button):
            button.setEnabled(bool(selected))
        self.note.setEnabled(is_one)
        self.hint.setText(_KEYS if count else _NO_VIEWS)

    # ---------------------------------------------------------------- commands

    def apply(self, change: Callable[[_Views], _Views]) -> None:
        """Change the stored views and show them."""
        self.model.set_views(self._change(change))
        self._update()

    def store_note(self) -> None:
        """Store the note as it is now, if it was changed."""
        name, note = self._noted, self.note.toPlainText()[:MAX_NOTE]
        if name and note != self._note_before:
            self._note_before = note
            self.apply(lambda views: with_note(views, name, note))

    def add(self, views: Sequence[SavedView], add: Callable[[_Views], _Views]) -> None:
        """Add imported views, and select the first one."""
        self.apply(add)
        if views:
            self._select(max(0, self.model.row_of(views[0].name)))

    def _go(self) -> None:
        self.store_note()
        view = self.current
        if view is not None and len(self.selected) == 1:
            self.accept()
            self.chosen.emit(view)

    def _rename(self) -> None:
        self.table.setFocus()
        self.table.edit(self.table.currentIndex().siblingAtColumn(SavedViewColumn.NAME))

    def _on_renamed(self, name: str, new: str) -> None:
        self.store_note()
        row = self.model.row_of(name)
        self.apply(lambda views: renamed(views, name, new))
        self._noted = self.model.views[row].name if row == self.table.currentIndex().row() else ""

    def _delete(self) -> None:
        names = {view.name for view in self.selected}
        row = self.table.currentIndex().row()
        self._noted = "" if self._noted in names else self._noted
        self.apply(lambda views: without(views, names))
        self._select(max(0, min(row, self.model.row_count() - 1)))

    def _move(self, by: int) -> None:
        if (view := self.current) is not None:
            self.store_note()
            self.apply(lambda views: moved(views, view.name, by))
            self._noted = ""
            self._select(self.model.row_of(view.name))

    def _export(self) -> None:
        self.store_note()
        self.export_requested.emit(self.selected)

    # ---------------------------------------------------------------- Qt's events

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Store the note when its field loses the focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.store_note()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leave Return to the table: in the name that is edited it must do nothing else."""
        if event.key() not in _RETURNS:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Store the note, then close."""
        self.store_note()
        super().done(result)
