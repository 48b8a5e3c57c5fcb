"""The profiles of a folder or an archive as a list to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject

from qcachegrind_py.formats.profile_finder import FoundProfile
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.widgets.labels import tip_text


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
