"""The dialog for path rules and search folders, which locate sources and objects.

It edits the settings only; `tools.sources.file_search` finds the files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.settings.path_table import (
    BUTTON_KEYS,
    FolderRows,
    PathButton,
    PathRows,
    PathTable,
    RuleRows,
    guess_original,
    suggested_paths,
)
from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import expand_home
from qcachegrind_py.views.widgets.controls import NoteLabel

_INTRODUCTION = (
    "A profile names sources and objects by their paths where it was recorded. If that was another "
    "machine, a container or a CI job, say here where they are now: "
    "/build/x → ~/x, /home/*/src → ~/src."
)
_NO_RULES_TEXT = (
    "A rule says what a recorded path is here; one for a folder serves all files below it. "
    "* stands for any name between two slashes."
)
_NO_FOLDERS_TEXT = (
    "Folders to look in for what is nowhere else, and in all folders below. "
    "Of files of the same name, the one whose path agrees best is taken."
)


class PathsDialog(QDialog):
    """Emits `changed` after each change is stored.

    `recorded` are paths of the open profile that were not found; new rules start from them.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, parent: QWidget | None, recorded: Sequence[str] = ()
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Source Paths and Objects")
        self.rules = _RuleSection(settings, tuple(recorded))
        self.folders = _FolderSection(settings)
        for section in (self.rules, self.folders):
            section.changed.connect(self.changed)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(WrappedLabel(_INTRODUCTION))
        column.addWidget(self.rules, 3)
        column.addWidget(self.folders, 2)
        column.addWidget(buttons)
        for button in self.findChildren(QPushButton):  # Return in a cell must not press it
            button.setAutoDefault(False)
        line = self.fontMetrics().height()
        self.resize(line * 46, line * 36)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Store the text of an open editor, then close."""
        for section in (self.rules, self.folders):
            section.table.commit_edit()
        super().done(result)


class _PathSection(QWidget):
    """A table with its heading, its buttons and the first problem in it."""

    changed = Signal()
    browsed_column = 0  # filled by `browse`

    def __init__(self, title: str, model: PathRows, table: PathTable, names: Sequence[str]) -> None:
        super().__init__()
        self.model, self.table = model, table
        self.problem = NoteLabel()
        slots = (self.add, self.browse, self.remove, self.move_up, self.move_down)
        self.buttons = dict(zip(PathButton, map(QPushButton, names), strict=True))
        for (kind, button), slot in zip(self.buttons.items(), slots, strict=True):
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
            button.setToolTip(BUTTON_KEYS.get(kind, ""))
        table.button_requested.connect(lambda kind: self.buttons[PathButton(kind)].click())
        heading = QLabel(title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        heading.setBuddy(table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, self.fontMetrics().height() // 2, 0, 0)
        column.addWidget(heading)
        column.addWidget(table)
        column.addWidget(self.problem)
        column.addLayout(self._button_row())
        model.edited.connect(self._on_edited)
        table.selectionModel().selectionChanged.connect(lambda *_: self._update_buttons())
        self._update_buttons()

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for kind, button in self.buttons.items():
            if kind is PathButton.UP:
                row.addStretch()
            row.addWidget(button)
        return row

    def save(self) -> None:
        """Store the rows in the settings."""
        raise NotImplementedError

    # ---------------------------------------------------------------- slots of the buttons

    def add(self) -> None:
        """Add a row and edit its first cell."""
        self.table.commit_edit()
        self.table.edit_cell(self.model.add(), 0)

    def browse(self) -> None:
        """Ask for a folder; put it into the selected row or a new one."""
        self.table.commit_edit()
        rows = self.table.selected()
        start = self.model.text(rows[0], self.browsed_column) if rows else ""
        folder = QFileDialog.getExistingDirectory(
            self, "Choose a Folder", nearest_existing_folder(start)
        )
        if not folder:
            return
        row = rows[0] if rows else self.model.add()
        self.model.set_text(row, self.browsed_column, folder)
        self.table.selectRow(row)

    def remove(self) -> None:
        """Remove the selected rows and select the next one."""
        self.table.commit_edit()
        rows = self.table.selected()
        self.model.remove(rows)
        remaining = self.model.rowCount()
        if rows and remaining:
            self.table.selectRow(min(rows[0], remaining - 1))

    def move_up(self) -> None:
        """Move the selected row up."""
        self._move(-1)

    def move_down(self) -> None:
        """Move the selected row down."""
        self._move(1)

    def _move(self, by: int) -> None:
        self.table.commit_edit()
        self.model.move(self.table.selected()[0], by)
        self._update_buttons()

    # ---------------------------------------------------------------- state

    def _on_edited(self) -> None:
        self.save()
        self._update_buttons()
        self.changed.emit()

    def _update_buttons(self) -> None:
        """Show the first problem, selected rows first, and enable the buttons that apply."""
        rows, last = self.table.selected(), self.model.rowCount() - 1
        invalid = [row for row in (*rows, *range(last + 1)) if self.model.problem(row)]
        text = f"Row {invalid[0] + 1}: {self.model.problem(invalid[0])}" if invalid else ""
        self.problem.setText(cell_text(text))
        is_one = len(rows) == 1
        self.buttons[PathButton.REMOVE].setEnabled(bool(rows))
        self.buttons[PathButton.UP].setEnabled(is_one and rows[0] > 0)
        self.buttons[PathButton.DOWN].setEnabled(is_one and rows[0] < last)


class _RuleSection(_PathSection):
    browsed_column = RuleRows.REPLACEMENT

    def __init__(self, settings: Settings, recorded: tuple[str, ...]) -> None:
        self._settings, self._recorded = settings, recorded
        self.rules = RuleRows(settings.path_rules)
        table = PathTable(self.rules, "Rules", _NO_RULES_TEXT)
        table.delegate.suggestions = suggested_paths(recorded)
        names = ("&Add", "&Browse…", "&Remove", "&Up", "&Down")
        super().__init__("Rules", self.rules, table, names)

    def add(self) -> None:
        self.table.delegate.first_suggestion = guess_original(self._recorded, self.rules.rules)
        super().add()

    def save(self) -> None:
        self._settings.path_rules = self.rules.rules


class _FolderSection(_PathSection):
    browsed_column = FolderRows.FOLDER

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folders = FolderRows(settings.source_folders)
        table = PathTable(self.folders, "Folders to search", _NO_FOLDERS_TEXT)
        names = ("Add &Folder", "Brow&se…", "Re&move", "U&p", "Dow&n")
        super().__init__("Folders to search", self.folders, table, names)

    def save(self) -> None:
        self._settings.source_folders = self.folders.folders


def nearest_existing_folder(path: str) -> str:
    """The folder or its nearest existing ancestor; the home folder for relative paths."""
    start = Path(expand_home(path))
    candidates = map(str, (start, *start.parents) if start.is_absolute() else ())
    # Path.is_dir raises for names that are too long and for inaccessible folders
    return next((folder for folder in candidates if os.path.isdir(folder)), expand_home("~"))  # noqa: PTH112
