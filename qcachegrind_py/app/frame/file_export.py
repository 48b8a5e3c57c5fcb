"""What exports of the File menu have in common: a job with progress, and notices of its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.session import Session

_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most files are written sooner


class FileExport:
    """Writes files in the background, one at a time; its action is disabled meanwhile."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        action: QAction,
        notices: NoticeStrip,
        write_job: WriteJob,
    ) -> None:
        self._window, self._session = window, session
        self._action, self._notices, self._write_job = action, notices, write_job
        self._action.setEnabled(False)
        session.opened.connect(self._update_action)

    def _start(self, text: str, on_saved: Callable[[Any], None], *work: Any) -> None:
        """Start a job of this work and its arguments; `on_saved` gets the result.

        `text` says what is being done.
        """
        from PySide6.QtWidgets import QProgressDialog

        self._notices.close_notice(self._write_job.slot)
        self._action.setEnabled(False)  # a second job would cancel this one
        job = self._session.jobs.start(self._write_job.slot, *work)
        progress = QProgressDialog(text, "Cancel", 0, _STEPS, self._window)
        progress.setMinimumDuration(_PROGRESS_DELAY_MS)
        progress.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: progress.setValue(int(fraction * (_STEPS - 1))))
        job.finished.connect(on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(progress.deleteLater)
        job.ended.connect(self._update_action)

    def _update_action(self) -> None:
        self._action.setEnabled(not self._session.jobs.is_running(self._write_job.slot))

    def _notify(self, text: str, path: Path | None = None) -> None:
        """Say what was saved; a file with a path can be opened."""

        def open_file() -> None:
            from PySide6.QtCore import QUrl
            from PySide6.QtGui import QDesktopServices

            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        buttons = [] if path is None else [("Open", open_file)]
        self._notices.show_notice(
            "information", cell_text(text), *buttons, topic=self._write_job.slot, passing=True
        )

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice(
            "error", cell_text(str(error)), topic=self._write_job.slot, lasting=True
        )
