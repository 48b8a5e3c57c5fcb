"""The saved views of a program as a list, in the order of their menu."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt, Signal

from qcachegrind_py.formats.saved_views import MAX_NAME, SavedView
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel
from qcachegrind_py.views.widgets.labels import tip_text


class SavedViewColumn(IntEnum):
    """The columns of the list."""

    NAME, FUNCTION, EVENTS, FILTER, NOTE = range(5)


class SavedViewTableModel(TextTableModel):
    """A table with one row per view; emits `rename_requested` when a name is edited."""

    rename_requested = Signal(str, str)  # the present name, and the new one

    def __init__(self, views: Sequence[SavedView] = (), parent: QObject | None = None) -> None:
        super().__init__(
            ("Name", "Function", "Events", "Filter", "Note"),
            (),
            parent,
            edited=SavedViewColumn.NAME,
        )
        self.views = tuple(views)

    def set_views(self, views: Sequence[SavedView]) -> None:
        """Show other views; the selection stays where no row comes, goes or moves."""
        with self.replacing_rows(keeps_places=len(self.views) == len(views)):
            self.views = tuple(views)

    def row_count(self) -> int:
        """Return the number of views."""
        return len(self.views)

    def row_of(self, name: str) -> int:
        """Return the row of the view of this name; -1 if there is none."""
        return next((row for row, view in enumerate(self.views) if view.name == name), -1)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell; of a note its first line."""
        view = self.views[row]
        match SavedViewColumn(column):
            case SavedViewColumn.NAME:
                return cell_text(view.name)
            case SavedViewColumn.FUNCTION:
                return "" if view.function is None else cell_text(view.function.name)
            case SavedViewColumn.EVENTS:
                return cell_text(", ".join(filter(None, (view.event, view.second_event))))
            case SavedViewColumn.FILTER:
                own_code = ["only my code"] if view.only_own_code else []
                return cell_text(", ".join([*filter(None, [view.filter]), *own_code]))
            case SavedViewColumn.NOTE:
                return cell_text(next(iter(view.note.splitlines()), ""))

    def tip(self, row: int) -> str:
        """Return name and note."""
        view = self.views[row]
        return tip_text(view.name, *view.note.splitlines())

    # ---------------------------------------------------------------- Qt's model interface

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
