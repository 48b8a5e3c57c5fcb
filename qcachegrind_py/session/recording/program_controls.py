"""The controls of programs that were started elsewhere: one for each, made when it is needed."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from qcachegrind_py.session.recording.program_control import ProgramControl
from qcachegrind_py.session.recording.vgdb_client import VgdbClient
from qcachegrind_py.tools.valgrind.running_programs import RunningProgram


class ProgramControls(QObject):
    """A control lasts as long as its program, so that its answers arrive in any case."""

    changed = Signal()  # the state of a program
    dumped = Signal(object, object)  # a RunningProgram, and the files of the part that it wrote
    failed = Signal(str)  # a sentence about a request that had no effect

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.vgdb: str | None = None  # by absolute path; None if it is missing
        self._controls: dict[int, ProgramControl] = {}

    def control_of(self, program: RunningProgram) -> ProgramControl | None:
        """Return the control of a program; None if it cannot be reached."""
        control = self._controls.get(program.process)
        if control is None and self.vgdb is not None and program.address is not None:
            client = VgdbClient(self.vgdb, program.process, self, program.address)
            control = self._controls[program.process] = self._new_control(client, program)
        return control

    def _new_control(self, client: VgdbClient, program: RunningProgram) -> ProgramControl:
        control = ProgramControl(client, program.profile, self)
        control.changed.connect(self.changed)
        control.status_received.connect(lambda _state: self.changed.emit())
        control.dumped.connect(lambda files: self.dumped.emit(program, files))
        control.failed.connect(lambda text: self.failed.emit(f"{program.name}: {text}"))
        return control

    def keep(self, programs: Iterable[RunningProgram]) -> None:
        """Close the controls of all programs but these."""
        running = {program.process for program in programs}
        for process in self._controls.keys() - running:
            self._controls[process].close()
            self._controls.pop(process).deleteLater()
