"""The command that shows programs that run under callgrind elsewhere, and the parts they write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.files.commands import FileCommands
from qcachegrind_py.formats.run_files import run_leaders
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:  # imported on first use; few users need it
    from qcachegrind_py.app.recording.running_dialog import RunningDialog
    from qcachegrind_py.tools.valgrind.running_programs import RunningProgram


class RunningPrograms:
    """Shows each part that a program writes on request, with the parts before it."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        files: FileCommands,
        record: Callable[[], None],
    ) -> None:
        self._window, self._session, self._files = window, session, files
        self._record = record
        self.dialog: RunningDialog | None = None  # created on first use

    def show(self) -> None:
        """Show the dialog, with the program of the open profile chosen if it still runs."""
        if self.dialog is None:
            from qcachegrind_py.app.recording.running_dialog import RunningDialog

            self.dialog = RunningDialog(self._session.jobs, self._window)
            self.dialog.dumped.connect(self._show_dump)
            self.dialog.recording_requested.connect(self._record)
            application = QCoreApplication.instance()
            if application is not None:  # it may quit without closing its windows
                application.aboutToQuit.connect(self.dialog.end)
        self.dialog.prefer(self._files.open_files)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def end(self) -> None:
        """Stop controlling programs, which run on."""
        if self.dialog is not None:
            self.dialog.end()

    def _show_dump(self, program: RunningProgram, new_files: tuple[Path, ...]) -> None:
        """Open the run of the program, or reload it if it is what the window shows.

        Files that the user has put together stay together, and get the new ones as well.
        """
        session, opened = self._session, self._files.open_files
        if session.is_opening and session.pending_paths == (program.profile,):
            self._files.open_here([program.profile])
        elif not any(_is_of_run(path, program) for path in opened):
            self._files.open([program.profile])
        elif session.with_siblings and len(session.paths) == 1:
            self._files.open_here([program.profile])
        else:
            self._files.open_here(list(dict.fromkeys([*opened, *new_files])), with_siblings=False)


def _is_of_run(path: Path, program: RunningProgram) -> bool:
    """Whether a file is the profile of the program, or one of its parts."""
    names = path.name, *run_leaders(path.name)
    return path.parent == program.profile.parent and program.profile.name in names
