"""Recording from the window: shows the dialog, and notices while the dialog is hidden.

The recorder itself is `session.recording.recorder`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.frame.frame import confirm_stop
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.settings.store import Settings

if TYPE_CHECKING:  # takes 50 ms to import; few users record
    from qcachegrind_py.app.recording.record_dialog import RecordDialog
    from qcachegrind_py.session.recorder import Recorder, RecordingOutcome

_NOTICE_TOPIC = "recording"
_COMPARES = "This window compares two profiles."


class Keep(NamedTuple):
    """What a recorded profile must not replace unasked, and where it opens instead."""

    is_comparing: Callable[[], bool]
    open_elsewhere: Callable[[Sequence[Path]], None]  # in a new window


class RecordingController:
    """Runs one recording at a time; it continues while its dialog is hidden."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        notices: Notices,
        open_: Callable[[Sequence[Path]], None],
        keep: Keep,
    ) -> None:
        self._window, self._settings, self._notices = window, settings, notices
        self._open_here, self._keep = open_, keep
        self._recorder: Recorder | None = None
        self.dialog: RecordDialog | None = None  # both are created on first use

    @property
    def recorder(self) -> Recorder:
        if self._recorder is None:
            from qcachegrind_py.session.recorder import Recorder

            self._recorder = Recorder(self._window)
            self._recorder.ended.connect(self._on_ended)
            application = QCoreApplication.instance()
            if application is not None:  # it may quit without closing its windows
                application.aboutToQuit.connect(self._recorder.shut_down)
        return self._recorder

    def show(self) -> None:
        if self.dialog is None:
            from qcachegrind_py.app.recording.record_dialog import RecordDialog

            self.dialog = RecordDialog(self._settings, self.recorder, self._window)
            self.dialog.open_requested.connect(self._open)
            self.dialog.finished.connect(lambda _result: self._on_hidden())
        self._notices.close_notice(_NOTICE_TOPIC)
        self.recorder.is_monitored = True
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def confirm_close(self) -> bool:
        """Return whether the window may close; if a recording runs, ask and end it."""
        if self._recorder is None or not self._recorder.is_running:
            return True
        text = f"{self._program} is still being recorded."
        consequence = (
            "Closing the window ends it. What was counted so far is saved in "
            f"{cell_text(str(self.recorder.recording.output_folder))}."
        )
        if not confirm_stop(self._window, "Recording", text, consequence):
            return False
        self.end()
        return True

    def end(self) -> None:
        """End the recording, if there is one; what was counted until now is kept."""
        if self._recorder is not None and self._recorder.is_running:
            QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
            self.recorder.shut_down()
            QGuiApplication.restoreOverrideCursor()

    def _open(self, paths: Sequence[Path]) -> None:
        """Open a recorded profile; if it would replace a comparison, ask where."""
        if not self._keep.is_comparing():
            self._open_here(paths)
            return
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Recorded Profile")
        box.setText(_COMPARES)
        box.setInformativeText("Where do you want to see the recorded profile?")
        role = QMessageBox.ButtonRole.AcceptRole
        elsewhere = box.addButton("In a &New Window", role)
        here = box.addButton("&Here, Instead", role)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(elsewhere)
        box.exec()
        if box.clickedButton() is elsewhere:
            self._keep.open_elsewhere(paths)
        elif box.clickedButton() is here:
            self._open_here(paths)
        box.deleteLater()

    @property
    def _program(self) -> str:
        return cell_text(Path(self.recorder.recording.program).name)

    def _on_hidden(self) -> None:
        """Show a notice that the recording continues."""
        self.recorder.is_monitored = False
        if self.recorder.is_running:
            text = f"{self._program} is being recorded."
            choices = ("Show", self.show), ("Stop", self.recorder.stop)
            self._notify(text, *choices)

    def _on_ended(self, outcome: RecordingOutcome) -> None:
        """If the dialog is hidden, offer the profile instead of opening it over the user's work."""
        if self.dialog is None or self.dialog.isVisible():
            return
        paths = [run.path for run in outcome.profiles_to_open[:1]]
        choices = [("Open", lambda: self._open(paths))] if paths else []
        text = cell_text(f"{self._program}: {outcome.messages()}")
        self._notify(text, *choices, ("Show", self.show))

    def _notify(self, text: str, *choices: tuple[str, Callable[[], None]]) -> None:
        """Show a notice that stays when other profiles are opened."""
        self._notices.show_notice("information", text, *choices, topic=_NOTICE_TOPIC, lasting=True)
