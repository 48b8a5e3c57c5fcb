"""Reports problems of the program: failed jobs, unsaved settings, and the system report."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobFailed
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

_WRITE_DELAY_MS = 1000  # after a change; by then, writing the settings has succeeded or failed
_PENDING_TEXT = "Checking the system…"


class ProblemReporter:
    """Shows problems in the notices and dialogs of one window."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session, self._notices = window, session, notices
        self._settings, self._reported = settings, ""
        self._check_timer = QTimer(window, singleShot=True, interval=_WRITE_DELAY_MS)
        self._check_timer.timeout.connect(self._check_settings)
        settings.changed.connect(self._check_timer.start)
        actions.connect({"system_report": self.show_system_report})
        session.failed.connect(self._on_failed)

    def report_settings_file(self) -> None:
        """Show a notice about problems found when the settings file was read."""
        if self._settings.problems:
            self._report_settings(" ".join(self._settings.problems))

    def _check_settings(self) -> None:
        """Show a notice if settings cannot be written, once for each reason."""
        reason = self._settings.write_problem()
        if reason and reason not in self._reported:
            self._report_settings(reason)

    def _report_settings(self, text: str) -> None:
        self._reported = text
        self._notices.show_notice("warning", cell_text(text), topic="settings", lasting=True)

    def _on_failed(self, error: ProfileError) -> None:
        """Report a bug with its details; problems of files are shown by `FileCommands`."""
        if isinstance(error, JobFailed):
            from qcachegrind_py.app.crash.monitor import record_caught
            from qcachegrind_py.app.crash.notifier import show_report

            report = record_caught(error.cause, "a job")
            details = ("Details", lambda: _discard(show_report(report, self._window)))
            self._notices.show_notice("error", cell_text(str(error)), details)

    def show_system_report(self) -> None:
        """Show the report of `doctor`, which takes about a second to compute."""
        from qcachegrind_py.app.style.text_widgets import TextDialog

        dialog = TextDialog("System Report", "", _PENDING_TEXT, self._window)
        job = self._session.jobs.start("system report", _system_report_job)
        job.finished.connect(dialog.text.setPlainText)
        dialog.open()


def _system_report_job(_progress: Progress) -> str:
    from qcachegrind_py.app.doctor.checks import system_report  # not needed to start

    return system_report()


def _discard(_value: object) -> None:
    """Make an expression return None, as the actions of notices do."""
