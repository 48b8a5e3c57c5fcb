"""What the File menu does with profiles, and what is said of them in the window.

Reading is the session's; which profile goes into which window is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.diagnostics_dialog import DiagnosticsDialog
from qcachegrind_py.app.menus import fill_recent
from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.app.profile_notices import tell_of_files, tell_of_oddities
from qcachegrind_py.app.resources import EXAMPLE, resource
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings import Settings

FILE_NAMES = "callgrind.out* cachegrind.out* *.callgrind *.out *.gz *.bz2 *.xz *.zst"


class FileCommands:
    """Opens files in its window: chosen, dropped, opened before, or the example."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
        recent: QMenu,
    ) -> None:
        self._window, self._settings, self._session = window, settings, session
        self._notices, self._recent = notices, recent
        for name, act in {
            "open": self.choose,
            "reload": self.reload,
            "example": lambda: self.open([resource(EXAMPLE)]),
            "cancel": session.cancel,
        }.items():
            actions[name].triggered.connect(lambda _checked=False, act=act: act())
        session.opening.connect(lambda _paths: notices.close_notice("error"))
        session.opened.connect(self._on_opened)
        session.opened.connect(lambda _questions: actions["reload"].setEnabled(True))
        session.failed.connect(self._on_failed)
        self._fill_recent()

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; the window stays usable meanwhile."""
        if paths:
            self._session.open([path.absolute() for path in paths], own_parts=own_parts)

    def choose(self) -> None:
        """Ask for files, and open them."""
        recent = self._settings.recent_files
        folder = str(recent[0].parent) if recent else ""
        filters = f"Profiles ({FILE_NAMES});;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self._window, "Open Profiles", folder, filters)
        self.open([Path(name) for name in names])

    def reload(self) -> None:
        """Read the open files again."""
        self.open(self._session.paths, own_parts=self._session.own_parts)

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice("error", cell_text(str(error)))

    def _on_opened(self, questions: Questions) -> None:
        profile = questions.profile
        self._notices.close_all()
        for path in self._session.paths:
            self._settings.add_recent_file(path)
        self._fill_recent()
        tell_of_files(self._notices, profile, self._session.paths, self._open_alone)
        tell_of_oddities(self._notices, profile, partial(self.show_diagnostics, profile))

    def _open_alone(self) -> None:
        self.open(self._session.paths, own_parts=False)

    def show_diagnostics(self, profile: Profile) -> None:
        """Show all that was odd in the files."""
        dialog = DiagnosticsDialog(profile, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _fill_recent(self) -> None:
        files = self._settings.recent_files
        fill_recent(self._recent, files, lambda path: self.open([path]), self._forget_recent)

    def _forget_recent(self) -> None:
        self._settings.forget_recent_files()
        self._fill_recent()
