"""Dialog for choosing among the profiles of a folder or an archive."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.formats.run_files import FoundProfile
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text


class ProfileColumn(IntEnum):
    """The columns of the list."""

    NAME, PROGRAM, WRITTEN, SIZE = range(4)


_TITLES = "File", "Program", "Written", "Size"
_NUMBERS = (ProfileColumn.SIZE,)


class ProfileChoiceModel(TextTableModel):
    """A table with one row per profile, in the order of `found`."""

    def __init__(
        self, place: Path, found: Sequence[FoundProfile], parent: QObject | None = None
    ) -> None:
        """Show the profiles found; file names are displayed as they are in it."""
        super().__init__(_TITLES, _NUMBERS, parent)
        self._begin = len(str(place / "x")) - 1  # of the names in it
        self.profiles = list(found)

    def row_count(self) -> int:
        """Return the number of profiles."""
        return len(self.profiles)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        profile, locale = self.profiles[row], QLocale()
        match ProfileColumn(column):
            case ProfileColumn.NAME:
                more = f"  (+{profile.file_count - 1})" if profile.file_count > 1 else ""
                return cell_text(str(profile.path)[self._begin :]) + more
            case ProfileColumn.PROGRAM:
                return cell_text(profile.command)
            case ProfileColumn.WRITTEN:
                moment = QDateTime.fromSecsSinceEpoch(int(profile.modified))
                return locale.toString(moment, QLocale.FormatType.ShortFormat)
            case ProfileColumn.SIZE:
                return locale.formattedDataSize(profile.size, 1)

    def tip(self, row: int) -> str:
        """Return the whole path, and the command of the program."""
        profile = self.profiles[row]
        return tip_text(str(profile.path), profile.command)


_BUTTON = QDialogButtonBox.StandardButton


class FolderDialog(QDialog):
    """Emits `chosen` with the selected paths, which are the parts of one profile."""

    chosen = Signal(object)

    def __init__(self, place: Path, profiles: Sequence[FoundProfile], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Profiles in {cell_text(place.name or str(place))}")
        self.model = ProfileChoiceModel(place, profiles, self)
        self.table = QTableView()
        self.table.setModel(self.model)
        apply_list_style(self.table, "Profiles")
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.activated.connect(lambda _index: self.accept())
        self.buttons = QDialogButtonBox(_BUTTON.Open | _BUTTON.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.table)
        column.addWidget(NoteLabel("If you select several, they open as parts of one profile."))
        column.addWidget(self.buttons)
        line = self.fontMetrics().height()
        self.resize(line * 56, line * 26)
        self.setMinimumWidth(line * 32)  # enough to tell the names apart
        self._set_column_widths()
        self.table.selectRow(0)

    def _set_column_widths(self) -> None:
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (ProfileColumn.NAME, ProfileColumn.PROGRAM):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def accept(self) -> None:
        """Emit the selected paths and close; without a selection, stay open."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        if rows:
            super().accept()
            self.chosen.emit([self.model.profiles[row].path for row in rows])
