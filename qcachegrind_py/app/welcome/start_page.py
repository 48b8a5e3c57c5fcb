"""Puts the welcome page over the docks, keeps it told, and takes it away with the first profile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.file_commands import FileCommands
from qcachegrind_py.app.profile_notices import listed
from qcachegrind_py.app.welcome.cover import Cover
from qcachegrind_py.app.welcome.page import Welcome
from qcachegrind_py.formats.glance import glances
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings import Settings

_CHOICES = ("open", "record", "example", "guide")
_SLOT = "recent files"


class StartPage(QObject):
    """Of no more use once a profile is open."""

    gave_way = Signal()  # with the keyboard, which somebody else may have now

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        jobs: JobRunner,
        actions: Actions,
        files: FileCommands,
    ) -> None:
        super().__init__(window)
        self._settings, self._session, self._jobs, self._files = settings, session, jobs, files
        choices = [actions[name] for name in _CHOICES if name in actions]
        self.page = Welcome(choices, actions["cancel"])
        self.cover = Cover(window, self.page)
        self.page.chosen.connect(lambda path: files.open([path]))
        self.page.unwanted.connect(files.forget)
        files.recent_changed.connect(self.show_recent)
        session.opening.connect(self._on_opening)
        session.progressed.connect(self.page.set_progress)
        session.ended.connect(self.page.end_opening)
        session.opened.connect(lambda _questions: self._end())
        self.show_recent()
        self.page.setFocus()

    def show_recent(self) -> None:
        """Show the recent files; what is told of each comes when it is known."""
        if self._session.questions is not None:
            return
        paths = self._settings.recent_files
        self.page.set_recent(paths)
        if paths:
            job = self._jobs.start(_SLOT, glances, paths)
            job.finished.connect(self.page.recent.set_glances)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        if self._session.questions is None:
            self.page.begin_opening(listed(paths))

    def _end(self) -> None:
        if self.page.isHidden():
            return
        had_keyboard = self.cover.has_keyboard
        self.cover.end()
        if had_keyboard:
            self.gave_way.emit()
