"""The lines of the active function whose self cost changed, below the list of contributions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from qcachegrind_py.models.base.table import AnyIndex
from qcachegrind_py.models.explanation.line_changes import LineChangeModel
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.views.common.job_view import BUSY_TEXT
from qcachegrind_py.views.common.profile_view import NoteLabel
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.explanation.line_loader import LoadedLines

_NO_LINES = "No line changed: the profiles have no costs of lines here."


class SelfLines(QWidget):
    """A table of lines with a note on how they were paired."""

    line_chosen = Signal(object)  # Position: the line in the new source

    def __init__(self) -> None:
        super().__init__()
        self.model = LineChangeModel(self)
        self.table = RecordTable(self.model, "Lines of Self")
        self.table.ascending_columns = (LineChangeModel.LINE,)
        self.table.empty_page.show_reason(BUSY_TEXT)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.note = NoteLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table)
        column.addWidget(self.note)
        self.note.hide()

    def show_lines(self, loaded: LoadedLines, changes: CostFormat, costs: CostFormat) -> None:
        """Show the lines of another function, or of other sides."""
        self.model.set_rows(loaded.rows, changes, costs)
        self.table.fit_numbers()
        self.table.empty_page.show_reason(_NO_LINES)
        self.note.setText(cell_text(loaded.note))
        self.note.setVisible(bool(loaded.note))

    def clear(self) -> None:
        """Show nothing, until other lines are loaded."""
        self.table.empty_page.show_reason(BUSY_TEXT)
        self.model.clear()
        self.note.hide()

    def _choose(self, index: AnyIndex) -> None:
        """Highlight the line in Source, where the new side has it."""
        if not index.isValid() or not self.table.hasFocus():
            return
        rows, record = self.model.rows, self.model.record(index)
        if line := int(rows.new_line[record]):
            self.line_chosen.emit(Position(TextId(int(rows.file[record])), line))
