"""Window title and status bar: the open profile, and the progress of opening one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.files.profile_notices import file_list_text
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.view_query import current_query

_PROGRAM_TITLE = "QCachegrind.py"


class ProfileStatus:
    """Updates title and status bar; enables the action “Stop” while a profile is opened."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, status_bar: StatusBar
    ) -> None:
        self._window, self._session = window, session
        self._cancel_action, self._status_bar = actions["cancel"], status_bar
        self._cancel_action.setEnabled(False)
        window.setWindowTitle(_PROGRAM_TITLE)
        if not COMPILED:
            from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text

            status_bar.show_slow_scanner(slow_scanner_text())
        session.opening.connect(self._on_opening)
        session.progressed.connect(status_bar.set_progress)
        session.opened.connect(self._on_opened)
        session.ended.connect(self._on_ended)
        session.navigation.changed.connect(self._on_changed)

    def show_profile(self) -> None:
        """Show in the status bar which profile is open, if any."""
        self._status_bar.show_profile(current_query(self._session))

    def _on_opening(self, paths: Sequence[Path]) -> None:
        self._status_bar.begin_progress(file_list_text(paths))
        self._cancel_action.setEnabled(True)

    def _on_opened(self, queries: ProfileQueries) -> None:
        paths, command = self._session.paths, queries.profile.command
        more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
        program = f" [{cell_text(command)}]" if command else ""
        name = cell_text(paths[0].name)
        self._window.setWindowTitle(f"{name}{more}{program} – {_PROGRAM_TITLE}")

    def _on_ended(self) -> None:
        self._status_bar.end_progress()
        self._cancel_action.setEnabled(False)
        self.show_profile()

    def _on_changed(self, _context: Context, _change: Change) -> None:
        if not self._session.is_opening:
            self.show_profile()
