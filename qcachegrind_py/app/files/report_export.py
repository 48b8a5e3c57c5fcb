"""The command “Export Report”: saves the content of the window as one HTML file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.files.save_command import path_beside
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.session import Session

REPORT_JOB = WriteJob("report", "The report is still being written.")
_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most reports are written sooner


class ReportExport:
    """Writes reports in the background, one at a time."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session = window, session
        self._action, self._notices = actions["report"], notices
        self._action.setEnabled(False)
        actions.connect({"report": self.choose_file})
        session.opened.connect(self._update_action)

    def choose_file(self) -> None:
        """Ask for a path and write the report to it."""
        if self._session.queries is None:
            return
        from qcachegrind_py.views.common.file_saving import ask_save_path

        start = self._session.paths[0]
        suggested = path_beside(start, f"{start.name}.html")
        chosen = ask_save_path(self._window, "Export Report", suggested, ("HTML",))
        if chosen is not None:
            self.save(chosen[0])

    def save(self, path: Path) -> None:
        """Write a report with the current event, parts and filter, or one of what is compared."""
        context, queries = self._session.navigation.context, self._session.queries
        if queries is None:
            return
        from PySide6.QtWidgets import QProgressDialog

        from qcachegrind_py.reports.html.contents import ReportOptions  # takes 15 ms to import
        from qcachegrind_py.reports.html.page import save_report

        self._notices.close_notice(REPORT_JOB.slot)
        self._action.setEnabled(False)  # a second job would cancel this one
        compared, jobs = self._session.comparison, self._session.jobs
        if compared is not None and context.event is not None:
            from qcachegrind_py.reports.comparison.html.saved_page import save_page

            shown = context.event, context.filter, context.files
            job = jobs.start(REPORT_JOB.slot, save_page, path, compared, *shown)
        else:
            options = ReportOptions(context.event, context.scope, context.filter)
            job = jobs.start(REPORT_JOB.slot, save_report, path, queries, context.files, options)
        progress = QProgressDialog("Writing the report…", "Cancel", 0, _STEPS, self._window)
        progress.setMinimumDuration(_PROGRESS_DELAY_MS)
        progress.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: progress.setValue(int(fraction * (_STEPS - 1))))
        job.finished.connect(self._on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(progress.deleteLater)
        job.ended.connect(self._update_action)

    def _update_action(self) -> None:
        self._action.setEnabled(not self._session.jobs.is_running(REPORT_JOB.slot))

    def _on_saved(self, path: Path) -> None:
        def open_report() -> None:
            from PySide6.QtCore import QUrl
            from PySide6.QtGui import QDesktopServices

            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        text = cell_text(f"Saved {path}.")
        self._notices.show_notice(
            "information", text, ("Open", open_report), topic=REPORT_JOB.slot, passing=True
        )

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice(
            "error", cell_text(str(error)), topic=REPORT_JOB.slot, lasting=True
        )
