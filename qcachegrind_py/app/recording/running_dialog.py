"""The dialog of programs that run under callgrind now, wherever they were started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHeaderView,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.recording.run_panel import ControlPanel, state_text
from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.formats.run_files import parts_by_name
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.profile.numbers import format_duration
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.program_control import ProgramControl, VgdbClient
from qcachegrind_py.tools.command_line import join
from qcachegrind_py.tools.valgrind.recording import find_tools
from qcachegrind_py.tools.valgrind.running_programs import (
    RunningProgram,
    can_find_programs,
    find_running_programs,
)
from qcachegrind_py.views.tables.item_model import TextTableModel
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text
from qcachegrind_py.views.widgets.empty_page import EmptyTablePage, Remedy
from qcachegrind_py.visible_text import visible_text


class RunningProgramModel(TextTableModel):
    """A table with one row per program, in the order of `programs`."""

    def __init__(self) -> None:
        super().__init__(("Command", "Process", "Running For"), numbers=(1, 2))
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
        return len(self.programs)

    def text(self, row: int, column: int) -> str:
        program = self.programs[row]
        command = cell_text(join(program.arguments))
        return (command, str(program.process), format_duration(program.seconds))[column]

    def tip(self, row: int) -> str:
        """Return the whole command, and the file that the profile is written to."""
        program = self.programs[row]
        return tip_text(join(program.arguments), f"Profile: {program.profile}")


RUNNING_JOB = "running programs"
COMMAND = "valgrind --tool=callgrind ./program"
_INTERVAL = 1000  # ms between two updates
_NO_PROGRAMS = (
    f"None of your programs is running under Callgrind. Start one in a terminal:\n\n{COMMAND}"
)
_NOT_HERE = "Running programs can only be found on Linux."
_NO_VGDB = "vgdb, a part of Valgrind, was not found. It is needed to control programs."
_OUT_OF_REACH = (
    "It takes no commands: it was forked, runs in a container, or was started with --vgdb=no."
)
_HINT = "Dump Now writes what was counted so far and shows it, while the program runs on."


class RunningDialog(QDialog):
    """Emits `dumped` with the program and the files of a part that it has written."""

    dumped = Signal(object, object)  # RunningProgram, paths
    recording_requested = Signal()

    def __init__(self, jobs: JobRunner, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Running Programs")
        self._jobs = jobs
        self._vgdb: str | None = None  # by absolute path; None if it is missing
        self._controls: dict[int, ProgramControl] = {}  # by process; each lasts as long as that
        self._preferred: set[Path] = set()  # files of the program to choose next
        self.model = RunningProgramModel()
        self.table = QTableView()
        self.profile, self.stack = NoteLabel(), NoteLabel()
        self.panel = ControlPanel()
        self.message = WrappedLabel()
        self.close_button = QPushButton("Close", autoDefault=False)
        self._timer = QTimer(self, interval=_INTERVAL)
        self._timer.timeout.connect(self.refresh)
        self._set_up_table()
        self._arrange()
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._on_current())
        self.close_button.clicked.connect(self.reject)
        self._show_message(_HINT)

    def _set_up_table(self) -> None:
        self.table.setModel(self.model)
        apply_list_style(self.table, "Running programs")
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        header, digit = self.table.horizontalHeader(), self.fontMetrics().horizontalAdvance("0")
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(1, 12 * digit)
        header.resizeSection(2, 16 * digit)
        self.empty_page = EmptyTablePage(self.table)

    def _arrange(self) -> None:
        self._details = QWidget()
        details = QFormLayout(self._details)
        details.setContentsMargins(0, 0, 0, 0)
        details.addRow("Profile", self.profile)
        details.addRow("State", self.panel.state)
        details.addRow("Call stack", self.stack)
        column, line = QVBoxLayout(self), self.fontMetrics().height()
        column.addWidget(self.table, 1)
        column.addWidget(self._details)
        column.addWidget(self.panel)
        self.panel.buttons.addWidget(self.close_button)
        column.addWidget(self.message)
        self.resize(line * 46, line * 26)
        self.setMinimumWidth(line * 30)

    # ---------------------------------------------------------------- the list

    def refresh(self) -> None:
        """Find the running programs, in a job, and query the chosen one."""
        if not self._jobs.is_running(RUNNING_JOB):
            job = self._jobs.start(RUNNING_JOB, lambda _progress: find_running_programs())
            job.finished.connect(self.show_programs)
        if control := self._control:
            control.request_status()

    def show_programs(self, programs: list[RunningProgram]) -> None:
        """Show the programs that were found; choose the first one if the chosen one has ended."""
        before = self._program
        self.model.set_programs(programs)
        self._close_controls({program.process for program in programs})
        if before is not None and self.model.row_of(before.process) < 0:
            self._show_message(f"{before.name} has ended.")
        if programs:
            self.table.selectRow(self._row_to_choose(before))
        self._preferred = set()
        self._update_state()
        if not self.empty_page.label.text():  # the first time: its buttons must stay to be pressed
            self._explain_emptiness()

    def end(self) -> None:
        """Stop controlling the programs, which run on; called before the program exits."""
        self._timer.stop()
        self._close_controls(set())

    def prefer(self, files: Iterable[Path]) -> None:
        """Choose the program that writes these files when the list is brought up to date."""
        self._preferred = set(files)

    def _row_to_choose(self, before: RunningProgram | None) -> int:
        """Return the row of the preferred program, of the one chosen before, or the first."""
        for row, program in enumerate(self.model.programs):
            if not self._preferred.isdisjoint(parts_by_name(program.profile)):
                return row
        return max(0, self.model.row_of(before.process)) if before is not None else 0

    def _explain_emptiness(self) -> None:
        if not can_find_programs():
            self.empty_page.show_reason(_NOT_HERE)
            return
        self.empty_page.show_reason(
            _NO_PROGRAMS,
            Remedy("Copy Command", lambda: QGuiApplication.clipboard().setText(COMMAND)),
            Remedy("Record Program…", self.recording_requested.emit),
        )

    # ---------------------------------------------------------------- the chosen program

    @property
    def _program(self) -> RunningProgram | None:
        index = self.table.currentIndex()
        return self.model.programs[index.row()] if index.isValid() else None

    @property
    def _control(self) -> ProgramControl | None:
        """The control of the chosen program; None if it cannot be reached."""
        program = self._program
        if program is None:
            return None
        control = self._controls.get(program.process)
        if control is None and self._vgdb is not None and program.address is not None:
            control = self._controls[program.process] = self._new_control(self._vgdb, program)
        return control

    def _new_control(self, vgdb: str, program: RunningProgram) -> ProgramControl:
        client = VgdbClient(vgdb, program.process, self, program.address)
        control = ProgramControl(client, program.profile, self)
        control.changed.connect(self._update_state)
        control.dumped.connect(lambda files: self._on_dump(program, files))
        control.failed.connect(
            lambda text: self._show_message(f"{program.name}: {text}", is_bad=True)
        )
        return control

    def _close_controls(self, running: set[int]) -> None:
        """Close the controls of all processes but these."""
        for process in self._controls.keys() - running:
            self._controls[process].close()
            self._controls.pop(process).deleteLater()

    def _on_dump(self, program: RunningProgram, files: tuple[Path, ...]) -> None:
        self._show_message(f"{program.name} has written {files[0].name}.")
        self.dumped.emit(program, files)

    def _on_current(self) -> None:
        if control := self._control:
            control.request_status()
        self._update_state()

    def _update_state(self) -> None:
        program, control = self._program, self._control
        self._details.setVisible(program is not None)
        text = state_text(control)
        if program is not None and control is None:
            text = _NO_VGDB if self._vgdb is None else _OUT_OF_REACH
        self.panel.show_control(control, text)
        self.profile.setText(visible_text(str(program.profile)) if program is not None else "")
        self.stack.setText(_stack_text(control))

    def _show_message(self, text: str, *, is_bad: bool = False) -> None:
        role = QPalette.ColorRole
        self.message.setForegroundRole(role.BrightText if is_bad else role.PlaceholderText)
        self.message.setText(visible_text(text))

    # ---------------------------------------------------------------- Qt's events

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._vgdb = find_tools().vgdb
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._timer.stop()


def _stack_text(control: ProgramControl | None) -> str:
    """Return the functions that are active, the innermost first, as the program last said."""
    if control is None or control.live is None:
        return ""
    if not control.is_counting:
        return "unknown while paused"
    return " ← ".join(short_text(name) for name in control.live.stack)
