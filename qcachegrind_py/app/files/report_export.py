"""Saves a report of what the window shows, as one HTML file: asks where, and says how it went."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QMainWindow, QProgressDialog

from qcachegrind_py.app.files.save_command import path_beside
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.file_saving import ask_save_path

_JOB_SLOT = "report"  # also what is told is about
_STEPS = 100
_PROGRESS_DELAY_MS = 500  # ms: most reports are there before


class ReportExport:
    """One report at a time; the window stays usable meanwhile."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        action: QAction,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session, self._navigation = window, session, session.navigation
        self._action, self._notices = action, notices
        action.setEnabled(False)
        action.triggered.connect(lambda _checked=False: self.choose_file())
        session.opened.connect(self._update_action)

    def choose_file(self) -> None:
        """Ask where the report shall go, and write it."""
        if self._session.queries is None:
            return
        start = self._session.paths[0]
        suggested = path_beside(start, f"{start.name}.html")
        chosen = ask_save_path(self._window, "Export Report", suggested, ("HTML",))
        if chosen is not None:
            self.save(chosen[0])

    def save(self, path: Path) -> None:
        """Write the report of the event, parts and filter of the window."""
        context, queries = self._navigation.context, self._session.queries
        if queries is None:
            return
        from qcachegrind_py.reports.html.contents import ReportOptions  # 15 ms of the start
        from qcachegrind_py.reports.html.page import save_report

        options = ReportOptions(context.event, context.scope, context.filter)
        self._notices.close_notice(_JOB_SLOT)
        self._action.setEnabled(False)  # a second one would stop this one
        job = self._session.jobs.start(
            _JOB_SLOT, save_report, path, queries, context.files, options
        )
        told = QProgressDialog("Writing the report…", "Cancel", 0, _STEPS, self._window)
        told.setMinimumDuration(_PROGRESS_DELAY_MS)
        told.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: told.setValue(int(fraction * (_STEPS - 1))))
        job.finished.connect(self._on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(told.deleteLater)
        job.ended.connect(self._update_action)

    def _update_action(self) -> None:
        self._action.setEnabled(not self._session.jobs.is_running(_JOB_SLOT))

    def _on_saved(self, path: Path) -> None:
        def look() -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        text = cell_text(f"Saved {path}.")
        self._notices.show_notice("information", text, ("Open", look), topic=_JOB_SLOT)

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice("error", cell_text(str(error)), topic=_JOB_SLOT, lasting=True)
