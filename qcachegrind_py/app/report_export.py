"""Saves a report of what the window shows, as one HTML file: asks where, and says how it went."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMainWindow, QProgressDialog

from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session

_SLOT = "report"
_STEPS = 100
_SHOWN_AFTER = 500  # ms: most reports are there before
_SUFFIX = ".html"


class ReportExport:
    """One report at a time; the window stays usable meanwhile."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        navigation: Navigation,
        action: QAction,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session, self._navigation = window, session, navigation
        self._notices = notices
        action.setEnabled(False)
        action.triggered.connect(lambda _checked=False: self.choose())
        session.opened.connect(lambda _questions: action.setEnabled(True))

    def choose(self) -> None:
        """Ask where the report shall go, and write it."""
        if self._session.questions is None:
            return
        start = self._session.paths[0]
        suggested = start.with_name(start.name + _SUFFIX)
        filters = f"Web page (*{_SUFFIX})"
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Export Report", str(suggested), filters
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the report of the event, parts and filter of the window."""
        context, questions = self._navigation.context, self._session.questions
        if questions is None:
            return
        from qcachegrind_py.session.report_contents import ReportOptions  # 15 ms of the start
        from qcachegrind_py.session.report_file import save_report

        options = ReportOptions(context.event, context.scope, context.filter)
        job = self._session.jobs.start(_SLOT, save_report, path, questions, context.files, options)
        told = QProgressDialog("Writing the report…", "Cancel", 0, _STEPS, self._window)
        told.setMinimumDuration(_SHOWN_AFTER)
        told.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: told.setValue(int(fraction * (_STEPS - 1))))
        job.finished.connect(self._tell)
        job.failed.connect(self._fail)
        job.ended.connect(told.deleteLater)

    def _tell(self, path: Path) -> None:
        def look() -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        text = cell_text(f"The report is in {path}")
        self._notices.show_notice("information", text, ("Open", look))

    def _fail(self, error: ProfileError) -> None:
        self._notices.show_notice("error", cell_text(str(error)))
