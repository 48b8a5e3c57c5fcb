"""Dialog for the order of the files of a history, and for what its revisions are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt, Signal
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

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.session.history import by_name, by_time, labelled
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.controls import NoteLabel, dialog_button, tip_text

_LONGEST_LABEL = 200


class RevisionColumn(IntEnum):
    """The columns of the list."""

    LABEL, FILE, WRITTEN = range(3)


class RevisionTableModel(TextTableModel):
    """A table with one row per revision, the oldest first."""

    def __init__(self, revisions: Sequence[Revision], parent: QObject | None = None) -> None:
        super().__init__(("Label", "File", "Written"), (), parent, edited=RevisionColumn.LABEL)
        self.revisions = list(revisions)

    def row_count(self) -> int:
        """Return the number of revisions."""
        return len(self.revisions)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        revision = self.revisions[row]
        match RevisionColumn(column):
            case RevisionColumn.LABEL:
                return cell_text(revision.label)
            case RevisionColumn.FILE:
                return cell_text(Path(revision.file).name)
            case RevisionColumn.WRITTEN:
                return _moment(Path(revision.file))

    def tip(self, row: int) -> str:
        """Return the whole path."""
        return tip_text(self.revisions[row].file)

    # ---------------------------------------------------------------- changes

    def _replace(self, revisions: Iterable[Revision]) -> None:
        with self.replacing_rows(keeps_places=False):
            self.revisions = list(revisions)

    def sort_files(self, order: Callable[[Iterable[Path]], list[Path]]) -> None:
        """Put the files into another order; their labels go with them."""
        by_file = {revision.file: revision for revision in self.revisions}
        self._replace(by_file[str(path)] for path in order(map(Path, by_file)))

    def add(self, revisions: Sequence[Revision]) -> None:
        """Add revisions at the end, except for files that are there already."""
        known = {revision.file for revision in self.revisions}
        self._replace(self.revisions + [new for new in revisions if new.file not in known])

    def remove(self, row: int) -> None:
        """Leave a revision out."""
        self._replace(self.revisions[:row] + self.revisions[row + 1 :])

    def move(self, row: int, to: int) -> None:
        """Move a revision to another row."""
        others = self.revisions[:row] + self.revisions[row + 1 :]
        self._replace([*others[:to], self.revisions[row], *others[to:]])

    # ---------------------------------------------------------------- Qt's model interface

    def setData(  # noqa: N802
        self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Change a label; an empty one is not taken."""
        label = str(value).strip()[:_LONGEST_LABEL]
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not label:
            return False
        row = index.row()
        self.revisions[row] = replace(self.revisions[row], label=label)
        self.dataChanged.emit(index, index)
        return True


def _moment(path: Path) -> str:
    """Return when a file was written; empty if it cannot be found."""
    try:
        seconds = int(path_on_disk(path).stat().st_mtime)
    except OSError:
        return ""
    moment = QDateTime.fromSecsSinceEpoch(seconds)
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


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
