"""The programs that run under callgrind as a list to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import AnyIndex, alignment
from qcachegrind_py.profile.number_format import format_duration
from qcachegrind_py.tools.command_line import join
from qcachegrind_py.tools.valgrind.running_programs import RunningProgram

_NO_INDEX = QModelIndex()


class RunningColumn(IntEnum):
    """The columns of the list."""

    COMMAND, PROCESS, TIME = range(3)


_TITLES = {
    RunningColumn.COMMAND: "Command",
    RunningColumn.PROCESS: "Process",
    RunningColumn.TIME: "Running For",
}


class RunningProgramModel(QAbstractTableModel):
    """A table with one row per program, in the order of `programs`."""

    def __init__(self) -> None:
        super().__init__()
        self.programs: list[RunningProgram] = []

    def set_programs(self, programs: Sequence[RunningProgram]) -> None:
        """Show these programs; the same processes keep their rows."""
        is_same = [p.process for p in programs] == [p.process for p in self.programs]
        if not is_same:
            self.beginResetModel()
        self.programs = list(programs)
        if not is_same:
            self.endResetModel()
        elif programs:
            self.dataChanged.emit(self.index(0, 0), self.index(len(programs) - 1, len(_TITLES) - 1))

    def row_of(self, process: int) -> int:
        """Return the row of a process; -1 if it has none."""
        return next((r for r, p in enumerate(self.programs) if p.process == process), -1)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        program = self.programs[row]
        match RunningColumn(column):
            case RunningColumn.COMMAND:
                return cell_text(join(program.arguments))
            case RunningColumn.PROCESS:
                return str(program.process)
            case RunningColumn.TIME:
                return format_duration(program.seconds)

    # ---------------------------------------------------------------- Qt's model interface

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.programs)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(is_number=index.column() != RunningColumn.COMMAND)
        if role == Qt.ItemDataRole.ToolTipRole:
            program = self.programs[index.row()]
            return tip_text(join(program.arguments), f"Profile: {program.profile}")
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return _TITLES[RunningColumn(section)]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return alignment(is_number=section != RunningColumn.COMMAND)
        return None
