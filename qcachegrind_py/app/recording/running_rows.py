"""The programs that run under callgrind as a list to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import format_duration
from qcachegrind_py.tools.command_line import join
from qcachegrind_py.tools.valgrind.running_programs import RunningProgram
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.widgets.labels import tip_text


class RunningColumn(IntEnum):
    """The columns of the list."""

    COMMAND, PROCESS, TIME = range(3)


_TITLES = "Command", "Process", "Running For"
_NUMBERS = RunningColumn.PROCESS, RunningColumn.TIME


class RunningProgramModel(TextTableModel):
    """A table with one row per program, in the order of `programs`."""

    def __init__(self) -> None:
        super().__init__(_TITLES, _NUMBERS)
        self.programs: list[RunningProgram] = []

    def set_programs(self, programs: Sequence[RunningProgram]) -> None:
        """Show these programs; the same processes keep their rows."""
        is_same = [p.process for p in programs] == [p.process for p in self.programs]
        with self.replacing_rows(keeps_places=is_same):
            self.programs = list(programs)

    def row_of(self, process: int) -> int:
        """Return the row of a process; -1 if it has none."""
        return next((r for r, p in enumerate(self.programs) if p.process == process), -1)

    def row_count(self) -> int:
        """Return the number of programs."""
        return len(self.programs)

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

    def tip(self, row: int) -> str:
        """Return the whole command, and the file that the profile is written to."""
        program = self.programs[row]
        return tip_text(join(program.arguments), f"Profile: {program.profile}")
