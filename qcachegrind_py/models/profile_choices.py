"""The profiles of a folder as a list to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QObject, Qt

from qcachegrind_py.formats.profile_finder import FoundProfile
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import AnyIndex, alignment

_NO_INDEX = QModelIndex()


class ProfileColumn(IntEnum):
    """The columns of the list."""

    NAME, PROGRAM, WRITTEN, SIZE = range(4)


_TITLES = {
    ProfileColumn.NAME: "File",
    ProfileColumn.PROGRAM: "Program",
    ProfileColumn.WRITTEN: "Written",
    ProfileColumn.SIZE: "Size",
}


class ProfileChoiceModel(QAbstractTableModel):
    """A table with one row per profile, in the order of `found`."""

    def __init__(
        self, folder: Path, found: Sequence[FoundProfile], parent: QObject | None = None
    ) -> None:
        """Show the profiles found; file names are displayed relative to `folder`."""
        super().__init__(parent)
        self._folder = folder
        self.profiles = list(found)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        profile, locale = self.profiles[row], QLocale()
        match ProfileColumn(column):
            case ProfileColumn.NAME:
                more = f"  (+{profile.file_count - 1})" if profile.file_count > 1 else ""
                return cell_text(str(profile.path.relative_to(self._folder))) + more
            case ProfileColumn.PROGRAM:
                return cell_text(profile.command)
            case ProfileColumn.WRITTEN:
                moment = QDateTime.fromSecsSinceEpoch(int(profile.modified))
                return locale.toString(moment, QLocale.FormatType.ShortFormat)
            case ProfileColumn.SIZE:
                return locale.formattedDataSize(profile.size, 1)

    # ---------------------------------------------------------------- Qt's model interface

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.profiles)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(ProfileColumn)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(is_number=index.column() == ProfileColumn.SIZE)
        if role == Qt.ItemDataRole.ToolTipRole:
            profile = self.profiles[index.row()]
            return tip_text(str(profile.path), profile.command)
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return _TITLES[ProfileColumn(section)]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return alignment(is_number=section == ProfileColumn.SIZE)
        return None
