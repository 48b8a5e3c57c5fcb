"""The files of a history as a list that can be ordered, with labels that can be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt

from qcachegrind_py.analysis.history.history import Revision
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel
from qcachegrind_py.views.widgets.labels import tip_text

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
