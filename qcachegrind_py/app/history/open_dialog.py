"""Dialog for the order of the files of a history, and for what its revisions are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.history.revision_table import RevisionColumn, RevisionTableModel
from qcachegrind_py.session.history import by_name, by_time, labelled
from qcachegrind_py.views.common.buttons import dialog_button
from qcachegrind_py.views.common.profile_view import NoteLabel
from qcachegrind_py.views.common.record_table import apply_list_style

_BUTTON = QDialogButtonBox.StandardButton
_FEWEST = 2  # revisions of a history
_NOTE = "The oldest revision is on top. F2 renames one, Alt+Up and Alt+Down move it."


class OpenHistoryDialog(QDialog):
    """Emits `chosen` with the revisions, the oldest first. Files are first ordered by name."""

    chosen = Signal(object)  # list[Revision]

    def __init__(
        self, files: Sequence[Path], choose_files: Callable[[], list[Path]], parent: QWidget
    ) -> None:
        """`choose_files` asks for further files."""
        super().__init__(parent)
        self.setWindowTitle("Open History")
        self._choose_files = choose_files
        self.model = RevisionTableModel(labelled(by_name(dict.fromkeys(files))), self)
        self.table = QTableView()
        self.table.setModel(self.model)
        apply_list_style(self.table, "Revisions")
        trigger = QTableView.EditTrigger
        self.table.setEditTriggers(trigger.EditKeyPressed | trigger.DoubleClicked)
        self.buttons = QDialogButtonBox(_BUTTON.Open | _BUTTON.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._arrange()
        self._add_shortcuts()
        self.model.modelReset.connect(self._update)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._update())
        self.table.setCurrentIndex(self.model.index(0, RevisionColumn.LABEL))
        self._update()

    def _arrange(self) -> None:
        row, commands = QHBoxLayout(), QVBoxLayout()
        self.add_button = dialog_button("&Add Files…", "Add further revisions", self._add)
        self.remove_button = dialog_button("&Remove", "Leave this file out (Delete)", self._remove)
        self.up_button = dialog_button(
            "Move &Up", "Make this revision older (Alt+Up)", lambda: self._move(-1)
        )
        self.down_button = dialog_button(
            "Move &Down", "Make this revision newer (Alt+Down)", lambda: self._move(1)
        )
        self.name_button = dialog_button(
            "Sort by &Name", "Order by file name, with numbers counted: v9, v10",
            lambda: self.model.sort_files(by_name),
        )  # fmt: skip
        self.time_button = dialog_button(
            "Sort by &Time", "Order by when the files were written",
            lambda: self.model.sort_files(by_time),
        )  # fmt: skip
        for button in (
            self.add_button, self.remove_button, self.up_button, self.down_button,
            self.name_button, self.time_button,
        ):  # fmt: skip
            commands.addWidget(button)
        commands.addStretch()
        row.addWidget(self.table, 1)
        row.addLayout(commands)
        column = QVBoxLayout(self)
        column.addLayout(row, 1)
        column.addWidget(NoteLabel(_NOTE))
        column.addWidget(self.buttons)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(RevisionColumn.FILE, QHeaderView.ResizeMode.Stretch)
        line = self.fontMetrics().height()
        self.resize(line * 50, line * 26)

    def _add_shortcuts(self) -> None:
        for key, act in (
            ("Alt+Up", lambda: self._move(-1)),
            ("Alt+Down", lambda: self._move(1)),
            ("Del", self._remove),
        ):
            shortcut = QShortcut(QKeySequence(key), self.table)
            shortcut.activated.connect(act)

    # ---------------------------------------------------------------- commands

    @property
    def _row(self) -> int:
        return self.table.currentIndex().row()

    def _update(self) -> None:
        """Enable what can be done with the current row."""
        row, count = self._row, self.model.row_count()
        self.remove_button.setEnabled(row >= 0)
        self.up_button.setEnabled(row > 0)
        self.down_button.setEnabled(0 <= row < count - 1)
        self.buttons.button(_BUTTON.Open).setEnabled(count >= _FEWEST)

    def _add(self) -> None:
        if files := self._choose_files():
            self.model.add(labelled(by_name(files)))

    def _remove(self) -> None:
        if (row := self._row) >= 0:
            self.model.remove(row)
            self._select(min(row, self.model.row_count() - 1))

    def _move(self, by: int) -> None:
        row = self._row
        if row >= 0 and 0 <= row + by < self.model.row_count():
            self.model.move(row, row + by)
            self._select(row + by)

    def _select(self, row: int) -> None:
        self.table.setCurrentIndex(self.model.index(row, RevisionColumn.LABEL))
        self._update()

    def accept(self) -> None:
        """Emit the revisions and close; with fewer than two, stay open."""
        if self.model.row_count() >= _FEWEST:
            super().accept()
            self.chosen.emit(list(self.model.revisions))
