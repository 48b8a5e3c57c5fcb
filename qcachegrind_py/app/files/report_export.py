"""The command “Export Report”: saves the content of the window as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.files.save_command import path_beside
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.file_export import FileExport
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.session.session import Session

REPORT_JOB = WriteJob("report", "The report is still being written.")
_WRITING = "Writing the report…"


class ReportExport(FileExport):
    """Writes reports in the background, one at a time."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, notices: NoticeStrip
    ) -> None:
        super().__init__(window, session, actions["report"], notices, REPORT_JOB)
        actions.connect({"report": self.choose_file})

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
        # these take 15 ms to import
        from qcachegrind_py.present.comparison_page import window_page
        from qcachegrind_py.present.profile_page import PageOptions, profile_page
        from qcachegrind_py.write.html.page import save_html

        files = replace(context.files, is_for_writing=True)
        compared = self._session.comparison
        if compared is not None and context.event is not None:
            shown = compared, context.event, context.filter, files, context.base_search
            self._start(_WRITING, self._on_saved, save_html, path, window_page, *shown)
        else:
            options = PageOptions(context.event, context.scope, context.filter)
            work = save_html, path, profile_page, queries, files, options
            self._start(_WRITING, self._on_saved, *work)

    def _on_saved(self, path: Path) -> None:
        self._notify(f"Saved {path}.", path)
