"""Saves what the window shows as a profile: asks what and where, writes in the background, tells.

How a profile is written is the business of `formats.callgrind.writer`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QFileDialog, QMainWindow

from qcachegrind_py.app.files.save_dialog import SaveDialog, SaveScope
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.formats.standard_input import is_temporary
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session


def path_beside(profile: Path, name: str) -> Path:
    """A file of that name beside the profile, or at home where it would not last or fit in.

    What came through standard input goes with the program, and the example is a part of it.
    """
    folder = profile.parent
    stays = not is_temporary(profile) and profile != resource_path(EXAMPLE_PROFILE)
    return (folder if stays and os.access(folder, os.W_OK) else Path.home()) / name


_JOB_SLOT = "save"  # also what is told is about
_FILTERS = "Callgrind profiles (*.callgrind callgrind.out* *.gz *.bz2 *.xz *.zst);;All files (*)"


class SaveCommand:
    """The command “Save As”."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        actions: Actions,
        status: StatusBar,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session, self._navigation = window, session, session.navigation
        self._actions, self._status, self._notices = actions, status, notices
        self._path = Path()
        self.dialog: SaveDialog | None = None  # the one that is open
        actions["save"].setEnabled(False)
        actions["save"].triggered.connect(lambda _checked=False: self.ask_scope())
        session.opened.connect(self._on_opened)
        session.ended.connect(self._resume_progress)

    def _on_opened(self) -> None:
        self._actions["save"].setEnabled(not self._session.jobs.is_running(_JOB_SLOT))

    def ask_scope(self) -> None:
        """Ask what is to be saved, where there is a choice, and then where."""
        shown = self._current_scope()
        if shown is None or self._session.queries is None:
            return
        profile = self._session.queries.profile  # another may be open when all is answered
        if not shown.has_choice:
            self._choose_file(profile, Selection())
            return
        dialog = self.dialog = SaveDialog(self._window, shown)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.selection_made.connect(lambda selection: self._choose_file(profile, selection))
        dialog.open()

    def save(self, profile: Profile, path: Path, selection: Selection) -> None:
        """Write the profile to the file, in the background."""
        self._path = path
        self._notices.close_notice(_JOB_SLOT)
        self._actions["save"].setEnabled(False)  # a second one would stop this one
        job = self._session.jobs.start(_JOB_SLOT, _save_job, profile, path, selection)
        if not self._session.is_opening:  # which has the status bar, and gives it back
            self._begin_progress()
        job.progressed.connect(self._on_progress)
        job.finished.connect(self._on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(self._on_ended)

    def cancel(self) -> None:
        """Stop writing; what was there before stays."""
        self._session.jobs.cancel(_JOB_SLOT)

    def _current_scope(self) -> SaveScope | None:
        queries, context = self._session.queries, self._navigation.context
        if queries is None:
            return None
        passing = None
        if context.event is not None:
            passing = queries.visible_nodes(context.filter, context.event, context.scope)
        parts = context.scope.parts
        return SaveScope(
            len(queries.profile.parts),
            None if parts is None else tuple(sorted(parts)),
            queries.function_count,
            context.filter.text,
            None if passing is None else passing[: queries.function_count],
        )

    def _choose_file(self, profile: Profile, selection: Selection) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save Profile As", str(self._suggested_path()), _FILTERS
        )
        if name:
            self.save(profile, Path(name), selection)

    def _suggested_path(self) -> Path:
        """Named after the program, beside the profile: with `callgrind.out…` it would be a part."""
        program = re.sub(r"[^\w.+-]", "_", Path(self._session.program).name) or "profile"
        return path_beside(self._session.paths[0], f"{program}.callgrind")

    # ---------------------------------------------------------------- while it goes on

    def _begin_progress(self) -> None:
        self._status.begin_progress(self._path.name, "Saving")
        self._actions["cancel"].setEnabled(True)

    def _on_progress(self, fraction: float) -> None:
        if not self._session.is_opening:
            self._status.set_progress(fraction)

    def _resume_progress(self) -> None:
        """Reading has ended, which had the status bar for itself."""
        if self._session.jobs.is_running(_JOB_SLOT):
            self._begin_progress()

    def _on_saved(self, size: int) -> None:
        text = cell_text(f"Saved {self._path}, {QLocale().formattedDataSize(size, 1)}.")
        self._notices.show_notice("information", text, topic=_JOB_SLOT)

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice("error", cell_text(str(error)), topic=_JOB_SLOT, lasting=True)

    def _on_ended(self) -> None:
        self._actions["save"].setEnabled(True)
        if not self._session.is_opening:
            self._status.end_progress()
            self._actions["cancel"].setEnabled(False)
            self._status.show_profile(self._session.queries, self._navigation.context)


def _save_job(progress: Progress, profile: Profile, path: Path, selection: Selection) -> int:
    """Save, as a job; gives the size of the file in bytes."""
    from qcachegrind_py.formats.callgrind.writing.profile_writer import save  # 10 ms of the start

    save(profile, path, selection, progress)
    return path.stat().st_size
