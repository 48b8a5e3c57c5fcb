"""The dialogs of saved views: one saves a view with name and note, one manages them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.text_widgets import FaintWrappedLabel
from qcachegrind_py.formats.saved_views import (
    MAX_NAME,
    MAX_NOTE,
    SavedView,
    moved,
    renamed,
    with_note,
    without,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.controls import NoteLabel, dialog_button, tip_text


class SavedViewTableModel(TextTableModel):
    """A table with one row per view; emits `rename_requested` when a name is edited."""

    rename_requested = Signal(str, str)  # the present name, and the new one

    def __init__(self, views: Sequence[SavedView] = (), parent: QObject | None = None) -> None:
        titles = "Name", "Function", "Events", "Filter", "Note"
        super().__init__(titles, parent=parent, edited=0)
        self.views = tuple(views)

    def set_views(self, views: Sequence[SavedView]) -> None:
        """Show other views; the selection stays where no row comes, goes or moves."""
        with self.replacing_rows(keeps_places=len(self.views) == len(views)):
            self.views = tuple(views)

    def row_count(self) -> int:
        return len(self.views)

    def row_of(self, name: str) -> int:
        """Return the row of the view of this name; -1 if there is none."""
        return next((row for row, view in enumerate(self.views) if view.name == name), -1)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell; of a note its first line."""
        view = self.views[row]
        texts = (
            view.name,
            "" if view.function is None else view.function.name,
            ", ".join(filter(None, (view.event, view.second_event))),
            ", ".join(filter(None, (view.filter, "only my code" if view.only_own_code else ""))),
            next(iter(view.note.splitlines()), ""),
        )
        return cell_text(texts[column])

    def tip(self, row: int) -> str:
        return tip_text(self.views[row].name, *self.views[row].note.splitlines())

    def setData(  # noqa: N802
        self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Ask for another name; an empty one and the present one are not taken."""
        name = str(value).strip()[:MAX_NAME]
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        view = self.views[index.row()]
        if not name or name == cell_text(view.name):
            return False
        self.rename_requested.emit(view.name, name)
        return True


_BUTTON = QDialogButtonBox.StandardButton
_CONTENT = (
    "A saved view has the active function, events, filter, grouping, costs, cycles, parts and the "
    "layout of the window."
)
_REPLACES = "A view of this name is saved already. It will be replaced."


class SaveViewDialog(QDialog):
    """Emits `chosen` with name and note; the names of saved views are replaced by the same name."""

    chosen = Signal(str, str)

    def __init__(self, proposed: str, taken: Collection[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save View")
        self._taken = taken
        self.name = QLineEdit(proposed, maxLength=MAX_NAME)
        self.name.selectAll()
        self.note = QPlainTextEdit()
        self.note.setTabChangesFocus(True)
        self.note.setPlaceholderText("What to look at here, for you or for others")
        self.hint = FaintWrappedLabel(_CONTENT)
        self.buttons = QDialogButtonBox(_BUTTON.Save | _BUTTON.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow("&Name:", self.name)
        form.addRow("N&ote:", self.note)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.hint)
        column.addWidget(self.buttons)
        self.name.textChanged.connect(lambda _text: self._update())
        self._update()
        line = self.fontMetrics().height()
        self.resize(line * 28, line * 15)

    @property
    def _chosen_name(self) -> str:
        return self.name.text().strip()

    def _update(self) -> None:
        """Say whether a view will be replaced; a view needs a name."""
        self.hint.setText(_REPLACES if self._chosen_name in self._taken else _CONTENT)
        self.buttons.button(_BUTTON.Save).setEnabled(bool(self._chosen_name))

    def accept(self) -> None:
        """Emit name and note; without a name, stay open."""
        if self._chosen_name:
            super().accept()
            self.chosen.emit(self._chosen_name, self.note.toPlainText().strip()[:MAX_NOTE])


_KEYS = "Return goes to a view, F2 renames it, Alt+Up and Alt+Down move it in the menu."
_NO_VIEWS = "No views are saved for this program. “Save View…” saves what the window shows."
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SELECT = QItemSelectionModel.SelectionFlag
_Views = tuple[SavedView, ...]


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
        row, commands, content = QHBoxLayout(), QVBoxLayout(), QVBoxLayout()
        self.go_button, self.rename_button, self.delete_button, self.up_button = (
            dialog_button("&Go To", "Show this view (Return)", self._go),
            dialog_button("&Rename", "Rename this view (F2)", self._rename),
            dialog_button("&Delete", "Delete the chosen views (Del)", self._delete),
            dialog_button("Move &Up", "Move it up (Alt+Up)", lambda: self._move(-1)),
        )
        self.down_button, self.export_button, self.import_button = (
            dialog_button("Move Do&wn", "Move it down (Alt+Down)", lambda: self._move(1)),
            dialog_button("&Export…", "Save the chosen views as a file for others", self._export),
            dialog_button("&Import…", "Add the views of a file", self.import_requested.emit),
        )
        for button in (
            self.go_button, self.rename_button, self.delete_button, self.up_button,
            self.down_button, self.export_button, self.import_button,
        ):  # fmt: skip
            commands.addWidget(button)
        commands.addStretch()
        heading = QLabel("&Note:")
        heading.setBuddy(self.note)
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
        header, line = self.table.horizontalHeader(), self.fontMetrics().height()
        for section, width in enumerate((12, 9, 5, 7)):
            header.resizeSection(section, line * width)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
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
        row = self.table.currentIndex().row()
        return self.model.views[row] if 0 <= row < self.model.row_count() else None

    @property
    def selected(self) -> list[SavedView]:
        """The views of the selected rows, in their order."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.views[row] for row in rows]

    def _select(self, row: int) -> None:
        if self.model.row_count():
            index = self.model.index(row, 0)
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
        self.table.edit(self.table.currentIndex().siblingAtColumn(0))

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
